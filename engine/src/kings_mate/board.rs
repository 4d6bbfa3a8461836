//! The board: 7 files, 9 ranks, seven raised squares, and tables of steps and lines.

use crate::bitboard::{Bitboard, Square};
use crate::geometry::Geometry;
use crate::variant::rider::Line;
use std::sync::LazyLock;

pub(super) const WIDTH: i32 = 7;
pub(super) const HEIGHT: i32 = 9;

/// All squares.
pub(super) const BOARD: Bitboard = Bitboard((1 << 63) - 1);

/// The squares on which the kings start, d1 and d9.
pub const KING_SQUARES: [Square; 2] = [Square::new(3), Square::new(59)];

/// The raised squares in the middle: d5, c4, e4, c6, e6.
pub const CENTRE: Bitboard = Bitboard(1 << 31 | 1 << 23 | 1 << 25 | 1 << 37 | 1 << 39);

/// All raised squares.
pub const RAISED: Bitboard = Bitboard(CENTRE.0 | 1 << 3 | 1 << 59);

/// The rank on which a side's fools are promoted.
pub(super) const LAST_RANK: [Bitboard; 2] = [Bitboard(0x7f << 56), Bitboard(0x7f)];

const FILE_A: u64 = 0x0102_0408_1020_4081;
const FILE_G: u64 = FILE_A << 6;

/// The straight steps of fools, as differences of square numbers.
pub(super) const STRAIGHT: [i8; 2] = [7, -7];
/// Their captures.
pub(super) const DIAGONAL: [i8; 4] = [6, 8, -6, -8];

/// The squares that lie a step of [`STRAIGHT`] or [`DIAGONAL`] from those of a set.
#[inline(always)]
pub(super) const fn shifted(set: Bitboard, delta: i8) -> Bitboard {
    let from = set.0
        & match delta {
            6 | -8 => !FILE_A,
            8 | -6 => !FILE_G,
            _ => !0,
        };
    Bitboard(if delta > 0 { from << delta } else { from >> -delta } & BOARD.0)
}

const DIRECTIONS: [(i32, i32); 8] = [(1, 0), (0, 1), (1, 1), (-1, 1), (-1, 0), (0, -1), (-1, -1), (1, -1)];

/// The square `steps` steps away in a direction, if it is on the board.
const fn along(from: i32, direction: (i32, i32), steps: i32) -> Option<Square> {
    let (file, rank) = (from % WIDTH + direction.0 * steps, from / WIDTH + direction.1 * steps);
    if file < 0 || file >= WIDTH || rank < 0 || rank >= HEIGHT {
        return None;
    }
    Some(Square::new((rank * WIDTH + file) as u8))
}

const fn ray(from: i32, direction: (i32, i32)) -> Bitboard {
    let (mut set, mut steps) = (0, 1);
    while let Some(to) = along(from, direction, steps) {
        set |= to.bit().0;
        steps += 1;
    }
    Bitboard(set)
}

/// The eight neighbours of each square: the king's steps, and the bond.
pub static NEAR: [Bitboard; 64] = make_near();

const fn make_near() -> [Bitboard; 64] {
    let mut near = [Bitboard::EMPTY; 64];
    let mut from = 0;
    while from < 63 {
        let mut n = 0;
        while n < 8 {
            if let Some(to) = along(from, DIRECTIONS[n], 1) {
                near[from as usize].0 |= to.bit().0;
            }
            n += 1;
        }
        from += 1;
    }
    near
}

/// Lines through each square: rank, file, diagonal, antidiagonal.
static LINES: [[Line; 64]; 4] = make_lines();

const fn make_lines() -> [[Line; 64]; 4] {
    let mut lines = [[Line { lower: Bitboard::EMPTY, upper: Bitboard::EMPTY }; 64]; 4];
    let mut n = 0;
    while n < 4 {
        let mut from = 0;
        while from < 63 {
            lines[n][from as usize] =
                Line { lower: ray(from, DIRECTIONS[n + 4]), upper: ray(from, DIRECTIONS[n]) };
            from += 1;
        }
        n += 1;
    }
    lines
}

/// What a rook attacks.
#[inline(always)]
pub(super) fn straight(from: Square, occupied: Bitboard) -> Bitboard {
    LINES[0][from.index()].attacks(occupied) | LINES[1][from.index()].attacks(occupied)
}

