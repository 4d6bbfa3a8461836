//! Fitting the weights of an evaluation to the results of games (P. Österlund's "Texel" method, 2014): the
//! evaluation of a quiet position, put through the logistic curve, should predict the result of its game.
//!
//! [`SelfPlay`] plays the games; [`Fit`] fits the weights of games from variant files, round after round, and
//! [`ListedFit`] those of the other games. Results do not depend on the number of threads, and a caller can save its
//! state after any game and any round.

mod constants;
mod fit;
mod linear;
mod listed;
mod self_play;

pub use constants::ConstantsFit;
pub use fit::{Fit, Progress};
pub use listed::{ListedFit, ListedProgress};
pub use self_play::{Contest, End, Played, SelfPlay};

use crate::evaluate::Evaluate;
use jewel_engine::parallel;
use jewel_engine::position::Position;
use jewel_engine::value::{Outcome, Verdict};

/// A quiet position and the result of its game.
#[derive(Clone, Debug)]
pub struct Sample<P> {
    /// The position.
    pub position: P,
    /// The result.
    pub verdict: Verdict,
    /// What a search expected for the side to move, from 0 to 1, if that is known.
    pub expected: Option<f64>,
}

/// The part that the expectation by a search has in what a sample teaches; its result has the rest. A search does not
/// see everything, and a result is mostly decided by later moves.
const TRUST: f64 = 0.7;

impl<P: Position> Sample<P> {
    /// A sample of which only the result is known.
    pub fn new(position: P, verdict: Verdict) -> Sample<P> {
        Sample { position, verdict, expected: None }
    }

    /// What an evaluation should foretell for the side to move, from 0 to 1: the result, mixed with the expectation by a
    /// search.
    fn lesson(&self) -> f64 {
        let result = self.target();
        self.expected.map_or(result, |expected| result + TRUST * (expected - result))
    }

    /// The result for the side to move: 1, ½ or 0.
    fn target(&self) -> f64 {
        match self.verdict.seen_by(self.position.side_to_move()) {
            Outcome::Win => 1.0,
            Outcome::Draw => 0.5,
            Outcome::Loss => 0.0,
        }
    }
}

