//! Elo: the scale on which strength is given, and what a match says on it.

use super::counts::Results;
use super::likelihood::Sample;
use super::normal;

/// Standard normal deviates of a two-sided 95% interval.
pub(crate) const Z95: f64 = 1.959_963_984_540_054;

/// Normalised Elo of a signal-to-noise ratio of 1 (Van den Bergh, "Comments on normalized Elo"): for even
/// players and no draws, both Elo scales agree.
pub(super) const NORMALISED: f64 = 800.0 / std::f64::consts::LN_10;

/// The score, from 0 to 1, that a player expects who is so much stronger: the logistic curve of Elo.
///
/// ```
/// use jewel_tournament::statistics::elo::{expected, from_score};
/// assert_eq!(expected(0.0), 0.5);
/// assert!((expected(400.0) - 10.0 / 11.0).abs() < 1e-12);
/// assert!((from_score(0.75) - 190.85).abs() < 0.01);
/// ```
pub fn expected(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The difference in Elo that a score from 0 to 1 stands for; infinite at both ends.
pub fn from_score(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// A difference in strength with its 95% interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The most likely value; infinite where every game was won, or lost.
    pub elo: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Estimate {
    /// Half of the interval; infinite where it has no end.
    pub fn error(self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// How much stronger the player of these results is than the opponent: logistic Elo, with the interval of the
/// likelihood ratio, over pairs where games are paired. `None` before the first result.
pub fn difference(results: &Results) -> Option<Estimate> {
    let (low, high) = Sample::of(results)?.interval(Z95);
    let (mut points, mut most) = (0.0, 0.0);
    let frequencies = results.frequencies();
    for (n, &count) in frequencies.iter().enumerate() {
        points += n as f64 * count as f64;
        most += (frequencies.len() - 1) as f64 * count as f64;
    }
    Some(Estimate { elo: from_score(points / most), low: from_score(low), high: from_score(high) })
}

/// The difference in normalised Elo: the signal-to-noise ratio of a game, which says how many games it takes
/// to measure, whatever the draws and the openings. `None` before there are two different results.
pub fn normalised(results: &Results) -> Option<Estimate> {
    if results.frequencies().iter().filter(|&&n| n > 0).count() < 2 {
        return None;
    }
    let sample = Sample::of(results)?;
    let elo = sample.signal() * NORMALISED;
    let error = Z95 * NORMALISED / sample.games().sqrt();
    Some(Estimate { elo, low: elo - error, high: elo + error })
}

/// Likelihood of superiority: how sure it is, from 0 to 1, that the player is stronger than the opponent.
/// `None` before the first result.
pub fn likelihood_of_superiority(results: &Results) -> Option<f64> {
    Some(normal::cumulative(Sample::of(results)?.deviation(0.5)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::counts::Tally;

    fn paired(wins: u64, losses: u64, draws: u64, pairs: [u64; 5]) -> Results {
        Results { games: Tally { wins, draws, losses }, pairs }
    }

    fn near(value: f64, expected: f64, by: f64) -> bool {
        (value - expected).abs() <= by
    }

    /// Elo, error, normalised Elo, its error, and LOS.
    fn figures(results: &Results) -> [f64; 5] {
        let (elo, normalised) = (difference(results).unwrap(), normalised(results).unwrap());
        let los = likelihood_of_superiority(results).unwrap();
        [elo.elo, elo.error(), normalised.elo, normalised.error(), 100.0 * los]
    }

    #[test]
    fn published_matches_over_pairs() {
        // Figures printed by fastchess, from pull requests 836, 820 and 727 of brunocodutra/cinder.
        for (results, published) in [
            (paired(15_367, 15_016, 27_393, [835, 6884, 13_116, 7201, 852]), [2.11, 1.70, 3.52, 2.83, 99.25]),
            (paired(4450, 4325, 7593, [244, 1980, 3630, 2067, 263]), [2.65, 3.24, 4.36, 5.32, 94.56]),
            (paired(816, 670, 1328, [50, 287, 610, 387, 73]), [18.04, 8.23, 28.19, 12.84, 100.0]),
        ] {
            for (n, (value, expected)) in figures(&results).into_iter().zip(published).enumerate() {
                // Half of the last printed digit; the published interval is that of a normal approximation.
                assert!(near(value, expected, if n == 1 { 0.02 } else { 0.006 }), "{n}: {value} {expected}");
            }
        }
        let ratio = paired(0, 0, 0, [835, 6884, 13_116, 7201, 852]).pair_ratio().unwrap();
        assert!(near(ratio, 1.04, 0.005));
    }

    #[test]
    fn a_published_match_over_games() {
        // Figures printed by cutechess, from its issue 543.
        let results = paired(880, 759, 1863, [0; 5]);
        let [elo, error, _, _, los] = figures(&results);
        assert!(
            near(elo, 12.0, 0.05) && near(error, 7.9, 0.05) && near(los, 99.9, 0.05),
            "{elo} {error} {los}"
        );
        assert!(near(100.0 * results.games.draw_ratio().unwrap(), 53.2, 0.05));
    }

    #[test]
    fn few_results_are_not_trusted() {
        let one = paired(1, 0, 0, [0; 5]);
        let estimate = difference(&one).unwrap();
        assert!(estimate.elo == f64::INFINITY && estimate.high == f64::INFINITY && estimate.low < 0.0);
        assert!(likelihood_of_superiority(&one).unwrap() < 0.9);
        let even = paired(3, 3, 4, [0; 5]);
        assert!(near(likelihood_of_superiority(&even).unwrap(), 0.5, 1e-9));
        assert!(near(difference(&even).unwrap().elo, 0.0, 1e-9));
        assert_eq!(difference(&Results::default()), None);
        assert_eq!(normalised(&paired(0, 0, 9, [0; 5])), None);
        let none = difference(&paired(0, 9, 0, [0; 5])).unwrap();
        assert_eq!((none.elo, none.low), (f64::NEG_INFINITY, f64::NEG_INFINITY));
    }

    #[test]
    fn intervals_hold_the_truth_as_often_as_they_say() {
        // Pairs of a player who wins 30%, draws 45% and loses 25% of the games: 1000 matches of 60 pairs.
        let mut random = jewel_engine::random::Random::new(11);
        let truth = from_score(0.525);
        let mut inside = 0;
        for _ in 0..1000 {
            let mut results = Results::default();
            for _ in 0..60 {
                let mut game = || match random.below(100) {
                    0..30 => jewel_engine::value::Outcome::Win,
                    30..75 => jewel_engine::value::Outcome::Draw,
                    _ => jewel_engine::value::Outcome::Loss,
                };
                results.add_pair(game(), game());
            }
            let estimate = difference(&results).unwrap();
            inside += u32::from((estimate.low..=estimate.high).contains(&truth));
        }
        // 950 expected, standard deviation 7.
        assert!((925..=970).contains(&inside), "{inside}");
    }
}
