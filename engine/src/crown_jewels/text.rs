//! Position strings, `board side jewels quiet`, and those of a player's view, with the viewer and the hidden tiles
//! behind.

use super::board::{GRID, crowd, name};
use super::rules::Rules;
use super::state::{Board, CrownJewels, HIDDEN, NOTHING};
use super::tile::{Tile, TileSet};
use super::view::CrownJewelsView;
use crate::bitboard::Square;
use crate::geometry::shorten;
use crate::value::Side;
use thiserror::Error;

/// What is wrong with the text of a true state or of a view.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PositionError {
    /// The wrong number of fields.
    #[error("{what} has {expected} fields, \"{form}\"; found {found}")]
    Fields {
        /// A position, or a view.
        what: &'static str,
        /// How many fields it has.
        expected: usize,
        /// The names of the fields.
        form: &'static str,
        /// How many there are.
        found: usize,
    },
    /// The wrong number of ranks.
    #[error("the board has {expected} ranks with '/' between, found {found}")]
    Ranks {
        /// Ranks of the board.
        expected: u32,
        /// Ranks of the text.
        found: usize,
    },
    /// A rank of the wrong length.
    #[error("rank {rank} has {found} squares instead of {expected}")]
    Length {
        /// The rank, from 1.
        rank: u32,
        /// Its squares.
        found: u32,
        /// Squares of a rank.
        expected: u32,
    },
    /// Something that no square can hold.
    #[error(
        "rank {rank}: \"{found}\" is not one of a number of empty squares, # (checker), w05 (tile), w05! (known to both){more}"
    )]
    Content {
        /// The rank, from 1.
        rank: u32,
        /// What stands there.
        found: String,
        /// What else there can be.
        more: &'static str,
    },
    /// A tile that the game does not have.
    #[error("{square}: the game has no tile {tile}; it has {set}")]
    NoSuchTile {
        /// The square, or what else it was found in.
        square: String,
        /// The tile.
        tile: Tile,
        /// The tiles of the game.
        set: TileSet,
    },
    /// A tile that is there twice.
    #[error("{square}: the tile {tile} is there twice")]
    Twice {
        /// The second square, or what else it was found in.
        square: String,
        /// The tile.
        tile: Tile,
    },
    /// More tiles than a player has.
    #[error("{side} has {found} tiles; a player has at most {most}")]
    TooManyTiles {
        /// The side, `w` or `b`.
        side: char,
        /// How many there are.
        found: u32,
        /// How many there can be.
        most: u32,
    },
    /// More checkers than a player has.
    #[error("{side} has {found} checkers on its home ranks; a player has at most {most}")]
    TooManyCheckers {
        /// The side, `w` or `b`.
        side: char,
        /// How many there are.
        found: u32,
        /// How many there can be.
        most: u32,
    },
    /// A checker where none is placed.
    #[error("a checker cannot be on {0}: checkers stay on the home ranks, where the players put them")]
    Checker(String),
    /// Three checkers joined.
    #[error("the checker on {0} is joined with two others: at most two checkers are joined orthogonally")]
    Joined(String),
    /// A side that is neither `w` nor `b`.
    #[error("the {what} is w or b, found \"{found}\"")]
    Side {
        /// Which side: to move, or viewing.
        what: &'static str,
        /// What was found.
        found: String,
    },
    /// A field of sides that began with Jewels that is not `-`, `w`, `b` or `wb`.
    #[error("the sides that began play with Jewels are wb, w or b, found \"{0}\"")]
    Began(String),
    /// A Jewel of a side that began without.
    #[error("{0} has the Jewel {1}, but is not among the sides that began play with Jewels")]
    Jewel(char, Tile),
    /// A count of plies out of range.
    #[error("quiet is the number of plies since the last contest, 0 to {most}; found \"{found}\"")]
    Quiet {
        /// What was found.
        found: String,
        /// The greatest number.
        most: u32,
    },
    /// A hidden tile of the viewer.
    #[error("{0}: the viewer knows their own tiles; only tiles of the other side are ??")]
    OwnHidden(String),
    /// A tile that the viewer cannot know.
    #[error("{0}: the viewer knows tiles of the other side only if both know them; write {1}?? or {1}{2}!")]
    NotKnown(String, char, Tile),
    /// A list of hidden tiles that cannot be read.
    #[error("the hidden tiles are sorted, with commas between, - for none; found \"{0}\"")]
    Hidden(String),
    /// Hidden tiles that are not as many as hidden squares.
    #[error("there are {squares} squares with ?? and {tiles} hidden tiles; they must be as many")]
    HiddenCount {
        /// Squares with `??`.
        squares: u32,
        /// Tiles of the list.
        tiles: u32,
    },
}

const STATE: (&str, &str) = ("a position", "board side jewels quiet");
const VIEW: (&str, &str) = ("what a player sees", "board side jewels quiet viewer hidden");