/// The expectation for a logarithm of odds.
fn logistic(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

/// The cross-entropy of an expectation, given by the logarithm of its odds, in nats.
pub(crate) fn surprise(z: f64, target: f64) -> f64 {
    // ln(1 + e^z) without overflow.
    let softplus = z.max(0.0) + (-z.abs()).exp().ln_1p();
    softplus - target * z
}

/// The error of an evaluation as a prediction of results: the mean cross-entropy in nats; ln 2 = 0.693 for an evaluation
/// that is always 0. `scale` is the number of centipawns at which odds are ten to one. Sums are made in a fixed order on
/// the threads of the current rayon pool, so that the result does not depend on their number.
pub fn error<P: Position, E: Evaluate<P>>(evaluation: &E, samples: &[Sample<P>], scale: f64) -> f64 {
    let of = |sample: &Sample<P>| {
        let value = f64::from(evaluation.evaluate_afresh(&sample.position));
        surprise(value * std::f64::consts::LN_10 / scale, sample.target())
    };
    let parts: Vec<f64> = parallel::map_chunks(samples, 1024, |part| part.iter().map(of).sum());
    parts.iter().sum::<f64>() / samples.len().max(1) as f64
}

/// The scale at which an evaluation predicts best, between 50 and 3200 centipawns to within a percent.
pub fn best_scale<P: Position, E: Evaluate<P>>(evaluation: &E, samples: &[Sample<P>]) -> f64 {
    let (mut low, mut high) = (50f64.ln(), 3200f64.ln());
    while high - low > 0.01 {
        let third = (high - low) / 3.0;
        let at = |scale: f64| error(evaluation, samples, scale.exp());
        if at(low + third) < at(high - third) { high -= third } else { low += third }
    }
    ((low + high) / 2.0).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::{HandcraftedEvaluation, Term, Weights};
    use jewel_engine::ability::{Game, Symmetric};
    use jewel_engine::chesslike::{ChessGame, ChessLike, Leapers};
    use jewel_engine::variant::Rules;

    type Ambush = ChessLike<'static, Leapers, 4>;

    fn ambush() -> (&'static Rules, ChessGame<'static, Leapers, 4>) {
        let rules = jewel_engine::games::find("ambush").unwrap().rules();
        (rules, ChessGame::new(rules).unwrap())
    }

    fn played(games: u64) -> (Vec<Sample<Ambush>>, Vec<Sample<Ambush>>) {
        let (rules, game) = ambush();
        let play = SelfPlay { nodes: 150, kept: 8, ..SelfPlay::default() };
        let evaluation = HandcraftedEvaluation::derived(rules);
        let samples = |number| -> Vec<Sample<Ambush>> {
            let Played { verdict, positions, .. } = play.play(&game, &evaluation, number).unwrap();
            assert!(positions.len() <= play.kept);
            positions.into_iter().map(|position| Sample::new(position, verdict)).collect()
        };
        let held = games.div_ceil(8);
        ((held..games).flat_map(samples).collect(), (0..held).flat_map(samples).collect())
    }

    #[test]
    fn a_game_follows_from_its_number() {
        let (rules, game) = ambush();
        let play = SelfPlay { nodes: 150, ..SelfPlay::default() };
        let evaluation = HandcraftedEvaluation::derived(rules);
        let games: Vec<_> = (0..4).map(|number| play.play(&game, &evaluation, number)).collect();
        assert_eq!(play.play(&game, &evaluation, 2), games[2]);
        assert_ne!(games[1], games[2]);
        let other = SelfPlay { seed: 2, ..play };
        assert_ne!(other.play(&game, &evaluation, 2), games[2]);
    }

    #[test]
    fn a_match_is_fair_and_follows_from_its_numbers() {
        let (rules, game) = ambush();
        let play = SelfPlay { nodes: 100, ..SelfPlay::default() };
        let good = HandcraftedEvaluation::derived(rules);
        let contest = |first: &HandcraftedEvaluation, second, number| {
            play.contest(&game, [first, second], number).unwrap()
        };
        let same = contest(&good, &good, 4);
        assert_eq!(
            (contest(&good, &good, 4).verdict, contest(&good, &good, 4).nodes),
            (same.verdict, same.nodes)
        );
        // Alike, both play both games of a pair alike.
        let turned = contest(&good, &good, 5);
        assert_eq!((turned.verdict, turned.nodes), (same.verdict, [same.nodes[1], same.nodes[0]]));
        let mut weights = Weights::derived(rules);
        weights.terms_mut().into_iter().for_each(|(_, pair)| *pair = [0; 2]);
        let bad = HandcraftedEvaluation::new(rules, &weights).unwrap();
        let won = |number: u64| {
            let verdict = contest(&good, &bad, number).verdict;
            let best = if number.is_multiple_of(2) { Verdict::WhiteWins } else { Verdict::BlackWins };
            if verdict == best {
                1
            } else if verdict == Verdict::Draw {
                0
            } else {
                -1
            }
        };
        assert!((0..40).map(won).sum::<i32>() > 10);
    }

    #[test]
    fn random_plies_leave_games_open() {
        let (_, game) = ambush();
        assert_eq!(SelfPlay::fitting_plies(&game, 8, 1), 8);
        let duel = ChessGame::<Leapers, 4>::new(jewel_engine::games::find("duel").unwrap().rules());
        let duel = duel.map(|game| SelfPlay::fitting_plies(&game, 8, 1));
        assert!(duel.is_none_or(|plies| (1..8).contains(&plies)), "{duel:?}");
    }

    #[test]
    fn fitting_foretells_better_and_respects_the_symmetries() {
        let (rules, game) = ambush();
        let (fitted, held) = played(48);
        assert!(fitted.len() > 100 && fitted.iter().any(|s| s.verdict != Verdict::Draw));
        let derived = Weights::derived(rules);
        let evaluation = HandcraftedEvaluation::derived(rules);
        let scale = best_scale(&evaluation, &fitted);
        let before = error(&evaluation, &fitted, scale);
        assert!(before < std::f64::consts::LN_2 && before <= error(&evaluation, &fitted, 2.0 * scale));
        let fit = Fit::new(rules, &game.start().symmetries(), &derived, scale).unwrap();
        let progress = fit.round(&derived, &fitted, &held, &|| false).unwrap().unwrap();
        let weights = progress.weights;
        assert_ne!(weights, derived);
        assert!(fit.error(&weights, &fitted).unwrap() < before);
        let tuned = HandcraftedEvaluation::new(rules, &weights).unwrap();
        for Sample { position, .. } in &held {
            for (symmetry, exchange) in position.symmetries() {
                let Some(image) = position.transformed(symmetry, exchange) else { continue };
                assert_eq!(tuned.evaluate_afresh(&image), tuned.evaluate_afresh(position), "{position:?}");
            }
        }
        // Whatever the number of threads.
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let again = pool.install(|| fit.round(&derived, &fitted, &held, &|| false).unwrap().unwrap());
            assert_eq!(again.weights, weights);
        }
        assert!(fit.round(&derived, &fitted, &held, &|| true).unwrap().is_none());
        // The fitted weights survive their file, and are refused for another game.
        let text = weights.to_text();
        assert_eq!(Weights::parse(&text, rules).unwrap(), weights);
        let other = jewel_engine::games::find("duel").unwrap().rules();
        assert!(Weights::parse(&text, other).is_err_and(|e| e.to_string().contains("needs pieces L")));
        assert!(Weights::parse("{", rules).is_err_and(|e| !e.to_string().contains('\n')));
    }

    #[test]
    fn the_anatomy_is_the_evaluation_and_linear_in_the_weights() {
        let (rules, _) = ambush();
        let (samples, _) = played(4);
        let evaluation = HandcraftedEvaluation::derived(rules);
        let mut raised = Weights::derived(rules);
        for (term, pair) in raised.terms_mut() {
            if matches!(term, Term::Control | Term::Square(..)) {
                *pair = pair.map(|weight| weight + 40);
            }
        }
        let [raised, more] = [0, 40].map(|by| {
            let mut weights = raised.clone();
            weights.key.control = weights.key.control.map(|weight| weight + by);
            HandcraftedEvaluation::new(rules, &weights).unwrap()
        });
        for Sample { position, .. } in &samples {
            let value = evaluation.parts(position).value();
            assert!((value - f64::from(evaluation.evaluate_afresh(position))).abs() < 1.001, "{position:?}");
            let [a, b] = [&raised, &more].map(|e| e.parts(position));
            assert_eq!((a.opening - b.opening) % 40, 0);
            assert_eq!(a.opening - b.opening, a.endgame - b.endgame);
        }
    }
}
