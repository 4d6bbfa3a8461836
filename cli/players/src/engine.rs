//! Games with an engine, whatever their types: what all commands and players have in common.
//!
//! [`AnyGame::open`](crate::catalogue::AnyGame::open) makes an [`Engine`]; behind it everything is compiled for the
//! one game. Moves cross this edge as text.

use crate::hidden::PlayerView;
use crate::line::SetupError;
use crate::options::Options;
use anyhow::Result;
use jewel_engine::diagram::Diagram;
use jewel_engine::perft::PerftTable;
use jewel_engine::random::Random;
use jewel_engine::value::{Outcome, Side, Value, Verdict};
use jewel_search::alphabeta::SearchParams;
use jewel_search::control::Stop;
use jewel_search::limits::Limits;
use jewel_search::report::{Info, Report};
use jewel_search::score::Score;
use std::path::Path;

/// How a game has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ending {
    /// Who has won.
    pub verdict: Verdict,
    /// Whether the game has ended only because a position was repeated.
    pub repetition: bool,
}

impl Ending {
    /// The ending with a result for the side to move.
    pub fn from_outcome(outcome: Outcome, mover: Side) -> Ending {
        Ending { verdict: outcome.absolute(mover), repetition: false }
    }

    /// In words, with the names of the sides.
    pub fn text(self, sides: &[String; 2]) -> String {
        match self.verdict {
            Verdict::WhiteWins | Verdict::BlackWins => {
                let winner = &sides[usize::from(self.verdict == Verdict::BlackWins)];
                let how = if self.repetition { " by repetition" } else { "" };
                format!("{winner} has won{how}")
            }
            Verdict::Draw if self.repetition => "draw by repetition".to_string(),
            Verdict::Draw => "draw".to_string(),
        }
    }
}

/// A game at a position, and how it came there: the start position, or one that was set up, and moves from it.
pub trait GameAt: Send {
    /// The id of the game.
    fn game(&self) -> &str;

    /// The name of the game.
    fn name(&self) -> &str;

    /// The parameters that alpha-beta search has in this game unless it is given others.
    fn params(&self) -> SearchParams;

    /// Sets up a position, the start position where there is no `fen`, and plays moves from it.
    ///
    /// # Errors
    /// If the position string or a move is wrong: everything stays as it was.
    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) -> Result<(), SetupError>;

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

    /// The moves played, without the first `from` of them.
    fn played_from(&self, from: usize) -> Vec<String>;

    /// The moves played, in standard algebraic notation; `None` in games that do not have it.
    fn played_san(&self) -> Option<Vec<String>>;

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

    /// The position, to be drawn.
    fn diagram(&self) -> Diagram;

    /// A start position drawn at random, in games that begin with a deal; `None` in all others.
    fn deal(&self, random: &mut Random) -> Option<String>;

    /// What one player sees; `None` in games in which both players see everything.
    fn view_of(&self, viewer: Side) -> Option<PlayerView>;

    /// Reads the text of what one player sees; `None` if it is a position string.
    ///
    /// # Errors
    /// If the text is wrong.
    fn read_view(&self, text: &str) -> Result<Option<PlayerView>>;

    /// What the last move has revealed to both players, in words.
    fn revealed(&self) -> Option<String>;

    /// The legal moves, ply by ply; a draw by rule may leave some. A move that is rolled for is listed with each
    /// outcome.
    fn moves(&self) -> Vec<String>;

    /// The legal turns: in most games [`moves`](GameAt::moves).
    fn legal_turns(&self) -> Vec<String>;

    /// The usual text of a legal move, or of a turn, that may be typed in another way, such as in SAN.
    ///
    /// # Errors
    /// If it is not legal: why.
    fn read_move(&self, typed: &str) -> Result<String>;

    /// The text of a legal move in standard algebraic notation; `None` in games that do not have it.
    fn san(&self, mv: &str) -> Option<String>;

    /// Rolls for a legal move, whatever outcome its text may ask for: the text to play. Moves that nothing is
    /// rolled for stay as they are.
    ///
    /// # Errors
    /// If it is not legal: why.
    fn rolled(&self, mv: &str, random: &mut Random) -> Result<String>;

    /// How the game has ended, if it has, by its rules or by repetition.
    fn ending(&self) -> Option<Ending>;

    /// The static evaluation for the side to move, in centipawns.
    fn evaluation(&self) -> i32;

    /// The score for the side to move by an alpha-beta search of some nodes that sees the whole position, with the evaluation
    /// and tables in use; a draw where the game is over. Earlier searches do not matter.
    ///
    /// # Errors
    /// If the mebibyte of memory that it needs is not available.
    fn searched_score(&mut self, nodes: u64) -> Result<Score>;

    /// Looks values up in the endgame tables of a folder from now on, or in none.
    ///
    /// # Errors
    /// If the tables cannot be used: the earlier ones stay in use.
    fn use_tables(&mut self, folder: Option<&Path>) -> Result<()>;

    /// The exact value of the position, if the tables in use hold it.
    fn table_value(&self) -> Option<Value>;

    /// Counts the sequences of `depth` plies below each move, on the threads of the current rayon pool, as
    /// [`divide_observed`](jewel_engine::perft::divide_observed) does.
    fn divide(
        &self,
        depth: u32,
        known: Option<&PerftTable>,
        done: &(dyn Fn(usize, usize) + Sync),
    ) -> Vec<(String, u64)>;

    /// Counts the sequences of `depth` plies on one thread, with a call of `each` for each move. `None` if stopped.
    fn perft(&self, depth: u32, stop: &Stop, each: &mut dyn FnMut(&str, u64)) -> Option<u64>;
}

/// A game at a position, and an engine that plays it.
pub trait Engine: GameAt {
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
    /// If the engine is not set up yet and there is no memory for it, or if one of the moves to be searched is not
    /// legal.
    fn search(
        &mut self,
        limits: &Limits<String>,
        stop: &Stop,
        on_info: &mut dyn FnMut(&Info<String>),
    ) -> Result<Report<String>>;
}
