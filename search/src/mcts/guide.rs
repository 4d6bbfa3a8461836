//! Knowledge of a game that steers a tree search: evaluations and priors.

use crate::evaluate::Evaluate;
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

/// A guide made of a static evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Evaluated<E> {
    evaluation: E,
    /// Centipawns by which a move is better that is `e` times as likely; `None` where all are as likely.
    temperature: Option<f32>,
}

impl<E> Evaluated<E> {
    /// The prior of a move is the softmax of what the evaluation says after it, seen by its mover: a move that
    /// is better by `temperature` centipawns (at least 1) is `e` times as likely.
    pub fn new(evaluation: E, temperature: f32) -> Evaluated<E> {
        Evaluated { evaluation, temperature: Some(temperature.max(1.0)) }
    }

    /// The evaluation says what playouts that are cut off are worth, and nothing of moves.
    pub fn without_priors(evaluation: E) -> Evaluated<E> {
        Evaluated { evaluation, temperature: None }
    }
}

impl<P: Position, E: Evaluate<P>> Guide<P> for Evaluated<E> {
    fn evaluate(&self, position: &P) -> Option<Score> {
        Some(Score::centipawns(self.evaluation.evaluate_afresh(position)))
    }

    fn priors(&self, position: &P, moves: &[P::Move], priors: &mut [f32]) {
        let Some(temperature) = self.temperature else {
            priors.fill(1.0 / moves.len().max(1) as f32);
            return;
        };
        let mover = position.side_to_move();
        let state = self.evaluation.begin(position);
        let mut best = f32::MIN;
        for (&mv, prior) in moves.iter().zip(priors.iter_mut()) {
            let next = position.after(mv);
            let score = self.evaluation.evaluate(&next, &self.evaluation.advance(position, mv, &state));
            *prior = (if next.side_to_move() == mover { score } else { -score }) as f32;
            best = best.max(*prior);
        }
        let mut sum = 0.0;
        for prior in priors.iter_mut() {
            *prior = ((*prior - best) / temperature).exp();
            sum += *prior;
        }
        priors.iter_mut().for_each(|prior| *prior /= sum);
    }
}
