//! Fitting the weights of an evaluation to the results of games (P. Österlund's "Texel" method, 2014): the
//! evaluation of a quiet position, put through the logistic curve, shall foretell how its game ended.

use crate::alphabeta::{AlphaBeta, Features, Options};
use crate::control::Stop;
use crate::evaluate::{Evaluate, HandMade, Weights, WeightsError};
use crate::limits::Limits;
use crate::searcher::Searcher;
use jewel_engine::ability::Game;
use jewel_engine::position::{Position, list_moves};
use jewel_engine::tactics::{Pieces, Tactics};
use jewel_engine::value::{Outcome, Side, Verdict};
use jewel_engine::variant::Rules;
use jewel_engine::zobrist::splitmix64;
use rayon::prelude::*;

/// A quiet position and how its game ended: 1 if White won, 0 if Black did, ½ for a draw.
#[derive(Clone, Debug)]
pub struct Sample<P> {
    /// The position.
    pub position: P,
    /// The result for White.
    pub result: f64,
}

/// How games are made to learn from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SelfPlay {
    /// Nodes for each move.
    pub nodes: u64,
    /// Random plies at the beginning.
    pub random_plies: u64,
    /// Plies after which a game counts as drawn.
    pub longest: usize,
    /// All randomness follows from it.
    pub seed: u64,
}

impl Default for SelfPlay {
    fn default() -> SelfPlay {
        SelfPlay { nodes: 2_000, random_plies: 6, longest: 200, seed: 1 }
    }
}

impl SelfPlay {
    /// The quiet positions of the game of this number, which the searcher plays against itself: those in
    /// which no threat has to be answered and the best move is a quiet one.
    ///
    /// The same number gives the same game, whatever was played before: games can be made in any order, by
    /// any thread, and after an interruption.
    pub fn play<G>(&self, game: &G, evaluation: &HandMade, number: u64) -> Vec<Sample<G::Position>>
    where
        G: Game,
        G::Position: Pieces,
    {
        let options = Options { hash: 4, features: Features::ALL, ..Options::default() };
        let Some(mut searcher) = AlphaBeta::new(evaluation.clone(), options) else { return Vec::new() };
        let limits = Limits { nodes: Some(self.nodes.max(1)), ..Limits::default() };
        let mut position = self.opening(game, number);
        let (mut quiet, mut history) = (Vec::new(), Vec::new());
        let mut verdict = Verdict::Draw;
        for _ in 0..self.longest {
            if let Some(outcome) = position.outcome() {
                verdict = outcome.absolute(position.side_to_move());
                break;
            }
            if history.iter().filter(|&&key| key == position.key()).count() > 1 {
                break;
            }
            let report = searcher.search(&position, &history, &limits, &Stop::new(), &mut |_| ());
            let Some(mv) = report.best else { break };
            if !position.threatened() && !position.is_noisy(mv) && !report.score().is_decided() {
                quiet.push(position.clone());
            }
            history.push(position.key());
            if position.is_irreversible(mv) {
                history.clear();
            }
            position.play(mv);
        }
        let result = match verdict.seen_by(Side::White) {
            Outcome::Win => 1.0,
            Outcome::Draw => 0.5,
            Outcome::Loss => 0.0,
        };
        quiet.into_iter().map(|position| Sample { position, result }).collect()
    }

    fn opening<G: Game>(&self, game: &G, number: u64) -> G::Position {
        let mut random = splitmix64(self.seed ^ splitmix64(number).1).1;
        let mut position = game.start();
        for _ in 0..self.random_plies {
            if position.outcome().is_some() {
                return game.start();
            }
            let moves = list_moves(&position);
            random = splitmix64(random).1;
            position.play(moves[(random % moves.len() as u64) as usize]);
        }
        position
    }
}

