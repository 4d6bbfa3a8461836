//! From pairs to a specification.

use super::keys::{KEYS, Key, Kind};
use super::{PlayerSpec, Setup, algorithm};
use crate::options::{Leaf, Options, Priors};
use crate::player::Budget;
use crate::players::external::{Program, Protocol};
use crate::support::pairs::{Pair, Problem, command_words};
use crate::support::quantities::{parse_mebibytes, parse_time};
use crate::support::words::{any_of, shortened};
use crate::tuned_files::search_params;
use jewel_engine::games::nearest;
use jewel_search::alphabeta::SearchParams;
use jewel_search::ismcts::Method;
use serde::de::{Error, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Most threads of a player.
const MAX_THREADS: u64 = 256;

const YES_OR_NO: [(&str, bool); 4] = [("yes", true), ("no", false), ("true", true), ("false", false)];

/// The specification of these pairs.
pub(super) fn spec(pairs: Vec<Pair>) -> Result<PlayerSpec, Problem> {
    let pairs: Vec<Pair> = pairs.into_iter().map(|(key, value)| (usual(&key), value)).collect();
    check_known(&pairs)?;
    let given = Given(&pairs);
    let kind = given.kind()?;
    let fallback = given.fallback(kind)?;
    given.check_kinds(kind, fallback)?;
    let own = given.budget()?;
    let setup = given.setup(kind, fallback)?;
    let name = match given.text("name") {
        Some("") => return Err("name is empty".to_string()),
        Some(name) => name.replace(char::is_control, "\u{fffd}"),
        None => usual_name(kind, &setup),
    };
    Ok(PlayerSpec { name, kind, setup, own, pairs })
}

/// A key in its usual spelling; the names of a program's options stay as they are.
fn usual(key: &str) -> String {
    match key.split_once('.') {
        Some((head, name)) => format!("{}.{name}", head.trim().to_ascii_lowercase()),
        None => key.trim().to_ascii_lowercase().replace('-', "_"),
    }
}

fn usual_name(kind: Kind, setup: &Setup) -> String {
    match setup {
        Setup::Program(program) => {
            let file = program.words.first().and_then(|word| Path::new(word).file_stem());
            file.map_or(kind.name().to_string(), |file| file.to_string_lossy().into_owned())
        }
        _ => kind.name().to_string(),
    }
}

fn key_of(typed: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.fits(typed))
}

/// Keys that nobody knows, and keys that are there twice.
fn check_known(pairs: &[Pair]) -> Result<(), Problem> {
    for (n, (typed, _)) in pairs.iter().enumerate() {
        if key_of(typed).is_none() {
            let hint = match nearest(typed, KEYS.iter().map(|key| key.name)) {
                Some("option.") => "write option.NAME for an option of the program".to_string(),
                Some(near) => format!("did you mean \"{near}\"?"),
                None => {
                    let names: Vec<String> = KEYS.iter().map(|key| key.name.to_string()).collect();
                    format!("it may be {}", any_of(&names))
                }
            };
            return Err(format!("unknown key \"{}\": {hint}", shortened(typed)));
        }
        if pairs[..n].iter().any(|(other, _)| other == typed) {
            return Err(format!("\"{}\" is given twice", shortened(typed)));
        }
    }
    Ok(())
}

/// Pairs whose keys are known.
struct Given<'a>(&'a [Pair]);

