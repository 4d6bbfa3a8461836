//! Two settings of the searches against each other, in the games that are no variant files.
//!
//! `cargo run --release -p jewel-search --features drivers --example contest -- GAME PAIRS ONE OTHER`
//!
//! A setting is a searcher and its options, with commas between: `ab` or `mcts`, then `nodes=N`, `playouts=N`
//! or `time=MS` of each move (of each turn in games whose turns have several plies: half of it for each), for
//! `ab` also `off=FEATURE` (as often as wanted), for `mcts` also `plies=N` (of a playout), `priors=CENTIPAWNS`,
//! `explore=C`, `below=SHARE`, `decisive=true`, `minimax=WEIGHT` (off unless given), `history=WEIGHT` and `widening=MOVES`,
//! or `off`. Each random opening of six plies is played twice, with sides exchanged. The error is that of
//! pairs, at 95%. `weights=FILE` takes weights of `jewel tune`.
//!
//! `contest GAME speed MS` tells the positions a second that alpha-beta looks at, on one thread, in ten openings; on
//! Linux by processor time, which other work on the machine does not count in.

use jewel_engine::ability::Game;
use jewel_engine::chance::Chance;
use jewel_engine::crystal::CrystalGame;
use jewel_engine::kings_mate::{Active, Basic, Expanded, KingsMateGame};
use jewel_engine::playout::{Playout, Step, random_move};
use jewel_engine::position::Position;
use jewel_engine::random::Random;
use jewel_engine::tactics::Tactics;
use jewel_engine::value::{Side, Verdict};
use jewel_engine::world_tree::WorldTreeGame;
use jewel_search::alphabeta::{self, AlphaBeta, SearchParams};
use jewel_search::control::Stop;
use jewel_search::evaluate::{Distance, KingsMateEvaluation, Tunable, WeightList, WorldTreeEvaluation};
use jewel_search::limits::Limits;
use jewel_search::mcts::dice::DiceMcts;
use jewel_search::mcts::guide::Evaluated;
use jewel_search::mcts::{self, FirstPlay, Mcts};
use jewel_search::searcher::Searcher;
use rayon::prelude::*;
use std::process::ExitCode;
use std::time::Duration;

const OPENING_PLIES: u32 = 6;
const MAX_GAME_PLIES: usize = 1000;

/// How a player is set up.
#[derive(Clone, Debug)]
enum Algorithm {
    Ab(alphabeta::Options),
    Mcts(mcts::Options, Option<f32>),
}

#[derive(Clone, Debug)]
struct Setting {
    algorithm: Algorithm,
    nodes: Option<u64>,
    playouts: Option<u64>,
    time: Option<Duration>,
    weights: Option<WeightList>,
}

impl Setting {
    /// A setting for the game of this id.
    fn read(text: &str, id: &str) -> Option<Setting> {
        let mut words = text.split(',');
        let algorithm = match words.next()? {
            "ab" => Algorithm::Ab(options(id, 2)),
            "mcts" => Algorithm::Mcts(
                mcts::Options { tree_mb: 64, playout_plies: 0, minimax: None, ..Default::default() },
                Some(100.0),
            ),
            _ => return None,
        };
        let mut setting = Setting { algorithm, nodes: None, playouts: None, time: None, weights: None };
        for word in words {
            let (key, value) = word.split_once('=')?;
            match (key, &mut setting.algorithm) {
                ("weights", _) => {
                    setting.weights = WeightList::parse(&std::fs::read_to_string(value).ok()?).ok();
                }
                ("nodes", _) => setting.nodes = Some(value.parse().ok()?),
                ("playouts", _) => setting.playouts = Some(value.parse().ok()?),
                ("time", _) => {
                    setting.time = Some(Duration::from_micros((value.parse::<f64>().ok()? * 1e3) as u64))
                }
                ("off", Algorithm::Ab(options)) => *options.features.switch(value)? = false,
                ("plies", Algorithm::Mcts(options, _)) => options.playout_plies = value.parse().ok()?,
                ("priors", Algorithm::Mcts(_, priors)) => *priors = value.parse().ok(),
                ("explore", Algorithm::Mcts(options, _)) => options.exploration = value.parse().ok()?,
                ("decisive", Algorithm::Mcts(options, _)) => options.decisive = value.parse().ok()?,
                ("history", Algorithm::Mcts(options, _)) => options.history = value.parse().ok(),
                ("widening", Algorithm::Mcts(options, _)) => options.widening = value.parse().ok(),
                ("minimax", Algorithm::Mcts(options, _)) => options.minimax = value.parse().ok(),
                ("below", Algorithm::Mcts(options, _)) => {
                    options.first_play = FirstPlay::Below(value.parse().ok()?);
                }
                _ => return None,
            }
        }
        Some(setting)
    }

