//! Pieces in hand, and the moves that drop them.

use super::movegen::{AllMoves, FirstMove, MoveFilter, MoveSink, Origin, Tags};
use super::subset::can_have;
use super::{ChessLike, Move, RuleSubset};
use crate::bitboard::{Bitboard, Square};
use crate::value::Side;
use crate::variant::tables::DropTable;
use crate::zobrist::KEYS;
use std::fmt::Debug;
use std::ops::ControlFlow::{self, Continue};

/// How many pieces of each type each side has in hand. Games without hands keep [`NoHands`], which is nothing.
pub trait Hands: Copy + Eq + Debug + Send + Sync + 'static {
    /// Nothing in hand.
    const EMPTY: Self;

    /// How many pieces of a type a side has.
    fn count(&self, side: Side, kind: u8) -> u8;

    /// Sets that number.
    fn set(&mut self, side: Side, kind: u8, count: u8);

    /// Whether a side has any piece in hand.
    fn any(&self, side: Side) -> bool;
}

/// Hands in a game without.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoHands;

impl Hands for NoHands {
    const EMPTY: NoHands = NoHands;

    #[inline(always)]
    fn count(&self, _: Side, _: u8) -> u8 {
        0
    }

    #[inline(always)]
    fn set(&mut self, _: Side, _: u8, _: u8) {}

    #[inline(always)]
    fn any(&self, _: Side) -> bool {
        false
    }
}

/// Hands with a count for each of `N` types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts<const N: usize>([[u8; N]; 2]);

impl<const N: usize> Hands for Counts<N> {
    const EMPTY: Counts<N> = Counts([[0; N]; 2]);

    #[inline(always)]
    fn count(&self, side: Side, kind: u8) -> u8 {
        self.0[side.index()][kind as usize % N]
    }

    #[inline(always)]
    fn set(&mut self, side: Side, kind: u8, count: u8) {
        self.0[side.index()][kind as usize % N] = count;
    }

    #[inline(always)]
    fn any(&self, side: Side) -> bool {
        self.0[side.index()] != [0; N]
    }
}

/// A count of pieces in hand as a number of its own for each type, side and count.
#[inline(always)]
pub(super) const fn hand_hash(side: Side, kind: u8, count: u8) -> u64 {
    // Odd, so that each count gives another product.
    (KEYS.hand[kind as usize & 31][side.index()] | 1).wrapping_mul(count as u64)
}

