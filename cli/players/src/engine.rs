//! Games with an engine, whatever their types: what `analyse`, `play`, `uci` and `tournament` have in common.
//!
//! [`open`] turns a game that was named into an [`AnyEngine`]; behind it everything is compiled for the one
//! game. Moves cross this edge as text.

use crate::built_in::with_built_in;
use crate::catalogue::AnyGame;
use crate::seated;
use crate::veiled::Seen;
use anyhow::Result;
use clap::ValueEnum;
use jewel_engine::diagram::Diagram;
use jewel_engine::random::Random;
use jewel_engine::value::{Side, Value, Verdict};
use jewel_engine::with_leanest_game;
use jewel_search::alphabeta::SearchParams;
use jewel_search::control::Stop;
use jewel_search::ismcts::Method;
use jewel_search::limits::Limits;
use jewel_search::report::{Info, Report};
use std::path::{Path, PathBuf};

/// The ways to choose a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Algorithm {
    /// Alpha-beta search with an evaluation
    Ab,
    /// Monte Carlo tree search
    Mcts,
}

impl Algorithm {
    /// The one that a game is given if none is asked for: alpha-beta search, where it sees everything.
    pub fn usual(game: AnyGame, cheat: bool) -> Algorithm {
        if game.hides() && !cheat { Algorithm::Mcts } else { Algorithm::Ab }
    }

    /// As it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Ab => "ab",
            Algorithm::Mcts => "mcts",
        }
    }
}

/// Which moves Monte Carlo tree search tries first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Priors {
    /// All alike.
    Uniform,
    /// Those after which the static evaluation is best.
    Evaluation,
}

/// How Monte Carlo tree search finds out what a leaf is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaf {
    /// By the static evaluation.
    Evaluated,
    /// By alpha-beta search of so many plies, and of what is noisy behind them.
    Searched(u32),
}

/// How an engine is set up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// How it chooses.
    pub algorithm: Algorithm,
    /// Threads that search, from 1.
    pub threads: usize,
    /// Mebibytes of the transposition table or the tree, from 1.
    pub hash: usize,
    /// Of all random choices.
    pub seed: u64,
    /// The directory of endgame tables to look values up in.
    pub tables: Option<PathBuf>,
    /// Of alpha-beta search: the numbers of pruning and reduction, if they are to be others than the game's.
    pub params: Option<SearchParams>,
    /// The file of the network that evaluates; `none` for the hand-made evaluation, `None` for the game's own.
    pub net: Option<PathBuf>,
    /// Of Monte Carlo tree search: which moves it tries first.
    pub priors: Priors,
    /// Of Monte Carlo tree search: what a leaf is worth, if that is not to be found as is usual in the game.
    pub leaf: Option<Leaf>,
    /// Of Monte Carlo tree search: what the worth of leaves, taken back along the tree by minimax, counts beside the
    /// results of simulations, in hundredths, if not what it usually does.
    pub minimax: Option<u32>,
    /// Of Monte Carlo tree search: plies of a playout before the static evaluation takes over; 0 for no
    /// playouts at all.
    pub playout_plies: u32,
    /// Of Monte Carlo tree search: how it deals with what its player does not see.
    pub guess: Method,
    /// Whether the engine may see what the game hides from its player: to measure what that is worth.
    pub cheat: bool,
}

/// With the guidance of Monte Carlo tree search that won the matches of `docs/mcts.md`.
impl Default for Options {
    fn default() -> Options {
        Options {
            algorithm: Algorithm::Ab,
            threads: 1,
            hash: 64,
            seed: 1,
            tables: None,
            params: None,
            net: None,
            priors: Priors::Evaluation,
            leaf: None,
            minimax: None,
            playout_plies: 0,
            guess: Method::default(),
            cheat: false,
        }
    }
}

/// How a game has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ending {
    /// Who has won.
    pub verdict: Verdict,
    /// Whether it is a draw for nothing but repetition.
    pub repetition: bool,
}

impl Ending {
    /// In words, with the names of the sides.
    pub fn text(self, sides: &[String; 2]) -> String {
        match self.verdict {
            Verdict::WhiteWins => format!("{} has won", sides[0]),
            Verdict::BlackWins => format!("{} has won", sides[1]),
            Verdict::Draw if self.repetition => "draw by repetition".to_string(),
            Verdict::Draw => "draw".to_string(),
        }
    }
}