/// What a bishop attacks.
#[inline(always)]
pub(super) fn diagonal(from: Square, occupied: Bitboard) -> Bitboard {
    LINES[2][from.index()].attacks(occupied) | LINES[3][from.index()].attacks(occupied)
}

/// One way to defend the crown: where the swordmasters stand and where the king lands.
#[derive(Clone, Copy)]
pub(super) struct Crown {
    pub(super) swordmasters: Bitboard,
    pub(super) target: Bitboard,
}

/// All ways, by side; those without a target are none.
pub(super) static CROWNS: [[Crown; 8]; 2] = [make_crowns(3), make_crowns(59)];

const fn make_crowns(home: i32) -> [Crown; 8] {
    let mut crowns = [Crown { swordmasters: Bitboard::EMPTY, target: Bitboard::EMPTY }; 8];
    let mut n = 0;
    while n < 8 {
        let way = DIRECTIONS[n];
        if let (Some(near), Some(far), Some(target)) =
            (along(home, way, 1), along(home, way, 2), along(home, way, 3))
        {
            crowns[n] = Crown { swordmasters: Bitboard(near.bit().0 | far.bit().0), target: target.bit() };
        }
        n += 1;
    }
    crowns
}

/// Whether the bond of a king and its swordmasters holds: one of them is next to the king, the other next to
/// the king or to the first.
#[inline(always)]
pub(super) fn bond_holds(king: Square, swordmasters: Bitboard) -> bool {
    let near = NEAR[king.index()] & swordmasters;
    near == swordmasters || near.any() && (NEAR[near.first().index()] & swordmasters).any()
}

/// Coordinates and names of squares.
pub(super) static GEOMETRY: LazyLock<Geometry> =
    LazyLock::new(|| Geometry::new(7, 9).unwrap_or_else(|e| unreachable!("{e}")));

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &str) -> Bitboard {
        names.split(' ').map(|name| GEOMETRY.parse_square(name).unwrap()).collect()
    }

    #[test]
    fn squares_of_the_board_are_those_of_the_rules() {
        assert_eq!(RAISED, set("d1 d9 d5 c4 e4 c6 e6"));
        assert_eq!(CENTRE, set("d5 c4 e4 c6 e6"));
        assert_eq!(LAST_RANK[0], set("a9 b9 c9 d9 e9 f9 g9"));
        assert_eq!(NEAR[0], set("a2 b1 b2"));
        assert_eq!(NEAR[45], set("c7 c8 d8 e8 e7 e6 d6 c6") & !set("d7"));
        let targets = |side: usize| CROWNS[side].iter().fold(Bitboard::EMPTY, |s, c| s | c.target);
        assert_eq!((targets(0), targets(1)), (set("a1 g1 a4 d4 g4"), set("a9 g9 a6 d6 g6")));
    }

    #[test]
    fn shifts_and_lines_agree_with_a_walk() {
        for from in 0..63i32 {
            let square = Square::new(from as u8);
            for (delta, way) in
                [(7, (0, 1)), (-7, (0, -1)), (6, (-1, 1)), (8, (1, 1)), (-6, (1, -1)), (-8, (-1, -1))]
            {
                let walked = along(from, way, 1).map_or(Bitboard::EMPTY, Square::bit);
                assert_eq!(shifted(square.bit(), delta), walked, "{from} {delta}");
            }
            for seed in 0..50 {
                let occupied = Bitboard(crate::zobrist::splitmix64(seed * 64 + from as u64).1) & BOARD;
                let mut walked = [Bitboard::EMPTY; 2];
                for way in DIRECTIONS {
                    let squares = (1..9).map_while(|steps| along(from, way, steps));
                    for to in squares {
                        walked[usize::from(way.0 != 0 && way.1 != 0)] |= to.bit();
                        if occupied.has(to) {
                            break;
                        }
                    }
                }
                assert_eq!([straight(square, occupied), diagonal(square, occupied)], walked);
            }
        }
    }

    #[test]
    fn the_bond_is_a_chain_from_the_king() {
        let king = GEOMETRY.parse_square("d3").unwrap();
        for (swordmasters, holds) in [
            ("c3", true),
            ("d4 e5", true),
            ("c2 e4", true),
            ("d4 d6", false),
            ("a1 a2", false),
            ("d5", false),
        ] {
            assert_eq!(bond_holds(king, set(swordmasters)), holds, "{swordmasters}");
        }
        assert!(bond_holds(king, Bitboard::EMPTY));
    }
}
