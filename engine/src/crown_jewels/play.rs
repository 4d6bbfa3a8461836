//! The contract of a position, put together.

use super::board::stepped;
use super::hash::KEYS;
use super::state::{CrownJewels, Move};
use crate::bitboard::Bitboard;
use crate::chance::Chance;
use crate::position::Position;
use crate::value::{Outcome, Side};
use std::fmt;
use std::ops::ControlFlow;

impl CrownJewels {
    /// Where the tiles of the side to move arrive with a step in one of the eight directions.
    #[inline(always)]
    pub(super) fn arrivals(&self, direction: usize) -> Bitboard {
        stepped(self.pieces_of(self.board.side), direction) & self.board.open_to(self.board.side)
    }
}

impl Position for CrownJewels {
    type Move = Move;

    #[inline(always)]
    fn side_to_move(&self) -> Side {
        self.board.side
    }

    /// The loss of Jewels or tiles goes before the limit of plies without a contest (C3), which is a draw
    /// although there are moves.
    #[inline(always)]
    fn outcome(&self) -> Option<Outcome> {
        self.board.outcome()
    }

    #[inline]
    fn moves<B>(&self, visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.board.moves(visit)
    }

    #[inline]
    fn count_moves(&self) -> u64 {
        if self.board.decided().is_some() {
            return 0;
        }
        let steps: u32 = (0..8).map(|direction| self.arrivals(direction).count()).sum();
        u64::from(steps.max(1))
    }

    #[inline]
    fn play(&mut self, mv: Move) {
        if mv.is_skip() {
            self.board.pass_turn();
            self.key ^= KEYS.black;
            return;
        }
        match self.contest(mv) {
            None => self.step(mv),
            Some(result) => self.fight(mv, result),
        }
    }

    #[inline(always)]
    fn zobrist_hash(&self) -> u64 {
        self.key
    }

    fn recomputed_hash(&self) -> u64 {
        self.zobrist()
    }
}

impl Chance for CrownJewels {}

impl fmt::Debug for CrownJewels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} \"{}\"", self.board.rules.id, self.text())
    }
}
