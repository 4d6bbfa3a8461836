//! What the tests share.

use jewel_engine::random::Random;
use jewel_players::catalogue::AnyGame;
use jewel_players::engine::Engine;
use jewel_players::player::{Budget, Player, Turn};
use jewel_search::control::Stop;
use jewel_solver::tablebase::build::{Options, build};
use jewel_solver::tablebase::{Plan, Scope};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

pub(crate) fn duel() -> AnyGame {
    AnyGame::resolve("duel").unwrap()
}

pub(crate) fn line_at(game: AnyGame, fen: &str) -> Box<dyn Engine> {
    let mut line = game.open();
    line.set_position(Some(fen), &[]).unwrap();
    line
}

/// A game after four random plies.
pub(crate) fn begun(game: AnyGame, seed: u64) -> Box<dyn Engine> {
    let mut line = game.open();
    let mut random = Random::new(seed);
    for _ in 0..4 {
        let moves = line.moves();
        line.play(&moves[random.below(moves.len() as u32) as usize]).unwrap();
    }
    line
}

/// Plays a game to its end; the first player moves first.
pub(crate) fn play(
    players: &mut [Box<dyn Player>; 2],
    mut line: Box<dyn Engine>,
    seed: u64,
) -> Box<dyn Engine> {
    for player in players.iter_mut() {
        player.new_game(line.as_ref(), seed).unwrap();
    }
    let first = line.side_to_move();
    let begun = line.plies();
    while line.ending().is_none() && line.plies() < begun + 300 {
        let player = &mut players[usize::from(line.side_to_move() != first)];
        let turn = Turn { line: line.as_ref(), budget: &Budget::default() };
        let choice = player.choose(&turn, &Stop::new()).unwrap();
        choice.play(line.as_mut(), &mut jewel_engine::random::Random::new(1)).unwrap();
    }
    line
}

/// A folder that goes when the test is over.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("jewel-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// All tables of a game with at most this many pieces.
pub(crate) fn tables(name: &str, game: AnyGame, pieces: usize) -> Folder {
    let folder = Folder::new(name);
    let plan = Plan::new(game.rules().unwrap(), &Scope::MaxPieces(pieces)).unwrap();
    build(&plan, &folder.0, &Options::default(), &AtomicBool::new(false), &|_| {}).unwrap();
    folder
}
