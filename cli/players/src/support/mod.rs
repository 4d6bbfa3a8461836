//! What is about no game and no player: files, memory, typed quantities, words, boards and tables drawn in a terminal, boards as pictures.

pub mod board;
pub mod files;
pub mod layout;
pub mod memory;
pub mod quantities;
pub mod svg;
pub mod words;
