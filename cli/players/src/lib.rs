//! Games by name, and whoever plays them.
//!
//! [`catalogue`] knows the games and reads variant files; [`engine`] plays any of them behind one `dyn` type,
//! with moves as text; [`player`] is what a match asks for moves. Everything that is compiled for each kind of
//! game and each searcher is compiled here, once.

#![deny(missing_docs)]

pub mod catalogue;
pub mod engine;
pub mod files;
pub mod game_clock;
pub mod memory;
mod objective;
pub mod player;
pub mod score;
mod seated;
pub mod words;
