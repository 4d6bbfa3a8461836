//! An independent check of a solution: every position is unpacked from its key, its moves are made by the rules, and its value
//! is compared with those of its successors.
//!
//! This is a proof. A finished game has the value that the rules give. Any other position has the best value among its moves,
//! so that a win in `n` has a move to a position that the opponent loses in `n - 1`, and so on down to 0, the end of a game:
//! wins and losses are real, and their distances exact. In a drawn position no move wins and some move keeps the draw, so that
//! neither side can be forced to lose. The check uses the rules, the store of positions and the values, and nothing of the
//! propagation.

use crate::control::{Control, Phase, Progress, Stop};
use crate::propagate::PackedValue;
use crate::solution::Solution;
use crate::store::KeyStore;
use jewel_engine::ability::{Packed, PackedKey};
use jewel_engine::value::{Outcome, Side, Value};
use rayon::prelude::*;
use std::ops::{ControlFlow, Range};
use thiserror::Error;

/// Why a check failed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Failure<P> {
    /// The check was stopped.
    #[error(transparent)]
    Stopped(#[from] Stop),
    /// The value of a position is not that of its best move or of the end of the game.
    #[error("position {number} has the value {stored}; the rules and its moves give {found}")]
    Value {
        /// Its number.
        number: u64,
        /// The position.
        position: P,
        /// The value in the solution.
        stored: Value,
        /// The value by the rules.
        found: Value,
    },
    /// A move leads to a position that is not in the solution.
    #[error("position {number} has a move to a position that was not enumerated")]
    Missing {
        /// The number of the position before the move.
        number: u64,
        /// The position before the move.
        position: P,
    },
    /// The root of the solution is not position 0.
    #[error("position 0 is not the root")]
    Root,
}

/// Positions that are checked before the interrupt flag is read again.
const BATCH: usize = 1 << 16;
/// Positions that a thread checks at a time.
const SHARE: usize = 1 << 10;

/// Checks every position of a solution, on the threads of the current rayon pool.
///
/// # Errors
/// The failure of the position with the lowest number.
pub fn verify<P: Packed, K: PackedKey>(
    solution: &Solution<P, K>,
    control: &mut Control<'_>,
) -> Result<(), Failure<P>> {
    let known = solution.values.len();
    if solution.positions.find(solution.root.pack()) != Some(0) || solution.positions.len() != known {
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
                next.keys.push(after.pack());
                ControlFlow::Continue(())
            });
        }
        (position.side_to_move(), outcome)
    };
    let checker =
        Checker { positions: &solution.positions, values: &solution.values, successors: &successors };
    let Some(mismatch) = checker.first_mismatch(control)? else { return Ok(()) };
    let position = solution.position(mismatch.number);
    let number = mismatch.number as u64;
    Err(match mismatch.found {
        None => Failure::Missing { number, position },
        Some(found) => {
            Failure::Value { number, position, stored: solution.values[mismatch.number].value(), found }
        }
    })
}

/// The successors of a position: their sides to move, keys and numbers.
struct Next<K> {
    movers: Vec<Side>,
    keys: Vec<K>,
    numbers: Vec<u32>,
}

/// Makes the moves of a position by the rules; returns its side to move, and how the game ended if it did.
type Successors<'a, K> = &'a (dyn Fn(K, &mut Next<K>) -> (Side, Option<Outcome>) + Sync);

/// A solution to check, for any game.
struct Checker<'a, K> {
    positions: &'a KeyStore<K>,
    values: &'a [PackedValue],
    successors: Successors<'a, K>,
}

/// A position whose value by the rules is not the stored one; `None` if a move leads out of the solution.
struct Mismatch {
    number: usize,
    found: Option<Value>,
}

impl<K: PackedKey> Checker<'_, K> {
    fn first_mismatch(&self, control: &mut Control<'_>) -> Result<Option<Mismatch>, Stop> {
        let known = self.values.len();
        for start in (0..known).step_by(BATCH) {
            control.check_interrupt()?;
            let memory = 0;
            control.report(Progress {
                phase: Phase::Verify,
                done: start as u64,
                known: known as u64,
                memory,
            });
            let end = known.min(start + BATCH);
            let shares = (start..end).into_par_iter().step_by(SHARE);
            let mismatches: Vec<Option<Mismatch>> =
                shares.map(|first| self.find(first..end.min(first + SHARE))).collect();
            if let Some(mismatch) = mismatches.into_iter().flatten().next() {
                return Ok(Some(mismatch));
            }
        }
        Ok(None)
    }

    fn find(&self, mut range: Range<usize>) -> Option<Mismatch> {
        let mut next = Next { movers: Vec::new(), keys: Vec::new(), numbers: Vec::new() };
        range.find_map(|number| {
            let found = self.by_rules(number, &mut next);
            (found != Some(self.values[number].value())).then_some(Mismatch { number, found })
        })
    }

    /// The value of a position by the end of the game or its best move; `None` if a move leads out of the solution.
    fn by_rules(&self, number: usize, next: &mut Next<K>) -> Option<Value> {
        next.movers.clear();
        next.keys.clear();
        next.numbers.clear();
        let (mover, outcome) = (self.successors)(self.positions.key(number as u32), next);
        if let Some(outcome) = outcome {
            return Some(Value::from_outcome(outcome));
        }
        // All at once: several times as fast as one by one.
        self.positions.find_all(&next.keys, &mut next.numbers);
        let values = next.numbers.iter().zip(&next.movers).map(|(&number, &then)| {
            let word = self.values.get(number as usize)?;
            Some(word.value().before_ply(mover, then))
        });
        let mut best = None;
        for value in values {
            best = best.max(Some(value?));
        }
        best
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
        let mut solution = duel();
        assert_eq!(check_all(&solution), Ok(()));
        for number in 0..solution.values.len() {
            let right = solution.values[number];
            for wrong in [0, 1 << 30, 1 << 31, right.0 + 1, right.0 ^ 3 << 30].map(PackedValue) {
                if wrong.value() == right.value() {
                    continue;
                }
                solution.values[number] = wrong;
                // The position itself or, before it, one that leads to it.
                let failure = check_all(&solution).unwrap_err();
                assert!(
                    matches!(failure, Failure::Value { number: n, .. } if n <= number as u64),
                    "{failure}"
                );
            }
            solution.values[number] = right;
        }
    }

    #[test]
    fn a_position_that_was_not_enumerated_is_found() {
        let game = ChessGame::<Leapers, 4>::new(games::find("duel").unwrap().rules()).unwrap();
        let mut solution = duel();
        // The positions of a stopped enumeration, all as draws.
        let mut part = Graph::<_, u64>::new(game.start());
        let limits = Limits { max_positions: 40, ..Limits::default() };
        Control::with_limits(limits, |control| part.enumerate(control)).unwrap_err();
        solution.positions = part.keys.positions;
        assert_eq!(check_all(&solution), Err(Failure::Root));
        solution.values.truncate(40);
        assert!(check_all(&solution).is_err());
        // A root that is not the first position.
        let mut solution = duel();
        solution.root = solution.position(1);
        assert_eq!(check_all(&solution), Err(Failure::Root));
    }
}
