//! What steers a tree search: evaluations of positions and priors of moves.

use crate::alphabeta::ShallowSearch;
use crate::control::Allowance;
use crate::evaluate::Evaluate;
use crate::score::Score;
use jewel_engine::ability::Probe;
use jewel_engine::position::Position;
use jewel_engine::tactics::Tactics;

/// What is known of a move before it has been tried.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Prior {
    /// How likely it is to be the right one, from 0 to 1.
    pub probability: f32,
    /// The share of the point that its mover may expect after it, from 0 to 1; `None` where nothing is known.
    pub share: Option<f32>,
}

impl Prior {
    /// The prior of a move among `moves` moves of which nothing is known.
    pub fn uniform(moves: usize) -> Prior {
        Prior { probability: 1.0 / moves.max(1) as f32, share: None }
    }
}

/// Evaluates positions and moves for a tree search. Several threads ask at once.
///
/// A policy that takes longer than a static evaluation takes no more than the allowance: it ends the search that asks
/// when that search is to end.
pub trait Policy<P: Position>: Sync {
    /// The score, for the side to move, of a position at which a playout is cut off; `None` counts as a draw.
    fn evaluate(&self, position: &P, allowance: &mut Allowance) -> Option<Score>;

    /// Fills in the prior of each move; their probabilities sum to 1. Uniform unless overridden.
    fn priors(&self, position: &P, moves: &[P::Move], priors: &mut [Prior], allowance: &mut Allowance) {
        let _ = (position, allowance);
        priors.fill(Prior::uniform(moves.len()));
    }

    /// Positions searched for evaluations and priors since the policy was made, beside those asked about.
    fn nodes(&self) -> u64 {
        0
    }

    /// Forgets what it has learnt from positions.
    fn forget(&self) {}
}

/// A policy whose kind is chosen at run time.
impl<P: Position, G: Policy<P> + ?Sized> Policy<P> for Box<G> {
    fn evaluate(&self, position: &P, allowance: &mut Allowance) -> Option<Score> {
        (**self).evaluate(position, allowance)
    }

    fn priors(&self, position: &P, moves: &[P::Move], priors: &mut [Prior], allowance: &mut Allowance) {
        (**self).priors(position, moves, priors, allowance);
    }

    fn nodes(&self) -> u64 {
        (**self).nodes()
    }

    fn forget(&self) {
        (**self).forget();
    }
}

/// No knowledge at all: playouts that are cut off are draws, and all moves are equally likely.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct UniformPolicy;

impl<P: Position> Policy<P> for UniformPolicy {
    fn evaluate(&self, _: &P, _: &mut Allowance) -> Option<Score> {
        None
    }
}

/// A policy that follows a static evaluation.
#[derive(Clone, Copy, Debug)]
pub struct EvaluationPolicy<E> {
    evaluation: E,
    temperature: Option<f32>,
}

impl<E> EvaluationPolicy<E> {
    /// The probability of a move is the softmax of the evaluation after it, seen by its mover: a move that is
    /// better by `temperature` centipawns (at least 1) is `e` times as likely. `None` makes all equally likely.
    pub fn new(evaluation: E, temperature: Option<f32>) -> EvaluationPolicy<E> {
        EvaluationPolicy { evaluation, temperature: temperature.map(|centipawns| centipawns.max(1.0)) }
    }
}

impl<P: Position, E: Evaluate<P>> Policy<P> for EvaluationPolicy<E> {
    fn evaluate(&self, position: &P, _: &mut Allowance) -> Option<Score> {
        Some(Score::centipawns(self.evaluation.evaluate_afresh(position)))
    }

    fn priors(&self, position: &P, moves: &[P::Move], priors: &mut [Prior], _: &mut Allowance) {
        let Some(temperature) = self.temperature else {
            priors.fill(Prior::uniform(moves.len()));
            return;
        };
        let mover = position.side_to_move();
        let state = self.evaluation.begin(position);
        for (&mv, prior) in moves.iter().zip(priors.iter_mut()) {
            let next = position.after(mv);
            let score = self.evaluation.evaluate(&next, &self.evaluation.advance(position, mv, &state));
            *prior = from_score(Score::centipawns(score), next.side_to_move() == mover);
        }
        softmax(priors, temperature);
    }
}

/// The prior that follows from the score after a move; until [`softmax`] the score stands for its probability.
/// `own`: the score is for the mover, who is to move again.
fn from_score(score: Score, own: bool) -> Prior {
    let score = if own { score } else { -score };
    Prior { probability: score.raw() as f32, share: Some(score.expectation() as f32) }
}

/// Makes probabilities of the scores that stand in their place.
fn softmax(priors: &mut [Prior], temperature: f32) {
    let best = priors.iter().map(|prior| prior.probability).fold(f32::MIN, f32::max);
    let mut sum = 0.0;
    for Prior { probability, .. } in priors.iter_mut() {
        *probability = ((*probability - best) / temperature).exp();
        sum += *probability;
    }
    priors.iter_mut().for_each(|prior| prior.probability /= sum);
}

/// The part of all probability that [`SearchPolicy`] spreads evenly over the moves, whatever it sees.
const UNIFORM_PART: f32 = 0.01;

/// A policy that searches a few plies ahead with alpha-beta (Baier and Winands, 2018).
#[derive(Debug)]
pub struct SearchPolicy<P: Tactics, E: Evaluate<P>, T> {
    search: ShallowSearch<P, E, T>,
    temperature: Option<f32>,
}

impl<P: Tactics, E: Evaluate<P>, T: Probe<P>> SearchPolicy<P, E, T> {
    /// The probability of a move is the softmax of its score in the search, as in [`EvaluationPolicy::new`].
    pub fn new(search: ShallowSearch<P, E, T>, temperature: Option<f32>) -> SearchPolicy<P, E, T> {
        SearchPolicy { search, temperature: temperature.map(|centipawns| centipawns.max(1.0)) }
    }
}

impl<P: Tactics, E: Evaluate<P>, T: Probe<P>> Policy<P> for SearchPolicy<P, E, T> {
    fn evaluate(&self, position: &P, allowance: &mut Allowance) -> Option<Score> {
        Some(self.search.with_worker(allowance, |score| score(position)))
    }

    fn priors(&self, position: &P, moves: &[P::Move], priors: &mut [Prior], allowance: &mut Allowance) {
        let mover = position.side_to_move();
        self.search.with_worker(allowance, |score| {
            for (&mv, prior) in moves.iter().zip(priors.iter_mut()) {
                let next = position.after(mv);
                *prior = from_score(score(&next), next.side_to_move() == mover);
            }
        });
        let uniform = Prior::uniform(moves.len()).probability;
        match self.temperature {
            Some(temperature) => softmax(priors, temperature),
            None => priors.iter_mut().for_each(|prior| prior.probability = uniform),
        }
        // Otherwise a move that looks lost would never be tried, and never be proven lost.
        priors.iter_mut().for_each(|prior| prior.probability += UNIFORM_PART * (uniform - prior.probability));
    }

    fn nodes(&self) -> u64 {
        self.search.nodes()
    }

    fn forget(&self) {
        self.search.forget();
    }
}
