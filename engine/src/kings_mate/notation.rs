//! Moves as text, origin and target and a promoted fool's letter, and the board as a diagram.

use super::board::{GEOMETRY, KING_SQUARES, RAISED};
use super::fen::{letter, side_name};
use super::kind::{COUNT, NAMES, SWORDMASTER};
use super::{KingsMate, Move, RuleSet};
use crate::ability::Notation;
use crate::bitboard::Square;
use crate::diagram::{Cell, Diagram, Piece};
use crate::geometry::shorten;
use crate::position::list_moves;
use crate::value::Side;
use std::error::Error;

impl<R: RuleSet> KingsMate<R> {
    #[inline(never)]
    fn text_of(&self, mv: Move) -> String {
        let mut text = GEOMETRY.name(mv.from) + &GEOMETRY.name(mv.to);
        if mv.becomes != mv.kind {
            text.push(letter(mv.becomes, Side::Black));
        }
        text
    }

    fn read_move(&self, text: &str) -> Result<Move, String> {
        let legal = list_moves(self);
        if let Some(&mv) = legal.iter().find(|m| self.text_of(**m) == text) {
            return Ok(mv);
        }
        let form = || {
            format!(
                "\"{}\" is not a move; write origin, target and promotion letter, such as \"b2b3\" or \"a8a9k\"",
                shorten(text)
            )
        };
        let (from, rest) = GEOMETRY.split_square(text).ok_or_else(form)?;
        let from = from.map_err(|e| e.to_string())?;
        let (to, rest) = GEOMETRY.split_square(rest).ok_or_else(form)?;
        let to = to.map_err(|e| e.to_string())?;
        if rest.chars().count() > 1 {
            return Err(form());
        }
        if legal.is_empty() {
            return Err("the game is over: no moves".into());
        }
        self.check_mover(from)?;
        let piece = self.piece_on(from).map_or("piece", |(kind, _)| NAMES[kind as usize % COUNT]);
        let same: Vec<Move> = legal.iter().copied().filter(|m| (m.from, m.to) == (from, to)).collect();
        if same.is_empty() {
            let hint = self.where_to(from, &legal);
            return Err(format!(
                "the {piece} on {} cannot go to {}{hint}",
                GEOMETRY.name(from),
                GEOMETRY.name(to)
            ));
        }
        Err(promotion_problem(piece, rest, &same))
    }

    /// Why the piece on a square cannot be moved at all.
    fn check_mover(&self, from: Square) -> Result<(), String> {
        let name = GEOMETRY.name(from);
        match self.piece_on(from) {
            None => Err(format!("nothing stands on {name}")),
            Some((kind, side)) if side != self.side => Err(format!(
                "the {} on {name} is {}'s, and it is {}'s turn",
                NAMES[kind as usize % COUNT],
                side_name(side),
                side_name(self.side)
            )),
            Some((kind, _)) if self.failed.has(from) => Err(format!(
                "the {} on {name} has failed this turn and may not move again",
                NAMES[kind as usize % COUNT]
            )),
            Some(_) => Ok(()),
        }
    }

    fn where_to(&self, from: Square, legal: &[Move]) -> String {
        let mut squares: Vec<String> =
            legal.iter().filter(|m| m.from == from).map(|m| GEOMETRY.name(m.to)).collect();
        squares.dedup();
        if squares.is_empty() {
            "; it has no legal move".into()
        } else {
            format!("; it can go to {}", squares.join(" "))
        }
    }
}

/// Why none of the moves between the right squares has this promotion letter.
fn promotion_problem(piece: &str, typed: &str, same: &[Move]) -> String {
    let typed = typed.escape_default();
    let choices: Vec<String> = same
        .iter()
        .filter(|m| m.becomes != m.kind)
        .map(|m| format!("{} ({})", letter(m.becomes, Side::Black), NAMES[m.becomes as usize % COUNT]))
        .collect();
    let choices = choices.join(", ");
    match (choices.is_empty(), typed.clone().next().is_some()) {
        (true, _) => format!("the {piece} is not promoted there: drop the '{typed}'"),
        (false, true) => format!("the {piece} cannot become '{typed}': add one of {choices}"),
        (false, false) => format!("the {piece} must be promoted there: add one of {choices}"),
    }
}

impl<R: RuleSet> Notation for KingsMate<R> {
    fn position_text(&self) -> String {
        self.write()
    }

    fn move_text(&self, mv: Move) -> String {
        self.text_of(mv)
    }

    #[inline(never)]
    fn parse_move(&self, text: &str) -> Result<Move, Box<dyn Error + Send + Sync>> {
        Ok(self.read_move(text)?)
    }

    #[inline(never)]
    fn diagram(&self) -> Diagram {
        let piece = |square| {
            self.piece_on(square).map(|(kind, side)| Piece {
                side,
                letter: letter(kind, side),
                name: NAMES[kind as usize % COUNT].to_string(),
                abbreviation: String::new(),
            })
        };
        let cell = |square| Cell {
            piece: piece(square),
            key: self.has_gambit() && KING_SQUARES.contains(&square),
            raised: RAISED.has(square),
            ..Cell::default()
        };
        let mut notes = Vec::new();
        let mut note = |name: &str, value: String| notes.push((name.to_string(), value));
        for side in Side::BOTH {
            if self.may_defend_crown(side) {
                note("may defend the crown", side_name(side).into());
            }
            if self.pieces(side, SWORDMASTER).is_empty() {
                note("defenseless", side_name(side).into());
            }
        }
        if self.failed.any() {
            note("failed this turn", self.failed_text());
        }
        if self.in_check() {
            note("counter or succumb", side_name(self.side).into());
        }
        Diagram {
            width: GEOMETRY.width().into(),
            height: GEOMETRY.height().into(),
            cells: GEOMETRY.squares().map(cell).collect(),
            sides: Side::BOTH.map(|side| side_name(side).to_string()),
            side_to_move: self.side,
            notes,
            graph: None,
        }
    }
}
