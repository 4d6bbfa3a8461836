//! The limits that a caller sets to a search.

use crate::clock::{Clock, SAME_PROGRAM_OVERHEAD};
use std::time::Duration;

/// Bounds on a search; it ends at the first that is reached. The default has none: such a search goes on
/// until it is stopped, or until there is nothing left to find out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits<M> {
    /// Plies of the last iteration (alpha-beta) or of the longest path in the tree (MCTS).
    pub depth: Option<u32>,
    /// Positions to search.
    pub nodes: Option<u64>,
    /// Simulations to run. Alpha-beta search ignores it.
    pub playouts: Option<u64>,
    /// The time for this move, to be used in full.
    pub movetime: Option<Duration>,
    /// The clock of the side to move; the search decides how much of it to use.
    pub clock: Option<Clock>,
    /// The time lost with each move between the search and that clock.
    pub overhead: Duration,
    /// Positions for each thread that count as a second: time is measured by them, so that a search that divides its
    /// time can be reproduced. 0 counts as 1. Monte Carlo tree search ignores it.
    pub pace: Option<u64>,
    /// Go on until stopped, even where there is nothing left to find out.
    pub infinite: bool,
    /// Search in the opponent's time: `movetime` and `clock` begin to count when
    /// [`Stop::ponder_hit`](crate::control::Stop::ponder_hit) is called.
    pub ponder: bool,
    /// Moves of the root to search; empty for all of them.
    pub search_moves: Vec<M>,
    /// How many of the best moves of the root to report with a line each; 0 counts as 1.
    pub multipv: u32,
}

impl<M> Default for Limits<M> {
    fn default() -> Limits<M> {
        Limits {
            depth: None,
            nodes: None,
            playouts: None,
            movetime: None,
            clock: None,
            overhead: SAME_PROGRAM_OVERHEAD,
            pace: None,
            infinite: false,
            ponder: false,
            search_moves: Vec::new(),
            multipv: 1,
        }
    }
}

impl<M> Limits<M> {
    /// The same limits with the moves to search in another notation.
    pub fn with_moves<N>(&self, search_moves: Vec<N>) -> Limits<N> {
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            playouts: self.playouts,
            movetime: self.movetime,
            clock: self.clock,
            overhead: self.overhead,
            pace: self.pace,
            infinite: self.infinite,
            ponder: self.ponder,
            search_moves,
            multipv: self.multipv,
        }
    }
}

impl<M: PartialEq> Limits<M> {
    /// Whether a move of the root is to be searched.
    pub fn allows(&self, mv: &M) -> bool {
        self.search_moves.is_empty() || self.search_moves.contains(mv)
    }
}

/// The part of a total that one of several threads gets; the first threads share the remainder.
pub(crate) fn part_of_thread(total: u64, thread: usize, threads: usize) -> u64 {
    let (thread, threads) = (thread as u64, threads as u64);
    total / threads + u64::from(thread < total % threads)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_search_moves_mean_all_moves() {
        let mut limits = Limits::<u8>::default();
        assert!(limits.allows(&7));
        limits.search_moves = vec![1, 2];
        assert!(limits.allows(&2) && !limits.allows(&7));
    }
}
