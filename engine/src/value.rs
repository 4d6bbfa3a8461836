//! Sides, results and values: absolute ones (who wins) and relative ones (how the side to move stands)
//! are different types, so that mixing the points of view does not compile.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Not;

/// One of the two players. `White` is the south or first-named side, upper case and `w` in position
/// strings, no matter who moves first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Side {
    /// The first-named side: upper case, `w`.
    White = 0,
    /// The other side: lower case, `b`.
    Black = 1,
}

impl Side {
    /// Both sides, in index order.
    pub const BOTH: [Side; 2] = [Side::White, Side::Black];

    /// 0 for White, 1 for Black.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// `w` or `b`, as in the second field of a position string.
    pub const fn letter(self) -> char {
        match self {
            Side::White => 'w',
            Side::Black => 'b',
        }
    }
}

impl Not for Side {
    type Output = Side;

    #[inline(always)]
    fn not(self) -> Side {
        match self {
            Side::White => Side::Black,
            Side::Black => Side::White,
        }
    }
}

/// How a game ended, seen by the side to move of the final position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Outcome {
    /// The side to move has lost.
    Loss,
    /// Nobody has won.
    Draw,
    /// The side to move has won.
    Win,
}

impl Outcome {
    /// The same result seen by neither side: `side` is the side to move that `self` speaks of.
    pub const fn absolute(self, side: Side) -> Verdict {
        match (self, side) {
            (Outcome::Draw, _) => Verdict::Draw,
            (Outcome::Win, Side::White) | (Outcome::Loss, Side::Black) => Verdict::WhiteWins,
            (Outcome::Win, Side::Black) | (Outcome::Loss, Side::White) => Verdict::BlackWins,
        }
    }

    /// `win`, `draw` or `loss`, as printed.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Loss => "loss",
            Outcome::Draw => "draw",
            Outcome::Win => "win",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The other player's view of the same result.
impl Not for Outcome {
    type Output = Outcome;

    fn not(self) -> Outcome {
        match self {
            Outcome::Loss => Outcome::Win,
            Outcome::Draw => Outcome::Draw,
            Outcome::Win => Outcome::Loss,
        }
    }
}

/// How a game ended, the same for both players.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// White has won.
    WhiteWins,
    /// Nobody has won.
    Draw,
    /// Black has won.
    BlackWins,
}

impl Verdict {
    /// The result as `side` sees it.
    pub const fn seen_by(self, side: Side) -> Outcome {
        match (self, side) {
            (Verdict::Draw, _) => Outcome::Draw,
            (Verdict::WhiteWins, Side::White) | (Verdict::BlackWins, Side::Black) => Outcome::Win,
            (Verdict::WhiteWins, Side::Black) | (Verdict::BlackWins, Side::White) => Outcome::Loss,
        }
    }

    /// `1-0`, `1/2-1/2` or `0-1`, as game records write it.
    pub const fn score_text(self) -> &'static str {
        match self {
            Verdict::WhiteWins => "1-0",
            Verdict::Draw => "1/2-1/2",
            Verdict::BlackWins => "0-1",
        }
    }
}

/// The value of a position under perfect play, seen by the side to move, with the distance in plies to
/// the end of the game: the winner wins as fast and the loser loses as slowly as possible.
///
/// Values are ordered from the worst to the best for the side to move: a quick loss, a slow loss, a
/// draw, a slow win, a quick win.
///
/// ```
/// use jewel_engine::value::Value;
/// assert!(Value::Win(1) > Value::Win(3));
/// assert!(Value::Loss(4) > Value::Loss(2));
/// assert!(Value::Win(9) > Value::Draw && Value::Draw > Value::Loss(8));
/// // A reply that loses in 4 for the opponent makes a win in 5 for the mover.
/// assert_eq!(Value::Loss(4).before_opponents_turn(), Value::Win(5));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// The side to move loses in this number of plies.
    Loss(u32),
    /// Neither side can force a win.
    Draw,
    /// The side to move wins in this number of plies.
    Win(u32),
}

impl Value {
    /// The value of a finished position.
    pub const fn from_outcome(outcome: Outcome) -> Value {
        match outcome {
            Outcome::Loss => Value::Loss(0),
            Outcome::Draw => Value::Draw,
            Outcome::Win => Value::Win(0),
        }
    }

