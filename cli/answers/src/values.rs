//! Sources of exact values: a solved graph, or tables.

use anyhow::{Result, anyhow};
use jewel_engine::ability::{Packed, PackedKey};
use jewel_engine::chesslike::{ChessLike, Move, RuleSubset};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::value::Value;
use jewel_solver::dense::DenseTable;
use jewel_solver::solution::{Solution, ValuedMove};
use std::cmp::Reverse;

/// Exact values of positions and of their moves.
pub trait Values<P: Position> {
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

impl<S: RuleSubset, const N: usize> Values<ChessLike<'static, S, N>> for DenseTable<'static> {
    fn value(&self, position: &ChessLike<'static, S, N>) -> Result<Value> {
        DenseTable::value(self, position).ok_or_else(|| {
            anyhow!(
                "the table has no position \"{}\": its pieces are not those of the game",
                position.to_fen()
            )
        })
    }

    fn children(&self, position: &ChessLike<'static, S, N>) -> Result<Vec<ValuedMove<Move>>> {
        if position.outcome().is_some() {
            return Ok(vec![]);
        }
        let valued = |mv| {
            Ok(ValuedMove { mv, value: Values::value(self, &position.after(mv))?.before_opponents_turn() })
        };
        let mut children: Vec<ValuedMove<Move>> =
            list_moves(position).into_iter().map(valued).collect::<Result<_>>()?;
        children.sort_by_key(|child| Reverse(child.value));
        Ok(children)
    }
}
