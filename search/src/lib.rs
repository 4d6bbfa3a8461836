//! Choosing a move.
//!
//! A [`Searcher`](searcher::Searcher) takes a position, the [`Limits`](limits::Limits) of the caller and a
//! [`Stop`](control::Stop) handle; it tells what it finds through [`Info`](report::Info) and ends with a
//! [`Report`](report::Report). Searches never print and never read a clock but through
//! [`Deadline`](control::Deadline).
//!
//! [`exhaustive`] is the yardstick: slow, short, and right.
#![deny(missing_docs)]

pub mod alphabeta;
pub mod clock;
pub mod control;
pub mod evaluate;
pub mod exhaustive;
pub mod ismcts;
pub mod limits;
pub mod mcts;
mod memory;
pub mod nets;
pub mod order;
pub mod params;
pub mod report;
mod sampling;
pub mod score;
pub mod searcher;

pub mod train;
pub mod tt;
pub mod tune;
pub mod weights;
