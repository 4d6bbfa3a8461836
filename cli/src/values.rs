//! Sources of exact values: a solved graph, or tables.

use anyhow::{Result, anyhow};
use jewel_engine::ability::{Packed, PackedKey};
use jewel_engine::position::Position;
use jewel_engine::value::Value;
use jewel_solver::solution::{Solution, ValuedMove};

/// Exact values of positions and of their moves.
pub(crate) trait Values<P: Position> {
    /// The value of a position for its side to move.
    ///
    /// # Errors
    /// If it is not known: why.
    fn value(&self, position: &P) -> Result<Value>;

    /// The moves with their values, best first, equal ones in the order of the rules; none where the game is over.
    ///
    /// # Errors
    /// If a value is not known: why.
    fn children(&self, position: &P) -> Result<Vec<ValuedMove<P::Move>>>;
}

impl<P: Packed, K: PackedKey> Values<P> for Solution<P, K> {
    fn value(&self, position: &P) -> Result<Value> {
        Solution::value(self, position).ok_or_else(|| anyhow!("{position:?} was not solved"))
    }

    fn children(&self, position: &P) -> Result<Vec<ValuedMove<P::Move>>> {
        Solution::moves(self, position).ok_or_else(|| anyhow!("{position:?} was not solved"))
    }
}
