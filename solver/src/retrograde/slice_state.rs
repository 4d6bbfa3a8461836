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
    /// Stamp of the last pass over the slice (0: none).
    pub(crate) passed: u32,
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
            passed: 0,
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
        if self.double_steps.is_empty() {
            return &[];
        }
        let from = self.double_steps.partition_point(|a| (a.block as usize) < block);
        let count = self.double_steps[from..].partition_point(|a| a.block as usize == block);
        &self.double_steps[from..from + count]
    }

    /// Sets all stamps back to the start.
    pub(crate) fn forget(&mut self) {
        self.changed.fill(1);
        self.seen.fill(0);
        (self.latest, self.passed) = (1, 0);
    }
}
