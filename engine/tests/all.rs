//! All tests of this folder but allocation.rs, in one program: what they share is compiled once.

mod chess960;
mod common;
mod crown_jewels;
mod crown_jewels_input;
mod crystal;
mod defaults;
mod documentation;
mod fuzz;
mod hands;
mod interchange;
mod kings_mate;
mod laws;
mod perft;
mod playout;
mod random_variants;
mod reference;
mod rules;
mod variant_errors;
mod world_tree;
