//! The sequential probability ratio test: a match that ends as soon as it has decided between two hypotheses.
//!
//! A. Wald, "Sequential tests of statistical hypotheses" (1945), with the generalised likelihood ratio over
//! pairs of games: see [`likelihood`](super::likelihood).

use super::counts::Results;
use super::elo::{NORMALISED, expected};
use super::likelihood::Sample;
use serde::{Deserialize, Serialize};

/// The scale on which the hypotheses are given.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Elo of the score.
    Logistic,
    /// Normalised Elo: the length of a test does not depend on draws and openings.
    #[default]
    #[serde(alias = "normalized")]
    Normalised,
}

/// Two hypotheses about the difference in strength, and how often the test may be wrong.
#[derive(Clone, Copy, PartialEq, Serialize, Debug)]
pub struct Sprt {
    /// H0: the difference in Elo.
    pub elo0: f64,
    /// H1: the difference in Elo, more than under H0.
    pub elo1: f64,
    /// How often H1 may be accepted though H0 is true, between 0 and 1/2 exclusive.
    pub alpha: f64,
    /// How often H0 may be accepted though H1 is true, between 0 and 1/2 exclusive.
    pub beta: f64,
    /// The scale of `elo0` and `elo1`.
    pub model: Model,
}

/// The verdict of a test.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Not enough games yet.
    Continue,
    /// H0 is accepted: the gain is not there.
    H0,
    /// H1 is accepted: the gain is there.
    H1,
}

impl Verdict {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Continue => "continue",
            Verdict::H0 => "h0",
            Verdict::H1 => "h1",
        }
    }
}

/// The state of a test.
#[derive(Clone, Copy, PartialEq, Serialize, Debug)]
pub struct Standing {
    /// The logarithm of the likelihood ratio of H1 against H0.
    pub llr: f64,
    /// H0 is accepted at or below this.
    pub lower: f64,
    /// H1 is accepted at or above this.
    pub upper: f64,
    /// The verdict that follows.
    pub verdict: Verdict,
}

impl Sprt {
    /// The most Elo that a hypothesis may be from 0.
    pub const MAX_ELO: f64 = 2000.0;

