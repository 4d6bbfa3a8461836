//! The board: river, banks and fords, and what each kind reaches where nothing is in its way.

use super::Kind;
use crate::bitboard::{Bitboard, Square};
use crate::geometry::Geometry;
use crate::value::Side;

/// The square number of a piece that is not on the board: tables of 65 entries have nothing there.
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

/// The four squares that weapons reach.
pub(super) static ORTHOGONAL: [Bitboard; 65] = leaps(&ORTHOGONALLY);
/// The four squares that magic reaches.
pub(super) static DIAGONAL: [Bitboard; 65] = leaps(&DIAGONALLY);
/// The eight squares around.
pub(super) static AROUND: [Bitboard; 65] = both(&ORTHOGONAL, &DIAGONAL);
/// The square across a ford, where there is one.
pub(super) static FORDS: [Bitboard; 65] = fords();
/// Up to three squares away in a straight line of any direction.
pub(super) static STAR: [Bitboard; 65] = stars();
/// The squares between two on a line, if at most two are; else nothing.
pub(super) static BETWEEN: [[Bitboard; 64]; 64] = between();

/// What each kind of which a player has one reaches where nothing is in its way; nothing from numbers beyond the
/// board, of which there are some more than [`ABSENT`] so that seven bits index the table.
pub(super) static REACH: [[Bitboard; 128]; Kind::SINGLES] = reach();

/// The squares at most one, two and three away in an orthogonal line.
pub(super) static WITHIN: [[Bitboard; 64]; 3] = [within(1), within(2), within(3)];

/// Squares and their names.
pub(super) fn geometry() -> Geometry {
    Geometry::new(8, 8).unwrap_or_else(|error| unreachable!("{error}"))
}

/// The set of a square by number; nothing for [`ABSENT`].
#[inline(always)]
pub(super) const fn bit(square: u8) -> Bitboard {
    Bitboard(1u64.unbounded_shl(square as u32))
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

const fn leaps(steps: &[(i32, i32)]) -> [Bitboard; 65] {
    let mut table = [Bitboard::EMPTY; 65];
    let mut square = 0;
    while square < 64 {
        let (file, rank) = coordinates(square);
        let mut n = 0;
        while n < steps.len() {
            table[square].0 |= at(file + steps[n].0, rank + steps[n].1);
            n += 1;
        }
        square += 1;
    }
    table
}

const fn both(a: &[Bitboard; 65], b: &[Bitboard; 65]) -> [Bitboard; 65] {
    let mut table = [Bitboard::EMPTY; 65];
    let mut square = 0;
    while square < 64 {
        table[square] = Bitboard(a[square].0 | b[square].0);
        square += 1;
    }
    table
}

/// Steps along the edge that stay on the same bank: neither into the river nor through a ford.
const fn town_steps() -> [Bitboard; 65] {
    let (orthogonal, diagonal) = (leaps(&ORTHOGONALLY), leaps(&DIAGONALLY));
    let mut table = [Bitboard::EMPTY; 65];
    let mut square = 0;
    while square < 64 {
        let (file, rank) = coordinates(square);
        let bank = match rank - file {
            0 => 0,
            1.. => bank(Side::White).0,
            _ => bank(Side::Black).0,
        };
        table[square] = Bitboard((orthogonal[square].0 | diagonal[square].0) & EDGE.0 & bank);
        square += 1;
    }
    table
}

const fn fords() -> [Bitboard; 65] {
    let mut table = [Bitboard::EMPTY; 65];
    let mut n = 0;
    while n < 7 {
        // From (n, n + 1) to (n + 1, n): a2-b1 to g8-h7.
        let (north, south) = (8 * (n + 1) + n, 8 * n + n + 1);
        table[north] = Bitboard(1 << south);
        table[south] = Bitboard(1 << north);
        n += 1;
    }
    table
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

const fn within(range: i32) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = Bitboard(lines(square, range, false, false));
        square += 1;
    }
    table
}

const fn stars() -> [Bitboard; 65] {
    let mut table = [Bitboard::EMPTY; 65];
    let mut square = 0;
    while square < 64 {
        table[square] = Bitboard(lines(square, 3, true, false));
        square += 1;
    }
    table
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

const fn reach() -> [[Bitboard; 128]; Kind::SINGLES] {
    let mut table = [[Bitboard::EMPTY; 128]; Kind::SINGLES];
    let (town, knight, ford) = (town_steps(), leaps(&BY_KNIGHT), fords());
    let mut square = 0;
    while square < 64 {
        let here = 1 << square;
        let current = if here & RIVER.0 != 0 { RIVER.0 & !here } else { 0 };
        let mut kind = 0;
        while kind < Kind::SINGLES {
            table[kind][square].0 = match Kind::ALL[kind] {
                Kind::Town => town[square].0,
                Kind::Gormoror => lines(square, 3, false, false) & DRY.0,
                Kind::Khtsoyis => lines(square, 1, true, false),
                Kind::Herethroy => lines(square, 3, true, false) & DRY.0,
                Kind::Orren => lines(square, 3, false, false) | current,
                Kind::Rassimel => lines(square, 2, false, true) | ford[square].0,
                Kind::Sleeth => lines(square, 3, true, false),
                Kind::ZiRi => knight[square].0,
                Kind::Cani => 0,
            };
            kind += 1;
        }
        square += 1;
    }
    table
}
