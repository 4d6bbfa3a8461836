//! The tests of what the crate shows, in one program, so that what they share is compiled once.

mod board;
mod catalogue;
mod common;
mod game_clock;
mod layout;
mod memory;
mod peers;
mod players;
mod programs;
mod quantities;
mod score;
mod spec;
mod tables;
mod words;
