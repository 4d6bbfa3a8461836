//! `jewel uci`: an engine for graphical programs and match runners.

use super::ExitStatus;
use crate::uci::session;
use anyhow::{Result, bail};
use clap::Args;
use jewel_players::catalogue::AnyGame;
use std::io;
use std::path::PathBuf;

/// Speak UCI on stdin and stdout: for graphical programs and match runners
#[derive(Args)]
#[command(after_long_help = "\
The Universal Chess Interface, for every game: UCI_Variant chooses it, VariantPath reads a variant file. \
Besides the protocol there are `d` (draw the position), `eval`, `go perft N` and `go playouts N`. A line that makes \
no sense is answered by `info string error: ...`.

Examples:
  jewel uci
  jewel uci ambush
  jewel uci --variant mine.toml")]
pub(crate) struct Uci {
    /// The game to begin with, by its id or its variant file [default: chess]
    #[arg(value_name = "GAME")]
    game: Option<String>,

    /// Begin with the game of this variant file
    #[arg(long, value_name = "FILE")]
    variant: Option<PathBuf>,
}

impl Uci {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        let game = match (&self.game, &self.variant) {
            (Some(_), Some(_)) => bail!("--variant takes the place of the game"),
            (Some(id), None) => Some(AnyGame::named(id)?),
            (None, Some(file)) => Some(AnyGame::load(file)?),
            (None, None) => None,
        };
        session::run(io::BufReader::new(io::stdin()), io::stdout(), game)?;
        Ok(ExitStatus::Done)
    }
}
