//! Progress, interruption and errors of a build.

use crate::retrograde::layout::TooLarge;
use jewel_tables::error::TableError;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use thiserror::Error;

/// Why a build stopped. Finished work is kept: the same call goes on from there.
#[derive(Debug, Error)]
pub enum BuildError {
    /// More memory is needed than allowed.
    #[error("class {class} needs {needed} bytes of memory; the limit is {limit}")]
    Memory {
        /// The class.
        class: String,
        /// Bytes that it needs.
        needed: u64,
        /// The limit.
        limit: u64,
    },
    /// A class was not laid out when its plan was made.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// A class has longer wins than a table can hold.
    #[error("class {class} has wins of more than {plies} plies, longer than a table can hold")]
    TooFar {
        /// The class.
        class: String,
        /// The longest distance, in plies, that a table holds.
        plies: u32,
    },
    /// A file could not be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// A table could not be written, or one that is there cannot be used.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Another build is at work in the same folder.
    #[error("{}: another build is at work in this folder", .0.display())]
    Busy(PathBuf),
    /// Another rank has stopped, or the ranks do not understand one another.
    #[error("{0}")]
    Ranks(String),
    /// The interrupt flag was set.
    #[error("interrupted")]
    Interrupted,
}

impl BuildError {
    pub(super) fn io(path: &Path, error: io::Error) -> BuildError {
        BuildError::Io { path: path.to_path_buf(), error }
    }
}

/// A stage of the work on a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Its table was there already.
    Found,
    /// Waiting for other builders: the name is a list of their classes, each with its builder.
    Wait,
    /// Looking up captures and promotions.
    Captures,
    /// Quiet moves: the sweep of this number, counted from 1.
    Sweep(u32),
    /// Writing the table.
    Write,
    /// The table is there now.
    Done,
}

/// A report on the progress of a build.
#[derive(Clone, Debug)]
pub struct Progress<'a> {
    /// The name of the class.
    pub class: &'a str,
    /// What is being done to it.
    pub stage: Stage,
    /// Cells of the class done in this stage since the last report. In [`Stage::Write`] each cell counts twice.
    pub cells: u64,
}

/// The caller's interrupt flag and callback.
pub(super) struct Monitor<'a> {
    pub(super) interrupt: &'a AtomicBool,
    pub(super) progress: &'a (dyn Fn(&Progress<'_>) + Sync),
}

impl Monitor<'_> {
    pub(super) fn check(&self) -> Result<(), BuildError> {
        if self.interrupt.load(Relaxed) { Err(BuildError::Interrupted) } else { Ok(()) }
    }

    pub(super) fn tell(&self, class: &str, stage: Stage, cells: u64) {
        (self.progress)(&Progress { class, stage, cells });
    }
}
