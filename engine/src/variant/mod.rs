//! Variant files: the rules of a chess-like game as a page of TOML, and what they are compiled into.
//!
//! [`Rules::parse`] reads a file, checks it and builds attack tables and masks. The reference of the
//! format, with a worked example, is `docs/variant-files.md`; [`ChessLike`](crate::chesslike::ChessLike)
//! plays by the result.

mod arrangement;
mod canonical;
mod compile;
mod consistency;
mod error;
mod file;
mod hand;
mod invariance;
mod motion;
mod reach;
mod read;
pub(crate) mod rider;
mod rules;
pub(crate) mod spec;
pub(crate) mod tables;

pub use error::VariantError;
pub use motion::{Motion, Promotion};
pub use rules::Rules;
pub use spec::{Bare, Captures, Castle, HandRule, KeyRule, Mark, Objective, PieceSpec, Repeated, RulesSpec};
