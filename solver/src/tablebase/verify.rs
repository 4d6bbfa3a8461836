//! Checking tables by the rules: moves, results and positions come from the rules engine, and values are looked up by
//! position, as any user of the tables does. Nothing is shared with the code that builds tables.

use super::set::{ProbeError, TableSet};
use jewel_engine::bitboard::Bitboard;
use jewel_engine::chesslike::{Chess, ChessGame, ChessLike, General, KeyGames, Leapers, RuleSubset};
use jewel_engine::parallel;
use jewel_engine::position::Position;
use jewel_engine::value::{Outcome, Side, Value};
use jewel_engine::zobrist::{MAX_TYPES, splitmix64};
use jewel_tables::error::TableError;
use jewel_tables::reader::Table;
use std::ops::{ControlFlow, RangeInclusive};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use thiserror::Error;

/// How much to check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Check {
    /// About how many positions of a class to compare with their successors; all of them if `None`.
    pub positions: Option<u64>,
    /// How many decided positions of a class to check by a search without tables.
    pub searches: u64,
    /// Chooses the positions.
    pub seed: u64,
}

impl Default for Check {
    /// A million positions and a hundred searches a class.
    fn default() -> Check {
        Check { positions: Some(1_000_000), searches: 100, seed: 0 }
    }
}

/// How many positions were found right.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Checked {
    /// Positions that agree with their successors.
    pub positions: u64,
    /// Positions that agree with a search of all moves to their end.
    pub searches: u64,
}

/// Why a table was not found right.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// The file is damaged.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A successor cannot be looked up.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// A value disagrees with the rules and the values of the successors.
    #[error("{position}: the table says {stored:?}, its successors say {expected:?}")]
    Mismatch {
        /// The position string.
        position: String,
        /// The value in the table.
        stored: Value,
        /// The value by the rules and the tables of the successors.
        expected: Value,
    },
    /// A value disagrees with a search.
    #[error("{position}: the table says {stored:?}, a search of all moves says otherwise")]
    Search {
        /// The position string.
        position: String,
        /// The value in the table.
        stored: Value,
    },
    /// The interrupt flag was set.
    #[error("interrupted")]
    Interrupted,
}

/// Cells that are checked together: their successors are in the same blocks.
const RUN: u64 = 2048;

/// The longest distance in plies of a position that is searched.
const SEARCH_PLIES: u32 = 4;

/// Checks one table of a set: its checksums, then values. `progress` is told how many positions were checked.
///
/// # Errors
/// The first fault found, or an interruption.
pub fn verify(
    tables: &TableSet<'_>,
    table: &Table,
    check: &Check,
    interrupt: &AtomicBool,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Checked, VerifyError> {
    table.verify_checksums()?;
    let job = Job { tables, table, check, interrupt, progress, searched: AtomicU64::new(0) };
    let rules = tables.rules();
    if ChessGame::<Leapers, 4>::new(rules).is_some() {
        job.run::<Leapers, 4>()
    } else if ChessGame::<KeyGames, 8>::new(rules).is_some() {
        job.run::<KeyGames, 8>()
    } else if ChessGame::<Chess, 8>::new(rules).is_some() {
        job.run::<Chess, 8>()
    } else {
        job.run::<General, MAX_TYPES>()
    }
}

struct Job<'a> {
    tables: &'a TableSet<'a>,
    table: &'a Table,
    check: &'a Check,
    interrupt: &'a AtomicBool,
    progress: &'a (dyn Fn(u64) + Sync),
    searched: AtomicU64,
}

