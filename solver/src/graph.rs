//! Everything that can be reached from a root: positions numbered in breadth-first order, and the moves
//! between them.
//!
//! [`Graph`] knows the game, and hardly anything else: what it does with keys and numbers is `Reach`, which is
//! compiled once for a width of keys and not for each game.

use crate::control::{Control, Phase, Progress, Stop, check};
use crate::links::{BLOCK, Links};
use crate::propagate::{self, Word};
use crate::reverse::Reverse;
use crate::solution::Solution;
use crate::store::{KeyStore, MAX_DEGREE, Meta, NONE};
use jewel_engine::ability::{Packed, PackedKey};
use jewel_engine::value::Side;
use rayon::prelude::*;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::AtomicBool;

/// The reachable part of a game, as far as it has been enumerated.
///
/// Positions are numbered in the order in which a breadth-first walk from the root meets them, moves in
/// the order of [`moves`](jewel_engine::position::Position::moves). The numbers depend on nothing else: not on threads, and not on where
/// limits stopped the walk on its way.
///
/// `K` must have at least the root's [`packed_bits`](Packed::packed_bits).
#[derive(Debug)]
pub struct Graph<P, K> {
    pub(crate) root: P,
    pub(crate) reach: Reach<K>,
}

/// The keys of the positions that were found, and the moves between them.
#[derive(Debug)]
pub(crate) struct Reach<K> {
    pub(crate) positions: KeyStore<K>,
    pub(crate) links: Links,
}

/// Adds the keys of the successors of a position, and tells who moves in it or how it ended.
type Successors<'a, K> = &'a (dyn Fn(K, &mut Vec<K>) -> Node + Sync);

/// What a position is, apart from its successors.
pub(crate) enum Node {
    /// The game is over.
    Finished(Meta),
    /// This side is to move.
    Open(Side),
}

/// Blocks a thread that are expanded before their new positions get numbers. More would be evener work for
/// the threads, but more positions would be new several times.
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
    /// The graph of nothing but its root.
    ///
    /// # Panics
    /// If `K` is too narrow for the root.
    pub fn new(root: P) -> Self {
        Graph { root, reach: Reach::new() }
    }

    /// The position from which everything else is reached.
    pub fn root(&self) -> &P {
        &self.root
    }

    /// Positions found so far.
    pub fn positions(&self) -> u64 {
        self.reach.found()
    }

    /// Positions whose successors are all found: the graph is complete when they are as many as
    /// [`positions`](Graph::positions).
    pub fn expanded(&self) -> u64 {
        self.reach.expanded()
    }

    /// Moves from the expanded positions.
    pub fn edges(&self) -> u64 {
        self.reach.links.edge_count
    }

    /// Whether everything that can be reached has been found.
    pub fn is_complete(&self) -> bool {
        self.reach.is_complete()
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        self.reach.bytes()
    }

    /// Finds everything that can be reached, on the threads of the current rayon pool.
    ///
    /// # Errors
    /// What stopped it. The graph is as good as before and has grown: call again with larger limits, or
    /// [save](crate::state::save) it.
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
        self.reach.enumerate(root.pack(), &successors, control)
    }

    /// Decides every position, on the threads of the current rayon pool.
    ///
    /// The graph must be [complete](Graph::is_complete).
    ///
    /// # Errors
    /// What stopped it; the graph is as before. A limit on memory is checked before anything is done.
    ///
    /// # Panics
    /// If the graph is not complete.
    pub fn solve(&mut self, control: &mut Control<'_>) -> Result<Solution<P, K>, Stop> {
        let values = self.reach.solve(control)?;
        let Reach { positions, links } = std::mem::replace(&mut self.reach, Reach::new());
        Ok(Solution::new(self.root.clone(), positions, values, links.edge_count))
    }

    /// Bytes that [`solve`](Graph::solve) takes in all, those in use included.
    pub fn bytes_to_solve(&self) -> u64 {
        self.reach.bytes_to_solve()
    }
}

impl<K: PackedKey> Reach<K> {
    pub(crate) fn new() -> Reach<K> {
        Reach { positions: KeyStore::new(), links: Links::new() }
    }

    /// Positions found.
    pub(crate) fn found(&self) -> u64 {
        self.positions.len() as u64
    }

    /// Positions whose successors are found.
    pub(crate) fn expanded(&self) -> u64 {
        self.links.meta.len() as u64
    }

    fn is_complete(&self) -> bool {
        self.positions.len() > 0 && self.links.meta.len() == self.positions.len()
    }

    fn bytes(&self) -> u64 {
        self.positions.bytes() + self.links.bytes()
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

    /// The next positions to expand, cut at the borders of blocks.
    fn next_batch(&self) -> Vec<Range<usize>> {
        let (first, last) = (self.links.meta.len(), self.positions.len());
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
                    if degree > MAX_DEGREE {
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

    /// Bytes in use once there is room for so many new positions, expanded positions and moves.
    pub(crate) fn bytes_with(&self, new: usize, metas: usize, edges: u64) -> u64 {
        self.positions.bytes_with(new) + self.links.bytes_with(metas, edges)
    }

    /// Makes room for so many new positions, expanded positions and moves, if the limit allows.
    fn reserve(&mut self, new: usize, metas: usize, edges: usize, control: &Control<'_>) -> Result<(), Stop> {
        control.check_memory(self.bytes_with(new, metas, edges as u64))?;
        self.positions.reserve(new)?;
        self.links.meta.reserve(metas)
    }

    /// Numbers the new positions of an expansion and keeps its moves. Where there are too many positions,
    /// it stops at the first that has no place: those found before it stay, and they get the same numbers
    /// when the walk is resumed.
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
        self.links.keep(&meta[..done], edges)?;
        if full { Err(Stop::Positions { limit }) } else { Ok(()) }
    }

    fn solve(&self, control: &mut Control<'_>) -> Result<Vec<Word>, Stop> {
        assert!(self.is_complete(), "only a complete graph can be solved");
        control.check_memory(self.bytes_to_solve())?;
        control.report(self.progress(Phase::Link, 0));
        let reverse = Reverse::new(&self.links, control)?;
        propagate::propagate(&self.links, &reverse, self.progress(Phase::Propagate, 0), control)
    }

    fn bytes_to_solve(&self) -> u64 {
        self.bytes()
            + Reverse::bytes(self.found(), self.links.edge_count)
            + propagate::bytes_per_position() * self.found()
    }
}
