//! How fast the games are on one thread: perft with bulk counting, and random play.
//!
//! `cargo run --release -p jewel-engine --example speed -- [SECONDS]`
//!
//! Every figure is the best of several rounds, and all games take turns, so that a busy machine disturbs them
//! alike.

use jewel_engine::ability::Game;
use jewel_engine::chance::{Branches, Chance};
use jewel_engine::chesslike::{Chess, ChessGame};
use jewel_engine::crystal::CrystalGame;
use jewel_engine::kings_mate::{Active, Basic, Expanded, KingsMateGame};
use jewel_engine::perft::perft;
use jewel_engine::playout::{Playout, Step};
use jewel_engine::random::Random;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Plies before a random game is cut off.
const MAX_LENGTH: u32 = 200;

/// Something done over and over that counts what it does.
struct Task {
    what: String,
    run: Box<dyn FnMut() -> u64>,
    best: f64,
}

fn tasks<G: Game + 'static>(game: &G, depth: u32) -> Vec<Task>
where
    G::Position: Playout + Chance + 'static,
{
    let start = game.start();
    let root = Branches(start.clone());
    let mut random = Random::new(1);
    let mut play = move |keen: bool| {
        let mut position = start.clone();
        for plies in 0..MAX_LENGTH {
            let step = if keen { position.keen_step(&mut random) } else { position.random_step(&mut random) };
            match step {
                Step::Move(mv) => position.play_rolled(mv, &mut random),
                Step::Over(_) => return u64::from(plies),
            };
        }
        u64::from(MAX_LENGTH)
    };
    let mut keen = play.clone();
    let id = game.id();
    let task = |what: &str, run| Task { what: format!("{id}: {what}"), run, best: 0.0 };
    vec![
        task("perft nodes", Box::new(move || perft(black_box(&root), depth))),
        task("plies of uniform play", Box::new(move || play(false))),
        task("plies of keen play", Box::new(move || keen(true))),
    ]
}

fn main() {
    let seconds: f64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(20.0);
    let rules = jewel_engine::games::find("diamond-chess").expect("an embedded game").rules();
    let chess = ChessGame::<Chess, 8>::new(rules).expect("a chess-like game");
    let mut all = tasks(&chess, 4);
    all.extend(tasks(&KingsMateGame::<Basic>::new(), 5));
    all.extend(tasks(&KingsMateGame::<Expanded>::new(), 5));
    all.extend(tasks(&KingsMateGame::<Active>::new(), 5));
    all.extend(tasks(&CrystalGame::new(), 4));
    let slice = Duration::from_secs_f64(0.05);
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    while Instant::now() < end {
        for task in &mut all {
            let (begin, mut count) = (Instant::now(), 0);
            while begin.elapsed() < slice {
                count += (0..8).map(|_| (task.run)()).sum::<u64>();
            }
            task.best = task.best.max(count as f64 / begin.elapsed().as_secs_f64());
        }
    }
    for task in &all {
        println!("{:45} {:8.1} million a second", task.what, task.best / 1e6);
    }
}
