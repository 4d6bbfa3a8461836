//! What a caller asks of a long computation: limits, a way to interrupt it, and word of how far it is.

use std::sync::atomic::{AtomicBool, Ordering};
use thiserror::Error;

/// The most positions that can be told apart by the 32-bit numbers that the solver gives them. One number
/// is kept to mean "none".
pub const MAX_POSITIONS: u64 = u32::MAX as u64;

/// Bounds on what a computation may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Positions to enumerate at most; more than [`MAX_POSITIONS`] means that.
    pub max_positions: u64,
    /// Bytes to allocate at most, counted before they are asked for.
    pub memory: u64,
}

impl Default for Limits {
    /// No bound but that of the numbering.
    fn default() -> Limits {
        Limits { max_positions: MAX_POSITIONS, memory: u64::MAX }
    }
}

/// Why a computation stopped before its end. Nothing is lost: the graph can be saved or taken further.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Stop {
    /// There are more positions than [`Limits::max_positions`].
    #[error("there are more than {limit} positions")]
    Positions {
        /// The limit.
        limit: u64,
    },
    /// The next step needs more than [`Limits::memory`].
    #[error("the next step needs {needed} bytes of memory; the limit is {limit}")]
    Memory {
        /// Bytes needed in all, those in use included.
        needed: u64,
        /// The limit.
        limit: u64,
    },
    /// The system refused an allocation within the limit.
    #[error("the system has no {bytes} bytes of memory left")]
    Allocation {
        /// Bytes asked for.
        bytes: u64,
    },
    /// The interrupt flag was set.
    #[error("interrupted")]
    Interrupted,
    /// A position has more than 8191 moves; no larger limit helps.
    #[error("a position has {moves} moves; the solver can keep {}", crate::store::MAX_DEGREE)]
    Moves {
        /// How many.
        moves: usize,
    },
    /// Values are too many plies from the end (2^30) or positions have too many predecessors (2^32 among
    /// 65536 positions) to be stored; no larger limit helps.
    #[error("a count does not fit into the 30 or 32 bits that the solver has for it")]
    Overflow,
}

/// A step of the work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Finding positions.
    Enumerate,
    /// Turning lists of successors into lists of predecessors.
    Link,
    /// Deciding positions from the ends backwards.
    Propagate,
    /// Checking the values.
    Verify,
}

/// How far a computation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// What is being done.
    pub phase: Phase,
    /// Positions dealt with.
    pub done: u64,
    /// Positions known, of which `done` is a part. In [`Phase::Enumerate`] it grows, and in
    /// [`Phase::Propagate`] the draws among them are never dealt with.
    pub known: u64,
    /// Bytes in use.
    pub memory: u64,
}

/// Limits, interrupt and progress of one computation.
pub struct Control<'a> {
    limits: Limits,
    interrupt: &'a AtomicBool,
    progress: &'a mut dyn FnMut(Progress),
}

impl std::fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl<'a> Control<'a> {
    /// `interrupt` stops the work soon after it is set; `progress` is told at least a few times a second.
    pub fn new(limits: Limits, interrupt: &'a AtomicBool, progress: &'a mut dyn FnMut(Progress)) -> Self {
        let max_positions = limits.max_positions.min(MAX_POSITIONS);
        Control { limits: Limits { max_positions, ..limits }, interrupt, progress }
    }

    /// Runs `work` with nobody to interrupt or watch it.
    pub fn with_limits<T>(limits: Limits, work: impl FnOnce(&mut Control<'_>) -> T) -> T {
        work(&mut Control::new(limits, &AtomicBool::new(false), &mut |_| {}))
    }

    /// The limits.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    pub(crate) fn check_interrupt(&self) -> Result<(), Stop> {
        check(self.interrupt)
    }

    /// The flag alone, for the threads of a parallel step.
    pub(crate) fn interrupt(&self) -> &'a AtomicBool {
        self.interrupt
    }

    pub(crate) fn report(&mut self, progress: Progress) {
        (self.progress)(progress);
    }

    /// Whether `needed` bytes in all are within the limit.
    pub(crate) fn check_memory(&self, needed: u64) -> Result<(), Stop> {
        if needed <= self.limits.memory {
            Ok(())
        } else {
            Err(Stop::Memory { needed, limit: self.limits.memory })
        }
    }
}

pub(crate) fn check(interrupt: &AtomicBool) -> Result<(), Stop> {
    if interrupt.load(Ordering::Relaxed) { Err(Stop::Interrupted) } else { Ok(()) }
}

/// An empty vector with exact room for `len` items, or the reason why not.
pub(crate) fn allocate<T>(len: usize) -> Result<Vec<T>, Stop> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(len).map_err(|_| Stop::Allocation { bytes: (len * size_of::<T>()) as u64 })?;
    Ok(vec)
}
