//! Knowledge of a game that steers a tree search: evaluations and priors.

use crate::alphabeta::Scout;
use crate::evaluate::Evaluate;
use crate::score::Score;
use jewel_engine::ability::Probe;
use jewel_engine::position::Position;
use jewel_engine::tactics::Tactics;

/// What a guide says of a move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Advice {
    /// How likely it is to be the right one: not negative.
    pub prior: f32,
    /// The share of the point that its mover may expect after it, from 0 to 1; `None` where there is no opinion.
    pub share: Option<f32>,
}

impl Advice {
    /// Says nothing of one of so many moves.
    pub fn none(moves: usize) -> Advice {
        Advice { prior: 1.0 / moves.max(1) as f32, share: None }
    }
}

/// What steers the search of a game. Asked by several threads at once.
pub trait Guide<P: Position>: Sync {
    /// An evaluation for the side to move where a playout is cut off; `None` where there is no opinion.
    fn evaluate(&self, position: &P) -> Option<Score>;

    /// Fills in what there is to say of each move; the priors are one in all. Nothing unless overridden.
    fn advise(&self, position: &P, moves: &[P::Move], advice: &mut [Advice]) {
        let _ = position;
        advice.fill(Advice::none(moves.len()));
    }

    /// Positions that were looked at for evaluations and advice, beside those that were asked about, since the guide
    /// was made.
    fn nodes(&self) -> u64 {
        0
    }

    /// Forgets what it has learnt from positions.
    fn forget(&self) {}
}

/// One of several kinds, told apart when the program runs.
impl<P: Position, G: Guide<P> + ?Sized> Guide<P> for Box<G> {
    fn evaluate(&self, position: &P) -> Option<Score> {
        (**self).evaluate(position)
    }

    fn advise(&self, position: &P, moves: &[P::Move], advice: &mut [Advice]) {
        (**self).advise(position, moves, advice);
    }

    fn nodes(&self) -> u64 {
        (**self).nodes()
    }

    fn forget(&self) {
        (**self).forget();
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
    /// is better by `temperature` centipawns (at least 1) is `e` times as likely. `None`: all are as likely.
    pub fn new(evaluation: E, temperature: Option<f32>) -> Evaluated<E> {
        Evaluated { evaluation, temperature: temperature.map(|centipawns| centipawns.max(1.0)) }
    }
}

impl<P: Position, E: Evaluate<P>> Guide<P> for Evaluated<E> {
    fn evaluate(&self, position: &P) -> Option<Score> {
        Some(Score::centipawns(self.evaluation.evaluate_afresh(position)))
    }

    fn advise(&self, position: &P, moves: &[P::Move], advice: &mut [Advice]) {
        let Some(temperature) = self.temperature else {
            advice.fill(Advice::none(moves.len()));
            return;
        };
        let mover = position.side_to_move();
        let state = self.evaluation.begin(position);
        for (&mv, advice) in moves.iter().zip(advice.iter_mut()) {
            let next = position.after(mv);
            let score = self.evaluation.evaluate(&next, &self.evaluation.advance(position, mv, &state));
            *advice = told(Score::centipawns(score), next.side_to_move() == mover);
        }
        soften(advice, temperature);
    }
}

/// What a score after a move says of it, as long as its prior is no more than that score.
fn told(score: Score, own: bool) -> Advice {
    let score = if own { score } else { -score };
    Advice { prior: score.raw() as f32, share: Some(score.expectation() as f32) }
}

/// Makes priors of the scores in their place: their softmax.
fn soften(advice: &mut [Advice], temperature: f32) {
    let best = advice.iter().map(|advice| advice.prior).fold(f32::MIN, f32::max);
    let mut sum = 0.0;
    for Advice { prior, .. } in advice.iter_mut() {
        *prior = ((*prior - best) / temperature).exp();
        sum += *prior;
    }
    advice.iter_mut().for_each(|advice| advice.prior /= sum);
}

/// The share of all priors that a guide that looks ahead gives to all moves alike, whatever it sees.
const DOUBT: f32 = 0.01;

/// A guide that looks ahead: alpha-beta search of a few plies says what positions are worth, and which moves to try (Baier
/// and Winands, 2018).
#[derive(Debug)]
pub struct Scouting<P: Tactics, E: Evaluate<P>, T> {
    scout: Scout<P, E, T>,
    /// Centipawns by which a move is better that is `e` times as likely; `None` where all are as likely.
    temperature: Option<f32>,
}

impl<P: Tactics, E: Evaluate<P>, T: Probe<P>> Scouting<P, E, T> {
    /// The prior of a move is the softmax of what the scout says after it, seen by its mover: a move that is better by
    /// `temperature` centipawns (at least 1) is `e` times as likely. `None`: all are as likely.
    pub fn new(scout: Scout<P, E, T>, temperature: Option<f32>) -> Scouting<P, E, T> {
        Scouting { scout, temperature: temperature.map(|centipawns| centipawns.max(1.0)) }
    }
}

impl<P: Tactics, E: Evaluate<P>, T: Probe<P>> Guide<P> for Scouting<P, E, T> {
    fn evaluate(&self, position: &P) -> Option<Score> {
        Some(self.scout.look(|score| score(position)))
    }

    fn advise(&self, position: &P, moves: &[P::Move], advice: &mut [Advice]) {
        let mover = position.side_to_move();
        self.scout.look(|score| {
            for (&mv, advice) in moves.iter().zip(advice.iter_mut()) {
                let next = position.after(mv);
                *advice = told(score(&next), next.side_to_move() == mover);
            }
        });
        let all_alike = Advice::none(moves.len()).prior;
        match self.temperature {
            Some(temperature) => soften(advice, temperature),
            None => advice.iter_mut().for_each(|advice| advice.prior = all_alike),
        }
        // Else a move that looks lost would never be tried, and never be proven to be.
        advice.iter_mut().for_each(|advice| advice.prior += DOUBT * (all_alike - advice.prior));
    }

    fn nodes(&self) -> u64 {
        self.scout.nodes()
    }

    fn forget(&self) {
        self.scout.forget();
    }
}
