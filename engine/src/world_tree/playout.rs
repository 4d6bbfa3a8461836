//! Random plies, drawn without a list of them.
//!
//! A draw is from more than the legal plies: for a piece of which there is one, from all squares that it
//! reaches on an empty board; for a pack, from all ways to give each cani a square. What is not legal is
//! drawn again, so that the legal plies are as likely as each other. Attacks are counted exactly: they are few.

use super::board::{BETWEEN, DRY, LISTS, RIVER, beside, shifted};
use super::packs::pairings;
use super::ply::Hit;
use super::state::NOBODY;
use super::{Kind, Move, WorldTree};
use crate::bitboard::{Bitboard, Square};
use crate::bits::deposit;
use crate::playout::{Playout, Step, random_move};
use crate::position::Position;
use crate::random::Random;
use crate::value::Outcome;
use std::ops::ControlFlow::{self, Break, Continue};

/// Draws before the legal plies are listed: with one in three legal, one time in 17,000 all fail.
const DRAWS: u32 = 24;

/// By kind that moved already this turn, the bytes of the pieces that may still move.
static MAY_MOVE: [u64; NOBODY as usize + 1] = {
    let mut masks = [!0; NOBODY as usize + 1];
    let mut kind = 0;
    while kind < Kind::SINGLES {
        masks[kind] = !(0xff << (8 * kind));
        kind += 1;
    }
    masks
};

const EACH_BYTE: u64 = 0x0101_0101_0101_0101;

/// The square before which `number` squares of the set lie.
#[inline(always)]
fn nth(set: Bitboard, number: u32) -> Square {
    Bitboard(deposit(1 << number, set.0)).first()
}

/// How many ways there are to draw a ply of each sort.
struct Odds {
    /// In byte `n` the squares of the pieces of the first `n + 1` kinds together.
    singles: u64,
    /// Attacks without moving, one hit each.
    strikes: u32,
    /// Attacks of the khtsoyis.
    barrages: u32,
    /// Cani with no other beside them, and where each could step.
    loners: Bitboard,
    steps: u32,
    /// Moves of cani that have others beside them.
    packs: u32,
    /// `done`.
    done: u32,
}

impl Odds {
    #[inline(always)]
    const fn all_singles(&self) -> u32 {
        (self.singles >> 56) as u32
    }

    #[inline(always)]
    const fn total(&self) -> u32 {
        self.all_singles() + self.strikes + self.barrages + self.steps + self.packs + self.done
    }
}

impl WorldTree {
    #[inline(always)]
    fn odds(&self) -> Odds {
        let us = self.side.index();
        let may_move = MAY_MOVE[usize::from(self.moved.min(NOBODY))];
        let spread = u64::from_le_bytes(self.spread[us]) & may_move;
        let (movable, linked) = (self.movable_cani(), beside(self.cani[us]));
        let (loners, free) = (movable & !linked, self.empty_squares() & DRY);
        let steps = (0..4).map(|direction| (shifted(loners, direction) & free).count()).sum();
        let packs = if (movable & linked).is_empty() { 0 } else { self.pack_odds() };
        let begins = !self.is_mid_turn();
        Odds {
            singles: spread.wrapping_mul(EACH_BYTE),
            strikes: if begins { self.count_strikes() } else { 0 },
            barrages: if begins { self.count_barrages() } else { 0 },
            loners,
            steps,
            packs,
            done: u32::from(!begins),
        }
    }

    /// A legal ply, each as likely as the others, unless no draw succeeds.
    #[inline(always)]
    fn lucky_ply(&self, random: &mut Random) -> Option<Move> {
        let odds = self.odds();
        let total = odds.total();
        (0..DRAWS).find_map(|_| self.drawn(&odds, random.below(total), random))
    }

    /// The ply of a number below the total of the odds, if it is legal.
    #[inline(always)]
    fn drawn(&self, odds: &Odds, mut number: u32, random: &mut Random) -> Option<Move> {
        if number < odds.all_singles() {
            return self.single(odds.singles, number);
        }
        number -= odds.all_singles();
        if number < odds.steps {
            return self.lone_step(odds.loners, number);
        }
        number -= odds.steps;
        if number < odds.packs {
            return self.pack_ply(number, random);
        }
        number -= odds.packs;
        if number < odds.done {
            return Some(Move::DONE);
        }
        number -= odds.done;
        if number < odds.strikes {
            return self.strikes(&mut counted_to(number)).break_value();
        }
        self.barrages(&mut counted_to(number - odds.strikes)).break_value()
    }

