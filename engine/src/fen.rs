//! The parts of position strings in the manner of FEN that several games share: placement, counters, and what can
//! be wrong with them.

use crate::bitboard::Square;
use crate::geometry::{Geometry, GeometryError, shorten};
use crate::unsupported;
use crate::value::Side;
use crate::variant::Mark;
use arrayvec::ArrayVec;
use thiserror::Error;

/// What is wrong with a position string.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum FenError {
    /// Too few or too many fields.
    #[error(
        "a position has 4 to 6 fields (pieces, side, castling, en passant, clock, move number), found {0}"
    )]
    Fields(usize),
    /// Too few or too many ranks.
    #[error("the board has {expected} ranks, found {found}")]
    Ranks {
        /// Ranks of the board.
        expected: u8,
        /// Ranks of the text.
        found: usize,
    },
    /// A rank of the wrong length.
    #[error("rank {rank} must fill {expected} squares, \"{text}\" fills {found}")]
    RankLength {
        /// The rank's number.
        rank: usize,
        /// Files of the board.
        expected: u8,
        /// The text of the rank.
        text: String,
        /// Squares that the text fills.
        found: usize,
    },
    /// A letter that no piece has.
    #[error("no piece has the letter '{letter}' (rank {rank}); pieces are {known}")]
    Letter {
        /// The letter found.
        letter: char,
        /// The rank's number.
        rank: usize,
        /// The letters of the game.
        known: String,
    },
    /// A promoted piece of a type that has no promoted form.
    #[error("no piece is written {found}: {letter} has no such promoted form; pieces are {known}")]
    NotPromoted {
        /// The letter.
        letter: char,
        /// The letter with its mark.
        found: String,
        /// The letters of the game.
        known: String,
    },
    /// Pieces in hand where the game has none.
    #[error("this game has no pieces in hand: leave out [{0}]")]
    NoHands(String),
    /// Something in a hand that cannot be there.
    #[error("'{found}' cannot be in a hand; what can are {known}")]
    Held {
        /// What was found.
        found: String,
        /// What can be in a hand.
        known: String,
    },
    /// More pieces than the game has.
    #[error("there are {found} {letter} on the board and in hands, but the game has {most}")]
    TooMany {
        /// The letter in a hand.
        letter: String,
        /// How many there are.
        found: u32,
        /// How many the game starts with.
        most: u32,
    },
    /// A mark of a rule that cannot be had.
    #[error("{0} are not supported yet")]
    Unsupported(&'static str),
    /// A piece where its type can never be.
    #[error("a {name} cannot stand on {square}")]
    Place {
        /// The piece's name.
        name: String,
        /// The square.
        square: String,
    },
    /// The side to move is neither `w` nor `b`.
    #[error("the side to move must be w or b, found \"{0}\"")]
    Side(String),
    /// A side without exactly one royal piece.
    #[error("{side} must have exactly one {name}, found {found}")]
    Royal {
        /// The side's name.
        side: String,
        /// The royal piece's name.
        name: String,
        /// How many there are.
        found: u32,
    },
    /// The side that is not to move stands in check.
    #[error("{0}, not to move, is in check: that cannot be")]
    OpponentInCheck(String),
    /// A castling field that is not understood.
    #[error("castling rights must be \"-\" or letters among \"{known}\", found \"{found}\"")]
    Castling {
        /// The letters of the game.
        known: String,
        /// The text found.
        found: String,
    },
    /// A castling right whose king or rook is elsewhere.
    #[error("castling right {right} needs a {piece} on {square}")]
    CastlingPiece {
        /// The right's letter.
        right: char,
        /// The piece that is missing.
        piece: String,
        /// Where it should stand.
        square: String,
    },
    /// An en passant square that is not a square.
    #[error("the en passant field must be \"-\" or a square: {0}")]
    EnPassant(GeometryError),
    /// An en passant square that no double step can have passed.
    #[error("no double step can just have passed {0}")]
    EnPassantSquare(String),
    /// A counter that is not a number.
    #[error("the {name} must be a number from {least} to 65535, found \"{found}\"")]
    Counter {
        /// The name of the counter.
        name: &'static str,
        /// The least value.
        least: u16,
        /// The text found.
        found: String,
    },
    /// No piece is on the board.
    #[error("the board is empty")]
    Empty,
}

/// Splits what is in hand, in brackets or as one rank too many, from the placement. `None` where nothing says that there
/// are hands.
pub(crate) fn split_hands(text: &str, geometry: Geometry) -> (&str, Option<&str>) {
    if let Some((board, hands)) = text.split_once('[') {
        return (board, Some(hands.strip_suffix(']').unwrap_or(hands)));
    }
    if count_ranks(text) == usize::from(geometry.height()) + 1
        && let Some((board, last)) = text.rsplit_once('/')
        && (last.is_empty() || last == "-" || last.chars().all(|c| c.is_ascii_alphabetic()))
    {
        return (board, Some(last));
    }
    (text, None)
}

