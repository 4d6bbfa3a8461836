//! Position strings in the manner of FEN: placement, side to move, castling rights, en passant square,
//! clock and move number. The last two may be left out.

use super::{ChessLike, NO_SQUARE, Shape};
use crate::bitboard::Square;
use crate::geometry::{Geometry, GeometryError, shorten};
use crate::value::Side;
use crate::variant::Rules;
use std::fmt::Write;
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
    /// A letter of no piece.
    #[error("no piece has the letter '{letter}' (rank {rank}); pieces are {known}")]
    Letter {
        /// The letter found.
        letter: char,
        /// The rank's number.
        rank: usize,
        /// The letters of the game.
        known: String,
    },
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
    /// An en passant square that is no square.
    #[error("the en passant field must be \"-\" or a square: {0}")]
    EnPassant(GeometryError),
    /// An en passant square that no double step can have passed.
    #[error("no double step can just have passed {0}")]
    EnPassantSquare(String),
    /// A counter that is no number.
    #[error("the {name} must be a number from {least} to 65535, found \"{found}\"")]
    Counter {
        /// Which counter.
        name: &'static str,
        /// The least value.
        least: u16,
        /// The text found.
        found: String,
    },
    /// Pieces on both sides have gone.
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
    if ranks.len() != height as usize {
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

impl<'r, S: Shape, const N: usize> ChessLike<'r, S, N> {
    /// Reads a position string.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn from_fen(rules: &'r Rules, text: &str) -> Result<Self, FenError> {
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        if !(4..=6).contains(&fields.len()) {
            return Err(FenError::Fields(fields.len()));
        }
        let mut position = Self::empty(rules);
        position.read_pieces(fields[0])?;
        position.side = match fields[1] {
            "w" => Side::White,
            "b" => Side::Black,
            other => return Err(FenError::Side(shorten(other))),
        };
        position.check_royals()?;
        position.read_castling(fields[2])?;
        position.read_en_passant(fields[3])?;
        position.clock = counter(fields.get(4), "clock", 0)?;
        position.move_number = counter(fields.get(5), "move number", 1)?;
        position.key = position.zobrist();
        Ok(position)
    }

    /// Checks a position string.
    pub(crate) fn check_fen(rules: &'r Rules, text: &str) -> Result<(), FenError> {
        Self::from_fen(rules, text).map(|_| ())
    }

    fn read_pieces(&mut self, text: &str) -> Result<(), FenError> {
        let rules = self.rules;
        for (square, kind, side) in read_placement(text, rules.geometry, |letter| rules.type_of(letter))? {
            if !rules.pieces[kind as usize].may_stand(side).has(square) {
                let name = rules.piece_name(kind, side).to_string();
                return Err(FenError::Place { name, square: rules.geometry.name(square) });
            }
            self.put(square, kind, side);
        }
        if self.occupied().is_empty() { Err(FenError::Empty) } else { Ok(()) }
    }

    fn check_royals(&self) -> Result<(), FenError> {
        let Some(royal) = self.rules.royal else { return Ok(()) };
        for side in Side::BOTH {
            let found = self.pieces(side, royal).count();
            if found != 1 {
                let name = self.rules.piece_name(royal, side).to_string();
                return Err(FenError::Royal { side: self.rules.sides[side.index()].clone(), name, found });
            }
        }
        if self.in_check(!self.side) {
            return Err(FenError::OpponentInCheck(self.rules.sides[(!self.side).index()].clone()));
        }
        Ok(())
    }

    fn read_castling(&mut self, text: &str) -> Result<(), FenError> {
        if text == "-" {
            return Ok(());
        }
        let rules = self.rules;
        for right in text.chars() {
            let Some(number) = rules.castles.iter().position(|c| c.right == right) else {
                let known = rules.castles.iter().map(|c| c.right).collect();
                return Err(FenError::Castling { known, found: shorten(text) });
            };
            let castle = &rules.castles[number];
            for (kind, square) in [(castle.king_kind, castle.king[0]), (castle.rook_kind, castle.rook[0])] {
                if !self.pieces(castle.side, kind).has(square) {
                    let piece = rules.piece_name(kind, castle.side).to_string();
                    return Err(FenError::CastlingPiece {
                        right,
                        piece,
                        square: rules.geometry.name(square),
                    });
                }
            }
            self.castling |= 1 << number;
        }
        Ok(())
    }

    /// The square must be one that an enemy double step can just have passed; it becomes part of the
    /// position only if there is a legal capture on it.
    fn read_en_passant(&mut self, text: &str) -> Result<(), FenError> {
        if text == "-" {
            return Ok(());
        }
        let rules = self.rules;
        let passed = rules.geometry.parse_square(text).map_err(FenError::EnPassant)?;
        let them = !self.side;
        let forward = rules.tables.forward[them.index()];
        let on_board = |delta: i8| {
            let number = passed.index() as i32 + i32::from(delta);
            (0..i32::from(rules.geometry.area())).contains(&number).then(|| Square::new(number as u8))
        };
        let stepped = on_board(-forward).zip(on_board(forward)).is_some_and(|(from, to)| {
            let empty = !self.occupied();
            empty.has(passed)
                && empty.has(from)
                && rules.tables.types.iter().enumerate().any(|(kind, t)| {
                    let double = |l: &crate::variant::tables::Lame| l.double && l.end == to;
                    t.lame[them.index()][from.index()].iter().any(double)
                        && self.pieces(them, kind as u8).has(to)
                })
        });
        if !stepped {
            return Err(FenError::EnPassantSquare(rules.geometry.name(passed)));
        }
        if self.en_passant_captors(passed).next().is_some() {
            self.en_passant = passed.index() as u8;
        }
        Ok(())
    }

    /// The position string.
    pub fn to_fen(&self) -> String {
        let rules = self.rules;
        let geometry = rules.geometry;
        let mut text = String::new();
        for rank in (0..geometry.height()).rev() {
            let mut run = 0;
            for square in geometry.rank_set(rank) {
                match self.piece_on(square) {
                    None => run += 1,
                    Some((kind, side)) => {
                        push_run(&mut text, &mut run);
                        text.push(rules.letter(kind, side));
                    }
                }
            }
            push_run(&mut text, &mut run);
            text.push(if rank == 0 { ' ' } else { '/' });
        }
        text.push(self.side.letter());
        text.push(' ');
        let rights: String = rules
            .castles
            .iter()
            .enumerate()
            .filter(|(n, _)| self.castling >> n & 1 != 0)
            .map(|(_, c)| c.right)
            .collect();
        text.push_str(if rights.is_empty() { "-" } else { &rights });
        let passed = if self.en_passant == NO_SQUARE {
            "-".to_string()
        } else {
            geometry.name(Square::new(self.en_passant))
        };
        // Writing to a string cannot fail.
        let _ = write!(text, " {passed} {} {}", self.clock, self.move_number);
        text
    }
}

pub(crate) fn push_run(text: &mut String, run: &mut usize) {
    if *run > 0 {
        text.push_str(&run.to_string());
        *run = 0;
    }
}

pub(crate) fn counter(field: Option<&&str>, name: &'static str, least: u16) -> Result<u16, FenError> {
    let Some(text) = field else { return Ok(least) };
    match text.parse::<u16>() {
        Ok(number) if number >= least => Ok(number),
        _ => Err(FenError::Counter { name, least, found: shorten(text) }),
    }
}
