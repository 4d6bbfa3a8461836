//! Moves as text, in the manner of UCI: origin, target, promotion letter; castling is the king's move.

use super::{ChessLike, Move, MoveTag, RuleSubset};
use crate::ability::Notation;
use crate::bitboard::Square;
use crate::diagram::{Cell, Diagram, Piece};
use crate::geometry::{GeometryError, shorten};
use crate::position::{Position, list_moves};
use crate::value::Side;
use std::error::Error;
use thiserror::Error;

/// Why a text is not a legal move of a position.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MoveError {
    /// The text does not have the form of a move.
    #[error(
        "\"{0}\" is not a move; write origin, target and promotion letter, such as \"b2b3\" or \"b6b7r\", or SAN, such as \
         \"Nc3\""
    )]
    Form(String),
    /// A square off the board.
    #[error(transparent)]
    Square(#[from] GeometryError),
    /// The game has been decided.
    #[error("the game is over: no moves")]
    Over,
    /// Nothing stands on the origin.
    #[error("nothing stands on {0}")]
    Empty(String),
    /// The origin holds an enemy piece.
    #[error("the {piece} on {square} is {owner}'s, and it is {mover}'s turn")]
    NotYours {
        /// The square.
        square: String,
        /// The piece.
        piece: String,
        /// Whose piece it is.
        owner: String,
        /// Whose turn it is.
        mover: String,
    },
    /// The piece cannot go there.
    #[error("the {piece} on {from} cannot go to {to}{hint}")]
    Illegal {
        /// The piece.
        piece: String,
        /// Where it stands.
        from: String,
        /// Where it was to go.
        to: String,
        /// Where it can go, or why not.
        hint: String,
    },
    /// A promotion that is missing, superfluous or to the wrong piece.
    #[error("{0}")]
    Promotion(String),
    /// A move in standard algebraic notation that none, or more than one, of the legal moves is.
    #[error("{0}")]
    San(String),
}

impl<S: RuleSubset, const N: usize> ChessLike<'_, S, N> {
    fn text_of(&self, mv: Move) -> String {
        let geometry = self.rules.geometry;
        let mut text = geometry.name(mv.from) + &geometry.name(mv.to);
        match mv.tag() {
            MoveTag::Promotion(kind) => text.push(self.rules.letter(kind, Side::Black)),
            // Where a king's castling has the squares of a plain step, the rook's square tells them apart.
            MoveTag::Castle(number) if self.rules.king_takes_rook || self.plain_twin(mv) => {
                let castle = &self.rules.castles[number as usize];
                text = geometry.name(mv.from) + &geometry.name(castle.rook[0]);
            }
            _ => {}
        }
        text
    }

    /// Whether a castling move shares its squares with another move.
    fn plain_twin(&self, castling: Move) -> bool {
        list_moves(self).iter().any(|m| *m != castling && (m.from, m.to) == (castling.from, castling.to))
    }

    fn read_move(&self, text: &str) -> Result<Move, MoveError> {
        let legal = list_moves(self);
        if let Some(&mv) = legal.iter().find(|m| self.text_of(**m) == text) {
            return Ok(mv);
        }
        let geometry = self.rules.geometry;
        let form = || MoveError::Form(shorten(text));
        let squares = geometry.split_square(text).and_then(|(from, rest)| {
            let (to, rest) = geometry.split_square(rest)?;
            Some((from, to, rest))
        });
        let Some((from, to, rest)) = squares else {
            return self.read_san(text, &legal).unwrap_or_else(|| Err(form()));
        };
        let (from, to) = (from?, to?);
        let mut letters = rest.chars();
        let (letter, None) = (letters.next(), letters.next()) else { return Err(form()) };
        if let Some(castling) = self.castling_between(from, to, &legal).filter(|_| letter.is_none()) {
            return Ok(castling);
        }
        let sides = |side: Side| self.rules.sides[side.index()].clone();
        if legal.is_empty() {
            return Err(MoveError::Over);
        }
        let Some((kind, side)) = self.piece_on(from) else {
            return Err(MoveError::Empty(geometry.name(from)));
        };
        let piece = self.rules.piece_name(kind, side).to_string();
        if side != self.side {
            let square = geometry.name(from);
            return Err(MoveError::NotYours { square, piece, owner: sides(side), mover: sides(self.side) });
        }
        let same: Vec<Move> = legal.iter().copied().filter(|m| (m.from, m.to) == (from, to)).collect();
        if same.is_empty() {
            let hint = self.where_to(from, &legal);
            return Err(MoveError::Illegal { piece, from: geometry.name(from), to: geometry.name(to), hint });
        }
        Err(MoveError::Promotion(self.promotion_problem(&piece, letter, &same)))
    }

    /// The one castling move that takes the king from a square to another, its own goal or the square of its rook:
    /// programs write either.
    fn castling_between(&self, from: Square, to: Square, legal: &[Move]) -> Option<Move> {
        let castle = |mv: &Move| match mv.tag() {
            MoveTag::Castle(number) => self.rules.castles.get(number as usize),
            _ => None,
        };
        let with_rook = |mv: &&Move| castle(mv).is_some_and(|castle| castle.rook[0] == to);
        let from_there = || legal.iter().filter(|mv| mv.from == from);
        if let Some(mv) = from_there().find(with_rook) {
            return Some(*mv);
        }
        let mut there = from_there().filter(|mv| mv.to == to);
        match (there.next(), there.next()) {
            (Some(mv), None) if castle(mv).is_some() => Some(*mv),
            _ => None,
        }
    }

    /// Why none of the moves between the right squares has this promotion letter.
    pub(super) fn promotion_problem(&self, piece: &str, letter: Option<char>, same: &[Move]) -> String {
        let choices: Vec<String> = same
            .iter()
            .filter_map(|m| match m.tag() {
                MoveTag::Promotion(kind) => {
                    let letter = self.rules.letter(kind, Side::Black);
                    Some(format!("{letter} ({})", self.rules.piece_name(kind, self.side)))
                }
                _ => None,
            })
            .collect();
        match (letter, choices.is_empty()) {
            (Some(letter), true) => {
                format!("the {piece} does not promote there: drop the '{}'", letter.escape_default())
            }
            (Some(letter), false) => {
                let letter = letter.escape_default();
                format!("the {piece} cannot become '{letter}': add one of {}", choices.join(", "))
            }
            (None, _) => format!("the {piece} must promote there: add one of {}", choices.join(", ")),
        }
    }

    fn where_to(&self, from: Square, legal: &[Move]) -> String {
        let geometry = self.rules.geometry;
        let mut squares: Vec<String> =
            legal.iter().filter(|m| m.from == from).map(|m| geometry.name(m.to)).collect();
        squares.dedup();
        if squares.is_empty() {
            "; it has no legal move".into()
        } else {
            format!("; it can go to {}", squares.join(" "))
        }
    }
}

