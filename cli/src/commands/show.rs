//! `jewel show`: a position, drawn.

use super::ExitStatus;
use crate::arguments::GameArgs;
use crate::{output, terminal};
use anyhow::{Result, bail};
use clap::Args;
use jewel_answers::shown::{Shown, object};
use jewel_players::catalogue::Card;
use jewel_players::support::board::{self, Style};
use jewel_players::support::layout::{columns, folded};
use jewel_players::support::{files, svg};
use std::path::{Path, PathBuf};

/// Draw a position: the board, its legend, and what the board does not show
#[derive(Args)]
#[command(after_long_help = "\
Capitals are the southern side, small letters the northern one; the legend says what each side calls its \
pieces. [ ] marks key squares, ( ) squares that no slider passes. Colours appear on a terminal only; \
NO_COLOR turns them off, CLICOLOR_FORCE=1 forces them.

Examples:
  jewel show ambush
  jewel show duel --moves \"c1b1 a3c3 b1b2\"
  jewel show diamond-chess --svg board.svg
  jewel show --variant mine.toml --json")]
pub(crate) struct Show {
    #[command(flatten)]
    game: GameArgs,

    /// Write the board as an SVG picture instead; "-" is stdout
    #[arg(long, value_name = "FILE", help_heading = "Drawing")]
    svg: Option<PathBuf>,

    /// Draw with ASCII characters only
    #[arg(long, help_heading = "Drawing")]
    ascii: bool,

    /// Print a JSON object: game, fen, size, sides, pieces, key and blocking squares, notes, outcome
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        let svg_to_stdout = self.svg.as_deref() == Some(Path::new("-"));
        if svg_to_stdout && self.json {
            bail!("--json and --svg - both print to stdout: give the picture a file");
        }
        let game = self.game.resolve()?;
        let shown = self.game.show(game)?;
        let card = game.card();
        if let Some(file) = &self.svg {
            let picture = picture(&shown, &card);
            if svg_to_stdout {
                output::print(&picture)?;
                return Ok(ExitStatus::Done);
            }
            files::write(file, picture.as_bytes())?;
        }
        output::print(&match (self.json, &self.svg) {
            (true, svg) => output::json_line(&object(&shown, &card, svg.as_deref()))?,
            (false, Some(file)) => format!("wrote {}\n", file.display()),
            (false, None) => {
                let unicode = !self.ascii && terminal::unicode();
                text(&shown, &card, Style { colours: terminal::colours(), unicode })
            }
        })?;
        Ok(ExitStatus::Done)
    }
}

fn text(shown: &Shown, card: &Card, style: Style) -> String {
    let diagram = &shown.diagram;
    let mut text = format!("{} ({})\n", style.bold(&card.name), card.id);
    match card.summary.as_str() {
        "" => text.push_str(&format!("{}\n", folded(&format!("To win: {}.", card.objective), 0))),
        summary => text.push_str(&format!("{}\n", folded(summary, 0))),
    }
    text.push_str(&format!("\n{}\n", board::draw(diagram, shown.ending.is_some(), style)));
    let mut rows = board::marks(diagram, style);
    rows.extend(board::notes(diagram).map(|(name, value)| [name.clone(), value.clone()]));
    rows.push(["position".to_string(), shown.fen.clone()]);
    text.push_str(&columns(&rows));
    if let Some(verdict) = &shown.verdict() {
        text.push_str(&format!("\n{}\n", style.bold(verdict)));
    }
    text
}

fn picture(shown: &Shown, card: &Card) -> String {
    let caption = match &shown.verdict() {
        Some(verdict) => format!("{}  ({verdict})", shown.fen),
        None => shown.fen.clone(),
    };
    svg::picture(&shown.diagram, card, &caption, shown.ending.is_some())
}
