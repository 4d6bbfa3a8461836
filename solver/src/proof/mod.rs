//! Proofs that fit in a file: a strategy for one player that a checker can follow without trusting whoever found it.
//!
//! `docs/proof-format.md` defines the file and proves that it proves something. [`Proof`](reader::Proof) reads it and
//! [`check`](check::check) checks it, whoever made it. A [`Search`](search::Search) finds wins, [`winning_strategy`](win::winning_strategy)
//! makes a strategy of what it has found, [`safe_strategy`](safe::safe_strategy) finds one that does not lose, and
//! [`decide`](value::decide) tries both for both sides; [`write`](strategy::write) makes a file of a strategy. A [`Proven`](proven::Proven)
//! tells searches that play what a file proves.

pub mod check;
mod code;
pub mod game;
pub mod header;
mod noted;
pub mod proven;
pub mod reader;
pub mod safe;
pub mod search;
pub mod strategy;
mod table;
pub mod value;
pub mod win;
mod worker;
pub mod writer;

use thiserror::Error;

/// A position of a proof, and what the prover does there.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Entry {
    /// The position, in the encoding of the file.
    pub symbols: Vec<u8>,
    /// The number of the move among the legal ones, sorted by their texts.
    pub mv: u16,
    /// Plies in which the prover has won at the latest; 0 in proofs of the kind [`Safe`](header::Kind::Safe).
    pub rank: u16,
}

/// Why a proof is not accepted.
#[derive(Debug, Error)]
pub enum ProofError {
    /// It cannot be read.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// It is not a proof file, or is damaged.
    #[error("{0}")]
    Damaged(String),
    /// Rules, tables or an encoding that are not known or not the right ones.
    #[error("{0}")]
    Unknown(String),
    /// It is a proof file, but it does not prove its claim.
    #[error("\"{position}\": {problem}")]
    Refuted {
        /// The position that shows it.
        position: String,
        /// What is wrong there.
        problem: String,
    },
    /// The check was stopped.
    #[error("interrupted")]
    Interrupted,
}

pub(crate) fn damaged(problem: impl Into<String>) -> ProofError {
    ProofError::Damaged(problem.into())
}

/// An entry of a file has symbols that are no position of the game.
#[cold]
pub(crate) fn no_position(symbols: &[u8], problem: String) -> ProofError {
    ProofError::Refuted { position: format!("{symbols:?}"), problem }
}
