//! Alpha-beta search from the start positions.
//!
//!     cargo bench -p jewel-benches --bench search                 nodes a second, one thread
//!     cargo bench -p jewel-benches --bench search -- depth 10     depth reached in 10 s, one thread
//!     cargo bench -p jewel-benches --bench search -- features     nodes to depth without each feature, ten positions
//!     cargo bench -p jewel-benches --bench search -- games 100    result without each feature, in pairs of games
//!     cargo bench -p jewel-benches --bench search -- threads 2    nodes a second and time to depth
//!
//! Names of games after these words restrict the run to those games.

use jewel_engine::ability::{Game, Notation, Packed, Symmetric};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::tactics::{Pieces, Tactics};
use jewel_engine::with_leanest_game;
use jewel_engine::world_tree::WorldTreeGame;
use jewel_engine::zobrist::splitmix64;
use jewel_search::alphabeta::{AlphaBeta, Features, Options, SearchParams};
use jewel_search::control::Stop;
use jewel_search::evaluate::{HandcraftedEvaluation, WorldTreeEvaluation};
use jewel_search::limits::Limits;
use jewel_search::report::{Info, Report};
use jewel_search::searcher::Searcher;
use std::time::Duration;

/// Games with the depths of the plain run and of the comparison of features.
const GAMES: [(&str, u32, u32); 3] =
    [("ambush", 22, 16), ("diamond-quest", 15, 11), ("diamond-chess", 15, 11)];

/// The result of a search from the start position, without the type of moves.
struct Run {
    options: Options,
    depth: Option<u32>,
    time: Option<Duration>,
    /// Random openings to search besides the start position; only their nodes are reported.
    openings: u64,
}

struct Outcome {
    depth: u32,
    nodes: u64,
    seconds: f64,
    score: String,
    line: String,
}

impl Run {
    fn visit<G>(self, game: G) -> Outcome
    where
        G: Game,
        G::Position: Packed + Symmetric + Pieces,
    {
        let root = game.start();
        let evaluation = HandcraftedEvaluation::derived(root.rules());
        let options = Options { params: SearchParams::best(root.rules()), ..self.options };
        let mut searcher = AlphaBeta::new(evaluation, options).expect("memory for the table");
        let limits = Limits { depth: self.depth, movetime: self.time, ..Limits::default() };
        let mut quiet = |_: &Info<_>| ();
        let report: Report<_> = searcher.search(&root, &[], &limits, &Stop::new(), &mut quiet);
        let mut nodes = report.nodes;
        for seed in 0..self.openings {
            searcher.new_game();
            nodes += searcher.search(&opening(&game, seed), &[], &limits, &Stop::new(), &mut quiet).nodes;
        }
        let mut position = root;
        let mut line = Vec::new();
        for &mv in &report.lines[0].pv {
            line.push(position.move_text(mv));
            position.play(mv);
        }
        Outcome {
            depth: report.depth,
            nodes,
            seconds: report.elapsed.as_secs_f64(),
            score: report.score().to_string(),
            line: line.join(" "),
        }
    }
}

fn run(id: &str, options: Options, depth: Option<u32>, time: Option<Duration>) -> Outcome {
    let rules = jewel_engine::games::find(id).expect("an embedded game").rules();
    with_leanest_game!(rules, game => (Run { options, depth, time, openings: 0 }).visit(game))
}

fn print(id: &str, outcome: &Outcome) {
    let Outcome { depth, nodes, seconds, score, line } = outcome;
    let speed = *nodes as f64 / seconds / 1e6;
    println!(
        "{id:<14} depth {depth:>3}  {nodes:>11} nodes {seconds:>8.3} s {speed:>6.2} M/s  {score:>8}  {line}"
    );
}

fn options(threads: usize) -> Options {
    Options { hash: 256, threads, ..Options::default() }
}

fn speed(chosen: &dyn Fn(&str) -> bool) {
    for (id, depth, _) in GAMES.iter().filter(|game| chosen(game.0)) {
        print(id, &run(id, options(1), Some(*depth), None));
    }
    if chosen(WORLD_TREE) {
        world_tree();
    }
}

