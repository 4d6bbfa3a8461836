//! How an engine is set up.

use clap::ValueEnum;
use jewel_search::alphabeta::SearchParams;
use jewel_search::ismcts::Method;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The ways to choose a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Algorithm {
    /// Alpha-beta search with an evaluation
    Ab,
    /// Monte Carlo tree search
    Mcts,
}

impl Algorithm {
    /// As it is typed: `ab` or `mcts`.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Ab => "ab",
            Algorithm::Mcts => "mcts",
        }
    }
}

/// Which moves Monte Carlo tree search tries first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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
    /// By alpha-beta search of this many plies, followed by a search of captures.
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
    /// The seed of all random choices.
    pub seed: u64,
    /// The directory of endgame tables to look values up in.
    pub tables: Option<PathBuf>,
    /// The parameters of alpha-beta search; `None` for those of the game.
    pub params: Option<SearchParams>,
    /// The file of the weights of the evaluation, as `jewel tune` writes them; `None` for the game's own. It excludes
    /// `net`.
    pub weights: Option<PathBuf>,
    /// The file of the network that evaluates; `none` for the hand-made evaluation, `None` for the game's own.
    pub net: Option<PathBuf>,
    /// Features of the search that are switched off, by name.
    pub off: Vec<String>,
    /// For Monte Carlo tree search: which moves it tries first.
    pub priors: Priors,
    /// For Monte Carlo tree search: how leaves are valued; `None` for the way that suits the game.
    pub leaf: Option<Leaf>,
    /// For Monte Carlo tree search: how much the values of leaves, backed up by minimax, count beside the results of
    /// simulations, in hundredths; `None` for what suits the game.
    pub minimax: Option<u32>,
    /// For Monte Carlo tree search: plies of a playout before the static evaluation takes over; 0 for no playouts.
    pub playout_plies: u32,
    /// For Monte Carlo tree search: how it deals with what its player does not see.
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
            weights: None,
            net: None,
            off: Vec::new(),
            priors: Priors::Evaluation,
            leaf: None,
            minimax: None,
            playout_plies: 0,
            guess: Method::default(),
            cheat: false,
        }
    }
}
