//! Random moves.

use super::{Crystal, Move};
use crate::bitboard::{Bitboard, Square};
use crate::bits::deposit;
use crate::playout::{Playout, Step};
use crate::position::Position;
use crate::random::Random;
use crate::tactics::Tactics;
use std::ops::ControlFlow;

/// Electrons that a keen player tries, for a way forward and then for any way, before looking at all of them.
const LOOKS: u32 = 4;

/// A random member of a set that is not empty.
#[inline(always)]
fn pick(set: Bitboard, random: &mut Random) -> Square {
    let number = random.below(set.count());
    Bitboard(deposit(1u64.unbounded_shl(number), set.0)).first()
}

impl Crystal {
    /// One of all moves, each as likely as the others.
    #[inline]
    fn any_move(&self, random: &mut Random) -> Move {
        let mut ends = [Bitboard::EMPTY; 64];
        let mut total = 0;
        let own = self.pieces_of(self.side);
        for (n, from) in own.into_iter().enumerate() {
            ends[n] = self.destinations(from);
            total += ends[n].count();
        }
        let mut left = random.below(total);
        for (from, &ends) in own.into_iter().zip(&ends) {
            if left < ends.count() {
                let to = Bitboard(deposit(1u64.unbounded_shl(left), ends.0)).first();
                return Move { from, to };
            }
            left -= ends.count();
        }
        Move::PASS
    }

    /// The move of one electron that takes it as near to the far tier as it can get.
    #[inline(always)]
    fn forward(&self, from: Square, random: &mut Random) -> Option<Move> {
        let us = self.side.index();
        let nearer = &self.lattice.nearer[us];
        let here = usize::from(self.lattice.steps[us][from.index()]);
        let ends = self.destinations(from) & nearer[here & 63];
        if ends.is_empty() {
            return None;
        }
        let best = nearer[1..].iter().map(|&near| ends & near).find(|set| set.any())?;
        Some(Move { from, to: pick(best, random) })
    }
}

impl Playout for Crystal {
    #[inline]
    fn random_step(&self, random: &mut Random) -> Step<Move> {
        match self.outcome() {
            Some(outcome) => Step::Over(outcome),
            None => Step::Move(self.any_move(random)),
        }
    }

    /// Mostly the best way forward for one of the electrons that are not yet on the far tier, sometimes
    /// any move: uniform play never finishes a race.
    #[inline]
    fn keen_step(&self, random: &mut Random) -> Step<Move> {
        if let Some(outcome) = self.outcome() {
            return Step::Over(outcome);
        }
        let own = self.pieces_of(self.side);
        let behind = own & !self.lattice.far[self.side.index()];
        if random.next_u64() >> 60 != 0 {
            for _ in 0..LOOKS {
                if let Some(mv) = self.forward(pick(behind, random), random) {
                    return Step::Move(mv);
                }
            }
        }
        for _ in 0..LOOKS {
            let from = pick(own, random);
            let ends = self.destinations(from);
            if ends.any() {
                return Step::Move(Move { from, to: pick(ends, random) });
            }
        }
        Step::Move(self.any_move(random))
    }

    /// A player wins at once by the arrival of the last electron.
    #[inline]
    fn wins_at_once(&self) -> bool {
        self.noisy_moves(|_| ControlFlow::Break(())).is_break()
    }
}
