//! Moves on the board.

use super::kind::{COUNT, FOOL, KING, SWORDMASTER};
use super::{KingsMate, Move, RuleSet, failed_hash};
use crate::bitboard::{Bitboard, Square};
use crate::value::Side;
use crate::zobrist::KEYS;

impl<R: RuleSet> KingsMate<R> {
    /// Makes a move; an attack of Active Play hits.
    #[inline(always)]
    pub(super) fn make(&mut self, mv: Move) {
        let (us, them) = (self.side.index(), (!self.side).index());
        let (kind, becomes) = (mv.kind as usize % COUNT, mv.becomes as usize % COUNT);
        let (from, to) = (mv.from.bit(), mv.to.bit());
        let capture = self.by_side[them] & to;
        if capture.any() {
            self.capture(mv.to, them);
        }
        self.by_kind[kind] &= !from;
        self.by_kind[becomes] |= to;
        self.by_side[us] = self.by_side[us] & !from | to;
        self.key ^= KEYS.piece[kind][us][mv.from.index()] ^ KEYS.piece[becomes][us][mv.to.index()];
        if R::EXPANDED && mv.kind == KING {
            self.lose_right(us);
        }
        let counted = capture.is_empty() && mv.kind != FOOL;
        self.clock = if counted { self.clock.saturating_add(1) } else { 0 };
        self.end_turn();
    }

    #[inline(always)]
    fn capture(&mut self, square: Square, owner: usize) {
        let bit = square.bit();
        self.by_side[owner] &= !bit;
        let kind = self.by_kind.iter().position(|set| (*set & bit).any()).unwrap_or(0);
        self.by_kind[kind] &= !bit;
        self.key ^= KEYS.piece[kind][owner][square.index()];
        if R::EXPANDED && (kind == SWORDMASTER as usize || kind == KING as usize) {
            self.lose_right(owner);
        }
    }

    #[inline(always)]
    fn lose_right(&mut self, side: usize) {
        if self.rights >> side & 1 != 0 {
            self.rights &= !(1 << side);
            self.key ^= KEYS.castling[side];
        }
    }

    #[inline(always)]
    pub(super) fn end_turn(&mut self) {
        if R::DICE && self.failed.any() {
            self.key ^= failed_hash(self.failed);
            self.failed = Bitboard::EMPTY;
        }
        if self.side == Side::Black {
            self.turn = self.turn.saturating_add(1);
        }
        self.side = !self.side;
        self.key ^= KEYS.black;
    }
}
