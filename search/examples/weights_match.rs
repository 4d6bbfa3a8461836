//! Tuned weights against those derived from the rules: which play better?
//!
//! `cargo run --release -p jewel-search --features drivers --example weights_match -- GAME PAIRS NODES [FILE]`
//!
//! Each random opening is played twice, with sides exchanged; NODES for each move, so that the speed of the
//! machine does not matter and the result can be reproduced. Without a FILE, the weights that the game comes
//! with play. Prints the share of points of the tuned weights, with the error of 95%, and the Elo difference.

use jewel_engine::ability::{Game, Packed, Symmetric};
use jewel_engine::chesslike::{GameVisitor, with_game};
use jewel_engine::playout::Playout;
use jewel_engine::position::{Position, list_moves};
use jewel_engine::tactics::{Pieces, Tactics};
use jewel_engine::value::Outcome;
use jewel_engine::zobrist::splitmix64;
use jewel_search::alphabeta::{AlphaBeta, Options};
use jewel_search::control::Stop;
use jewel_search::evaluate::{HandMade, Weights};
use jewel_search::limits::Limits;
use jewel_search::searcher::Searcher;
use jewel_search::weights;
use rayon::prelude::*;
use std::process::ExitCode;

const LONGEST_GAME: usize = 300;

struct Match {
    pairs: u64,
    nodes: u64,
    evaluations: [HandMade; 2],
}

/// The position after four to seven random plies, other ones than the tuner's.
fn opening<G: Game>(game: &G, pair: u64) -> G::Position {
    let mut random = splitmix64(!pair).1;
    loop {
        let mut position = game.start();
        for _ in 0..4 + random % 4 {
            let moves = list_moves(&position);
            random = splitmix64(random).1;
            if !moves.is_empty() {
                position.play(moves[(random % moves.len() as u64) as usize]);
            }
        }
        if position.outcome().is_none() {
            return position;
        }
    }
}

impl Match {
    /// The points of the tuned weights, which move first or second.
    fn play<G: Game>(&self, game: &G, mut position: G::Position, second: bool) -> f64
    where
        G::Position: Pieces,
    {
        let player = |n: usize| {
            let options = Options { hash: 2, ..Options::default() };
            AlphaBeta::new(self.evaluations[n].clone(), options).expect("memory for the table")
        };
        let mut players = [player(0), player(1)];
        let limits = Limits { nodes: Some(self.nodes), ..Limits::default() };
        let mut history: Vec<u64> = Vec::new();
        let first = position.side_to_move();
        for _ in 0..LONGEST_GAME {
            let mover = usize::from((position.side_to_move() == first) == second);
            if let Some(outcome) = position.outcome() {
                return match outcome {
                    Outcome::Draw => 0.5,
                    Outcome::Win => 1.0 - mover as f64,
                    Outcome::Loss => mover as f64,
                };
            }
            let seen = 1 + history.iter().filter(|&&key| key == position.key()).count();
            if game.repetition() > 0 && seen >= game.repetition() as usize {
                return 0.5;
            }
            let report = players[mover].search(&position, &history, &limits, &Stop::new(), &mut |_| ());
            let Some(mv) = report.best else { return 0.5 };
            history.push(position.key());
            if position.is_irreversible(mv) {
                history.clear();
            }
            position.play(mv);
        }
        0.5
    }
}

impl GameVisitor for Match {
    /// The points of each pair of games, 0 to 2, and wins, draws, losses.
    type Output = (Vec<f64>, [u32; 3]);

    fn visit<G>(self, game: G) -> (Vec<f64>, [u32; 3])
    where
        G: Game,
        G::Position: Packed + Symmetric + Pieces + Playout,
    {
        let pair = |pair| [false, true].map(|second| self.play(&game, opening(&game, pair), second));
        let pairs: Vec<[f64; 2]> = (0..self.pairs).into_par_iter().map(pair).collect();
        let count = |points| pairs.iter().flatten().filter(|&&p| p == points).count() as u32;
        let results = [count(1.0), count(0.5), count(0.0)];
        (pairs.iter().map(|pair| pair[0] + pair[1]).collect(), results)
    }
}

fn run(arguments: &[String]) -> Result<String, String> {
    let (game, pairs, nodes, file) = match arguments {
        [game, pairs, nodes] => (game, pairs, nodes, None),
        [game, pairs, nodes, file] => (game, pairs, nodes, Some(file)),
        _ => return Err("give GAME PAIRS NODES [FILE]".to_string()),
    };
    let number = |text: &String| match text.parse::<u64>() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(format!("\"{text}\" is no number from 1")),
    };
    let rules = jewel_engine::games::find(game).ok_or(format!("no game \"{game}\""))?.rules();
    let tuned = match file {
        Some(file) => {
            let text = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
            Weights::parse(&text, rules).map_err(|e| format!("{file}: {e}"))?
        }
        None => weights::tuned(rules).ok_or(format!("{game} has no tuned weights"))?,
    };
    let tuned = HandMade::new(rules, &tuned).map_err(|e| e.to_string())?;
    let (pairs, nodes) = (number(pairs)?, number(nodes)?);
    let settings = Match { pairs, nodes, evaluations: [tuned, HandMade::derived(rules)] };
    let (points, [wins, draws, losses]) = with_game(rules, settings);
    // Games of a pair depend on each other: the error is that of the pairs.
    let count = points.len() as f64;
    let mean = points.iter().sum::<f64>() / count;
    let variance = points.iter().map(|p| (p - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    let (score, error) = (mean / 2.0, 1.96 * (variance / count).sqrt() / 2.0);
    let elo = |score: f64| 400.0 * (score.clamp(1e-3, 0.999) / (1.0 - score.clamp(1e-3, 0.999))).log10();
    Ok(format!(
        "{game}, {nodes} nodes a move: +{wins} ={draws} -{losses}, {:.1}% ±{:.1}, Elo {:+.0} ({:+.0} to {:+.0})",
        100.0 * score,
        100.0 * error,
        elo(score),
        elo(score - error),
        elo(score + error)
    ))
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}
