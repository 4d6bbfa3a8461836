//! The graph of all positions that can be reached from a root: positions numbered in breadth-first order, and the moves
//! between them.
//!
//! [`Graph`] makes the moves of the game; all work on keys and numbers is in `KeyGraph`, which is compiled once for each
//! width of keys and not for each game.

use crate::control::{Control, MAX_MOVES, Phase, Progress, Stop, check};
use crate::predecessors::Predecessors;
use crate::propagate::{self, PackedValue};
use crate::solution::Solution;
use crate::store::{KeyStore, Meta, NONE};
use crate::successors::{BLOCK, SuccessorLists};
use jewel_engine::ability::{Packed, PackedKey};
use jewel_engine::value::Side;
use rayon::prelude::*;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::AtomicBool;

/// The reachable part of a game, as far as it has been enumerated.
///
/// Positions are numbered in the order in which a breadth-first search from the root finds them, with moves in the order of
/// [`moves`](jewel_engine::position::Position::moves). The numbers do not depend on the number of threads, nor on where
/// limits stopped the search.
///
/// `K` must have at least the root's [`packed_bits`](Packed::packed_bits).
#[derive(Debug)]
pub struct Graph<P, K> {
    pub(crate) root: P,
    pub(crate) keys: KeyGraph<K>,
}

/// The keys of the positions found so far, and the moves between them.
#[derive(Debug)]
pub(crate) struct KeyGraph<K> {
    pub(crate) positions: KeyStore<K>,
    pub(crate) successors: SuccessorLists,
}

/// Appends the keys of the successors of a position, and returns its side to move or how the game ended there.
type Successors<'a, K> = &'a (dyn Fn(K, &mut Vec<K>) -> Node + Sync);

/// A position without its successors.
pub(crate) enum Node {
    /// The game is over.
    Finished(Meta),
    /// This side is to move.
    Open(Side),
}

/// Blocks for each thread that are expanded before their new positions get numbers. With more, the threads would share the
/// work more evenly, but more positions would be new several times.
const BATCH: usize = 4;

/// The successors of a range of positions, before the new ones among them have numbers.
struct Expansion<K> {
    meta: Vec<Meta>,
    /// Numbers, or [`NONE`] for a position that was not known when the range was expanded.
    edges: Vec<u32>,
    /// The keys of those that are [`NONE`], in order.
    new: Vec<K>,
}

impl<P: Packed, K: PackedKey> Graph<P, K> {
    /// A graph of the root alone.
    ///
    /// # Panics
    /// If `K` is too narrow for the root.
    pub fn new(root: P) -> Self {
        Graph { root, keys: KeyGraph::new() }
    }

    /// The position from which everything else is reached.
    pub fn root(&self) -> &P {
        &self.root
    }

    /// Positions found so far.
    pub fn positions(&self) -> u64 {
        self.keys.found()
    }

    /// Positions whose successors are all found; all of them when the graph is complete.
    pub fn expanded(&self) -> u64 {
        self.keys.expanded()
    }

    /// Moves from the expanded positions.
    pub fn edges(&self) -> u64 {
        self.keys.successors.edge_count
    }

    /// Whether every position that can be reached has been found.
    pub fn is_complete(&self) -> bool {
        self.keys.is_complete()
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        self.keys.bytes()
    }

    /// Finds every position that can be reached, on the threads of the current rayon pool.
    ///
    /// # Errors
    /// What stopped it. The positions found so far stay: call again with larger limits, or [save](crate::state::save) the
    /// graph.
    pub fn enumerate(&mut self, control: &mut Control<'_>) -> Result<(), Stop> {
        let root = &self.root;
        let successors = |key: K, keys: &mut Vec<K>| {
            let position = root.unpack(key);
            let side = position.side_to_move();
            if let Some(outcome) = position.outcome() {
                return Node::Finished(Meta::finished(side, outcome));
            }
            let _: ControlFlow<()> = position.moves(|mv| {
                keys.push(position.after(mv).pack());
                ControlFlow::Continue(())
            });
            Node::Open(side)
        };
        self.keys.enumerate(root.pack(), &successors, control)
    }

    /// Finds the value of every position, on the threads of the current rayon pool.
    ///
    /// The graph must be [complete](Graph::is_complete).
    ///
    /// # Errors
    /// What stopped it; the graph is as before. The limit on memory is checked first.
    ///
    /// # Panics
    /// If the graph is not complete.
    pub fn solve(&mut self, control: &mut Control<'_>) -> Result<Solution<P, K>, Stop> {
        let values = self.keys.solve(control)?;
        let KeyGraph { positions, successors } = std::mem::replace(&mut self.keys, KeyGraph::new());
        Ok(Solution::new(self.root.clone(), positions, values, successors.edge_count))
    }

    /// Bytes that [`solve`](Graph::solve) takes in all, with those in use.
    pub fn bytes_to_solve(&self) -> u64 {
        self.keys.bytes_to_solve()
    }
}

impl<K: PackedKey> KeyGraph<K> {
    pub(crate) fn new() -> KeyGraph<K> {
        KeyGraph { positions: KeyStore::new(), successors: SuccessorLists::new() }
    }

    /// Positions found.
    pub(crate) fn found(&self) -> u64 {
        self.positions.len() as u64
    }

    /// Positions whose successors are found.
    pub(crate) fn expanded(&self) -> u64 {
        self.successors.meta.len() as u64
    }

