//! The independent check of a solution: every position is taken from its key, its moves are made by the
//! rules, and its value is compared with those of its successors.
//!
//! Why that is proof: a position that is over has the value that the rules give. Any other has the best
//! value among its moves, so a win in `n` has a move to a position that the other side loses in `n - 1`, and
//! so on down to 0, which is the end of a game: wins and losses are real and their distances exact. In a
//! drawn position no move wins and some move keeps the draw, for either side: neither can be made to lose.
//! Nothing of the propagation is used, only the rules, the store of positions and the values themselves.

use crate::control::{Control, Phase, Progress, Stop};
use crate::solution::Solution;
use jewel_engine::ability::{Packed, PackedKey};
use jewel_engine::value::Value;
use rayon::prelude::*;
use std::ops::ControlFlow;
use thiserror::Error;

/// What the check found.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Failure<P> {
    /// It was stopped.
    #[error(transparent)]
    Stopped(#[from] Stop),
    /// A position has not the value that its moves, or the end of the game in it, give it.
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

/// Positions that are checked between two looks at the interrupt flag.
const BATCH: usize = 1 << 16;
/// Positions that a thread checks at a time.
const SHARE: usize = 1 << 10;

/// Checks every position of a solution, on the threads of the current rayon pool.
///
/// # Errors
/// The failure with the lowest number in the first batch that has one.
pub fn verify<P: Packed, K: PackedKey>(
    solution: &Solution<P, K>,
    control: &mut Control<'_>,
) -> Result<(), Failure<P>> {
    let known = solution.values.len();
    if solution.positions.find(solution.root.pack()) != Some(0) || solution.positions.len() != known {
        return Err(Failure::Root);
    }
    for start in (0..known).step_by(BATCH) {
        control.check_interrupt()?;
        let memory = 0;
        control.report(Progress { phase: Phase::Verify, done: start as u64, known: known as u64, memory });
        let end = known.min(start + BATCH);
        let shares = (start..end).into_par_iter().step_by(SHARE);
        let failures: Vec<Option<Failure<P>>> =
            shares.map(|first| (first..end.min(first + SHARE)).find_map(|n| check(solution, n))).collect();
        if let Some(failure) = failures.into_iter().flatten().next() {
            return Err(failure);
        }
    }
    Ok(())
}

/// Checks one position.
fn check<P: Packed, K: PackedKey>(solution: &Solution<P, K>, number: usize) -> Option<Failure<P>> {
    let position = solution.position(number);
    let stored = solution.values[number].value();
    let found = match position.outcome() {
        Some(outcome) => Value::of_outcome(outcome),
        None => match best(solution, &position) {
            Some(value) => value,
            None => return Some(Failure::Missing { number: number as u64, position }),
        },
    };
    (stored != found).then_some(Failure::Value { number: number as u64, position, stored, found })
}

/// The best value among the moves; `None` if one leads out of the solution.
fn best<P: Packed, K: PackedKey>(solution: &Solution<P, K>, position: &P) -> Option<Value> {
    let mover = position.side_to_move();
    let mut best: Option<Value> = None;
    let missing = position.moves(|mv| {
        let next = position.after(mv);
        let Some(id) = solution.positions.find(next.pack()) else { return ControlFlow::Break(()) };
        let value = solution.values[id as usize].value().before_ply(mover, next.side_to_move());
        best = best.max(Some(value));
        ControlFlow::Continue(())
    });
    if missing.is_break() { None } else { best }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Limits;
    use crate::graph::Graph;
    use crate::propagate::Word;
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
            for wrong in [Word(0), Word(1 << 30), Word(1 << 31), Word(right.0 + 1), Word(right.0 ^ 3 << 30)] {
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
        // The positions of a stopped walk, all called draws.
        let mut part = Graph::<_, u64>::new(game.start());
        let limits = Limits { max_positions: 40, ..Limits::default() };
        Control::with_limits(limits, |control| part.enumerate(control)).unwrap_err();
        solution.positions = part.positions;
        assert_eq!(check_all(&solution), Err(Failure::Root));
        solution.values.truncate(40);
        assert!(check_all(&solution).is_err());
        // A root that is not the first position.
        let mut solution = duel();
        solution.root = solution.position(1);
        assert_eq!(check_all(&solution), Err(Failure::Root));
    }
}
