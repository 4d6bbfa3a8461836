//! Active Play: an attack hits if the attacker's die beats the defender's.

use super::board::BOARD;
use super::movegen::{MoveSink, Origin, Wanted};
use super::{KingsMate, Move, RuleSet};
use crate::bitboard::Bitboard;
use crate::chance::{Chance, Odds};
use crate::position::Position;
use crate::zobrist::KEYS;
use std::ops::ControlFlow::{self, Continue};

/// Of 36 pairs of dice 15 have the first above the second.
const ATTACK: Odds = Odds::new(&[15, 21]);

/// Counts the outcomes of moves: captures count twice.
struct BranchCounter {
    prey: Bitboard,
    count: u32,
}

impl MoveSink for BranchCounter {
    type Break = ();

    #[inline(always)]
    fn take(&mut self, _: u8, _: Origin, to: Bitboard, becomes: u8) -> ControlFlow<()> {
        self.count += (to.count() + (to & self.prey).count()) * becomes.count_ones();
        Continue(())
    }
}

impl<R: RuleSet> KingsMate<R> {
    /// The attack of a piece fails: it may not move again this turn, and the turn goes on if another piece
    /// has a legal move.
    fn miss(&mut self, mv: Move) {
        self.failed |= mv.from.bit();
        self.key ^= KEYS.en_passant[mv.from.index()];
        self.clock = self.clock.saturating_add(1);
        if !self.has_move() {
            self.end_turn();
        }
    }
}

/// Outcome 0 is the hit, 1 the miss.
impl<R: RuleSet> Chance for KingsMate<R> {
    const DICE: bool = R::DICE;

    #[inline(always)]
    fn odds(&self, mv: Move) -> Odds {
        if R::DICE && self.pieces_of(!self.side).has(mv.to) { ATTACK } else { Odds::CERTAIN }
    }

    #[inline]
    fn play_roll(&mut self, mv: Move, outcome: usize) {
        if R::DICE && outcome == 1 {
            self.miss(mv);
        } else {
            self.make(mv);
        }
    }

    fn roll_name(&self, outcome: usize) -> &'static str {
        if outcome == 0 { "hit" } else { "miss" }
    }

    #[inline]
    fn count_branches(&self) -> u64 {
        if !R::DICE {
            return self.count_moves();
        }
        let mut counter = BranchCounter { prey: BOARD & self.pieces_of(!self.side), count: 0 };
        let _ = self.generate(Wanted::ALL, &mut counter);
        u64::from(counter.count)
    }
}
