//! Checking tables by the rules: the moves, results and positions here are the rules engine's, and values are looked up by
//! position as everybody does. Nothing is shared with what built the tables.

use super::set::{ProbeError, TableSet};
use jewel_engine::bitboard::Bitboard;
use jewel_engine::chesslike::{Chess, ChessGame, ChessLike, Convergence, General, Leapers, Shape};
use jewel_engine::position::Position;
use jewel_engine::value::{Outcome, Side, Value};
use jewel_engine::zobrist::{MAX_TYPES, splitmix64};
use jewel_tables::error::TableError;
use jewel_tables::reader::Table;
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use thiserror::Error;

/// How much to check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Check {
    /// Positions of a class to compare with their successors, about; all of them if `None`.
    pub positions: Option<u64>,
    /// Decided positions of a class to search forward from, without tables.
    pub searches: u64,
    /// Which positions.
    pub seed: u64,
}

impl Default for Check {
    /// A million positions and a hundred searches a class.
    fn default() -> Check {
        Check { positions: Some(1_000_000), searches: 100, seed: 0 }
    }
}

/// What was checked and found right.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Checked {
    /// Positions that agree with their successors.
    pub positions: u64,
    /// Positions that agree with a search of all moves to their end.
    pub searches: u64,
}

/// Why a table is not right.
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
        /// What the table says.
        stored: Value,
        /// What follows from the rules and the tables of the successors.
        expected: Value,
    },
    /// A value disagrees with a search.
    #[error("{position}: the table says {stored:?}, a search of all moves says otherwise")]
    Search {
        /// The position string.
        position: String,
        /// What the table says.
        stored: Value,
    },
    /// The interrupt flag was set.
    #[error("interrupted")]
    Interrupted,
}

/// Cells that are checked together: neighbours have neighbouring successors, which are in the same blocks.
const RUN: u64 = 2048;

/// Longest distance in plies of a position that is searched.
const SEARCH_PLIES: u32 = 4;

/// Checks one table of a set: its checksums, then values. `progress` hears how many positions were dealt with.
///
/// # Errors
/// The first fault found, or that it was interrupted.
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
    } else if ChessGame::<Convergence, 8>::new(rules).is_some() {
        job.run::<Convergence, 8>()
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
    fn run<S: Shape, const N: usize>(&self) -> Result<Checked, VerifyError> {
        let cells = self.table.index().cells();
        let runs = cells.div_ceil(RUN);
        let wanted = self.check.positions.map_or(runs, |n| n.div_ceil(2 * RUN).min(runs));
        // Runs at even distances, from a place that the seed chooses.
        let first = if wanted < runs { splitmix64(self.check.seed).1 % runs } else { 0 };
        let run_at = |n: u64| (first + (u128::from(n) * u128::from(runs) / u128::from(wanted)) as u64) % runs;
        let checked = (0..2 * wanted)
            .into_par_iter()
            .map(|n| {
                if self.interrupt.load(Relaxed) {
                    return Err(VerifyError::Interrupted);
                }
                let (run, turn) = (run_at(n / 2), Side::BOTH[(n % 2) as usize]);
                let range = run * RUN..cells.min((run + 1) * RUN);
                let positions = self.check_cells::<S, N>(range, turn)?;
                (self.progress)(positions);
                Ok(positions)
            })
            .try_reduce(|| 0, |a, b| Ok(a + b))?;
        Ok(Checked { positions: checked, searches: self.searched.load(Relaxed).min(self.check.searches) })
    }

    fn check_cells<S: Shape, const N: usize>(
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
            // No such position can come about.
            if position.in_check(!turn) {
                continue;
            }
            self.check_position(&position)?;
            checked += 1;
        }
        Ok(checked)
    }

    fn check_position<S: Shape, const N: usize>(
        &self,
        position: &ChessLike<'_, S, N>,
    ) -> Result<(), VerifyError> {
        let stored = self.tables.stored(position)?;
        let expected = match position.outcome() {
            Some(outcome) => Value::of_outcome(outcome),
            None => self.best_of_successors(position)?,
        };
        let agree = stored.map_or_else(|outcome| outcome == expected.outcome(), |value| value == expected);
        // A distance that is not stored is what its successors' make it, by the rules.
        let stored = stored.unwrap_or_else(|outcome| match expected {
            value if agree => value,
            _ => Value::of_outcome(outcome),
        });
        if !agree {
            return Err(VerifyError::Mismatch { position: position.to_fen(), stored, expected });
        }
        let near = stored.distance().is_some_and(|n| (1..=SEARCH_PLIES).contains(&n));
        if near && self.searched.load(Relaxed) < self.check.searches {
            self.searched.fetch_add(1, Relaxed);
            if !search_agrees(position, stored) {
                return Err(VerifyError::Search { position: position.to_fen(), stored });
            }
        }
        Ok(())
    }

    /// The best of the values after each move.
    fn best_of_successors<S: Shape, const N: usize>(
        &self,
        position: &ChessLike<'_, S, N>,
    ) -> Result<Value, ProbeError> {
        let mut best = None;
        let flow = position.moves(|mv| match self.tables.probe(&position.after(mv)) {
            Ok(value) => {
                best = best.max(Some(value.before_opponents_turn()));
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(error),
        });
        match flow {
            ControlFlow::Break(error) => Err(error),
            ControlFlow::Continue(()) => Ok(best.unwrap_or(Value::Draw)),
        }
    }
}

/// Whether a search of all moves finds the outcome within the distance and not sooner.
fn search_agrees<P: Position>(position: &P, value: Value) -> bool {
    let Some(distance) = value.distance() else { return true };
    let outcome = value.outcome();
    decided(position, outcome, distance) && (distance == 0 || !decided(position, outcome, distance - 1))
}

/// Whether the side to move has a forced win, or loss, that ends within so many plies.
fn decided<P: Position>(position: &P, outcome: Outcome, plies: u32) -> bool {
    if let Some(over) = position.outcome() {
        return over == outcome;
    }
    if plies == 0 {
        return false;
    }
    // One move that wins is enough; a loss is a loss after every move.
    let wins = outcome == Outcome::Win;
    let stopped = position.moves(|mv| {
        if decided(&position.after(mv), !outcome, plies - 1) == wins {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    stopped.is_break() == wins
}
