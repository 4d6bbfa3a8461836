//! What a piece can get to over the pieces that stand around: sliders by table.

use super::board::{DIAGONALLY, FORDS, ORTHOGONALLY, REACH, RIVER, ray};
use super::{Kind, WorldTree};
use crate::bitboard::{Bitboard, Square};
use crate::bits::{deposit, extract};
use std::sync::LazyLock;

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
    fn new(directions: [(i32, i32); 4]) -> Slides {
        let mut slides = Slides { blockers: [0; 64], reached: [[Bitboard::EMPTY; 256]; 64] };
        for from in 0..64 {
            let blockers = directions.iter().fold(0, |set, &way| set | ray(from, way, RANGE - 1));
            for (number, reached) in slides.reached[from].iter_mut().enumerate() {
                let occupied = deposit(number as u64, blockers);
                let set = directions.iter().fold(0, |set, &way| set | walk(from, way, occupied));
                *reached = Bitboard(set);
            }
            slides.blockers[from] = blockers;
        }
        slides
    }

    /// The squares on lines of up to three from a square, each up to and with the first occupied one.
    #[inline(always)]
    pub(super) fn reached(&self, from: Square, occupied: Bitboard) -> Bitboard {
        let number = extract(occupied.0, self.blockers[from.index()]);
        self.reached[from.index()][number as usize & 255]
    }
}

/// The squares in one direction up to and with the first occupied one.
fn walk(from: usize, way: (i32, i32), occupied: u64) -> u64 {
    let free = (1..RANGE).take_while(|&steps| ray(from, way, steps) & occupied == 0).count();
    ray(from, way, free as i32 + 1)
}

/// The tables of all sliders.
pub(super) struct Lines {
    pub(super) straight: Slides,
    pub(super) diagonal: Slides,
}

/// Made when first asked for, in place: no position allocates.
pub(super) static LINES: LazyLock<Lines> =
    LazyLock::new(|| Lines { straight: Slides::new(ORTHOGONALLY), diagonal: Slides::new(DIAGONALLY) });

impl WorldTree {
    /// What a piece of which a player has one gets to from a square by number, each line up to and with the
    /// first occupied square; nothing if it is off the board. A piece may stay where it gets to if nothing
    /// stands there, a zi ri everywhere.
    #[inline(always)]
    pub(super) fn reached(&self, lines: &Lines, kind: Kind, number: u8) -> Bitboard {
        let from = Square::wrap(u32::from(number));
        let occupied = !self.empty_squares();
        let straight = |occupied| lines.straight.reached(from, occupied);
        let way = match kind {
            Kind::Town | Kind::Khtsoyis | Kind::ZiRi | Kind::Cani => Bitboard::ALL,
            Kind::Gormoror => straight(occupied),
            Kind::Herethroy | Kind::Sleeth => straight(occupied) | lines.diagonal.reached(from, occupied),
            // From the river to all of it.
            Kind::Orren => {
                let current = if RIVER.has(from) { RIVER } else { Bitboard::EMPTY };
                straight(occupied) | current
            }
            // The river stops a rassimel, but for the fords.
            Kind::Rassimel => straight(occupied | RIVER) | FORDS[from.index()],
        };
        // The table has nothing for a piece off the board.
        way & REACH[kind as usize % Kind::SINGLES][usize::from(number & 127)]
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
