//! Knowledge of a game that steers a tree search: evaluations and priors.

use crate::score::Score;
use jewel_engine::position::Position;

/// What steers the search of a game. Asked by several threads at once.
pub trait Guide<P: Position>: Sync {
    /// An evaluation for the side to move where a playout is cut off; `None` where there is no opinion.
    fn evaluate(&self, position: &P) -> Option<Score>;

    /// Fills in the prior of each move: not negative, one in all. Uniform unless overridden.
    fn priors(&self, position: &P, moves: &[P::Move], priors: &mut [f32]) {
        let _ = position;
        priors.fill(1.0 / moves.len().max(1) as f32);
    }
}

/// No knowledge at all: cut-off playouts are draws, all moves are as likely.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Unguided;

impl<P: Position> Guide<P> for Unguided {
    fn evaluate(&self, _: &P) -> Option<Score> {
        None
    }
}

/// A guide made of an evaluation for the side to move.
///
/// The prior of a move is the softmax of what the evaluation says after it, seen by its mover.
#[derive(Clone, Copy, Debug)]
pub struct Evaluated<F> {
    evaluate: F,
    temperature: f32,
}

impl<F> Evaluated<F> {
    /// The guide of an evaluation. A move that is better by `temperature` centipawns (at least 1) is `e` times
    /// as likely.
    pub fn new(evaluate: F, temperature: f32) -> Evaluated<F> {
        Evaluated { evaluate, temperature: temperature.max(1.0) }
    }
}

impl<P: Position, F: Fn(&P) -> Score + Sync> Guide<P> for Evaluated<F> {
    fn evaluate(&self, position: &P) -> Option<Score> {
        Some((self.evaluate)(position))
    }

    fn priors(&self, position: &P, moves: &[P::Move], priors: &mut [f32]) {
        let mover = position.side_to_move();
        for (&mv, prior) in moves.iter().zip(priors.iter_mut()) {
            let next = position.after(mv);
            let score = (self.evaluate)(&next);
            *prior = (if next.side_to_move() == mover { score } else { -score }).raw() as f32;
        }
        let best = priors.iter().copied().fold(f32::MIN, f32::max);
        let mut sum = 0.0;
        for prior in priors.iter_mut() {
            *prior = ((*prior - best) / self.temperature).exp();
            sum += *prior;
        }
        priors.iter_mut().for_each(|prior| *prior /= sum);
    }
}
