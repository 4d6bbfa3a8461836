//! The neighbours by which the symbols of a block are coded.

use crate::header::NeighbourOffsets;
use std::hint::select_unpredictable;

/// The symbol of a don't-care in distance blocks: one more than any distance.
pub(crate) const NONE: u16 = 4096;

/// Codes of neighbours without a distance: another outcome, a don't-care, outside the block.
pub(crate) const OTHER: u8 = 61;
const CARELESS: u8 = 62;
pub(crate) const BEYOND: u8 = 63;
/// Added to the codes of wins.
const WIN: u8 = 64;

/// The code of a stored number when it is a neighbour.
#[inline]
fn code(number: u16) -> u8 {
    match number {
        0..16 => number as u8,
        16..96 => 16 + ((number - 16) / 2) as u8,
        NONE => CARELESS,
        _ => 56 + ((number - 96) / 32).min(4) as u8,
    }
}

/// The code of a decided cell with a stored number when it is a neighbour.
#[inline(always)]
pub(crate) fn mark(number: u16, won: bool) -> u8 {
    let code = code(number);
    if won && code < OTHER { code + WIN } else { code }
}

/// The two parts of a block, each behind as many places for what lies outside: padding, first part, padding, second part.
#[derive(Clone, Copy)]
pub(crate) struct PaddedBlock {
    /// The cells of a part.
    pub(crate) cells: usize,
}

impl PaddedBlock {
    /// The number of places.
    pub(crate) fn len(self) -> usize {
        4 * self.cells
    }

    /// The place of the first cell of a part.
    #[inline(always)]
    pub(crate) fn part(self, part: usize) -> usize {
        (1 + 2 * part) * self.cells
    }

    /// The part and the place of a symbol: those of the first part come first.
    #[inline(always)]
    pub(crate) fn place(self, symbol: usize) -> (usize, usize) {
        let part = usize::from(symbol >= self.cells);
        (part, self.part(part) + symbol - part * self.cells)
    }
}

/// How far away the neighbours of a cell are, in places of a [`PaddedBlock`].
#[derive(Clone, Copy)]
pub(crate) struct Neighbours {
    pub(crate) near: usize,
    far: usize,
    up: usize,
    two: usize,
    near2: usize,
    near_up: usize,
    far1: usize,
    far_near: usize,
    /// From a cell of the second part to that of the first.
    other: usize,
}

impl Neighbours {
    pub(crate) fn new(offsets: NeighbourOffsets, cells: usize) -> Neighbours {
        let [near, far, up] = [offsets.near, offsets.far, offsets.up].map(|k| k as usize);
        let limit = |k: usize| k.min(cells);
        Neighbours {
            near: limit(near),
            far: limit(far),
            up: limit(up),
            two: limit(2),
            near2: limit(near.saturating_mul(2)),
            near_up: limit(near.saturating_mul(up)),
            far1: limit(far.saturating_add(1)),
            far_near: limit(far.saturating_add(near)),
            other: 2 * cells,
        }
    }

    /// The neighbours of a cell of the first part that its WDL symbol is coded by.
    #[inline(always)]
    pub(crate) fn first(&self, w: &[u8], at: usize) -> [u8; 6] {
        [
            w[at - self.far],
            w[at - self.near],
            w[at - 1],
            w[at - self.up],
            w[at - self.near_up],
            w[at - self.near2],
        ]
    }

    /// The neighbours of a cell of the second part that its WDL symbol is coded by.
    #[inline(always)]
    pub(crate) fn second(&self, w: &[u8], at: usize) -> [u8; 7] {
        let other = at - self.other;
        [
            w[other],
            w[other + self.near],
            w[other + 1],
            w[at - self.near],
            w[at - 1],
            w[other - self.near],
            w[other - 1],
        ]
    }

    /// The features of a decided cell that its distance is coded by.
    #[inline(always)]
    pub(crate) fn distance(&self, codes: &[u8], at: usize, side: usize, won: bool) -> [u8; 5] {
        let care = |k: usize| {
            let code = codes[at - k];
            u8::from(code == CARELESS) + 2 * u8::from(code == BEYOND)
        };
        let win = if won { WIN } else { 0 };
        // Which place tells is hard to predict, so that all are looked at.
        let or = |code: u8, other: u8| select_unpredictable(code < OTHER, code, other);
        let like = |a: usize, b: usize, c: usize| {
            let first = codes[at - a];
            let none = select_unpredictable((CARELESS..=BEYOND).contains(&first), first, OTHER);
            or(first ^ win, or(codes[at - b] ^ win, or(codes[at - c] ^ win, none)))
        };
        [
            2 * side as u8 + u8::from(won),
            9 * care(self.near) + 3 * care(1) + care(self.far),
            like(self.near, self.near2, self.near_up),
            like(self.far, self.far1, self.far_near),
            like(1, self.two, self.up),
        ]
    }
}

/// Features below 4 as one number.
#[inline(always)]
pub(crate) fn key<const N: usize>(features: [u8; N]) -> usize {
    features.iter().fold(0, |key, &f| key << 2 | usize::from(f & 3))
}

/// The features of a key: undoes [`key`].
pub(crate) fn features<const N: usize>(key: usize) -> [u8; N] {
    std::array::from_fn(|i| (key >> (2 * (N - 1 - i)) & 3) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_neighbours_are_as_documented() {
        let numbers = [0, 15, 16, 17, 18, 95, 96, 127, 128, 223, 224, 4095, NONE];
        assert_eq!(numbers.map(code), [0, 15, 16, 16, 17, 55, 56, 56, 57, 59, 60, 60, 62]);
    }
}
