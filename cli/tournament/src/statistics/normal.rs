//! The normal distribution.

/// The probability that a standard normal variable is less than `z`, to about 1e-14.
///
/// The series of Marsaglia, "Evaluating the normal distribution", J. Stat. Softw. 11 (2004), near the middle; the
/// continued fraction of Mills' ratio (Laplace) in the tails, where the series would cancel.
pub(super) fn cumulative(z: f64) -> f64 {
    let density = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if z.abs() < 4.0 {
        let (mut sum, mut term) = (z, z);
        for n in 1..200 {
            term *= z * z / f64::from(2 * n + 1);
            sum += term;
            if term.abs() < 1e-18 * sum.abs() {
                break;
            }
        }
        return 0.5 + sum * density;
    }
    let x = z.abs();
    let fraction = (1..=60).rev().fold(x, |below, n| x + f64::from(n) / below);
    let tail = density / fraction;
    if z > 0.0 { 1.0 - tail } else { tail }
}

#[cfg(test)]
mod tests {
    use super::cumulative;

    #[test]
    fn values_of_tables() {
        // Abramowitz and Stegun, table 26.1.
        for (z, p) in [
            (0.0, 0.5),
            (0.5, 0.691_462_461_274_013_1),
            (1.0, 0.841_344_746_068_542_9),
            (1.96, 0.975_002_104_851_779_5),
            (3.0, 0.998_650_101_968_369_9),
            (5.0, 0.999_999_713_348_428),
        ] {
            assert!((cumulative(z) - p).abs() < 1e-13, "{z}: {}", cumulative(z));
            assert!((cumulative(-z) - (1.0 - p)).abs() < 1e-13, "-{z}");
        }
        assert!((cumulative(-10.0) / 7.619_853_024_160_526e-24 - 1.0).abs() < 1e-10);
        assert!(cumulative(3.999_999) < cumulative(4.000_001));
        assert_eq!((cumulative(f64::INFINITY), cumulative(f64::NEG_INFINITY)), (1.0, 0.0));
    }
}
