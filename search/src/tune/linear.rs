//! Logistic regression: samples as sparse rows, and the coefficients that make their results most likely.
//!
//! The loss is convex and smooth, so Newton's method finds its minimum in a few steps (K. P. Murphy, "Machine
//! Learning: A Probabilistic Perspective", 2012, section 8.3). Coefficients are regularized towards where they were,
//! more weakly the more they may move, so that those that the samples hardly determine stay.

use super::{logistic, surprise};
use jewel_engine::parallel;

/// A sample: the logarithm of its odds is `offset + Σ factor · coefficient`.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    pub(super) offset: f64,
    /// Ascending numbers of coefficients, with their factors.
    pub(super) entries: Vec<(u16, f32)>,
    /// The result: 0 to 1.
    pub(super) target: f64,
}

impl Row {
    fn odds(&self, at: &[f64]) -> f64 {
        self.offset + self.entries.iter().map(|&(n, x)| f64::from(x) * at[usize::from(n)]).sum::<f64>()
    }
}

/// The regularization of the coefficients: a normal distribution of each.
#[derive(Clone, Debug)]
pub(super) struct Regularization {
    /// The means.
    pub(super) rest: Vec<f64>,
    /// The standard deviations.
    pub(super) reach: Vec<f64>,
    /// The strength: the number of samples that count as one independent sample.
    pub(super) strength: f64,
}

/// The strengths of regularization that are tried, strongest first.
const STRENGTHS: [f64; 6] = [300.0, 100.0, 30.0, 10.0, 3.0, 1.0];

/// Steps of Newton's method: it takes four to seven.
const STEPS: usize = 20;
/// A gain of loss per sample that is not worth another step.
const ENOUGH: f64 = 1e-8;
/// Sums are made in this many parts, so that rounding is the same for any number of threads.
const PARTS: usize = 16;

/// The mean cross-entropy of the rows, in nats.
pub(super) fn loss(rows: &[Row], at: &[f64]) -> f64 {
    let of = |part: &[Row]| part.iter().map(|row| surprise(row.odds(at), row.target)).sum::<f64>();
    let parts: Vec<f64> = parallel::map_chunks(rows, share(rows), of);
    parts.iter().sum::<f64>() / rows.len().max(1) as f64
}