/// A game without a variant file: plies a second from the standard array and from positions of random games.
const WORLD_TREE: &str = "world-tree";
const WORLD_TREE_DEPTH: u32 = 10;

fn world_tree() {
    let game = WorldTreeGame::standard();
    let limits = Limits { depth: Some(WORLD_TREE_DEPTH), ..Limits::default() };
    let options = Options { params: SearchParams::for_game(WORLD_TREE), ..options(1) };
    for seed in 0..=OPENINGS {
        let root = if seed == 0 { game.start() } else { opening(&game, seed) };
        let mut searcher =
            AlphaBeta::new(WorldTreeEvaluation::default(), options).expect("memory for the table");
        let report: Report<_> = searcher.search(&root, &[], &limits, &Stop::new(), &mut |_: &Info<_>| ());
        let outcome = Outcome {
            depth: report.depth,
            nodes: report.nodes,
            seconds: report.elapsed.as_secs_f64(),
            score: report.score().to_string(),
            line: root.position_text(),
        };
        print(WORLD_TREE, &outcome);
    }
}

fn depth(seconds: u64, chosen: &dyn Fn(&str) -> bool) {
    for (id, ..) in GAMES.iter().filter(|game| chosen(game.0)) {
        print(id, &run(id, options(1), None, Some(Duration::from_secs(seconds))));
    }
}

fn threads(count: usize, chosen: &dyn Fn(&str) -> bool) {
    for (id, depth, _) in GAMES.iter().filter(|game| chosen(game.0)) {
        let (one, many) =
            (run(id, options(1), Some(depth + 2), None), run(id, options(count), Some(depth + 2), None));
        let speed = |outcome: &Outcome| outcome.nodes as f64 / outcome.seconds;
        println!(
            "{id:<14} depth {:>3}  {count} threads: {:.2}x the nodes a second, {:.2}x faster to depth",
            depth + 2,
            speed(&many) / speed(&one),
            one.seconds / many.seconds
        );
    }
}

/// Random openings in the comparison of features.
const OPENINGS: u64 = 9;

fn features(chosen: &dyn Fn(&str) -> bool) {
    let chosen: Vec<_> = GAMES.iter().filter(|game| chosen(game.0)).collect();
    let nodes = |features| -> Vec<u64> {
        let run = |(id, _, depth): &&(&str, u32, u32)| {
            let rules = jewel_engine::games::find(id).expect("an embedded game").rules();
            let options = Options { features, ..options(1) };
            with_leanest_game!(rules, game => (Run { options, depth: Some(*depth), time: None, openings: OPENINGS }).visit(game)).nodes
        };
        chosen.iter().map(run).collect()
    };
    print!("| {:<22} |", "without");
    chosen.iter().for_each(|(id, _, depth)| print!(" {:>20} |", format!("{id} {depth}")));
    println!();
    let all = nodes(Features::ALL);
    print!("| {:<22} |", "nothing");
    all.iter().for_each(|nodes| print!(" {nodes:>20} |"));
    println!();
    for name in Features::NAMES {
        let mut features = Features::ALL;
        *features.switch(name).expect("a feature") = false;
        print!("| {name:<22} |");
        for (nodes, all) in nodes(features).into_iter().zip(&all) {
            print!(" {:>20} |", format!("{:+.0}%", 100.0 * (nodes as f64 / *all as f64 - 1.0)));
        }
        println!();
    }
}

/// Nodes for each move of a game.
const NODES_A_MOVE: u64 = 1_000;

/// Plies after which a game counts as drawn.
const MAX_LENGTH: usize = 200;

/// The share of points of a searcher with some features against one with all, over pairs of games from
/// random openings, each played with both colours.
struct Match {
    features: Features,
    pairs: u64,
}

