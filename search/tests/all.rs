//! All tests of this folder, in one program: what they share is compiled once.

mod alphabeta;
mod dice;
mod evaluations;
mod ismcts;
mod mcts;
mod proofs;
mod solution_files;
mod tactics;
mod world_tree;
