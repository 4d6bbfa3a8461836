//! What is known of a position, in two bytes.

use crate::control::MAX_MOVES;
use jewel_engine::value::{Outcome, Side, Value};

/// Two bytes for each position: the side to move, and one of
///
/// - nothing yet: its moves have not been made;
/// - open: how many of its moves are not known to lose;
/// - decided: its value. Distances that do not fit are kept elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Word(pub(crate) u16);

const BLACK: u16 = 1 << 15;
const DECIDED: u16 = 1 << 14;
const WIN: u16 = 1 << 13;
const LOW: u16 = WIN - 1;
/// In the place of a distance: it is kept elsewhere.
const FAR: u16 = LOW - 1;
/// In the place of a distance: the game is over and drawn.
const DRAWN: u16 = LOW - 2;

const _: () = assert!(MAX_MOVES <= LOW as usize);

impl Word {
    /// The moves of the position have not been made.
    pub(crate) const UNEXPANDED: Word = Word(u16::MAX);
    /// There is no position in this place.
    pub(crate) const ABSENT: Word = Word(u16::MAX ^ BLACK);
    /// The longest distance that fits.
    pub(crate) const LONGEST: u32 = (LOW - 3) as u32;

    /// A position with `moves` moves, at most [`MAX_MOVES`].
    pub(crate) fn open(side: Side, moves: usize) -> Word {
        Word((side.index() as u16) << 15 | moves as u16)
    }

    /// A finished game.
    pub(crate) fn finished(side: Side, outcome: Outcome) -> Word {
        let state = match outcome {
            Outcome::Win => WIN,
            Outcome::Loss => 0,
            Outcome::Draw => DRAWN,
        };
        Word((side.index() as u16) << 15 | DECIDED | state)
    }

    #[inline(always)]
    pub(crate) fn side(self) -> Side {
        if self.0 & BLACK == 0 { Side::White } else { Side::Black }
    }

    /// Whether its value is known: a win, a loss, or a game that is over.
    #[inline(always)]
    pub(crate) fn is_decided(self) -> bool {
        self.0 & DECIDED != 0
    }

    /// The moves of an open position that are not known to lose.
    #[inline(always)]
    pub(crate) fn moves(self) -> u32 {
        u32::from(self.0 & LOW)
    }

    /// The position after one more move is known to lose; `None` if it was the last, or if there was none.
    #[inline(always)]
    pub(crate) fn one_less(self) -> Option<Word> {
        (self.moves() > 1).then(|| Word(self.0 - 1))
    }

    /// An open position decided: whether its side to move wins, and in how many plies.
    #[inline(always)]
    pub(crate) fn decided(self, wins: bool, distance: u32) -> Word {
        let low = if distance > Word::LONGEST { FAR } else { distance as u16 };
        Word(self.0 & BLACK | DECIDED | if wins { WIN } else { 0 } | low)
    }

    /// Who wins; `None` where nobody does, or it is not known.
    #[inline(always)]
    pub(crate) fn winner(self) -> Option<Side> {
        let decided =
            self.is_decided() && self.0 & (WIN | LOW) != DRAWN && self.0 | BLACK != Word::UNEXPANDED.0;
        decided.then(|| if self.0 & WIN != 0 { self.side() } else { !self.side() })
    }

    /// What is known of a position, but for the side to move and, if it is decided, for the winner.
    #[inline(always)]
    pub(crate) fn without_sides(self) -> Word {
        Word(self.0 & (DECIDED | LOW))
    }

    /// Whether the distance is kept elsewhere.
    #[inline(always)]
    pub(crate) fn is_far(self) -> bool {
        self.is_decided() && self.0 & LOW == FAR
    }

    /// The value, where everything that can be decided is: open positions are draws. `far` gives a distance that does not fit.
    #[inline(always)]
    pub(crate) fn value(self, far: impl FnOnce() -> u32) -> Value {
        if self.winner().is_none() {
            return Value::Draw;
        }
        let distance = if self.is_far() { far() } else { self.moves() };
        if self.0 & WIN != 0 { Value::Win(distance) } else { Value::Loss(distance) }
    }

    /// How the game ended here, where all that is known is from making the moves.
    pub(crate) fn is_finished(self) -> bool {
        self.is_decided() && (self.moves() == 0 || self.0 & (WIN | LOW) == DRAWN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_what_they_are_given() {
        for side in Side::BOTH {
            for moves in [1, 2, MAX_MOVES] {
                let word = Word::open(side, moves);
                assert_eq!((word.side(), word.moves() as usize, word.is_decided()), (side, moves, false));
                assert_eq!((word.winner(), word.value(|| 7)), (None, Value::Draw));
                assert_eq!(word.one_less(), (moves > 1).then(|| Word::open(side, moves - 1)));
                for distance in [1, Word::LONGEST, Word::LONGEST + 1, 1 << 30] {
                    for (wins, value) in [(true, Value::Win(distance)), (false, Value::Loss(distance))] {
                        let decided = word.decided(wins, distance);
                        assert_eq!(decided.side(), side);
                        assert_eq!(decided.winner(), Some(if wins { side } else { !side }));
                        assert_eq!(decided.value(|| distance), value);
                        assert_eq!(decided.is_far(), distance > Word::LONGEST);
                        assert!(
                            decided.is_decided()
                                && !decided.is_finished()
                                && ![Word::UNEXPANDED, Word::ABSENT].contains(&decided)
                        );
                    }
                }
            }
            for outcome in [Outcome::Loss, Outcome::Draw, Outcome::Win] {
                let word = Word::finished(side, outcome);
                assert!(word.is_decided() && word.is_finished() && word != Word::UNEXPANDED);
                assert_eq!((word.side(), word.value(|| 7)), (side, Value::from_outcome(outcome)));
            }
        }
        assert_eq!(Word::open(Side::White, 0).one_less(), None);
        assert_eq!([Word::UNEXPANDED.winner(), Word::ABSENT.winner()], [None, None]);
    }
}