    /// The move, or pounce, of a piece of which there is one, if nothing is in its way.
    #[inline(always)]
    fn single(&self, sums: u64, number: u32) -> Option<Move> {
        let us = self.side.index();
        // The high bits of the bytes whose sums are above the number; sums stay below 128.
        let above = (sums | EACH_BYTE << 7) - u64::from(number + 1) * EACH_BYTE;
        let byte = (above & EACH_BYTE << 7).trailing_zeros() & !7;
        let before = (sums << 8 >> byte) as u32 & 0xff;
        let kind = Kind::of_number(byte / 8 % Kind::SINGLES as u32);
        let from = Square::wrap(u32::from(self.squares[us][kind as usize % Kind::SINGLES]));
        let list = &LISTS[kind as usize % Kind::SINGLES][from.index()];
        let to = Square::wrap(u32::from(list[(number - before) as usize % list.len()]));
        if kind == Kind::ZiRi {
            return Some(Move::step(kind, from, to));
        }
        let empty = self.empty_squares();
        let along_the_river = kind == Kind::Orren && (from.bit() | to.bit()) & !RIVER == Bitboard::EMPTY;
        let way = if along_the_river { Bitboard::EMPTY } else { BETWEEN[from.index()][to.index()] };
        if ((way | to.bit()) & !empty).is_empty() {
            return Some(Move::step(kind, from, to));
        }
        let pounces = kind == Kind::Sleeth && !self.is_mid_turn() && (way & !empty).is_empty();
        let hit = if pounces { self.pounce_target(to) } else { None };
        hit.map(|hit| Move::attack(kind, from, hit))
    }

    #[inline(always)]
    fn lone_step(&self, loners: Bitboard, mut number: u32) -> Option<Move> {
        let free = self.empty_squares() & DRY;
        for direction in 0..4 {
            let targets = shifted(loners, direction) & free;
            let count = targets.count();
            if number < count {
                let to = nth(targets, number);
                // Opposite directions have numbers that add up to three.
                let from = shifted(to.bit(), 3 - direction).first();
                return Some(Move::step(Kind::Cani, from, to));
            }
            number -= count;
        }
        None
    }

    /// Ways to draw a move of cani that have others beside them: single moves exactly, of packs every way to
    /// give each a square.
    fn pack_odds(&self) -> u32 {
        let linked = self.movable_cani() & beside(self.cani[self.side.index()]);
        let mut count = linked.into_iter().map(|from| self.lone_targets(from).count()).sum();
        let _: ControlFlow<()> = self.groups(|_, cani, reach| {
            count += ways(cani.len(), reach);
            Continue(())
        });
        count
    }

    /// The move of a number below the [`pack_odds`](WorldTree::pack_odds). A set of destinations comes up in
    /// as many ways as it can be paired, and is taken as often less.
    fn pack_ply(&self, mut number: u32, random: &mut Random) -> Option<Move> {
        for from in self.movable_cani() & beside(self.cani[self.side.index()]) {
            let targets = self.lone_targets(from);
            if number < targets.count() {
                return Some(Move::step(Kind::Cani, from, nth(targets, number)));
            }
            number -= targets.count();
        }
        let drawn = self.groups(|origins, cani, reach| {
            let count = ways(cani.len(), reach);
            if number >= count {
                number -= count;
                return Continue(());
            }
            let mut to = [Square::new(0); 3];
            for (n, square) in to.iter_mut().enumerate().take(cani.len()) {
                *square = nth(reach[n], number % reach[n].count());
                number /= reach[n].count();
            }
            let set: Bitboard = to[..cani.len()].iter().copied().collect();
            let apart = set.count() as usize == cani.len() && set != origins;
            let taken = apart && random.below(pairings(&reach[..cani.len()], &to)) == 0;
            Break(if taken { Move::pack(origins, set) } else { None })
        });
        drawn.break_value().flatten()
    }

    /// A legal ply, each as likely as the others, of a position that is not over.
    #[inline(always)]
    fn random_ply(&self, random: &mut Random) -> Option<Move> {
        if self.is_placing() {
            return random_move(self, random);
        }
        self.lucky_ply(random).or_else(|| random_move(self, random))
    }
}

/// Ways to give each cani of a group a square.
fn ways(cani: usize, reach: [Bitboard; 3]) -> u32 {
    reach[..cani].iter().map(|set| set.count()).product()
}

/// A visitor that stops at the ply before which it has seen so many.
#[inline(always)]
fn counted_to(mut number: u32) -> impl FnMut(Move) -> ControlFlow<Move> {
    move |mv| {
        if number == 0 {
            return Break(mv);
        }
        number -= 1;
        Continue(())
    }
}

impl Playout for WorldTree {
    #[inline]
    fn random_step(&self, random: &mut Random) -> Step<Move> {
        match self.outcome() {
            Some(outcome) => Step::Over(outcome),
            None => self.random_ply(random).map_or(Step::Over(Outcome::Draw), Step::Move),
        }
    }

    /// The capture of the town, if there is one.
    #[inline]
    fn keen_step(&self, random: &mut Random) -> Step<Move> {
        let begins = !self.is_placing() && !self.is_mid_turn() && self.outcome().is_none();
        if begins && let Some((kind, from)) = self.town_taker(self.side) {
            let square = Square::wrap(u32::from(self.square_of(!self.side, Kind::Town)));
            return Step::Move(Move::attack(kind, from, Hit { square, zi_ri: false }));
        }
        self.random_step(random)
    }
}
