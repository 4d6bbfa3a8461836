//! The parts of position strings in the manner of FEN that several games share: placement, counters, and what can
//! be wrong with them.

use crate::bitboard::Square;
use crate::geometry::{Geometry, GeometryError, shorten};
use crate::unsupported;
use crate::value::Side;
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

/// Reads the placement of the pieces, from the highest rank down.
pub(crate) fn read_placement(
    text: &str,
    geometry: Geometry,
    kind_of: impl Fn(char) -> Option<u8>,
) -> Result<Vec<(Square, u8, Side)>, FenError> {
    let ranks: Vec<&str> = text.split('/').collect();
    let (width, height) = (geometry.width(), geometry.height());
    let unsupported = || unsupported::in_placement(text, height as usize).map(FenError::Unsupported);
    if ranks.len() != height as usize {
        if let Some(error) = unsupported() {
            return Err(error);
        }
        return Err(FenError::Ranks { expected: height, found: ranks.len() });
    }
    let mut placed = Vec::new();
    for (from_top, rank) in ranks.iter().enumerate() {
        let number = height as usize - from_top;
        let mut file = 0usize;
        let mut run = 0usize;
        for letter in rank.chars() {
            if let Some(digit) = letter.to_digit(10) {
                run = (run * 10 + digit as usize).min(1000);
                continue;
            }
            file += std::mem::take(&mut run);
            let side = if letter.is_ascii_uppercase() { Side::White } else { Side::Black };
            let Some(kind) = kind_of(letter.to_ascii_uppercase()).filter(|_| letter.is_ascii_alphabetic())
            else {
                if let Some(error) = unsupported() {
                    return Err(error);
                }
                let known: String = ('A'..='Z').filter(|&c| kind_of(c).is_some()).collect();
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
