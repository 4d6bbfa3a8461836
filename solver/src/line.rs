//! Lines of best play.

use crate::solution::{Child, Solution};
use jewel_engine::ability::{Packed, PackedKey};
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
        let mut plies = Vec::new();
        let mut seen: HashMap<P, usize> = HashMap::new();
        let mut position = from.clone();
        loop {
            let value = self.value(&position)?;
            if let Some(outcome) = position.outcome() {
                return Some(Line { plies, end: LineEnd::Over(outcome) });
            }
            if let Some(&index) = seen.get(&position) {
                return Some(Line { plies, end: LineEnd::Repetition(index) });
            }
            let children = self.children(&position)?;
            let holding = self.holding(&children, value.outcome());
            let chosen = self.choose(&position, &children, value)?;
            seen.insert(position.clone(), plies.len());
            plies.push(LinePly { mv: chosen, value, forced: holding == 1 });
            position.play(chosen);
        }
    }

    /// The move of the line: the best by value and distance; among drawing moves, the most demanding.
    fn choose(&self, position: &P, children: &[Child<P::Move>], value: Value) -> Option<P::Move> {
        if value != Value::Draw {
            return children.first().map(|child| child.mv);
        }
        let replies = |mv| {
            let next = position.after(mv);
            match self.children(&next) {
                // A game that is over leaves nothing to hold.
                Some(replies) if !replies.is_empty() => self.holding(&replies, Outcome::Draw),
                _ => usize::MAX,
            }
        };
        let drawing = children.iter().filter(|child| child.value == Value::Draw);
        drawing.map(|child| child.mv).min_by_key(|&mv| replies(mv))
    }
}
