//! The moves of cani, alone and in packs (W6).
//!
//! A pack is a connected group of a player's cani. It moves as a set of origins and a set of destinations
//! between which some pairing is legal: since cani are alike, who goes where is not told apart.

use super::board::{DRY, ORTHOGONAL, WITHIN, beside, bit};
use super::lines::LINES;
use super::{Kind, Move, WorldTree};
use crate::bitboard::{Bitboard, Square};
use crate::value::Side;
use std::ops::ControlFlow::{self, Continue};

/// The ways to pair three cani with three destinations.
const PAIRINGS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// Cani that may move, in the order of their squares; where there are fewer than three, nothing of the rest.
pub(super) struct PackMovers {
    pub(super) cani: [Square; 3],
    /// The pack of each.
    pub(super) packs: [Bitboard; 3],
    /// Where each gets to; see [`cani_lines`](WorldTree::cani_lines).
    pub(super) lines: [Bitboard; 3],
    count: u32,
}

/// The squares of up to three cani in order, then `ABSENT`.
#[inline(always)]
pub(super) const fn squares_of_cani(set: Bitboard) -> [u8; 3] {
    let second = set.0 & set.0.wrapping_sub(1);
    let third = second & second.wrapping_sub(1);
    [set.0.trailing_zeros() as u8, second.trailing_zeros() as u8, third.trailing_zeros() as u8]
}

impl WorldTree {
    /// The cani of the side to move that have not moved this turn.
    #[inline(always)]
    pub(super) fn movable_cani(&self) -> Bitboard {
        self.cani[self.side.index()] & !self.moved_cani
    }

    /// The pack that a cani of a side belongs to, those included that moved already.
    pub(super) fn pack_of(&self, side: Side, square: Square) -> Bitboard {
        self.pack_at(side, square.index() as u8)
    }

    /// The same by number; nothing for `ABSENT`.
    #[inline(always)]
    fn pack_at(&self, side: Side, square: u8) -> Bitboard {
        let cani = self.cani[side.index()];
        let near = bit(square) | ORTHOGONAL.of(square) & cani;
        near | beside(near) & cani
    }

    /// The squares that a cani of the side to move can get to over empty squares and those of its pack, whether
    /// it may stay there or not: a zi ri blocks.
    #[inline]
    pub(super) fn cani_lines(&self, from: Square) -> Bitboard {
        self.lines_in_pack(from.index() as u8, self.pack_of(self.side, from))
    }

    #[inline(always)]
    fn lines_in_pack(&self, from: u8, pack: Bitboard) -> Bitboard {
        let companions = (ORTHOGONAL.of(from) & pack).count();
        let open = self.empty_squares() | pack & !self.all_zi_ri();
        let lines = LINES.straight.reached(Square::wrap(u32::from(from)), !open);
        lines & open & WITHIN[companions.min(2) as usize].of(from)
    }

    /// The cani of the side to move that have not moved this turn.
    #[inline(always)]
    pub(super) fn pack_movers(&self) -> PackMovers {
        let movable = self.movable_cani();
        // Written out: the compiler does not take `map` of arrays apart.
        let [a, b, c] = squares_of_cani(movable);
        let square = |number: u8| Square::wrap(u32::from(number));
        let pack = |number| self.pack_at(self.side, number);
        let packs = [pack(a), pack(b), pack(c)];
        PackMovers {
            cani: [square(a), square(b), square(c)],
            packs,
            lines: [
                self.lines_in_pack(a, packs[0]),
                self.lines_in_pack(b, packs[1]),
                self.lines_in_pack(c, packs[2]),
            ],
            count: movable.count(),
        }
    }

    /// Where cani may stay when those on `origins` leave.
    #[inline(always)]
    pub(super) fn landing(&self, origins: Bitboard) -> Bitboard {
        DRY & (self.empty_squares() | origins & !self.all_zi_ri())
    }

    /// Where a cani can go alone.
    #[inline]
    pub(super) fn lone_targets(&self, from: Square) -> Bitboard {
        self.cani_lines(from) & self.landing(Bitboard::EMPTY)
    }

    pub(super) fn cani_moves<B>(&self, visit: &mut impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        let movable = self.movable_cani();
        for from in movable {
            for to in self.lone_targets(from) {
                visit(Move::step(Kind::Cani, from, to))?;
            }
        }
        if (movable & beside(self.cani[self.side.index()])).is_empty() {
            return Continue(());
        }
        self.groups(&self.pack_movers(), |origins, cani, reach| {
            let Some(code) = Move::pack_origins(origins) else { return Continue(()) };
            let emit = |to| if to == origins { Continue(()) } else { visit(Move::pack_onto(code, to)) };
            if cani.len() == 2 { pairs(reach, emit) } else { triples(reach, emit) }
        })
    }

    pub(super) fn count_cani_moves(&self) -> u64 {
        let movable = self.movable_cani();
        let alone: u32 = movable.into_iter().map(|from| self.lone_targets(from).count()).sum();
        let mut count = u64::from(alone);
        if (movable & beside(self.cani[self.side.index()])).any() {
            let _: ControlFlow<()> = self.groups(&self.pack_movers(), |_, cani, reach| {
                count += if cani.len() == 2 { count_pairs(cani, reach) } else { count_triples(cani, reach) };
                Continue(())
            });
        }
        count
    }

