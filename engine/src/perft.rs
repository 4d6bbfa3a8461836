//! Counting move sequences: the test of move generation, and its benchmark.

use crate::position::{Position, list_moves};
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of move sequences of `depth` plies. The last ply is counted without being played.
///
/// A finished game has no further moves; repetition and adjudicated draws are ignored, as is usual.
pub fn perft<P: Position>(position: &P, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_moves(),
        _ => {
            let mut nodes = 0;
            let _: ControlFlow<()> = position.moves(|mv| {
                nodes += perft(&position.after(mv), depth - 1);
                ControlFlow::Continue(())
            });
            nodes
        }
    }
}

/// A table of counts already known, shared by all threads without locks: an entry is two words, and the
/// first is the exclusive or of key and count, so that a torn entry fails its check.
#[derive(Debug)]
pub struct PerftTable {
    entries: Vec<[AtomicU64; 2]>,
}

impl PerftTable {
    /// A table of about so many mebibytes; `None` if the memory is not to be had.
    pub fn new(mebibytes: usize) -> Option<PerftTable> {
        let count = (mebibytes.checked_mul(1 << 20)? / 16).max(1);
        let mut entries = Vec::new();
        entries.try_reserve_exact(count).ok()?;
        entries.resize_with(count, Default::default);
        Some(PerftTable { entries })
    }

    fn slot(&self, key: u64) -> &[AtomicU64; 2] {
        // The high bits choose the slot (Lemire's multiplication instead of a division).
        let index = (u128::from(key) * self.entries.len() as u128) >> 64;
        &self.entries[index as usize]
    }

    /// The key of a count: position and depth.
    fn key<P: Position>(position: &P, depth: u32) -> u64 {
        crate::zobrist::splitmix64(position.key() ^ u64::from(depth) << 56).1
    }

    fn get(&self, key: u64) -> Option<u64> {
        let [check, count] = self.slot(key);
        let count = count.load(Ordering::Relaxed);
        (check.load(Ordering::Relaxed) ^ count == key && count != 0).then_some(count)
    }

    fn put(&self, key: u64, nodes: u64) {
        let [check, count] = self.slot(key);
        check.store(key ^ nodes, Ordering::Relaxed);
        count.store(nodes, Ordering::Relaxed);
    }
}

/// [`perft`] that looks positions up which it has counted before.
pub fn perft_hashed<P: Position>(position: &P, depth: u32, table: &PerftTable) -> u64 {
    if depth <= 1 {
        return perft(position, depth);
    }
    let key = PerftTable::key(position, depth);
    if let Some(nodes) = table.get(key) {
        return nodes;
    }
    let mut nodes = 0;
    let _: ControlFlow<()> = position.moves(|mv| {
        nodes += perft_hashed(&position.after(mv), depth - 1, table);
        ControlFlow::Continue(())
    });
    table.put(key, nodes);
    nodes
}

/// The count below each root move, in the order of the moves, on the threads of the current rayon pool.
///
/// The work is split two plies deep, so that a few large root moves do not leave threads idle.
pub fn divide<P: Position>(position: &P, depth: u32, table: Option<&PerftTable>) -> Vec<(P::Move, u64)> {
    if depth == 0 {
        return Vec::new();
    }
    let count = |p: &P, depth| table.map_or_else(|| perft(p, depth), |t| perft_hashed(p, depth, t));
    let roots = list_moves(position);
    let jobs: Vec<(usize, P)> = roots
        .iter()
        .enumerate()
        .flat_map(|(root, &mv)| {
            let next = position.after(mv);
            let replies = if depth >= 3 { list_moves(&next) } else { Vec::new() };
            let mut jobs: Vec<(usize, P)> = replies.iter().map(|&reply| (root, next.after(reply))).collect();
            if depth < 3 {
                jobs.push((root, next));
            }
            jobs
        })
        .collect();
    let left = if depth >= 3 { depth - 2 } else { depth - 1 };
    let counts: Vec<(usize, u64)> = jobs.par_iter().map(|(root, p)| (*root, count(p, left))).collect();
    let mut totals = vec![0; roots.len()];
    for (root, nodes) in counts {
        totals[root] += nodes;
    }
    roots.into_iter().zip(totals).collect()
}
