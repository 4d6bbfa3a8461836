//! Exact values to learn from: those of endgame tables, or of a game that is small enough to be solved.

use jewel_engine::ability::{Packed, Probe};
use jewel_engine::tactics::Pieces;
use jewel_engine::value::Value;
use jewel_players::support::memory;
use jewel_solver::control::{Control, Limits};
use jewel_solver::graph::Graph;
use jewel_solver::tablebase::TableSet;
use std::sync::atomic::AtomicBool;

/// The most positions of a game that is solved for a lesson, for each second of it and in all: about a hundredth of its
/// time, and 300 MB.
const POSITIONS_A_SECOND: f64 = 4000.0;
const MAX_POSITIONS: u64 = 2_000_000;

/// The value of every position of a game.
pub(super) type Solved<P> = Box<dyn Fn(&P) -> Option<Value> + Send + Sync>;

/// Where exact values come from, if from anywhere.
pub(super) enum Exact<P> {
    Tables(TableSet<'static>),
    Solved(Solved<P>),
    Nothing,
}

impl<P> Exact<P> {
    pub(super) fn new(tables: Option<TableSet<'static>>, solved: Option<Solved<P>>) -> Exact<P> {
        match (tables, solved) {
            (Some(tables), _) => Exact::Tables(tables),
            (None, Some(solved)) => Exact::Solved(solved),
            (None, None) => Exact::Nothing,
        }
    }

    /// Whether there are any.
    pub(super) fn is_some(&self) -> bool {
        !matches!(self, Exact::Nothing)
    }

    /// Where they come from, in words.
    pub(super) fn source(&self) -> Option<&'static str> {
        match self {
            Exact::Tables(_) => Some("endgame tables"),
            Exact::Solved(_) => Some("the solved game"),
            Exact::Nothing => None,
        }
    }
}

impl<P: Pieces> Exact<P>
where
    TableSet<'static>: Probe<P>,
{
    /// The exact value of a position, if it is known.
    pub(super) fn value(&self, position: &P) -> Option<Value> {
        match self {
            Exact::Tables(tables) => Probe::probe(tables, position),
            Exact::Solved(value) => value(position),
            Exact::Nothing => None,
        }
    }
}

/// Solves the game from its start position for a lesson of so many seconds, if no more positions can be reached than
/// it has time for.
pub(super) fn solve_small<P>(start: &P, seconds: f64, interrupt: &AtomicBool) -> Option<Solved<P>>
where
    P: Packed + 'static,
{
    let max_positions = ((seconds * POSITIONS_A_SECOND) as u64).min(MAX_POSITIONS);
    let limits = Limits { max_positions, memory: memory::limit(None).min(2 << 30) };
    let mut silent = |_| ();
    let mut control = Control::new(limits, interrupt, &mut silent);
    let mut graph = Graph::new(start.clone()).ok()?;
    let solution = graph.enumerate(&mut control).and_then(|()| graph.solve(&mut control)).ok()?;
    Some(Box::new(move |position| solution.value(position)))
}
