//! Errors in two layers: what failed, and in which table.

use std::io;
use thiserror::Error;

/// An error in one table.
#[derive(Debug, Error)]
#[error("table {table}: {fault}")]
pub struct TableError {
    /// The name of the table by which it was opened or created, usually the path of the file.
    pub table: String,
    /// What failed. It is part of this error's text, and therefore not its source.
    pub fault: Fault,
}

impl TableError {
    pub(crate) fn new(table: &str, fault: impl Into<Fault>) -> TableError {
        TableError { table: table.to_string(), fault: fault.into() }
    }
}

/// What failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Fault {
    /// The file could not be read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file does not begin with the bytes of a table file.
    #[error("this is not a table file (it does not begin with \"JEWELTAB\")")]
    Magic,
    /// The file has another format version.
    #[error(
        "the file has format version {0}; this program reads version {FORMAT_VERSION}: build the table again"
    )]
    Version(u16),
    /// The file ends too early, or more follows where it should end.
    #[error("the file is cut short or has been added to: {0}")]
    Length(&'static str),
    /// A checksum does not match: the bytes are not those that were written.
    #[error("{part} {number} is damaged (its checksum does not match); build the table again")]
    Checksum {
        /// The part of the file.
        part: &'static str,
        /// Its number among those of its kind, counted from 0.
        number: u64,
    },
    /// The checksums match but the content is invalid: a fault of the program that wrote the file.
    #[error("the content makes no sense: {0}")]
    Content(String),
    /// The table was made for other rules.
    #[error(
        "the table was made for other rules (fingerprint {found:016x}, these rules have {expected:016x}); \
         build it again with these rules"
    )]
    Rules {
        /// The fingerprint of the caller's rules.
        expected: u64,
        /// The fingerprint in the file.
        found: u64,
    },
    /// The position has other pieces than this table is for.
    #[error("the position does not belong to this table: its pieces differ, or stand where they cannot get")]
    Material,
    /// A distance was asked for that the table does not hold.
    #[error("the table holds win, draw and loss, but no distances")]
    NoDistances,
    /// A distance was asked for that the table does not hold exactly: it has those of lost positions, perhaps two to a number.
    /// A caller that knows the rules can find the others from these.
    #[error("the table holds the distances of lost positions only: look ahead from this one")]
    NotExact,
    /// Distances were to be written two to a number, and a position is lost in an odd number of plies.
    #[error("a position is lost in {0} plies: distances can share numbers only where all are even")]
    Odd(u16),
    /// The writer cannot make a table of its input.
    #[error("cannot make a table of this: {0}")]
    Scheme(String),
}

/// The version of the format, the only one that this crate reads and writes.
pub const FORMAT_VERSION: u16 = 4;

pub(crate) fn content(text: impl Into<String>) -> Fault {
    Fault::Content(text.into())
}
