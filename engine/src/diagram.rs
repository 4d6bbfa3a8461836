//! A board ready to be drawn, in a terminal or as a picture, without any knowledge of its game.
//!
//! Most boards are rectangles of squares. A board that is a graph is a rectangle of places too, a rank for
//! each of its layers, so that whoever knows rectangles alone can draw it; [`Graph`] has the rest.

use crate::value::Side;

/// A rectangular board with what stands on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagram {
    /// Files.
    pub width: usize,
    /// Ranks.
    pub height: usize,
    /// One cell a square, from `a1` along the ranks.
    pub cells: Vec<Cell>,
    /// The names of White and Black.
    pub sides: [String; 2],
    /// Whose turn it is.
    pub side_to_move: Side,
    /// What a person must know that the board does not show, such as castling rights: name and value.
    pub notes: Vec<(String, String)>,
    /// What there is to know of a board that is a graph; `None` for squares.
    pub graph: Option<Graph>,
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
    /// A key square.
    pub key: bool,
    /// Sliders cannot pass it.
    pub blocking: bool,
    /// A raised square, which some pieces may not enter.
    pub raised: bool,
    /// Water, which not every piece may enter.
    pub river: bool,
    /// What is shown in place of the piece's letter, where a letter cannot tell enough.
    pub label: Option<String>,
}

/// A piece of a [`Diagram`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Whose it is.
    pub side: Side,
    /// Its letter in position strings, in its side's case.
    pub letter: char,
    /// Its full name for this side, such as `Longbowman`.
    pub name: String,
    /// The official abbreviation, such as `JLA-GNLO`; empty where there is none.
    pub abbreviation: String,
}
