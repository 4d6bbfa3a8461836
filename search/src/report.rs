//! The information that a search gives its caller, while it runs and at the end. Searches never print.

use crate::score::Score;
use jewel_engine::value::Value;
use std::time::Duration;

/// How a score relates to the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Bound {
    /// They are equal.
    #[default]
    Exact,
    /// The true score is at least this (fail high).
    Lower,
    /// The true score is at most this (fail low).
    Upper,
}

impl Bound {
    /// The bound of a score from a search with the window from `alpha` to `beta`.
    pub(crate) fn of(score: i32, alpha: i32, beta: i32) -> Bound {
        if score >= beta {
            Bound::Lower
        } else if score > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        }
    }
}

/// One line of the root as a search sees it at some moment.
#[derive(Clone, PartialEq, Debug)]
pub struct Info<M> {
    /// The number of the line, from 1 for the best (MultiPV).
    pub multipv: u32,
    /// The score for the side to move at the root.
    pub score: Score,
    /// Whether the score is exact.
    pub bound: Bound,
    /// Whether win, draw or loss is proven: on the first line for the position, as far as its moves are allowed, and
    /// on another line for its move. The score of a proven draw is that of a draw.
    pub proven: bool,
    /// Whether the distance of a proven win or loss is exact. If not, it is forced within that many plies, and there may
    /// be a faster way.
    pub exact: bool,
    /// The principal variation, the root's move first.
    pub pv: Vec<M>,
    /// Plies of the iteration (alpha-beta), or the mean depth at which simulations left the tree (MCTS).
    pub depth: u32,
    /// Plies of the longest path so far.
    pub seldepth: u32,
    /// Positions searched so far.
    pub nodes: u64,
    /// Time since the search began.
    pub elapsed: Duration,
    /// How full the transposition table or the tree is, in thousandths.
    pub hashfull: u32,
    /// Simulations through the root's move of this line; 0 where there are none.
    pub visits: u64,
    /// The share of a point that the side to move expects, from 0 to 1, where the search measures it itself
    /// instead of deriving it from the score.
    pub expectation: Option<f64>,
    /// The standard error of the expectation, where it is a mean over sampled worlds.
    pub expectation_error: Option<f64>,
    /// Probes of endgame tables that gave a value so far.
    pub tb_hits: u64,
}

impl<M> Default for Info<M> {
    fn default() -> Info<M> {
        Info {
            multipv: 1,
            score: Score::DRAW,
            bound: Bound::Exact,
            proven: false,
            exact: false,
            pv: Vec::new(),
            depth: 0,
            seldepth: 0,
            nodes: 0,
            elapsed: Duration::ZERO,
            hashfull: 0,
            visits: 0,
            expectation: None,
            expectation_error: None,
            tb_hits: 0,
        }
    }
}

impl<M> Info<M> {
    /// Whether a proven distance is exact: endgame tables say the same, or it is so short that every search of all moves
    /// would have found a shorter one. `known` is the value in the tables.
    pub(crate) fn is_exact(&self, known: impl FnOnce() -> Option<Value>) -> bool {
        let distance = self.score.distance().filter(|_| self.proven);
        distance.is_some_and(|plies| plies <= 2 || known().map(Score::from) == Some(self.score))
    }

    /// The same information with the line in another notation of moves.
    pub fn with_pv<N>(&self, pv: Vec<N>) -> Info<N> {
        Info {
            multipv: self.multipv,
            score: self.score,
            bound: self.bound,
            proven: self.proven,
            exact: self.exact,
            pv,
            depth: self.depth,
            seldepth: self.seldepth,
            nodes: self.nodes,
            elapsed: self.elapsed,
            hashfull: self.hashfull,
            visits: self.visits,
            expectation: self.expectation,
            expectation_error: self.expectation_error,
            tb_hits: self.tb_hits,
        }
    }
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Report<M> {
    /// The move to play; `None` where the game is over or no move was allowed.
    pub best: Option<M>,
    /// The reply that the search expects.
    pub ponder: Option<M>,
    /// The best lines, best first: as many as were asked for and there are.
    pub lines: Vec<Info<M>>,
    /// The depth of the first line.
    pub depth: u32,
    /// Positions searched.
    pub nodes: u64,
    /// Time that the search took.
    pub elapsed: Duration,
}

impl<M: Copy> Report<M> {
    /// The report that follows from the final lines, best first.
    pub fn from_lines(lines: Vec<Info<M>>, nodes: u64, elapsed: Duration) -> Report<M> {
        let pv = lines.first().map(|line| &line.pv[..]).unwrap_or_default();
        Report {
            best: pv.first().copied(),
            ponder: pv.get(1).copied(),
            depth: lines.first().map_or(0, |line| line.depth),
            lines,
            nodes,
            elapsed,
        }
    }
}

impl<M> Report<M> {
    /// The score of the best line; a draw where there is none.
    pub fn score(&self) -> Score {
        self.lines.first().map_or(Score::DRAW, |line| line.score)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_line_gives_the_moves() {
        let lines = vec![
            Info { pv: vec![3, 1], depth: 5, score: Score::centipawns(12), ..Info::default() },
            Info { pv: vec![4], multipv: 2, ..Info::default() },
        ];
        let report = Report::from_lines(lines, 10, Duration::ZERO);
        assert_eq!((report.best, report.ponder, report.depth), (Some(3), Some(1), 5));
        assert_eq!(report.score(), Score::centipawns(12));
        let nothing = Report::<u8>::from_lines(Vec::new(), 0, Duration::ZERO);
        assert_eq!((nothing.best, nothing.ponder, nothing.score()), (None, None, Score::DRAW));
    }
}
