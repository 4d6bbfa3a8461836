//! One evaluation of a variant file's game against another: which plays better?
//!
//! `cargo run --release -p jewel-search --features drivers --example evaluation_match -- GAME PAIRS LIMIT ONE OTHER`
//!
//! LIMIT is `nodes=N` or `time=MILLISECONDS` for each move, or `pace=N`: 2 seconds for the game and 0.02 for each move, on a
//! clock on which N positions count as a second. An evaluation is `derived` (weights derived from the
//! rules), `tuned` (the weights that the game comes with), `best` (what the game comes with), or a file: weights
//! of `jewel tune` (`.json`) or a net of `jewel train` (anything else). Behind it, after commas, parts of the search may be
//! named that it plays without, such as `best,null_move`, and numbers of the search: `best,delta=150`. Each random opening is played twice, with
//! sides exchanged; without `time`, the speed of the machine does not matter and the result can be reproduced. Prints
//! the share of points of the first, with the error of 95%, the Elo difference, and nodes a second of both.

use jewel_engine::ability::{Game, Packed, Symmetric};
use jewel_engine::playout::Playout;
use jewel_engine::position::{Position, list_moves};
use jewel_engine::tactics::{Pieces, Tactics};
use jewel_engine::value::Outcome;
use jewel_engine::variant::Rules;
use jewel_engine::with_leanest_game;
use jewel_engine::zobrist::splitmix64;
use jewel_search::alphabeta::{AlphaBeta, Features, Options, SearchParams};
use jewel_search::clock::{Bonus, Clock};
use jewel_search::control::Stop;
use jewel_search::evaluate::net::Net;
use jewel_search::evaluate::{Evaluation, HandMade, Weights};
use jewel_search::limits::Limits;
use jewel_search::searcher::Searcher;
use rayon::prelude::*;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

const MAX_GAME_PLIES: usize = 300;

/// The time for a game with `pace`, and what each move brings.
const GAME_TIME: Duration = Duration::from_secs(2);
const MOVE_TIME: Bonus = Bonus::Increment(Duration::from_millis(20));

/// What bounds the searches.
#[derive(Clone, Copy)]
enum Limit {
    Nodes(u64),
    Time(Duration),
    Pace(u64),
}

impl Limit {
    /// The limits of a move; `remaining` is what its player's clock shows.
    fn limits_of_move<M>(self, remaining: Duration) -> Limits<M> {
        let free = Limits::default();
        match self {
            Limit::Nodes(nodes) => Limits { nodes: Some(nodes), ..free },
            Limit::Time(time) => Limits { movetime: Some(time), ..free },
            Limit::Pace(pace) => {
                Limits { clock: Some(Clock::new(remaining, MOVE_TIME)), pace: Some(pace), ..free }
            }
        }
    }
}

/// What plays, and how it searches.
type Player = (Evaluation, Features, SearchParams);

struct Match {
    pairs: u64,
    limit: Limit,
    players: [Player; 2],
    /// Nodes and microseconds of both.
    work: [[AtomicU64; 2]; 2],
}

/// The position after four to seven random plies, other ones than those of self-play.
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
    /// The points of the first evaluation, which moves first or second.
    fn play<G: Game>(&self, game: &G, mut position: G::Position, second: bool) -> f64
    where
        G::Position: Pieces,
    {
        let player = |n: usize| {
            let (evaluation, features, params) = self.players[n].clone();
            let options = Options { hash: 4, features, params, ..Options::default() };
            AlphaBeta::new(evaluation, options).expect("memory for the table")
        };
        let mut players = [player(0), player(1)];
        let mut remaining = [GAME_TIME; 2];
        let mut history: Vec<u64> = Vec::new();
        let first = position.side_to_move();
        for _ in 0..MAX_GAME_PLIES {
            let mover = usize::from((position.side_to_move() == first) == second);
            if let Some(outcome) = position.outcome() {
                return match outcome {
                    Outcome::Draw => 0.5,
                    Outcome::Win => 1.0 - mover as f64,
                    Outcome::Loss => mover as f64,
                };
            }
            let seen = 1 + history.iter().filter(|&&key| key == position.zobrist_hash()).count();
            if game.repetition() > 0 && seen >= game.repetition() as usize {
                return 0.5;
            }
            let limits = self.limit.limits_of_move(remaining[mover]);
            let report = players[mover].search(&position, &history, &limits, &Stop::new(), &mut |_| ());
            self.work[mover][0].fetch_add(report.nodes, Relaxed);
            self.work[mover][1].fetch_add(report.elapsed.as_micros() as u64, Relaxed);
            if let Limit::Pace(pace) = self.limit {
                let used = Duration::from_secs_f64(report.nodes as f64 / pace as f64);
                let Some(left) = MOVE_TIME.after_move(remaining[mover], used) else { return mover as f64 };
                remaining[mover] = left;
            }
            let Some(mv) = report.best else { return 0.5 };
            history.push(position.zobrist_hash());
            if position.is_irreversible(mv) {
                history.clear();
            }
            position.play(mv);
        }
        0.5
    }
}