    /// Calls `each` with every group of two or three cani of one pack that may move together: the set, its
    /// squares, and where each of them can go if all of the group leave.
    #[inline]
    pub(super) fn groups<B>(
        &self,
        movers: &PackMovers,
        mut each: impl FnMut(Bitboard, &[Square], [Bitboard; 3]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let PackMovers { cani, packs, lines, count } = movers;
        let mut group = |of: &[usize]| {
            let (mut squares, mut reach) = ([Square::new(0); 3], [Bitboard::EMPTY; 3]);
            let origins: Bitboard = of.iter().map(|&n| cani[n]).collect();
            if !(origins & !packs[of[0]]).is_empty() {
                return Continue(());
            }
            let landing = self.landing(origins);
            for (place, &n) in of.iter().enumerate() {
                (squares[place], reach[place]) = (cani[n], lines[n] & landing);
            }
            each(origins, &squares[..of.len()], reach)
        };
        match count {
            2 => group(&[0, 1]),
            3 => {
                group(&[0, 1])?;
                group(&[0, 2])?;
                group(&[1, 2])?;
                group(&[0, 1, 2])
            }
            _ => Continue(()),
        }
    }

    /// Whether cani of the side to move may go together from some squares to others.
    pub(super) fn pack_can_go(&self, from: Bitboard, to: Bitboard) -> bool {
        if from == to || (from & !self.movable_cani()).any() || from.count() != to.count() {
            return false;
        }
        let found = self.groups(&self.pack_movers(), |origins, cani, reach| {
            let mut squares = [Square::new(0); 3];
            to.into_iter().take(3).enumerate().for_each(|(n, square)| squares[n] = square);
            let legal = origins == from && pairings(&reach[..cani.len()], &squares) > 0;
            if legal { ControlFlow::Break(()) } else { Continue(()) }
        });
        found.is_break()
    }
}

/// In how many ways two or three cani can be paired with as many destinations.
pub(super) fn pairings(reach: &[Bitboard], to: &[Square; 3]) -> u32 {
    let legal = |pairing: &[usize; 3]| reach.iter().zip(pairing).all(|(set, &n)| set.has(to[n]));
    // Of two cani, the pairings that leave the third place alone.
    PAIRINGS.iter().filter(|p| (reach.len() == 3 || p[2] == 2) && legal(p)).count() as u32
}

/// The sets of two destinations, each once.
fn pairs<B>(reach: [Bitboard; 3], mut each: impl FnMut(Bitboard) -> ControlFlow<B>) -> ControlFlow<B> {
    let [x, y, _] = reach;
    for p in x {
        for q in y & !p.bit() {
            // The other way round it comes, or came, first.
            if !(q < p && x.has(q) && y.has(p)) {
                each(p.bit() | q.bit())?;
            }
        }
    }
    Continue(())
}

/// The sets of three destinations, each once: by the first of its pairings in the order of the squares.
fn triples<B>(reach: [Bitboard; 3], mut each: impl FnMut(Bitboard) -> ControlFlow<B>) -> ControlFlow<B> {
    let [x, y, z] = reach;
    for p in x {
        for q in y & !p.bit() {
            for r in z & !p.bit() & !q.bit() {
                let to = [p, q, r];
                let earlier = PAIRINGS[1..].iter().any(|pairing| {
                    let other = [to[pairing[0]], to[pairing[1]], to[pairing[2]]];
                    rank(other) < rank(to) && reach.iter().zip(other).all(|(set, square)| set.has(square))
                });
                if !earlier {
                    each(p.bit() | q.bit() | r.bit())?;
                }
            }
        }
    }
    Continue(())
}

/// Triples of squares in their order, as numbers: cheaper to compare.
#[inline(always)]
fn rank([a, b, c]: [Square; 3]) -> usize {
    a.index() << 12 | b.index() << 6 | c.index()
}

/// How many sets [`pairs`] finds, without the origins themselves.
fn count_pairs(cani: &[Square], reach: [Bitboard; 3]) -> u64 {
    let [x, y, _] = reach;
    let both = u64::from((x & y).count());
    // Ordered pairs of different squares, and those counted twice that can be paired both ways.
    let sets = u64::from(x.count()) * u64::from(y.count()) - both * (both + 1) / 2;
    sets - u64::from(x.has(cani[1]) && y.has(cani[0]))
}

/// How many sets [`triples`] finds, without the origins themselves.
///
/// By Hall's theorem three squares are good unless two of them can be reached by the same single cani only,
/// or all three by two cani only.
fn count_triples(cani: &[Square], reach: [Bitboard; 3]) -> u64 {
    let [x, y, z] = reach;
    let count = |set: Bitboard| u64::from(set.count());
    let two = |n: u64| n * n.saturating_sub(1) / 2;
    let three = |n: u64| n * n.saturating_sub(1) * n.saturating_sub(2) / 6;
    let all = count(x | y | z);
    // For each cani: squares that only it reaches, and squares that it does not reach.
    let only = [count(x & !(y | z)), count(y & !(x | z)), count(z & !(x | y))];
    let without = [count((y | z) & !x), count((x | z) & !y), count((x | y) & !z)];
    let (mut bad, mut twice) = (0, 0);
    for n in 0..3 {
        bad += two(only[n]) * (all - only[n]) + three(without[n]);
        // Bad for both reasons: two that only this cani reaches, and a third that another does not.
        let third = without[(n + 1) % 3] + without[(n + 2) % 3] - 2 * only[n];
        twice += two(only[n]) * third + three(only[n]);
    }
    let origins = [cani[0], cani[1], cani[2]];
    three(all) + twice - bad - u64::from(pairings(&reach, &origins) > 0)
}
