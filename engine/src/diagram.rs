//! A board ready to be drawn, in a terminal or as a picture, without any knowledge of its game.
//!
//! Most boards are rectangles of squares. A board that is a graph is a rectangle of places too, a rank for
//! each of its layers, so that code that knows only rectangles can draw it; [`Graph`] has the rest.

use crate::value::Side;

/// A rectangular board with what stands on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagram {
    /// The number of files.
    pub width: usize,
    /// The number of ranks.
    pub height: usize,
    /// One cell for each square, from `a1` along the ranks.
    pub cells: Vec<Cell>,
    /// The names of White and Black.
    pub sides: [String; 2],
    /// Whose turn it is.
    pub side_to_move: Side,
    /// What a person must know that the board does not show, such as castling rights: name and value.
    pub notes: Vec<(String, String)>,
    /// The places and paths of a board that is a graph; `None` for a board of squares.
    pub graph: Option<Graph>,
}

impl Diagram {
    /// The board of a position string whose first field has the ranks, the highest first, with `/` between
    /// them: upper-case letters are pieces of White, lower-case ones of Black, numbers as many empty squares,
    /// and `.` and `-` one. Other characters are shown as they are; ranks of different length are filled up.
    ///
    /// ```
    /// use jewel_engine::diagram::Diagram;
    /// use jewel_engine::value::Side;
    ///
    /// let diagram = Diagram::from_text("4/1x2/XxX1 b", Side::Black);
    /// assert_eq!((diagram.width, diagram.height), (4, 3));
    /// assert_eq!(diagram.cells[0].piece.as_ref().map(|piece| piece.side), Some(Side::White));
    /// assert!(diagram.cells[3].piece.is_none());
    /// ```
    pub fn from_text(text: &str, side_to_move: Side) -> Diagram {
        let board = text.split_whitespace().next().unwrap_or(".");
        let mut ranks: Vec<Vec<Cell>> = board.split('/').rev().map(rank).collect();
        let width = ranks.iter().map(Vec::len).max().unwrap_or(0).max(1);
        ranks.iter_mut().for_each(|rank| rank.resize(width, Cell::default()));
        Diagram {
            width,
            height: ranks.len(),
            cells: ranks.concat(),
            sides: ["White".to_string(), "Black".to_string()],
            side_to_move,
            notes: Vec::new(),
            graph: None,
        }
    }
}

/// The most empty squares that one number stands for: no board is wider.
const MAX_GAP: usize = 64;

/// The squares of a rank.
fn rank(text: &str) -> Vec<Cell> {
    let mut cells = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        if digits > 0 {
            let gap = rest[..digits].parse().unwrap_or(MAX_GAP).min(MAX_GAP);
            cells.resize(cells.len() + gap, Cell::default());
            rest = &rest[digits..];
            continue;
        }
        let side = if letter.is_uppercase() { Side::White } else { Side::Black };
        let piece = Piece { side, letter, name: letter.to_string(), abbreviation: String::new() };
        cells.push(match letter {
            '.' | '-' => Cell::default(),
            _ if letter.is_alphabetic() => Cell { piece: Some(piece), ..Cell::default() },
            _ => Cell { label: Some(letter.to_string()), ..Cell::default() },
        });
        rest = &rest[letter.len_utf8()..];
    }
    cells
}

/// The places and paths of a board that is a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Graph {
    /// What a rank of the diagram is called, such as `tier`.
    pub layer: String,
    /// The name of each place, in the order of the cells.
    pub names: Vec<String>,
    /// Where each place lies seen from above: east and north of the middle, in thousandths of the radius of the
    /// whole. Places of different layers may lie one above the other.
    pub points: Vec<(i32, i32)>,
    /// The paths, each once, as numbers of cells, the lower one first.
    pub paths: Vec<(usize, usize)>,
}

/// One square of a [`Diagram`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cell {
    /// The piece on it.
    pub piece: Option<Piece>,
    /// Further pieces on the same square, in games where squares are shared.
    pub above: Vec<Piece>,
    /// Whether it is a key square.
    pub key: bool,
    /// Whether sliders cannot pass it.
    pub blocking: bool,
    /// Whether it is a raised square, which some pieces may not enter.
    pub raised: bool,
    /// Whether it is water, which not every piece may enter.
    pub river: bool,
    /// What is shown in place of the piece's letter, where a letter cannot tell enough.
    pub label: Option<String>,
}

/// A piece of a [`Diagram`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The side that owns it.
    pub side: Side,
    /// Its letter in position strings, in its side's case.
    pub letter: char,
    /// Its full name for this side, such as `Longbowman`.
    pub name: String,
    /// The official abbreviation, such as `JLA-GNLO`; empty where there is none.
    pub abbreviation: String,
}
