//! Arguments about engines and how long they think.

use crate::beside;
use clap::Args;
use clap::builder::RangedU64ValueParser;
use jewel_players::catalogue::AnyGame;
use jewel_players::options::{Algorithm, Options};
use jewel_players::support::quantities::{parse_mebibytes, parse_time};
use jewel_search::ismcts::Method;
use jewel_search::limits::Limits;
use std::path::PathBuf;
use std::time::Duration;

/// The resources of an engine, and how it searches.
#[derive(Args, Clone, Debug)]
pub(crate) struct PowerArgs {
    /// Threads to search on [default: 1; a batch: one for each core]
    #[arg(long, value_name = "N", help_heading = "Engine", value_parser = RangedU64ValueParser::<usize>::new().range(1..=256))]
    pub(crate) threads: Option<usize>,

    /// Memory for the transposition table or the tree, in mebibytes, or with a unit such as 2G [default: 64]
    #[arg(long, value_name = "SIZE", help_heading = "Engine", value_parser = parse_mebibytes)]
    pub(crate) hash: Option<usize>,

    /// Seed of Monte Carlo tree search [default: 1]
    #[arg(long, value_name = "N", help_heading = "Engine")]
    pub(crate) seed: Option<u64>,

    /// Look positions up in the endgame tables, solution and proof files of this directory, or of the game's directory in it
    #[arg(long, value_name = "DIR", help_heading = "Engine")]
    pub(crate) tables: Option<PathBuf>,

    /// Evaluate by the network of this file, as jewel train makes it, or with `none` by hand-made terms [default: the net beside the variant file, such as mine.net beside mine.toml, or the game's own]
    #[arg(long, value_name = "FILE", help_heading = "Engine")]
    pub(crate) net: Option<PathBuf>,

    /// How mcts searches what its player does not see (crown-jewels): flat, determinized, single, multi or mutual [default: multi]
    #[arg(long, value_name = "METHOD", help_heading = "Engine", value_parser = method)]
    pub(crate) guess: Option<Method>,

    /// Let engines see what the game hides from their players (crown-jewels): an upper bound, not fair play
    #[arg(long, help_heading = "Engine")]
    pub(crate) cheat: bool,
}

fn method(typed: &str) -> Result<Method, String> {
    let names = || Method::ALL.map(Method::name).join(", ");
    Method::from_name(typed).ok_or_else(|| format!("write one of {}", names()))
}

impl PowerArgs {
    /// Says what lies beside the variant file of a game, unless an evaluation was asked for.
    pub(crate) fn tell_beside(&self, game: AnyGame) {
        if self.net.is_none() {
            beside::tell(game, "--net none");
        }
    }

    /// The options of an engine.
    pub(crate) fn options(&self, algorithm: Algorithm) -> Options {
        let default = Options::default();
        Options {
            algorithm,
            threads: self.threads.unwrap_or(default.threads),
            hash: self.hash.unwrap_or(default.hash),
            seed: self.seed.unwrap_or(default.seed),
            tables: self.tables.clone(),
            net: self.net.clone(),
            guess: self.guess.unwrap_or(default.guess),
            cheat: self.cheat,
            ..default
        }
    }
}

/// How long a search may take.
#[derive(Args, Clone, Debug)]
pub(crate) struct LimitArgs {
    /// Plies to search; with mcts the longest path in the tree
    #[arg(long, value_name = "PLIES", help_heading = "Limits", value_parser = RangedU64ValueParser::<u32>::new().range(1..))]
    pub(crate) depth: Option<u32>,

    /// Positions to look at
    #[arg(long, value_name = "N", help_heading = "Limits", value_parser = RangedU64ValueParser::<u64>::new().range(1..))]
    pub(crate) nodes: Option<u64>,

    /// Time to think: seconds, or with a unit such as 500ms or 2m
    #[arg(long, value_name = "TIME", help_heading = "Limits", value_parser = parse_time)]
    pub(crate) time: Option<Duration>,

    /// Simulations to run (mcts)
    #[arg(long, value_name = "N", help_heading = "Limits", value_parser = RangedU64ValueParser::<u64>::new().range(1..))]
    pub(crate) playouts: Option<u64>,
}

impl LimitArgs {
    /// Whether no limit was given that ends a search by this algorithm.
    pub(crate) fn needs_time(&self, algorithm: Algorithm) -> bool {
        let playouts = self.playouts.filter(|_| algorithm == Algorithm::Mcts);
        self.depth.is_none() && self.nodes.is_none() && playouts.is_none() && self.time.is_none()
    }

    /// The limits, with a time of `default` if no other limit was given.
    pub(crate) fn limits(&self, algorithm: Algorithm, default: Duration) -> Limits<String> {
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            playouts: self.playouts,
            movetime: self.time.or_else(|| self.needs_time(algorithm).then_some(default)),
            ..Limits::default()
        }
    }
}
