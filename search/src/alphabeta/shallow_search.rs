//! A search of a few plies, by which Monte Carlo tree search evaluates its leaves.

use super::features::Features;
use super::lazy_state::LazyState;
use super::node::Node;
use super::options::Options;
use super::params::SearchParams;
use super::worker::{INFINITE, Worker};
use crate::control::{Allowance, Deadline, Stop};
use crate::evaluate::Evaluate;
use crate::limits::Limits;
use crate::score::Score;
use crate::tt::TranspositionTable;
use jewel_engine::ability::Probe;
use jewel_engine::tactics::Tactics;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// Nodes of one search after which quiescence search gives positions their static evaluation. In the games of this
/// repository one search in ten thousand needs more; where many pieces can capture one another there would be no end.
const QUIESCENCE_NODES: u64 = 2000;

/// Searches a fixed number of plies ahead, with quiescence search behind them. Several threads may ask at once: each
/// gets a worker of its own, and all share a transposition table.
///
/// A position that an [`Allowance`] leaves no time or nodes for has its static evaluation.
#[derive(Debug)]
pub struct ShallowSearch<P: Tactics, E: Evaluate<P>, T> {
    evaluation: E,
    tables: Arc<T>,
    tt: Arc<TranspositionTable>,
    options: Options,
    depth: i32,
    idle: Mutex<Vec<Worker<P, E, T>>>,
    nodes: AtomicU64,
}

impl<P: Tactics, E: Evaluate<P>, T: Probe<P>> ShallowSearch<P, E, T> {
    /// A search `depth` plies ahead with a transposition table of `hash` mebibytes; `None` if the memory for it is not
    /// available.
    pub fn new(evaluation: E, tables: T, hash: usize, params: SearchParams, depth: u32) -> Option<Self> {
        let options = Options { hash, threads: 1, features: Features::ALL, params };
        Some(ShallowSearch {
            evaluation,
            tables: Arc::new(tables),
            tt: Arc::new(TranspositionTable::new(hash, 1)?),
            options,
            depth: i32::try_from(depth).unwrap_or(i32::MAX),
            idle: Mutex::default(),
            nodes: AtomicU64::new(0),
        })
    }

    /// Positions searched since the search was made.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Relaxed)
    }

    /// Clears the transposition table and what the workers have learnt.
    pub fn forget(&self) {
        self.tt.clear(1);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Calls `ask` with a function that gives the score of a position for the side to move there; together, the
    /// searches spend no more than the allowance.
    pub fn with_worker<R>(
        &self,
        allowance: &mut Allowance,
        ask: impl FnOnce(&mut dyn FnMut(&P) -> Score) -> R,
    ) -> R {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut worker = idle.unwrap_or_else(|| self.worker());
        let answer = ask(&mut |position| self.score(&mut worker, position, allowance));
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
        answer
    }

    fn worker(&self) -> Worker<P, E, T> {
        let sharing = self.options.params.sharing();
        let forever = Deadline::new(&Limits::<()>::default(), &Stop::new(), u32::MAX, sharing);
        Worker::new(0, self.tt.clone(), self.evaluation.clone(), self.tables.clone(), &self.options, forever)
    }

    fn score(&self, worker: &mut Worker<P, E, T>, position: &P, allowance: &mut Allowance) -> Score {
        worker.begin_shallow(position, allowance.nodes(), QUIESCENCE_NODES);
        let entry = self.tt.probe(position.zobrist_hash());
        let known = entry.and_then(|entry| worker.tt_cutoff(&entry, self.depth, -INFINITE, INFINITE, 0));
        if let Some(raw) = known {
            return Score::from_raw(raw);
        }
        let state = LazyState::known(self.evaluation.begin(position));
        let node = Node { alpha: -INFINITE, beta: INFINITE, depth: self.depth, ply: 0, cut: false };
        // The end of the whole search is the end of this one.
        std::mem::swap(&mut worker.deadline, allowance.deadline());
        let raw = worker.search::<true>(position, &state, position.threatened(), node);
        std::mem::swap(&mut worker.deadline, allowance.deadline());
        allowance.spend(worker.nodes);
        self.nodes.fetch_add(worker.nodes, Relaxed);
        if !worker.stopped {
            return Score::from_raw(raw);
        }
        match position.outcome() {
            Some(outcome) => outcome.into(),
            None => Score::centipawns(self.evaluation.evaluate(position, state.state(&self.evaluation))),
        }
    }
}
