//! Random moves, drawn from sets of targets: one pass counts, a second goes as far as the move drawn.

use super::board::{DIAGONAL, KING_SQUARES, STRAIGHT, shifted};
use super::kind::{FOOL, KING};
use super::movegen::{Counter, Origin, Sink, Wanted};
use super::{KingsMate, Move, RuleSet};
use crate::bitboard::Bitboard;
use crate::playout::{Playout, Step};
use crate::random::Random;
use crate::value::Outcome;
use std::ops::ControlFlow::{self, Break, Continue};

/// Draws from all moves before the legal ones are looked for. In check most fail, else few.
const DRAWS: u32 = 2;

/// Finds the move before which so many lie.
struct Picker {
    before: u32,
}

impl Sink for Picker {
    type Break = Move;

    #[inline(always)]
    fn take(&mut self, kind: u8, origin: Origin, to: Bitboard, becomes: u8) -> ControlFlow<Move> {
        let each = becomes.count_ones();
        let count = to.count() * each;
        if self.before >= count {
            self.before -= count;
            return Continue(());
        }
        let (number, choice) =
            if each == 1 { (self.before, 0) } else { (self.before / each, self.before % each) };
        let target = nth(to.0, number) as u8;
        let to = crate::bitboard::Square::wrap(u32::from(target));
        Break(Move { from: origin.of(to), to, kind, becomes: nth(u64::from(becomes), choice) as u8 })
    }
}

/// The number of the bit before which so many are set.
#[inline(always)]
fn nth(mut set: u64, number: u32) -> u32 {
    for _ in 0..number {
        set &= set.wrapping_sub(1);
    }
    set.trailing_zeros()
}

impl<R: RuleSet> KingsMate<R> {
    /// A random move, or the result of having none, of a game that has not been decided.
    #[inline(always)]
    fn undecided_step(&self, wanted: Wanted, random: &mut Random) -> Option<Move> {
        let exposed = self.is_defenseless(self.side);
        if exposed && let Some(mv) = self.lucky_move(wanted, random) {
            return Some(mv);
        }
        let mut counter = Counter(0);
        let _ = if exposed {
            self.generate_defenseless(wanted, &mut counter, true)
        } else {
            self.generate_guarded(wanted, &mut counter)
        };
        if counter.0 == 0 {
            return None;
        }
        let mut picker = Picker { before: random.below(counter.0) };
        if exposed {
            self.generate_defenseless(wanted, &mut picker, true).break_value()
        } else {
            self.generate_guarded(wanted, &mut picker).break_value()
        }
    }

    /// Draws a few times from all moves of a defenseless side, whether they expose the king or not, until one
    /// does not: each legal move is as likely as the others.
    #[inline(always)]
    fn lucky_move(&self, wanted: Wanted, random: &mut Random) -> Option<Move> {
        let mut counter = Counter(0);
        let _ = self.generate_defenseless(wanted, &mut counter, false);
        (0..DRAWS).find_map(|_| {
            let mut picker = Picker { before: random.below(counter.0) };
            let mv = self.generate_defenseless(wanted, &mut picker, false).break_value()?;
            self.spares_king(mv.from, mv.to).then_some(mv)
        })
    }

    #[inline(always)]
    fn end(&self) -> Option<Outcome> {
        self.decided_by_board().or_else(|| self.bare_kings().then_some(Outcome::Draw))
    }

    /// The moves that may win at once: a fool's step onto the enemy's King Square, an attack on his king.
    #[inline(always)]
    fn crowning(&self) -> Option<Wanted> {
        let goal = KING_SQUARES[(!self.side).index()];
        let none = Wanted { movers: Bitboard::EMPTY, fools: Bitboard::EMPTY, others: Bitboard::EMPTY };
        let mut wanted = none;
        if R::EXPANDED {
            let steps: &[i8] = if self.of_side(!self.side).has(goal) { &DIAGONAL } else { &STRAIGHT };
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
    /// else every other time a capture, if there is one: uniform play shuffles for a thousand plies.
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
        if random.next_u64() >> 63 == 0 {
            let prey = self.of_side(!self.side);
            let wanted = Wanted { fools: prey, others: prey, ..Wanted::ALL };
            if let Some(mv) = self.undecided_step(wanted, random) {
                return Step::Move(mv);
            }
        }
        self.undecided_step(Wanted::ALL, random).map_or_else(|| Step::Over(self.without_moves()), Step::Move)
    }
}
