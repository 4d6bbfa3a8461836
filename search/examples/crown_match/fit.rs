//! The constants of the evaluation, fitted to results of games.

use super::{Effort, Player, play};
use jewel_engine::crown_jewels::Rules;
use jewel_engine::random::Random;
use jewel_engine::value::Verdict;
use jewel_search::ismcts::crown_jewels::Standing;

/// A position is taken with this probability.
const ONE_IN: u32 = 4;

/// Of deals that matches do not play.
const FIRST_SEED: u64 = 1 << 32;

/// Of so many games one is kept apart, to see what the fit is worth.
const TEST_ONE_IN: usize = 5;

/// Steps of Newton's method, which come to rest long before, and the pull of the constants towards nothing.
const STEPS: usize = 20;
const RIDGE: f64 = 1e-3;

const TERMS: usize = Standing::TERMS;

/// What a game said of the positions in it.
struct Game {
    /// White's points.
    result: f64,
    terms: Vec<[f64; TERMS]>,
}

/// Plays games and prints what logistic regression makes of them: the constants in their order and the
/// cross-entropy of results, with these and with those that the program has, in games that were not fitted.
pub(crate) fn fit(rules: &'static Rules, games: u64, players: &[Player; 2]) {
    let standing = Standing::new(rules);
    let mut random = Random::new(1);
    let mut record = |number: u64| {
        let mut terms = Vec::new();
        let mut on_position = |state: &_, _: &[_], _: Option<&_>| {
            if random.below(ONE_IN) == 0 {
                terms.push(standing.terms(state).map(f64::from));
            }
        };
        let players = [&players[0], &players[1]];
        let effort = &mut [Effort::default(); 2];
        let (verdict, _) = play(rules, players, FIRST_SEED + number, effort, &mut on_position);
        let result = match verdict {
            Verdict::WhiteWins => 1.0,
            Verdict::Draw => 0.5,
            Verdict::BlackWins => 0.0,
        };
        Game { result, terms }
    };
    let played: Vec<Game> = (0..games).map(&mut record).collect();
    let (test, train): (Vec<_>, Vec<_>) = played.iter().enumerate().partition(|(n, _)| n % TEST_ONE_IN == 0);
    let [test, train] = [test, train].map(|part| part.into_iter().map(|(_, game)| game).collect::<Vec<_>>());
    let fitted = regression(&train);
    let shipped = Standing::WEIGHTS.map(f64::from);
    println!("fitted {:.3?}", fitted);
    for (name, weights) in [("fitted", fitted), ("shipped", shipped), ("none", [0.0; TERMS])] {
        println!("{name}: {:.4} of a nat a game", cross_entropy(&test, &weights));
    }
}

fn expectation(weights: &[f64; TERMS], terms: &[f64; TERMS]) -> f64 {
    let lead: f64 = weights.iter().zip(terms).map(|(weight, term)| weight * term).sum();
    1.0 / (1.0 + (-lead).exp())
}

/// The mean over games of the mean over their positions.
fn cross_entropy(games: &[&Game], weights: &[f64; TERMS]) -> f64 {
    let for_game = |game: &&Game| {
        let from_position = |terms: &[f64; TERMS]| {
            let share = expectation(weights, terms).clamp(1e-6, 1.0 - 1e-6);
            -(game.result * share.ln() + (1.0 - game.result) * (1.0 - share).ln())
        };
        game.terms.iter().map(from_position).sum::<f64>() / game.terms.len().max(1) as f64
    };
    games.iter().map(for_game).sum::<f64>() / games.len().max(1) as f64
}

/// Newton's method; every game counts the same, however long it is.
fn regression(games: &[&Game]) -> [f64; TERMS] {
    let mut weights = [0.0; TERMS];
    for _ in 0..STEPS {
        let mut gradient = weights.map(|weight| -RIDGE * weight);
        let mut curvature = [[0.0; TERMS]; TERMS];
        (0..TERMS).for_each(|n| curvature[n][n] = RIDGE);
        for game in games {
            let part = 1.0 / (games.len() * game.terms.len().max(1)) as f64;
            for terms in &game.terms {
                let share = expectation(&weights, terms);
                for (row, &term) in terms.iter().enumerate() {
                    gradient[row] += part * (game.result - share) * term;
                    for (column, &other) in terms.iter().enumerate() {
                        curvature[row][column] += part * share * (1.0 - share) * term * other;
                    }
                }
            }
        }
        let step = solution(curvature, gradient);
        weights.iter_mut().zip(step).for_each(|(weight, step)| *weight += step);
    }
    weights
}

/// Gauss's elimination; the matrix is positive definite.
fn solution(mut matrix: [[f64; TERMS]; TERMS], mut right: [f64; TERMS]) -> [f64; TERMS] {
    for pivot in 0..TERMS {
        for row in 0..TERMS {
            let factor = matrix[row][pivot] / matrix[pivot][pivot];
            if row != pivot {
                (0..TERMS).for_each(|column| matrix[row][column] -= factor * matrix[pivot][column]);
                right[row] -= factor * right[pivot];
            }
        }
    }
    std::array::from_fn(|n| right[n] / matrix[n][n])
}
