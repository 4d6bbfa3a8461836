//! The order in which moves are tried.

pub(crate) mod history;
mod picker;

pub(crate) use picker::{MoveStack, OrderingHints, Picker};
