//! `jewel variant`: variant files to and from the format of another program.

mod export;
mod import;

use super::ExitStatus;
use crate::output;
use anyhow::Result;
use clap::{Args, Subcommand};
use std::path::Path;

/// Exchange variants with Fairy-Stockfish: its variants.ini to our variant files, and back
#[derive(Args)]
#[command(after_long_help = "\
A variants.ini is what Fairy-Stockfish and the sites and programs around it read. What is imported is an \
ordinary variant file: every command takes it with --variant FILE. docs/interchange.md says key by key what \
becomes of what.

Examples:
  jewel variant import variants.ini                        which of its sections can be imported
  jewel variant import variants.ini hexapawn -o hexapawn.toml
  jewel solve --variant hexapawn.toml
  jewel variant export duel                                a section to paste into a variants.ini")]
pub(crate) struct Variant {
    #[command(subcommand)]
    command: VariantCommand,
}

#[derive(Subcommand)]
enum VariantCommand {
    Import(import::ImportVariant),
    Export(export::ExportVariant),
}

impl Variant {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        match self.command {
            VariantCommand::Import(command) => command.run(),
            VariantCommand::Export(command) => command.run(),
        }
    }
}

/// Longest file that is read, in bytes: the one that comes with Fairy-Stockfish has 70,000.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// Writes the text to stdout or into a file.
fn deliver(text: &str, file: Option<&Path>) -> Result<()> {
    match file {
        None => output::print(text),
        Some(file) => {
            jewel_players::support::files::write(file, text.as_bytes())?;
            output::print(&format!("wrote {}\n", file.display()))
        }
    }
}
