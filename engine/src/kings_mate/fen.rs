//! Position strings: board, side to move, rights to the Defense of the Crown, in Active Play the pieces
//! that failed this turn, plies since a capture or a fool's move, turn number. The last two may be left out.

use super::board::{GEOMETRY, KING_SQUARES};
use super::kind::{COUNT, KING, LETTERS, SWORDMASTER};
use super::{KingsMate, RuleSet};
use crate::bitboard::{Bitboard, Square};
use crate::fen::{FenError, counter, push_run, read_placement};
use crate::geometry::shorten;
use crate::value::Side;
use crate::variant::Mark;
use thiserror::Error;

/// What is wrong with a position string of King's Mate.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum KingsMateError {
    /// Too few or too many fields.
    #[error("a position has {least} to {most} fields ({names}), found {found}")]
    Fields {
        /// The number of fields without the counters.
        least: usize,
        /// The number of fields with the counters.
        most: usize,
        /// The names of the fields.
        names: &'static str,
        /// How many there are.
        found: usize,
    },
    /// A board, a side or a counter that cannot be read.
    #[error(transparent)]
    Text(#[from] FenError),
    /// A side without exactly one king.
    #[error("{side} must have exactly one king (M for White, m for Black), found {found}")]
    Kings {
        /// The side's name.
        side: &'static str,
        /// How many there are.
        found: u32,
    },
    /// Both kings are gone, although the game ends with the first.
    #[error("both kings are missing; one side at least must have its king (M for White, m for Black)")]
    NoKings,
    /// A side with more than two swordmasters.
    #[error("{side} has {found} swordmasters; a side has at most 2")]
    Swordmasters {
        /// The side's name.
        side: &'static str,
        /// How many there are.
        found: u32,
    },
    /// A field of rights that is not understood.
    #[error("the rights to the Defense of the Crown must be \"-\", D, d or Dd, found \"{0}\"")]
    Rights(String),
    /// Rights in the game without them.
    #[error("the game has no Defense of the Crown: the third field must be \"-\", found \"{0}\"")]
    NoRights(String),
    /// A right whose king stands elsewhere.
    #[error("the right {letter} needs {side}'s king on {square}")]
    Right {
        /// `D` or `d`.
        letter: char,
        /// The side's name.
        side: &'static str,
        /// Its King Square.
        square: &'static str,
    },
    /// A field of failed pieces that is not understood.
    #[error("the pieces that failed this turn must be \"-\" or squares such as b2d7, found \"{0}\"")]
    Failed(String),
    /// A failed piece that does not belong to the side to move, or is named twice.
    #[error("{square} cannot have failed this turn: {why}")]
    FailedSquare {
        /// The square.
        square: String,
        /// What is wrong.
        why: String,
    },
    /// Pieces have failed and no other piece can move: the turn is over.
    #[error(
        "no other piece of {0} can move after these failed, so that the turn is over: the other side is to move, none failed"
    )]
    TurnOver(&'static str),
    /// The side that is not to move has a defenseless king under attack.
    #[error("{0}, not to move, has a defenseless king under attack: that cannot be")]
    OpponentInCheck(&'static str),
}

/// `White` or `Black`.
pub(super) const fn side_name(side: Side) -> &'static str {
    match side {
        Side::White => "White",
        Side::Black => "Black",
    }
}

impl<R: RuleSet> KingsMate<R> {
    /// The position of a text in the game of this empty board.
    #[inline(never)]
    pub(super) fn read(self, text: &str) -> Result<Self, KingsMateError> {
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        let (least, names) = if R::DICE {
            (4, "board, side, rights, failed pieces, clock, turn number")
        } else {
            (3, "board, side, rights, clock, turn number")
        };
        if !(least..=least + 2).contains(&fields.len()) {
            return Err(KingsMateError::Fields { least, most: least + 2, names, found: fields.len() });
        }
        let mut position = self;
        let kind_of = |letter| LETTERS.iter().position(|&l| l == letter).map(|kind| kind as u8);
        for (square, kind, side) in read_placement(fields[0], *GEOMETRY, |letter, mark| {
            kind_of(letter).filter(|_| mark == Mark::None)
        })? {
            position.put(square, kind, side);
        }
        position.side = match fields[1] {
            "w" => Side::White,
            "b" => Side::Black,
            other => return Err(FenError::Side(shorten(other)).into()),
        };
        position.check_pieces()?;
        position.read_rights(fields[2])?;
        if R::DICE {
            position.read_failed(fields[3])?;
        }
        position.clock = counter(fields.get(least), "clock", 0)?;
        position.turn = counter(fields.get(least + 1), "turn number", 1)?;
        position.drop_idle_rights();
        position.key = position.zobrist();
        position.check_turn()?;
        Ok(position)
    }

