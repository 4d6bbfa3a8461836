//! `jewel show`: a position, drawn.

use super::ExitStatus;
use crate::arguments::{GameArgs, Shown};
use crate::{output, terminal};
use anyhow::{Result, bail};
use clap::Args;
use jewel_engine::diagram::Piece;
use jewel_engine::value::{Outcome, Side};
use jewel_players::catalogue::Card;
use jewel_players::support::board::{self, Style};
use jewel_players::support::layout::{columns, folded};
use jewel_players::support::{files, svg};
use serde::Serialize;
use std::collections::BTreeMap;
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

/// The object of `--json`.
#[derive(Serialize)]
pub(crate) struct ShowObject<'a> {
    game: &'a str,
    name: &'a str,
    fen: &'a str,
    width: usize,
    height: usize,
    sides: &'a [String; 2],
    side_to_move: char,
    pieces: Vec<PieceObject<'a>>,
    key: Vec<String>,
    blocking: Vec<String>,
    notes: BTreeMap<&'a str, &'a str>,
    objective: &'a str,
    outcome: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    svg: Option<String>,
}

/// A piece, and where it stands.
#[derive(Serialize)]
pub(crate) struct PieceObject<'a> {
    square: String,
    letter: char,
    side: char,
    name: &'a str,
    abbreviation: &'a str,
}

impl<'a> PieceObject<'a> {
    pub(crate) fn new(square: String, piece: &'a Piece) -> PieceObject<'a> {
        let Piece { side, letter, name, abbreviation } = piece;
        PieceObject { square, letter: *letter, side: side.letter(), name, abbreviation }
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

/// What is shown, as an object.
pub(crate) fn object<'a>(shown: &'a Shown, card: &'a Card, svg: Option<&Path>) -> ShowObject<'a> {
    let diagram = &shown.diagram;
    let cells = || diagram.cells.iter().enumerate();
    let name = |n| board::square_name(diagram, n);
    let pieces =
        cells().filter_map(|(n, cell)| cell.piece.as_ref().map(|piece| PieceObject::new(name(n), piece)));
    ShowObject {
        game: &card.id,
        name: &card.name,
        fen: &shown.fen,
        width: diagram.width,
        height: diagram.height,
        sides: &diagram.sides,
        side_to_move: Side::letter(diagram.side_to_move),
        pieces: pieces.collect(),
        key: cells().filter(|(_, cell)| cell.key).map(|(n, _)| name(n)).collect(),
        blocking: cells().filter(|(_, cell)| cell.blocking).map(|(n, _)| name(n)).collect(),
        notes: diagram.notes.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
        objective: &card.objective,
        outcome: shown.outcome().map(Outcome::name),
        svg: svg.map(|file| file.display().to_string()),
    }
}
