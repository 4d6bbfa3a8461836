//! Alpha-beta search from the start positions.
//!
//!     cargo bench -p jewel-benches --bench search                 nodes a second, one thread
//!     cargo bench -p jewel-benches --bench search -- depth 10     depth reached in 10 s, one thread
//!     cargo bench -p jewel-benches --bench search -- features     nodes to depth without each feature
//!     cargo bench -p jewel-benches --bench search -- threads 2    nodes a second and time to depth
//!
//! Names of games behind these words restrict the run to them.

use jewel_engine::ability::{Game, Notation, Packed, Symmetric};
use jewel_engine::chesslike::{GameVisitor, with_game};
use jewel_engine::position::Position;
use jewel_engine::tactics::Pieces;
use jewel_search::alphabeta::{AlphaBeta, Features, Options};
use jewel_search::control::Stop;
use jewel_search::evaluate::HandMade;
use jewel_search::limits::Limits;
use jewel_search::report::{Info, Report};
use jewel_search::searcher::Searcher;
use std::time::Duration;

/// Games with the depth of the plain run, and that of the comparison of features.
const GAMES: [(&str, u32, u32); 3] =
    [("ambush", 22, 16), ("diamond-quest", 15, 11), ("diamond-chess", 15, 11)];

/// One search from the start position. `Report` without the type of moves.
struct Run {
    options: Options,
    depth: Option<u32>,
    time: Option<Duration>,
}

struct Outcome {
    depth: u32,
    nodes: u64,
    seconds: f64,
    score: String,
    line: String,
}

impl GameVisitor for Run {
    type Output = Outcome;

    fn visit<G>(self, game: G) -> Outcome
    where
        G: Game,
        G::Position: Packed + Symmetric + Pieces,
    {
        let root = game.start();
        let evaluation = HandMade::derived(root.rules());
        let mut searcher = AlphaBeta::new(evaluation, self.options).expect("memory for the table");
        let limits = Limits { depth: self.depth, movetime: self.time, ..Limits::default() };
        let mut quiet = |_: &Info<_>| ();
        let report: Report<_> = searcher.search(&root, &[], &limits, &Stop::new(), &mut quiet);
        let mut position = root;
        let mut line = Vec::new();
        for &mv in &report.lines[0].pv {
            line.push(position.move_text(mv));
            position.play(mv);
        }
        Outcome {
            depth: report.depth,
            nodes: report.nodes,
            seconds: report.elapsed.as_secs_f64(),
            score: report.score().to_string(),
            line: line.join(" "),
        }
    }
}

fn run(id: &str, options: Options, depth: Option<u32>, time: Option<Duration>) -> Outcome {
    let rules = jewel_engine::games::find(id).expect("an embedded game").rules();
    with_game(rules, Run { options, depth, time })
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

fn features(chosen: &dyn Fn(&str) -> bool) {
    let chosen: Vec<_> = GAMES.iter().filter(|game| chosen(game.0)).collect();
    print!("| {:<22} |", "without");
    chosen.iter().for_each(|(id, _, depth)| print!(" {:>20} |", format!("{id} {depth}")));
    println!();
    let all: Vec<u64> =
        chosen.iter().map(|(id, _, depth)| run(id, options(1), Some(*depth), None).nodes).collect();
    print!("| {:<22} |", "nothing");
    all.iter().for_each(|nodes| print!(" {nodes:>20} |"));
    println!();
    for name in Features::NAMES {
        let mut features = Features::ALL;
        *features.switch(name).expect("a feature") = false;
        print!("| {name:<22} |");
        for ((id, _, depth), all) in chosen.iter().zip(&all) {
            let outcome = run(id, Options { features, ..options(1) }, Some(*depth), None);
            print!(" {:>20} |", format!("{:+.0}%", 100.0 * (outcome.nodes as f64 / *all as f64 - 1.0)));
        }
        println!();
    }
}

fn main() {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let named: Vec<&str> =
        GAMES.iter().map(|game| game.0).filter(|id| arguments.iter().any(|a| a == id)).collect();
    let chosen = |id: &str| named.is_empty() || named.contains(&id);
    let number = |default: u64| arguments.iter().find_map(|a| a.parse().ok()).unwrap_or(default);
    match arguments.first().map(String::as_str) {
        Some("depth") => depth(number(10), &chosen),
        Some("features") => features(&chosen),
        Some("threads") => threads(number(2) as usize, &chosen),
        _ => speed(&chosen),
    }
}
