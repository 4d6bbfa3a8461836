//! What commands, the server and the page answer with: positions, values, proofs and findings, as objects of `--json`
//! and as text.
//!
//! Nothing here prints, and only [`claims`] opens files. [`api`] answers the questions of the page, wherever it is
//! asked: by a server or in the browser itself.

#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod api;
pub mod best_play;
pub mod claims;
pub mod distant;
pub mod finding;
pub mod json;
pub mod proof;
pub mod record;
pub mod shown;
pub mod text;
pub mod values;