impl Given<'_> {
    fn text(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(other, _)| other == key).map(|(_, value)| value.as_str())
    }

    fn read<T>(&self, key: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, Problem> {
        self.text(key).map(|value| parse(value).map_err(|e| format!("{key}: {e}"))).transpose()
    }

    fn number(&self, key: &str, least: u64, most: u64) -> Result<Option<u64>, Problem> {
        self.read(key, |value| {
            let number = value.trim().parse::<u64>().ok().filter(|n| (least..=most).contains(n));
            number.ok_or_else(|| {
                let upper = if most == u64::MAX { String::new() } else { format!(" to {most}") };
                format!("\"{}\" is no whole number from {least}{upper}", shortened(value))
            })
        })
    }

    fn time(&self, key: &str, default: Duration) -> Result<Duration, Problem> {
        Ok(self.read(key, parse_time)?.unwrap_or(default))
    }

    fn seed(&self) -> Result<u64, Problem> {
        Ok(self.number("seed", 0, u64::MAX)?.unwrap_or(1))
    }

    /// One of some words.
    fn word<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Result<Option<T>, Problem> {
        self.read(key, |value| {
            let found = words.iter().find(|(word, _)| *word == value.trim().to_ascii_lowercase());
            found.map(|(_, meaning)| *meaning).ok_or_else(|| {
                let names: Vec<String> = words.iter().map(|(word, _)| word.to_string()).collect();
                format!("\"{}\" is not {}", shortened(value), any_of(&names))
            })
        })
    }

    fn params(&self) -> Result<Option<SearchParams>, Problem> {
        self.read("params", |name| search_params(Path::new(name)).map_err(|e| e.to_string()))
    }

    fn path(&self, key: &str) -> Result<Option<PathBuf>, Problem> {
        self.read(key, |value| match value {
            "" => Err("the name is empty".to_string()),
            name => Ok(PathBuf::from(name)),
        })
    }

    fn kind(&self) -> Result<Kind, Problem> {
        let protocol = self.word("proto", &[("uci", Kind::Uci), ("ugi", Kind::Ugi)])?;
        let typed = match self.text("kind") {
            Some(typed) => typed.trim().to_ascii_lowercase(),
            None => match (self.text("cmd"), protocol) {
                (Some(_), protocol) => return Ok(protocol.unwrap_or(Kind::Uci)),
                (None, _) => return Err("kind is missing: write kind=ab, or cmd=PROGRAM".to_string()),
            },
        };
        let Some(kind) = Kind::find(&typed) else {
            let names = Kind::ALL.map(Kind::name);
            let hint = match nearest(&typed, names) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => format!("it may be {}", any_of(&names.map(str::to_string))),
            };
            return Err(format!("no kind \"{}\": {hint}", shortened(&typed)));
        };
        match protocol {
            Some(other) if other != kind => {
                Err(format!("kind is {} and proto is {}: leave one out", kind.name(), other.name()))
            }
            _ => Ok(kind),
        }
    }

    fn fallback(&self, kind: Kind) -> Result<Option<Kind>, Problem> {
        let kinds = [Kind::Random, Kind::Greedy, Kind::Ab, Kind::Mcts].map(|kind| (kind.name(), kind));
        if kind == Kind::Table { self.word("fallback", &kinds) } else { Ok(None) }
    }

    /// Whether every key is for this kind of player.
    fn check_kinds(&self, kind: Kind, fallback: Option<Kind>) -> Result<(), Problem> {
        let fits =
            |key: &Key| key.kinds.contains(&kind) || fallback.is_some_and(|kind| key.kinds.contains(&kind));
        for (typed, _) in self.0 {
            if !key_of(typed).is_some_and(&fits) {
                let names: Vec<&str> = KEYS.iter().filter(|key| fits(key)).map(|key| key.name).collect();
                let kind = kind.name();
                return Err(format!(
                    "\"{}\" means nothing to a player of kind {kind}, which takes {}",
                    shortened(typed),
                    names.join(", ")
                ));
            }
        }
        Ok(())
    }

    fn budget(&self) -> Result<Budget, Problem> {
        Ok(Budget {
            depth: self.number("depth", 1, u64::from(u32::MAX))?.map(|depth| depth as u32),
            nodes: self.number("nodes", 1, u64::MAX)?,
            playouts: self.number("playouts", 1, u64::MAX)?,
            movetime: self.read("time", parse_time)?,
            clocks: None,
        })
    }

    fn setup(&self, kind: Kind, fallback: Option<Kind>) -> Result<Setup, Problem> {
        Ok(match kind {
            Kind::Random => Setup::Random { seed: self.seed()? },
            Kind::Greedy => Setup::Greedy { seed: self.seed()? },
            Kind::Ab | Kind::Mcts => self.search(kind)?,
            Kind::Table => Setup::Table {
                tables: self.path("tables")?.ok_or("tables is missing: write tables=DIR")?,
                seed: self.seed()?,
                fallback: fallback.map(|kind| self.setup(kind, None).map(Box::new)).transpose()?,
            },
            Kind::Human => Setup::Human,
            Kind::Uci => Setup::Program(self.program(Protocol::Uci)?),
            Kind::Ugi => Setup::Program(self.program(Protocol::Ugi)?),
        })
    }

    fn threads(&self) -> Result<Option<u64>, Problem> {
        self.number("threads", 1, MAX_THREADS)
    }

    fn search(&self, kind: Kind) -> Result<Setup, Problem> {
        let default = Options::default();
        let priors = [("uniform", Priors::Uniform), ("evaluation", Priors::Evaluation)];
        let options = Options {
            algorithm: algorithm(kind).unwrap_or(default.algorithm),
            threads: self.threads()?.unwrap_or(1) as usize,
            seed: self.seed()?,
            tables: self.path("tables")?,
            params: self.params()?,
            net: self.path("net")?,
            priors: self.word("priors", &priors)?.unwrap_or(default.priors),
            leaf: self.leaf()?,
            minimax: self.number("minimax", 0, 100)?.map(|hundredths| hundredths as u32),
            playout_plies: match self.number("playout_plies", 0, u64::from(u32::MAX))? {
                Some(plies) => plies as u32,
                None => default.playout_plies,
            },
            guess: self
                .word("guess", &Method::ALL.map(|method| (method.name(), method)))?
                .unwrap_or(default.guess),
            cheat: self.word("cheat", &YES_OR_NO)?.unwrap_or(default.cheat),
            ..default
        };
        Ok(Setup::Search { options, hash: self.read("hash", parse_mebibytes)? })
    }

    fn leaf(&self) -> Result<Option<Leaf>, Problem> {
        if self.text("leaf").is_some_and(|text| text.trim().eq_ignore_ascii_case("evaluation")) {
            return Ok(Some(Leaf::Evaluated));
        }
        let plies = self.number("leaf", 0, 64);
        let plies = plies.map_err(|problem| format!("{problem}, or \"evaluation\" for no search"))?;
        Ok(plies.map(|plies| Leaf::Searched(plies as u32)))
    }

    fn program(&self, protocol: Protocol) -> Result<Program, Problem> {
        let mut words = self.read("cmd", command_words)?.ok_or("cmd is missing: write cmd=PROGRAM")?;
        if words.first().is_none_or(|word| word.is_empty()) {
            return Err("cmd: no program is named".to_string());
        }
        words.extend(self.read("args", command_words)?.unwrap_or_default());
        let mut options: Vec<Pair> = Vec::new();
        options.extend(self.threads()?.map(|n| ("Threads".to_string(), n.to_string())));
        options.extend(self.read("hash", parse_mebibytes)?.map(|n| ("Hash".to_string(), n.to_string())));
        for (key, value) in self.0 {
            let Some(name) = key.strip_prefix("option.") else { continue };
            if options.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)) {
                return Err(format!("the option {} of the program is given twice", shortened(name)));
            }
            if name.contains(char::is_control) || value.contains(char::is_control) {
                return Err(format!("option.{}: control characters cannot be sent", shortened(name)));
            }
            options.push((name.to_string(), value.clone()));
        }
        let variant = self.text("variant").map(str::to_string);
        if variant.as_ref().is_some_and(|name| name.is_empty() || name.contains(char::is_whitespace)) {
            return Err("variant: a name is one word".to_string());
        }
        Ok(Program {
            words,
            directory: self.path("dir")?,
            protocol,
            variant,
            variants: self.path("variants")?,
            options,
            start_timeout: self.time("start_timeout", Duration::from_secs(10))?,
            stop_timeout: self.time("stop_timeout", Duration::from_secs(2))?,
            move_timeout: self.time("move_timeout", Duration::from_secs(600))?,
            margin: self.time("margin", Duration::from_secs(1))?,
            restart: self.word("restart", &YES_OR_NO)? == Some(true),
            log: self.path("log")?,
        })
    }
}