/// The fields of a text, which must be as many as it has.
fn fields<'a, const N: usize>(
    text: &'a str,
    (what, form): (&'static str, &'static str),
) -> Result<[&'a str; N], PositionError> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let found = fields.len();
    fields.try_into().map_err(|_| PositionError::Fields { what, expected: N, form, found })
}

fn read_side(text: &str, what: &'static str) -> Result<Side, PositionError> {
    match text {
        "w" => Ok(Side::White),
        "b" => Ok(Side::Black),
        _ => Err(PositionError::Side { what, found: shorten(text) }),
    }
}

impl CrownJewels {
    /// Reads a position string.
    ///
    /// # Errors
    /// The first error found.
    pub fn read(rules: &'static Rules, text: &str) -> Result<CrownJewels, PositionError> {
        let [squares, side, jewels, quiet] = fields(text, STATE)?;
        let mut board = Board::empty(rules);
        board.read_squares(squares, None)?;
        board.read_rest([side, jewels, quiet])?;
        board.check(Side::BOTH.map(|side| board.tiles_of(side)))?;
        Ok(CrownJewels::from_board(board))
    }

    /// The position string.
    pub(super) fn text(&self) -> String {
        self.board.text()
    }
}

impl CrownJewelsView {
    /// Reads the text of a view.
    ///
    /// # Errors
    /// The first error found.
    pub fn read(rules: &'static Rules, text: &str) -> Result<CrownJewelsView, PositionError> {
        let [squares, side, jewels, quiet, viewer, hidden] = fields(text, VIEW)?;
        let viewer = read_side(viewer, "viewer")?;
        let mut board = Board::empty(rules);
        board.read_squares(squares, Some(viewer))?;
        board.read_rest([side, jewels, quiet])?;
        let hidden = read_hidden(&board, hidden)?;
        let squares = board.pieces_of(!viewer) & !board.known;
        if squares.count() != hidden.count() {
            return Err(PositionError::HiddenCount { squares: squares.count(), tiles: hidden.count() });
        }
        let view = CrownJewelsView::from_board(board, viewer, hidden);
        board.check(Side::BOTH.map(|side| view.tiles_of(side)))?;
        Ok(view)
    }

    /// The text of the view: that of the true state with `??` for hidden tiles, the viewer, and the tiles that
    /// the `??` hide between them.
    pub fn text(&self) -> String {
        format!("{} {} {}", self.board.text(), self.viewer.letter(), self.hidden)
    }
}

/// Reads the list of hidden tiles, which are of the game and not on the board.
fn read_hidden(board: &Board, text: &str) -> Result<TileSet, PositionError> {
    let mut hidden = TileSet::EMPTY;
    if text == "-" {
        return Ok(hidden);
    }
    let shown = board.tiles_of(Side::White) | board.tiles_of(Side::Black);
    for part in text.split(',') {
        let tile = Tile::parse(part).ok_or_else(|| PositionError::Hidden(shorten(text)))?;
        let place = || "hidden tiles".to_string();
        if !board.rules.set.has(tile) {
            return Err(PositionError::NoSuchTile { square: place(), tile, set: board.rules.set });
        }
        if (shown | hidden).has(tile) {
            return Err(PositionError::Twice { square: place(), tile });
        }
        hidden = hidden.with(tile);
    }
    if hidden.to_string() == text { Ok(hidden) } else { Err(PositionError::Hidden(shorten(text))) }
}

impl Board {
    /// Reads what stands on the squares; in a view the tiles of the other side are hidden or known.
    fn read_squares(&mut self, text: &str, viewer: Option<Side>) -> Result<(), PositionError> {
        let ranks: Vec<&str> = text.split('/').collect();
        if ranks.len() != self.rules.ranks as usize {
            return Err(PositionError::Ranks { expected: self.rules.ranks, found: ranks.len() });
        }
        for (number, text) in (0..self.rules.ranks).rev().zip(ranks) {
            self.read_rank(number, text, viewer)?;
        }
        Ok(())
    }

    fn read_rank(&mut self, number: u32, text: &str, viewer: Option<Side>) -> Result<(), PositionError> {
        let (rank, expected) = (number + 1, self.rules.files);
        let mut file = 0;
        for part in text.split(',') {
            if let &[digit @ b'1'..=b'8'] = part.as_bytes() {
                file += u32::from(digit - b'0');
                continue;
            }
            if file < expected {
                let square = Square::new((8 * number + file) as u8);
                self.read_square(rank, square, part, viewer)?;
            }
            file += 1;
        }
        if file == expected { Ok(()) } else { Err(PositionError::Length { rank, found: file, expected }) }
    }

