//! Random moves.

use super::board::{AROUND, NEARER, origin, spread};
use super::contest::Contest;
use super::state::{CrownJewels, Move};
use super::tile::Tile;
use crate::bitboard::{Bitboard, Square};
use crate::bits::deposit;
use crate::playout::{Playout, Step};
use crate::position::Position;
use crate::random::Random;

/// In how many of eight cases a keen player attacks an unknown tile, if the contest is the one drawn, with a tile that is
/// not a Jewel and with a Jewel.
const DARES: u64 = 6;
const JEWEL_DARES: u64 = 1;

/// The square before which `number` squares of the set lie.
#[inline(always)]
fn nth(set: Bitboard, number: u32) -> Square {
    Bitboard(deposit(1u64.unbounded_shl(number), set.0)).first()
}

/// A member of a set that is not empty, drawn with the lowest 16 of random bits: as likely as the others to within
/// one in a thousand.
#[inline(always)]
fn drawn(set: Bitboard, bits: u64) -> Square {
    nth(set, ((bits as u32 & 0xffff) * set.count()) >> 16)
}

impl CrownJewels {
    /// One of the steps, each as likely as the others. There must be one.
    ///
    /// A direction and a number below that of own tiles are drawn until as many tiles can go there.
    #[inline(always)]
    fn any_step(&self, random: &mut Random) -> Move {
        let own = self.pieces_of(self.board.side).count();
        loop {
            let bits = random.next_u64();
            let direction = (bits & 7) as usize;
            let number = (((bits >> 32) * u64::from(own)) >> 32) as u32;
            let arrivals = self.arrivals(direction);
            if number < arrivals.count() {
                let to = nth(arrivals, number);
                return Move { from: origin(to, direction), to };
            }
        }
    }

    /// A contest that a player welcomes, judged by no more than a player may know. One of the possible contests is
    /// drawn. Against a known tile it is made if it wins, or if both tiles fall and the lesser one is lost; against
    /// an unknown tile mostly, but seldom with a Jewel.
    #[inline(always)]
    fn keen_contest(&self, targets: Bitboard, bits: u64) -> Option<Move> {
        let own = self.pieces_of(self.board.side);
        let to = drawn(targets, bits);
        let from = drawn(AROUND[to.index()] & own, bits >> 16);
        let mv = Move { from, to };
        let made = if self.board.known.has(to) {
            match self.contest(mv) {
                Some(Contest::Win) => true,
                Some(Contest::Both) => self.is_good_trade(from, to),
                _ => false,
            }
        } else {
            bits >> 61 < if self.jewels.has(from) { JEWEL_DARES } else { DARES }
        };
        made.then_some(mv)
    }

    /// Whether the loss of both tiles is good for the owner of the first: that is not a Jewel, and the other is a
    /// Jewel or at least as strong.
    #[inline(always)]
    fn is_good_trade(&self, lost: Square, taken: Square) -> bool {
        let strength = |square: Square| self.tile(square).map_or(0, Tile::strength);
        !self.jewels.has(lost) && (self.jewels.has(taken) || strength(taken) >= strength(lost))
    }

    /// A step to an empty square, if there is one: mostly of a tile that is not a Jewel, and towards one of the
    /// enemies.
    #[inline(always)]
    fn keen_advance(&self, bits: u64) -> Option<Move> {
        let side = self.board.side;
        let empty = !(self.board.occupied() | self.board.closed);
        let movable = self.pieces_of(side) & spread(empty);
        if movable.is_empty() {
            return None;
        }
        let common = movable & !self.jewels;
        let jewel_moves = bits >> 60 == 0 || common.is_empty();
        let from = drawn(if jewel_moves { movable } else { common }, bits);
        let goal = drawn(self.pieces_of(!side), bits >> 16);
        let ends = AROUND[from.index()] & empty;
        let nearer = ends & NEARER[from.index()][goal.index()];
        Some(Move { from, to: drawn(if nearer.any() { nearer } else { ends }, bits >> 32) })
    }
}

impl Playout for CrownJewels {
    #[inline]
    fn random_step(&self, random: &mut Random) -> Step<Move> {
        match self.outcome() {
            Some(outcome) => Step::Over(outcome),
            None if self.board.has_step() => Step::Move(self.any_step(random)),
            None => Step::Move(Move::SKIP),
        }
    }

    /// A promising contest, or else a step towards the enemy.
    #[inline]
    fn keen_step(&self, random: &mut Random) -> Step<Move> {
        if let Some(outcome) = self.outcome() {
            return Step::Over(outcome);
        }
        let (own, theirs) = (self.pieces_of(self.board.side), self.pieces_of(!self.board.side));
        let targets = spread(own) & theirs;
        if targets.any()
            && let Some(mv) = self.keen_contest(targets, random.next_u64())
        {
            return Step::Move(mv);
        }
        match self.keen_advance(random.next_u64()) {
            Some(mv) => Step::Move(mv),
            None if targets.any() => Step::Move(self.any_step(random)),
            None => Step::Move(Move::SKIP),
        }
    }
}
