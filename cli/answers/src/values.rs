//! Sources of exact values: a solved graph, or tables.

use anyhow::{Result, anyhow};
use jewel_engine::ability::Packed;
use jewel_engine::chesslike::{AnyChessLike, ChessGame, ChessLike, General, Move, RuleSubset};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::ranking::best_first;
use jewel_engine::value::Value;
use jewel_engine::zobrist::MAX_TYPES;
use jewel_solver::dense::{DenseReader, DenseTable};
use jewel_solver::solution::{Solution, ValuedMove};

/// A game as tables know it: by its rules, whatever shape they have.
pub type TableGame = ChessGame<'static, General, MAX_TYPES>;

/// A position of such a game.
pub type TablePosition = AnyChessLike<'static>;

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

impl<P: Packed> Values<P> for Solution<P> {
    fn value(&self, position: &P) -> Result<Value> {
        Solution::value(self, position).ok_or_else(|| anyhow!("{position:?} was not solved"))
    }

    fn children(&self, position: &P) -> Result<Vec<ValuedMove<P::Move>>> {
        Solution::moves(self, position).ok_or_else(|| anyhow!("{position:?} was not solved"))
    }
}

impl<S: RuleSubset, const N: usize> Values<ChessLike<'static, S, N>> for DenseTable<'static> {
    fn value(&self, position: &ChessLike<'static, S, N>) -> Result<Value> {
        DenseTable::value(self, position).ok_or_else(|| not_there(position))
    }

    fn children(&self, position: &ChessLike<'static, S, N>) -> Result<Vec<ValuedMove<Move>>> {
        valued_moves(position, |next| Values::value(self, next))
    }
}

impl<S: RuleSubset, const N: usize> Values<ChessLike<'static, S, N>> for DenseReader<'static> {
    fn value(&self, position: &ChessLike<'static, S, N>) -> Result<Value> {
        DenseReader::value(self, position)?.ok_or_else(|| not_there(position))
    }

    fn children(&self, position: &ChessLike<'static, S, N>) -> Result<Vec<ValuedMove<Move>>> {
        valued_moves(position, |next| Values::value(self, next))
    }
}

fn not_there<S: RuleSubset, const N: usize>(position: &ChessLike<'_, S, N>) -> anyhow::Error {
    anyhow!("the table has no position \"{}\": its pieces are not those of the game", position.to_fen())
}

/// The moves of a position with their values, as [`Values::children`] gives them, where each position has its value from
/// `value`.
///
/// # Errors
/// Those of `value`.
pub fn valued_moves<P: Position>(
    position: &P,
    value: impl Fn(&P) -> Result<Value>,
) -> Result<Vec<ValuedMove<P::Move>>> {
    if position.outcome().is_some() {
        return Ok(Vec::new());
    }
    let valued = |mv| {
        let next = position.after(mv);
        let value = value(&next)?.before_ply(position.side_to_move(), next.side_to_move());
        Ok(ValuedMove { mv, value })
    };
    let mut moves: Vec<_> = list_moves(position).into_iter().map(valued).collect::<Result<_>>()?;
    best_first(&mut moves, |child| child.value.rank());
    Ok(moves)
}
