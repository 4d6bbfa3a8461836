//! The 28 dominoes, and sets of them.

use std::fmt;
use std::ops::{BitAnd, BitOr, Not};

/// A domino: its number among `00 01 … 06 11 12 … 66`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tile(u8);

/// The pips of each tile, the lower half first.
static PIPS: [(u8, u8); Tile::COUNT] = {
    let mut pips = [(0, 0); Tile::COUNT];
    let (mut low, mut high, mut number) = (0, 0, 0);
    while number < Tile::COUNT {
        pips[number] = (low, high);
        number += 1;
        high += 1;
        if high == 7 {
            low += 1;
            high = low;
        }
    }
    pips
};

impl Tile {
    /// How many tiles there are.
    pub const COUNT: usize = 28;

    /// All tiles, by number.
    pub fn all() -> impl Iterator<Item = Tile> + Clone {
        (0..Tile::COUNT as u8).map(Tile)
    }

    /// The tile of a number below [`COUNT`](Tile::COUNT).
    ///
    /// # Panics
    /// If the number is not below it.
    pub const fn new(number: u8) -> Tile {
        assert!((number as usize) < Tile::COUNT);
        Tile(number)
    }

    /// Its number.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The pips of its two halves, the lower ones first.
    pub const fn pips(self) -> (u8, u8) {
        PIPS[self.index()]
    }

    /// The tile with these pips, in either order; `None` if there is none.
    pub fn with_pips(one: u8, other: u8) -> Option<Tile> {
        let pips = (one.min(other), one.max(other));
        Tile::all().find(|tile| tile.pips() == pips)
    }

    /// Its strength in a contest: all its pips, 0 to 12.
    pub const fn strength(self) -> u8 {
        let (low, high) = self.pips();
        low + high
    }

    /// Whether both halves are the same.
    pub const fn is_double(self) -> bool {
        let (low, high) = self.pips();
        low == high
    }

    /// Whether one of its halves has this number of pips.
    pub const fn has(self, pips: u8) -> bool {
        let (low, high) = self.pips();
        low == pips || high == pips
    }

    /// Reads the two digits of a tile, the lower one first: one tile, one name.
    pub fn parse(text: &str) -> Option<Tile> {
        let &[low, high] = text.as_bytes() else { return None };
        let (low, high) = (low.wrapping_sub(b'0'), high.wrapping_sub(b'0'));
        if low <= high { Tile::with_pips(low, high) } else { None }
    }
}

/// The two digits, the lower one first.
impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = self.pips();
        write!(f, "{low}{high}")
    }
}

impl fmt::Debug for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// A set of tiles.
///
/// ```
/// use jewel_engine::crown_jewels::{Tile, TileSet};
/// let set: TileSet = ["66", "05"].iter().filter_map(|text| Tile::parse(text)).collect();
/// assert_eq!(set.to_string(), "05,66");
/// assert_eq!(set.into_iter().map(Tile::strength).sum::<u8>(), 17);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TileSet(u32);

impl TileSet {
    /// No tile.
    pub const EMPTY: TileSet = TileSet(0);
    /// The 28 tiles.
    pub const ALL: TileSet = TileSet((1 << Tile::COUNT) - 1);

    /// How many tiles are in the set.
    #[inline(always)]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there is no tile in the set.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the tile is in the set.
    #[inline(always)]
    pub const fn has(self, tile: Tile) -> bool {
        self.0 >> tile.0 & 1 != 0
    }

    /// The set with the tile in it.
    #[must_use]
    pub const fn with(self, tile: Tile) -> TileSet {
        TileSet(self.0 | 1 << tile.0)
    }

    /// The set without the tile.
    #[must_use]
    pub const fn without(self, tile: Tile) -> TileSet {
        TileSet(self.0 & !(1 << tile.0))
    }
}

impl BitAnd for TileSet {
    type Output = TileSet;

    fn bitand(self, other: TileSet) -> TileSet {
        TileSet(self.0 & other.0)
    }
}

impl BitOr for TileSet {
    type Output = TileSet;

    fn bitor(self, other: TileSet) -> TileSet {
        TileSet(self.0 | other.0)
    }
}

/// The tiles that are not in the set.
impl Not for TileSet {
    type Output = TileSet;

    fn not(self) -> TileSet {
        TileSet(!self.0) & TileSet::ALL
    }
}

impl FromIterator<Tile> for TileSet {
    fn from_iter<I: IntoIterator<Item = Tile>>(tiles: I) -> TileSet {
        tiles.into_iter().fold(TileSet::EMPTY, TileSet::with)
    }
}

/// The tiles of a [`TileSet`], by number.
#[derive(Clone, Debug)]
pub struct Tiles(u32);

impl Iterator for Tiles {
    type Item = Tile;

    fn next(&mut self) -> Option<Tile> {
        let number = self.0.trailing_zeros() as u8;
        let tile = (self.0 != 0).then_some(Tile(number))?;
        self.0 &= self.0 - 1;
        Some(tile)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count_ones() as usize;
        (count, Some(count))
    }
}

impl ExactSizeIterator for Tiles {}

impl IntoIterator for TileSet {
    type Item = Tile;
    type IntoIter = Tiles;

    fn into_iter(self) -> Tiles {
        Tiles(self.0)
    }
}

/// The tiles with commas between, `-` for none.
impl fmt::Display for TileSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("-");
        }
        let names: Vec<String> = self.into_iter().map(|tile| tile.to_string()).collect();
        f.write_str(&names.join(","))
    }
}

impl fmt::Debug for TileSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}