    fn is_complete(&self) -> bool {
        self.positions.len() > 0 && self.successors.meta.len() == self.positions.len()
    }

    fn bytes(&self) -> u64 {
        self.positions.bytes() + self.successors.bytes()
    }

    fn enumerate(
        &mut self,
        root: K,
        successors: Successors<'_, K>,
        control: &mut Control<'_>,
    ) -> Result<(), Stop> {
        self.reserve(1, 0, 0, control)?;
        let max_positions = control.limits().max_positions as usize;
        self.positions.find_or_add(root, max_positions).ok_or(Stop::Positions { limit: 0 })?;
        while !self.is_complete() {
            control.check_interrupt()?;
            let ranges = self.next_batch();
            let interrupt = control.interrupt();
            let expansions: Vec<Result<Expansion<K>, Stop>> =
                ranges.into_par_iter().map(|range| self.expand(range, successors, interrupt)).collect();
            for expansion in expansions {
                self.commit(expansion?, control)?;
            }
            control.report(self.progress(Phase::Enumerate, self.expanded()));
        }
        Ok(())
    }

    fn progress(&self, phase: Phase, done: u64) -> Progress {
        let memory = if phase == Phase::Enumerate { self.bytes() } else { self.bytes_to_solve() };
        Progress { phase, done, known: self.found(), memory }
    }

    /// The next positions to expand, divided into blocks.
    fn next_batch(&self) -> Vec<Range<usize>> {
        let (first, last) = (self.successors.meta.len(), self.positions.len());
        let batch = BATCH * rayon::current_num_threads();
        let end = last.min((first / BLOCK + batch) * BLOCK);
        let mut ranges = Vec::new();
        let mut start = first;
        while start < end {
            let stop = end.min((start / BLOCK + 1) * BLOCK);
            ranges.push(start..stop);
            start = stop;
        }
        ranges
    }

    /// Makes the moves of a range of positions.
    fn expand(
        &self,
        range: Range<usize>,
        successors: Successors<'_, K>,
        interrupt: &AtomicBool,
    ) -> Result<Expansion<K>, Stop> {
        check(interrupt)?;
        let mut meta = Vec::with_capacity(range.len());
        let mut keys: Vec<K> = Vec::with_capacity(range.len() * 8);
        for id in range {
            let before = keys.len();
            meta.push(match successors(self.positions.key(id as u32), &mut keys) {
                Node::Finished(meta) => meta,
                Node::Open(side) => {
                    let degree = keys.len() - before;
                    if degree > MAX_MOVES {
                        return Err(Stop::Moves { moves: degree });
                    }
                    Meta::open(side, degree)
                }
            });
        }
        let mut edges = Vec::with_capacity(keys.len());
        self.positions.find_all(&keys, &mut edges);
        let new = keys.iter().zip(&edges).filter(|(_, id)| **id == NONE).map(|(key, _)| *key).collect();
        Ok(Expansion { meta, edges, new })
    }

    /// Bytes in use once there is room for this number of new positions, expanded positions and moves.
    pub(crate) fn bytes_with(&self, new: usize, metas: usize, edges: u64) -> u64 {
        self.positions.bytes_with(new) + self.successors.bytes_with(metas, edges)
    }

    /// Makes room for this number of new positions, expanded positions and moves, if the limit allows.
    fn reserve(&mut self, new: usize, metas: usize, edges: usize, control: &Control<'_>) -> Result<(), Stop> {
        control.check_memory(self.bytes_with(new, metas, edges as u64))?;
        self.positions.reserve(new)?;
        self.successors.meta.reserve(metas)
    }

    /// Numbers the new positions of an expansion and keeps its moves. If there are too many positions, it stops at the first
    /// that has no room. Those before it stay, so that the numbers are the same when the search is resumed.
    fn commit(&mut self, expansion: Expansion<K>, control: &Control<'_>) -> Result<(), Stop> {
        let Expansion { meta, mut edges, new } = expansion;
        self.reserve(new.len(), meta.len(), edges.len(), control)?;
        let limit = control.limits().max_positions;
        let mut new = new.into_iter();
        let (mut done, mut kept, mut full) = (0, 0, false);
        'positions: for meta in &meta {
            for edge in &mut edges[kept..kept + meta.degree()] {
                if *edge == NONE {
                    let id = new.next().and_then(|key| self.positions.find_or_add(key, limit as usize));
                    let Some(id) = id else {
                        full = true;
                        break 'positions;
                    };
                    *edge = id;
                }
            }
            kept += meta.degree();
            done += 1;
        }
        edges.truncate(kept);
        self.successors.keep(&meta[..done], edges)?;
        if full { Err(Stop::Positions { limit }) } else { Ok(()) }
    }

    fn solve(&self, control: &mut Control<'_>) -> Result<Vec<PackedValue>, Stop> {
        assert!(self.is_complete(), "only a complete graph can be solved");
        control.check_memory(self.bytes_to_solve())?;
        control.report(self.progress(Phase::Link, 0));
        let predecessors = Predecessors::new(&self.successors, control)?;
        propagate::propagate(&self.successors, &predecessors, self.progress(Phase::Propagate, 0), control)
    }

    fn bytes_to_solve(&self) -> u64 {
        self.bytes()
            + Predecessors::bytes(self.found(), self.successors.edge_count)
            + propagate::bytes_per_position() * self.found()
    }
}