    /// Win, draw or loss without the distance.
    pub const fn outcome(self) -> Outcome {
        match self {
            Value::Loss(_) => Outcome::Loss,
            Value::Draw => Outcome::Draw,
            Value::Win(_) => Outcome::Win,
        }
    }

    /// Plies to the end of the game; `None` for a draw.
    pub const fn distance(self) -> Option<u32> {
        match self {
            Value::Loss(n) | Value::Win(n) => Some(n),
            Value::Draw => None,
        }
    }

    /// What a move is worth to its mover if the position after it has this value and the *other* side is
    /// to move there: the roles change and the distance grows by one ply.
    pub const fn before_opponents_turn(self) -> Value {
        match self {
            Value::Loss(n) => Value::Win(n + 1),
            Value::Draw => Value::Draw,
            Value::Win(n) => Value::Loss(n + 1),
        }
    }

    /// What a ply is worth to its mover if the position after it has this value and the *same* side is to
    /// move again (a turn of several plies).
    pub const fn before_own_turn(self) -> Value {
        match self {
            Value::Loss(n) => Value::Loss(n + 1),
            Value::Draw => Value::Draw,
            Value::Win(n) => Value::Win(n + 1),
        }
    }

    /// What a ply is worth to `mover` if the position after it has this value for `next`, the side to move
    /// there. The one place where the sign of a value follows the turn.
    pub fn before_ply(self, mover: Side, next: Side) -> Value {
        if mover == next { self.before_own_turn() } else { self.before_opponents_turn() }
    }

    /// The same value seen by neither side: `side` is the side to move that `self` speaks of.
    pub const fn absolute(self, side: Side) -> AbsoluteValue {
        AbsoluteValue { verdict: self.outcome().absolute(side), distance: self.distance() }
    }

    /// A number that grows with the value: by it values are ordered.
    pub const fn rank(self) -> i64 {
        match self {
            Value::Loss(n) => n as i64 - (1 << 40),
            Value::Draw => 0,
            Value::Win(n) => (1 << 40) - n as i64,
        }
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Value) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Loss(n) => f.pad(&format!("loss in {n}")),
            Value::Draw => f.pad("draw"),
            Value::Win(n) => f.pad(&format!("win in {n}")),
        }
    }
}

/// A perfect-play value that names the winner instead of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AbsoluteValue {
    /// Who wins.
    pub verdict: Verdict,
    /// Plies to the end of the game; `None` for a draw.
    pub distance: Option<u32>,
}

impl AbsoluteValue {
    /// The value as `side` sees it, to move or not.
    pub const fn seen_by(self, side: Side) -> Value {
        match (self.verdict.seen_by(side), self.distance) {
            (Outcome::Win, Some(n)) => Value::Win(n),
            (Outcome::Loss, Some(n)) => Value::Loss(n),
            _ => Value::Draw,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_view_round_trip() {
        for side in Side::BOTH {
            for value in [Value::Loss(0), Value::Loss(7), Value::Draw, Value::Win(2)] {
                assert_eq!(value.absolute(side).seen_by(side), value);
                let other = value.absolute(side).seen_by(!side);
                assert_eq!(other.outcome(), !value.outcome());
                assert_eq!(other.distance(), value.distance());
            }
            for outcome in [Outcome::Loss, Outcome::Draw, Outcome::Win] {
                assert_eq!(outcome.absolute(side).seen_by(side), outcome);
                assert_eq!(outcome.absolute(side).seen_by(!side), !outcome);
            }
        }
    }

    #[test]
    fn a_ply_keeps_the_sign_only_when_the_mover_goes_on() {
        use Side::{Black, White};
        assert_eq!(Value::Win(3).before_ply(White, White), Value::Win(4));
        assert_eq!(Value::Win(3).before_ply(White, Black), Value::Loss(4));
        assert_eq!(Value::Draw.before_ply(White, Black), Value::Draw);
    }

    #[test]
    fn every_value_orders_against_every_other() {
        let ladder =
            [Value::Loss(0), Value::Loss(5), Value::Draw, Value::Win(u32::MAX), Value::Win(5), Value::Win(0)];
        for pair in ladder.windows(2) {
            assert!(pair[0] < pair[1], "{} must be worse than {}", pair[0], pair[1]);
        }
    }
}