    fn read_square(
        &mut self,
        rank: u32,
        square: Square,
        text: &str,
        viewer: Option<Side>,
    ) -> Result<(), PositionError> {
        if text == "#" {
            self.closed |= square.bit();
            return Ok(());
        }
        let more = if viewer.is_some() { ", b?? (hidden)" } else { "" };
        let content = || PositionError::Content { rank, found: shorten(text), more };
        let side = match text.bytes().next() {
            Some(b'w') => Side::White,
            Some(b'b') => Side::Black,
            _ => return Err(content()),
        };
        let (tile, known) = match text[1..].strip_suffix('!') {
            Some(tile) => (tile, true),
            None => (&text[1..], false),
        };
        self.by_side[side.index()] |= square.bit();
        if tile == "??" && !known && viewer.is_some() {
            self.tiles[square.index()] = HIDDEN;
            return if viewer == Some(side) { Err(PositionError::OwnHidden(name(square))) } else { Ok(()) };
        }
        let tile = Tile::parse(tile).ok_or_else(content)?;
        if !self.rules.set.has(tile) {
            return Err(PositionError::NoSuchTile { square: name(square), tile, set: self.rules.set });
        }
        if self.tiles.contains(&(tile.index() as u8)) {
            return Err(PositionError::Twice { square: name(square), tile });
        }
        if viewer == Some(!side) && !known {
            return Err(PositionError::NotKnown(name(square), side.letter(), tile));
        }
        self.tiles[square.index()] = tile.index() as u8;
        if known {
            self.known |= square.bit();
        }
        Ok(())
    }

    fn read_rest(&mut self, [side, jewels, quiet]: [&str; 3]) -> Result<(), PositionError> {
        self.side = read_side(side, "side to move")?;
        self.began = match jewels {
            "wb" => [true, true],
            "w" => [true, false],
            "b" => [false, true],
            _ => return Err(PositionError::Began(shorten(jewels))),
        };
        let most = self.rules.quiet;
        let number = quiet.parse().ok().filter(|n: &u8| u32::from(*n) <= most && n.to_string() == quiet);
        self.quiet = number.ok_or_else(|| PositionError::Quiet { found: shorten(quiet), most })?;
        Ok(())
    }

    /// Checks that the board is possible with these tiles of each side.
    fn check(&self, tiles: [TileSet; 2]) -> Result<(), PositionError> {
        let homes = self.rules.homes;
        let lost = self.checkers() & !(homes[0] | homes[1]);
        if lost.any() {
            return Err(PositionError::Checker(name(lost.first())));
        }
        for (side, tiles) in Side::BOTH.into_iter().zip(tiles) {
            let (letter, found) = (side.letter(), tiles.count());
            if found > self.rules.tiles {
                return Err(PositionError::TooManyTiles { side: letter, found, most: self.rules.tiles });
            }
            let checkers = self.checkers() & homes[side.index()];
            if let Some(square) = crowd(checkers) {
                return Err(PositionError::Joined(name(square)));
            }
            let (found, most) = (checkers.count(), self.rules.checkers);
            if found > most {
                return Err(PositionError::TooManyCheckers { side: letter, found, most });
            }
            let jewel = (tiles & self.rules.jewels).into_iter().next();
            if let Some(jewel) = jewel.filter(|_| !self.began[side.index()]) {
                return Err(PositionError::Jewel(letter, jewel));
            }
        }
        Ok(())
    }

    fn text(&self) -> String {
        let ranks: Vec<String> = (0..self.rules.ranks).rev().map(|rank| self.rank_text(rank)).collect();
        let began = match self.began {
            [true, true] => "wb",
            [true, false] => "w",
            _ => "b",
        };
        format!("{} {} {began} {}", ranks.join("/"), self.side.letter(), self.quiet)
    }

    fn rank_text(&self, rank: u32) -> String {
        let (mut parts, mut empty) = (Vec::new(), 0);
        for file in 0..self.rules.files {
            let content = self.square_text(Square::new((8 * rank + file) as u8));
            if content.is_empty() {
                empty += 1;
                continue;
            }
            if empty > 0 {
                parts.push(std::mem::take(&mut empty).to_string());
            }
            parts.push(content);
        }
        if empty > 0 {
            parts.push(empty.to_string());
        }
        parts.join(",")
    }

    /// What stands on a square, as in a position string; nothing if it is empty.
    pub(super) fn square_text(&self, square: Square) -> String {
        if self.checkers().has(square) {
            return "#".into();
        }
        let side = if self.pieces_of(Side::White).has(square) { Side::White } else { Side::Black };
        match (self.tiles[square.index()], self.tile(square)) {
            (NOTHING, _) => String::new(),
            (_, Some(tile)) => {
                let known = if self.known.has(square) { "!" } else { "" };
                format!("{}{tile}{known}", side.letter())
            }
            (_, None) => format!("{}??", side.letter()),
        }
    }
}

/// Reads the name of a square of the board.
pub(super) fn read_square_name(rules: &Rules, text: &str) -> Result<Square, String> {
    let square = GRID.parse_square(text).ok().filter(|&square| rules.squares.has(square));
    square.ok_or_else(|| {
        let last = name(Square::new((8 * (rules.ranks - 1) + rules.files - 1) as u8));
        format!("\"{}\" is not a square; squares go from a1 to {last}", shorten(text))
    })
}
