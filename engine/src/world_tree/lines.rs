//! Lines of up to three squares, looked up by what stands on the first two squares of each.

use super::board::{DIAGONALLY, ORTHOGONALLY};
use crate::bitboard::{Bitboard, Square};
use crate::bits::{deposit, extract};

/// The lines of four directions from every square.
pub(super) struct Lines {
    /// The first two squares of each line.
    near: [Bitboard; 64],
    /// All three.
    all: [Bitboard; 64],
    /// By the pieces on the near squares, packed, the squares of the lines up to the first piece, packed.
    open: [[u16; 256]; 64],
}

/// West, south, north and east.
pub(super) static STRAIGHT: Lines = make(&ORTHOGONALLY);
/// The diagonals.
pub(super) static OBLIQUE: Lines = make(&DIAGONALLY);

impl Lines {
    /// The open squares on lines from a square; what is not open ends a line.
    #[inline(always)]
    pub(super) fn reach(&self, from: Square, open: Bitboard) -> Bitboard {
        let i = from.index();
        let pieces = extract(!open.0, self.near[i].0) as usize % 256;
        Bitboard(deposit(u64::from(self.open[i][pieces]), self.all[i].0)) & open
    }

    /// The same on lines of two squares.
    #[inline(always)]
    pub(super) fn near_reach(&self, from: Square, open: Bitboard) -> Bitboard {
        self.reach(from, open) & self.near[from.index()]
    }
}

/// The set of the square some steps away, if it is on the board.
const fn at(square: usize, step: (i32, i32), times: i32) -> u64 {
    let (file, rank) = ((square % 8) as i32 + times * step.0, (square / 8) as i32 + times * step.1);
    if file < 0 || file > 7 || rank < 0 || rank > 7 { 0 } else { 1 << (rank * 8 + file) }
}

/// [`extract`] while compiling.
const fn packed(set: u64, mut mask: u64) -> u16 {
    let (mut out, mut n) = (0, 0);
    while mask != 0 {
        out |= ((set >> mask.trailing_zeros() & 1) as u16) << n;
        n += 1;
        mask &= mask - 1;
    }
    out
}

// Some three million steps: a second while compiling, and nothing to set up when running.
#[allow(long_running_const_eval)]
const fn make(steps: &[(i32, i32); 4]) -> Lines {
    let mut lines = Lines { near: [Bitboard::EMPTY; 64], all: [Bitboard::EMPTY; 64], open: [[0; 256]; 64] };
    let mut square = 0;
    while square < 64 {
        let mut n = 0;
        while n < 4 {
            let two = at(square, steps[n], 1) | at(square, steps[n], 2);
            lines.near[square].0 |= two;
            lines.all[square].0 |= two | at(square, steps[n], 3);
            n += 1;
        }
        // Each line alone, by which of its two near squares are taken; the sets are then put together.
        let (near, all) = (lines.near[square].0, lines.all[square].0);
        let mut n = 0;
        while n < 4 {
            let (one, two, three) =
                (at(square, steps[n], 1), at(square, steps[n], 2), at(square, steps[n], 3));
            let (first, second) = (packed(one, near), packed(two, near));
            let free = packed(one | two | three, all);
            let (to_first, to_second) = (packed(one, all), packed(one | two, all));
            let mut pieces = 0;
            while pieces < 256 {
                let open = if pieces as u16 & first != 0 {
                    to_first
                } else if pieces as u16 & second != 0 {
                    to_second
                } else {
                    free
                };
                lines.open[square][pieces] |= open;
                pieces += 1;
            }
            n += 1;
        }
        square += 1;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::board::{diagonal_lines, orthogonal_lines};
    use super::*;
    use crate::random::Random;

    #[test]
    fn tables_say_what_walking_says() {
        let mut random = Random::new(3);
        for _ in 0..500 {
            let open = Bitboard(random.next_u64() | random.next_u64());
            for from in Bitboard::ALL {
                assert_eq!(STRAIGHT.reach(from, open), orthogonal_lines(from.bit(), open, 3));
                assert_eq!(STRAIGHT.near_reach(from, open), orthogonal_lines(from.bit(), open, 2));
                assert_eq!(OBLIQUE.reach(from, open), diagonal_lines(from.bit(), open));
            }
        }
    }
}
