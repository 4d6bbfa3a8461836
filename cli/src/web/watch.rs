//! Players that show the boards they play on.

use jewel_players::engine::GameAt;
use jewel_players::player::{Choice, Fault, Player, Turn};
use jewel_search::control::Stop;
use jewel_tournament::runner::PlayerFactory;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The games that are being played, one for each worker.
#[derive(Clone, Default)]
pub(crate) struct Boards(Arc<Mutex<BTreeMap<usize, Running>>>);

/// A game that is being played.
#[derive(Clone, Serialize)]
pub(super) struct Running {
    game: String,
    /// The position in which it began.
    start: String,
    moves: Vec<String>,
    /// The players, White's first; empty until they have been asked for a move.
    players: [String; 2],
}

impl Boards {
    pub(super) fn all(&self) -> Vec<Running> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// Notes where a game is; `new` forgets the players of the one before.
    fn note(&self, line: &dyn GameAt, name: &str, new: bool) {
        // Both players of a game are asked on the line of their worker.
        let key = std::ptr::from_ref(line).cast::<()>() as usize;
        let mut boards = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let players = match boards.remove(&key) {
            Some(running) if !new => running.players,
            _ => Default::default(),
        };
        let mut running =
            Running { game: line.game().to_string(), start: line.first_fen(), moves: line.played(), players };
        if !new {
            running.players[line.side_to_move().index()] = name.to_string();
        }
        boards.insert(key, running);
    }
}

/// The players of a tournament, who show their boards.
pub(crate) struct Watched<'a> {
    pub(crate) factory: &'a dyn PlayerFactory,
    pub(crate) boards: Boards,
    pub(crate) names: &'a [String],
}

impl PlayerFactory for Watched<'_> {
    fn line(&self, stage: usize) -> anyhow::Result<Box<dyn GameAt>> {
        self.factory.line(stage)
    }

    fn player(&self, stage: usize, number: usize) -> Result<Box<dyn Player>, Fault> {
        let player = self.factory.player(stage, number)?;
        Ok(Box::new(WatchedPlayer { player, boards: self.boards.clone(), name: self.names[number].clone() }))
    }
}

struct WatchedPlayer {
    player: Box<dyn Player>,
    boards: Boards,
    name: String,
}

impl Player for WatchedPlayer {
    fn name(&self) -> &str {
        self.player.name()
    }

    fn title(&self) -> Option<&str> {
        self.player.title()
    }

    fn new_game(&mut self, line: &dyn GameAt, seed: u64) -> Result<(), Fault> {
        self.boards.note(line, &self.name, true);
        self.player.new_game(line, seed)
    }

    fn rehearse(&mut self, line: &dyn GameAt) -> Result<(), Fault> {
        self.player.rehearse(line)
    }

    fn choose(&mut self, turn: &Turn<'_>, stop: &Stop) -> Result<Choice, Fault> {
        self.boards.note(turn.line, &self.name, false);
        self.player.choose(turn, stop)
    }
}