/// The mean squared difference between what an evaluation foretells and what came, on the threads of the
/// current rayon pool. `scale` is the number of centipawns on which odds are ten to one. Sums are made in a
/// fixed order: the result does not depend on the threads.
pub fn error<P: Pieces>(evaluation: &HandMade, samples: &[Sample<P>], scale: f64) -> f64 {
    let of = |sample: &Sample<P>| {
        let own = f64::from(evaluation.evaluate_afresh(&sample.position));
        let white = if sample.position.side_to_move() == Side::White { own } else { -own };
        (1.0 / (1.0 + 10f64.powf(-white / scale)) - sample.result).powi(2)
    };
    let parts: Vec<f64> = samples.par_chunks(1024).map(|part| part.iter().map(of).sum()).collect();
    parts.iter().sum::<f64>() / samples.len().max(1) as f64
}

/// The scale at which an evaluation foretells best, between 50 and 3200 centipawns to within a percent.
pub fn best_scale<P: Pieces>(evaluation: &HandMade, samples: &[Sample<P>]) -> f64 {
    let (mut low, mut high) = (50f64.ln(), 3200f64.ln());
    while high - low > 0.01 {
        let third = (high - low) / 3.0;
        let at = |scale: f64| error(evaluation, samples, scale.exp());
        if at(low + third) < at(high - third) { high -= third } else { low += third }
    }
    ((low + high) / 2.0).exp()
}

/// One round of local search: each weight is moved by `step` up or down wherever that foretells better.
/// Returns how many weights have moved. Rounds with smaller and smaller steps until none moves fit the
/// weights; between rounds a caller can save them and stop.
///
/// # Errors
/// If the weights are not for this game.
pub fn improve<P: Pieces>(
    rules: &Rules,
    weights: &mut Weights,
    samples: &[Sample<P>],
    scale: f64,
    step: i32,
) -> Result<usize, WeightsError> {
    let mut least = error(&HandMade::new(rules, weights)?, samples, scale);
    let mut moved = 0;
    for number in 0..weights.parameters_mut().len() {
        for way in [step, -step] {
            *weights.parameters_mut()[number] += way;
            let found = error(&HandMade::new(rules, weights)?, samples, scale);
            if found < least {
                least = found;
                moved += 1;
                break;
            }
            *weights.parameters_mut()[number] -= way;
        }
    }
    Ok(moved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::chesslike::{ChessGame, Leapers};

    #[test]
    fn games_are_reproducible_and_fitting_lowers_the_error() {
        let rules = jewel_engine::games::find("ambush").unwrap().rules();
        let game = ChessGame::<Leapers, 4>::new(rules).unwrap();
        let mut weights = Weights::derived(rules);
        let evaluation = HandMade::derived(rules);
        let play = SelfPlay { nodes: 150, ..SelfPlay::default() };
        let samples: Vec<_> = (0..30).flat_map(|number| play.play(&game, &evaluation, number)).collect();
        let again = play.play(&game, &evaluation, 7);
        let first = (0..7).map(|number| play.play(&game, &evaluation, number).len()).sum::<usize>();
        assert!(again.iter().zip(&samples[first..]).all(|(a, b)| a.position == b.position));
        assert!(samples.len() > 100 && samples.iter().any(|s| s.result != 0.5));
        let scale = best_scale(&evaluation, &samples);
        let before = error(&evaluation, &samples, scale);
        assert!(before <= error(&evaluation, &samples, 2.0 * scale));
        assert!(improve(rules, &mut weights, &samples, scale, 8).unwrap() > 0);
        assert!(error(&HandMade::new(rules, &weights).unwrap(), &samples, scale) < before);
        // The fitted weights survive their file, and are refused for another game.
        let text = weights.to_text();
        assert_eq!(Weights::parse(&text, rules).unwrap(), weights);
        let other = jewel_engine::games::find("duel").unwrap().rules();
        assert!(Weights::parse(&text, other).is_err_and(|e| e.to_string().contains("needs pieces L")));
        assert!(Weights::parse("{", rules).is_err_and(|e| !e.to_string().contains('\n')));
    }
}
