//! Players as they are written: `name=ab1,kind=ab,nodes=20000` on a command line, the same keys as a table in
//! a TOML file.
//!
//! Whoever runs games needs nothing but this module and [`player`](crate::player):
//!
//! ```
//! use jewel_engine::random::Random;
//! use jewel_players::catalogue::AnyGame;
//! use jewel_players::player::{Budget, Turn};
//! use jewel_players::spec::PlayerSpec;
//! use jewel_search::control::Stop;
//!
//! let game = AnyGame::resolve("duel").unwrap();
//! let specs: Vec<PlayerSpec> = ["ab,nodes=500", "random,seed=7"].map(|text| text.parse().unwrap()).to_vec();
//! let mut players: Vec<_> = specs.iter().map(|spec| spec.build(&game).unwrap()).collect();
//! let mut line = game.open();
//! for player in &mut players {
//!     player.new_game(line.as_ref(), 1).unwrap();
//! }
//! let (budget, mut dice) = (Budget::default(), Random::new(1));
//! while line.ending().is_none() {
//!     let player = &mut players[line.plies() % 2];
//!     let choice = player.choose(&Turn { line: line.as_ref(), budget: &budget }, &Stop::new()).unwrap();
//!     choice.play(line.as_mut(), &mut dice).unwrap();
//! }
//! ```
//!
//! [`KEYS`] lists the keys and whom they are for. The limits of a specification hold beside those of the
//! [`Budget`] that comes with a turn: the stricter one counts. A player with neither cannot play, which
//! [`PlayerSpec::needs_limit`] tells beforehand.

mod keys;
mod read;

pub use keys::{KEYS, Key, Kind};

use crate::catalogue::AnyGame;
use crate::options::{Algorithm, Options};
use crate::player::{Budget, Player};
use crate::players::external::{External, Program};
use crate::players::greedy::Greedy;
use crate::players::human::Human;
use crate::players::random::RandomPlayer;
use crate::players::searching::Searching;
use crate::players::table::TablePlayer;
use crate::support::pairs::{self, Pair};
use anyhow::{Result, anyhow, bail};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use thiserror::Error;

/// Why a text or a table is no player: one line.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct SpecError(String);

/// Who a player is and how it is set up, checked. Equal ones play alike.
#[derive(Clone, PartialEq, Debug)]
pub struct PlayerSpec {
    name: String,
    kind: Kind,
    /// As they were written, keys in their usual spelling.
    pairs: Vec<Pair>,
    setup: Setup,
    own: Budget,
}

/// What a player is made of.
#[derive(Clone, PartialEq, Debug)]
enum Setup {
    Random { seed: u64 },
    Greedy { seed: u64 },
    Search { options: Options, hash: Option<usize> },
    Table { tables: PathBuf, seed: u64, fallback: Option<Box<Setup>> },
    Human,
    Program(Program),
}

impl PlayerSpec {
    /// The player of these pairs.
    ///
    /// # Errors
    /// If a key is unknown, given twice or not for this kind of player, if one is missing, or if a value is
    /// wrong: one line that names the player, if it has a name, the key, and what would be right.
    pub fn from_pairs(pairs: Vec<Pair>) -> Result<PlayerSpec, SpecError> {
        let name = pairs.iter().find(|(key, _)| key == "name").map(|(_, name)| name.clone());
        read::spec(pairs).map_err(|problem| match name.filter(|name| !name.is_empty()) {
            Some(name) => {
                SpecError(format!("player \"{}\": {problem}", crate::support::words::shortened(&name)))
            }
            None => SpecError(format!("player: {problem}")),
        })
    }

    /// The name: as given, or else the kind or the name of the program.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The same player under another name.
    pub fn renamed(mut self, name: &str) -> PlayerSpec {
        self.pairs.retain(|(key, _)| key != "name");
        self.pairs.push(("name".to_string(), name.to_string()));
        self.name = name.to_string();
        self
    }

