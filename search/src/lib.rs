//! Choosing a move. So far: what a search of full width and fixed depth proves, the yardstick that faster
//! searchers and solvers are measured against.
#![deny(missing_docs)]

pub mod exhaustive;
