//! The keys of players: one table for what is read, for messages and for help.

use super::Leaf;
use crate::options::{Algorithm, Priors};
use crate::settings::text::{command_line, command_words};
use crate::settings::values::{parsed, path, some_whole, time};
use crate::support::words::any_of;
use Kind::{Ab, Greedy, Human, Mcts, Random, Table, Uci, Ugi};
use jewel_search::ismcts::Method;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// What sort of player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Legal moves, each as likely as the others.
    Random,
    /// One ply ahead by static evaluation.
    Greedy,
    /// Alpha-beta search of this program.
    Ab,
    /// Monte Carlo tree search of this program.
    Mcts,
    /// Perfect play by endgame tables.
    Table,
    /// A person at the terminal.
    Human,
    /// Another program that speaks UCI.
    Uci,
    /// Another program that speaks UGI.
    Ugi,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 8] = [Random, Greedy, Ab, Mcts, Table, Human, Uci, Ugi];

    /// As it is typed.
    pub const fn name(self) -> &'static str {
        match self {
            Random => "random",
            Greedy => "greedy",
            Ab => "ab",
            Mcts => "mcts",
            Table => "table",
            Human => "human",
            Uci => "uci",
            Ugi => "ugi",
        }
    }

    /// The kind of this name.
    pub fn find(typed: &str) -> Option<Kind> {
        let typed = typed.trim().to_ascii_lowercase();
        Kind::ALL.into_iter().find(|kind| kind.name() == typed)
    }
}

impl From<Algorithm> for Kind {
    fn from(algorithm: Algorithm) -> Kind {
        match algorithm {
            Algorithm::Ab => Ab,
            Algorithm::Mcts => Mcts,
        }
    }
}

/// A key of a player.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// As it is written; `option` stands for all keys `option.NAME`.
    pub name: &'static str,
    /// What the value is, such as `N` or `DIR`.
    pub value: &'static str,
    /// The kinds of players that take it; a table player takes the keys of its fallback as well.
    pub kinds: &'static [Kind],
    /// What it does.
    pub help: &'static str,
}

const ALL: &[Kind] = &Kind::ALL;
const DICING: &[Kind] = &[Random, Greedy, Mcts, Table];
const ENGINES: &[Kind] = &[Ab, Mcts];
const THINKERS: &[Kind] = &[Ab, Mcts, Uci, Ugi];
const PROGRAMS: &[Kind] = &[Uci, Ugi];

/// Most threads of a player.
const MAX_THREADS: u64 = 256;
const MAX: u64 = u64::MAX;
const MAX_U32: u64 = u32::MAX as u64;