    /// What sort of player it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Its own limits, which hold in every turn.
    pub fn budget(&self) -> &Budget {
        &self.own
    }

    /// Whether it thinks for ever where nothing limits it: neither its own limits nor a [`Budget`].
    pub fn needs_limit(&self) -> bool {
        let thinks = |setup: &Setup| matches!(setup, Setup::Search { .. } | Setup::Program(_));
        let setup = match &self.setup {
            Setup::Table { fallback: Some(fallback), .. } => fallback,
            setup => setup,
        };
        thinks(setup) && self.own.is_unlimited()
    }

    /// Threads that it keeps busy in its turn; what other programs do is known only where it was asked for.
    pub fn threads(&self) -> usize {
        let of = |setup: &Setup| match setup {
            Setup::Search { options, .. } => options.threads,
            Setup::Program(program) => program.threads(),
            _ => 1,
        };
        match &self.setup {
            Setup::Table { fallback: Some(fallback), .. } => of(fallback),
            setup => of(setup),
        }
    }

    /// The player, for one game of this program at a time. Several may be built of one specification and play
    /// at the same time, each in a thread of its own.
    ///
    /// # Errors
    /// If its tables cannot be used. Other programs are started when they are asked for their first game.
    pub fn build(&self, game: &AnyGame) -> Result<Box<dyn Player>> {
        let built = self.build_of(&self.setup, *game);
        built.map_err(|e| anyhow!("player \"{}\": {e:#}", crate::support::words::shortened(&self.name)))
    }

    /// Has a player [rehearse](Player::rehearse) and dismisses it: files are read, other programs started.
    ///
    /// # Errors
    /// If it cannot play: a file cannot be used, or a program not be started.
    pub fn rehearse(&self, game: &AnyGame) -> Result<()> {
        let line = game.open();
        self.build(game)?.rehearse(line.as_ref()).map_err(|fault| anyhow!("{} {fault}", self.name))
    }

    fn build_of(&self, setup: &Setup, game: AnyGame) -> Result<Box<dyn Player>> {
        let name = self.name.clone();
        let sees_all = match setup {
            Setup::Greedy { .. } | Setup::Program(_) => true,
            Setup::Search { options, .. } => options.algorithm == Algorithm::Ab && !options.cheat,
            _ => false,
        };
        if sees_all && game.hides() {
            bail!(
                "it would be shown what {} hides from its players; mcts and random are not",
                game.card().id
            );
        }
        Ok(match setup {
            Setup::Random { seed } => Box::new(RandomPlayer::new(name, *seed)),
            Setup::Greedy { seed } => Box::new(Greedy::new(name, game, *seed)),
            Setup::Search { options, hash } => {
                Box::new(Searching::new(name, game, options.clone(), *hash, self.own))
            }
            Setup::Table { tables, seed, fallback } => {
                let fallback = fallback.as_ref().map(|setup| self.build_of(setup, game)).transpose()?;
                Box::new(TablePlayer::new(name, game, tables, *seed, fallback)?)
            }
            Setup::Human => Box::new(Human::new(name)),
            Setup::Program(program) => Box::new(External::new(name, game, program.clone(), self.own)),
        })
    }
}

/// Reads `key=value,key=value`; a first entry without `=` is the kind. How values are quoted is told at
/// [`pairs::parse`].
impl FromStr for PlayerSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<PlayerSpec, SpecError> {
        let pairs = pairs::parse(text, "kind").map_err(|problem| SpecError(format!("player: {problem}")))?;
        PlayerSpec::from_pairs(pairs)
    }
}

/// The pairs, such that they can be read again.
impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&pairs::text(&self.pairs))
    }
}

/// The algorithm of a kind that searches.
fn algorithm(kind: Kind) -> Option<Algorithm> {
    match kind {
        Kind::Ab => Some(Algorithm::Ab),
        Kind::Mcts => Some(Algorithm::Mcts),
        _ => None,
    }
}