/// A value as it stands in a file.
#[derive(Deserialize)]
#[serde(untagged)]
enum Plain {
    Flag(bool),
    Whole(i64),
    Large(u64),
    Real(f64),
    Text(String),
    Table(BTreeMap<String, Plain>),
}

/// Adds a value to the pairs; a table is one of keys with a dot.
fn add(pairs: &mut Vec<Pair>, key: &str, value: Plain) -> Result<(), Problem> {
    let text = match value {
        Plain::Flag(flag) => if flag { "yes" } else { "no" }.to_string(),
        Plain::Whole(number) => number.to_string(),
        Plain::Large(number) => number.to_string(),
        Plain::Real(number) => number.to_string(),
        Plain::Text(text) => text,
        Plain::Table(_) if key.contains('.') => return Err(format!("\"{}\" is a table", shortened(key))),
        Plain::Table(table) => {
            return table.into_iter().try_for_each(|(name, value)| match value {
                // Options of programs are true or false.
                Plain::Flag(flag) => add(pairs, &format!("{key}.{name}"), Plain::Text(flag.to_string())),
                value => add(pairs, &format!("{key}.{name}"), value),
            });
        }
    };
    pairs.push((key.to_string(), text));
    Ok(())
}

struct SpecVisitor;

impl<'de> Visitor<'de> for SpecVisitor {
    type Value = PlayerSpec;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a player: a table of its keys, or a text such as \"name=ab1,kind=ab,nodes=20000\"")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<PlayerSpec, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<PlayerSpec, A::Error> {
        let mut pairs = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            let value = map.next_value::<Plain>();
            let value = value.map_err(|_| A::Error::custom(format!("player: {key}: not a plain value")))?;
            add(&mut pairs, &key, value).map_err(|problem| A::Error::custom(format!("player: {problem}")))?;
        }
        PlayerSpec::from_pairs(pairs).map_err(A::Error::custom)
    }
}

/// From a table of the keys or from the text, with the same checks.
impl<'de> Deserialize<'de> for PlayerSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PlayerSpec, D::Error> {
        deserializer.deserialize_any(SpecVisitor)
    }
}

/// As a table of the keys; all values are texts.
impl Serialize for PlayerSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.pairs.len()))?;
        for (key, value) in &self.pairs {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}
