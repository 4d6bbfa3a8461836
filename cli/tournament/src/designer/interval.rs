//! Estimates with 95% intervals.

use crate::statistics::counts::{Results, Tally};
use crate::statistics::elo;
use serde::Serialize;

/// An estimate and its 95% interval; `null` in JSON where a number is infinite.
#[derive(Clone, Copy, PartialEq, Serialize, Debug)]
pub struct Estimate {
    /// The most likely value.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Standard normal deviate of a two-sided 95% interval.
const Z95: f64 = 1.959_963_984_540_054;

/// The deviate of a two-sided 95% interval of Student's t distribution.
///
/// The expansion of Fisher and Cornish (Technometrics 2, 1960) in powers of `1 / freedom`, which is off by less
/// than 0.005 from 3 degrees of freedom on; below that, the two values themselves.
fn student(freedom: u64) -> f64 {
    match freedom {
        0 => f64::INFINITY,
        1 => 12.706_205,
        2 => 4.302_653,
        _ => {
            let (z, n) = (Z95, freedom as f64);
            let power = |k: i32| z.powi(k);
            z + (power(3) + z) / (4.0 * n)
                + (5.0 * power(5) + 16.0 * power(3) + 3.0 * z) / (96.0 * n.powi(2))
                + (3.0 * power(7) + 19.0 * power(5) + 17.0 * power(3) - 15.0 * z) / (384.0 * n.powi(3))
                + (79.0 * power(9) + 776.0 * power(7) + 1482.0 * power(5) - 1920.0 * power(3) - 945.0 * z)
                    / (92_160.0 * n.powi(4))
        }
    }
}

impl Estimate {
    /// The mean of independent values; `None` without values. The interval of a single value is infinite.
    pub fn from_mean(values: &[f64]) -> Option<Estimate> {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let freedom = (values.len() as u64).checked_sub(1)?;
        let error = match freedom {
            0 => f64::INFINITY,
            _ => student(freedom) * (squares / freedom as f64 / n).sqrt(),
        };
        Some(Estimate { value: mean, low: mean - error, high: mean + error })
    }

    /// The share `count / of`, by the score interval of Wilson (JASA 22, 1927); `None` if `of` is 0.
    pub fn from_share(count: u64, of: u64) -> Option<Estimate> {
        if of == 0 {
            return None;
        }
        let (n, p) = (of as f64, count as f64 / of as f64);
        let z2 = Z95 * Z95;
        let middle = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let error = Z95 / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
        // Without the rounding that would leave the estimate outside.
        Some(Estimate { value: p, low: (middle - error).clamp(0.0, p), high: (middle + error).clamp(p, 1.0) })
    }

    /// The score of a player, from 0 to 1, by the likelihood ratio as in matches; `None` before a game.
    pub fn from_score(games: Tally) -> Option<Estimate> {
        let elo = elo::difference(&Results { games, pairs: [0; 5] })?;
        Some(Estimate {
            value: elo::expected(elo.elo),
            low: elo::expected(elo.low),
            high: elo::expected(elo.high),
        })
    }

    /// The difference in Elo; `None` before a game.
    pub fn from_elo(results: &Results) -> Option<Estimate> {
        let elo::Estimate { elo, low, high } = elo::difference(results)?;
        Some(Estimate { value: elo, low, high })
    }

    /// Half of the width of the interval.
    pub fn error(self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// The same with everything put through an increasing function.
    #[must_use]
    pub fn map(self, by: impl Fn(f64) -> f64) -> Estimate {
        Estimate { value: by(self.value), low: by(self.low), high: by(self.high) }
    }

    /// The same of a quantity that is never below `least` nor above `most`: the interval ends there.
    #[must_use]
    pub fn within(self, least: f64, most: f64) -> Estimate {
        Estimate { value: self.value, low: self.low.max(least), high: self.high.min(most) }
    }

    /// One minus the same.
    #[must_use]
    pub fn complement(self) -> Estimate {
        Estimate { value: 1.0 - self.value, low: 1.0 - self.high, high: 1.0 - self.low }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::random::Random;

    fn near(a: f64, b: f64, by: f64) -> bool {
        (a - b).abs() <= by
    }

    #[test]
    fn deviates_are_those_of_tables() {
        // Abramowitz and Stegun, table 26.10.
        for (freedom, t) in
            [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (10, 2.228), (30, 2.042), (120, 1.980)]
        {
            assert!(near(student(freedom), t, 0.005), "{freedom}: {}", student(freedom));
        }
    }

    #[test]
    fn shares_have_the_interval_of_wilson() {
        // Newcombe, Statistics in Medicine 17 (1998), table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
        for (count, of, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let share = Estimate::from_share(count, of).unwrap();
            assert!(near(share.low, low, 5e-5) && near(share.high, high, 5e-5), "{share:?}");
        }
        assert_eq!(Estimate::from_share(0, 0), None);
        let all = Estimate::from_share(20, 20).unwrap();
        assert_eq!((all.value, all.high), (1.0, 1.0));
        assert!(near(all.complement().high, 0.1611, 5e-5));
    }

    #[test]
    fn means_hold_the_truth_as_often_as_they_say() {
        // 1000 samples of 5 uniform values.
        let mut random = Random::new(5);
        let mut inside = 0;
        for _ in 0..1000 {
            let values: Vec<f64> = (0..5).map(|_| random.unit()).collect();
            let mean = Estimate::from_mean(&values).unwrap();
            inside += u32::from((mean.low..=mean.high).contains(&0.5));
        }
        // The distribution is not normal: 935 or so expected, standard deviation 8.
        assert!((910..=965).contains(&inside), "{inside}");
        assert_eq!(Estimate::from_mean(&[]), None);
        assert_eq!(Estimate::from_mean(&[3.0]).unwrap().error(), f64::INFINITY);
        assert_eq!(Estimate::from_mean(&[3.0, 3.0]).unwrap().error(), 0.0);
    }

    #[test]
    fn scores_and_elo_agree() {
        let games = Tally { wins: 60, draws: 20, losses: 20 };
        let score = Estimate::from_score(games).unwrap();
        assert!(near(score.value, 0.7, 1e-9) && score.low > 0.6 && score.high < 0.8, "{score:?}");
        let elo = Estimate::from_elo(&Results { games, pairs: [0; 5] }).unwrap();
        assert!(near(elo.map(elo::expected).low, score.low, 1e-12));
    }
}
