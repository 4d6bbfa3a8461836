//! Moves as text, in the manner of UCI: origin, target, promotion letter; castling is the king's move. A drop is the
//! letter of the piece, `@` and the square; `+` behind a move is a promotion of shogi, `-` its reverse.

use super::{ChessLike, Move, MoveTag, RuleSubset};
use crate::ability::Notation;
use crate::bitboard::Square;
use crate::diagram::{Cell, Diagram, Piece};
use crate::geometry::{GeometryError, shorten};
use crate::position::{Position, list_moves};
use crate::value::Side;
use crate::variant::Mark;
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
    /// A drop that is not possible.
    #[error("{0}")]
    Drop(String),
    /// A move in standard algebraic notation that none, or more than one, of the legal moves is.
    #[error("{0}")]
    San(String),
}

impl<S: RuleSubset, const N: usize> ChessLike<'_, S, N> {
    #[inline(never)]
    pub(super) fn text_of(&self, mv: Move) -> String {
        let geometry = self.rules.geometry;
        let mut text = geometry.name(mv.from) + &geometry.name(mv.to);
        match mv.tag() {
            MoveTag::Promotion(kind) => text.push_str(&self.promotion_text(mv.kind, kind)),
            MoveTag::Drop => text = self.rules.symbol(mv.kind, Side::White) + "@" + &geometry.name(mv.to),
            // Where a king's castling has the squares of a plain step, the rook's square tells them apart.
            MoveTag::Castle(number) if self.rules.king_takes_rook || self.plain_twin(mv) => {
                let castle = &self.rules.castles[number as usize];
                text = geometry.name(mv.from) + &geometry.name(castle.rook[0]);
            }
            _ => {}
        }
        text
    }

    /// What is written behind a move by which a type becomes another.
    pub(super) fn promotion_text(&self, from: u8, to: u8) -> String {
        let [from, to] = [from, to].map(|kind| &self.rules.pieces[usize::from(kind)]);
        match (from.letter == to.letter, from.mark, to.mark) {
            (true, _, Mark::Plus) => "+".into(),
            (true, Mark::Plus, _) => "-".into(),
            (_, _, Mark::Plus) => to.symbol().to_ascii_lowercase(),
            _ => to.letter.to_ascii_lowercase().to_string(),
        }
    }

    /// Reads a drop, which has a letter before `@` or `*`. `None` if the text does not have that form.
    fn read_drop(&self, text: &str, legal: &[Move]) -> Option<Result<Move, MoveError>> {
        let rules = self.rules;
        let (piece, square) = text.trim_end_matches(['+', '#', '!', '?']).split_once(['@', '*'])?;
        let (letter, mark) = match piece.strip_prefix('+') {
            Some(letter) => (letter, Mark::Plus),
            None => (piece, Mark::None),
        };
        let mut letters = letter.chars();
        let kind = match (letters.next(), letters.next()) {
            (None, _) => rules.pawn(),
            (Some(letter), None) => rules.type_marked(letter.to_ascii_uppercase(), mark),
            _ => None,
        };
        let wrong = |problem: String| Some(Err(MoveError::Drop(problem)));
        let Some(kind) = kind else {
            return wrong(format!("no piece has the letter \"{}\"", shorten(piece)));
        };
        let to = match rules.geometry.parse_square(square) {
            Ok(to) => to,
            Err(error) => return Some(Err(error.into())),
        };
        if let Some(mv) = legal.iter().find(|mv| (mv.tag(), mv.kind, mv.to) == (MoveTag::Drop, kind, to)) {
            return Some(Ok(*mv));
        }
        let name = rules.piece_name(kind, self.side);
        if legal.is_empty() {
            return Some(Err(MoveError::Over));
        }
        if self.in_hand(self.side, rules.held_as(kind)) == 0 {
            return wrong(format!("{} has no {name} in hand", rules.sides[self.side.index()]));
        }
        if self.occupied().has(to) {
            return wrong(format!("{} is occupied: a {name} is dropped on an empty square", shorten(square)));
        }
        let mut free: Vec<String> = legal
            .iter()
            .filter(|mv| (mv.tag(), mv.kind) == (MoveTag::Drop, kind))
            .map(|mv| rules.geometry.name(mv.to))
            .collect();
        free.truncate(12);
        let hint = if free.is_empty() { "nowhere now".into() } else { format!("on {}", free.join(" ")) };
        wrong(format!("a {name} may not be dropped on {}; it may be dropped {hint}", shorten(square)))
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
        if let Some(drop) = self.read_drop(text, &legal) {
            return drop;
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
                    let text = self.promotion_text(m.kind, kind);
                    Some(format!("{text} ({})", self.rules.piece_name(kind, self.side)))
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

    #[inline(never)]
    fn parse_move(&self, text: &str) -> Result<Move, Box<dyn Error + Send + Sync>> {
        Ok(self.read_move(text)?)
    }

    fn san(&self, mv: Move) -> Option<String> {
        Some(self.san_of(mv))
    }

    #[inline(never)]
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
        let label = |square| {
            let (kind, side) = self.piece_on(square)?;
            (rules.pieces[kind as usize].mark != Mark::None).then(|| rules.symbol(kind, side))
        };
        let cell = |square| Cell {
            piece: piece(square),
            key: keys.has(square),
            blocking: rules.blocking.has(square),
            label: label(square),
            ..Cell::default()
        };
        let mut notes = Vec::new();
        if S::hands(rules) {
            for side in Side::BOTH {
                let hand = self.hand_text(side);
                let hand = if hand.is_empty() { "-".to_string() } else { hand };
                notes.push((format!("in hand, {}", rules.sides[side.index()]), hand));
            }
        }
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
