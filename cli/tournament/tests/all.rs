//! All tests of this folder, in one program: what they share is compiled once.

mod common;
mod designer;
mod matches;
mod openings;
mod runner;
