//! The board: river, banks and fords, and what each kind reaches where nothing is in its way.

use super::Kind;
use crate::bitboard::{Bitboard, Square};
use crate::geometry::Geometry;
use crate::value::Side;

/// A table by square, filled by the word that an expression gives for each.
macro_rules! by_square {
    (|$square:ident| $word:expr) => {{
        let mut table = [Bitboard::EMPTY; 128];
        let mut $square = 0;
        while $square < 64 {
            table[$square].0 = $word;
            $square += 1;
        }
        BySquare(table)
    }};
}

/// The square number of a piece that is not on the board: tables have nothing there.
pub(super) const ABSENT: u8 = 64;

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

/// The diagonal a1-h8.
pub(super) const RIVER: Bitboard = Bitboard(0x8040_2010_0804_0201);
/// All but the river.
pub(super) const DRY: Bitboard = Bitboard(!RIVER.0);
/// The squares on a side's own side of the river.
pub(super) static BANKS: [Bitboard; 2] = [bank(Side::White), bank(Side::Black)];
/// The edge of the board, which towns keep to.
pub(super) const EDGE: Bitboard = Bitboard(FILE_A | FILE_H | 0xff | 0xff << 56);
/// Where the towns stand at first: a8 and h1.
pub(super) const CORNERS: [Square; 2] = [Square::new(56), Square::new(7)];

pub(super) const ORTHOGONALLY: [(i32, i32); 4] = [(-1, 0), (0, -1), (0, 1), (1, 0)];
pub(super) const DIAGONALLY: [(i32, i32); 4] = [(-1, -1), (-1, 1), (1, -1), (1, 1)];
const BY_KNIGHT: [(i32, i32); 8] = [(-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1)];

/// Sets by square number, of which seven bits are looked at; nothing beyond the board.
pub(super) struct BySquare([Bitboard; 128]);

impl BySquare {
    /// The set of a square number; nothing for [`ABSENT`].
    #[inline(always)]
    pub(super) const fn of(&self, square: u8) -> Bitboard {
        self.0[(square & 127) as usize]
    }
}

/// The square itself.
static ITSELF: BySquare = by_square!(|square| 1 << square);
/// The four squares that weapons reach.
pub(super) static ORTHOGONAL: BySquare = by_square!(|square| leaps(square, &ORTHOGONALLY));
/// The four squares that magic reaches.
pub(super) static DIAGONAL: BySquare = by_square!(|square| leaps(square, &DIAGONALLY));
/// The square across a ford, where there is one.
pub(super) static FORD: BySquare = by_square!(|square| ford(square));
/// Up to three squares away in a straight line of any direction.
pub(super) static STAR: BySquare = by_square!(|square| lines(square, 3, true, false));
/// The squares at most one, two and three away in an orthogonal line.
pub(super) static WITHIN: [BySquare; 3] = [
    by_square!(|square| lines(square, 1, false, false)),
    by_square!(|square| lines(square, 2, false, false)),
    by_square!(|square| lines(square, 3, false, false)),
];
/// What each kind of which a player has one reaches where nothing is in its way.
pub(super) static REACH: [BySquare; Kind::SINGLES] = [
    by_square!(|square| reach(Kind::Town, square)),
    by_square!(|square| reach(Kind::Gormoror, square)),
    by_square!(|square| reach(Kind::Khtsoyis, square)),
    by_square!(|square| reach(Kind::Herethroy, square)),
    by_square!(|square| reach(Kind::Orren, square)),
    by_square!(|square| reach(Kind::Rassimel, square)),
    by_square!(|square| reach(Kind::Sleeth, square)),
    by_square!(|square| reach(Kind::ZiRi, square)),
];

/// The squares between two on a line, if at most two are; else nothing.
pub(super) static BETWEEN: [[Bitboard; 64]; 64] = between();

/// Squares and their names.
pub(super) fn geometry() -> Geometry {
    Geometry::new(8, 8).unwrap_or_else(|error| unreachable!("{error}"))
}

/// The set of a square by number; nothing for [`ABSENT`].
#[inline(always)]
pub(super) const fn bit(square: u8) -> Bitboard {
    ITSELF.of(square)
}

/// The set moved one square west, south, north or east: numbered as in [`ORTHOGONALLY`].
#[inline(always)]
pub(super) const fn shifted(set: Bitboard, direction: usize) -> Bitboard {
    Bitboard(match direction {
        0 => set.0 >> 1 & !FILE_H,
        1 => set.0 >> 8,
        2 => set.0 << 8,
        _ => set.0 << 1 & !FILE_A,
    })
}

