//! Fits the constants of the evaluation of Crown Jewels (`MaterialEvaluation::WEIGHTS`) to results of games.
//!
//! `cargo run --release -p jewel-search --features drivers --example fit_crown_jewels -- GAMES PLAYOUTS`
//!
//! The program plays against itself with a fixed number of playouts a move, and logistic regression finds the constants under
//! which positions foretell the results best. Prints them in their order, and the cross-entropy of results with
//! these and with those in use, over games that were kept apart.

use jewel_engine::crown_jewels::{CrownJewels, CrownJewelsGame, CrownJewelsView, Deal, Rules};
use jewel_engine::hidden::Hidden;
use jewel_engine::position::Position;
use jewel_engine::random::Random;
use jewel_engine::value::{Outcome, Side, Verdict};
use jewel_search::control::Stop;
use jewel_search::ismcts::crown_jewels::{Chooser, CrownJewelsInsight, MaterialEvaluation};
use jewel_search::ismcts::{InformationSearcher, Ismcts, Options};
use jewel_search::limits::Limits;
use std::process::ExitCode;

/// One position in this many is taken.
const ONE_IN: u32 = 4;

/// One game in this many is kept apart, to measure the fit.
const TEST_ONE_IN: usize = 5;

/// Steps of Newton's method, which converges long before, and the pull of the constants towards 0.
const STEPS: usize = 20;
const RIDGE: f64 = 1e-3;

const TERMS: usize = MaterialEvaluation::TERMS;

/// A game for the regression.
struct Game {
    /// White's points.
    result: f64,
    /// The terms of the positions that were taken.
    terms: Vec<[f64; TERMS]>,
}

/// A deal in which both players give and place as the program does.
fn dealt(rules: &'static Rules, random: &mut Random) -> Option<CrownJewels> {
    let chooser = Chooser::new(rules);
    let deal = Deal::random(rules, random);
    let gifts = Side::BOTH.map(|side| chooser.give(&deal.view(side), random));
    let setup = deal.give(gifts).ok()?;
    let placements = Side::BOTH.map(|side| chooser.place(&setup.view(side), random));
    let first = if random.below(2) == 0 { Side::White } else { Side::Black };
    setup.play(placements.each_ref(), first).ok()
}

/// Plays a game to its end, showing every position before its move.
fn play(
    rules: &'static Rules,
    playouts: u64,
    seed: u64,
    on_position: &mut dyn FnMut(&CrownJewels),
) -> Verdict {
    let Some(mut state) = dealt(rules, &mut Random::stream(seed, 1)) else { return Verdict::Draw };
    let mut searchers = Side::BOTH.map(|side| {
        let options = Options { tree_mb: 64, seed: seed * 2 + side.index() as u64, ..Options::default() };
        Ismcts::with(options, CrownJewelsInsight::new(rules))
    });
    let limits = Limits { playouts: Some(playouts), ..Limits::default() };
    let mut history: Vec<CrownJewels> = Vec::new();
    loop {
        let mover = state.side_to_move();
        if let Some(outcome) = state.outcome() {
            return outcome.absolute(mover);
        }
        // The same true state for the third time.
        if history.iter().filter(|earlier| earlier.zobrist_hash() == state.zobrist_hash()).count() >= 2 {
            return Outcome::Draw.absolute(mover);
        }
        on_position(&state);
        let views: Vec<CrownJewelsView> = history.iter().map(|earlier| earlier.view(mover)).collect();
        let searcher = &mut searchers[mover.index()];
        let report = searcher.search(&state.view(mover), &views, &limits, &Stop::new(), &mut |_| {});
        let Some(mv) = report.best else { return Verdict::Draw };
        history.push(state);
        state.play(mv);
        if state.quiet() == 0 {
            history.clear();
        }
    }
}

fn fit(rules: &'static Rules, games: u64, playouts: u64) {
    let material = MaterialEvaluation::new(rules);
    let mut random = Random::new(1);
    let mut record = |number: u64| {
        let mut terms = Vec::new();
        let verdict = play(rules, playouts, number, &mut |state| {
            if random.below(ONE_IN) == 0 {
                terms.push(material.terms(state).map(f64::from));
            }
        });
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
    let shipped = MaterialEvaluation::WEIGHTS.map(f64::from);
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

fn main() -> ExitCode {
    let numbers: Option<Vec<u64>> = std::env::args().skip(1).map(|word| word.parse().ok()).collect();
    let Some([games, playouts]) = numbers.as_deref() else {
        eprintln!("usage: fit_crown_jewels GAMES PLAYOUTS");
        return ExitCode::from(2);
    };
    fit(CrownJewelsGame::new().rules(), *games, *playouts);
    ExitCode::SUCCESS
}
