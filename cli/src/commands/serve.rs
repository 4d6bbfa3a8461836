//! `jewel serve`: the board on a page.

use super::ExitStatus;
use crate::arguments::WhichGame;
use crate::web::{self, Feed, Setting};
use anyhow::{Result, bail};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use jewel_players::support::quantities::parse_mebibytes;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

/// Show the board on a page: play, analyse and look values up in a browser
#[derive(Args)]
#[command(after_long_help = "\
The page has every game. Where tables or a solved graph reach, each legal move carries its exact value; small games are \
solved when they are first shown. Elsewhere an engine scores the moves. The same can be asked in JSON: docs/web.md \
describes the API.

Only programs of this machine can reach the page, unless --listen names an address that others reach too: then everyone who \
does can let this machine search and solve, and nothing is encrypted.

Examples:
  jewel serve
  jewel serve duel --open
  jewel serve mine.toml --port 8080
  jewel serve --games cup.jsonl
  jewel serve ambush --tables /data/ambush --threads 4 --hash 1G")]
pub(crate) struct Serve {
    #[command(flatten)]
    which: WhichGame,

    /// The port; 0 for one that is free
    #[arg(long, value_name = "P", default_value = "8017")]
    port: u16,

    /// The address to listen at
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    listen: IpAddr,

    /// Show the page in the browser
    #[arg(long)]
    open: bool,

    /// Show the games of this file of records, as `jewel tournament` writes it
    #[arg(long, value_name = "FILE")]
    games: Option<PathBuf>,

    /// Look positions up in the endgame tables of this directory, or of the game's directory in it [default:
    /// jewel-tables/ID in the working directory]
    #[arg(long, value_name = "DIR", help_heading = "Values")]
    tables: Option<PathBuf>,

    /// Solve no graphs of more positions than this
    #[arg(long, value_name = "N", default_value = "5000000", help_heading = "Values", value_parser = RangedU64ValueParser::<u64>::new().range(1..=1_000_000_000))]
    max_positions: u64,

    /// Searches at a time; others wait
    #[arg(long, value_name = "N", default_value = "4", help_heading = "Engine", value_parser = RangedU64ValueParser::<usize>::new().range(1..=64))]
    searches: usize,

    /// The most threads of a search [default: one for each core]
    #[arg(long, value_name = "N", help_heading = "Engine", value_parser = RangedU64ValueParser::<usize>::new().range(1..=256))]
    threads: Option<usize>,

    /// The most memory of a search, in mebibytes, or with a unit such as 2G
    #[arg(long, value_name = "SIZE", default_value = "256", help_heading = "Engine", value_parser = parse_mebibytes)]
    hash: usize,
}

impl Serve {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        let named = self.which.game.is_some() || self.which.variant.is_some();
        let game = named.then(|| self.which.resolve()).transpose()?;
        if let Some(folder) = self.tables.as_deref().filter(|folder| !folder.is_dir()) {
            bail!("--tables: {} is not a directory", folder.display());
        }
        let feed = self.games.as_deref().map(Feed::from_file).transpose()?;
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        web::serve(Setting {
            games: game.into_iter().collect(),
            feed,
            tables: self.tables,
            address: SocketAddr::new(self.listen, self.port),
            searches: self.searches,
            threads: self.threads.unwrap_or_else(cores),
            hash: self.hash,
            positions: self.max_positions,
            open: self.open,
        })?;
        Ok(ExitStatus::Done)
    }
}
