//! An independent check of a solution: every position is unpacked from its key, its moves are made by the rules, and its value
//! is compared with those of its successors.
//!
//! This is a proof. A finished game has the value that the rules give. Any other position has the best value among its moves,
//! so that a win in `n` has a move to a position that the opponent loses in `n - 1`, and so on down to 0, the end of a game:
//! wins and losses are real, and their distances exact. In a drawn position no move wins and some move keeps the draw, so that
//! neither side can be forced to lose. The check uses the rules, the store of positions and the values, and nothing of the
//! propagation.

use crate::control::{Control, Phase, Progress, Stop};
use crate::keyed::{AnyWidth, Game, Next};
use crate::solution::{AnySolved, Solution, Solved};
use crate::store::NONE;
use crate::width::{ByWidth, by_width, map_width};
use crate::word::Word;
use jewel_engine::ability::{Packed, PackedKey};
use jewel_engine::parallel;
use jewel_engine::value::{Outcome, Side, Value};
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
pub fn verify<P: Packed>(solution: &Solution<P>, control: &mut Control<'_>) -> Result<(), Failure<P>> {
    let root = &solution.game.root;
    by_width!(solution.solved.first_mismatch(&solution.game, control)?, checked => match checked {
        Checked::Right => Ok(()),
        Checked::NoRoot => Err(Failure::Root),
        Checked::Wrong(Mismatch { key, stored, found }) => {
            let position = root.unpack(key);
            Err(match found {
                None => Failure::Missing { position },
                Some(found) => Failure::Value { position, stored, found },
            })
        }
    })
}

impl AnySolved {
    fn first_mismatch(&self, game: &dyn AnyWidth, control: &mut Control<'_>) -> Result<AnyChecked, Stop> {
        Ok(map_width!(self, solved => Checker { solved, game }.check(control)?))
    }
}

/// A solution to check, for any game.
struct Checker<'a, K> {
    solved: &'a Solved<K>,
    game: Game<'a, K>,
}

/// What a check has found, in keys of any width.
type AnyChecked = ByWidth<Checked<u64>, Checked<u128>, Checked<[u64; 4]>>;

/// What a check has found.
enum Checked<K> {
    Right,
    NoRoot,
    Wrong(Mismatch<K>),
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
    fn check(&self, control: &mut Control<'_>) -> Result<Checked<K>, Stop> {
        let positions = &self.solved.positions;
        if positions.find(self.game.root()).is_none() {
            return Ok(Checked::NoRoot);
        }
        let known = positions.len();
        let mut done = 0;
        for first in (0..self.solved.positions.parts()).step_by(BATCH) {
            control.check_interrupt()?;
            control.report(Progress { phase: Phase::Verify, done, known, memory: positions.bytes() });
            let parts = first..(first + BATCH).min(self.solved.positions.parts());
            let mismatches = parallel::map(parts.len(), |n| self.find(first + n));
            if let Some(mismatch) = mismatches.into_iter().flatten().min_by_key(|mismatch| mismatch.key) {
                return Ok(Checked::Wrong(mismatch));
            }
            done += parts.map(|part| self.solved.positions.of_part(part).count() as u64).sum::<u64>();
        }
        Ok(Checked::Right)
    }

    /// The mismatch of a part with the lowest key.
    fn find(&self, part: usize) -> Option<Mismatch<K>> {
        let mut next = Next { movers: Vec::new(), keys: Vec::new() };
        let mut made: Vec<Made<K>> = Vec::new();
        let mut first: Option<Mismatch<K>> = None;
        for (_, key, word) in self.solved.positions.of_part(part) {
            let (mover, outcome) = self.game.successors(key, &mut next);
            made.push(Made { key, word, mover, outcome, end: next.keys.len() });
            if next.keys.len() >= self.solved.positions.many() {
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
        self.solved.positions.find_all(&next.keys, |_, slot| slots.push(slot));
        let known = |slot| self.solved.positions.word(slot);
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
                    best = best.max(Some(self.solved.value_of(after, known(to)).before_ply(mover, then)));
                }
            }
            let found = if missing { None } else { best };
            let stored = self.solved.value_of(key, word);
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
    use crate::positions::Positions;
    use jewel_engine::ability::Game;
    use jewel_engine::chesslike::{ChessGame, ChessLike, Leapers};
    use jewel_engine::games;

    type Duel = ChessLike<'static, Leapers, 4>;

    fn duel() -> Solution<Duel> {
        let game = ChessGame::<Leapers, 4>::new(games::find("duel").unwrap().rules()).unwrap();
        Control::with_limits(Limits::default(), |control| {
            let mut graph = Graph::new(game.start()).unwrap();
            graph.enumerate(control)?;
            graph.solve(control)
        })
        .unwrap()
    }

    fn check_all(solution: &Solution<Duel>) -> Result<(), Failure<Duel>> {
        Control::with_limits(Limits::default(), |control| verify(solution, control))
    }

    fn narrow(solution: &mut Solution<Duel>) -> &mut Solved<u64> {
        let ByWidth::Narrow(solved) = &mut solution.solved else { unreachable!("keys of 64 bits do") };
        solved
    }

    #[test]
    fn every_wrong_value_is_found() {
        let mut solution = duel();
        assert_eq!(check_all(&solution), Ok(()));
        let slots: Vec<u32> = narrow(&mut solution).positions.all().map(|(slot, ..)| slot).collect();
        for slot in slots {
            let right = narrow(&mut solution).positions.word(slot).0;
            let side = right & 1 << 15;
            for wrong in [1, 1 << 14, 3 << 13, right + 1, right ^ 1 << 13].map(|word| word | side) {
                if Word(wrong).value(|| 0) == Word(right).value(|| 0) {
                    continue;
                }
                narrow(&mut solution).positions.set_word(slot, Word(wrong));
                let failure = check_all(&solution).unwrap_err();
                assert!(matches!(failure, Failure::Value { .. }), "{failure}");
            }
            narrow(&mut solution).positions.set_word(slot, Word(right));
        }
        assert_eq!(check_all(&solution), Ok(()));
    }

    #[test]
    fn a_position_that_was_not_enumerated_is_found() {
        let game = ChessGame::<Leapers, 4>::new(games::find("duel").unwrap().rules()).unwrap();
        let mut solution = duel();
        // The positions of a stopped enumeration.
        let mut part = Graph::new(game.start()).unwrap();
        let limits = Limits { max_positions: 40, ..Limits::default() };
        Control::with_limits(limits, |control| part.enumerate(control)).unwrap_err();
        narrow(&mut solution).positions = {
            let ByWidth::Narrow(keys) = part.keys else { unreachable!() };
            keys.found.into_positions()
        };
        assert!(matches!(check_all(&solution), Err(Failure::Missing { .. } | Failure::Value { .. })));
        // A root that is not among them.
        narrow(&mut solution).positions = Positions::Hashed(crate::store::Store::new());
        assert_eq!(check_all(&solution), Err(Failure::Root));
    }
}