impl Match {
    /// Wins, draws, losses.
    fn visit<G>(self, game: G) -> [u32; 3]
    where
        G: Game,
        G::Position: Packed + Symmetric + Pieces,
    {
        let evaluation = HandcraftedEvaluation::derived(game.start().rules());
        let player = |features| {
            let options = Options { hash: 4, features, ..Options::default() };
            AlphaBeta::<G::Position, _>::new(evaluation.clone(), options).expect("memory for the table")
        };
        let mut players = [player(self.features), player(Features::ALL)];
        let mut results = [0; 3];
        for pair in 0..self.pairs {
            for first in [0, 1] {
                players.iter_mut().for_each(Searcher::new_game);
                // The same opening for both games of a pair.
                let opening = opening(&game, pair);
                let verdict = play(&game, &mut players, opening, first);
                results[verdict] += 1;
            }
        }
        results
    }
}

/// The position after four to seven random plies.
fn opening<G: Game>(game: &G, seed: u64) -> G::Position {
    let mut random = splitmix64(seed).1;
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

/// Plays a game; `first` moves first. 0 if the first player of the two wins, 1 for a draw, 2 otherwise.
fn play<G: Game>(
    game: &G,
    players: &mut [AlphaBeta<G::Position, HandcraftedEvaluation>; 2],
    mut position: G::Position,
    first: usize,
) -> usize
where
    G::Position: Pieces,
{
    let limits = Limits { nodes: Some(NODES_A_MOVE), ..Limits::default() };
    let mut history: Vec<u64> = Vec::new();
    for ply in 0..MAX_LENGTH {
        let mover = (first + ply) % 2;
        if let Some(outcome) = position.outcome() {
            return match outcome {
                jewel_engine::value::Outcome::Draw => 1,
                jewel_engine::value::Outcome::Win => 2 * mover,
                jewel_engine::value::Outcome::Loss => 2 * (1 - mover),
            };
        }
        let repeated = history.iter().filter(|&&key| key == position.zobrist_hash()).count();
        if game.repetition() > 0 && repeated + 1 >= game.repetition() as usize {
            return 1;
        }
        let report = players[mover].search(&position, &history, &limits, &Stop::new(), &mut |_| ());
        let Some(mv) = report.best else { return 1 };
        history.push(position.zobrist_hash());
        if position.is_irreversible(mv) {
            history.clear();
        }
        position.play(mv);
    }
    1
}

fn games(pairs: u64, chosen: &dyn Fn(&str) -> bool) {
    println!("{NODES_A_MOVE} nodes a move, {} games each", 2 * pairs);
    for name in Features::NAMES {
        let mut features = Features::ALL;
        *features.switch(name).expect("a feature") = false;
        print!("| {name:<22} |");
        for (id, ..) in GAMES.iter().filter(|game| chosen(game.0)) {
            let rules = jewel_engine::games::find(id).expect("an embedded game").rules();
            let [wins, draws, losses] =
                with_leanest_game!(rules, game => (Match { features, pairs }).visit(game));
            let points = f64::from(wins) + 0.5 * f64::from(draws);
            let games = f64::from(wins + draws + losses);
            let mean = points / games;
            let variance = (f64::from(wins) + 0.25 * f64::from(draws)) / games - mean * mean;
            let error = 1.96 * (variance / games).sqrt();
            print!(" {:>20} |", format!("{:.1}% ±{:.1}", 100.0 * mean, 100.0 * error));
        }
        println!();
    }
}

fn main() {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let named: Vec<&str> = GAMES
        .iter()
        .map(|game| game.0)
        .chain([WORLD_TREE])
        .filter(|id| arguments.iter().any(|a| a == id))
        .collect();
    let chosen = |id: &str| named.is_empty() || named.contains(&id);
    let number = |default: u64| arguments.iter().find_map(|a| a.parse().ok()).unwrap_or(default);
    match arguments.first().map(String::as_str) {
        Some("depth") => depth(number(10), &chosen),
        Some("features") => features(&chosen),
        Some("games") => games(number(100), &chosen),
        Some("threads") => threads(number(2) as usize, &chosen),
        _ => speed(&chosen),
    }
}
