//! A game in the terminal: people and engines in any combination.
//!
//! [`game`] is the game from its first move to its last; lines come from [`input`], [`typed`] reads them, [`record`] is what is left.

pub(crate) mod deal;
pub(crate) mod game;
pub(crate) mod input;
mod typed;

pub(crate) use jewel_answers::record;
