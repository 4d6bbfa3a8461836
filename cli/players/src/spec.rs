//! Players as they are set up: `name=ab1,kind=ab,nodes=20000` on a command line, the same keys as a table in a
//! TOML file, or [`PlayerOptions`] without any text.
//!
//! Code that runs games needs only this module and [`player`](crate::player):
//!
//! ```
//! use jewel_engine::random::Random;
//! use jewel_players::catalogue::AnyGame;
//! use jewel_players::engine::GameAt;
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
//! [`KEYS`] lists the keys and the kinds of players that take them. The limits of a specification hold beside
//! those of the [`Budget`] that comes with a turn: the stricter one counts. A player with neither cannot play;
//! [`PlayerSpec::needs_limit`] tells beforehand.

mod keys;
mod setup;

pub use crate::options::{Leaf, Priors};
pub use keys::{KEYS, Key, Kind, PlayerOptions};

use crate::catalogue::AnyGame;
use crate::options::Algorithm;
use crate::player::{Budget, Player};
use crate::players::external::External;
use crate::players::greedy::Greedy;
use crate::players::human::Human;
use crate::players::random::RandomPlayer;
use crate::players::searching::Searching;
use crate::players::table::TablePlayer;
use crate::settings::{Error, Table, text};
use crate::support::words::shortened;
use anyhow::{Result, anyhow, bail};
use jewel_engine::text::is_disruptive;
use setup::{Setup, setup};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use thiserror::Error as ThisError;

/// Why options, or a text, do not make a player: one line.
#[derive(Clone, PartialEq, Eq, Debug, ThisError)]
#[error("{0}")]
pub struct SpecError(String);

/// Who a player is and how it is set up, checked. Equal ones play alike.
#[derive(Clone, PartialEq, Debug)]
pub struct PlayerSpec {
    name: String,
    kind: Kind,
    /// As they were written, keys in their usual spelling.
    pairs: Vec<(String, String)>,
    setup: Setup,
    own: Budget,
}

impl PlayerSpec {
    /// The player with these options.
    ///
    /// # Errors
    /// If an option is not for this kind of player, is missing or has a wrong value: one line that names the
    /// player, if it has a name, the key, and what would be right.
    pub fn new(options: &PlayerOptions) -> Result<PlayerSpec, SpecError> {
        let pairs = serde_json::to_value(options).map(|value| flattened(&value));
        PlayerSpec::checked(options, pairs.map_err(|e| SpecError(e.to_string()))?)
    }

    /// The player of a table of the keys.
    ///
    /// # Errors
    /// As for [`new`](PlayerSpec::new), or if a key is unknown or its value cannot be read; with the place of the
    /// mistake.
    pub fn from_table(table: &Table) -> Result<PlayerSpec, Error> {
        PlayerSpec::checked(&table.read()?, table.pairs()).map_err(|e| Error::new(e.0).at(&table.place))
    }

    fn checked(options: &PlayerOptions, pairs: Vec<(String, String)>) -> Result<PlayerSpec, SpecError> {
        let problem = |problem| player_error(options.name.as_deref(), problem);
        let (kind, setup) = setup(options, &pairs).map_err(problem)?;
        let name = match &options.name {
            Some(name) if name.is_empty() => return Err(problem("name is empty".to_string())),
            Some(name) => name.replace(is_disruptive, "\u{fffd}"),
            None => setup.usual_name(kind),
        };
        let own = Budget {
            depth: options.depth,
            nodes: options.nodes,
            playouts: options.playouts,
            movetime: options.time,
            clocks: None,
        };
        Ok(PlayerSpec { name, kind, pairs, setup, own })
    }

    /// The name: as given, or else the kind or the name of the program.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What sort of player it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Its own limits, which hold in every turn.
    pub fn budget(&self) -> &Budget {
        &self.own
    }

    /// Whether it would think without end where nothing limits it: neither its own limits nor a [`Budget`].
    pub fn needs_limit(&self) -> bool {
        matches!(self.setup.mover(), Setup::Search { .. } | Setup::Program(_)) && self.own.is_unlimited()
    }

