//! Scores: centipawns, or a forced result with its distance.

use jewel_engine::value::{Outcome, Value};
use std::fmt;
use std::ops::Neg;

/// A score for the side to move: centipawns while the game is open, a distance in plies once a win or a
/// loss is forced. Scores are ordered from the worst to the best; a win of fewer plies is greater, a loss of
/// fewer plies is less.
///
/// Every score but the two infinities fits into 16 bits.
///
/// ```
/// use jewel_search::score::Score;
/// assert!(Score::win_in(3) > Score::win_in(5) && Score::win_in(5) > Score::centipawns(900));
/// assert!(Score::loss_in(4) > Score::loss_in(2) && Score::loss_in(4) < Score::centipawns(-900));
/// assert_eq!(-Score::win_in(3), Score::loss_in(3));
/// assert_eq!(Score::loss_in(2).before_opponents_turn(), Score::win_in(3));
/// assert_eq!(Score::win_in(3).distance(), Some(3));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Score(i32);

impl Score {
    /// A draw, and an even position.
    pub const DRAW: Score = Score(0);
    /// Above every score: the upper end of a full window.
    pub const INFINITE: Score = Score(32_001);
    /// The longest distance that a score can express, in plies; longer ones are cut to it.
    pub const MAX_DISTANCE: u32 = 8_000;
    /// The greatest number of centipawns of an open position.
    pub const MAX_CENTIPAWNS: i32 = Score::WIN - Score::MAX_DISTANCE as i32 - 1;
    /// A win in no plies.
    const WIN: i32 = 32_000;

    /// A score in hundredths of a pawn, cut to [`MAX_CENTIPAWNS`](Score::MAX_CENTIPAWNS) either way, so that
    /// no evaluation looks like a forced result.
    #[inline]
    pub const fn centipawns(centipawns: i32) -> Score {
        if centipawns > Score::MAX_CENTIPAWNS {
            Score(Score::MAX_CENTIPAWNS)
        } else if centipawns < -Score::MAX_CENTIPAWNS {
            Score(-Score::MAX_CENTIPAWNS)
        } else {
            Score(centipawns)
        }
    }

    /// A win that takes this many plies under best play.
    #[inline]
    pub const fn win_in(plies: u32) -> Score {
        let plies = if plies > Score::MAX_DISTANCE { Score::MAX_DISTANCE } else { plies };
        Score(Score::WIN - plies as i32)
    }

    /// A loss that takes this many plies under best play.
    #[inline]
    pub const fn loss_in(plies: u32) -> Score {
        Score(-Score::win_in(plies).0)
    }

    /// The number behind the score, for tables and for window arithmetic.
    #[inline(always)]
    pub const fn raw(self) -> i32 {
        self.0
    }

    /// The score of a number that [`raw`](Score::raw) gave.
    #[inline(always)]
    pub const fn from_raw(raw: i32) -> Score {
        Score(raw)
    }

    /// Whether a win or a loss is forced. A draw, proven or not, is an open score.
    #[inline]
    pub const fn is_decided(self) -> bool {
        self.0.abs() > Score::MAX_CENTIPAWNS
    }

    /// Whether a win is forced.
    #[inline]
    pub const fn is_win(self) -> bool {
        self.0 > Score::MAX_CENTIPAWNS
    }

    /// Whether a loss is forced.
    #[inline]
    pub const fn is_loss(self) -> bool {
        self.0 < -Score::MAX_CENTIPAWNS
    }

    /// Plies to the end of the game where it is forced.
    pub const fn distance(self) -> Option<u32> {
        if self.is_decided() { Some((Score::WIN - self.0.abs()).unsigned_abs()) } else { None }
    }

    /// The score of a move for its mover if the position after it has this score and the other side is to
    /// move there: the sign changes, and the end of the game is one ply farther away.
    #[inline]
    pub const fn before_opponents_turn(self) -> Score {
        Score(-self.farther().0)
    }

    /// The same with the same side to move again.
    #[inline]
    pub const fn before_own_turn(self) -> Score {
        self.farther()
    }

    const fn farther(self) -> Score {
        match self.distance() {
            Some(plies) if self.0 > 0 => Score::win_in(plies + 1),
            Some(plies) => Score::loss_in(plies + 1),
            None => self,
        }
    }