    fn player<P, E>(&self, evaluation: &E, seed: u64) -> Box<dyn Searcher<P>>
    where
        P: Tactics + Playout + 'static,
        E: Tunable<P> + 'static,
    {
        let own = self.weights.as_ref().map(|list| list.values("this game", &evaluation.weights()));
        let evaluation = match own {
            Some(values) => &evaluation.with_values(&values.expect("weights of this game")),
            None => evaluation,
        };
        match &self.algorithm {
            Algorithm::Ab(options) => Box::new(AlphaBeta::new(evaluation.clone(), *options).expect("memory")),
            Algorithm::Mcts(options, priors) => {
                let options = mcts::Options { seed, ..options.clone() };
                let guide = Evaluated::new(evaluation.clone(), *priors);
                if P::DICE {
                    Box::new(DiceMcts::guided(options, guide))
                } else {
                    Box::new(Mcts::guided(options, guide))
                }
            }
        }
    }

    fn limits<P: Position>(&self) -> Limits<P::Move> {
        Limits { nodes: self.nodes, playouts: self.playouts, movetime: self.time, ..Limits::default() }
    }
}

/// How the game of this id is searched, with so many mebibytes.
fn options(id: &str, hash: usize) -> alphabeta::Options {
    alphabeta::Options { hash, params: SearchParams::for_game(id), ..Default::default() }
}

fn opening<G: Game>(game: &G, random: &mut Random) -> G::Position {
    loop {
        let mut position = game.start();
        for _ in 0..OPENING_PLIES {
            if let Some(mv) = random_move(&position, random) {
                position.play(mv);
            }
        }
        if position.outcome().is_none() {
            return position;
        }
    }
}

/// The points of the first setting in a game that it begins, or not, and the plies of the game.
fn play<G, E>(game: &G, evaluation: &E, settings: &[Setting; 2], pair: u64, white: usize) -> (f64, usize)
where
    G: Game,
    G::Position: Tactics + Playout + 'static,
    E: Tunable<G::Position> + 'static,
{
    let mut random = Random::stream(91, pair);
    let mut position = opening(game, &mut random);
    let mut players = [0, 1].map(|n| settings[n].player(evaluation, pair * 2 + n as u64));
    let mut keys: Vec<Option<u64>> = Vec::new();
    let mut history: Vec<u64> = Vec::new();
    let points = |verdict: Verdict| match verdict {
        Verdict::Draw => 0.5,
        verdict => f64::from((verdict == Verdict::WhiteWins) == (white == 0)),
    };
    while keys.len() < MAX_GAME_PLIES {
        if let Some(outcome) = position.outcome() {
            return (points(outcome.absolute(position.side_to_move())), keys.len());
        }
        let key = position.repetition_hash();
        let earlier = keys.iter().filter(|&&k| k.is_some() && k == key).count();
        if game.repetition() > 0 && earlier + 1 >= game.repetition() as usize {
            return (0.5, keys.len());
        }
        let mover = if position.side_to_move() == Side::White { white } else { 1 - white };
        let limits = settings[mover].limits::<G::Position>();
        let report = players[mover].search(&position, &history, &limits, &Stop::new(), &mut |_| {});
        let Some(mv) = report.best else { return (0.5, keys.len()) };
        keys.push(key);
        history.push(position.zobrist_hash());
        if position.is_irreversible(mv) {
            history.clear();
        }
        position.play_rolled(mv, &mut random);
    }
    (0.5, keys.len())
}

