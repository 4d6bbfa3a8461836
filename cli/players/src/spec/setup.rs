//! From the options of a player to what it is made of.

use super::keys::{KEYS, Key, Kind, PlayerOptions};
use crate::features;
use crate::options::{Algorithm, Leaf, Options};
use crate::players::external::{Program, Protocol};
use crate::support::words::shortened;
use crate::tuned_files::search_params;
use jewel_engine::text::is_disruptive;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

/// What a player is made of.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Setup {
    Random { seed: u64 },
    Greedy { seed: u64 },
    Search { options: Box<Options>, hash: Option<usize> },
    Table { tables: PathBuf, seed: u64, fallback: Option<Box<Setup>> },
    Human,
    Program(Box<Program>),
}

impl Setup {
    /// What chooses the moves that take time: of a table player, its fallback.
    pub(super) fn mover(&self) -> &Setup {
        match self {
            Setup::Table { fallback: Some(fallback), .. } => fallback,
            setup => setup,
        }
    }

    /// The name of a player that was given none.
    pub(super) fn usual_name(&self, kind: Kind) -> String {
        let file = match self {
            Setup::Program(program) => program.words.first().and_then(|word| Path::new(word).file_stem()),
            _ => None,
        };
        file.map_or(kind.name().to_string(), |file| file.to_string_lossy().into_owned())
    }
}

/// The kind of player that the options make, and what it is made of; `pairs` are the options as text.
pub(super) fn setup(o: &PlayerOptions, pairs: &[(String, String)]) -> Result<(Kind, Setup), String> {
    let kind = kind(o)?;
    let fallback = if kind == Kind::Table { o.fallback } else { None };
    if let Some(fallback) = fallback
        && ![Kind::Random, Kind::Greedy, Kind::Ab, Kind::Mcts].contains(&fallback)
    {
        return Err(format!("fallback: \"{}\" is not random, greedy, ab or mcts", fallback.name()));
    }
    check_kinds(pairs, kind, fallback)?;
    Ok((kind, of_kind(o, kind, fallback)?))
}

fn kind(o: &PlayerOptions) -> Result<Kind, String> {
    if let Some(other) = o.proto.filter(|kind| ![Kind::Uci, Kind::Ugi].contains(kind)) {
        return Err(format!("proto: \"{}\" is not uci or ugi", other.name()));
    }
    match (o.kind, o.proto, &o.cmd) {
        (Some(kind), Some(proto), _) if kind != proto => {
            Err(format!("kind is {} and proto is {}: leave one out", kind.name(), proto.name()))
        }
        (Some(kind), ..) => Ok(kind),
        (None, proto, Some(_)) => Ok(proto.unwrap_or(Kind::Uci)),
        (None, _, None) => Err("kind is missing: write kind=ab, or cmd=PROGRAM".to_string()),
    }
}

/// Whether every key is for this kind of player.
fn check_kinds(pairs: &[(String, String)], kind: Kind, fallback: Option<Kind>) -> Result<(), String> {
    let fits = |key: &Key| key.kinds.iter().any(|taker| *taker == kind || Some(*taker) == fallback);
    for (typed, _) in pairs {
        let head = typed.split('.').next().unwrap_or_default();
        if !KEYS.iter().any(|key| key.name == head && fits(key)) {
            let names: Vec<&str> = KEYS.iter().filter(|key| fits(key)).map(|key| key.name).collect();
            return Err(format!(
                "\"{}\" means nothing to a player of kind {}, which takes {}",
                shortened(typed),
                kind.name(),
                names.join(", ")
            ));
        }
    }
    Ok(())
}

fn of_kind(o: &PlayerOptions, kind: Kind, fallback: Option<Kind>) -> Result<Setup, String> {
    let seed = o.seed.unwrap_or(1);
    Ok(match kind {
        Kind::Random => Setup::Random { seed },
        Kind::Greedy => Setup::Greedy { seed },
        Kind::Ab => search(o, Algorithm::Ab)?,
        Kind::Mcts => search(o, Algorithm::Mcts)?,
        Kind::Table => Setup::Table {
            tables: o.tables.clone().ok_or("tables is missing: write tables=DIR")?,
            seed,
            fallback: fallback.map(|kind| of_kind(o, kind, None).map(Box::new)).transpose()?,
        },
        Kind::Human => Setup::Human,
        Kind::Uci => Setup::Program(Box::new(program(o, Protocol::Uci)?)),
        Kind::Ugi => Setup::Program(Box::new(program(o, Protocol::Ugi)?)),
    })
}

