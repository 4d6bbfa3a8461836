//! `jewel tables info`: what tables say about themselves.

use super::{Answer, PlaceArgs};
use crate::arguments::WhichGame;
use crate::best_play::move_texts;
use crate::output;
use crate::tables::summary::{self, Row};
use crate::tables::{Tabled, setup};
use crate::text::{columns, grouped, plies};
use crate::values::Values;
use anyhow::{Result, anyhow, bail};
use clap::Args;
use jewel_engine::variant::Rules;
use jewel_solver::line::best_line;
use jewel_tables::reader::Table;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Describe tables: how often won, drawn and lost, the longest win, sizes
#[derive(Args)]
#[command(after_long_help = "\
Counts are of positions that differ by more than a symmetry, by their value for the side to move. The longest win \
of the tables, or of the one class that was asked for, is shown with its position and the line that wins it. Files \
are described whatever rules they are for; damage is an error as far as it can be seen from the ends of a file, and \
`jewel tables verify` finds it everywhere.

Examples:
  jewel tables info ambush
  jewel tables info ambush --class NLvNQ
  jewel tables info jewel-tables/ambush/NLvNQ.jt --json")]
pub(super) struct TablesInfo {
    /// The game's id, or table files
    #[arg(value_name = "GAME|FILE")]
    what: Vec<String>,

    /// The tables of this variant file's game
    #[arg(long, value_name = "FILE")]
    variant: Option<PathBuf>,

    #[command(flatten)]
    place: PlaceArgs,

    /// Only the table of this class
    #[arg(long, value_name = "CLASS")]
    class: Option<String>,

    /// List every table, however many there are
    #[arg(long)]
    all: bool,

    /// Print a JSON object: tables (class, pieces, white, black, longest_win, bytes, ...), positions, bytes, ...
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct InfoObject {
    game: Option<String>,
    directory: Option<String>,
    tables: Vec<Described>,
    positions: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    longest_win: Option<u32>,
    longest_win_fen: Option<String>,
    /// Where the rules are known.
    longest_win_line: Option<Vec<String>>,
    bytes: u64,
    wdl_bytes: u64,
}

/// A table in an object, with what only the file knows.
#[derive(Serialize)]
struct Described {
    file: String,
    #[serde(flatten)]
    row: Row,
    positions: u64,
    bits_per_position: f64,
    positions_per_byte: f64,
    game: String,
    fingerprint: String,
    made_by: String,
}

impl Described {
    fn of(table: &Table) -> Described {
        let row = Row::of(table);
        let positions = row.both().positions();
        Described {
            file: table.name().to_string(),
            positions,
            bits_per_position: row.bits_a_position(),
            positions_per_byte: positions as f64 / row.bytes as f64,
            game: table.metadata().game.clone(),
            fingerprint: format!("{:016x}", table.fingerprint()),
            made_by: table.metadata().made_by.clone(),
            row,
        }
    }
}

impl TablesInfo {
    pub(super) fn run(self) -> Result<Answer> {
        let is_file = |what: &String| what.ends_with(".jt") || Path::new(what).is_file();
        if !self.what.is_empty() && self.what.iter().all(is_file) {
            if self.class.is_some() || self.place.dir.is_some() || self.variant.is_some() {
                bail!(
                    "--class, --dir and --variant are for the tables of a game: leave them or the files out"
                );
            }
            return self.of_files();
        }
        if self.what.len() > 1 {
            bail!(
                "one game, or table files: \"{}\" is no file",
                self.what.iter().find(|w| !is_file(w)).unwrap_or(&self.what[0])
            );
        }
        let which = WhichGame { game: self.what.first().cloned(), variant: self.variant.clone() };
        let rules = which.resolve()?.rules()?;
        let tables = self.place.place(&which, rules).open(rules)?;
        self.of_game(rules, &tables)
    }

    fn of_files(&self) -> Result<Answer> {
        let mut described = Vec::new();
        for file in &self.what {
            described
                .push(Described::of(&Table::inspect(Path::new(file)).map_err(|error| anyhow!("{error}"))?));
        }
        let sides = ["White".to_string(), "Black".to_string()];
        let info = InfoObject::new(described, None);
        self.print(&info, &sides, "")
    }

    fn of_game(&self, rules: &'static Rules, tables: &Tabled) -> Result<Answer> {
        let described: Vec<Described> = match &self.class {
            Some(class) => vec![Described::of(tables.find(class)?)],
            None => tables.set.tables().iter().map(Described::of).collect(),
        };
        let mut info = InfoObject::new(described, Some(rules.id.clone()));
        info.directory = Some(tables.place.folder.display().to_string());
        if let Some(fen) = &info.longest_win_fen {
            let setup = setup(rules, Some(fen), None)?;
            let line = best_line(&setup.position, |position| tables.children(position))?;
            info.longest_win_line = Some(move_texts(&setup.position, &line.plies));
        }
        let title = format!("{}: tables in {}\n\n", rules.name, tables.place.folder.display());
        self.print(&info, &rules.sides, &title)
    }

    fn print(&self, info: &InfoObject, sides: &[String; 2], title: &str) -> Result<Answer> {
        let text = if self.json {
            output::json_line(info)?
        } else {
            title.to_string() + &info.text(sides, self.all)
        };
        output::print(&text)?;
        Ok(Answer::Done)
    }
}

impl InfoObject {
    fn new(tables: Vec<Described>, game: Option<String>) -> InfoObject {
        let sum = Row::sum(tables.iter().map(|table| &table.row), "all");
        let counts = sum.as_ref().map(Row::both).unwrap_or_default();
        InfoObject {
            game,
            directory: None,
            positions: counts.positions(),
            wins: counts.wins,
            draws: counts.draws,
            losses: counts.losses,
            longest_win: sum.as_ref().and_then(|sum| sum.longest_win),
            longest_win_fen: sum.as_ref().and_then(|sum| sum.longest_win_fen.clone()),
            longest_win_line: None,
            bytes: sum.as_ref().map_or(0, |sum| sum.bytes),
            wdl_bytes: sum.as_ref().map_or(0, |sum| sum.wdl_bytes),
            tables,
        }
    }

    fn text(&self, sides: &[String; 2], all: bool) -> String {
        let rows: Vec<Row> = self.tables.iter().map(|table| table.row.clone()).collect();
        let mut text = summary::text(&rows, sides, all);
        let positions = self.positions.max(1) as f64;
        let mut facts = vec![
            ["positions".to_string(), grouped(self.positions)],
            [
                "bytes".into(),
                format!(
                    "{} ({:.2} positions a byte); {} of them hold win, draw and loss",
                    grouped(self.bytes),
                    positions / self.bytes.max(1) as f64,
                    grouped(self.wdl_bytes)
                ),
            ],
        ];
        if let (Some(longest), Some(fen)) = (self.longest_win, &self.longest_win_fen) {
            facts.push(["longest win".into(), format!("{}, from {fen}", plies(longest))]);
        }
        for (n, row) in self.longest_win_line.iter().flat_map(|line| line.chunks(12)).enumerate() {
            facts.push([if n == 0 { "its line" } else { "" }.to_string(), row.join(" ")]);
        }
        if let [table] = &self.tables[..] {
            facts.push(["rules".into(), format!("{}, fingerprint {}", table.game, table.fingerprint)]);
            facts.push(["made by".into(), table.made_by.clone()]);
        }
        text.push('\n');
        text + &columns(&facts)
    }
}
