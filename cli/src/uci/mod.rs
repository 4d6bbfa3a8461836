//! The Universal Chess Interface (R. Huber and S. Meyer-Kahlen, 2006), for games of every kind.
//!
//! [`command`] reads a line and knows nothing else; [`session`] listens and writes, and [`worker`] does what the lines
//! say; [`options`] are what `setoption` sets; [`mod@format`] is what a search says.

pub(crate) mod command;
mod format;
mod options;
pub(crate) mod session;
mod worker;
