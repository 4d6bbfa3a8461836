//! Lines of best play.

use crate::solution::{Solution, ValuedMove};
use jewel_engine::ability::Packed;
use jewel_engine::position::Position;
use jewel_engine::value::{Outcome, Value};
use std::collections::HashMap;

/// Best play from a position to the end of the game, or to the first repetition.
///
/// The winner wins as fast and the loser loses as slowly as possible. In a draw both sides play the drawing move that leaves
/// the opponent the fewest drawing moves: the line that is hardest to hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line<M> {
    /// The moves.
    pub plies: Vec<LinePly<M>>,
    /// How the line ends.
    pub end: LineEnd,
}

/// A move of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinePly<M> {
    /// The move.
    pub mv: M,
    /// The value of the position before it, for its side to move.
    pub value: Value,
    /// Whether it is the only move that wins, or draws, where the position is won or drawn; in a lost
    /// position, whether it is the only move.
    pub forced: bool,
}

/// How a line ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineEnd {
    /// The game is over; the result is for the side to move in the last position.
    Over(Outcome),
    /// The last position is the one before the ply of this index.
    Repetition(usize),
}

impl<P: Packed> Solution<P> {
    /// The line from a position; `None` if the root does not lead there.
    pub fn line(&self, from: &P) -> Option<Line<P::Move>> {
        self.value(from)?;
        best_line(from, |position| self.moves(position).ok_or(())).ok()
    }
}

/// The line from a position, with values from any source: `valued` returns the moves of a position with their values, best
/// first, and none if the game is over.
///
/// # Errors
/// Those of `valued`.
pub fn best_line<P: Position, E>(
    from: &P,
    valued: impl Fn(&P) -> Result<Vec<ValuedMove<P::Move>>, E>,
) -> Result<Line<P::Move>, E> {
    let mut plies = Vec::new();
    let end = best_line_into(from, valued, &mut plies)?;
    Ok(Line { plies, end })
}

/// As [`best_line`], for values that may take long to get: each ply is added to `plies`, where it stays if a later value
/// is not had.
///
/// # Errors
/// Those of `valued`; the plies before it are in `plies`.
#[inline(never)]
pub fn best_line_into<P: Position, E>(
    from: &P,
    valued: impl Fn(&P) -> Result<Vec<ValuedMove<P::Move>>, E>,
    plies: &mut Vec<LinePly<P::Move>>,
) -> Result<LineEnd, E> {
    let mut seen: HashMap<P, usize> = HashMap::new();
    let mut position = from.clone();
    loop {
        if let Some(outcome) = position.outcome() {
            return Ok(LineEnd::Over(outcome));
        }
        if let Some(&index) = seen.get(&position) {
            return Ok(LineEnd::Repetition(index));
        }
        let moves = valued(&position)?;
        let Some(best) = moves.first() else {
            return Ok(LineEnd::Over(Outcome::Draw));
        };
        let value = best.value;
        let mv = if value == Value::Draw { hardest(&position, &moves, &valued)? } else { best.mv };
        let forced = holding(&moves, value.outcome()) == 1;
        seen.insert(position.clone(), plies.len());
        plies.push(LinePly { mv, value, forced });
        position.play(mv);
    }
}

/// Of the drawing moves the one that leaves the opponent the fewest drawing replies.
fn hardest<P: Position, E>(
    position: &P,
    moves: &[ValuedMove<P::Move>],
    valued: &impl Fn(&P) -> Result<Vec<ValuedMove<P::Move>>, E>,
) -> Result<P::Move, E> {
    let mut hardest = (moves[0].mv, usize::MAX);
    for child in moves.iter().filter(|child| child.value == Value::Draw) {
        let replies = valued(&position.after(child.mv))?;
        // If the game is over, there is nothing to hold.
        let choice = if replies.is_empty() { usize::MAX } else { holding(&replies, Outcome::Draw) };
        if choice < hardest.1 {
            hardest = (child.mv, choice);
        }
    }
    Ok(hardest.0)
}

/// How many moves have an outcome, at any distance.
fn holding<M>(moves: &[ValuedMove<M>], outcome: Outcome) -> usize {
    moves.iter().filter(|child| child.value.outcome() == outcome).count()
}
