//! The board. Every board, whatever its size, lies in the south-west corner of 8x8 squares: square numbers and
//! shifts are the same for all, and what is off a smaller board is closed like a checker.

use crate::bitboard::{Bitboard, Square};
use crate::geometry::Geometry;
use std::sync::LazyLock;

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

/// Names of squares.
pub(super) static GRID: LazyLock<Geometry> = LazyLock::new(|| {
    // 64 squares are a board.
    Geometry::new(8, 8).unwrap_or_else(|error| unreachable!("{error}"))
});

/// The eight directions: by how many square numbers a step goes, and where it can arrive.
pub(super) const STEPS: [(i8, Bitboard); 8] = [
    (-9, Bitboard(!FILE_H)),
    (-8, Bitboard::ALL),
    (-7, Bitboard(!FILE_A)),
    (-1, Bitboard(!FILE_H)),
    (1, Bitboard(!FILE_A)),
    (7, Bitboard(!FILE_H)),
    (8, Bitboard::ALL),
    (9, Bitboard(!FILE_A)),
];

const RANK_1: u64 = 0xff;
const RANK_8: u64 = RANK_1 << 56;

/// Where steps northwards and southwards cannot arrive, for the shifts by rotation.
const fn beyond(delta: i8) -> u64 {
    if delta >= 7 {
        RANK_1
    } else if delta <= -7 {
        RANK_8
    } else {
        0
    }
}

/// Where the tiles of a set go with a step in one of the eight directions.
#[inline(always)]
pub(super) const fn stepped(set: Bitboard, direction: usize) -> Bitboard {
    let (delta, _) = STEPS[direction & 7];
    Bitboard(set.0.rotate_left(delta as u32 & 63) & ARRIVALS[direction & 7])
}

/// Where a step in each direction can arrive.
const ARRIVALS: [u64; 8] = {
    let mut arrivals = [0; 8];
    let mut direction = 0;
    while direction < 8 {
        let (delta, files) = STEPS[direction];
        arrivals[direction] = files.0 & !beyond(delta);
        direction += 1;
    }
    arrivals
};

/// The squares next to each of the 8x8 grid, in all eight directions; by index of the square.
pub static AROUND: [Bitboard; 64] = {
    let mut around = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 8 {
            around[square].0 |= stepped(Bitboard(1 << square), direction).0;
            direction += 1;
        }
        square += 1;
    }
    around
};

/// The squares next to those of a set.
#[inline(always)]
pub(super) const fn spread(set: Bitboard) -> Bitboard {
    let set = set.0;
    let row = set | set << 1 & !FILE_A | set >> 1 & !FILE_H;
    Bitboard(row | row << 8 | row >> 8)
}

/// The squares of the first `files` files and `ranks` ranks.
pub(super) fn rectangle(files: u32, ranks: u32) -> Bitboard {
    let rank = (1u64 << files.min(8)) - 1;
    (0..ranks.min(8)).fold(Bitboard::EMPTY, |set, n| set | Bitboard(rank << (8 * n)))
}

/// A square of three or more checkers that are joined orthogonally, if there is one.
pub(super) fn crowd(checkers: Bitboard) -> Option<Square> {
    const STRAIGHT: [usize; 4] = [1, 3, 4, 6];
    let joined = |square: Square| {
        STRAIGHT.iter().map(|&direction| (stepped(square.bit(), direction) & checkers).count()).sum::<u32>()
    };
    // Of three or more that are joined, one has two neighbours.
    checkers.into_iter().find(|&square| joined(square) > 1)
}

/// The square of a name.
pub(super) fn name(square: Square) -> String {
    GRID.name(square)
}

/// Where a step in one of the eight directions came from.
#[inline(always)]
pub(super) const fn origin(to: Square, direction: usize) -> Square {
    let (delta, _) = STEPS[direction & 7];
    to.offset(-delta)
}

/// Steps of a king from one square to another.
const fn distance(one: usize, other: usize) -> usize {
    let files = (one % 8).abs_diff(other % 8);
    let ranks = (one / 8).abs_diff(other / 8);
    if files > ranks { files } else { ranks }
}

/// By square and goal the neighbours of the square that are nearer to the goal.
pub(super) static NEARER: [[Bitboard; 64]; 64] = {
    let mut nearer = [[Bitboard::EMPTY; 64]; 64];
    let mut square = 0;
    while square < 64 {
        let mut left = AROUND[square].0;
        while left != 0 {
            let next = left.trailing_zeros() as usize;
            left &= left - 1;
            let mut goal = 0;
            while goal < 64 {
                if distance(next, goal) < distance(square, goal) {
                    nearer[square][goal].0 |= 1 << next;
                }
                goal += 1;
            }
        }
        square += 1;
    }
    nearer
};
