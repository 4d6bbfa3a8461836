//! What search asks of a position.

use super::board::KING_SQUARES;
use super::kind::{COUNT, FOOL, KEEPER, KING, PRIEST, PRIESTESS};
use super::movegen::{Lister, Wanted};
use super::{KingsMate, Move, RuleSet, failed_hash};
use crate::bitboard::{Bitboard, Square};
use crate::tactics::{PieceValues, Tactics};
use crate::value::Outcome;
use crate::zobrist::KEYS;
use std::ops::ControlFlow;

/// An odd number with no pattern (the golden ratio), to spread bits by multiplication.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

impl<R: RuleSet> KingsMate<R> {
    #[inline(always)]
    pub(super) fn victim_of(&self, mv: Move) -> Option<u8> {
        if self.pieces_of(!self.side).has(mv.to) { self.kind_on(mv.to) } else { None }
    }

    /// The squares on which arriving changes the balance: for fools, and for all others.
    #[inline(always)]
    fn noisy_targets(&self) -> [Bitboard; 2] {
        let enemies = self.pieces_of(!self.side);
        let mut fools = enemies;
        if self.captured(self.side) != 0 {
            fools |= self.promotion_squares();
        }
        if self.has_gambit() {
            fools |= KING_SQUARES[(!self.side).index()].bit();
        }
        [fools, enemies]
    }
}

impl<R: RuleSet> Tactics for KingsMate<R> {
    const KINDS: usize = COUNT;
    /// A failed attack leaves the turn where it is.
    const ALTERNATES: bool = !R::DICE;

    #[inline(always)]
    fn decided(&self) -> Option<Outcome> {
        self.decided_by_board()
    }

    #[inline(always)]
    fn adjudicated(&self) -> bool {
        self.bare_kings()
    }

    #[inline(always)]
    fn threatened(&self) -> bool {
        self.in_check()
    }

    #[inline(always)]
    fn is_noisy(&self, mv: Move) -> bool {
        let [fools, others] = self.noisy_targets();
        (if mv.kind == FOOL { fools } else { others }).has(mv.to)
    }

    #[inline(always)]
    fn noisy_moves<B>(&self, visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        let [fools, others] = self.noisy_targets();
        self.generate(Wanted { fools, others, ..Wanted::ALL }, &mut Lister(visit))
    }

    #[inline(always)]
    fn quiet_moves<B>(&self, visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        let [fools, others] = self.noisy_targets().map(|set| !set);
        self.generate(Wanted { fools, others, ..Wanted::ALL }, &mut Lister(visit))
    }

    #[inline]
    fn is_legal(&self, mv: Move) -> bool {
        let to = mv.to.bit();
        let wanted = Wanted { movers: mv.from.bit(), fools: to, others: to };
        let same = |legal| if legal == mv { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        self.generate(wanted, &mut Lister(same)).is_break()
    }

    #[inline(always)]
    fn victim(&self, mv: Move) -> Option<u8> {
        self.victim_of(mv)
    }

    /// Fools go back and forth, so that only captures, promotions and the loss of a right are irreversible;
    /// with dice, if the attack hits.
    #[inline(always)]
    fn is_irreversible(&self, mv: Move) -> bool {
        self.pieces_of(!self.side).has(mv.to)
            || mv.becomes != mv.kind
            || mv.kind == KING && self.may_defend_crown(self.side)
    }

    #[inline]
    fn pass(&self) -> Option<Self> {
        if self.threatened() {
            return None;
        }
        let mut next = *self;
        next.key ^= failed_hash(next.failed) ^ KEYS.black;
        next.failed = Bitboard::EMPTY;
        next.clock = next.clock.saturating_add(1);
        next.side = !next.side;
        Some(next)
    }

    #[inline]
    fn is_zugzwang_prone(&self) -> bool {
        let officers = [KEEPER, PRIEST, PRIESTESS].map(|kind| self.pieces(self.side, kind).count());
        officers.iter().sum::<u32>() < 2
    }

    #[inline]
    fn exchange_at_least(&self, mv: Move, threshold: i32, values: &PieceValues) -> bool {
        self.exchange(mv, threshold, values)
    }

    #[inline(always)]
    fn gain(&self, mv: Move, values: &PieceValues) -> i32 {
        let worth = |kind: u8| values[kind as usize & 31];
        self.victim_of(mv).map_or(0, worth) + worth(mv.becomes) - worth(mv.kind)
    }

    /// Where the fools stand.
    #[inline]
    fn structure_hash(&self) -> u64 {
        self.by_side.iter().fold(0, |key, side| {
            (key ^ (self.by_kind[FOOL as usize] & *side).0).wrapping_mul(SPREAD).rotate_left(29)
        })
    }

    #[inline(always)]
    fn kind(mv: Move) -> usize {
        mv.kind as usize % COUNT
    }

    #[inline(always)]
    fn from(mv: Move) -> usize {
        mv.from.index()
    }

    #[inline(always)]
    fn to(mv: Move) -> usize {
        mv.to.index()
    }

    #[inline(always)]
    fn encode(mv: Move) -> u32 {
        // The highest bit tells the move of number 0 from none.
        1 << 31
            | u32::from(mv.becomes & 7) << 15
            | u32::from(mv.kind & 7) << 12
            | (mv.from.index() as u32) << 6
            | mv.to.index() as u32
    }

    #[inline(always)]
    fn decode(&self, code: u32) -> Option<Move> {
        Some(Move {
            from: Square::wrap(code >> 6),
            to: Square::wrap(code),
            kind: (code >> 12 & 7) as u8,
            becomes: (code >> 15 & 7) as u8,
        })
    }
}
