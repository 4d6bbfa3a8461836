//! Random moves, drawn from sets of targets: one pass counts, a second goes as far as the move drawn.

use super::movegen::{AllMoves, Counter, MoveSink, Origin, Tags};
use super::subset::can_have;
use super::{ChessLike, Move, MoveTag, RuleSubset};
use crate::bitboard::{Bitboard, Square};
use crate::playout::{Playout, Step};
use crate::random::Random;
use crate::value::Outcome;
use crate::variant::{KeyRule, Objective};
use std::ops::ControlFlow::{self, Break, Continue};

/// Draws from all moves before the legal ones are looked for. In check most of them fail, otherwise few.
const DRAWS: u32 = 2;

/// Finds the move that comes after `before` others.
struct Picker {
    before: u32,
}

impl MoveSink for Picker {
    type Break = Move;

    #[inline(always)]
    fn take(&mut self, kind: u8, origin: Origin, to: Bitboard, tags: Tags<'_>) -> ControlFlow<Move> {
        let each = match tags {
            Tags::One(_) => 1,
            Tags::Promotions(kinds) => kinds.len() as u32,
        };
        let count = to.count() * each;
        if self.before >= count {
            self.before -= count;
            return Continue(());
        }
        let (number, tag) = match tags {
            Tags::One(tag) => (self.before, tag),
            Tags::Promotions(kinds) => {
                (self.before / each, Move::promotion_tag(kinds[(self.before % each) as usize]))
            }
        };
        let target = nth_square(to, number);
        Break(Move::new(kind, origin.of(target), target, tag))
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

impl<S: RuleSubset, const N: usize> ChessLike<'_, S, N> {
    /// A random move of a game that has not been decided, or its end.
    #[inline(always)]
    fn undecided_step(&self, random: &mut Random) -> Step<Move> {
        if self.dead() {
            // `result` knows whether there are moves or not.
            return Step::Over(self.result().unwrap_or(Outcome::Draw));
        }
        if const { can_have(S::ROYAL) }
            && self.has_royal(self.side)
            && !S::must_capture(self.rules)
            && !(const { can_have(S::HANDS) } && self.must_drop())
            && let Some(mv) = self.lucky_move(random)
        {
            return Step::Move(mv);
        }
        self.legal_step(random)
    }

    /// Draws a few times from all moves, whether they expose the king or not, until one does not.
    ///
    /// Each legal move is as likely as the others whenever a draw succeeds, and if none does the legal moves
    /// alone are drawn from: so each is as likely overall, mostly without a look at pins and at attacks on
    /// the squares around the king.
    #[inline(always)]
    fn lucky_move(&self, random: &mut Random) -> Option<Move> {
        let mut counter = Counter(0);
        let _ = self.generate_pseudo_legal(&mut counter);
        (0..DRAWS).find_map(|_| {
            let mut picker = Picker { before: random.below(counter.0 as u32) };
            let mv = self.generate_pseudo_legal(&mut picker).break_value()?;
            self.spares_king(mv).then_some(mv)
        })
    }

    /// Whether a move of [`generate_pseudo_legal`](ChessLike::generate_pseudo_legal) is legal.
    #[inline(always)]
    fn spares_king(&self, mv: Move) -> bool {
        // Castling and en passant have been looked at; the rest move one piece.
        if matches!(mv.tag(), MoveTag::Castle(_) | MoveTag::EnPassant) {
            return true;
        }
        let royal = self.rules.royal.unwrap_or(0);
        let king = if mv.kind == royal { mv.to } else { self.pieces(self.side, royal).first() };
        let occupied = (self.occupied() & !mv.from.bit()) | mv.to.bit();
        !self.attacked(king, !self.side, occupied, mv.to.bit())
    }

    /// A random legal move of a game that has not been decided, or the result of having none.
    #[inline]
    fn legal_step(&self, random: &mut Random) -> Step<Move> {
        let mut counter = Counter(0);
        let _ = self.generate_undecided(&mut counter);
        let mut picker = Picker { before: random.below(counter.0 as u32) };
        match self.generate_undecided(&mut picker) {
            Break(mv) => Step::Move(mv),
            Continue(()) => Step::Over(self.without_moves()),
        }
    }

    /// Where an enemy piece stands that wins on its next turn unless it is captured at once.
    #[inline(always)]
    fn key_holders(&self, key: &KeyRule) -> Bitboard {
        if key.objective != Objective::Hold {
            return Bitboard::EMPTY;
        }
        let them = !self.side;
        self.eligible(key, self.pieces_of(them) & key.squares[them.index()])
    }

    /// A random one of the moves of some pieces to a few squares, if there is any.
    #[inline(always)]
    fn step_to(&self, movers: Bitboard, targets: Bitboard, random: &mut Random) -> Option<Move> {
        let mut counter = Counter(0);
        let _ = self.free_moves(movers, targets, &AllMoves, &mut counter);
        let mut picker = Picker { before: random.below(counter.0 as u32) };
        self.free_moves(movers, targets, &AllMoves, &mut picker).break_value()
    }

    /// A step onto the key that cannot be answered by a capture there.
    #[inline(always)]
    fn crowning(&self, key: &KeyRule, random: &mut Random) -> Option<Move> {
        let us = self.side;
        let goals = key.squares[us.index()] & !self.pieces_of(us);
        let safe = goals.into_iter().filter(|&goal| {
            let arrived = self.occupied() | goal.bit();
            key.objective == Objective::Reach || !self.attacked(goal, !us, arrived, goal.bit())
        });
        let safe: Bitboard = safe.collect();
        if safe.is_empty() {
            return None;
        }
        self.step_to(self.eligible(key, self.pieces_of(us)), safe, random)
    }
}

impl<S: RuleSubset, const N: usize> Playout for ChessLike<'_, S, N> {
    #[inline]
    fn random_step(&self, random: &mut Random) -> Step<Move> {
        match self.decided() {
            Some(outcome) => Step::Over(outcome),
            None => self.undecided_step(random),
        }
    }

    /// In games of a key square without a royal piece: the capture of an enemy piece that would hold the key, else a
    /// step onto the key that cannot be answered there.
    #[inline]
    fn keen_step(&self, random: &mut Random) -> Step<Move> {
        let plain = S::key(self.rules) && !S::royal(self.rules) && !S::must_capture(self.rules);
        let Some(key) = self.rules.key.as_ref().filter(|_| plain) else {
            return self.random_step(random);
        };
        if let Some(outcome) = self.decided() {
            return Step::Over(outcome);
        }
        let key_holders = self.key_holders(key);
        let decisive = if key_holders.any() {
            self.step_to(self.pieces_of(self.side), key_holders, random)
        } else {
            self.crowning(key, random)
        };
        match decisive {
            Some(mv) if !self.dead() => Step::Move(mv),
            _ => self.undecided_step(random),
        }
    }
}
