//! Whoever chooses moves: engines of this program, other programs, people.

use crate::engine::AnyLine;
use jewel_search::clock::Bonus;
use jewel_search::control::Stop;
use jewel_search::report::Info;
use std::time::Duration;
use thiserror::Error;

/// Someone who plays games to their end, one after the other.
pub trait Player: Send {
    /// As it is shown in tables and records.
    fn name(&self) -> &str;

    /// Prepares for a new game, which starts at the current position of `line`. Nothing of earlier games may
    /// influence the moves of this one.
    ///
    /// # Errors
    /// If it cannot play: it takes part in no game before it is asked for a new one.
    fn new_game(&mut self, line: &dyn AnyLine, seed: u64) -> Result<(), Fault>;

    /// Chooses a move in a game that is not over. A player that is told to stop answers soon.
    ///
    /// # Errors
    /// If no move comes: the game is lost, and the player has to be made ready by
    /// [`new_game`](Player::new_game) before it plays again.
    fn choose(&mut self, turn: &Turn<'_>, stop: &Stop) -> Result<Choice, Fault>;
}

/// What a player is asked.
#[derive(Clone, Copy)]
pub struct Turn<'a> {
    /// The game so far.
    pub line: &'a dyn AnyLine,
    /// How long to think.
    pub budget: &'a Budget,
}

/// How long a player may think about a move. Several limits may hold at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    /// Plies to search.
    pub depth: Option<u32>,
    /// Positions to look at.
    pub nodes: Option<u64>,
    /// Simulations to run.
    pub playouts: Option<u64>,
    /// The time of the move.
    pub movetime: Option<Duration>,
    /// The clocks of the game, if it is played with clocks.
    pub clocks: Option<Clocks>,
}

/// The clocks of both sides, White's first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clocks {
    /// What is left.
    pub remaining: [Duration; 2],
    /// What a move brings.
    pub bonus: [Bonus; 2],
    /// Moves to the next control, if the control repeats.
    pub moves_to_go: [Option<u32>; 2],
}

/// A move and what its player thought.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The move; who asked checks that it is legal.
    pub mv: String,
    /// The last word about the position, if the player says such things: score, depth, nodes, line.
    pub thought: Option<Info<String>>,
}

/// Why a player has no move to offer.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Fault {
    /// The program cannot be started.
    #[error("cannot be started: {0}")]
    Start(String),
    /// The program has ended, or closed its output.
    #[error("died: {0}")]
    Died(String),
    /// No answer in time.
    #[error("no answer {0}")]
    Silent(String),
    /// An answer that means nothing.
    #[error("answered nonsense: {0}")]
    Nonsense(String),
    /// The player gave up, or cannot play the game.
    #[error("{0}")]
    Unable(String),
}