impl Match {
    /// The points of each pair of games, 0 to 2, and wins, draws, losses.
    fn visit<G>(&self, game: G) -> (Vec<f64>, [u32; 3])
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

fn evaluation(name: &str, rules: &Rules) -> Result<Evaluation, String> {
    let read = || std::fs::read(name).map_err(|e| format!("{name}: {e}"));
    match name {
        "derived" => Ok(HandMade::derived(rules).into()),
        "tuned" => Ok(HandMade::best(rules).into()),
        "best" => Ok(Evaluation::best(rules)),
        file if file.ends_with(".json") => {
            let text = String::from_utf8_lossy(&read()?).into_owned();
            let weights = Weights::parse(&text, rules).map_err(|e| format!("{file}: {e}"))?;
            Ok(HandMade::new(rules, &weights).map_err(|e| e.to_string())?.into())
        }
        file => {
            let net = Net::parse(&read()?, rules).map_err(|e| format!("{file}: {e}"))?;
            Ok(Evaluation::with_net(HandMade::best(rules), Arc::new(net)))
        }
    }
}

fn player(text: &str, rules: &Rules) -> Result<Player, String> {
    let mut parts = text.split(',');
    let evaluation = evaluation(parts.next().unwrap_or_default(), rules)?;
    let (mut features, mut numbers) = (Features::ALL, SearchParams::best(rules).numbers());
    for part in parts {
        if let Some((name, number)) = part.split_once('=') {
            let dial = SearchParams::PARAMS.iter().position(|dial| dial.name == name);
            let number = number.parse().map_err(|_| format!("\"{number}\" is no number"))?;
            numbers[dial.ok_or(format!("no number \"{name}\""))?] = number;
        } else {
            *features.switch(part).ok_or(format!("no part \"{part}\""))? = false;
        }
    }
    Ok((evaluation, features, SearchParams::from_numbers(&numbers)))
}

fn run(arguments: &[String]) -> Result<String, String> {
    let [game, pairs, limit, one, other] = arguments else {
        return Err("give GAME PAIRS LIMIT ONE OTHER: see the source".to_string());
    };
    let number = |text: &str| match text.parse::<u64>() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(format!("\"{text}\" is no number from 1")),
    };
    let rules = jewel_engine::games::find(game).ok_or(format!("no game \"{game}\""))?.rules();
    let bound = match limit.split_once('=') {
        Some(("nodes", nodes)) => Limit::Nodes(number(nodes)?),
        Some(("time", time)) => Limit::Time(Duration::from_millis(number(time)?)),
        Some(("pace", pace)) => Limit::Pace(number(pace)?),
        _ => return Err(format!("\"{limit}\" is no limit: nodes=N, time=MILLISECONDS or pace=N")),
    };
    let players = [player(one, rules)?, player(other, rules)?];
    let settings = Match { pairs: number(pairs)?, limit: bound, players, work: Default::default() };
    let (points, [wins, draws, losses]) = with_leanest_game!(rules, game => settings.visit(game));
    // Games of a pair depend on each other: the error is that of the pairs.
    let count = points.len() as f64;
    let mean = points.iter().sum::<f64>() / count;
    let variance = points.iter().map(|p| (p - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    let (score, error) = (mean / 2.0, 1.96 * (variance / count).sqrt() / 2.0);
    let elo = |score: f64| 400.0 * (score.clamp(1e-3, 0.999) / (1.0 - score.clamp(1e-3, 0.999))).log10();
    let [one, other] =
        settings.work.map(|[nodes, time]| nodes.into_inner() as f64 / time.into_inner().max(1) as f64);
    Ok(format!(
        "{game}, {limit}: +{wins} ={draws} -{losses}, {:.1}% ±{:.1}, Elo {:+.0} ({:+.0} to {:+.0}); \
         {one:.2} and {other:.2} million nodes a second",
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
