//! What a piece can get to over the pieces that stand around: sliders by table.

use super::board::{DIAGONALLY, FORD, ORTHOGONALLY, REACH, RIVER, ray};
use super::{Kind, WorldTree};
use crate::bitboard::{Bitboard, Square};
use crate::bits::extract;

/// Most squares that a slider passes or comes to in one direction.
const RANGE: i32 = 3;

/// Lines of four directions from every square, for each way in which they can be blocked.
pub(super) struct Slides {
    /// The squares that stop a slider short: two in each direction.
    blockers: [u64; 64],
    /// By which of these squares are occupied.
    reached: [[Bitboard; 256]; 64],
}

impl Slides {
    const fn new(directions: [(i32, i32); 4]) -> Slides {
        let mut slides = Slides { blockers: [0; 64], reached: [[Bitboard::EMPTY; 256]; 64] };
        let mut from = 0;
        while from < 64 {
            let mut n = 0;
            while n < 4 {
                slides.blockers[from] |= ray(from, directions[n], RANGE - 1);
                n += 1;
            }
            slides.fill(from, directions);
            from += 1;
        }
        slides
    }

    /// Fills in what is reached from a square.
    const fn fill(&mut self, from: usize, directions: [(i32, i32); 4]) {
        let mut rays = [[0; RANGE as usize]; 4];
        let mut n = 0;
        while n < 4 {
            rays[n] = [ray(from, directions[n], 1), ray(from, directions[n], 2), ray(from, directions[n], 3)];
            n += 1;
        }
        // Subsets of the blockers in ascending order: that of the bits extracted.
        let (mut occupied, mut number) = (0u64, 0);
        while number < 256 {
            let mut n = 0;
            while n < 4 {
                let [near, middle, far] = rays[n];
                self.reached[from][number].0 |= match (occupied & near, occupied & middle) {
                    (0, 0) => far,
                    (0, _) => middle,
                    _ => near,
                };
                n += 1;
            }
            occupied = occupied.wrapping_sub(self.blockers[from]) & self.blockers[from];
            number += 1;
        }
    }

    /// The squares on lines of up to three from a square, each up to and with the first occupied one.
    #[inline(always)]
    pub(super) fn reached(&self, from: Square, occupied: Bitboard) -> Bitboard {
        let number = extract(occupied.0, self.blockers[from.index()]);
        self.reached[from.index()][number as usize & 255]
    }
}

/// The tables of all sliders.
pub(super) struct Lines {
    pub(super) straight: Slides,
    pub(super) diagonal: Slides,
}

pub(super) static LINES: Lines =
    Lines { straight: Slides::new(ORTHOGONALLY), diagonal: Slides::new(DIAGONALLY) };

impl WorldTree {
    /// What a piece of which a player has one gets to from a square by number, each line up to and with the
    /// first occupied square; nothing if it is off the board. A piece may stay where it gets to if nothing
    /// stands there, a zi ri everywhere.
    #[inline(always)]
    pub(super) fn reached(&self, kind: Kind, number: u8) -> Bitboard {
        let from = Square::wrap(u32::from(number));
        let occupied = !self.empty_squares();
        let straight = |occupied| LINES.straight.reached(from, occupied);
        let way = match kind {
            Kind::Town | Kind::Khtsoyis | Kind::ZiRi | Kind::Cani => Bitboard::ALL,
            Kind::Gormoror => straight(occupied),
            Kind::Herethroy | Kind::Sleeth => straight(occupied) | LINES.diagonal.reached(from, occupied),
            // From the river to all of it.
            Kind::Orren => {
                let current = if RIVER.has(from) { RIVER } else { Bitboard::EMPTY };
                straight(occupied) | current
            }
            // The river stops a rassimel, but for the fords.
            Kind::Rassimel => straight(occupied | RIVER) | FORD.of(from.number()),
        };
        // The table has nothing for a piece off the board.
        way & REACH[kind as usize % Kind::SINGLES].of(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zobrist::splitmix64;

    #[test]
    fn sliders_stop_at_the_first_piece() {
        let square = |file: i32, rank: i32| {
            let on_board = (0..8).contains(&file) && (0..8).contains(&rank);
            on_board.then(|| Square::new((rank * 8 + file) as u8))
        };
        for from in 0..64 {
            let here = Square::new(from as u8);
            for seed in 0..60 {
                let (state, word) = splitmix64(seed * 64 + from as u64);
                let occupied = Bitboard(word & splitmix64(state).1);
                let mut walked = [Bitboard::EMPTY; 2];
                for (file, rank) in ORTHOGONALLY.into_iter().chain(DIAGONALLY) {
                    for steps in 1..=3 {
                        let to = square(from % 8 + steps * file, from / 8 + steps * rank);
                        let Some(to) = to else { break };
                        walked[usize::from(file != 0 && rank != 0)] |= to.bit();
                        if occupied.has(to) {
                            break;
                        }
                    }
                }
                let tables = [&LINES.straight, &LINES.diagonal].map(|table| table.reached(here, occupied));
                assert_eq!(tables, walked);
            }
        }
    }
}
