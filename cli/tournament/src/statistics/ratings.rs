//! Ratings of a field of players from all of their games.
//!
//! The model of Zermelo (1929), Bradley and Terry (1952) and Elo: the expected score is logistic in the
//! difference of two ratings, a draw is half a win. Ratings are the most likely ones under it, with a weak
//! prior (standard deviation 1000 Elo) that keeps those finite who won or lost everything. How much more or less
//! results scatter than independent games without draws would is one factor for the whole tournament, estimated
//! from pairs of games where there are pairs (McCullagh and Nelder, *Generalized Linear Models*, 9.2): draws and
//! paired openings make errors smaller.

use super::counts::Results;
use super::elo::Z95;

/// Elo of one unit of the logistic curve.
const UNIT: f64 = 400.0 / std::f64::consts::LN_10;

/// Standard deviation of the prior, in Elo.
const PRIOR: f64 = 1000.0;

/// Variance of the points of imagined results that scatter as independent games do: that of four even games.
const PRIOR_SCATTER: f64 = 1.0;

/// The rating of a player.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Rating {
    /// Elo, on the scale where the mean of all players is 0.
    pub elo: f64,
    /// Half of its 95% interval.
    pub error: f64,
}

/// The ratings of `players` from the results of pairs of players: `(a, b, results of a against b)`, at most
/// one entry for two players.
///
/// # Panics
/// If an entry names a player who is not there.
pub fn rate(players: usize, results: &[(usize, usize, Results)]) -> Vec<Rating> {
    let mut ratings = vec![0.0; players];
    // The likelihood is concave: Newton's method, with steps cut short, cannot miss.
    for _ in 0..200 {
        let (gradient, information) = derivatives(&ratings, results);
        let step = solve(information, &[gradient]).swap_remove(0);
        let longest = step.iter().fold(0.0, |most: f64, s| most.max(s.abs()));
        let cut = if longest > 1.0 { 1.0 / longest } else { 1.0 };
        ratings.iter_mut().zip(&step).for_each(|(rating, s)| *rating += cut * s);
        if longest < 1e-10 {
            break;
        }
    }
    let centre = mean(&ratings);
    let variances = variances(&ratings, results);
    let rating = |(elo, variance): (&f64, f64)| Rating {
        elo: (elo - centre) * UNIT,
        error: Z95 * variance.max(0.0).sqrt() * UNIT,
    };
    ratings.iter().zip(variances).map(rating).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn expected(ratings: &[f64], a: usize, b: usize) -> f64 {
    1.0 / (1.0 + (ratings[b] - ratings[a]).exp())
}

/// The gradient of the logarithm of the posterior, and its negative second derivatives.
fn derivatives(ratings: &[f64], results: &[(usize, usize, Results)]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = ratings.len();
    let precision = (UNIT / PRIOR).powi(2);
    let mut gradient: Vec<f64> = ratings.iter().map(|r| -precision * r).collect();
    let mut information = vec![vec![0.0; n]; n];
    for (i, row) in information.iter_mut().enumerate() {
        row[i] = precision;
    }
    for &(a, b, ref of_pair) in results {
        let games = of_pair.games.games() as f64;
        let p = expected(ratings, a, b);
        let surplus = of_pair.games.points() - games * p;
        gradient[a] += surplus;
        gradient[b] -= surplus;
        let weight = games * p * (1.0 - p);
        information[a][a] += weight;
        information[b][b] += weight;
        information[a][b] -= weight;
        information[b][a] -= weight;
    }
    (gradient, information)
}

/// The variance of each rating relative to the mean of all.
fn variances(ratings: &[f64], results: &[(usize, usize, Results)]) -> Vec<f64> {
    let n = ratings.len();
    let (_, information) = derivatives(ratings, results);
    // Columns of the centring matrix: C = P I^-1 P.
    let centred =
        |i: usize| -> Vec<f64> { (0..n).map(|j| f64::from(u8::from(i == j)) - 1.0 / n as f64).collect() };
    let columns: Vec<Vec<f64>> = (0..n).map(centred).collect();
    let solved = solve(information, &columns);
    let scatter = dispersion(ratings, results);
    let quadratic = |(p, x): (&Vec<f64>, &Vec<f64>)| -> f64 { p.iter().zip(x).map(|(a, b)| a * b).sum() };
    columns.iter().zip(&solved).map(|pair| scatter * quadratic(pair)).collect()
}

/// How much results scatter about what the ratings expect, as a share of what independent games without
/// draws would.
fn dispersion(ratings: &[f64], results: &[(usize, usize, Results)]) -> f64 {
    let (mut found, mut presumed, mut count) = (0.0, 0.0, 0.0);
    for &(a, b, ref of_pair) in results {
        let p = expected(ratings, a, b);
        let frequencies = of_pair.frequencies();
        let games = (frequencies.len() - 1) as f64 / 2.0;
        for (half_points, &times) in frequencies.iter().enumerate() {
            let times = times as f64;
            found += times * (half_points as f64 / 2.0 - games * p).powi(2);
            presumed += times * games * p * (1.0 - p);
            count += times;
        }
    }
    let free = count - (ratings.len() as f64 - 1.0);
    let ratio = if free < 1.0 { 1.0 } else { count / free };
    // Where hardly anything was open, nothing can be seen of the scatter.
    (found * ratio + PRIOR_SCATTER) / (presumed + PRIOR_SCATTER)
}

/// Solves `matrix x = right` for each right side; the matrix is symmetric and positive definite. Cholesky.
fn solve(mut matrix: Vec<Vec<f64>>, right: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = matrix.len();
    for j in 0..n {
        for i in j..n {
            let below: f64 = (0..j).map(|k| matrix[i][k] * matrix[j][k]).sum();
            matrix[i][j] -= below;
        }
        let root = matrix[j][j].max(f64::MIN_POSITIVE).sqrt();
        for row in matrix.iter_mut().skip(j) {
            row[j] /= root;
        }
    }
    let one = |right: &Vec<f64>| {
        let mut x = right.clone();
        for i in 0..n {
            let done: f64 = (0..i).map(|k| matrix[i][k] * x[k]).sum();
            x[i] = (x[i] - done) / matrix[i][i];
        }
        for i in (0..n).rev() {
            let done: f64 = (i + 1..n).map(|k| matrix[k][i] * x[k]).sum();
            x[i] = (x[i] - done) / matrix[i][i];
        }
        x
    };
    right.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::counts::Tally;
    use crate::statistics::elo;
    use jewel_engine::random::Random;
    use jewel_engine::value::Outcome;

    fn games(wins: u64, draws: u64, losses: u64) -> Results {
        Results { games: Tally { wins, draws, losses }, pairs: [0; 5] }
    }

    #[test]
    fn two_players_differ_by_the_elo_of_the_score() {
        let results = games(4000, 4000, 2000);
        let rated = rate(2, &[(0, 1, results)]);
        let direct = elo::difference(&results).unwrap();
        assert!((rated[0].elo - rated[1].elo - direct.elo).abs() < 0.1, "{rated:?}");
        assert!((rated[0].elo + rated[1].elo).abs() < 1e-9);
        // Half of the difference is as uncertain as half of its error.
        assert!((2.0 * rated[0].error / direct.error() - 1.0).abs() < 0.02, "{rated:?} {direct:?}");
    }

    #[test]
    fn ratings_expect_the_points_that_were_made() {
        let results =
            [(0, 1, games(500, 300, 200)), (1, 2, games(400, 100, 500)), (0, 2, games(300, 700, 0))];
        let rated = rate(3, &results);
        for player in 0..3 {
            let (mut made, mut due) = (0.0, 0.0);
            for (a, b, of_pair) in results {
                let (own, other, own_results) = match player {
                    p if p == a => (a, b, of_pair),
                    p if p == b => (b, a, -of_pair),
                    _ => continue,
                };
                made += own_results.games.points();
                due += 1000.0 * elo::expected(rated[own].elo - rated[other].elo);
            }
            assert!((made - due).abs() < 0.5, "{player}: {made} {due}");
        }
    }

    #[test]
    fn who_lost_everything_is_rated_too() {
        let rated = rate(3, &[(0, 1, games(50, 0, 0)), (1, 2, games(50, 0, 0)), (0, 2, games(50, 0, 0))]);
        assert!(
            rated[0].elo > 500.0 && rated[2].elo < -500.0 && rated.iter().all(|r| r.error > 100.0),
            "{rated:?}"
        );
        assert!(rated.iter().all(|r| r.elo.is_finite() && r.error.is_finite()));
        // Nobody has played: nothing is known.
        assert!(rate(3, &[]).iter().all(|r| r.elo == 0.0 && r.error > 1000.0));
        assert!(rate(0, &[]).is_empty());
    }

    #[test]
    fn errors_hold_the_truth_as_often_as_they_say() {
        let truth = [120.0, 30.0, -20.0, -130.0];
        let mut random = Random::new(5);
        let (mut inside, mut all) = (0, 0);
        for _ in 0..200 {
            let mut results = Vec::new();
            for a in 0..4 {
                for b in a + 1..4 {
                    let score = elo::expected(truth[a] - truth[b]);
                    // As many draws as leave the score what it is.
                    let draws = 0.6 * score.min(1.0 - score);
                    let mut of_pair = Results::default();
                    for _ in 0..30 {
                        let mut game = || match random.unit() {
                            x if x < score - draws / 2.0 => Outcome::Win,
                            x if x < score + draws / 2.0 => Outcome::Draw,
                            _ => Outcome::Loss,
                        };
                        let (first, second) = (game(), game());
                        of_pair.games.add(first);
                        of_pair.games.add(second);
                        of_pair.add_pair(first, second);
                    }
                    results.push((a, b, of_pair));
                }
            }
            for (rating, truth) in rate(4, &results).iter().zip(truth) {
                inside += u32::from((rating.elo - truth).abs() <= rating.error);
                all += 1;
            }
        }
        // 760 of 800 expected, standard deviation about 7.
        assert!((735..=780).contains(&inside), "{inside} of {all}");
    }
}
