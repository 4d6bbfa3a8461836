//! The predecessors of every position, by a counting sort of the moves.

use crate::control::{Control, Stop, allocate};
use crate::successors::SuccessorLists;
use rayon::prelude::*;

/// Positions that share a 64-bit base, so that 32 bits are enough for the offsets of each.
const BLOCK: usize = 1 << 16;

/// The predecessors of every position, in ascending order, one for each move.
#[derive(Debug)]
pub(crate) struct Predecessors {
    /// Where the list of a position ends, counted from the base of its block.
    ends: Vec<u32>,
    bases: Vec<u64>,
    predecessors: Vec<u32>,
}

/// A range of positions with their part of the lists: what one thread works on.
struct Part<'a> {
    first: u32,
    ends: &'a mut [u32],
    predecessors: &'a mut [u32],
    /// Where `predecessors` begins.
    offset: u64,
}

impl Predecessors {
    /// Bytes for this number of positions and moves.
    pub(crate) fn bytes(positions: u64, edges: u64) -> u64 {
        4 * positions + 4 * edges + 8 * positions.div_ceil(BLOCK as u64)
    }

    /// Sorts the moves of a complete graph by the position that they lead to.
    ///
    /// Each thread reads all moves and keeps those that lead into its own range of positions: reading in order costs little
    /// compared with writing at random, and nothing has to be locked.
    pub(crate) fn new(successors: &SuccessorLists, control: &Control<'_>) -> Result<Predecessors, Stop> {
        let positions = successors.meta.len();
        let mut ends: Vec<u32> = allocate(positions)?;
        ends.resize(positions, 0);
        let threads = rayon::current_num_threads().max(1);
        let range = positions.div_ceil(threads).next_multiple_of(BLOCK);

        let interrupt = control.interrupt();
        ends.par_chunks_mut(range).enumerate().try_for_each(|(n, counts)| {
            let first = (n * range) as u32;
            for block in &successors.edges {
                crate::control::check(interrupt)?;
                for &to in block {
                    if let Some(count) = counts.get_mut(to.wrapping_sub(first) as usize) {
                        *count = count.checked_add(1).ok_or(Stop::Overflow)?;
                    }
                }
            }
            Ok(())
        })?;

        // Counts become the offsets at which lists begin.
        let mut bases = allocate(positions.div_ceil(BLOCK))?;
        let mut base = 0_u64;
        for block in ends.chunks_mut(BLOCK) {
            bases.push(base);
            let mut start = 0_u32;
            for end in block {
                let count = *end;
                *end = start;
                start = start.checked_add(count).ok_or(Stop::Overflow)?;
            }
            base += u64::from(start);
        }

        let edges = successors.edge_count as usize;
        let mut predecessors: Vec<u32> = allocate(edges)?;
        predecessors.resize(edges, 0);
        let mut parts = Vec::new();
        let mut rest = predecessors.as_mut_slice();
        for (n, ends) in ends.chunks_mut(range).enumerate() {
            let base_of = |block: usize| bases.get(block).copied().unwrap_or(successors.edge_count);
            let (from, to) = (base_of(n * range / BLOCK), base_of((n + 1) * range / BLOCK));
            let (own, others) = rest.split_at_mut((to - from) as usize);
            rest = others;
            parts.push(Part { first: (n * range) as u32, ends, predecessors: own, offset: from });
        }
        // Filling a list moves the offset of its position from the beginning to the end of the list.
        parts.par_iter_mut().try_for_each(|part| {
            for (from, _, list) in successors.lists() {
                if from.is_multiple_of(1 << 16) {
                    crate::control::check(interrupt)?;
                }
                for &to in list {
                    let local = to.wrapping_sub(part.first) as usize;
                    if let Some(end) = part.ends.get_mut(local) {
                        let base = bases[to as usize / BLOCK] - part.offset;
                        part.predecessors[base as usize + *end as usize] = from;
                        *end += 1;
                    }
                }
            }
            Ok(())
        })?;
        Ok(Predecessors { ends, bases, predecessors })
    }

    /// The predecessors of a position.
    #[inline(always)]
    pub(crate) fn of(&self, id: u32) -> &[u32] {
        let id = id as usize;
        let base = self.bases[id / BLOCK] as usize;
        let start = if id.is_multiple_of(BLOCK) { 0 } else { self.ends[id - 1] };
        &self.predecessors[base + start as usize..base + self.ends[id] as usize]
    }
}
