//! The state of one slice for one side to move while its class is being solved.

use super::bytes::Bytes;
use super::en_passant::Answered;
use super::simd::PAD;

/// Values, floors and stamps. The rule of the stamps: a block is looked at again if the `changed` of a block that it
/// can move to is greater than its own `seen`.
#[derive(Debug)]
pub(crate) struct Half {
    /// A byte a cell, and padding.
    pub(crate) value: Bytes,
    /// A byte a cell, and padding: see [`super::floor`].
    pub(crate) floor: Bytes,
    /// Double steps that may be answered *en passant*, by block.
    pub(crate) answered: Vec<Answered>,
    /// By block: stamp of the last change (1 at the start).
    pub(crate) changed: Vec<u32>,
    /// By block: stamp of the last visit (0: none).
    pub(crate) seen: Vec<u32>,
    /// The greatest of `changed`.
    pub(crate) latest: u32,
    /// Stamp of the last pass over the half (0: none).
    pub(crate) passed: u32,
}

impl Half {
    /// A half with these floors, and room for values.
    pub(crate) fn new(value: Bytes, floor: Bytes, blocks: usize) -> Half {
        Half {
            value,
            floor,
            answered: vec![],
            changed: vec![1; blocks],
            seen: vec![0; blocks],
            latest: 1,
            passed: 0,
        }
    }

    /// Cells, padding left out.
    pub(crate) fn cells(&self) -> usize {
        self.value.len() - PAD
    }

    /// Nobody will use it for a while.
    pub(crate) fn rest(&self) {
        self.value.rest();
        self.floor.rest();
    }

    /// The double steps from a block that may be answered.
    #[inline]
    pub(crate) fn answered(&self, block: usize) -> &[Answered] {
        if self.answered.is_empty() {
            return &[];
        }
        let from = self.answered.partition_point(|a| (a.block as usize) < block);
        let count = self.answered[from..].partition_point(|a| a.block as usize == block);
        &self.answered[from..from + count]
    }

    /// Sets all stamps back to the start.
    pub(crate) fn forget(&mut self) {
        self.changed.fill(1);
        self.seen.fill(0);
        (self.latest, self.passed) = (1, 0);
    }
}