fn search(o: &PlayerOptions, algorithm: Algorithm) -> Result<Setup, String> {
    let default = Options::default();
    let params = o.params.as_deref().map(search_params).transpose().map_err(|e| format!("params: {e}"))?;
    let off = o.off.clone().unwrap_or_default();
    features::check(algorithm, &off).map_err(|e| format!("off: {e}"))?;
    let options = Options {
        algorithm,
        threads: o.threads.unwrap_or(1),
        seed: o.seed.unwrap_or(1),
        tables: o.tables.clone(),
        params,
        weights: o.weights.clone(),
        net: o.net.clone(),
        off,
        priors: o.priors.unwrap_or(default.priors),
        leaf: o.leaf,
        minimax: o.minimax,
        playout_plies: o.playout_plies.unwrap_or(default.playout_plies),
        guess: o.guess.unwrap_or(default.guess),
        cheat: o.cheat.unwrap_or(default.cheat),
        ..default
    };
    Ok(Setup::Search { options: Box::new(options), hash: o.hash })
}

fn program(o: &PlayerOptions, protocol: Protocol) -> Result<Program, String> {
    let mut words = o.cmd.clone().ok_or("cmd is missing: write cmd=PROGRAM")?;
    if words.first().is_none_or(String::is_empty) {
        return Err("cmd: no program is named".to_string());
    }
    words.extend(o.args.iter().flatten().cloned());
    let number = |name: &str, number: Option<usize>| number.map(|n| (name.to_string(), n.to_string()));
    let mut options: Vec<_> =
        [number("Threads", o.threads), number("Hash", o.hash)].into_iter().flatten().collect();
    for (name, value) in o.option.iter().flatten() {
        if options.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)) {
            return Err(format!("the option {} of the program is given twice", shortened(name)));
        }
        if name.contains(is_disruptive) || value.contains(char::is_control) {
            return Err(format!("option.{}: control characters cannot be sent", shortened(name)));
        }
        options.push((name.clone(), value.clone()));
    }
    if o.variant.as_ref().is_some_and(|name| name.is_empty() || name.contains(char::is_whitespace)) {
        return Err("variant: a name is one word".to_string());
    }
    Ok(Program {
        words,
        directory: o.dir.clone(),
        protocol,
        variant: o.variant.clone(),
        variants: o.variants.clone(),
        options,
        start_timeout: o.start_timeout.unwrap_or(Duration::from_secs(10)),
        stop_timeout: o.stop_timeout.unwrap_or(Duration::from_secs(2)),
        move_timeout: o.move_timeout.unwrap_or(Duration::from_secs(600)),
        stop_grace: o.stop_grace.unwrap_or(Duration::from_secs(1)),
        restart: o.restart == Some(true),
        log: o.log.clone(),
    })
}

/// Most plies of a search at each leaf of a tree.
const MAX_LEAF_PLIES: u32 = 64;

/// Reads `evaluation`, or a number of plies.
impl FromStr for Leaf {
    type Err = String;

    fn from_str(text: &str) -> Result<Leaf, String> {
        if text.trim().eq_ignore_ascii_case("evaluation") {
            return Ok(Leaf::Evaluated);
        }
        let plies = text.trim().parse().ok().filter(|plies| *plies <= MAX_LEAF_PLIES);
        plies.map(Leaf::Searched).ok_or_else(|| {
            format!(
                "\"{}\" is not a whole number from 0 to {MAX_LEAF_PLIES}, or \"evaluation\" for no search",
                shortened(text)
            )
        })
    }
}

impl fmt::Display for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Leaf::Evaluated => f.pad("evaluation"),
            Leaf::Searched(plies) => plies.fmt(f),
        }
    }
}