/// The first fields of a position string, and how many there are in all. Nothing is allocated: tables are asked for millions.
pub(crate) fn split_fields(text: &str) -> (ArrayVec<&str, 6>, usize) {
    let mut words = text.split_ascii_whitespace();
    let fields: ArrayVec<&str, 6> = words.by_ref().take(6).collect();
    let count = fields.len() + words.count();
    (fields, count)
}

/// The parts of a text between slashes, of which there is at least one. As `split('/')`, which takes a fifth of a probe of a
/// position string: it calls a function to compare each slash that it has found.
fn ranks(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let (rank, below) = match text.bytes().position(|byte| byte == b'/') {
            Some(end) => (&text[..end], Some(&text[end + 1..])),
            None => (text, None),
        };
        rest = below;
        Some(rank)
    })
}

fn count_ranks(text: &str) -> usize {
    1 + text.bytes().filter(|&byte| byte == b'/').count()
}

/// Reads the placement of the pieces, from the highest rank down.
pub(crate) fn read_placement(
    text: &str,
    geometry: Geometry,
    kind_of: impl Fn(char, Mark) -> Option<u8>,
) -> Result<ArrayVec<(Square, u8, Side), 64>, FenError> {
    let found = count_ranks(text);
    let (width, height) = (geometry.width(), geometry.height());
    let unsupported = || unsupported::in_placement(text).map(FenError::Unsupported);
    if found != height as usize {
        if let Some(error) = unsupported() {
            return Err(error);
        }
        return Err(FenError::Ranks { expected: height, found });
    }
    let mut placed = ArrayVec::new();
    for (from_top, rank) in ranks(text).enumerate() {
        let number = height as usize - from_top;
        let mut file = 0usize;
        let mut run = 0usize;
        let mut letters = rank.chars().peekable();
        while let Some(mut letter) = letters.next() {
            if let Some(digit) = letter.to_digit(10) {
                run = (run * 10 + digit as usize).min(1000);
                continue;
            }
            file += std::mem::take(&mut run);
            let mut mark = Mark::None;
            if letter == '+'
                && let Some(next) = letters.next()
            {
                (letter, mark) = (next, Mark::Plus);
            } else if letters.next_if_eq(&'~').is_some() {
                mark = Mark::Tilde;
            }
            let side = if letter.is_ascii_uppercase() { Side::White } else { Side::Black };
            let kind = kind_of(letter.to_ascii_uppercase(), mark).filter(|_| letter.is_ascii_alphabetic());
            let Some(kind) = kind else {
                if let Some(error) = unsupported() {
                    return Err(error);
                }
                let known = known_symbols(&kind_of);
                if mark != Mark::None && kind_of(letter.to_ascii_uppercase(), Mark::None).is_some() {
                    let found = mark.beside(letter);
                    return Err(FenError::NotPromoted { letter, found, known });
                }
                let letter = letter.escape_default().next().unwrap_or(letter);
                return Err(FenError::Letter { letter, rank: number, known });
            };
            if let Some(square) = geometry.at(file as i32, number as i32 - 1) {
                placed.push((square, kind, side));
            }
            file += 1;
        }
        file += run;
        if file != width as usize {
            let text = shorten(rank);
            return Err(FenError::RankLength { rank: number, expected: width, text, found: file });
        }
    }
    Ok(placed)
}

/// The letters that pieces have, with their marks.
pub(crate) fn known_symbols(kind_of: impl Fn(char, Mark) -> Option<u8>) -> String {
    let marks = |letter| [Mark::None, Mark::Plus, Mark::Tilde].map(move |mark| (letter, mark));
    let known = ('A'..='Z').flat_map(marks).filter(|&(letter, mark)| kind_of(letter, mark).is_some());
    known.map(|(letter, mark)| mark.beside(letter)).collect()
}

/// Writes a run of empty squares as a number, and ends it.
pub(crate) fn push_run(text: &mut String, run: &mut usize) {
    if *run > 0 {
        text.push_str(&run.to_string());
        *run = 0;
    }
}

/// Reads a counter; a field that is missing counts as the least value.
pub(crate) fn counter(field: Option<&&str>, name: &'static str, least: u16) -> Result<u16, FenError> {
    let Some(text) = field else { return Ok(least) };
    match text.parse::<u16>() {
        Ok(number) if number >= least => Ok(number),
        _ => Err(FenError::Counter { name, least, found: shorten(text) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_split_as_the_library_splits() {
        for text in ["", "/", "a", "a/b", "//", "3N1/2n2/5/4L/1q3", "é/ü/", "/é"] {
            assert_eq!(ranks(text).collect::<Vec<_>>(), text.split('/').collect::<Vec<_>>());
            assert_eq!(count_ranks(text), text.split('/').count());
        }
    }
}
