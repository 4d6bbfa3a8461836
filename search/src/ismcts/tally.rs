//! The results of simulations for a move of the root.

/// The results of a move: a mean, and how far it may be off.
///
/// Simulations in one world are not independent, worlds are. Results come in clusters, one for each world drawn,
/// and the mean is a ratio of sums over clusters; its variance is that of a ratio estimator (Cochran, *Sampling
/// Techniques*, 1977, section 6). With one result a cluster it is the common variance of a mean.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Tally {
    pub(super) visits: f64,
    pub(super) points: f64,
    clusters: f64,
    squares: f64,
    products: f64,
    visits_squared: f64,
}

impl Tally {
    /// Counts a cluster of `visits` results that have `points` points in all.
    pub(super) fn add(&mut self, points: f64, visits: f64) {
        if visits > 0.0 {
            self.visits += visits;
            self.points += points;
            self.clusters += 1.0;
            self.squares += points * points;
            self.products += points * visits;
            self.visits_squared += visits * visits;
        }
    }

    /// Adds the results of another thread.
    pub(super) fn join(&mut self, other: &Tally) {
        self.visits += other.visits;
        self.points += other.points;
        self.clusters += other.clusters;
        self.squares += other.squares;
        self.products += other.products;
        self.visits_squared += other.visits_squared;
    }

    /// The mean result; half a point without any.
    pub(super) fn mean(&self) -> f64 {
        if self.visits > 0.0 { self.points / self.visits } else { 0.5 }
    }

    /// The standard error of the mean; `None` for fewer than two clusters.
    pub(super) fn error(&self) -> Option<f64> {
        if self.clusters < 2.0 {
            return None;
        }
        let mean = self.mean();
        let spread = self.squares - 2.0 * mean * self.products + mean * mean * self.visits_squared;
        let spread = spread.max(0.0) * self.clusters / (self.clusters - 1.0);
        Some(spread.sqrt() / self.visits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_results_have_the_common_standard_error() {
        let mut tally = Tally::default();
        assert_eq!((tally.mean(), tally.error()), (0.5, None));
        [1.0, 0.0, 1.0, 1.0].iter().for_each(|&points| tally.add(points, 1.0));
        // Variance 3/4 * 1/4 * 4/3 = 1/4, over four results.
        assert_eq!(tally.mean(), 0.75);
        assert!((tally.error().unwrap() - 0.25).abs() < 1e-12);
    }

    #[test]
    fn results_that_agree_within_worlds_tell_less() {
        let (mut worlds, mut single) = (Tally::default(), Tally::default());
        for points in [1.0, 0.0, 1.0, 0.0] {
            worlds.add(10.0 * points, 10.0);
            (0..10).for_each(|_| single.add(points, 1.0));
        }
        assert_eq!(worlds.mean(), single.mean());
        assert!(worlds.error().unwrap() > 3.0 * single.error().unwrap());
    }

    #[test]
    fn threads_add_up() {
        let (mut all, mut one, mut other) = (Tally::default(), Tally::default(), Tally::default());
        for (number, points) in [0.5, 2.0, 1.0, 3.0].into_iter().enumerate() {
            all.add(points, 4.0);
            if number < 2 { one.add(points, 4.0) } else { other.add(points, 4.0) }
        }
        one.join(&other);
        assert_eq!(one, all);
    }
}
