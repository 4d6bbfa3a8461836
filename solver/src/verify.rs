//! An independent check of a solution: every position is unpacked from its key, its moves are made by the rules, and its value
//! is compared with those of its successors.
//!
//! This is a proof. A finished game has the value that the rules give. Any other position has the best value among its moves,
//! so that a win in `n` has a move to a position that the opponent loses in `n - 1`, and so on down to 0, the end of a game:
//! wins and losses are real, and their distances exact. In a drawn position no move wins and some move keeps the draw, so that
//! neither side can be forced to lose. The check uses the rules, the store of positions and the values, and nothing of the
//! propagation.

use crate::control::{Control, Phase, Progress, Stop};
use crate::positions::Positions;
use crate::solution::Solution;
use crate::store::NONE;
use crate::word::Word;
use jewel_engine::ability::{Packed, PackedKey};
use jewel_engine::value::{Outcome, Side, Value};
use rayon::prelude::*;
use std::ops::ControlFlow;
use thiserror::Error;

/// Why a check failed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Failure<P> {
    /// The check was stopped.
    #[error(transparent)]
    Stopped(#[from] Stop),
    /// The value of a position is not that of its best move or of the end of the game.
    #[error("a position has the value {stored}; the rules and its moves give {found}")]
    Value {
        /// The position.
        position: P,
        /// The value in the solution.
        stored: Value,
        /// The value by the rules.
        found: Value,
    },
    /// A move leads to a position that is not in the solution.
    #[error("a position has a move to a position that was not enumerated")]
    Missing {
        /// The position before the move.
        position: P,
    },
    /// The root of the solution is not among its positions.
    #[error("the root is not among the positions")]
    Root,
}

/// Parts of the store that are checked before the interrupt flag is read again.
const BATCH: usize = 8;

/// Checks every position of a solution, on the threads of the current rayon pool.
///
/// # Errors
/// A failure: the same one for any number of threads.
pub fn verify<P: Packed, K: PackedKey>(
    solution: &Solution<P, K>,
    control: &mut Control<'_>,
) -> Result<(), Failure<P>> {
    if solution.positions.find(solution.fold.key(&solution.root)).is_none() {
        return Err(Failure::Root);
    }
    let root = &solution.root;
    let successors = |key: K, next: &mut Next<K>| {
        let position = root.unpack(key);
        let outcome = position.outcome();
        if outcome.is_none() {
            let _: ControlFlow<()> = position.moves(|mv| {
                let after = position.after(mv);
                next.movers.push(after.side_to_move());
                next.keys.push(solution.fold.key(&after));
                ControlFlow::Continue(())
            });
        }
        (position.side_to_move(), outcome)
    };
    let value_of = |key, word| solution.value_of(key, word);
    let checker = Checker { positions: &solution.positions, value_of: &value_of, successors: &successors };
    let Some(Mismatch { key, stored, found }) = checker.first_mismatch(control)? else { return Ok(()) };
    let position = root.unpack(key);
    Err(match found {
        None => Failure::Missing { position },
        Some(found) => Failure::Value { position, stored, found },
    })
}

/// The successors of some positions: their sides to move and keys.
struct Next<K> {
    movers: Vec<Side>,
    keys: Vec<K>,
}

/// Makes the moves of a position by the rules; returns its side to move, and how the game ended if it did.
type Successors<'a, K> = &'a (dyn Fn(K, &mut Next<K>) -> (Side, Option<Outcome>) + Sync);

/// A solution to check, for any game.
struct Checker<'a, K> {
    positions: &'a Positions<K>,
    value_of: &'a (dyn Fn(K, Word) -> Value + Sync),
    successors: Successors<'a, K>,
}

/// A position whose value by the rules is not the stored one; `None` if a move leads out of the solution.
struct Mismatch<K> {
    key: K,
    stored: Value,
    found: Option<Value>,
}

/// A position whose moves have been made and not yet looked up.
struct Made<K> {
    key: K,
    word: Word,
    mover: Side,
    outcome: Option<Outcome>,
    /// Where its moves end among those of all.
    end: usize,
}