macro_rules! keys {
    ($($(#[$serde:meta])* $name:ident: $type:ty, $value:literal, $kinds:expr, $help:literal;)*) => {
        /// A player as it is set up; what is `None` was not said.
        #[derive(Clone, PartialEq, Default, Debug, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct PlayerOptions {
            $(#[doc = $help] #[serde(skip_serializing_if = "Option::is_none")] $(#[$serde])*
            pub $name: Option<$type>,)*
        }

        /// All keys.
        pub const KEYS: &[Key] =
            &[$(Key { name: stringify!($name), value: $value, kinds: $kinds, help: $help },)*];
    };
}

keys! {
    kind: Kind, "KIND", ALL, "random, greedy, ab, mcts, table, human, uci or ugi";
    name: String, "NAME", ALL, "the name that is shown [default: the kind, or the name of the program]";
    #[serde(deserialize_with = "some_whole::<0, MAX, _, _>")]
    seed: u64, "N", DICING, "seed of its random choices, with that of the game [default: 1]";
    #[serde(deserialize_with = "some_whole::<1, MAX_U32, _, _>")]
    depth: u32, "PLIES", THINKERS, "plies to search";
    #[serde(deserialize_with = "some_whole::<1, MAX, _, _>")]
    nodes: u64, "N", THINKERS, "positions to search";
    #[serde(deserialize_with = "some_whole::<1, MAX, _, _>")]
    playouts: u64, "N", &[Mcts], "simulations to run";
    #[serde(deserialize_with = "time", serialize_with = "seconds")]
    time: Duration, "TIME", THINKERS, "time for a move: seconds, or with a unit such as 500ms";
    #[serde(deserialize_with = "some_whole::<1, MAX_THREADS, _, _>")]
    threads: usize, "N", THINKERS, "threads to search on; for a program its option Threads [default: 1]";
    #[serde(deserialize_with = "mebibytes")]
    hash: usize, "SIZE", THINKERS, "size of the transposition table or the tree, in mebibytes or such as 2G; for a program its option Hash [default: what it needs]";
    #[serde(deserialize_with = "path")]
    tables: PathBuf, "DIR", &[Ab, Mcts, Table], "folder of endgame tables, solution and proof files";
    #[serde(deserialize_with = "path")]
    params: PathBuf, "FILE", &[Ab], "search parameters, as `jewel tune --spsa` writes them";
    #[serde(deserialize_with = "path")]
    weights: PathBuf, "FILE", ENGINES, "weights of the evaluation, as `jewel tune` writes them";
    #[serde(deserialize_with = "path")]
    net: PathBuf, "FILE", ENGINES, "network of `jewel train` to evaluate with, or none [default: the game's own]";
    #[serde(deserialize_with = "features", serialize_with = "joined")]
    off: Vec<String>, "FEATURES", ENGINES, "features of the search to switch off, joined by +";
    priors: Priors, "uniform|evaluation", &[Mcts], "which moves are tried first [default: evaluation]";
    #[serde(deserialize_with = "leaf", serialize_with = "leaf_text")]
    leaf: Leaf, "evaluation|PLIES", &[Mcts], "how a leaf of the tree is valued: by the evaluation, or by alpha-beta search of this many plies [default: what suits the game]";
    #[serde(deserialize_with = "some_whole::<0, 100, _, _>")]
    minimax: u32, "PERCENT", &[Mcts], "weight of the values of leaves against the results of simulations [default: what suits the game]";
    #[serde(deserialize_with = "some_whole::<0, MAX_U32, _, _>")]
    playout_plies: u32, "N", &[Mcts], "plies of a playout before the position is evaluated; 0 for no playouts [default: 0]";
    #[serde(deserialize_with = "guess", serialize_with = "guess_name")]
    guess: Method, "flat|determinized|single|multi|mutual", &[Mcts], "how to search hidden information: docs/ismcts.md [default: multi]";
    cheat: bool, "yes|no", ENGINES, "see what the game hides from its players, to measure what that is worth [default: no]";
    fallback: Kind, "KIND", &[Table], "the player where the tables do not reach: random, greedy, ab or mcts";
    #[serde(deserialize_with = "words", serialize_with = "quoted")]
    cmd: Vec<String>, "COMMAND", PROGRAMS, "the program with its arguments, quoted as in a shell";
    #[serde(deserialize_with = "words", serialize_with = "quoted")]
    args: Vec<String>, "WORDS", PROGRAMS, "more arguments";
    #[serde(deserialize_with = "path")]
    dir: PathBuf, "DIR", PROGRAMS, "folder to run the program in [default: here]";
    proto: Kind, "uci|ugi", PROGRAMS, "the protocol, where kind does not say it [default: uci]";
    variant: String, "NAME", PROGRAMS, "the program's name for the game [default: the id of the game]";
    #[serde(deserialize_with = "path")]
    variants: PathBuf, "FILE", PROGRAMS, "the file of variants that the program is to read (VariantPath)";
    #[serde(deserialize_with = "in_order", serialize_with = "as_table")]
    option: Vec<(String, String)>, "VALUE", PROGRAMS, "option.NAME sets an option of the program";
    #[serde(deserialize_with = "time", serialize_with = "seconds")]
    start_timeout: Duration, "TIME", PROGRAMS, "time to start, and to get ready for a game [default: 10s]";
    #[serde(deserialize_with = "time", serialize_with = "seconds")]
    stop_timeout: Duration, "TIME", PROGRAMS, "time to answer \"stop\" and \"quit\" [default: 2s]";
    #[serde(deserialize_with = "time", serialize_with = "seconds")]
    move_timeout: Duration, "TIME", PROGRAMS, "time for a move where neither a clock nor a time limits it [default: 10m]";
    #[serde(deserialize_with = "time", serialize_with = "seconds")]
    stop_grace: Duration, "TIME", PROGRAMS, "time beyond the limit before \"stop\" is sent [default: 1s]";
    restart: bool, "yes|no", PROGRAMS, "start the program anew for each game [default: no]";
    #[serde(deserialize_with = "path")]
    log: PathBuf, "FILE", PROGRAMS, "file for its stderr; {pid} in the name is the number of the process";
}

fn mebibytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    parsed(deserializer, |text| crate::support::quantities::parse_mebibytes(text).map(Some))
}

fn words<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    parsed(deserializer, |text| command_words(text).map(Some))
}

/// Names joined by `+`, or as a list of a file: words in quotes.
fn features<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    parsed(deserializer, |text| {
        let words = command_words(text)?;
        Ok(Some(words.iter().flat_map(|word| word.split('+')).map(|name| name.replace('-', "_")).collect()))
    })
}

fn leaf<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Leaf>, D::Error> {
    parsed(deserializer, |text| text.parse().map(Some))
}

fn guess<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Method>, D::Error> {
    let text = String::deserialize(deserializer)?;
    match Method::from_name(text.trim()) {
        None => {
            let names = Method::ALL.map(|method| method.name().to_string());
            Err(D::Error::custom(format!("\"{text}\" is unknown: it may be {}", any_of(&names))))
        }
        method => Ok(method),
    }
}

fn seconds<S: Serializer>(time: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    time.map(|time| time.as_secs_f64().to_string()).serialize(serializer)
}

fn quoted<S: Serializer>(words: &Option<Vec<String>>, serializer: S) -> Result<S::Ok, S::Error> {
    words.as_ref().map(|words| command_line(words)).serialize(serializer)
}

fn joined<S: Serializer>(names: &Option<Vec<String>>, serializer: S) -> Result<S::Ok, S::Error> {
    names.as_ref().map(|names| names.join("+")).serialize(serializer)
}

fn leaf_text<S: Serializer>(leaf: &Option<Leaf>, serializer: S) -> Result<S::Ok, S::Error> {
    leaf.map(|leaf| leaf.to_string()).serialize(serializer)
}

fn guess_name<S: Serializer>(method: &Option<Method>, serializer: S) -> Result<S::Ok, S::Error> {
    method.map(Method::name).serialize(serializer)
}

/// A table as a list, in the order in which it was written.
fn in_order<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<(String, String)>>, D::Error> {
    struct Options;

    impl<'de> Visitor<'de> for Options {
        type Value = Option<Vec<(String, String)>>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the name of an option with its value: write option.NAME=VALUE")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            std::iter::from_fn(|| map.next_entry().transpose()).collect::<Result<_, _>>().map(Some)
        }
    }
    deserializer.deserialize_map(Options)
}

fn as_table<S: Serializer>(
    options: &Option<Vec<(String, String)>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(options.iter().flatten().map(|(name, value)| (name, value)))
}
