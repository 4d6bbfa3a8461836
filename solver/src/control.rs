//! The control of a long computation: limits, interruption, progress.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use thiserror::Error;

/// The most positions that the solver can hold.
pub const MAX_POSITIONS: u64 = u32::MAX as u64;

/// The most moves that a position may have.
pub(crate) const MAX_MOVES: usize = (1 << 13) - 1;

/// Limits on what a computation may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The most positions to enumerate; at most [`MAX_POSITIONS`].
    pub max_positions: u64,
    /// The most bytes to allocate, counted before they are allocated.
    pub memory: u64,
}

impl Default for Limits {
    /// No limit but [`MAX_POSITIONS`].
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
        /// Bytes needed in all, with those in use.
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
    #[error("a position has {moves} moves; the solver can keep {}", MAX_MOVES)]
    Moves {
        /// The number of moves.
        moves: usize,
    },
    /// There are more positions, or moves to the positions of one part, than 32 bits can number. No larger limit helps.
    #[error("a number does not fit into the 32 bits that the solver has for it")]
    Overflow,
}

/// A phase of the computation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Finding positions.
    Enumerate,
    /// Making lists of predecessors, for games that cannot take moves back.
    Link,
    /// Deciding positions from the ends backwards.
    Propagate,
    /// Checking the values.
    Verify,
    /// Writing the file of a solution.
    Write,
}

impl Phase {
    /// Its name, as other programs read it.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Enumerate => "enumerate",
            Phase::Link => "link",
            Phase::Propagate => "propagate",
            Phase::Verify => "verify",
            Phase::Write => "write",
        }
    }
}

/// The progress of a computation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// The current phase.
    pub phase: Phase,
    /// Positions done.
    pub done: u64,
    /// Positions known, of which `done` are done. In [`Phase::Enumerate`] the number grows; in [`Phase::Propagate`] draws are
    /// never counted as done.
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
    /// `interrupt` stops the work soon after it is set; `progress` is called at least a few times a second, in
    /// [`Phase::Write`] once for some millions of positions.
    pub fn new(limits: Limits, interrupt: &'a AtomicBool, progress: &'a mut dyn FnMut(Progress)) -> Self {
        let max_positions = limits.max_positions.min(MAX_POSITIONS);
        Control { limits: Limits { max_positions, ..limits }, interrupt, progress }
    }

    /// Runs `work` without interruption or progress reports.
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

/// Memory that several threads take, counted before it is taken.
pub(crate) struct Budget {
    used: AtomicU64,
    limit: u64,
}

impl Budget {
    /// With so many bytes in use.
    pub(crate) fn new(used: u64, limits: Limits) -> Budget {
        Budget { used: AtomicU64::new(used), limit: limits.memory }
    }

    /// Counts more bytes.
    ///
    /// # Errors
    /// If they would be beyond the limit: then they are not counted.
    pub(crate) fn take(&self, bytes: u64) -> Result<(), Stop> {
        let needed = self.used.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        if needed <= self.limit {
            return Ok(());
        }
        self.used.fetch_sub(bytes, Ordering::Relaxed);
        Err(Stop::Memory { needed, limit: self.limit })
    }
}

pub(crate) fn check(interrupt: &AtomicBool) -> Result<(), Stop> {
    if interrupt.load(Ordering::Relaxed) { Err(Stop::Interrupted) } else { Ok(()) }
}
