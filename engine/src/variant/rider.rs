//! Attacks of pieces that slide until something stops them.

use crate::bitboard::{Bitboard, Square};
use crate::bits;

/// The squares that a rider reaches on both sides of its own along one line, nearest first in number
/// order, already cut at the edge, at its range and at squares that block sliders.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Line {
    /// Squares with lower numbers.
    pub(crate) lower: Bitboard,
    /// Squares with higher numbers.
    pub(crate) upper: Bitboard,
}

impl Line {
    /// The part of the line up to and with the nearest occupied square on each side.
    #[inline(always)]
    pub(crate) fn attacks(&self, occupied: Bitboard) -> Bitboard {
        let (upper, lower) = (self.upper.0 & occupied.0, self.lower.0 & occupied.0);
        let above = upper ^ upper.wrapping_sub(1);
        let below = !0 << (63 - (lower | 1).leading_zeros());
        Bitboard(above & self.upper.0 | below & self.lower.0)
    }

    /// The squares whose occupation changes the attacks: all but the last one on each side.
    fn relevant(&self) -> Bitboard {
        let last = Bitboard(1u64.unbounded_shl(63 - self.upper.0.leading_zeros().min(63)));
        let first = Bitboard(self.lower.0 & self.lower.0.wrapping_neg());
        (self.upper & !last) | (self.lower & !first)
    }
}

/// Lines from every square along a fixed set of directions.
#[derive(Debug)]
pub(crate) struct Rider {
    /// For each square, where its part of `table` begins and what it is indexed with.
    rows: [Row; 64],
    /// The attacks for each occupation of the relevant squares; empty where that would be large, or where
    /// the machine has no fast extraction.
    table: Vec<Bitboard>,
    lines: Vec<[Line; 64]>,
    /// Which table of squares between holds for its steps; see `Tables::between`.
    pub(crate) spacing: u8,
}

#[derive(Clone, Copy, Debug, Default)]
struct Row {
    relevant: Bitboard,
    offset: usize,
}

/// The most bits that index a row of a table: an 8x8 rook needs 12.
const MAX_INDEX_BITS: u32 = 12;

impl Rider {
    pub(crate) fn new(lines: Vec<[Line; 64]>, spacing: u8) -> Rider {
        let mut rider = Rider { lines, spacing, rows: [Row::default(); 64], table: Vec::new() };
        if bits::are_instructions() {
            rider.make_table();
        }
        rider
    }

    /// Whether two riders attack alike.
    pub(crate) fn same(&self, lines: &[[Line; 64]]) -> bool {
        self.lines == lines
    }

    /// The squares attacked from a square: empty ones up to and with the first occupied one.
    #[inline(always)]
    pub(crate) fn attacks(&self, from: Square, occupied: Bitboard) -> Bitboard {
        if bits::are_instructions() {
            let row = &self.rows[from.index()];
            let number = bits::extract(occupied.0, row.relevant.0) as usize;
            if let Some(&attacks) = self.table.get(row.offset + number) {
                return attacks;
            }
        }
        self.line_attacks(from, occupied)
    }

    /// The same by arithmetic on lines, on any machine.
    #[inline(never)]
    fn line_attacks(&self, from: Square, occupied: Bitboard) -> Bitboard {
        self.lines.iter().fold(Bitboard::EMPTY, |set, line| set | line[from.index()].attacks(occupied))
    }

    fn make_table(&mut self) {
        let mut rows = [Row::default(); 64];
        let mut table = Vec::new();
        for (number, row) in rows.iter_mut().enumerate() {
            let from = Square::new(number as u8);
            let relevant =
                self.lines.iter().fold(Bitboard::EMPTY, |set, line| set | line[from.index()].relevant());
            if relevant.count() > MAX_INDEX_BITS {
                return;
            }
            *row = Row { relevant, offset: table.len() };
            // All subsets of the relevant squares in the order of their extracted numbers.
            let mut subset = 0u64;
            loop {
                table.push(self.line_attacks(from, Bitboard(subset)));
                subset = subset.wrapping_sub(relevant.0) & relevant.0;
                if subset == 0 {
                    break;
                }
            }
        }
        (self.rows, self.table) = (rows, table);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Geometry;
    use crate::zobrist::splitmix64;

    /// A rook on an 8x8 board.
    fn rook() -> Rider {
        let g = Geometry::new(8, 8).unwrap();
        let mut lines = vec![[Line::default(); 64]; 2];
        for from in g.squares() {
            for to in g.squares().filter(|&to| to != from) {
                let line = match (g.file(from) == g.file(to), g.rank(from) == g.rank(to)) {
                    (true, _) => &mut lines[0][from.index()],
                    (_, true) => &mut lines[1][from.index()],
                    _ => continue,
                };
                if to > from { line.upper |= to.bit() } else { line.lower |= to.bit() }
            }
        }
        Rider::new(lines, 0)
    }

    /// The fallback and the table must agree, and both with a walk.
    #[test]
    fn both_ways_to_slide_agree_with_a_walk() {
        let g = Geometry::new(8, 8).unwrap();
        let rook = rook();
        assert_eq!(!rook.table.is_empty(), bits::are_instructions());
        let mut state = 7;
        for _ in 0..2000 {
            let (a, first) = splitmix64(state);
            let (b, second) = splitmix64(a);
            state = b;
            let occupied = Bitboard(first & second);
            for from in g.squares() {
                let mut walked = Bitboard::EMPTY;
                for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
                    let mut at = from;
                    while let Some(to) = g.step(at, dx, dy) {
                        walked |= to.bit();
                        if occupied.has(to) {
                            break;
                        }
                        at = to;
                    }
                }
                assert_eq!(rook.attacks(from, occupied), walked);
                assert_eq!(rook.line_attacks(from, occupied), walked);
            }
        }
    }
}