    /// The share of a point that the side to move may expect, from 0 to 1: the logistic curve of Elo's
    /// rating formula, on which 400 centipawns are odds of ten to one.
    pub fn expectation(self) -> f64 {
        match self {
            score if score.is_win() => 1.0,
            score if score.is_loss() => 0.0,
            score => 1.0 / (1.0 + 10f64.powf(f64::from(-score.0) / 400.0)),
        }
    }

    /// The centipawns of an expected share of a point: the inverse of [`expectation`](Score::expectation),
    /// never a forced result. Anything outside of 0 to 1 counts as the nearer end.
    pub fn from_expectation(share: f64) -> Score {
        let share = share.clamp(1e-6, 1.0 - 1e-6);
        Score::centipawns((400.0 * (share / (1.0 - share)).log10()).round() as i32)
    }
}

impl From<Value> for Score {
    fn from(value: Value) -> Score {
        match value {
            Value::Loss(plies) => Score::loss_in(plies),
            Value::Draw => Score::DRAW,
            Value::Win(plies) => Score::win_in(plies),
        }
    }
}

impl From<Outcome> for Score {
    fn from(outcome: Outcome) -> Score {
        Value::from_outcome(outcome).into()
    }
}

/// The other side's view of the same score.
impl Neg for Score {
    type Output = Score;

    #[inline(always)]
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

/// `+0.35`, `win in 7` or `loss in 4`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.distance() {
            Some(plies) if self.is_win() => f.pad(&format!("win in {plies}")),
            Some(plies) => f.pad(&format!("loss in {plies}")),
            None => f.pad(&format!("{:+.2}", f64::from(self.0) / 100.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_agree_with_exact_values() {
        let ladder =
            [Value::Loss(0), Value::Loss(7), Value::Draw, Value::Win(9), Value::Win(8), Value::Win(0)];
        for pair in ladder.windows(2) {
            assert!(Score::from(pair[0]) < Score::from(pair[1]), "{} before {}", pair[0], pair[1]);
        }
        for value in ladder {
            let score = Score::from(value);
            assert_eq!(score.distance(), value.distance());
            assert_eq!(score.before_opponents_turn(), value.before_opponents_turn().into());
            assert_eq!(score.before_own_turn(), value.before_own_turn().into());
            assert_eq!(Score::from_raw(score.raw()), score);
        }
    }

    #[test]
    fn no_evaluation_looks_forced_and_no_distance_looks_open() {
        for score in [Score::centipawns(i32::MAX), Score::centipawns(i32::MIN)] {
            assert!(!score.is_decided());
        }
        assert_eq!(Score::win_in(u32::MAX).distance(), Some(Score::MAX_DISTANCE));
        assert_eq!(Score::win_in(u32::MAX).before_own_turn().distance(), Some(Score::MAX_DISTANCE));
        assert!(Score::loss_in(u32::MAX).is_loss());
        assert!(Score::win_in(0) < Score::INFINITE && Score::loss_in(0) > -Score::INFINITE);
        assert!(Score::INFINITE.raw() <= i32::from(i16::MAX));
    }

    #[test]
    fn expectations_round_trip() {
        assert_eq!(Score::from_expectation(0.5), Score::DRAW);
        for centipawns in [-900, -35, 0, 10, 400] {
            let score = Score::centipawns(centipawns);
            assert_eq!(Score::from_expectation(score.expectation()), score);
        }
        assert!((Score::centipawns(400).expectation() - 10.0 / 11.0).abs() < 1e-12);
        assert_eq!(Score::win_in(4).expectation(), 1.0);
        assert!(
            !Score::from_expectation(1.0).is_decided() && !Score::from_expectation(f64::NAN).is_decided()
        );
    }

    #[test]
    fn scores_print_as_people_read_them() {
        assert_eq!(Score::centipawns(-35).to_string(), "-0.35");
        assert_eq!(Score::DRAW.to_string(), "+0.00");
        assert_eq!(Score::win_in(7).to_string(), "win in 7");
        assert_eq!(Score::loss_in(4).to_string(), "loss in 4");
    }
}
