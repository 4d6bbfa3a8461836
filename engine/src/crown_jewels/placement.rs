//! The placement: each player puts tiles and checkers on the home ranks, unseen by the other until both are
//! done.

use super::board::{crowd, name};
use super::deal::{Setup, SetupView};
use super::rules::Rules;
use super::state::{Board, CrownJewels};
use super::text::read_square_name;
use super::tile::{Tile, TileSet};
use crate::bitboard::{Bitboard, Square};
use crate::geometry::shorten;
use crate::random::Random;
use crate::value::Side;
use std::fmt;
use thiserror::Error;

/// What is wrong with a placement.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PlacementError {
    /// A text that is not a placement.
    #[error("\"{0}\" is not a placement; write \"place a1=05 a2=13 … # b2 c1 …\": tiles, #, checkers")]
    Form(String),
    /// A part that does not put a tile on a square.
    #[error("\"{0}\" puts no tile on a square; write square=tile, such as a1=05")]
    Part(String),
    /// Something that is not a square.
    #[error("{0}")]
    Square(String),
    /// A square that is not on the player's home ranks.
    #[error("{square} is not on the {ranks} nearest ranks of {side}: {home}")]
    NotHome {
        /// The square.
        square: String,
        /// The number of home ranks.
        ranks: u32,
        /// The player's side.
        side: char,
        /// The home ranks, in words.
        home: String,
    },
    /// Two things on one square.
    #[error("something is put on {0} twice")]
    Occupied(String),
    /// A tile that is not in hand.
    #[error("the tile {tile} is not in hand; in hand are {hand}")]
    NotInHand {
        /// The tile.
        tile: Tile,
        /// The tiles in hand.
        hand: TileSet,
    },
    /// A tile that is placed twice.
    #[error("the tile {0} is placed twice")]
    Twice(Tile),
    /// A tile that is not placed.
    #[error("not all tiles are placed: {0} is missing")]
    Missing(TileSet),
    /// Too few or too many checkers.
    #[error("a player places {expected} checkers, found {found}")]
    Checkers {
        /// How many are placed.
        expected: u32,
        /// How many there are.
        found: u32,
    },
    /// Three checkers joined.
    #[error("the checker on {0} is joined with two others: at most two checkers are joined orthogonally")]
    Joined(String),
    /// The placement of one side for the other.
    #[error("the placement is that of {found}, and {expected} places")]
    Side {
        /// The side that places.
        expected: char,
        /// The side that placed.
        found: char,
    },
}

/// Where a player puts tiles and checkers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    side: Side,
    /// By square, from the lowest.
    tiles: Vec<(Square, Tile)>,
    checkers: Bitboard,
}

impl Placement {
    /// The side that placed.
    pub fn side(&self) -> Side {
        self.side
    }

    /// The tiles with their squares, from the lowest square up.
    pub fn tiles(&self) -> &[(Square, Tile)] {
        &self.tiles
    }

    /// The squares of the checkers.
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }
}

/// The text that [`SetupView::parse_placement`] reads, sorted by the names of squares.
impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut tiles: Vec<String> =
            self.tiles.iter().map(|(square, tile)| format!("{}={tile}", name(*square))).collect();
        tiles.sort();
        let mut checkers: Vec<String> = self.checkers.into_iter().map(name).collect();
        checkers.sort();
        write!(f, "place {}", tiles.join(" "))?;
        if checkers.is_empty() { Ok(()) } else { write!(f, " # {}", checkers.join(" ")) }
    }
}

impl SetupView {
    /// The placement of these tiles and checkers.
    ///
    /// # Errors
    /// If it is not one that this player can make.
    pub fn placement(
        &self,
        tiles: impl IntoIterator<Item = (Square, Tile)>,
        checkers: impl IntoIterator<Item = Square>,
    ) -> Result<Placement, PlacementError> {
        let mut taken = Bitboard::EMPTY;
        let mut placed = TileSet::EMPTY;
        let mut list = Vec::new();
        for (square, tile) in tiles {
            self.take(square, &mut taken)?;
            if !self.hand.has(tile) {
                return Err(PlacementError::NotInHand { tile, hand: self.hand });
            }
            if placed.has(tile) {
                return Err(PlacementError::Twice(tile));
            }
            placed = placed.with(tile);
            list.push((square, tile));
        }
        let mut set = Bitboard::EMPTY;
        for square in checkers {
            self.take(square, &mut taken)?;
            set |= square.bit();
        }
        list.sort();
        let placement = Placement { side: self.side, tiles: list, checkers: set };
        self.check(&placement).map(|()| placement)
    }

    /// Notes that something stands on a square.
    fn take(&self, square: Square, taken: &mut Bitboard) -> Result<(), PlacementError> {
        if !self.rules.home(self.side).has(square) {
            let ranks = self.rules.home;
            let first = if self.side == Side::White { 1 } else { self.rules.ranks - ranks + 1 };
            let home = format!("{first} to {}", first + ranks - 1);
            return Err(PlacementError::NotHome {
                square: name(square),
                ranks,
                side: self.side.letter(),
                home,
            });
        }
        if taken.has(square) {
            return Err(PlacementError::Occupied(name(square)));
        }
        *taken |= square.bit();
        Ok(())
    }

