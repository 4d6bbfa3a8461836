//! The tests of what the crate shows, in one program, so that what they share is compiled once.

mod common;
mod designer;
mod matches;
mod openings;
mod runner;
