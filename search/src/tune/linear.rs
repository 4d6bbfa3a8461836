//! Logistic regression: samples as sparse rows, and the coefficients that make their results most likely.
//!
//! The loss is convex and smooth, so Newton's method finds its minimum in a few steps (K. P. Murphy, "Machine
//! Learning: A Probabilistic Perspective", 2012, section 8.3). Coefficients that the samples say little
//! about stay where they were: each is pulled back like a spring, more weakly the more it may move.

use super::{logistic, surprise};
use rayon::prelude::*;

/// What a sample says: the logarithm of its odds is `offset + Σ value · coefficient`.
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

/// How far each coefficient is pulled, and whereto.
#[derive(Clone, Debug)]
pub(super) struct Pull {
    /// Where it is at rest.
    pub(super) rest: Vec<f64>,
    /// How far it may move: the standard deviation of a normal distribution.
    pub(super) reach: Vec<f64>,
    /// How strong the pull is: the number of samples that say as much as one independent one.
    pub(super) strength: f64,
}

/// Strengths of the pull back to the weights of the beginning that are tried, strongest first.
const STRENGTHS: [f64; 6] = [300.0, 100.0, 30.0, 10.0, 3.0, 1.0];

/// Steps of Newton's method: it takes four to seven.
const STEPS: usize = 20;
/// Gains of the loss, per sample, that are not worth another step.
const ENOUGH: f64 = 1e-8;
/// Parts of the sums. Fixed, so that the rounding is the same on any number of threads.
const PARTS: usize = 16;

/// The mean cross-entropy of the rows, in nats.
fn loss(rows: &[Row], at: &[f64]) -> f64 {
    let of = |part: &[Row]| part.iter().map(|row| surprise(row.odds(at), row.target)).sum::<f64>();
    let parts: Vec<f64> = parts(rows).map(of).collect();
    parts.iter().sum::<f64>() / rows.len().max(1) as f64
}

/// The coefficients that make the results of the rows most likely, found from `at` on; `None` if `stopped`
/// said so first.
fn solve(
    rows: &[Row],
    pull: &Pull,
    mut at: Vec<f64>,
    stopped: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<f64>> {
    let objective = |at: &[f64]| loss(rows, at) + pull.energy(at) / rows.len().max(1) as f64;
    let mut now = objective(&at);
    for _ in 0..STEPS {
        let step = newton_step(rows, pull, &at, stopped)?;
        let moved = |share: f64| -> Vec<f64> { at.iter().zip(&step).map(|(a, s)| a - share * s).collect() };
        // Halved until it gains: far from the minimum a whole step can be too long.
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

/// Weakens the pull as long as the rows that are held back are foretold better: the coefficients, and the
/// strength that was best. `None` if `stopped` said so first.
pub(super) fn strongest_gain(
    mut pull: Pull,
    fitted: &[Row],
    held: &[Row],
    now: Vec<f64>,
    stopped: &(dyn Fn() -> bool + Sync),
) -> Option<(Vec<f64>, f64)> {
    pull.strength = STRENGTHS[0];
    let mut best = solve(fitted, &pull, now, stopped)?;
    let mut least = loss(held, &best);
    let mut strength = pull.strength;
    for weaker in &STRENGTHS[1..] {
        pull.strength = *weaker;
        let found = solve(fitted, &pull, best.clone(), stopped)?;
        let there = loss(held, &found);
        if there >= least {
            break;
        }
        (best, least, strength) = (found, there, *weaker);
    }
    Some((best, strength))
}

impl Pull {
    fn energy(&self, at: &[f64]) -> f64 {
        let of = |((a, rest), reach): ((&f64, &f64), &f64)| ((a - rest) / reach).powi(2) / 2.0;
        self.strength * at.iter().zip(&self.rest).zip(&self.reach).map(of).sum::<f64>()
    }
}

fn parts(rows: &[Row]) -> impl IndexedParallelIterator<Item = &[Row]> {
    rows.par_chunks(rows.len().div_ceil(PARTS).max(1))
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
    pull: &Pull,
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
    let parts: Option<Vec<Slope>> = parts(rows).map(of).collect();
    let mut sum = Slope::new(size);
    parts?.iter().for_each(|part| sum.add(part));
    for (n, &now) in at.iter().enumerate() {
        let stiffness = pull.strength / (pull.reach[n] * pull.reach[n]);
        sum.gradient[n] += stiffness * (now - pull.rest[n]);
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
        let pull = Pull { rest: rest.clone(), reach: vec![10.0; 4], strength: 1.0 };
        let found = solve(&rows, &pull, rest.clone(), &|| false).unwrap();
        for n in [0, 1, 3] {
            assert!((found[n] - truth[n]).abs() < 0.06, "{found:?}");
        }
        assert!((found[2] - 5.0).abs() < 1e-9);
        assert!(loss(&rows, &found) < loss(&rows, &rest));
        // Pulled hard enough, nothing moves.
        let stiff = Pull { strength: 1e12, ..pull.clone() };
        let held = solve(&rows, &stiff, rest.clone(), &|| false).unwrap();
        assert!(held.iter().zip(&rest).all(|(a, b)| (a - b).abs() < 1e-3), "{held:?}");
        assert!(solve(&rows, &pull, rest, &|| true).is_none());
    }
}
