//! The likelihood of results whose mean is given: what intervals and sequential tests rest on.
//!
//! The results of a player are draws from an unknown distribution over three values (a game) or five (a pair
//! of games). Nothing is assumed about it but its mean or its signal-to-noise ratio: the other parameters take
//! their most likely values (M. Van den Bergh, "A practical introduction to the GSPRT", 2021, and "Comments on
//! normalized Elo", 2020). Twice the logarithm of a ratio of such likelihoods is asymptotically chi-squared with
//! one degree of freedom (Wilks 1938).

use super::counts::Results;

/// Weight of a result that has not occurred, in occurrences: without it nothing could be said of a
/// distribution in which it does.
const UNSEEN: f64 = 1e-3;

/// Results with the points that each is worth, from 0 for the worst to 1 for the best.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    /// Points and share of each result; the shares sum to 1 and none is 0.
    shares: Vec<(f64, f64)>,
    /// Results seen, those of weight [`UNSEEN`] included.
    size: f64,
    /// Games that a result comes from.
    games: f64,
}

impl Sample {
    /// The sample of results; `None` before the first (the first pair, where they come in pairs).
    pub fn of(results: &Results) -> Option<Sample> {
        let games = if results.is_paired() { 2.0 } else { 1.0 };
        Sample::new(&results.frequencies(), games)
    }

    /// The sample in which the results, from the worst to the best, occurred this often; each is of `games` games.
    fn new(frequencies: &[u64], games: f64) -> Option<Sample> {
        if frequencies.iter().all(|&n| n == 0) {
            return None;
        }
        let weights: Vec<f64> = frequencies.iter().map(|&n| if n == 0 { UNSEEN } else { n as f64 }).collect();
        let size: f64 = weights.iter().sum();
        let best = (weights.len() - 1) as f64;
        let shares = weights.iter().enumerate().map(|(n, weight)| (n as f64 / best, weight / size)).collect();
        Some(Sample { shares, size, games })
    }

    /// The number of games.
    pub fn games(&self) -> f64 {
        self.size * self.games
    }

    /// Mean and variance of the points of a result.
    pub fn moments(&self) -> (f64, f64) {
        moments(&self.shares)
    }

    /// The signal-to-noise ratio of a game: how far its mean is above 1/2, in standard deviations.
    pub fn signal(&self) -> f64 {
        let (mean, variance) = self.moments();
        (mean - 0.5) / (variance * self.games).sqrt()
    }

    /// The logarithm of the likelihood ratio of two distributions given the sample.
    fn log_ratio(&self, null: &[f64], alternative: &[f64]) -> f64 {
        let limits = self.shares.iter().zip(null.iter().zip(alternative));
        self.size * limits.map(|((_, share), (p0, p1))| share * (p1 / p0).ln()).sum::<f64>()
    }

    /// The logarithm of the likelihood ratio of the mean `alternative` against the mean `null`, both between 0
    /// and 1 exclusive.
    pub fn ratio_of_means(&self, null: f64, alternative: f64) -> f64 {
        self.log_ratio(&self.given_mean(null), &self.given_mean(alternative))
    }

    /// The same for two signal-to-noise ratios of a game.
    pub fn ratio_of_signals(&self, null: f64, alternative: f64) -> f64 {
        self.log_ratio(&self.given_signal(null), &self.given_signal(alternative))
    }

    /// How far the mean of the sample is above `mean`, as a standard normal variable would be by chance: the
    /// signed root of the likelihood ratio.
    pub fn deviation(&self, mean: f64) -> f64 {
        let own: Vec<f64> = self.shares.iter().map(|(_, share)| *share).collect();
        let ratio = self.log_ratio(&self.given_mean(mean), &own).max(0.0);
        (2.0 * ratio).sqrt().copysign(self.moments().0 - mean)
    }

    /// The interval of means whose [`deviation`](Sample::deviation) is at most `z`; 0 or 1 where no result
    /// speaks against it.
    pub fn interval(&self, z: f64) -> (f64, f64) {
        let (mean, _) = self.moments();
        let seen = |(_, share): &(f64, f64)| share * self.size > 0.5;
        let only = |best: usize| self.shares.iter().enumerate().all(|(n, share)| n == best || !seen(share));
        let low = if only(0) { 0.0 } else { self.bound(mean, 0.0, z) };
        let high = if only(self.shares.len() - 1) { 1.0 } else { self.bound(mean, 1.0, z) };
        (low, high)
    }

