//! A game in the terminal: people and engines in any combination.
//!
//! [`game`] is the game from its first move to its last, over any pair of streams; [`typed`] reads what people
//! type, [`record`] is what is left.

pub(crate) mod deal;
pub(crate) mod game;
pub(crate) mod record;
mod typed;
