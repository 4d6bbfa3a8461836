//! What the file of a new game imports: `use jewel_engine::prelude::*;`.

pub use crate::ability::{Game, Notation, Packed, PackedKey, ReadError, Symmetric};
pub use crate::chance::Chance;
pub use crate::playout::Playout;
pub use crate::position::Position;
pub use crate::tactics::Tactics;
pub use crate::value::{Outcome, Side};
pub use std::ops::ControlFlow;
