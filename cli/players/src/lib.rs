//! Games by name, and whoever plays them.
//!
//! [`catalogue`] knows the games and reads variant files; [`engine`] plays any of them behind one `dyn` type,
//! with moves as text; [`player`] is what a match asks for moves, and [`spec`] makes players of what was
//! written. Everything that is compiled for each kind of game and each searcher is compiled here, once.

#![deny(missing_docs)]

pub mod board;
pub mod built_in;
pub mod catalogue;
pub mod engine;
pub mod files;
pub mod game_clock;
pub mod known;
pub mod memory;
pub mod nets;
mod objective;
pub mod pairs;
pub mod params;
mod playable;
pub mod player;
mod players;
pub mod quantities;
pub mod score;
mod seated;
pub mod spec;
pub mod turns;
pub mod veiled;
pub mod words;
