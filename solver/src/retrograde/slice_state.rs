//! One slice with one side to move while its class is being solved.

use super::bytes::Bytes;
use super::double_steps::DoubleStep;
use super::simd::PAD;

/// Values, lower bounds and stamps.
///
/// The rule of the stamps: a block is looked at again if the `changed` of a block that it can move to is greater than its
/// own `seen`.
#[derive(Debug)]
pub(crate) struct SliceState {
    /// A byte a cell, and padding.
    pub(crate) value: Bytes,
    /// A byte a cell, and padding: see [`super::bounds`].
    pub(crate) bound: Bytes,
    /// Double steps that may be answered *en passant*, by block.
    pub(crate) double_steps: Vec<DoubleStep>,
    /// By block: stamp of the last change (1 at the start).
    pub(crate) changed: Vec<u32>,
    /// By block: stamp of the last visit (0: none).
    pub(crate) seen: Vec<u32>,
    /// The greatest of `changed`.
    pub(crate) latest: u32,
    /// What other ranks know of the moves that lead to their slices; empty for a build in one process.
    pub(crate) minima: Vec<Minima>,
    /// By block: stamp of the last change of any of the minima; empty as long as there are none.
    pub(crate) arrived: Vec<u32>,
}

/// The least value after any of the outer moves that lead to slices of one other rank, a byte a cell, and padding.
#[derive(Debug)]
pub(crate) struct Minima {
    /// The rank that the slices belong to.
    pub(crate) rank: usize,
    pub(crate) value: Vec<u8>,
}

impl SliceState {
    /// A slice with these lower bounds, and room for values.
    pub(crate) fn new(value: Bytes, bound: Bytes, blocks: usize) -> SliceState {
        SliceState {
            value,
            bound,
            double_steps: vec![],
            changed: vec![1; blocks],
            seen: vec![0; blocks],
            latest: 1,
            minima: vec![],
            arrived: vec![],
        }
    }

    /// The number of cells, padding not counted.
    pub(crate) fn cells(&self) -> usize {
        self.value.len() - PAD
    }

    /// A hint that the slice will not be used for a while.
    pub(crate) fn release(&self) {
        self.value.release();
        self.bound.release();
    }

    /// The double steps from a block that may be answered.
    #[inline]
    pub(crate) fn double_steps(&self, block: usize) -> &[DoubleStep] {
        steps_of_block(&self.double_steps, block)
    }

    /// Whether minima of a block have changed since a stamp.
    #[inline]
    pub(crate) fn arrived_since(&self, block: usize, stamp: u32) -> bool {
        self.arrived.get(block).is_some_and(|&at| at > stamp)
    }

    /// Sets all stamps back to the start.
    pub(crate) fn forget(&mut self) {
        self.changed.fill(1);
        self.seen.fill(0);
        self.arrived.fill(1);
        self.latest = 1;
    }
}

/// Of double steps by block those of one.
#[inline]
pub(crate) fn steps_of_block(steps: &[DoubleStep], block: usize) -> &[DoubleStep] {
    if steps.is_empty() {
        return &[];
    }
    let from = steps.partition_point(|a| (a.block as usize) < block);
    let count = steps[from..].partition_point(|a| a.block as usize == block);
    &steps[from..from + count]
}
