//! Counting move sequences: the test of move generation, and its benchmark.

use crate::parallel;
use crate::position::{Position, list_moves};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Stands for every count that does not fit into 64 bits: sums saturate. Plain counting never gets there, but a
/// [`PerftTable`] counts some fifty plies of a small game in no time.
pub const TOO_MANY: u64 = u64::MAX;

/// The number of move sequences of `depth` plies. The last ply is counted without being played.
///
/// A finished game has no further moves; repetition and adjudicated draws are ignored, as is usual. A number
/// that does not fit is [`TOO_MANY`].
pub fn perft<P: Position>(position: &P, depth: u32) -> u64 {
    sequences(position, depth, None)
}

/// The sequences of `depth` plies, looked up in a table if there is one. One function for both: each would be a
/// generator of moves of its own.
fn sequences<P: Position>(position: &P, depth: u32, table: Option<&PerftTable>) -> u64 {
    match depth {
        0 => return 1,
        1 => return position.count_moves(),
        _ => {}
    }
    let kept = table.map(|table| (table, PerftTable::key(position, depth)));
    if let Some(nodes) = kept.and_then(|(table, key)| table.get(key)) {
        return nodes;
    }
    let mut nodes = 0u64;
    let _: ControlFlow<()> = position.moves_inlined(|mv| {
        nodes = sequences(&position.after(mv), depth - 1, table).saturating_add(nodes);
        ControlFlow::Continue(())
    });
    if let Some((table, key)) = kept {
        table.put(key, nodes);
    }
    nodes
}

/// A table of counts already known, shared by all threads without locks: an entry is two words, and the
/// first is the exclusive or of key and count, so that a torn entry fails its check.
#[derive(Debug)]
pub struct PerftTable {
    entries: Vec<[AtomicU64; 2]>,
}

impl PerftTable {
    /// A table of about `mebibytes` MiB; `None` if there is not enough memory.
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
        crate::zobrist::splitmix64(position.zobrist_hash() ^ u64::from(depth) << 56).1
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

/// [`perft`] that counts each position once, as long as the table remembers it.
pub fn perft_hashed<P: Position>(position: &P, depth: u32, table: &PerftTable) -> u64 {
    sequences(position, depth, Some(table))
}

/// The count below each root move, in the order of the moves, on the threads of the current rayon pool.
///
/// The work is split two plies deep, so that a few large root moves do not leave threads idle.
pub fn divide<P: Position>(position: &P, depth: u32, table: Option<&PerftTable>) -> Vec<(P::Move, u64)> {
    divide_observed(position, depth, table, |_, _| ())
}

/// [`divide`] that reports progress: `done` is called with the jobs done and all jobs, from any thread,
/// before the first job and after each.
pub fn divide_observed<P: Position>(
    position: &P,
    depth: u32,
    table: Option<&PerftTable>,
    done: impl Fn(usize, usize) + Sync,
) -> Vec<(P::Move, u64)> {
    if depth == 0 {
        return Vec::new();
    }
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
    let finished = AtomicUsize::new(0);
    done(0, jobs.len());
    let counts = parallel::map(jobs.len(), |n| {
        let (root, p) = &jobs[n];
        let nodes = sequences(p, left, table);
        done(finished.fetch_add(1, Ordering::Relaxed) + 1, jobs.len());
        (*root, nodes)
    });
    let mut totals = vec![0u64; roots.len()];
    for (root, nodes) in counts {
        totals[root] = nodes.saturating_add(totals[root]);
    }
    roots.into_iter().zip(totals).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ability::Game;
    use crate::chesslike::{ChessGame, Leapers};

    #[test]
    fn every_way_to_count_agrees_and_none_overflows() {
        let duel = ChessGame::<Leapers, 4>::new(crate::games::find("duel").unwrap().rules()).unwrap();
        let start = duel.start();
        let table = PerftTable::new(1).unwrap();
        for (depth, nodes) in [(0, 1), (1, 4), (2, 16), (3, 56), (8, 17368), (12, 1_571_640)] {
            assert_eq!(perft(&start, depth), nodes);
            assert_eq!(perft_hashed(&start, depth, &table), nodes);
            let total = |table| divide(&start, depth, table).iter().map(|(_, n)| n).sum::<u64>();
            assert_eq!([total(None), total(Some(&table))], [if depth == 0 { 0 } else { nodes }; 2]);
        }
        // About 3 ** 99 sequences.
        assert_eq!(perft_hashed(&start, 99, &table), TOO_MANY);
        assert!(divide(&start, 99, Some(&table)).iter().any(|(_, nodes)| *nodes == TOO_MANY));
    }

    #[test]
    fn an_observer_sees_every_job() {
        let duel = ChessGame::<Leapers, 4>::new(crate::games::find("duel").unwrap().rules()).unwrap();
        let (calls, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        divide_observed(&duel.start(), 5, None, |done, all| {
            assert_eq!(all, 16);
            calls.fetch_add(1, Ordering::Relaxed);
            most.fetch_max(done, Ordering::Relaxed);
        });
        assert_eq!((calls.into_inner(), most.into_inner()), (17, 16));
    }
}
