//! Moves as text, and the board as a diagram.

use super::board::name;
use super::rules::Rules;
use super::state::{Board, CrownJewels, Move};
use super::text::read_square_name;
use super::tile::Tile;
use super::view::CrownJewelsView;
use crate::ability::Notation;
use crate::bitboard::Square;
use crate::diagram::{Cell, Diagram, Piece};
use crate::geometry::shorten;
use crate::value::Side;
use std::error::Error;
use std::ops::ControlFlow;

const SKIP: &str = "skip";

impl Move {
    /// Its text: the squares, or `skip`.
    pub fn text(self) -> String {
        if self.is_skip() { SKIP.into() } else { name(self.from) + &name(self.to) }
    }
}

impl Board {
    pub(super) fn read_move(&self, text: &str) -> Result<Move, String> {
        if self.decided().is_some() {
            return Err("the game is over: no moves".into());
        }
        if text == SKIP {
            let free = !self.has_step();
            return if free {
                Ok(Move::SKIP)
            } else {
                Err("a player skips only without any other move".into())
            };
        }
        let form = || {
            format!("\"{}\" is not a move; write two squares, such as \"a3b4\", or \"skip\"", shorten(text))
        };
        if text.len() != 4 || !text.is_ascii() {
            return Err(form());
        }
        let square = |text: &str| read_square_name(self.rules, text);
        let (from, to) = (square(&text[..2])?, square(&text[2..])?);
        let (us, mover) = (self.pieces_of(self.side), self.side.letter());
        if !us.has(from) {
            let there = if self.occupied().has(from) { "the other side's tile" } else { "no tile" };
            return Err(format!("{there} is on {}, and {mover} is to move", name(from)));
        }
        let mv = Move { from, to };
        let mut ends = Vec::new();
        let _: ControlFlow<()> = self.moves(|legal| {
            if legal.from == from {
                ends.push(legal.to);
            }
            ControlFlow::Continue(())
        });
        if ends.contains(&to) {
            return Ok(mv);
        }
        let names: Vec<String> = ends.into_iter().map(name).collect();
        let hint = if names.is_empty() {
            "it has no move".into()
        } else {
            format!("it can go to {}", names.join(" "))
        };
        Err(format!("the tile on {} cannot go to {}; {hint}", name(from), name(to)))
    }

    fn diagram(&self, mut notes: Vec<(String, String)>) -> Diagram {
        let (files, ranks) = self.rules.size();
        let squares =
            (0..ranks).flat_map(|rank| (0..files).map(move |file| Square::new((8 * rank + file) as u8)));
        let cells = squares.map(|square| self.cell(square)).collect();
        let began = Side::BOTH.into_iter().filter(|side| self.began[side.index()]);
        let names: Vec<&str> = began.map(|side| SIDES[side.index()]).collect();
        notes.push(("began with Jewels".into(), names.join(", ")));
        notes.push(("plies since a contest".into(), self.quiet.to_string()));
        Diagram {
            width: files as usize,
            height: ranks as usize,
            cells,
            sides: SIDES.map(str::to_string),
            side_to_move: self.side,
            notes,
            graph: None,
        }
    }

    fn cell(&self, square: Square) -> Cell {
        let text = Some(self.square_text(square)).filter(|text| !text.is_empty());
        let mut cell = Cell { blocking: self.checkers().has(square), label: text, ..Cell::default() };
        if self.occupied().has(square) {
            let side = if self.pieces_of(Side::White).has(square) { Side::White } else { Side::Black };
            let (letter, name) = match self.tile(square) {
                Some(tile) => (self.rules.letter(tile), format!("{tile} {}", self.rules.words(tile))),
                None => ('X', "unknown tile".to_string()),
            };
            let letter = if side == Side::White { letter } else { letter.to_ascii_lowercase() };
            cell.piece = Some(Piece { side, letter, name, abbreviation: self.square_text(square) });
        }
        cell
    }
}

const SIDES: [&str; 2] = ["White", "Black"];

impl Rules {
    /// A letter for the most telling trait of a tile: Jewel, General, Spy, Bomb, Thief, or none of them (`T`).
    fn letter(&self, tile: Tile) -> char {
        self.words(tile).chars().next().map_or('T', |letter| letter.to_ascii_uppercase())
    }

    /// The traits of a tile in words, such as `Jewel-Bomb`; `tile` for one that has none.
    pub fn words(&self, tile: Tile) -> String {
        let traits = self.traits;
        let all = [
            (traits.is_jewel(tile), "Jewel"),
            (traits.is_general(tile), "General"),
            (traits.is_spy(tile), "Spy"),
            (traits.is_bomb(tile), "Bomb"),
            (traits.is_thief(tile), "Jewel Thief"),
        ];
        let words: Vec<&str> = all.into_iter().filter(|t| t.0).map(|t| t.1).collect();
        if words.is_empty() { "plain".into() } else { words.join("-") }
    }
}

impl Notation for CrownJewels {
    fn position_text(&self) -> String {
        self.text()
    }

    fn move_text(&self, mv: Move) -> String {
        mv.text()
    }

    fn parse_move(&self, text: &str) -> Result<Move, Box<dyn Error + Send + Sync>> {
        Ok(self.board.read_move(text)?)
    }

    fn diagram(&self) -> Diagram {
        self.board.diagram(Vec::new())
    }
}

impl CrownJewelsView {
    /// Reads the text of a legal move.
    ///
    /// # Errors
    /// One line that says why no legal move has this text.
    pub fn parse_move(&self, text: &str) -> Result<Move, Box<dyn Error + Send + Sync>> {
        Ok(self.board.read_move(text)?)
    }

    /// What the viewer sees, to be drawn.
    pub fn diagram(&self) -> Diagram {
        let viewer = SIDES[self.viewer.index()].to_string();
        self.board.diagram(vec![("seen by".into(), viewer), ("hidden tiles".into(), self.hidden.to_string())])
    }
}
