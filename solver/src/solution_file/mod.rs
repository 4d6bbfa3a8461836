//! The file of a solved graph: all its positions with their exact values, to be looked up without solving again.
//!
//! `docs/solution-format.md` defines it. [`save`](writer::save) writes the file of a [`Solution`](crate::solution::Solution), whole or
//! not at all, and a [`SolutionFile`](reader::SolutionFile) looks values up in it, block by block. What is in a file depends on
//! the positions alone, and not on the threads or the interruptions of the work.

pub mod header;
mod model;
mod place;
pub mod reader;
pub mod writer;

use std::io;
use thiserror::Error;

/// The version of the format that is written and read.
pub const VERSION: u16 = 1;

/// Why a solution file is not used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// It cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It is of another kind.
    #[error("this is not a solution file: it does not begin with \"JEWELSOL\"")]
    Foreign,
    /// It has another version of the format.
    #[error(
        "the solution file has format version {found}; this program reads version {VERSION}: solve the game again"
    )]
    Version {
        /// The version of the file.
        found: u16,
    },
    /// It is for other rules.
    #[error(
        "the solution is for other rules (fingerprint {found:016x}, these rules have {expected:016x}): \
         solve the game again with these rules"
    )]
    Rules {
        /// The fingerprint of the caller's rules.
        expected: u64,
        /// The fingerprint in the file.
        found: u64,
    },
    /// Its bytes are not those that were written.
    #[error("the solution file is damaged: {0}; solve the game again")]
    Damaged(String),
}

pub(crate) fn damaged(problem: impl Into<String>) -> FileError {
    FileError::Damaged(problem.into())
}

/// Why a solution was not saved.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SaveError {
    /// The file cannot be written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The work was stopped.
    #[error(transparent)]
    Stopped(#[from] crate::control::Stop),
    /// The positions have more different values than a file has numbers for.
    #[error("the positions have {0} different values; a solution file has room for {most}", most = model::MAX_VALUES)]
    Values(usize),
}
