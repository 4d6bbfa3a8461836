//! A position as it is shown, and the object of `show --json`.

use jewel_engine::diagram::{Diagram, Piece};
use jewel_engine::value::{Outcome, Side};
use jewel_players::catalogue::Card;
use jewel_players::engine::Ending;
use jewel_players::support::board;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// A position as it is shown: a whole one, or what one player sees of it.
#[derive(Debug)]
pub struct Shown {
    /// The position string.
    pub fen: String,
    /// The position, to be drawn.
    pub diagram: Diagram,
    /// The legal turns; none where the game is over.
    pub turns: Vec<String>,
    /// How the game has ended, if it has.
    pub ending: Option<Ending>,
}

impl Shown {
    /// The result for the side to move, if the game is over.
    pub fn outcome(&self) -> Option<Outcome> {
        self.ending.map(|ending| ending.verdict.seen_by(self.diagram.side_to_move))
    }

    /// Who has won, in words, if the game is over: `over: Red has won`.
    pub fn verdict(&self) -> Option<String> {
        self.ending.map(|ending| format!("over: {}", ending.text(&self.diagram.sides)))
    }
}

/// The object of `show --json`.
#[derive(Serialize)]
pub struct ShowObject<'a> {
    game: &'a str,
    name: &'a str,
    fen: &'a str,
    width: usize,
    height: usize,
    sides: &'a [String; 2],
    side_to_move: char,
    pieces: Vec<PieceObject<'a>>,
    key: Vec<String>,
    blocking: Vec<String>,
    notes: BTreeMap<&'a str, &'a str>,
    objective: &'a str,
    outcome: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    svg: Option<String>,
}

/// A piece, and where it stands.
#[derive(Serialize)]
pub struct PieceObject<'a> {
    square: String,
    letter: char,
    side: char,
    name: &'a str,
    abbreviation: &'a str,
}

impl<'a> PieceObject<'a> {
    /// A piece on a square.
    pub fn new(square: String, piece: &'a Piece) -> PieceObject<'a> {
        let Piece { side, letter, name, abbreviation } = piece;
        PieceObject { square, letter: *letter, side: side.letter(), name, abbreviation }
    }
}

/// What is shown, as an object; `svg` is the file of the picture that was made of it.
pub fn object<'a>(shown: &'a Shown, card: &'a Card, svg: Option<&Path>) -> ShowObject<'a> {
    let diagram = &shown.diagram;
    let cells = || diagram.cells.iter().enumerate();
    let name = |n| board::square_name(diagram, n);
    let pieces =
        cells().filter_map(|(n, cell)| cell.piece.as_ref().map(|piece| PieceObject::new(name(n), piece)));
    ShowObject {
        game: &card.id,
        name: &card.name,
        fen: &shown.fen,
        width: diagram.width,
        height: diagram.height,
        sides: &diagram.sides,
        side_to_move: Side::letter(diagram.side_to_move),
        pieces: pieces.collect(),
        key: cells().filter(|(_, cell)| cell.key).map(|(n, _)| name(n)).collect(),
        blocking: cells().filter(|(_, cell)| cell.blocking).map(|(n, _)| name(n)).collect(),
        notes: diagram.notes.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
        objective: &card.objective,
        outcome: shown.outcome().map(Outcome::name),
        svg: svg.map(|file| file.display().to_string()),
    }
}