    /// Checks the hypotheses.
    ///
    /// # Errors
    /// What is wrong, and what would be right.
    pub fn checked(self) -> Result<Sprt, String> {
        for (name, rate) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(rate > 0.0 && rate < 0.5) {
                return Err(format!("{name} is {rate}; an error rate is between 0 and 0.5, such as 0.05"));
            }
        }
        for (name, elo) in [("elo0", self.elo0), ("elo1", self.elo1)] {
            if elo.is_nan() || elo.abs() > Sprt::MAX_ELO {
                return Err(format!("{name} is {elo}, expected at most {} either way", Sprt::MAX_ELO));
            }
        }
        if self.elo0 >= self.elo1 {
            return Err(format!("elo0 is {} and elo1 is {}: elo1 must be greater", self.elo0, self.elo1));
        }
        Ok(self)
    }

    /// The bounds of the logarithm of the likelihood ratio (Wald's approximation).
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The state of the test after these results of the player in question.
    pub fn standing(&self, results: &Results) -> Standing {
        let (lower, upper) = self.bounds();
        let llr = Sample::of(results).map_or(0.0, |sample| self.log_likelihood_ratio(&sample));
        let verdict = if llr >= upper {
            Verdict::H1
        } else if llr <= lower {
            Verdict::H0
        } else {
            Verdict::Continue
        };
        Standing { llr, lower, upper, verdict }
    }

    fn log_likelihood_ratio(&self, sample: &Sample) -> f64 {
        match self.model {
            Model::Logistic => sample.ratio_of_means(expected(self.elo0), expected(self.elo1)),
            Model::Normalised => sample.ratio_of_signals(self.elo0 / NORMALISED, self.elo1 / NORMALISED),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::counts::Tally;
    use jewel_engine::random::Random;
    use jewel_engine::value::Outcome;

    const TEST: Sprt = Sprt { elo0: 0.0, elo1: 2.0, alpha: 0.05, beta: 0.05, model: Model::Normalised };

    fn llr(test: Sprt, pairs: [u64; 5]) -> f64 {
        test.standing(&Results { pairs, ..Results::default() }).llr
    }

    #[test]
    fn published_tests_in_normalised_elo() {
        let with = |elo0, elo1| Sprt { elo0, elo1, ..TEST };
        // fastchess, pull requests 426 and 783.
        assert!((llr(TEST, [365, 16_618, 36_229, 16_974, 390]) - 2.25).abs() < 0.005);
        assert!((llr(TEST, [379, 10_170, 21_828, 10_640, 343]) - 2.945_98).abs() < 1e-3);
        let games = Tally { wins: 36_433, draws: 68_692, losses: 36_027 };
        assert!((TEST.standing(&Results { games, pairs: [0; 5] }).llr - 0.92).abs() < 0.005);
        // Pull requests 836, 820, 795 and 727 of brunocodutra/cinder.
        assert!((llr(with(0.0, 3.0), [835, 6884, 13_116, 7201, 852]) - 2.89).abs() < 0.005);
        assert!((llr(with(-3.0, 1.0), [244, 1980, 3630, 2067, 263]) - 2.90).abs() < 0.005);
        assert!((llr(with(0.0, 3.0), [1447, 13_972, 26_437, 14_412, 1441]) - 1.98).abs() < 0.005);
        assert!((llr(with(0.0, 5.0), [50, 287, 610, 387, 73]) - 2.97).abs() < 0.005);
    }

    #[test]
    fn a_published_test_in_logistic_elo() {
        // cutechess, issue 543.
        let test = Sprt { elo1: 5.0, model: Model::Logistic, ..TEST };
        let games = Tally { wins: 880, draws: 1863, losses: 759 };
        let standing = test.standing(&Results { games, pairs: [0; 5] });
        assert!((standing.llr - 2.95).abs() < 0.005, "{}", standing.llr);
        assert!((standing.lower + 2.944_439).abs() < 1e-6 && (standing.upper - 2.944_439).abs() < 1e-6);
        assert_eq!(standing.verdict, Verdict::H1);
    }

    #[test]
    fn hypotheses_must_make_sense() {
        assert_eq!(TEST.checked(), Ok(TEST));
        for bad in [
            Sprt { elo1: 0.0, ..TEST },
            Sprt { alpha: 0.0, ..TEST },
            Sprt { beta: 0.5, ..TEST },
            Sprt { elo0: f64::NAN, ..TEST },
            Sprt { elo1: 3000.0, ..TEST },
        ] {
            assert!(bad.checked().is_err(), "{bad:?}");
        }
        assert_eq!(TEST.standing(&Results::default()).llr, 0.0);
    }

    #[test]
    fn the_sides_of_a_test_mirror() {
        let pairs = [10, 40, 90, 50, 20];
        let mirrored = Sprt { elo0: -TEST.elo1, elo1: -TEST.elo0, ..TEST };
        for model in [Model::Logistic, Model::Normalised] {
            let forward = llr(Sprt { model, ..TEST }, pairs);
            let backward = llr(Sprt { model, ..mirrored }, [20, 50, 90, 40, 10]);
            assert!((forward + backward).abs() < 1e-9);
        }
    }

    /// How many of 300 tests accept H1 if the player scores so much in a game, half of the rest drawn.
    fn accepted(test: Sprt, score: f64, seed: u64) -> u32 {
        let mut random = Random::new(seed);
        let draws = 0.4;
        let wins = score - draws / 2.0;
        let mut accepted = 0;
        for _ in 0..300 {
            let mut results = Results::default();
            loop {
                for _ in 0..10 {
                    let mut game = || match random.unit() {
                        x if x < wins => Outcome::Win,
                        x if x < wins + draws => Outcome::Draw,
                        _ => Outcome::Loss,
                    };
                    results.add_pair(game(), game());
                }
                match test.standing(&results).verdict {
                    Verdict::Continue => {}
                    Verdict::H0 => break,
                    Verdict::H1 => {
                        accepted += 1;
                        break;
                    }
                }
            }
        }
        accepted
    }

    #[test]
    fn tests_err_as_rarely_as_they_say() {
        let test = Sprt { elo0: 0.0, elo1: 40.0, alpha: 0.1, beta: 0.1, model: Model::Logistic };
        // 30 expected at most, standard deviation 5; overshooting makes it rarer.
        let (wrong, right) = (accepted(test, 0.5, 1), accepted(test, expected(40.0), 2));
        assert!(wrong <= 42 && right >= 258, "{wrong} {right}");
        let test = Sprt { model: Model::Normalised, ..test };
        // The signal of H1, with the variance 0.6 / 4 - (s - 1/2)^2 of a game.
        let signal = 40.0 / NORMALISED;
        let score = 0.5 + signal * (0.15f64).sqrt() / (1.0 + signal * signal).sqrt();
        let (wrong, right) = (accepted(test, 0.5, 3), accepted(test, score, 4));
        assert!(wrong <= 42 && right >= 258, "{wrong} {right}");
    }
}