/// The square next to another to the west, south, north or east, if there is one.
pub(super) const fn neighbour(square: Square, direction: usize) -> Option<Square> {
    let there = shifted(square.bit(), direction);
    if there.is_empty() { None } else { Some(there.first()) }
}

/// All orthogonal neighbours of a set.
#[inline(always)]
pub(super) const fn beside(set: Bitboard) -> Bitboard {
    Bitboard(shifted(set, 0).0 | shifted(set, 1).0 | shifted(set, 2).0 | shifted(set, 3).0)
}

const fn at(file: i32, rank: i32) -> u64 {
    if file < 0 || file > 7 || rank < 0 || rank > 7 { 0 } else { 1 << (rank * 8 + file) }
}

const fn coordinates(square: usize) -> (i32, i32) {
    ((square % 8) as i32, (square / 8) as i32)
}

const fn bank(side: Side) -> Bitboard {
    let (mut set, mut square) = (0, 0);
    while square < 64 {
        let (file, rank) = coordinates(square);
        let own = match side {
            Side::White => rank > file,
            Side::Black => rank < file,
        };
        if own {
            set |= 1 << square;
        }
        square += 1;
    }
    Bitboard(set)
}

const fn leaps(square: usize, steps: &[(i32, i32)]) -> u64 {
    let (file, rank) = coordinates(square);
    let (mut set, mut n) = (0, 0);
    while n < steps.len() {
        set |= at(file + steps[n].0, rank + steps[n].1);
        n += 1;
    }
    set
}

/// Steps along the edge that stay on the same bank: neither into the river nor through a ford.
const fn town_steps(square: usize) -> u64 {
    let (file, rank) = coordinates(square);
    let bank = match rank - file {
        0 => 0,
        1.. => bank(Side::White).0,
        _ => bank(Side::Black).0,
    };
    lines(square, 1, true, false) & EDGE.0 & bank
}

const fn ford(square: usize) -> u64 {
    let (file, rank) = coordinates(square);
    match rank - file {
        // From (n, n + 1) to (n + 1, n) and back: a2-b1 to g8-h7.
        1 => at(file + 1, rank - 1),
        -1 => at(file - 1, rank + 1),
        _ => 0,
    }
}

/// The squares of a line on an empty board, up to `range`.
pub(super) const fn ray(square: usize, step: (i32, i32), range: i32) -> u64 {
    line(square, step, range, false)
}

/// The squares of a line on an empty board: up to `range`, and no further than it stays dry if it must.
const fn line(square: usize, step: (i32, i32), range: i32, dry: bool) -> u64 {
    let (file, rank) = coordinates(square);
    let (mut set, mut n) = (0, 1);
    while n <= range {
        let next = at(file + n * step.0, rank + n * step.1);
        if dry && next & RIVER.0 != 0 {
            break;
        }
        set |= next;
        n += 1;
    }
    set
}

const fn lines(square: usize, range: i32, diagonal: bool, dry: bool) -> u64 {
    let (mut set, mut n) = (0, 0);
    while n < 4 {
        set |= line(square, ORTHOGONALLY[n], range, dry);
        if diagonal {
            set |= line(square, DIAGONALLY[n], range, dry);
        }
        n += 1;
    }
    set
}

const fn between() -> [[Bitboard; 64]; 64] {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut square = 0;
    while square < 64 {
        let (file, rank) = coordinates(square);
        let mut n = 0;
        while n < 8 {
            let step = if n < 4 { ORTHOGONALLY[n] } else { DIAGONALLY[n - 4] };
            let mut distance = 2;
            while distance <= 3 {
                let to = at(file + distance * step.0, rank + distance * step.1);
                if to != 0 {
                    let way = ray(square, step, distance - 1);
                    table[square][to.trailing_zeros() as usize] = Bitboard(way);
                }
                distance += 1;
            }
            n += 1;
        }
        square += 1;
    }
    table
}

const fn reach(kind: Kind, square: usize) -> u64 {
    let here = 1 << square;
    let current = if here & RIVER.0 != 0 { RIVER.0 & !here } else { 0 };
    match kind {
        Kind::Town => town_steps(square),
        Kind::Gormoror => lines(square, 3, false, false) & DRY.0,
        Kind::Khtsoyis => lines(square, 1, true, false),
        Kind::Herethroy => lines(square, 3, true, false) & DRY.0,
        Kind::Orren => lines(square, 3, false, false) | current,
        Kind::Rassimel => lines(square, 2, false, true) | ford(square),
        Kind::Sleeth => lines(square, 3, true, false),
        Kind::ZiRi => leaps(square, &BY_KNIGHT),
        Kind::Cani => 0,
    }
}