    /// Checks that a placement is this player's, and of the tiles in hand.
    fn check(&self, placement: &Placement) -> Result<(), PlacementError> {
        if placement.side != self.side {
            let (expected, found) = (self.side.letter(), placement.side.letter());
            return Err(PlacementError::Side { expected, found });
        }
        let placed: TileSet = placement.tiles.iter().map(|(_, tile)| *tile).collect();
        if let Some(tile) = (placed & !self.hand).into_iter().next() {
            return Err(PlacementError::NotInHand { tile, hand: self.hand });
        }
        let missing = self.hand & !placed;
        if !missing.is_empty() {
            return Err(PlacementError::Missing(missing));
        }
        let (expected, found) = (self.rules.checkers, placement.checkers.count());
        if found != expected {
            return Err(PlacementError::Checkers { expected, found });
        }
        crowd(placement.checkers).map_or(Ok(()), |square| Err(PlacementError::Joined(name(square))))
    }

    /// Reads the text of a placement, such as `place a1=05 … # b2 c1 …`, in any order of squares.
    ///
    /// # Errors
    /// If the text is not a placement, or not one that this player can make.
    pub fn parse_placement(&self, text: &str) -> Result<Placement, PlacementError> {
        let mut words = text.split_whitespace();
        if words.next() != Some("place") {
            return Err(PlacementError::Form(shorten(text)));
        }
        let square = |text: &str| read_square_name(self.rules, text).map_err(PlacementError::Square);
        let (mut tiles, mut checkers) = (Vec::new(), Vec::new());
        let mut behind = false;
        for word in words {
            match (word, behind) {
                ("#", false) => behind = true,
                ("#", true) => return Err(PlacementError::Form(shorten(text))),
                (_, true) => checkers.push(square(word)?),
                (_, false) => {
                    let part = || PlacementError::Part(shorten(word));
                    let (place, tile) = word.split_once('=').ok_or_else(part)?;
                    tiles.push((square(place)?, Tile::parse(tile).ok_or_else(part)?));
                }
            }
        }
        self.placement(tiles, checkers)
    }

    /// Any placement, each as likely as the others.
    pub fn random_placement(&self, random: &mut Random) -> Placement {
        let home = self.rules.home(self.side);
        let mut squares: Vec<Square> = home.into_iter().collect();
        // The rules make sure that there are placements; most choices of squares are legal.
        let checkers = loop {
            shuffle(&mut squares, random);
            let set: Bitboard = squares.iter().take(self.rules.checkers as usize).copied().collect();
            if crowd(set).is_none() {
                break set;
            }
        };
        let free = squares.into_iter().skip(self.rules.checkers as usize);
        let mut tiles: Vec<(Square, Tile)> = free.zip(self.hand).collect();
        tiles.sort();
        Placement { side: self.side, tiles, checkers }
    }
}

fn shuffle<T>(list: &mut [T], random: &mut Random) {
    for last in (1..list.len()).rev() {
        list.swap(last, random.below(last as u32 + 1) as usize);
    }
}

impl Setup {
    /// The first position of play: both placements, that of White first, and the player chosen by lot to begin.
    ///
    /// # Errors
    /// If a placement is not one that its player can make. The setup stays as it is.
    pub fn play(&self, placements: [&Placement; 2], first: Side) -> Result<CrownJewels, PlacementError> {
        for side in Side::BOTH {
            self.view(side).check(placements[side.index()])?;
        }
        Ok(begin(self.rules, placements, first))
    }
}

fn begin(rules: &'static Rules, placements: [&Placement; 2], first: Side) -> CrownJewels {
    let mut board = Board::empty(rules);
    board.side = first;
    for placement in placements {
        board.closed |= placement.checkers;
        for &(square, tile) in &placement.tiles {
            board.tiles[square.index()] = tile.index() as u8;
            board.by_side[placement.side.index()] |= square.bit();
        }
    }
    board.began = Side::BOTH.map(|side| !(board.tiles_of(side) & rules.jewels).is_empty());
    CrownJewels::from_board(board)
}

/// The first position of play when everything is drawn at random.
pub(super) fn random_start(rules: &'static Rules, random: &mut Random) -> CrownJewels {
    let deal = super::deal::Deal::random(rules, random);
    let gifts = Side::BOTH.map(|side| deal.view(side).random_gift(random));
    // A gift of a view is one of its player.
    let setup = deal.give(gifts).unwrap_or_else(|error| unreachable!("{error}"));
    let placements = Side::BOTH.map(|side| setup.view(side).random_placement(random));
    let first = if random.below(2) == 0 { Side::White } else { Side::Black };
    begin(rules, placements.each_ref(), first)
}
