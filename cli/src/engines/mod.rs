//! Games with an engine, whatever their types: what `analyse`, `play` and `uci` have in common.
//!
//! [`open`] turns a game that was named into a [`AnyEngine`]; behind it everything is compiled for the one
//! game. Moves cross this edge as text.

pub(crate) mod arguments;
pub(crate) mod score;
mod seated;

use crate::arguments::GameArgs;
use crate::registry::{AnyGame, shortened};
use anyhow::{Result, anyhow};
use clap::ValueEnum;
use jewel_engine::diagram::Diagram;
use jewel_engine::value::{Side, Verdict};
use jewel_search::control::Stop;
use jewel_search::limits::Limits;
use jewel_search::report::{Info, Report};

/// The ways to choose a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Brain {
    /// Alpha-beta search with an evaluation
    Ab,
    /// Monte Carlo tree search
    Mcts,
}

impl Brain {
    /// As it is typed.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Brain::Ab => "ab",
            Brain::Mcts => "mcts",
        }
    }
}

/// How an engine is set up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Options {
    pub(crate) brain: Brain,
    /// Threads that search, from 1.
    pub(crate) threads: usize,
    /// Mebibytes of the transposition table or the tree, from 1.
    pub(crate) hash: usize,
    /// Of all random choices.
    pub(crate) seed: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options { brain: Brain::Ab, threads: 1, hash: 64, seed: 1 }
    }
}

/// How a game has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ending {
    pub(crate) verdict: Verdict,
    /// Whether it is a draw for nothing but repetition.
    pub(crate) repetition: bool,
}

impl Ending {
    /// In words, with the names of the sides.
    pub(crate) fn text(self, sides: &[String; 2]) -> String {
        match self.verdict {
            Verdict::WhiteWins => format!("{} has won", sides[0]),
            Verdict::BlackWins => format!("{} has won", sides[1]),
            Verdict::Draw if self.repetition => "draw by repetition".to_string(),
            Verdict::Draw => "draw".to_string(),
        }
    }
}

/// A game in progress and an engine that plays it.
pub(crate) trait AnyEngine: Send {
    /// The id of the game.
    fn game(&self) -> &str;

    /// The name of the game.
    fn name(&self) -> &str;

    /// Sets up a position, the start position where there is no `fen`, and plays moves from it.
    ///
    /// # Errors
    /// If the position string or a move is wrong: everything stays as it was.
    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) -> Result<()>;

    /// Plays a move.
    ///
    /// # Errors
    /// If it is not legal: why.
    fn play(&mut self, mv: &str) -> Result<()>;

    /// Takes the last move back; `false` if there is none.
    fn undo(&mut self) -> bool;

    /// The position string.
    fn fen(&self) -> String;

    /// The position string of where the moves began.
    fn first_fen(&self) -> String;

    /// The moves played.
    fn played(&self) -> Vec<String>;

    fn side_to_move(&self) -> Side;

    /// The hash of the position.
    fn key(&self) -> u64;

    fn diagram(&self) -> Diagram;

    /// The legal moves; a draw by rule may leave some.
    fn moves(&self) -> Vec<String>;

    /// How the game has ended, if it has.
    fn ending(&self) -> Option<Ending>;

    /// The static evaluation for the side to move, in centipawns.
    fn evaluation(&self) -> i32;

    /// Counts the sequences of so many plies, telling the count below each move. `None` if stopped.
    fn perft(&self, depth: u32, stop: &Stop, each: &mut dyn FnMut(&str, u64)) -> Option<u64>;

    /// Sets the engine up; it forgets everything if that is a change.
    ///
    /// # Errors
    /// If there is not enough memory: the old options hold.
    fn configure(&mut self, options: Options) -> Result<()>;

    /// Forgets all earlier searches.
    fn forget(&mut self);

    /// Searches the position. Unlike the searchers, this gives a move wherever there is a legal one that is
    /// allowed, even if the game has been drawn by rule. An infinite search, and one that ponders, lasts until
    /// it is told to end.
    ///
    /// # Errors
    /// If the engine is not set up yet and there is no memory for it, or if one of the moves to be looked at
    /// is not legal.
    fn search(
        &mut self,
        limits: &Limits<String>,
        stop: &Stop,
        on_info: &mut dyn FnMut(&Info<String>),
    ) -> Result<Report<String>>;
}

/// The engine of a game, at its start position.
pub(crate) fn open(game: AnyGame) -> Box<dyn AnyEngine> {
    game.visit_static(seated::Open)
}

/// The engine of a game at the position that was typed.
///
/// # Errors
/// If game, position or moves are wrong.
pub(crate) fn open_at(args: &GameArgs) -> Result<Box<dyn AnyEngine>> {
    let mut engine = open(args.resolve()?);
    engine.set_position(args.fen.as_deref(), &[]).map_err(|e| anyhow!("--fen: {e}"))?;
    let texts: Vec<&str> = args.moves.as_deref().unwrap_or_default().split_whitespace().collect();
    for (n, text) in texts.iter().enumerate() {
        engine.play(text).map_err(|e| {
            anyhow!("--moves: move {} of {}, \"{}\": {e}", n + 1, texts.len(), shortened(text))
        })?;
    }
    Ok(engine)
}
