//! The contract of a position: moves, results, keys.

use super::board::KING_SQUARES;
use super::kind::{FOOL, KING};
use super::movegen::{Counter, Lister, Wanted};
use super::{KingsMate, Move, RuleSet};
use crate::batch::visit_each;
use crate::position::Position;
use crate::value::{Outcome, Side};
use std::ops::ControlFlow;

impl<R: RuleSet> KingsMate<R> {
    /// The result, if what stands on the board has decided the game: a fool on the enemy's King Square, or,
    /// with dice, a king gone. If both sides have done it, the side that has just moved did it last and wins.
    #[inline(always)]
    pub(super) fn decided_by_board(&self) -> Option<Outcome> {
        if !R::EXPANDED {
            return None;
        }
        let (us, them) = (self.side, !self.side);
        let has_won = |side: Side| {
            self.has_gambit() && self.pieces(side, FOOL).has(KING_SQUARES[(!side).index()])
                || R::DICE && self.pieces(!side, KING).is_empty()
        };
        if has_won(them) {
            Some(Outcome::Loss)
        } else if has_won(us) {
            Some(Outcome::Win)
        } else {
            None
        }
    }

    /// King against king (K8).
    #[inline(always)]
    pub(super) fn bare_kings(&self) -> bool {
        self.occupied() == self.by_kind[KING as usize]
    }

    /// The result for a side to move that has no move: a loss under attack, otherwise K7.
    pub(super) fn without_moves(&self) -> Outcome {
        if self.in_check() { Outcome::Loss } else { self.stalemate }
    }
}

impl<R: RuleSet> Position for KingsMate<R> {
    type Move = Move;

    #[inline(always)]
    fn side_to_move(&self) -> Side {
        self.side
    }

    #[inline(never)]
    fn outcome(&self) -> Option<Outcome> {
        if let Some(outcome) = self.decided_by_board() {
            return Some(outcome);
        }
        if self.bare_kings() {
            return Some(Outcome::Draw);
        }
        if self.has_move() { None } else { Some(self.without_moves()) }
    }

    #[inline]
    fn moves<B>(&self, visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        visit_each(|receiver| self.hand_on_moves(receiver), visit)
    }

    #[inline]
    fn moves_inlined<B>(&self, visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.generate(Wanted::ALL, &mut Lister(visit))
    }

    #[inline]
    fn count_moves(&self) -> u64 {
        let mut counter = Counter(0);
        let _ = self.generate(Wanted::ALL, &mut counter);
        u64::from(counter.0)
    }

    #[inline]
    fn play(&mut self, mv: Move) {
        self.make(mv);
    }

    #[inline(always)]
    fn zobrist_hash(&self) -> u64 {
        self.key
    }

    fn recomputed_hash(&self) -> u64 {
        self.zobrist()
    }

    /// Only positions at the start of a turn can be repeated.
    #[inline]
    fn repetition_hash(&self) -> Option<u64> {
        self.failed.is_empty().then_some(self.key)
    }
}
