//! The successors of positions, by number: what solving needs of a graph once every position is found.

use crate::control::Stop;
use crate::store::{Meta, Segments};

/// Positions whose successors are stored together, and that a thread expands at a time.
pub(crate) const BLOCK: usize = 1 << 10;

/// The successors of positions, in the order of their numbers.
#[derive(Debug)]
pub(crate) struct SuccessorLists {
    /// The meta data of the expanded positions.
    pub(crate) meta: Segments<Meta>,
    /// Successors of the expanded positions in order, [`BLOCK`] positions a block.
    pub(crate) edges: Vec<Vec<u32>>,
    pub(crate) edge_count: u64,
    edge_bytes: u64,
}

impl SuccessorLists {
    pub(crate) fn new() -> SuccessorLists {
        SuccessorLists { meta: Segments::new(), edges: Vec::new(), edge_count: 0, edge_bytes: 0 }
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> u64 {
        self.meta.bytes() + self.edge_bytes
    }

    /// Bytes in use once there is room for this number of expanded positions and moves more.
    pub(crate) fn bytes_with(&self, metas: usize, edges: u64) -> u64 {
        self.meta.bytes_with(metas) + self.edge_bytes + 4 * edges
    }

    /// Adds the moves of the next positions, which belong to one block; there must be room for the meta data.
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

    /// All positions in order: number, meta data and successors.
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
