//! All tests of this folder, in one program: what they share is compiled once.

mod chess_endings;
mod common;
mod crown_jewels;
mod crystal;
mod dense;
mod disk;
mod plans;
mod proofs;
mod race;
mod ranks;
mod solution_files;
mod stopping;
mod symmetries;
mod tables;
mod values;
mod variants;
