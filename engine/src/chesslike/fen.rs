//! Position strings in the manner of FEN: placement, side to move, castling rights, en passant square,
//! clock and move number. The last two may be left out.

use super::{AnyChessLike, ChessLike, NO_SQUARE, RuleSubset};
use crate::bitboard::Square;
use crate::fen::{FenError, counter, push_run, read_placement};
use crate::geometry::shorten;
use crate::unsupported;
use crate::value::Side;
use crate::variant::{Rules, VariantError};
use std::fmt::Write;

impl Rules {
    /// Reads a variant file and builds its tables.
    ///
    /// # Errors
    /// The first mistake, with its line.
    pub fn parse(text: &str) -> Result<Rules, VariantError> {
        let (rules, start) = Rules::without_start(text)?;
        match AnyChessLike::from_fen(&rules, &rules.start) {
            Ok(_) => Ok(rules),
            Err(e) => Err(VariantError::at(text, &start, "board.start", e)),
        }
    }
}

impl<'r, S: RuleSubset, const N: usize> ChessLike<'r, S, N> {
    /// Reads a position string.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn from_fen(rules: &'r Rules, text: &str) -> Result<Self, FenError> {
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        if let Some(what) = unsupported::in_fields(&fields) {
            return Err(FenError::Unsupported(what));
        }
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

    /// Writes the position string.
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
