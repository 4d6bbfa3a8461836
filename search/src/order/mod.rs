//! The order in which moves are tried.

pub mod history;
mod picker;

pub use picker::{MoveStack, OrderingHints, Picker};
