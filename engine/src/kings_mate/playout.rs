//! Random moves, drawn from sets of targets that are generated once.

use super::board::{DIAGONAL, KING_SQUARES, STRAIGHT, shifted};
use super::kind::{FOOL, KING};
use super::movegen::{FirstMove, MoveSink, Origin, Wanted};
use super::{KingsMate, Move, RuleSet};
use crate::bitboard::{Bitboard, Square};
use crate::bits::deposit;
use crate::playout::{Playout, Step};
use crate::random::Random;
use crate::value::Outcome;
use arrayvec::ArrayVec;
use std::convert::Infallible;
use std::ops::ControlFlow::{self, Continue};

/// Draws from all moves before the legal ones are looked for. In check most of them fail, otherwise few.
const DRAWS: u32 = 2;

/// The most sets of moves of a position: one of the king, two of swordmasters, one of every other officer (no
/// more than squares), and twelve of fools.
const MAX_SETS: usize = 80;

/// Moves of one kind to some squares.
struct MoveSet {
    to: Bitboard,
    origin: Origin,
    kind: u8,
    becomes: u8,
}

/// The sets of moves, to draw from.
#[derive(Default)]
struct Urn {
    sets: ArrayVec<MoveSet, MAX_SETS>,
    count: u32,
}

impl MoveSink for Urn {
    type Break = Infallible;

    #[inline(always)]
    fn take(&mut self, kind: u8, origin: Origin, to: Bitboard, becomes: u8) -> ControlFlow<Infallible> {
        if to.any() && !self.sets.is_full() {
            self.count += to.count() * becomes.count_ones();
            self.sets.push(MoveSet { to, origin, kind, becomes });
        }
        Continue(())
    }
}

impl Urn {
    /// One of the moves, each as likely as the others; `None` if there are none.
    #[inline(always)]
    fn draw(&self, random: &mut Random) -> Option<Move> {
        self.draw_below(self.count, Bitboard::ALL, random)
    }

    /// One of the moves to some squares, each as likely as the others; `None` if there are none.
    #[inline(always)]
    fn draw_among(&self, squares: Bitboard, random: &mut Random) -> Option<Move> {
        let count = |set: &MoveSet| (set.to & squares).count() * set.becomes.count_ones();
        let count = self.sets.iter().map(count).sum();
        if count == 0 { None } else { self.draw_below(count, squares, random) }
    }

    /// The same, where `count` moves go to these squares.
    #[inline(always)]
    fn draw_below(&self, count: u32, squares: Bitboard, random: &mut Random) -> Option<Move> {
        let mut left = random.below(count);
        for set in &self.sets {
            let targets = set.to & squares;
            let each = set.becomes.count_ones();
            let count = targets.count() * each;
            if left < count {
                let (number, choice) = if each == 1 { (left, 0) } else { (left / each, left % each) };
                let to = Square::wrap(nth(targets.0, number));
                let becomes = nth(u64::from(set.becomes), choice) as u8;
                return Some(Move { from: set.origin.of(to), to, kind: set.kind, becomes });
            }
            left -= count;
        }
        None
    }
}

/// The index of the set bit that has `number` set bits below it.
#[inline(always)]
fn nth(set: u64, number: u32) -> u32 {
    deposit(1u64.unbounded_shl(number), set).trailing_zeros()
}

impl<R: RuleSet> KingsMate<R> {
    /// A random move, or the result of having none, of a game that has not been decided.
    #[inline(always)]
    fn undecided_step(&self, wanted: Wanted, random: &mut Random) -> Option<Move> {
        let mut urn = Urn::default();
        if !self.is_defenseless(self.side) {
            let _ = self.generate_guarded(wanted, &mut urn);
            return urn.draw(random);
        }
        // Draws from all moves, whether they expose the king or not, until one does not: each legal move is
        // as likely as the others, and mostly the others need not be looked at.
        let _ = self.generate_defenseless(wanted, &mut urn, false);
        for _ in 0..DRAWS {
            let mv = urn.draw(random)?;
            if self.spares_king(mv.from, mv.to) {
                return Some(mv);
            }
        }
        let mut urn = Urn::default();
        let _ = self.generate_defenseless(wanted, &mut urn, true);
        urn.draw(random)
    }

    #[inline(always)]
    fn end(&self) -> Option<Outcome> {
        self.decided_by_board().or_else(|| self.bare_kings().then_some(Outcome::Draw))
    }

    /// The moves that may win at once: a fool's step onto the enemy's King Square, an attack on the enemy's king.
    #[inline(always)]
    fn crowning(&self) -> Option<Wanted> {
        let goal = KING_SQUARES[(!self.side).index()];
        let none = Wanted { movers: Bitboard::EMPTY, fools: Bitboard::EMPTY, others: Bitboard::EMPTY };
        let mut wanted = none;
        if self.has_gambit() {
            let steps: &[i8] = if self.pieces_of(!self.side).has(goal) { &DIAGONAL } else { &STRAIGHT };
            let from = steps.iter().fold(Bitboard::EMPTY, |set, &d| set | shifted(goal.bit(), d));
            wanted.movers = from & self.pieces(self.side, FOOL);
            wanted.fools = goal.bit();
        }
        if R::DICE && self.is_defenseless(!self.side) {
            let king = self.pieces(!self.side, KING);
            wanted = Wanted { movers: Bitboard::ALL, fools: wanted.fools | king, others: king };
        }
        wanted.movers.any().then_some(wanted)
    }
}

impl<R: RuleSet> Playout for KingsMate<R> {
    #[inline]
    fn random_step(&self, random: &mut Random) -> Step<Move> {
        if let Some(outcome) = self.end() {
            return Step::Over(outcome);
        }
        self.undecided_step(Wanted::ALL, random).map_or_else(|| Step::Over(self.without_moves()), Step::Move)
    }

    /// A move that wins at once, by the Fool's Gambit or (with dice, if it hits) the enemy king's capture;
    /// otherwise every other time a capture, if there is one: uniform play goes on for a thousand plies.
    #[inline]
    fn keen_step(&self, random: &mut Random) -> Step<Move> {
        if let Some(outcome) = self.end() {
            return Step::Over(outcome);
        }
        if let Some(wanted) = self.crowning()
            && let Some(mv) = self.undecided_step(wanted, random)
        {
            return Step::Move(mv);
        }
        let (greedy, prey) = (random.next_u64() >> 63 == 0, self.pieces_of(!self.side));
        if !self.is_defenseless(self.side) {
            let mut urn = Urn::default();
            let _ = self.generate_guarded(Wanted::ALL, &mut urn);
            let capture = if greedy { urn.draw_among(prey, random) } else { None };
            let drawn = capture.or_else(|| urn.draw(random));
            return drawn.map_or_else(|| Step::Over(self.without_moves()), Step::Move);
        }
        if greedy {
            let wanted = Wanted { fools: prey, others: prey, ..Wanted::ALL };
            if let Some(mv) = self.undecided_step(wanted, random) {
                return Step::Move(mv);
            }
        }
        self.undecided_step(Wanted::ALL, random).map_or_else(|| Step::Over(self.without_moves()), Step::Move)
    }

    /// A win at once by the Fool's Gambit; none with dice.
    #[inline]
    fn wins_at_once(&self) -> bool {
        let wanted = if R::DICE { None } else { self.crowning() };
        wanted.is_some_and(|wanted| self.generate(wanted, &mut FirstMove).is_break())
    }
}