    fn check_pieces(&self) -> Result<(), KingsMateError> {
        let kings = |side| self.pieces(side, KING).count();
        for side in Side::BOTH {
            let found = kings(side);
            if found > 1 || found == 0 && !R::DICE {
                return Err(KingsMateError::Kings { side: side_name(side), found });
            }
            let found = self.pieces(side, SWORDMASTER).count();
            if found > 2 {
                return Err(KingsMateError::Swordmasters { side: side_name(side), found });
            }
        }
        if kings(Side::White) + kings(Side::Black) == 0 { Err(KingsMateError::NoKings) } else { Ok(()) }
    }

    fn read_rights(&mut self, text: &str) -> Result<(), KingsMateError> {
        let rights = match text {
            "-" => 0,
            _ if !self.special.defense => return Err(KingsMateError::NoRights(shorten(text))),
            "D" => 1,
            "d" => 2,
            "Dd" => 3,
            other => return Err(KingsMateError::Rights(shorten(other))),
        };
        for (side, letter, square) in [(Side::White, 'D', "d1"), (Side::Black, 'd', "d9")] {
            let stands = rights >> side.index() & 1 != 0;
            if stands && !self.pieces(side, KING).has(KING_SQUARES[side.index()]) {
                return Err(KingsMateError::Right { letter, side: side_name(side), square });
            }
        }
        self.rights = rights;
        Ok(())
    }

    fn read_failed(&mut self, text: &str) -> Result<(), KingsMateError> {
        let mut rest = if text == "-" { "" } else { text };
        while !rest.is_empty() {
            let form = || KingsMateError::Failed(shorten(text));
            let (square, after) = GEOMETRY.split_square(rest).ok_or_else(form)?;
            let square = square.map_err(|_| form())?;
            let wrong = |why: String| KingsMateError::FailedSquare { square: GEOMETRY.name(square), why };
            if !self.pieces_of(self.side).has(square) {
                return Err(wrong(format!("no piece of {}, who is to move, is there", side_name(self.side))));
            }
            if self.failed.has(square) {
                return Err(wrong("it is named twice".into()));
            }
            self.failed |= square.bit();
            rest = after;
        }
        Ok(())
    }

    /// What cannot be at this point of a turn.
    fn check_turn(&self) -> Result<(), KingsMateError> {
        if self.failed.any() && !self.has_move() {
            return Err(KingsMateError::TurnOver(side_name(self.side)));
        }
        let them = !self.side;
        if !R::DICE
            && self.is_defenseless(them)
            && self.attacked(self.king(them), self.side, self.occupied(), Bitboard::EMPTY)
        {
            return Err(KingsMateError::OpponentInCheck(side_name(them)));
        }
        Ok(())
    }

    /// The position string.
    pub(super) fn write(&self) -> String {
        let mut text = String::new();
        for rank in (0..GEOMETRY.height()).rev() {
            let mut run = 0;
            for square in GEOMETRY.rank_set(rank) {
                match self.piece_on(square) {
                    None => run += 1,
                    Some((kind, side)) => {
                        push_run(&mut text, &mut run);
                        text.push(letter(kind, side));
                    }
                }
            }
            push_run(&mut text, &mut run);
            text.push(if rank == 0 { ' ' } else { '/' });
        }
        let rights = ["-", "D", "d", "Dd"][usize::from(self.rights & 3)];
        text.push_str(&format!("{} {rights}", self.side.letter()));
        if R::DICE {
            text.push_str(&format!(" {}", self.failed_text()));
        }
        text.push_str(&format!(" {} {}", self.clock, self.turn));
        text
    }

    /// The squares of the failed pieces in order of their names.
    pub(super) fn failed_text(&self) -> String {
        let mut names: Vec<String> = self.failed.into_iter().map(|s: Square| GEOMETRY.name(s)).collect();
        names.sort();
        if names.is_empty() { "-".into() } else { names.concat() }
    }
}

/// A piece's letter.
pub(super) fn letter(kind: u8, side: Side) -> char {
    let letter = LETTERS[kind as usize % COUNT];
    if side == Side::White { letter } else { letter.to_ascii_lowercase() }
}