/// A game in progress: a position and how it came about.
pub trait AnyLine: Send {
    /// The id of the game.
    fn game(&self) -> &str;

    /// The name of the game.
    fn name(&self) -> &str;

    /// The numbers of pruning and reduction that alpha-beta search has in this game if it is given no others.
    fn params(&self) -> SearchParams;

    /// Sets up a position, the start position where there is no `fen`, and plays moves from it.
    ///
    /// # Errors
    /// If the position string or a move is wrong: everything stays as it was.
    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) -> Result<()>;

    /// Plays a move, or in a game whose turns have several plies a turn or the beginning of one.
    ///
    /// # Errors
    /// If it is not legal: why.
    fn play(&mut self, mv: &str) -> Result<()>;

    /// Takes the last ply back; `false` if there is none.
    fn undo(&mut self) -> bool;

    /// The position string.
    fn fen(&self) -> String;

    /// The position string of where the moves began.
    fn first_fen(&self) -> String;

    /// The number of moves played.
    fn plies(&self) -> usize;

    /// The moves played, all but the first `from` of them.
    fn played_from(&self, from: usize) -> Vec<String>;

    /// How many plies each turn played so far has, the last one perhaps not yet complete; in most games one.
    fn turn_lengths(&self) -> Vec<usize>;

    /// The moves played, the plies of a turn as one text.
    fn turns(&self) -> Vec<String>;

    /// The moves played, ply by ply.
    fn played(&self) -> Vec<String> {
        self.played_from(0)
    }

    /// Whose turn it is.
    fn side_to_move(&self) -> Side;

    /// The hash of the position.
    fn zobrist_hash(&self) -> u64;

    /// A hash that the position shares with its mirror images, as far as the game does not tell them apart.
    fn symmetric_hash(&self) -> u64;

    /// What there is to draw.
    fn diagram(&self) -> Diagram;

    /// A start position drawn at random, in games that begin with a deal; `None` in all others.
    fn dealt(&self, random: &mut Random) -> Option<String>;

    /// What one player sees; `None` in games in which the players see the same.
    fn seen_by(&self, viewer: Side) -> Option<Seen>;

    /// What the last move has shown to both players of what only one of them saw before, in words.
    fn told(&self) -> Option<String>;

    /// The legal moves, ply by ply; a draw by rule may leave some. One that is rolled for is there once with each outcome.
    fn moves(&self) -> Vec<String>;

    /// Rolls for a legal move, whatever outcome its text may ask for: the text to play. Moves that nothing is
    /// rolled for stay as they are.
    ///
    /// # Errors
    /// If it is not legal: why.
    fn rolled(&self, mv: &str, random: &mut Random) -> Result<String>;

    /// How the game has ended, if it has.
    fn ending(&self) -> Option<Ending>;

    /// The static evaluation for the side to move, in centipawns.
    fn evaluation(&self) -> i32;

    /// Looks values up in the endgame tables of a folder from now on, or in none.
    ///
    /// # Errors
    /// If the tables cannot be used: those of before stay.
    fn use_tables(&mut self, folder: Option<&Path>) -> Result<()>;

    /// The exact value of the position, if the tables in use hold it.
    fn table_value(&self) -> Option<Value>;

    /// Counts the sequences of so many plies, telling the count below each move. `None` if stopped.
    fn perft(&self, depth: u32, stop: &Stop, each: &mut dyn FnMut(&str, u64)) -> Option<u64>;
}

/// A game in progress and an engine that plays it.
pub trait AnyEngine: AnyLine {
    /// Sets the engine up; it forgets everything if that is a change.
    ///
    /// # Errors
    /// If there is not enough memory, or the tables cannot be used: the old options hold.
    fn configure(&mut self, options: &Options) -> Result<()>;

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
pub fn open(game: AnyGame) -> Box<dyn AnyEngine> {
    match game {
        AnyGame::Variant(rules) => with_leanest_game!(rules, game => seated::seat(game)),
        AnyGame::BuiltIn(game) => with_built_in!(game, game => seated::seat(game)),
    }
}
