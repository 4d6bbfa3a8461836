//! Plies of random play a second, world-tree next to diamond-quest in one run.
//!
//!     cargo run --release -p jewel-engine --example random_play -- [rounds] [world-tree | diamond-quest]
//!
//! Each game is measured in turns, so that a busy machine is busy for all. With one game named, `valgrind
//! --tool=callgrind` tells the instructions a ply.

use jewel_engine::ability::{Game, Packed, Symmetric};
use jewel_engine::playout::{Playout, Step};
use jewel_engine::random::Random;
use jewel_engine::with_leanest_game;
use jewel_engine::world_tree::WorldTreeGame;
use std::time::Instant;

/// Games in one round, and the plies after which each is broken off.
const GAMES: u32 = 20;
const MAX_PLIES: u32 = 400;

/// Plays random games; the plies and the seconds that they took.
fn play<P: Playout>(start: &P, seed: u64) -> (u64, f64) {
    let (mut random, mut plies, begin) = (Random::new(seed), 0, Instant::now());
    for _ in 0..GAMES {
        let mut position = start.clone();
        for _ in 0..MAX_PLIES {
            let Step::Move(mv) = position.random_step(&mut random) else { break };
            position.play(mv);
            plies += 1;
        }
    }
    (plies, begin.elapsed().as_secs_f64())
}

/// Sums over rounds, and the best round.
#[derive(Default)]
struct Figures {
    plies: u64,
    seconds: f64,
    best: f64,
}

impl Figures {
    fn add(&mut self, (plies, seconds): (u64, f64)) {
        self.plies += plies;
        self.seconds += seconds;
        self.best = self.best.max(plies as f64 / seconds);
    }

    fn print(&self, name: &str) {
        let mean = self.plies as f64 / self.seconds / 1e6;
        println!("{name}: {} plies, {mean:.1} M/s, best round {:.1} M/s", self.plies, self.best / 1e6);
    }
}

struct Play(u64);

impl Play {
    fn visit<G>(self, game: G) -> (u64, f64)
    where
        G: Game,
        G::Position: Packed + Symmetric + Playout,
    {
        play(&game.start(), self.0)
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let rounds = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(200);
    let only = arguments.next().unwrap_or_default();
    let wanted = |name: &str| only.is_empty() || only == name;
    let tree = [WorldTreeGame::standard(), WorldTreeGame::new()];
    let quest = jewel_engine::games::find("diamond-quest").map(|game| game.rules());
    let mut figures: [Figures; 3] = Default::default();
    for round in 0..rounds {
        for (game, figures) in tree.iter().zip(&mut figures) {
            if wanted("world-tree") {
                figures.add(play(&game.start(), round));
            }
        }
        if let Some(rules) = quest.filter(|_| wanted("diamond-quest")) {
            figures[2].add(with_leanest_game!(rules, game => Play(round).visit(game)));
        }
    }
    for (name, figures) in [tree[0].id(), tree[1].id(), "diamond-quest"].iter().zip(&figures) {
        if figures.plies > 0 {
            figures.print(name);
        }
    }
}
