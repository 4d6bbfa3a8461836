//! Playing a move.

use super::hands::hand_hash;
use super::subset::can_have;
use super::{ChessLike, Move, MoveTag, NO_SQUARE, RuleSubset};
use crate::bitboard::{Bitboard, Square};
use crate::value::Side;
use crate::zobrist::KEYS;

impl<S: RuleSubset, const N: usize> ChessLike<'_, S, N> {
    /// The key after a move that the other side answers on the same terms: not one that castles, ends or gives rights to
    /// castle, or has to do with *en passant*.
    #[inline(always)]
    pub(super) fn predicted_hash(&self, mv: Move) -> Option<u64> {
        let (us, them) = (self.side, !self.side);
        let mut key = self.key ^ KEYS.black;
        if S::en_passant(self.rules) && self.en_passant != NO_SQUARE {
            key ^= KEYS.en_passant[self.en_passant as usize & 63];
        }
        if const { can_have(S::HANDS) } && mv.tag == Move::DROP {
            if self.rules.hand.is_some_and(|hand| hand.castling) {
                return None;
            }
            let held = self.held_for(mv.kind);
            let count = self.in_hand(us, held);
            return Some(
                key ^ hand_hash(us, held, count)
                    ^ hand_hash(us, held, count.saturating_sub(1))
                    ^ Self::piece_hash(mv.kind, us, mv.to),
            );
        }
        let lost = &self.rules.tables.castling.lost;
        if mv.tag >= Move::DOUBLE_STEP
            || const { can_have(S::CASTLING) }
                && self.castling & (lost[mv.from.index()] | lost[mv.to.index()]) != 0
        {
            return None;
        }
        if self.by_side[them.index()].has(mv.to) {
            let kind = self.type_on(mv.to)?;
            key ^= Self::piece_hash(kind, them, mv.to);
            if S::hands(self.rules)
                && let Some((side, held)) = self.keeper(kind, them)
            {
                let count = self.in_hand(side, held);
                key ^= hand_hash(side, held, count) ^ hand_hash(side, held, count.saturating_add(1));
            }
        }
        Some(key ^ Self::piece_hash(mv.kind, us, mv.from) ^ Self::piece_hash(mv.becomes(), us, mv.to))
    }

    /// Exchanges a piece's presence on the squares of a set, and its keys.
    #[inline(always)]
    pub(super) fn toggle(&mut self, kind: u8, side: Side, squares: Bitboard) {
        if let Some(set) = self.by_type.get_mut(kind as usize) {
            *set ^= squares;
        }
        self.by_side[side.index()] ^= squares;
    }

    #[inline(always)]
    pub(super) fn piece_hash(kind: u8, side: Side, square: Square) -> u64 {
        KEYS.piece[kind as usize & 31][side.index()][square.index()]
    }

    #[inline(always)]
    pub(super) fn play_move(&mut self, mv: Move) {
        let (us, them) = (self.side, !self.side);
        let (from, to) = (mv.from, mv.to);
        self.clock = self.clock.saturating_add(1);
        if S::en_passant(self.rules) && self.en_passant != NO_SQUARE {
            self.key ^= KEYS.en_passant[self.en_passant as usize & 63];
            self.en_passant = NO_SQUARE;
        }
        if self.by_side[them.index()].has(to) {
            self.remove(to, them);
        }
        if const { can_have(S::CASTLING) } && self.castling != 0 {
            let lost = &self.rules.tables.castling.lost;
            let lost = self.castling & (lost[from.index()] | lost[to.index()]);
            if lost != 0 {
                self.lose_castling(lost);
            }
        }
        self.toggle(mv.kind, us, from.bit() ^ to.bit());
        self.key ^= Self::piece_hash(mv.kind, us, from) ^ Self::piece_hash(mv.kind, us, to);
        if self.rules.tables.resets_clock(mv.kind) {
            self.clock = 0;
        }
        self.move_number = self.move_number.saturating_add(us.index() as u16);
        self.side = them;
        self.key ^= KEYS.black;
        if S::TAGS && mv.tag != 0 {
            self.play_tag(mv, us);
        }
    }

    /// What a move does besides moving; the other side is to move already.
    #[inline]
    fn play_tag(&mut self, mv: Move, us: Side) {
        match mv.tag() {
            MoveTag::Plain => {}
            MoveTag::Drop => self.play_drop(mv, us),
            MoveTag::Promotion(promoted) => {
                self.by_type[mv.kind as usize % N] ^= mv.to.bit();
                self.by_type[promoted as usize % N] ^= mv.to.bit();
                self.key ^= Self::piece_hash(mv.kind, us, mv.to) ^ Self::piece_hash(promoted, us, mv.to);
            }
            MoveTag::EnPassant => self.remove(mv.to.offset(self.rules.tables.forward[1 - us.index()]), !us),
            MoveTag::Castle(number) => {
                let Some(castle) = self.rules.castles.get(number as usize) else { return };
                let [from, to] = castle.rook;
                let kind = castle.rook_kind;
                self.toggle(kind, us, from.bit() ^ to.bit());
                self.key ^= Self::piece_hash(kind, us, from) ^ Self::piece_hash(kind, us, to);
            }
            MoveTag::DoubleStep => self.pass(mv.from.offset(self.rules.tables.forward[us.index()])),
        }
    }

    /// Opens a square that a double step has passed to capture *en passant*. Only a capture that is legal makes the
    /// square part of the position, so that two positions are equal exactly if the same moves may follow.
    ///
    /// Apart from the rest, which is rarely so long: what is inlined here slows down the playing of every move.
    #[inline(never)]
    fn pass(&mut self, passed: Square) {
        if S::en_passant(self.rules) && self.en_passant_captors(passed).next().is_some() {
            self.en_passant = passed.index() as u8;
            self.key ^= KEYS.en_passant[passed.index()];
        }
    }

    /// Takes a captured piece off the board.
    #[inline]
    fn remove(&mut self, square: Square, side: Side) {
        let Some(kind) = self.type_on(square) else { return };
        self.toggle(kind, side, square.bit());
        self.key ^= Self::piece_hash(kind, side, square);
        self.clock = 0;
        if S::hands(self.rules) {
            self.keep_captured(kind, side);
        }
    }

    /// Apart from the rest: it happens a few times in a game.
    #[inline(never)]
    fn lose_castling(&mut self, lost: u8) {
        self.castling &= !lost;
        self.key ^= self.rules.tables.castling.hash(lost);
    }
}