impl<S: RuleSubset, const N: usize> ChessLike<'_, S, N> {
    /// How many pieces of a type a side has in hand.
    #[inline(always)]
    pub fn in_hand(&self, side: Side, kind: u8) -> u8 {
        if S::HANDS == Some(false) { 0 } else { self.hands.count(side, kind) }
    }

    /// Whether a side has any piece in hand.
    #[inline(always)]
    pub fn holds_any(&self, side: Side) -> bool {
        can_have(S::HANDS) && self.hands.any(side)
    }

    /// The hands, by side and type, where there is something.
    pub fn hands(&self) -> impl Iterator<Item = (Side, u8, u8)> + '_ {
        let kinds = (0..self.rules.type_count() as u8).flat_map(|kind| Side::BOTH.map(|side| (side, kind)));
        kinds.map(|(side, kind)| (side, kind, self.in_hand(side, kind))).filter(|(_, _, count)| *count > 0)
    }

    /// Changes a count of pieces in hand, and the key with it.
    #[inline(always)]
    pub(super) fn set_hand(&mut self, side: Side, kind: u8, count: u8) {
        self.key ^= hand_hash(side, kind, self.hands.count(side, kind)) ^ hand_hash(side, kind, count);
        self.hands.set(side, kind, count);
    }

    /// Whether a side's royal piece is on the board, so that it can be attacked. It may still have to be placed.
    #[inline(always)]
    pub(super) fn has_royal(&self, side: Side) -> bool {
        S::royal(self.rules)
            && (S::HANDS == Some(false)
                || !S::hands(self.rules)
                || self.pieces(side, self.rules.royal.unwrap_or(0)).any())
    }

    /// Puts all drops onto squares of a set into the sink that a filter wants.
    #[inline(never)]
    pub(super) fn drops<K: MoveSink, F: MoveFilter>(
        &self,
        targets: Bitboard,
        filter: &F,
        sink: &mut K,
    ) -> ControlFlow<K::Break> {
        let us = self.side;
        if !filter.drops() || !self.hands.any(us) {
            return Continue(());
        }
        let mut open = targets & !self.occupied();
        let tables = &self.rules.tables.hands;
        if !tables.next.is_empty() {
            let near = |set, from: Square| set | tables.next[from.index()];
            open &= self.pieces_of(us).into_iter().fold(Bitboard::EMPTY, near);
        }
        for drop in &tables.drops {
            if self.hands.count(us, drop.held) == 0 {
                continue;
            }
            let to = self.drop_squares(drop, open & drop.zone[us.index()] & filter.drop_targets(drop.kind));
            if to.any() {
                sink.take(drop.kind, Origin::Itself, to, Tags::One(Move::DROP))?;
            }
        }
        Continue(())
    }

    /// Those of some empty squares on which the rules of its type let a piece be dropped.
    #[inline(always)]
    fn drop_squares(&self, drop: &DropTable, mut to: Bitboard) -> Bitboard {
        let us = self.side;
        let tables = &self.rules.tables.hands;
        if let Some(most) = drop.per_file {
            let own = self.kind_set(drop.kind) & self.pieces_of(us);
            to =
                to.into_iter().filter(|s| (own & tables.file[s.index()]).count() < u32::from(most)).collect();
        }
        if tables.balanced != 0 {
            to = to.into_iter().filter(|square| self.keeps_balance(drop, *square)).collect();
        }
        if self.rules.royal == Some(drop.kind) {
            let safe = |to: &Square| !self.attacked(*to, !us, self.occupied() | to.bit(), Bitboard::EMPTY);
            to = to.into_iter().filter(safe).collect();
        }
        if !drop.mate && self.has_royal(!us) {
            let king = self.pieces(!us, self.rules.royal.unwrap_or(0)).first();
            let checks = self.rules.checking_squares(drop.kind, us, king, self.occupied());
            for square in to & checks {
                let mut next = *self;
                next.play_move(Move::new(drop.kind, square, square, Move::DROP));
                if !next.has_move() {
                    to &= !square.bit();
                }
            }
        }
        to
    }

    /// Whether a drop leaves room to put as many pieces of each balanced type on squares of one colour as of the
    /// other.
    fn keeps_balance(&self, drop: &DropTable, square: Square) -> bool {
        let us = self.side;
        let tables = &self.rules.tables.hands;
        tables.drops.iter().filter(|other| other.balanced).all(|balanced| {
            let placed = self.kind_set(balanced.kind) & self.pieces_of(us);
            let total = placed.count() + u32::from(self.hands.count(us, balanced.held));
            let colour = if tables.dark.has(square) { tables.dark } else { !tables.dark };
            if balanced.kind == drop.kind {
                return (placed & colour).count() < total.div_ceil(2);
            }
            let room = placed | balanced.zone[us.index()] & !self.occupied() & !square.bit();
            (room & tables.dark).count() >= total / 2 && (room & !tables.dark).count() >= total / 2
        })
    }

    /// Where a side must drop a piece if it can: whether there is such a drop.
    #[inline(always)]
    pub(super) fn must_drop(&self) -> bool {
        S::hands(self.rules)
            && self.rules.hand.is_some_and(|hand| hand.compulsory)
            && self.hands.any(self.side)
            && {
                let targets = if self.has_royal(self.side) { self.checks().targets } else { Bitboard::ALL };
                self.drops(targets, &AllMoves, &mut FirstMove).is_break()
            }
    }

    /// What a type that is dropped is in a hand.
    #[inline(always)]
    pub(super) fn held_for(&self, kind: u8) -> u8 {
        self.rules.tables.hands.in_hand[kind as usize & 31].unwrap_or(kind)
    }

    /// Puts the piece of a drop on the board; the other side is to move already.
    #[inline]
    pub(super) fn play_drop(&mut self, mv: Move, us: Side) {
        let held = self.held_for(mv.kind);
        self.set_hand(us, held, self.hands.count(us, held).saturating_sub(1));
        self.toggle(mv.kind, us, mv.to.bit());
        self.key ^= Self::piece_hash(mv.kind, us, mv.to);
        if self.rules.hand.is_some_and(|hand| hand.castling) {
            self.gain_castling(mv.to, us);
        }
    }

    /// Gives the rights of which the king or the rook has just been dropped on its square of origin, if the other stands
    /// on its own.
    fn gain_castling(&mut self, square: Square, us: Side) {
        for (number, castle) in self.rules.castles.iter().enumerate() {
            let stands = |kind, square| (self.kind_set(kind) & self.pieces_of(us)).has(square);
            let gained = castle.side == us
                && (castle.king[0] == square || castle.rook[0] == square)
                && stands(castle.king_kind, castle.king[0])
                && stands(castle.rook_kind, castle.rook[0])
                && self.castling >> number & 1 == 0;
            if gained {
                self.castling |= 1 << number;
                self.key ^= self.rules.tables.castling.hash(1 << number);
            }
        }
    }

    /// Whose hand a captured piece of a type and side goes to, and as what; `None` where it leaves the game.
    #[inline(always)]
    pub(super) fn keeper(&self, kind: u8, owner: Side) -> Option<(Side, u8)> {
        let held = self.rules.tables.hands.in_hand[kind as usize & 31]?;
        match self.rules.hand.map(|hand| hand.captures) {
            Some(crate::variant::Captures::Captor) => Some((!owner, held)),
            Some(crate::variant::Captures::Owner) => Some((owner, held)),
            _ => None,
        }
    }

    /// Puts a captured piece of a type and side where the rules send it.
    #[inline]
    pub(super) fn keep_captured(&mut self, kind: u8, owner: Side) {
        let Some((side, held)) = self.keeper(kind, owner) else { return };
        self.set_hand(side, held, self.hands.count(side, held).saturating_add(1));
    }
}
