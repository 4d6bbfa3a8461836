//! What each family of games brings along, one file a family.

mod chess_like;
mod crown_jewels;
mod crystal;
mod kings_mate;
mod world_tree;