    /// Whether chance has a say in its moves in a game, or in what they do, so that it may play the same game twice
    /// by chance. Other players answer a question as they did before, but for what their clock and their threads
    /// change.
    pub fn chooses_at_random(&self, game: &AnyGame) -> bool {
        game.has_dice()
            || match &self.setup {
                Setup::Random { .. } | Setup::Greedy { .. } | Setup::Table { .. } => true,
                Setup::Search { options, .. } => {
                    options.algorithm == Algorithm::Mcts && (options.playout_plies > 0 || game.hides())
                }
                Setup::Human | Setup::Program(_) => false,
            }
    }

    /// Whether it evaluates by what the game has, and not by a file of its own.
    pub fn uses_own_evaluation(&self) -> bool {
        match self.setup.mover() {
            Setup::Search { options, .. } => options.weights.is_none() && options.net.is_none(),
            Setup::Greedy { .. } => true,
            _ => false,
        }
    }

    /// The files that it plays by: weights, network and search parameters, and for another program its variants and itself.
    /// With other contents of these it is another player.
    pub fn files(&self) -> Vec<PathBuf> {
        const FILES: [&str; 4] = ["net", "params", "variants", "weights"];
        let named =
            self.pairs.iter().filter(|(key, _)| FILES.contains(&key.rsplit('.').next().unwrap_or(key)));
        let mut files: Vec<PathBuf> = named.map(|(_, name)| PathBuf::from(name)).collect();
        if let Setup::Program(program) = self.setup.mover() {
            files.extend(program.words.first().map(PathBuf::from));
        }
        files.retain(|file| file.is_file());
        files
    }

    /// Threads that it keeps busy in its turn; for other programs, those that they were told to use.
    pub fn threads(&self) -> usize {
        match self.setup.mover() {
            Setup::Search { options, .. } => options.threads,
            Setup::Program(program) => program.threads(),
            _ => 1,
        }
    }

    /// The player, for one game of this program at a time. Several may be built of one specification and play
    /// at the same time, each in a thread of its own.
    ///
    /// # Errors
    /// If its tables cannot be used. Other programs are started when they are asked for their first game.
    pub fn build(&self, game: &AnyGame) -> Result<Box<dyn Player>> {
        let built = self.build_of(&self.setup, *game);
        built.map_err(|e| anyhow!("player \"{}\": {e:#}", shortened(&self.name)))
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
                Box::new(Searching::new(name, game, options.as_ref().clone(), *hash, self.own))
            }
            Setup::Table { tables, seed, fallback } => {
                let fallback = fallback.as_ref().map(|setup| self.build_of(setup, game)).transpose()?;
                Box::new(TablePlayer::new(name, game, tables, *seed, fallback)?)
            }
            Setup::Human => Box::new(Human::new(name)),
            Setup::Program(program) => {
                Box::new(External::new(name, game, program.as_ref().clone(), self.own))
            }
        })
    }
}

/// Reads `key=value,key=value`; a first entry without `=` is the kind. [`text::pairs`] tells how values are quoted.
impl FromStr for PlayerSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<PlayerSpec, SpecError> {
        let table = Table::from_pairs("", text, "kind").map_err(|e| player_error(None, e.to_string()))?;
        let options: PlayerOptions =
            table.read().map_err(|e| player_error(table.text("name"), e.to_string()))?;
        PlayerSpec::checked(&options, table.pairs())
    }
}

/// The pairs, such that they can be read again.
impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&text::join(&self.pairs))
    }
}

fn player_error(name: Option<&str>, problem: String) -> SpecError {
    match name.filter(|name| !name.is_empty()) {
        Some(name) => SpecError(format!("player \"{}\": {problem}", shortened(name))),
        None => SpecError(format!("player: {problem}")),
    }
}

/// Keys and values as text, those of a table as `table.key`.
fn flattened(value: &serde_json::Value) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for (key, value) in value.as_object().into_iter().flatten() {
        match value {
            serde_json::Value::String(text) => pairs.push((key.clone(), text.clone())),
            serde_json::Value::Object(_) => {
                pairs
                    .extend(flattened(value).into_iter().map(|(name, text)| (format!("{key}.{name}"), text)));
            }
            other => pairs.push((key.clone(), other.to_string())),
        }
    }
    pairs
}
