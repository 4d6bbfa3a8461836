//! What is about no game and no player: files, memory, typed quantities, words, boards drawn in a terminal.

pub mod board;
pub mod files;
pub mod memory;
pub mod quantities;
pub mod words;
