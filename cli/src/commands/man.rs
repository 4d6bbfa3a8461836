//! `jewel man`: the manual pages, for those who pack the program.

use super::ExitStatus;
use crate::Cli;
use anyhow::{Result, anyhow};
use clap::{Args, CommandFactory};
use jewel_players::support::words::reason;
use std::path::PathBuf;

/// Write the manual pages, one for each command, into a folder
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  jewel man /usr/local/share/man/man1")]
pub(crate) struct Man {
    /// The folder, which must be there
    folder: PathBuf,
}

impl Man {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        let written = clap_mangen::generate_to(Cli::command(), &self.folder);
        written.map_err(|e| anyhow!("{}: {}", self.folder.display(), reason(&e)))?;
        Ok(ExitStatus::Done)
    }
}