impl Job<'_> {
    fn run<S: RuleSubset, const N: usize>(&self) -> Result<Checked, VerifyError> {
        let cells = self.table.index().cells();
        let runs = cells.div_ceil(RUN);
        let wanted = self.check.positions.map_or(runs, |n| n.div_ceil(2 * RUN).min(runs));
        // Runs at even distances; the seed chooses the first.
        let first = if wanted < runs { splitmix64(self.check.seed).1 % runs } else { 0 };
        let run_at = |n: u64| (first + (u128::from(n) * u128::from(runs) / u128::from(wanted)) as u64) % runs;
        let check = |checked: &mut u64, n: usize| {
            if self.interrupt.load(Relaxed) {
                return Err(VerifyError::Interrupted);
            }
            let (run, turn) = (run_at(n as u64 / 2), Side::BOTH[n % 2]);
            let range = run * RUN..cells.min((run + 1) * RUN);
            let positions = self.check_cells::<S, N>(range, turn)?;
            (self.progress)(positions);
            *checked += positions;
            Ok(())
        };
        let checked = parallel::fold(2 * wanted as usize, || 0, check, |a, b| a + b)?;
        Ok(Checked { positions: checked, searches: self.searched.load(Relaxed).min(self.check.searches) })
    }

    fn check_cells<S: RuleSubset, const N: usize>(
        &self,
        cells: std::ops::Range<u64>,
        turn: Side,
    ) -> Result<u64, VerifyError> {
        let mut checked = 0;
        for cell in cells {
            let Some(sets) = self.table.index().position(cell) else { continue };
            let rules = self.tables.rules();
            let groups = &self.table.index().scheme().groups;
            let pieces = groups.iter().zip(&sets).filter_map(|(group, &set)| {
                Some((rules.type_of(char::from(group.letter))?, group.side, Bitboard(set)))
            });
            let position = ChessLike::<S, N>::assemble(rules, turn, pieces);
            // No game leads to such a position.
            if position.in_check(!turn) {
                continue;
            }
            self.check_position(&position)?;
            checked += 1;
        }
        Ok(checked)
    }

    fn check_position<S: RuleSubset, const N: usize>(
        &self,
        position: &ChessLike<'_, S, N>,
    ) -> Result<(), VerifyError> {
        let (outcome, distance) = self.tables.stored(position)?;
        let (stored, expected) = match &distance {
            // The distance must lie between the bounds that are stored.
            Some(range) if !self.table.has_all_distances() => {
                let right = self.is_lost_within(position, range)?;
                let stored = Value::Loss(*range.start());
                (stored, if right { stored } else { self.expected(position)? })
            }
            // An exact value must be the best of the values after the moves.
            Some(range) => (value_of(outcome, *range.start()), self.expected(position)?),
            None => (Value::from_outcome(outcome), Value::from_outcome(self.expected_outcome(position)?)),
        };
        if stored != expected {
            return Err(VerifyError::Mismatch { position: position.to_fen(), stored, expected });
        }
        let near = distance.is_some_and(|range| *range.start() <= SEARCH_PLIES);
        if near && self.searched.load(Relaxed) < self.check.searches {
            let exact = self.tables.probe(position)?;
            if exact.distance().is_some_and(|n| (1..=SEARCH_PLIES).contains(&n)) {
                self.searched.fetch_add(1, Relaxed);
                if !search_agrees(position, exact) {
                    return Err(VerifyError::Search { position: position.to_fen(), stored: exact });
                }
            }
        }
        Ok(())
    }

    /// Whether a position is lost by the rules and its successors, in a number of plies within a range.
    fn is_lost_within<S: RuleSubset, const N: usize>(
        &self,
        position: &ChessLike<'_, S, N>,
        range: &RangeInclusive<u32>,
    ) -> Result<bool, ProbeError> {
        if let Some(outcome) = position.outcome() {
            return Ok(outcome == Outcome::Loss && *range.start() == 0);
        }
        let within = |plies| self.tables.all_lose_within(position, plies);
        Ok(within(*range.end())? && (*range.start() == 0 || !within(*range.start() - 1)?))
    }

    /// The value of a position by the rules and its successors.
    fn expected<S: RuleSubset, const N: usize>(
        &self,
        position: &ChessLike<'_, S, N>,
    ) -> Result<Value, ProbeError> {
        match position.outcome() {
            Some(outcome) => Ok(Value::from_outcome(outcome)),
            None => best_of_successors(position, |p| self.tables.probe(p), Value::before_opponents_turn),
        }
    }

    /// [`expected`](Job::expected) without a distance.
    fn expected_outcome<S: RuleSubset, const N: usize>(
        &self,
        position: &ChessLike<'_, S, N>,
    ) -> Result<Outcome, ProbeError> {
        match position.outcome() {
            Some(outcome) => Ok(outcome),
            None => best_of_successors(position, |p| self.tables.probe_outcome(p), |outcome| !outcome),
        }
    }
}

/// The value with this outcome and distance.
fn value_of(outcome: Outcome, distance: u32) -> Value {
    match outcome {
        Outcome::Win => Value::Win(distance),
        Outcome::Draw => Value::Draw,
        Outcome::Loss => Value::Loss(distance),
    }
}

/// The best of the values after the moves of a position; the game is not over.
fn best_of_successors<'p, S: RuleSubset, const N: usize, V: Ord>(
    position: &ChessLike<'p, S, N>,
    value: impl Fn(&ChessLike<'p, S, N>) -> Result<V, ProbeError>,
    before: impl Fn(V) -> V,
) -> Result<V, ProbeError> {
    let mut best = None;
    let flow = position.moves(|mv| match value(&position.after(mv).without_clock()) {
        Ok(value) => {
            best = best.take().max(Some(before(value)));
            ControlFlow::Continue(())
        }
        Err(error) => ControlFlow::Break(error),
    });
    match flow {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(best.expect("a position that is not over has a move")),
    }
}

/// Whether a search of all moves finds the outcome within the distance and not sooner.
fn search_agrees<S: RuleSubset, const N: usize>(position: &ChessLike<'_, S, N>, value: Value) -> bool {
    let Some(distance) = value.distance() else { return true };
    let outcome = value.outcome();
    decided(position, outcome, distance) && (distance == 0 || !decided(position, outcome, distance - 1))
}

/// Whether the side to move has a forced win, or loss, within `plies` plies; no counter runs on the way.
fn decided<S: RuleSubset, const N: usize>(
    position: &ChessLike<'_, S, N>,
    outcome: Outcome,
    plies: u32,
) -> bool {
    if let Some(over) = position.outcome() {
        return over == outcome;
    }
    if plies == 0 {
        return false;
    }
    // One move that wins is enough; in a lost position every move loses.
    let wins = outcome == Outcome::Win;
    let stopped = position.moves(|mv| {
        if decided(&position.after(mv).without_clock(), !outcome, plies - 1) == wins {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    stopped.is_break() == wins
}
