//! A board ready to be drawn, in a terminal or as a picture, without any knowledge of its game.

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
    /// Water, which not every piece may enter.
    pub river: bool,
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
