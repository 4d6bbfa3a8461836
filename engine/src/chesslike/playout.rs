//! Random moves, drawn from sets of targets instead of from a list.

use super::movegen::{Everything, Origin, Sink, Tags};
use super::{ChessLike, Move, MoveTag, Shape};
use crate::bitboard::{Bitboard, Square};
use crate::playout::{Playout, Step, random_move};
use crate::random::Random;
use crate::value::Outcome;
use crate::variant::{KeyRule, Objective};
use arrayvec::ArrayVec;
use std::ops::ControlFlow::{self, Break, Continue};

/// Most sets that are kept. A set has the moves of one piece, or of all pieces of a type in one direction:
/// only boards crowded with pieces of many modes have more, and they are served in another way.
const MOST_SETS: usize = 96;

/// Sets of moves, and how many moves there are in all.
struct Urn {
    sets: ArrayVec<Set, MOST_SETS>,
    total: u32,
}

#[derive(Clone, Copy)]
struct Set {
    to: Bitboard,
    /// Moves in it and in the sets before it.
    up_to: u32,
    origin: Origin,
    kind: u8,
    /// Types to promote to, for each target; 0 if the moves have one tag.
    promotions: u8,
    tag: u8,
}

/// There are more sets than an urn holds.
struct Full;

impl Sink for Urn {
    type Break = Full;

    #[inline(always)]
    fn take(&mut self, kind: u8, origin: Origin, to: Bitboard, tags: Tags<'_>) -> ControlFlow<Full> {
        let (promotions, tag) = match tags {
            Tags::One(tag) => (0, tag),
            Tags::Promotions(kinds) => (kinds.len() as u8, 0),
        };
        self.total += to.count() * u32::from(promotions.max(1));
        match self.sets.try_push(Set { to, up_to: self.total, origin, kind, promotions, tag }) {
            Ok(()) => Continue(()),
            Err(_) => Break(Full),
        }
    }
}

impl Urn {
    /// Leaves nothing but the sets that are wanted.
    fn keep(&mut self, wanted: impl Fn(&Set) -> bool) {
        let (mut before, mut total) = (0, 0);
        self.sets.retain(|set| {
            let count = set.up_to - std::mem::replace(&mut before, set.up_to);
            let keep = wanted(set);
            total += if keep { count } else { 0 };
            set.up_to = total;
            keep
        });
        self.total = total;
    }
}

/// The square before which `number` squares of the set lie.
///
/// Few steps that are always made are faster than a loop whose end the processor cannot foresee.
#[inline(always)]
fn nth_square(set: Bitboard, number: u32) -> Square {
    let (mut set, mut left) = (set.0, number);
    while left >= 4 {
        for _ in 0..4 {
            set &= set.wrapping_sub(1);
        }
        left -= 4;
    }
    for step in 0..3 {
        set = if step < left { set & set.wrapping_sub(1) } else { set };
    }
    Bitboard(set).first()
}

