//! Random plies, drawn without a list of them.
//!
//! The plies of each sort are counted, and one is drawn by its number. Only the moves of packs are counted as
//! more than there are: as all ways to give each cani a square. What is no move is drawn again, so that the
//! legal plies are as likely as each other.

use super::board::{DRY, beside, shifted};
use super::lines::LINES;
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

/// Draws before the legal plies are listed, where packs can move.
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
    /// Where the pieces of which there is one go, pounces among them.
    targets: [Bitboard; Kind::SINGLES],
    /// In byte `n` the targets of the first `n + 1` kinds together: less than 128 in all.
    singles: u64,
    /// Attacks without moving, one hit each.
    strikes: u32,
    /// Attacks of the khtsoyis.
    barrages: u32,
    /// The cani that may move, if none has another beside it, and all their steps.
    loners: Bitboard,
    steps: u32,
    /// Else: the moves of cani, alone and together.
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
        let begins = !self.is_mid_turn();
        let may_move = MAY_MOVE[usize::from(self.moved.min(NOBODY))];
        let targets = self.single_targets(if begins { self.pounce_squares() } else { Bitboard::EMPTY });
        let counts = u64::from_le_bytes(targets.map(|set| set.count() as u8)) & may_move;
        let (movable, linked) = (self.movable_cani(), beside(self.cani[us]));
        let packed = (movable & linked).any();
        let loners = if packed { Bitboard::EMPTY } else { movable };
        let free = self.empty_squares() & DRY;
        let steps = (0..4).map(|direction| (shifted(loners, direction) & free).count()).sum();
        let packs = if packed { self.pack_odds() } else { 0 };
        Odds {
            targets,
            singles: counts.wrapping_mul(EACH_BYTE),
            strikes: if begins { self.count_strikes() } else { 0 },
            barrages: if begins { self.count_barrages() } else { 0 },
            loners,
            steps,
            packs,
            done: u32::from(!begins),
        }
    }

    /// Where each piece goes of which the side to move has one; the sleeth to the squares of `prey` too.
    #[inline(always)]
    fn single_targets(&self, prey: Bitboard) -> [Bitboard; Kind::SINGLES] {
        let empty = self.empty_squares();
        let squares = self.squares[self.side.index()];
        let lines = &*LINES;
        let reached = |kind: Kind| self.reached(lines, kind, squares[kind as usize % Kind::SINGLES]);
        [
            reached(Kind::Town) & empty,
            reached(Kind::Gormoror) & empty,
            reached(Kind::Khtsoyis) & empty,
            reached(Kind::Herethroy) & empty,
            reached(Kind::Orren) & empty,
            reached(Kind::Rassimel) & empty,
            reached(Kind::Sleeth) & (empty | prey),
            reached(Kind::ZiRi),
        ]
    }

    /// A legal ply, each as likely as the others, unless there is none but the pass or no draw succeeds.
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
            return Some(self.single(odds, number));
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

    /// The move, or pounce, of that number of a piece of which there is one.
    #[inline(always)]
    fn single(&self, odds: &Odds, number: u32) -> Move {
        let sums = odds.singles;
        // The high bits of the bytes whose sums are above the number.
        let above = (sums | EACH_BYTE << 7) - u64::from(number + 1) * EACH_BYTE;
        let byte = (above & EACH_BYTE << 7).trailing_zeros() & !7;
        let before = (sums << 8 >> byte) as u32 & 0xff;
        let kind = Kind::of_number(byte / 8 % Kind::SINGLES as u32);
        let from = Square::wrap(u32::from(self.square_of(self.side, kind)));
        let to = nth(odds.targets[kind as usize % Kind::SINGLES], number - before);
        if kind == Kind::Sleeth && !self.empty_squares().has(to) {
            let zi_ri = !self.solid[(!self.side).index()].has(to);
            return Move::attack(kind, from, Hit { square: to, zi_ri });
        }
        Move::step(kind, from, to)
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

    /// Ways to draw a move of cani: of one exactly, of several together every way to give each a square.
    fn pack_odds(&self) -> u32 {
        let (movers, landing) = (self.pack_movers(), self.landing(Bitboard::EMPTY));
        let mut count = movers.lines.iter().map(|&lines| (lines & landing).count()).sum();
        let _: ControlFlow<()> = self.groups(&movers, |_, cani, reach| {
            count += ways(cani.len(), reach);
            Continue(())
        });
        count
    }

    /// The move of a number below the [`pack_odds`](WorldTree::pack_odds). A set of destinations comes up in
    /// as many ways as it can be paired, and is taken as often less.
    fn pack_ply(&self, mut number: u32, random: &mut Random) -> Option<Move> {
        let (movers, landing) = (self.pack_movers(), self.landing(Bitboard::EMPTY));
        for (from, lines) in movers.cani.into_iter().zip(movers.lines) {
            let targets = lines & landing;
            if number < targets.count() {
                return Some(Move::step(Kind::Cani, from, nth(targets, number)));
            }
            number -= targets.count();
        }
        let drawn = self.groups(&movers, |origins, cani, reach| {
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

    /// By the capture of the town.
    #[inline]
    fn wins_at_once(&self) -> bool {
        !self.is_placing() && !self.is_mid_turn() && self.town_hangs(self.side)
    }
}