fn contest<G, E>(game: &G, evaluation: &E, pairs: u64, settings: &[Setting; 2]) -> String
where
    G: Game,
    G::Position: Tactics + Playout + 'static,
    E: Tunable<G::Position> + 'static,
{
    let results: Vec<[(f64, usize); 2]> = (0..pairs)
        .into_par_iter()
        .map(|pair| [0, 1].map(|white| play(game, evaluation, settings, pair, white)))
        .collect();
    let count = |points: f64| results.iter().flatten().filter(|game| game.0 == points).count();
    let plies = results.iter().flatten().map(|game| game.1).sum::<usize>() as f64 / (2 * pairs) as f64;
    let means: Vec<f64> = results.iter().map(|pair| (pair[0].0 + pair[1].0) / 2.0).collect();
    let mean = means.iter().sum::<f64>() / pairs as f64;
    let variance = means.iter().map(|m| (m - mean).powi(2)).sum::<f64>() / (pairs as f64 - 1.0).max(1.0);
    let error = 1.96 * (variance / pairs as f64).sqrt();
    let elo = |share: f64| 400.0 * (share.clamp(1e-3, 0.999) / (1.0 - share.clamp(1e-3, 0.999))).log10();
    format!(
        "+{} ={} -{}, {:.1}% ±{:.1}, Elo {:+.0} ({:+.0} to {:+.0}), {plies:.0} plies a game",
        count(1.0),
        count(0.5),
        count(0.0),
        100.0 * mean,
        100.0 * error,
        elo(mean),
        elo(mean - error),
        elo(mean + error),
    )
}

/// The processor time of the program, where the system tells.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}

fn speed<G, E>(game: &G, evaluation: &E, time: Duration) -> String
where
    G: Game,
    G::Position: Tactics + Playout + 'static,
    E: Tunable<G::Position> + 'static,
{
    let mut searcher = AlphaBeta::new(evaluation.clone(), options(game.id(), 64)).expect("memory");
    let (mut nodes, mut seconds, mut best, mut depths) = (0, 0.0, 0.0f64, Vec::new());
    for seed in 0..10 {
        let mut random = Random::stream(7, seed);
        let mut position = opening(game, &mut random);
        for _ in 0..4 * seed {
            match position.keen_step(&mut random) {
                Step::Move(mv) => {
                    position.play_rolled(mv, &mut random);
                }
                Step::Over(_) => position = opening(game, &mut random),
            }
        }
        searcher.new_game();
        let limits = Limits { movetime: Some(time), ..Limits::default() };
        let before = processor_seconds();
        let report = searcher.search(&position, &[], &limits, &Stop::new(), &mut |_| {});
        let own = before.and_then(|before| Some(processor_seconds()? - before));
        let own = own.unwrap_or(report.elapsed.as_secs_f64());
        nodes += report.nodes;
        seconds += own;
        best = best.max(report.nodes as f64 / own);
        depths.push(report.depth);
    }
    let mean = nodes as f64 / seconds;
    format!("{:.2} million nodes a second ({:.2} at best), depths {depths:?}", mean / 1e6, best / 1e6)
}

fn run<G, E>(game: &G, evaluation: &E, arguments: &[&str]) -> Option<String>
where
    G: Game,
    G::Position: Tactics + Playout + 'static,
    E: Tunable<G::Position> + 'static,
{
    match arguments {
        ["speed", time] => Some(speed(game, evaluation, Duration::from_millis(time.parse().ok()?))),
        [pairs, one, other] => {
            let settings = [Setting::read(one, game.id())?, Setting::read(other, game.id())?];
            Some(contest(game, evaluation, pairs.parse().ok()?, &settings))
        }
        _ => None,
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let Some((name, rest)) = words.split_first() else { return ExitCode::from(2) };
    let text = match *name {
        "kings-mate" => run(&KingsMateGame::<Basic>::new(), &KingsMateEvaluation::default(), rest),
        "kings-mate-expanded" => {
            run(&KingsMateGame::<Expanded>::new(), &KingsMateEvaluation::default(), rest)
        }
        "kings-mate-active" => run(&KingsMateGame::<Active>::new(), &KingsMateEvaluation::default(), rest),
        "crystal-draughts" => {
            let game = CrystalGame::new();
            run(&game, &Distance::new(game.lattice()), rest)
        }
        "world-tree" => run(&WorldTreeGame::new(), &WorldTreeEvaluation::default(), rest),
        "world-tree:start=standard" => run(&WorldTreeGame::standard(), &WorldTreeEvaluation::default(), rest),
        _ => None,
    };
    let Some(text) = text else {
        eprintln!("usage: contest GAME PAIRS ONE OTHER, or contest GAME speed MS; see the source");
        return ExitCode::from(2);
    };
    println!("{name}: {text}");
    ExitCode::SUCCESS
}
