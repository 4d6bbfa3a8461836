//! The placement phase: which cell is next, and what is left to put on it.

use super::board::CORNERS;
use super::hash::KEYS;
use super::{Kind, Move, WorldTree};
use crate::bitboard::Square;
use crate::value::Side;
use std::ops::ControlFlow;

/// Pieces that are put down, towns not counted.
pub(super) const PLACEMENTS: u8 = 20;

/// The cells 2 to 11 of each side, by number: file and rank from 0 (W1: mirror images in the river, save that
/// the numbers 2 and 4 are exchanged).
const CELLS: [[(u8, u8); 10]; 2] = [
    [(1, 7), (1, 6), (0, 6), (0, 5), (1, 5), (2, 5), (2, 6), (2, 7), (3, 7), (0, 4)],
    [(6, 0), (6, 1), (7, 1), (5, 0), (5, 1), (5, 2), (6, 2), (7, 2), (7, 3), (4, 0)],
];

/// The `number`th cell of a side to be filled, counted from 0; there are ten.
pub(super) fn cell(side: Side, number: usize) -> Square {
    let (file, rank) = CELLS[side.index()][number % 10];
    Square::new(rank * 8 + file)
}

impl WorldTree {
    /// Two towns on their corners and everything else to come.
    pub(super) fn before_placement() -> WorldTree {
        let mut position = WorldTree { placed: 0, key: KEYS.placing, ..WorldTree::empty() };
        for side in Side::BOTH {
            position.put(Kind::Town, side, CORNERS[side.index()]);
        }
        position
    }

    /// The cell that the side to move has to fill.
    #[inline]
    pub(super) fn next_cell(&self) -> Square {
        cell(self.side, usize::from(self.placed / 2))
    }

    /// How many pieces of a kind the side to move has still to put down.
    pub(super) fn in_hand(&self, kind: Kind) -> u32 {
        let all = if kind == Kind::Cani { Kind::CANI } else { 1 };
        all.saturating_sub(self.pieces(self.side, kind).count())
    }

    /// The kinds of which the side to move has something to put down.
    pub(super) fn hand(&self) -> impl Iterator<Item = Kind> + '_ {
        Kind::ALL.into_iter().filter(|&kind| self.in_hand(kind) > 0)
    }

    pub(super) fn placements<B>(&self, mut visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.hand().try_for_each(|kind| visit(Move::place(kind, self.next_cell())))
    }

    pub(super) fn play_placement(&mut self, kind: Kind, square: Square) {
        self.put(kind, self.side, square);
        self.placed = (self.placed + 1).min(PLACEMENTS);
        if !self.is_placing() {
            self.key ^= KEYS.placing;
        }
        self.key ^= KEYS.black;
        self.side = !self.side;
    }
}
