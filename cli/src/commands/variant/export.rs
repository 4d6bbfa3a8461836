//! `jewel variant export`: a game as a section of a variants.ini.

use super::{MAX_FILE_BYTES, deliver};
use crate::arguments::WhichGame;
use crate::commands::ExitStatus;
use crate::output;
use anyhow::{Result, anyhow, bail};
use clap::Args;
use jewel_engine::games;
use jewel_engine::interchange::{Export, export};
use jewel_players::catalogue::AnyGame;
use jewel_players::support::files;
use jewel_players::support::files::read_text;
use serde::Serialize;
use std::path::PathBuf;

/// Write a game as a section of a variants.ini
#[derive(Args)]
#[command(after_long_help = "\
What that format cannot say stands in comments above the section.

Examples:
  jewel variant export ambush
  jewel variant export --variant mine.toml -o mine.ini
  jewel variant export diamond-chess --json")]
pub(crate) struct ExportVariant {
    #[command(flatten)]
    which: WhichGame,

    /// Write the section into this file; without it, to stdout
    #[arg(short, long, alias = "output", value_name = "FILE")]
    out: Option<PathBuf>,

    /// Print a JSON object: game, section, text (or file), losses
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct ExportObject<'a> {
    game: &'a str,
    section: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    losses: Vec<LossObject<'a>>,
}

#[derive(Serialize)]
struct LossObject<'a> {
    key: &'a str,
    why: &'a str,
}

impl ExportVariant {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        let rules = match self.which.resolve()? {
            AnyGame::Variant(rules) => rules,
            AnyGame::Coded(game) => {
                bail!("{}: its rules are no variant file, and nothing else can be exported", game.card().id)
            }
        };
        let text = match (self.which.file(), games::find(&rules.id)) {
            (Some(file), _) => read_text(file, MAX_FILE_BYTES)?,
            (None, Some(game)) => game.text.to_string(),
            (None, None) => return Err(anyhow!("{} is not a variant file", rules.id)),
        };
        let section = export(&text).map_err(|error| anyhow!("{}: {error}", rules.id))?;
        if !self.json {
            deliver(&section.text, self.out.as_deref())?;
            return Ok(ExitStatus::Done);
        }
        if let Some(file) = &self.out {
            files::write(file, section.text.as_bytes())?;
        }
        output::print(&output::json_line(&self.object(&section))?)?;
        Ok(ExitStatus::Done)
    }

    fn object<'a>(&self, section: &'a Export) -> ExportObject<'a> {
        ExportObject {
            game: &section.name,
            section: &section.name,
            text: self.out.is_none().then_some(section.text.as_str()),
            file: self.out.as_ref().map(|file| file.display().to_string()),
            losses: section.losses.iter().map(|loss| LossObject { key: &loss.key, why: &loss.why }).collect(),
        }
    }
}