impl<S: Shape, const N: usize> ChessLike<'_, S, N> {
    /// One of the moves of an urn, each as likely as the others; `None` if it is empty.
    #[inline(always)]
    fn draw(&self, urn: &Urn, random: &mut Random) -> Option<Move> {
        if urn.total == 0 {
            return None;
        }
        let number = random.below(urn.total);
        // Counting the sets before it takes no branch that the processor cannot foresee.
        let chosen = urn.sets.iter().filter(|set| set.up_to <= number).count();
        let set = urn.sets.get(chosen)?;
        let before = chosen.checked_sub(1).map_or(0, |last| urn.sets[last].up_to);
        Some(self.nth(set, number - before))
    }

    #[inline(always)]
    fn nth(&self, set: &Set, number: u32) -> Move {
        if S::PROMOTION != Some(false) && set.promotions > 0 {
            return self.nth_promotion(set, number);
        }
        let target = nth_square(set.to, number);
        Move::new(set.kind, set.origin.of(target), target, set.tag)
    }

    #[cold]
    fn nth_promotion(&self, set: &Set, number: u32) -> Move {
        let each = u32::from(set.promotions);
        let target = nth_square(set.to, number / each);
        let promotion = &self.rules.types[set.kind as usize].promotion[self.side.index()];
        let kind = promotion.as_ref().map_or(set.kind, |p| p.to[(number % each) as usize]);
        Move::new(set.kind, set.origin.of(target), target, Move::promotion_tag(kind))
    }

    /// A random move of a game that has not been decided, or its end.
    #[inline(always)]
    fn undecided_step(&self, random: &mut Random) -> Step<Move> {
        if self.dead() {
            // Whether there are moves or not: `result` knows.
            return Step::Over(self.result().unwrap_or(Outcome::Draw));
        }
        if S::royal(self.rules)
            && let Some(mv) = self.lucky_move(random)
        {
            return Step::Move(mv);
        }
        self.legal_step(random)
    }

    /// Draws from all moves, whether they expose the king or not, and gives the move if it does not.
    ///
    /// Each of the `l` legal moves comes with probability `1/t` where `t` moves are in the urn. If `None` is
    /// followed by a draw from the legal moves alone, each has `1/t + (t-l)/t * 1/l = 1/l` in all: as likely
    /// as the others, mostly without a look at pins and at what attacks the squares around the king.
    #[inline(always)]
    fn lucky_move(&self, random: &mut Random) -> Option<Move> {
        let mut urn = Urn { sets: ArrayVec::new(), total: 0 };
        if self.generate_hasty(&mut urn).is_break() {
            return None;
        }
        let mv = self.draw(&urn, random)?;
        // Castling and en passant have been looked at; the rest move one piece.
        if matches!(mv.tag(), MoveTag::Castle(_) | MoveTag::EnPassant) {
            return Some(mv);
        }
        let king = if Some(mv.kind) == self.rules.royal {
            mv.to
        } else {
            self.pieces(self.side, self.rules.royal.unwrap_or(0)).first()
        };
        let occupied = (self.occupied() & !mv.from.bit()) | mv.to.bit();
        (!self.attacked(king, !self.side, occupied, mv.to.bit())).then_some(mv)
    }

    /// A random legal move of a game that has not been decided, or the result of having none.
    #[inline]
    fn legal_step(&self, random: &mut Random) -> Step<Move> {
        let mut urn = Urn { sets: ArrayVec::new(), total: 0 };
        if self.generate_undecided(&mut urn).is_break() {
            return random_move(self, random).map_or(Step::Over(Outcome::Draw), Step::Move);
        }
        match self.draw(&urn, random) {
            Some(mv) => Step::Move(mv),
            None => Step::Over(self.without_moves()),
        }
    }

    /// Where an enemy stands who wins on his next turn unless he is captured at once.
    #[inline(always)]
    fn usurpers(&self, key: &KeyRule) -> Bitboard {
        if key.objective != Objective::Hold {
            return Bitboard::EMPTY;
        }
        let them = !self.side;
        self.eligible(key, self.of_side(them) & key.squares[them.index()])
    }

    /// A random one of the moves to a few squares, if there is any.
    #[inline(always)]
    fn step_to(&self, targets: Bitboard, wanted: impl Fn(&Set) -> bool, random: &mut Random) -> Option<Move> {
        let mut urn = Urn { sets: ArrayVec::new(), total: 0 };
        let movers = self.by_side[self.side.index()];
        if self.free_moves(movers, targets, &Everything, &mut urn).is_break() {
            return None;
        }
        urn.keep(wanted);
        self.draw(&urn, random)
    }

    /// A step onto the key that nobody can answer by a capture there.
    #[inline(always)]
    fn crowning(&self, key: &KeyRule, random: &mut Random) -> Option<Move> {
        let us = self.side;
        let goals = key.squares[us.index()] & !self.of_side(us);
        let safe = goals.into_iter().filter(|&goal| {
            let arrived = self.occupied() | goal.bit();
            key.objective == Objective::Reach || !self.attacked(goal, !us, arrived, goal.bit())
        });
        let safe: Bitboard = safe.collect();
        if safe.is_empty() {
            return None;
        }
        self.step_to(safe, |set| key.eligible >> set.kind & 1 != 0, random)
    }
}

impl<S: Shape, const N: usize> Playout for ChessLike<'_, S, N> {
    #[inline]
    fn random_step(&self, random: &mut Random) -> Step<Move> {
        match self.decided() {
            Some(outcome) => Step::Over(outcome),
            None => self.undecided_step(random),
        }
    }

    /// In games of a key square without a royal piece: the capture of an enemy who would hold the key, else a
    /// step onto the key that cannot be answered there.
    #[inline]
    fn keen_step(&self, random: &mut Random) -> Step<Move> {
        let Some(key) = self.rules.key.as_ref().filter(|_| S::key(self.rules) && !S::royal(self.rules))
        else {
            return self.random_step(random);
        };
        if let Some(outcome) = self.decided() {
            return Step::Over(outcome);
        }
        let usurpers = self.usurpers(key);
        let decisive = if usurpers.any() {
            self.step_to(usurpers, |_| true, random)
        } else {
            self.crowning(key, random)
        };
        match decisive {
            Some(mv) if !self.dead() => Step::Move(mv),
            _ => self.undecided_step(random),
        }
    }
}
