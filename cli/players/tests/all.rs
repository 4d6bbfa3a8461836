//! All tests of this folder, in one program: what they share is compiled once.

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
