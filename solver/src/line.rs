//! Lines of best play.

use crate::solution::{Child, Solution};
use jewel_engine::ability::{Packed, PackedKey};
use jewel_engine::position::Position;
use jewel_engine::value::{Outcome, Value};
use std::collections::HashMap;

/// Best play from a position to the end of the game, or to the first repetition.
///
/// The winner wins as fast and the loser loses as slowly as possible. In a draw both keep it, each with the
/// move that leaves the other the fewest moves that keep it too: the line that is hardest to hold.
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

impl<P: Packed, K: PackedKey> Solution<P, K> {
    /// The line from a position; `None` if the root does not lead there.
    pub fn line(&self, from: &P) -> Option<Line<P::Move>> {
        self.value(from)?;
        best_line(from, |position| self.children(position).ok_or(())).ok()
    }
}

/// The line from a position, whoever knows the values: `children` has the moves of a position with their values,
/// best first, and none where the game is over.
///
/// # Errors
/// Those of `children`.
pub fn best_line<P: Position, E>(
    from: &P,
    children: impl Fn(&P) -> Result<Vec<Child<P::Move>>, E>,
) -> Result<Line<P::Move>, E> {
    let mut plies = Vec::new();
    let mut seen: HashMap<P, usize> = HashMap::new();
    let mut position = from.clone();
    loop {
        if let Some(outcome) = position.outcome() {
            return Ok(Line { plies, end: LineEnd::Over(outcome) });
        }
        if let Some(&index) = seen.get(&position) {
            return Ok(Line { plies, end: LineEnd::Repetition(index) });
        }
        let moves = children(&position)?;
        let Some(best) = moves.first() else {
            return Ok(Line { plies, end: LineEnd::Over(Outcome::Draw) });
        };
        let value = best.value;
        let mv = if value == Value::Draw { hardest(&position, &moves, &children)? } else { best.mv };
        let forced = holding(&moves, value.outcome()) == 1;
        seen.insert(position.clone(), plies.len());
        plies.push(LinePly { mv, value, forced });
        position.play(mv);
    }
}

/// Among drawing moves the most demanding.
fn hardest<P: Position, E>(
    position: &P,
    moves: &[Child<P::Move>],
    children: &impl Fn(&P) -> Result<Vec<Child<P::Move>>, E>,
) -> Result<P::Move, E> {
    let mut hardest = (moves[0].mv, usize::MAX);
    for child in moves.iter().filter(|child| child.value == Value::Draw) {
        let replies = children(&position.after(child.mv))?;
        // A game that is over leaves nothing to hold.
        let choice = if replies.is_empty() { usize::MAX } else { holding(&replies, Outcome::Draw) };
        if choice < hardest.1 {
            hardest = (child.mv, choice);
        }
    }
    Ok(hardest.0)
}

/// How many moves keep the value of a position, whatever the distance: one is forced.
fn holding<M>(moves: &[Child<M>], outcome: Outcome) -> usize {
    moves.iter().filter(|child| child.value.outcome() == outcome).count()
}