impl<K: PackedKey> Checker<'_, K> {
    fn first_mismatch(&self, control: &mut Control<'_>) -> Result<Option<Mismatch<K>>, Stop> {
        let known = self.positions.len();
        let mut done = 0;
        for first in (0..self.positions.parts()).step_by(BATCH) {
            control.check_interrupt()?;
            control.report(Progress { phase: Phase::Verify, done, known, memory: self.positions.bytes() });
            let parts = first..(first + BATCH).min(self.positions.parts());
            let mismatches = parts.clone().into_par_iter().filter_map(|part| self.find(part));
            if let Some(mismatch) = mismatches.min_by_key(|mismatch| mismatch.key) {
                return Ok(Some(mismatch));
            }
            done += parts.map(|part| self.positions.of_part(part).count() as u64).sum::<u64>();
        }
        Ok(None)
    }

    /// The mismatch of a part with the lowest key.
    fn find(&self, part: usize) -> Option<Mismatch<K>> {
        let mut next = Next { movers: Vec::new(), keys: Vec::new() };
        let mut made: Vec<Made<K>> = Vec::new();
        let mut first: Option<Mismatch<K>> = None;
        for (_, key, word) in self.positions.of_part(part) {
            let (mover, outcome) = (self.successors)(key, &mut next);
            made.push(Made { key, word, mover, outcome, end: next.keys.len() });
            if next.keys.len() >= self.positions.many() {
                self.compare(&mut made, &mut next, &mut first);
            }
        }
        self.compare(&mut made, &mut next, &mut first);
        first
    }

    /// Looks up all moves that have been made and compares; keeps the mismatch with the lowest key.
    fn compare(&self, made: &mut Vec<Made<K>>, next: &mut Next<K>, first: &mut Option<Mismatch<K>>) {
        // All at once: several times as fast as one by one.
        let mut slots = Vec::with_capacity(next.keys.len());
        self.positions.find_all(&next.keys, |_, slot| slots.push(slot));
        let known = |slot| self.positions.word(slot);
        let mut start = 0;
        for Made { key, word, mover, outcome, end } in made.drain(..) {
            let moves = (start..end).map(|n| (slots[n], next.keys[n], next.movers[n]));
            start = end;
            let mut best = outcome.map(Value::from_outcome);
            let mut missing = false;
            for (to, after, then) in moves {
                if to == NONE {
                    missing = true;
                } else {
                    best = best.max(Some((self.value_of)(after, known(to)).before_ply(mover, then)));
                }
            }
            let found = if missing { None } else { best };
            let stored = (self.value_of)(key, word);
            if found != Some(stored) && first.as_ref().is_none_or(|first| key < first.key) {
                *first = Some(Mismatch { key, stored, found });
            }
        }
        next.movers.clear();
        next.keys.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Limits;
    use crate::graph::Graph;
    use jewel_engine::ability::Game;
    use jewel_engine::chesslike::{ChessGame, ChessLike, Leapers};
    use jewel_engine::games;

    type Duel = ChessLike<'static, Leapers, 4>;

    fn duel() -> Solution<Duel, u64> {
        let game = ChessGame::<Leapers, 4>::new(games::find("duel").unwrap().rules()).unwrap();
        Control::with_limits(Limits::default(), |control| {
            let mut graph = Graph::new(game.start());
            graph.enumerate(control)?;
            graph.solve(control)
        })
        .unwrap()
    }

    fn check_all(solution: &Solution<Duel, u64>) -> Result<(), Failure<Duel>> {
        Control::with_limits(Limits::default(), |control| verify(solution, control))
    }

    #[test]
    fn every_wrong_value_is_found() {
        let solution = duel();
        assert_eq!(check_all(&solution), Ok(()));
        let slots: Vec<u32> = solution.positions.all().map(|(slot, ..)| slot).collect();
        for slot in slots {
            let right = solution.positions.word(slot).0;
            let side = right & 1 << 15;
            for wrong in [1, 1 << 14, 3 << 13, right + 1, right ^ 1 << 13].map(|word| word | side) {
                if Word(wrong).value(|| 0) == Word(right).value(|| 0) {
                    continue;
                }
                solution.positions.set_word(slot, Word(wrong));
                let failure = check_all(&solution).unwrap_err();
                assert!(matches!(failure, Failure::Value { .. }), "{failure}");
            }
            solution.positions.set_word(slot, Word(right));
        }
        assert_eq!(check_all(&solution), Ok(()));
    }

    #[test]
    fn a_position_that_was_not_enumerated_is_found() {
        let game = ChessGame::<Leapers, 4>::new(games::find("duel").unwrap().rules()).unwrap();
        let mut solution = duel();
        // The positions of a stopped enumeration.
        let mut part = Graph::<_, u64>::new(game.start());
        let limits = Limits { max_positions: 40, ..Limits::default() };
        Control::with_limits(limits, |control| part.enumerate(control)).unwrap_err();
        solution.positions = part.keys.found.into_positions();
        assert!(matches!(check_all(&solution), Err(Failure::Missing { .. } | Failure::Value { .. })));
        // A root that is not among them.
        solution.positions = Positions::Hashed(crate::store::Store::new());
        assert_eq!(check_all(&solution), Err(Failure::Root));
    }
}
