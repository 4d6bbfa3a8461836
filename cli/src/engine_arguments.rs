//! Arguments about engines and how long they think.

use crate::arguments::GameArgs;
use anyhow::{Result, anyhow};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use jewel_players::engine::{AnyEngine, Brain, Options, open};
use jewel_players::memory;
use jewel_players::words::shortened;
use jewel_search::limits::Limits;
use std::path::PathBuf;
use std::time::Duration;

/// What an engine may take.
#[derive(Args, Clone, Debug)]
pub(crate) struct PowerArgs {
    /// Threads to search on [default: 1; a batch: one for each core]
    #[arg(long, value_name = "N", help_heading = "Engine", value_parser = RangedU64ValueParser::<usize>::new().range(1..=256))]
    pub(crate) threads: Option<usize>,

    /// Memory for the transposition table or the tree, in mebibytes, or with a unit such as 2G [default: 64]
    #[arg(long, value_name = "SIZE", help_heading = "Engine", value_parser = parse_hash)]
    pub(crate) hash: Option<usize>,

    /// Seed of Monte Carlo tree search [default: 1]
    #[arg(long, value_name = "N", help_heading = "Engine")]
    pub(crate) seed: Option<u64>,

    /// Look positions up in the endgame tables of this directory (ab), or of the game's directory in it
    #[arg(long, value_name = "DIR", help_heading = "Engine")]
    pub(crate) tables: Option<PathBuf>,
}

impl PowerArgs {
    /// The options of an engine.
    pub(crate) fn options(&self, brain: Brain) -> Options {
        let default = Options::default();
        Options {
            brain,
            threads: self.threads.unwrap_or(default.threads),
            hash: self.hash.unwrap_or(default.hash),
            seed: self.seed.unwrap_or(default.seed),
            tables: self.tables.clone(),
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
    /// Whether nothing but the time ends a search of this brain.
    pub(crate) fn needs_time(&self, brain: Brain) -> bool {
        let playouts = self.playouts.filter(|_| brain == Brain::Mcts);
        self.depth.is_none() && self.nodes.is_none() && playouts.is_none() && self.time.is_none()
    }

    /// The limits, with a time of `default` where there is no other.
    pub(crate) fn limits(&self, brain: Brain, default: Duration) -> Limits<String> {
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            playouts: self.playouts,
            movetime: self.time.or_else(|| self.needs_time(brain).then_some(default)),
            ..Limits::default()
        }
    }
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

/// The longest time that can be asked for.
const LONGEST: f64 = 1e8;

/// A time: `1.5` or `1.5s`, `500ms`, `2m`, `1h`.
///
/// # Errors
/// What would be right.
pub(crate) fn parse_time(typed: &str) -> Result<Duration, String> {
    let problem = || format!("\"{typed}\" is no time: write seconds, or a number with ms, s, m or h");
    let lower = typed.trim().to_ascii_lowercase();
    let units = [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let (digits, factor) = units
        .iter()
        .find_map(|(unit, factor)| Some((lower.strip_suffix(unit)?, *factor)))
        .unwrap_or((&lower, 1.0));
    if !digits.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return Err(problem());
    }
    let seconds = digits.parse::<f64>().map_err(|_| problem())? * factor;
    if seconds <= LONGEST { Ok(Duration::from_secs_f64(seconds)) } else { Err(problem()) }
}

/// Mebibytes: a plain number counts them.
fn parse_hash(typed: &str) -> Result<usize, String> {
    let text = typed.trim();
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let bytes = memory::parse_size(&if plain { format!("{text}M") } else { text.to_string() });
    let bytes = bytes.map_err(|_| {
        format!("\"{typed}\" is no size: write mebibytes, or a whole number with M, G or T, such as 2G")
    })?;
    usize::try_from(bytes.div_ceil(1 << 20)).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        for (typed, ms) in
            [("1", 1000), ("1.5s", 1500), ("500ms", 500), ("2m", 120_000), ("1H", 3_600_000), ("0", 0)]
        {
            assert_eq!(parse_time(typed), Ok(Duration::from_millis(ms)), "{typed}");
        }
        for typed in ["", "s", "-1", "1e9", "inf", "nan", "1.2.3", "1d", "100000001", "5 m s"] {
            assert!(parse_time(typed).is_err(), "{typed}");
        }
    }

    #[test]
    fn tables_are_sized_in_mebibytes() {
        for (typed, mebibytes) in [("64", 64), ("1", 1), ("2G", 2048), ("512k", 1), ("100MiB", 100)] {
            assert_eq!(parse_hash(typed), Ok(mebibytes), "{typed}");
        }
        for typed in ["", "0", "-1", "x", "1.5G"] {
            assert!(parse_hash(typed).is_err(), "{typed}");
        }
    }
}