    /// The mean between `inside` and `outside` at which the deviation reaches `z`.
    fn bound(&self, mut inside: f64, mut outside: f64, z: f64) -> f64 {
        for _ in 0..60 {
            let middle = f64::midpoint(inside, outside);
            if self.deviation(middle).abs() < z { inside = middle } else { outside = middle }
        }
        inside
    }

    /// The most likely distribution with this mean.
    fn given_mean(&self, mean: f64) -> Vec<f64> {
        let conditions: Vec<f64> = self.shares.iter().map(|(points, _)| points - mean).collect();
        self.tilted(&conditions).unwrap_or_else(|| self.shares.iter().map(|(_, share)| *share).collect())
    }

    /// The most likely distribution with this signal-to-noise ratio of a game.
    ///
    /// The condition is not linear in the probabilities: it is replaced by its tangent at the distribution found
    /// so far until that stands still.
    fn given_signal(&self, signal: f64) -> Vec<f64> {
        let signal = signal * self.games.sqrt();
        let mut found = self.some_with_signal(signal);
        let (mut last, mut share) = (f64::INFINITY, 1.0);
        for _ in 0..400 {
            let current: Vec<(f64, f64)> =
                self.shares.iter().zip(&found).map(|((a, _), p)| (*a, *p)).collect();
            let (mean, variance) = moments(&current);
            let deviation = variance.sqrt();
            let tangent = |a: f64| a - 0.5 - signal * (deviation + (a - mean).powi(2) / deviation) / 2.0;
            let conditions: Vec<f64> = self.shares.iter().map(|(points, _)| tangent(*points)).collect();
            let Some(next) = self.tilted(&conditions) else { break };
            let change = next.iter().zip(&found).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            if change < 1e-12 {
                return next;
            }
            // Tangents of a strongly curved condition may overshoot: then shorter steps.
            if change >= last {
                share /= 2.0;
            }
            last = change;
            found.iter_mut().zip(next).for_each(|(p, next)| *p += share * (next - *p));
        }
        found
    }

    /// Some distribution whose results have this signal-to-noise ratio: a geometric one.
    fn some_with_signal(&self, signal: f64) -> Vec<f64> {
        let geometric = |tilt: f64| -> Vec<(f64, f64)> {
            let limits = self.shares.iter().map(|(points, _)| (*points, (tilt * (points - 0.5)).exp()));
            let sum: f64 = limits.clone().map(|(_, term)| term).sum();
            limits.map(|(points, term)| (points, term / sum)).collect()
        };
        let (mut low, mut high) = (-100.0, 100.0);
        for _ in 0..50 {
            let middle = f64::midpoint(low, high);
            let (mean, variance) = moments(&geometric(middle));
            if (mean - 0.5) / variance.sqrt() < signal { low = middle } else { high = middle }
        }
        geometric(low).into_iter().map(|(_, share)| share).collect()
    }

    /// The most likely distribution under which the condition, given for each result, has mean 0; `None` if it
    /// has one sign throughout.
    ///
    /// By Lagrange its probabilities are `share / (1 + t condition)`, where `t` makes the mean 0: the only root
    /// of a decreasing function between two poles.
    fn tilted(&self, conditions: &[f64]) -> Option<Vec<f64>> {
        let least = conditions.iter().copied().fold(f64::INFINITY, f64::min);
        let most = conditions.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !(least < 0.0 && most > 0.0) {
            return None;
        }
        let limits = || self.shares.iter().zip(conditions);
        let (mut low, mut high) = (-1.0 / most, -1.0 / least);
        let mut t = 0.0;
        for _ in 0..200 {
            let (mut value, mut slope) = (0.0, 0.0);
            for ((_, share), condition) in limits() {
                let part = condition / (1.0 + t * condition);
                value += share * part;
                slope -= share * part * part;
            }
            if value > 0.0 {
                low = t
            } else {
                high = t
            }
            // Newton's step, or half of the bracket where it leaves that.
            let step = t - value / slope;
            let next = if step > low && step < high { step } else { f64::midpoint(low, high) };
            let moved = (next - t).abs();
            t = next;
            if moved <= 1e-15 * (high.abs() + low.abs()) {
                break;
            }
        }
        Some(limits().map(|((_, share), condition)| share / (1.0 + t * condition)).collect())
    }
}

