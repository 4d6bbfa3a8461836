//! The tests of what the crate shows, in one program, so that what they share is compiled once.

mod alphabeta;
mod dice;
mod evaluations;
mod ismcts;
mod mcts;
mod proofs;
mod solution_files;
mod tactics;
mod world_tree;