/// The coefficients that make the results of the rows most likely, starting from `at`; `None` if `stopped` returned
/// `true` first.
fn solve(
    rows: &[Row],
    regularization: &Regularization,
    mut at: Vec<f64>,
    stopped: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<f64>> {
    let objective = |at: &[f64]| loss(rows, at) + regularization.energy(at) / rows.len().max(1) as f64;
    let mut now = objective(&at);
    for _ in 0..STEPS {
        let step = newton_step(rows, regularization, &at, stopped)?;
        let moved = |share: f64| -> Vec<f64> { at.iter().zip(&step).map(|(a, s)| a - share * s).collect() };
        // Halve the step until it gains: far from the minimum a whole step can be too long.
        let found = (0..10).map(|n| moved(0.5f64.powi(n))).find_map(|to| {
            let there = objective(&to);
            (there < now).then_some((to, there))
        });
        let Some((to, there)) = found else { break };
        at = to;
        let gain = now - there;
        now = there;
        if gain < ENOUGH {
            break;
        }
    }
    Some(at)
}

/// Weakens the regularization as long as the held-out rows are predicted better: the coefficients, and the best
/// strength. `None` if `stopped` returned `true` first.
pub(super) fn strongest_gain(
    mut regularization: Regularization,
    fitted: &[Row],
    held: &[Row],
    now: Vec<f64>,
    stopped: &(dyn Fn() -> bool + Sync),
) -> Option<(Vec<f64>, f64)> {
    regularization.strength = STRENGTHS[0];
    let mut best = solve(fitted, &regularization, now, stopped)?;
    let mut least = loss(held, &best);
    let mut strength = regularization.strength;
    for weaker in &STRENGTHS[1..] {
        regularization.strength = *weaker;
        let found = solve(fitted, &regularization, best.clone(), stopped)?;
        let there = loss(held, &found);
        if there >= least {
            break;
        }
        (best, least, strength) = (found, there, *weaker);
    }
    Some((best, strength))
}

impl Regularization {
    fn energy(&self, at: &[f64]) -> f64 {
        let of = |((a, rest), reach): ((&f64, &f64), &f64)| ((a - rest) / reach).powi(2) / 2.0;
        self.strength * at.iter().zip(&self.rest).zip(&self.reach).map(of).sum::<f64>()
    }
}

/// The rows of a part.
fn share(rows: &[Row]) -> usize {
    rows.len().div_ceil(PARTS).max(1)
}

/// Gradient and second derivatives (the lower triangle, row by row) of a sum over rows.
struct Slope {
    gradient: Vec<f64>,
    curvature: Vec<f64>,
}

impl Slope {
    fn new(size: usize) -> Slope {
        Slope { gradient: vec![0.0; size], curvature: vec![0.0; size * size] }
    }

    fn add_row(&mut self, row: &Row, at: &[f64]) {
        let size = self.gradient.len();
        let expected = logistic(row.odds(at));
        let (error, weight) = (expected - row.target, expected * (1.0 - expected));
        for (i, &(a, x)) in row.entries.iter().enumerate() {
            let (a, x) = (usize::from(a), f64::from(x));
            self.gradient[a] += error * x;
            let line = &mut self.curvature[a * size..(a + 1) * size];
            for &(b, y) in &row.entries[..=i] {
                line[usize::from(b)] += weight * x * f64::from(y);
            }
        }
    }

    fn add(&mut self, other: &Slope) {
        self.gradient.iter_mut().zip(&other.gradient).for_each(|(a, b)| *a += b);
        self.curvature.iter_mut().zip(&other.curvature).for_each(|(a, b)| *a += b);
    }
}

fn newton_step(
    rows: &[Row],
    regularization: &Regularization,
    at: &[f64],
    stopped: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<f64>> {
    let size = at.len();
    let of = |part: &[Row]| {
        let mut slope = Slope::new(size);
        for rows in part.chunks(1024) {
            if stopped() {
                return None;
            }
            rows.iter().for_each(|row| slope.add_row(row, at));
        }
        Some(slope)
    };
    let parts: Option<Vec<Slope>> = parallel::map_chunks(rows, share(rows), of).into_iter().collect();
    let mut sum = Slope::new(size);
    parts?.iter().for_each(|part| sum.add(part));
    for (n, &now) in at.iter().enumerate() {
        let stiffness = regularization.strength / (regularization.reach[n] * regularization.reach[n]);
        sum.gradient[n] += stiffness * (now - regularization.rest[n]);
        sum.curvature[n * size + n] += stiffness;
    }
    factorise(&mut sum.curvature, size);
    Some(back_substitute(&sum.curvature, sum.gradient))
}

/// Cholesky's factor of a positive definite matrix, in place, in its lower triangle.
fn factorise(matrix: &mut [f64], size: usize) {
    for i in 0..size {
        let (above, below) = matrix.split_at_mut(i * size);
        let line = &mut below[..=i];
        for j in 0..=i {
            let other = if j < i { &above[j * size..=j * size + j] } else { &[][..] };
            if j < i {
                let dot: f64 = line[..j].iter().zip(other).map(|(a, b)| a * b).sum();
                line[j] = (line[j] - dot) / other[j];
            } else {
                let dot: f64 = line[..i].iter().map(|a| a * a).sum();
                // The pull makes the diagonal positive; rounding may not take that away.
                line[i] = (line[i] - dot).max(f64::MIN_POSITIVE).sqrt();
            }
        }
    }
}

/// Solves `L Lᵀ x = b`.
fn back_substitute(factor: &[f64], mut b: Vec<f64>) -> Vec<f64> {
    let size = b.len();
    for i in 0..size {
        let line = &factor[i * size..=i * size + i];
        let dot: f64 = line[..i].iter().zip(&b).map(|(l, x)| l * x).sum();
        b[i] = (b[i] - dot) / line[i];
    }
    for i in (0..size).rev() {
        b[i] /= factor[i * size + i];
        let known = b[i];
        for (j, x) in b[..i].iter_mut().enumerate() {
            *x -= factor[i * size + j] * known;
        }
    }
    b
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::zobrist::splitmix64;

    #[test]
    fn coefficients_are_found_again() {
        let truth = [0.7, -1.2, 0.0, 0.4];
        let mut random = 9;
        let mut uniform = || {
            random = splitmix64(random).1;
            (random >> 11) as f64 / (1u64 << 53) as f64
        };
        let mut rows = Vec::new();
        for _ in 0..20_000 {
            // The third coefficient occurs nowhere.
            let entries: Vec<(u16, f32)> = [0, 1, 3].map(|n| (n, (uniform() * 4.0 - 2.0) as f32)).to_vec();
            let mut row = Row { offset: 0.3, entries, target: 0.0 };
            row.target = if uniform() < logistic(row.odds(&truth)) { 1.0 } else { 0.0 };
            rows.push(row);
        }
        let rest = vec![0.0, 0.0, 5.0, 0.0];
        let regularization = Regularization { rest: rest.clone(), reach: vec![10.0; 4], strength: 1.0 };
        let found = solve(&rows, &regularization, rest.clone(), &|| false).unwrap();
        for n in [0, 1, 3] {
            assert!((found[n] - truth[n]).abs() < 0.06, "{found:?}");
        }
        assert!((found[2] - 5.0).abs() < 1e-9);
        assert!(loss(&rows, &found) < loss(&rows, &rest));
        // Pulled hard enough, nothing moves.
        let stiff = Regularization { strength: 1e12, ..regularization.clone() };
        let held = solve(&rows, &stiff, rest.clone(), &|| false).unwrap();
        assert!(held.iter().zip(&rest).all(|(a, b)| (a - b).abs() < 1e-3), "{held:?}");
        assert!(solve(&rows, &regularization, rest, &|| true).is_none());
    }
}