/// Mean and variance.
fn moments(distribution: &[(f64, f64)]) -> (f64, f64) {
    let mean: f64 = distribution.iter().map(|(value, share)| value * share).sum();
    let variance = distribution.iter().map(|(value, share)| share * (value - mean).powi(2)).sum();
    (mean, variance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn distribution(sample: &Sample, shares: &[f64]) -> Vec<(f64, f64)> {
        sample.shares.iter().zip(shares).map(|((a, _), p)| (*a, *p)).collect()
    }

    fn frequencies() -> impl Strategy<Value = Vec<u64>> {
        let count = prop_oneof![Just(0u64), 1..10u64, 10..10_000u64];
        prop_oneof![proptest::collection::vec(count.clone(), 3), proptest::collection::vec(count, 5)]
            .prop_filter("some result", |counts| counts.iter().any(|&n| n > 0))
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(3), ..Default::default() })]

        #[test]
        fn conditions_hold_and_nothing_near_is_more_likely(
            counts in frequencies(), mean in 0.02..0.98f64, signal in -0.5..0.5f64, nudge in any::<u64>()
        ) {
            let sample = Sample::new(&counts, if counts.len() == 5 { 2.0 } else { 1.0 }).unwrap();
            let by_mean = sample.given_mean(mean);
            prop_assert!((by_mean.iter().sum::<f64>() - 1.0).abs() < 1e-7);
            prop_assert!((moments(&distribution(&sample, &by_mean)).0 - mean).abs() < 1e-7);
            // A change that keeps sum and mean: along (1, -2, 1) on three neighbouring results.
            let at = (nudge % (counts.len() as u64 - 2)) as usize;
            for size in [1e-4, -1e-4] {
                let mut other = by_mean.clone();
                for (n, part) in [1.0, -2.0, 1.0].into_iter().enumerate() {
                    other[at + n] += part * size;
                }
                if other.iter().all(|p| *p > 0.0) {
                    prop_assert!(sample.log_ratio(&by_mean, &other) < 1e-9);
                }
            }
            let by_signal = sample.given_signal(signal);
            let (mu, variance) = moments(&distribution(&sample, &by_signal));
            let reached = (mu - 0.5) / (variance * sample.games).sqrt();
            prop_assert!((by_signal.iter().sum::<f64>() - 1.0).abs() < 1e-7);
            prop_assert!((reached - signal).abs() < 1e-4, "{reached}");
        }

        #[test]
        fn intervals_hold_the_mean_and_mirror(counts in frequencies()) {
            let sample = Sample::new(&counts, 1.0).unwrap();
            let (low, high) = sample.interval(1.96);
            let mean = sample.moments().0;
            prop_assert!(0.0 <= low && low <= mean && mean <= high && high <= 1.0);
            let mirrored: Vec<u64> = counts.iter().rev().copied().collect();
            let (low2, high2) = Sample::new(&mirrored, 1.0).unwrap().interval(1.96);
            prop_assert!((low + high2 - 1.0).abs() < 1e-6 && (high + low2 - 1.0).abs() < 1e-6, "{low} {high} {low2} {high2}");
        }
    }

    #[test]
    fn the_most_likely_signal_is_a_minimum_of_nothing_else() {
        // Three results with a given signal form a curve: the best point of a fine grid on it is no better.
        let sample = Sample::new(&[30, 50, 20], 1.0).unwrap();
        let signal = 0.15;
        let found = sample.given_signal(signal);
        let own: Vec<f64> = sample.shares.iter().map(|(_, p)| *p).collect();
        let best = sample.log_ratio(&own, &found);
        for draw in 1..1000 {
            let draw = f64::from(draw) / 1000.0;
            // Bisection for the probability of a win: the signal grows with it.
            let (mut low, mut high) = (0.0, 1.0 - draw);
            for _ in 0..60 {
                let win = f64::midpoint(low, high);
                let (mean, variance) = moments(&[(0.0, 1.0 - draw - win), (0.5, draw), (1.0, win)]);
                if (mean - 0.5) / variance.sqrt() < signal { low = win } else { high = win }
            }
            let other = [1.0 - draw - low, draw, low];
            assert!(sample.log_ratio(&own, &other) <= best + 1e-9, "{draw}");
        }
    }

    #[test]
    fn nothing_but_wins_leaves_the_upper_bound_open() {
        let sample = Sample::new(&[0, 0, 10], 1.0).unwrap();
        let (low, high) = sample.interval(1.96);
        assert_eq!(high, 1.0);
        // With ten wins of ten the likelihood of a mean s is s^10.
        assert!((low - (-1.96f64 * 1.96 / 20.0).exp()).abs() < 1e-3, "{low}");
        assert!(Sample::new(&[0, 0, 0], 1.0).is_none());
    }
}
