//! Everything that can be reached from a root: positions numbered in breadth-first order, and the moves
//! between them.

use crate::control::{Control, Phase, Progress, Stop, check};
use crate::propagate;
use crate::reverse::Reverse;
use crate::solution::Solution;
use crate::store::{KeyStore, MAX_DEGREE, Meta, NONE, Segments};
use jewel_engine::ability::{Packed, PackedKey};
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
    pub(crate) positions: KeyStore<K>,
    /// Of the expanded positions.
    pub(crate) meta: Segments<Meta>,
    /// Successors of the expanded positions in order, [`BLOCK`] positions a block.
    pub(crate) edges: Vec<Vec<u32>>,
    pub(crate) edge_count: u64,
    edge_bytes: u64,
}

/// Positions whose successors are kept in one piece, and that a thread expands at a time.
pub(crate) const BLOCK: usize = 1 << 10;
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
        Graph {
            root,
            positions: KeyStore::new(),
            meta: Segments::new(),
            edges: Vec::new(),
            edge_count: 0,
            edge_bytes: 0,
        }
    }

    /// The position from which everything else is reached.
    pub fn root(&self) -> &P {
        &self.root
    }

    /// Positions found so far.
    pub fn positions(&self) -> u64 {
        self.positions.len() as u64
    }

    /// Positions whose successors are all found: the graph is complete when they are as many as
    /// [`positions`](Graph::positions).
    pub fn expanded(&self) -> u64 {
        self.meta.len() as u64
    }

    /// Moves from the expanded positions.
    pub fn edges(&self) -> u64 {
        self.edge_count
    }

    /// Whether everything that can be reached has been found.
    pub fn is_complete(&self) -> bool {
        self.positions.len() > 0 && self.meta.len() == self.positions.len()
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        self.positions.bytes() + self.meta.bytes() + self.edge_bytes
    }

    /// Finds everything that can be reached, on the threads of the current rayon pool.
    ///
    /// # Errors
    /// What stopped it. The graph is as good as before and has grown: call again with larger limits, or
    /// [save](crate::state::save) it.
    pub fn enumerate(&mut self, control: &mut Control<'_>) -> Result<(), Stop> {
        self.reserve(1, 0, 0, control)?;
        let root = self.root.pack();
        let max_positions = control.limits().max_positions as usize;
        self.positions.find_or_add(root, max_positions).ok_or(Stop::Positions { limit: 0 })?;
        while !self.is_complete() {
            control.check_interrupt()?;
            let ranges = self.next_batch();
            let interrupt = control.interrupt();
            let expansions: Vec<Result<Expansion<K>, Stop>> =
                ranges.into_par_iter().map(|range| self.expand(range, interrupt)).collect();
            for expansion in expansions {
                self.commit(expansion?, control)?;
            }
            control.report(self.progress(Phase::Enumerate, self.expanded()));
        }
        Ok(())
    }

    pub(crate) fn progress(&self, phase: Phase, done: u64) -> Progress {
        let memory = if phase == Phase::Enumerate { self.bytes() } else { self.bytes_to_solve() };
        Progress { phase, done, known: self.positions(), memory }
    }

    /// The next positions to expand, cut at the borders of blocks.
    fn next_batch(&self) -> Vec<Range<usize>> {
        let (first, last) = (self.meta.len(), self.positions.len());
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

    fn expand(&self, range: Range<usize>, interrupt: &AtomicBool) -> Result<Expansion<K>, Stop> {
        check(interrupt)?;
        let mut meta = Vec::with_capacity(range.len());
        let mut successors: Vec<K> = Vec::with_capacity(range.len() * 8);
        for id in range {
            let position = self.root.unpack(self.positions.key(id as u32));
            let side = position.side_to_move();
            if let Some(outcome) = position.outcome() {
                meta.push(Meta::finished(side, outcome));
                continue;
            }
            let before = successors.len();
            let _: ControlFlow<()> = position.moves(|mv| {
                successors.push(position.after(mv).pack());
                ControlFlow::Continue(())
            });
            let degree = successors.len() - before;
            if degree > MAX_DEGREE {
                return Err(Stop::Moves { moves: degree });
            }
            meta.push(Meta::open(side, degree));
        }
        let mut edges = Vec::with_capacity(successors.len());
        self.positions.find_all(&successors, &mut edges);
        let new = successors.iter().zip(&edges).filter(|(_, id)| **id == NONE).map(|(key, _)| *key).collect();
        Ok(Expansion { meta, edges, new })
    }

    /// Bytes in use once there is room for so many new positions, expanded positions and moves.
    pub(crate) fn bytes_with(&self, new: usize, metas: usize, edges: u64) -> u64 {
        self.positions.bytes_with(new) + self.meta.bytes_with(metas) + self.edge_bytes + 4 * edges
    }

    /// Makes room for so many new positions, expanded positions and moves, if the limit allows.
    fn reserve(&mut self, new: usize, metas: usize, edges: usize, control: &Control<'_>) -> Result<(), Stop> {
        control.check_memory(self.bytes_with(new, metas, edges as u64))?;
        self.positions.reserve(new)?;
        self.meta.reserve(metas)
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
        self.keep(&meta[..done], edges)?;
        if full { Err(Stop::Positions { limit }) } else { Ok(()) }
    }

    /// Keeps the moves of the next positions, which belong to one block; there is room for the meta data.
    pub(crate) fn keep(&mut self, meta: &[Meta], mut edges: Vec<u32>) -> Result<(), Stop> {
        let added = edges.len() as u64;
        if self.meta.len().is_multiple_of(BLOCK) {
            if !meta.is_empty() {
                edges.shrink_to_fit();
                self.edge_bytes += 4 * edges.capacity() as u64;
                self.edges.push(edges);
            }
        } else if let Some(block) = self.edges.last_mut() {
            let before = block.capacity() as u64;
            block
                .try_reserve_exact(edges.len())
                .map_err(|_| Stop::Allocation { bytes: 4 * edges.len() as u64 })?;
            block.append(&mut edges);
            self.edge_bytes += 4 * (block.capacity() as u64 - before);
        }
        self.edge_count += added;
        for meta in meta {
            self.meta.push(*meta);
        }
        Ok(())
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
        assert!(self.is_complete(), "only a complete graph can be solved");
        control.check_memory(self.bytes_to_solve())?;
        control.report(self.progress(Phase::Link, 0));
        let reverse = Reverse::new(self, control)?;
        let values = propagate::propagate(self, &reverse, control)?;
        drop(reverse);
        let root = self.root.clone();
        let done = std::mem::replace(self, Graph::new(root));
        Ok(Solution::new(done.root, done.positions, values, done.edge_count))
    }

    /// Bytes that [`solve`](Graph::solve) takes in all, those in use included.
    pub fn bytes_to_solve(&self) -> u64 {
        self.bytes()
            + Reverse::bytes(self.positions(), self.edge_count)
            + propagate::bytes_per_position() * self.positions()
    }

    /// The successors of all positions, in order: number, meta data and list.
    pub(crate) fn lists(&self) -> impl Iterator<Item = (u32, Meta, &[u32])> {
        let mut left: &[u32] = &[];
        self.meta.iter().enumerate().map(move |(id, meta)| {
            if id % BLOCK == 0 {
                left = &self.edges[id / BLOCK];
            }
            let (list, rest) = left.split_at(meta.degree());
            left = rest;
            (id as u32, meta, list)
        })
    }
}