impl<S: RuleSubset, const N: usize> Notation for ChessLike<'_, S, N> {
    fn position_text(&self) -> String {
        self.to_fen()
    }

    fn move_text(&self, mv: Move) -> String {
        self.text_of(mv)
    }

    fn parse_move(&self, text: &str) -> Result<Move, Box<dyn Error + Send + Sync>> {
        Ok(self.read_move(text)?)
    }

    fn san(&self, mv: Move) -> Option<String> {
        Some(self.san_of(mv))
    }

    fn diagram(&self) -> Diagram {
        let rules = self.rules;
        let geometry = rules.geometry;
        let keys = rules.key.as_ref().map(|k| k.squares[0] | k.squares[1]).unwrap_or_default();
        let piece = |square| {
            self.piece_on(square).map(|(kind, side)| Piece {
                side,
                letter: rules.letter(kind, side),
                name: rules.piece_name(kind, side).to_string(),
                abbreviation: rules.pieces[kind as usize].abbreviations[side.index()].clone(),
            })
        };
        let cell = |square| Cell {
            piece: piece(square),
            key: keys.has(square),
            blocking: rules.blocking.has(square),
            ..Cell::default()
        };
        let mut notes = Vec::new();
        if self.castling != 0 {
            let rights = rules.castles.iter().enumerate().filter(|(n, _)| self.castling >> n & 1 != 0);
            notes.push((
                "castling rights".to_string(),
                rights.map(|(_, c)| self.castling_letter(c)).collect(),
            ));
        }
        if let Some(square) = self.en_passant() {
            notes.push(("en passant".to_string(), geometry.name(square)));
        }
        if self.in_check(self.side) {
            notes.push(("check".to_string(), rules.sides[self.side.index()].clone()));
        }
        Diagram {
            width: geometry.width() as usize,
            height: geometry.height() as usize,
            cells: geometry.squares().map(cell).collect(),
            sides: rules.sides.clone(),
            side_to_move: self.side_to_move(),
            notes,
            graph: None,
        }
    }
}
