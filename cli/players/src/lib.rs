//! Games by name, and the players of a match.
//!
//! [`catalogue`] knows the games and reads variant files; an [`AnyGame`](catalogue::AnyGame) opens as an
//! [`Engine`](engine::Engine): the game at a position, with a searcher, behind one `dyn` type and with moves as text.
//! [`player`] is what a match asks for moves, and [`spec`] makes players of what was written. Everything that is
//! compiled for each game and each searcher is compiled here, once.
//!
//! A game of another crate implements [`Playable`](playable::Playable), or comes
//! [with an evaluation](catalogue::AnyGame::with_evaluation), and is then a game like all others.

#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod beside;
pub mod catalogue;
pub mod engine;
mod families;
mod features;
pub mod game_clock;
pub mod hidden;
pub mod line;
pub mod move_values;
mod objective;
mod open_game;
pub mod options;
pub mod playable;
pub mod player;
mod players;
pub mod proofs;
pub mod score;
mod searcher;
pub mod self_play;
pub mod settings;
pub mod spec;
pub mod support;
pub mod tuned_files;
mod turns;
