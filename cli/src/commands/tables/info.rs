//! `jewel tables info`: facts about tables, from their files.

use super::{ExitStatus, FolderArgs};
use crate::arguments::WhichGame;
use crate::best_play::value_text;
use crate::tables::histogram::HistogramObject;
use crate::tables::summary::{self, Row};
use crate::tables::{OpenTables, line_of};
use crate::text::{grouped, plies};
use crate::{interrupt, output};
use anyhow::{Result, anyhow, bail};
use clap::{ArgGroup, Args, ValueEnum};
use jewel_engine::value::Value;
use jewel_engine::variant::Rules;
use jewel_players::support::layout::{columns, folded, table_or_list};
use jewel_solver::dense::Among;
use jewel_solver::histogram::Histogram;
use jewel_solver::tablebase::histogram::histogram;
use jewel_solver::tablebase::zugzwang::zugzwangs;
use jewel_tables::reader::Table;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Describe tables: how often won, drawn and lost, the longest win, sizes
#[derive(Args)]
#[command(group(ArgGroup::new("listed").args(["zugzwang", "histogram"]).multiple(true)))]
#[command(after_long_help = "\
Counts are of positions that differ by more than a symmetry, by their value for the side to move. The longest win \
of the tables, or of the one class that was asked for, is shown with its position and the line that wins it. Files \
are described whatever rules they are for; damage is an error as far as it can be seen from the ends of a file, and \
`jewel tables verify` finds it everywhere.

Examples:
  jewel tables info ambush
  jewel tables info ambush --class NLvNQ
  jewel tables info diamond-quest --lines
  jewel tables info diamond-quest --class RKvKP --zugzwang --list 20
  jewel tables info ambush --histogram --list 3
  jewel tables info jewel-tables/ambush/NLvNQ.jt --json")]
pub(super) struct TablesInfo {
    /// The game's id or its variant file, or table files
    #[arg(value_name = "GAME|FILE")]
    pub(super) what: Vec<String>,

    /// The tables of this variant file's game
    #[arg(long, value_name = "FILE")]
    pub(super) variant: Option<PathBuf>,

    #[command(flatten)]
    pub(super) folder: FolderArgs,

    /// Only the table of this class
    #[arg(long, value_name = "CLASS")]
    pub(super) class: Option<String>,

    /// List every table, even if there are many
    #[arg(long)]
    pub(super) all: bool,

    /// Show the longest win of every table, with the line that wins it
    #[arg(long)]
    pub(super) lines: bool,

    /// Count and list mutual zugzwangs: positions in which neither side wants to be on move
    #[arg(long)]
    pub(super) zugzwang: bool,

    /// Count positions by value and distance, and list the longest wins and losses
    #[arg(long)]
    pub(super) histogram: bool,

    /// Of a game with pieces in hand: count all positions of its table, those that the start leads to, or those that it leads
    /// to if a royal piece is captured as soon as it can be
    #[arg(long, value_enum, requires = "histogram", default_value_t = Counted::Table)]
    pub(super) among: Counted,

    /// Number of zugzwangs to list for each table, or of longest wins, and of longest losses
    #[arg(long, value_name = "N", requires = "listed", default_value_t = 10)]
    pub(super) list: usize,

    /// Print a JSON object: tables (class, pieces, white, black, longest_win, bytes, ...), positions, bytes, ...
    #[arg(long)]
    pub(super) json: bool,
}

/// Which positions of a game with pieces in hand are counted.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Counted {
    Table,
    Reachable,
    AtOnce,
}

impl Counted {
    pub(super) fn among(self) -> (&'static str, Among) {
        match self {
            Counted::Table => ("table", Among::Cells),
            Counted::Reachable => ("reachable", Among::Reached),
            Counted::AtOnce => ("at-once", Among::AtOnce),
        }
    }
}

#[derive(Serialize)]
pub(super) struct InfoObject {
    pub(super) game: Option<String>,
    pub(super) directory: Option<String>,
    pub(super) tables: Vec<Described>,
    pub(super) positions: u64,
    pub(super) wins: u64,
    pub(super) draws: u64,
    pub(super) losses: u64,
    pub(super) longest_win: Option<u32>,
    pub(super) longest_win_fen: Option<String>,
    /// `None` where the rules are not known.
    pub(super) longest_win_line: Option<Vec<String>>,
    pub(super) bytes: u64,
    pub(super) wdl_bytes: u64,
    /// Only if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) histogram: Option<HistogramObject>,
}

/// A table, with facts that only its file has.
#[derive(Serialize)]
pub(super) struct Described {
    file: String,
    #[serde(flatten)]
    row: Row,
    positions: u64,
    bits_per_position: f64,
    positions_per_byte: f64,
    game: String,
    fingerprint: String,
    made_by: String,
    /// Only if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    longest_win_line: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    zugzwangs: Option<Zugzwangs>,
}

/// The mutual zugzwangs of a table.
#[derive(Serialize)]
pub(super) struct Zugzwangs {
    /// The side to move loses.
    both_lose: u64,
    /// All of them: those of a class that is its own exchange of sides count once.
    #[serde(skip)]
    all: u64,
    /// White wins if Black is to move, and draws otherwise; and the same for Black.
    white_wins: u64,
    black_wins: u64,
    list: Vec<Listed>,
}

#[derive(Serialize)]
pub(super) struct Listed {
    fen: String,
    /// For White, White to move, and for Black, Black to move.
    white: Valued,
    black: Valued,
}

#[derive(Serialize)]
pub(super) struct Valued {
    value: &'static str,
    distance: Option<u32>,
    #[serde(skip)]
    text: String,
}

impl Valued {
    fn of(value: Value) -> Valued {
        Valued { value: value.outcome().name(), distance: value.distance(), text: value_text(value) }
    }
}

impl Described {
    fn of(table: &Table) -> Described {
        let row = Row::of(table);
        let positions = row.both.positions();
        Described {
            file: table.name().to_string(),
            positions,
            bits_per_position: row.bits_a_position(),
            positions_per_byte: positions as f64 / row.bytes as f64,
            game: table.metadata().game.clone(),
            fingerprint: format!("{:016x}", table.fingerprint()),
            made_by: table.metadata().made_by.clone(),
            longest_win_line: None,
            zugzwangs: None,
            row,
        }
    }
}

impl TablesInfo {
    pub(super) fn run(self) -> Result<ExitStatus> {
        let is_file =
            |what: &String| what.ends_with(".jt") || !what.ends_with(".toml") && Path::new(what).is_file();
        if !self.what.is_empty() && self.what.iter().all(is_file) {
            if self.class.is_some() || self.folder.tables.is_some() || self.variant.is_some() {
                bail!(
                    "--class, --tables and --variant are for the tables of a game: leave them or the files out"
                );
            }
            if self.lines || self.zugzwang || self.histogram {
                bail!(
                    "--lines, --zugzwang and --histogram need the rules: name the game, and the folder with --tables"
                );
            }
            return self.describe_files();
        }
        if self.what.len() > 1 {
            bail!(
                "one game, or table files: \"{}\" is not a file",
                self.what.iter().find(|w| !is_file(w)).unwrap_or(&self.what[0])
            );
        }
        let which = WhichGame { game: self.what.first().cloned(), variant: self.variant.clone() };
        let rules = which.resolve()?.rules()?;
        if rules.hand.is_some() {
            self.describe_one(rules, &which)?;
            return Ok(ExitStatus::Done);
        }
        if self.among != Counted::Table {
            bail!("{}: tables of classes do not say what the start leads to: leave out --among", rules.id);
        }
        let tables = self.folder.table_folder(&which, rules).open(rules)?;
        self.describe_game(rules, &tables)
    }

    fn describe_files(&self) -> Result<ExitStatus> {
        let mut described = Vec::new();
        for file in &self.what {
            described
                .push(Described::of(&Table::inspect(Path::new(file)).map_err(|error| anyhow!("{error}"))?));
        }
        let sides = ["White".to_string(), "Black".to_string()];
        let info = InfoObject::new(described, None);
        self.print(&info, &sides, "")
    }

    fn describe_game(&self, rules: &'static Rules, tables: &OpenTables) -> Result<ExitStatus> {
        let chosen: Vec<&Table> = match &self.class {
            Some(class) => vec![tables.find(class)?],
            None => tables.set.tables().iter().collect(),
        };
        let described = chosen.iter().map(|table| self.describe(rules, tables, table));
        let mut info = InfoObject::new(described.collect::<Result<_>>()?, Some(rules.id.clone()));
        if self.histogram {
            let interrupt = interrupt::listen()?;
            let sum = chosen.iter().try_fold(Histogram::default(), |sum, table| {
                anyhow::Ok(sum.join(histogram(&tables.set, table, self.list, interrupt)?, self.list))
            });
            info.histogram = Some(sum?.into());
        }
        info.directory = Some(tables.folder.path.display().to_string());
        if let Some(fen) = &info.longest_win_fen {
            info.longest_win_line = Some(line_of(rules, tables, fen)?);
        }
        let title = format!("{}: tables in {}\n\n", rules.name, tables.folder.path.display());
        self.print(&info, &rules.sides, &title)
    }

    fn describe(&self, rules: &'static Rules, tables: &OpenTables, table: &Table) -> Result<Described> {
        let mut described = Described::of(table);
        if let (true, Some(fen)) = (self.lines, &described.row.longest_win_fen) {
            described.longest_win_line = Some(line_of(rules, tables, fen)?);
        }
        if self.zugzwang {
            let found = zugzwangs(&tables.set, table, self.list, interrupt::listen()?)?;
            let listed = found.list.iter().map(|z| Listed {
                fen: z.position.clone(),
                white: Valued::of(z.values[0]),
                black: Valued::of(z.values[1]),
            });
            described.zugzwangs = Some(Zugzwangs {
                both_lose: found.both_lose,
                all: found.count(),
                white_wins: found.white_wins,
                black_wins: found.black_wins,
                list: listed.collect(),
            });
        }
        Ok(described)
    }

    fn print(&self, info: &InfoObject, sides: &[String; 2], title: &str) -> Result<ExitStatus> {
        let text = if self.json {
            output::json_line(info)?
        } else {
            title.to_string() + &info.text(sides, self.all)
        };
        output::print(&text)?;
        Ok(ExitStatus::Done)
    }
}

impl InfoObject {
    /// The mutual zugzwangs of each table, with positions.
    fn zugzwang_text(&self, sides: &[String; 2]) -> String {
        let counted: Vec<(&Described, &Zugzwangs)> =
            self.tables.iter().filter_map(|table| Some((table, table.zugzwangs.as_ref()?))).collect();
        if counted.is_empty() {
            return String::new();
        }
        let heads = ["mutual zugzwangs", "all", "both lose"].map(str::to_string).into_iter();
        let mut rows = vec![heads.chain(sides.iter().map(|side| format!("{side} would win"))).collect()];
        let row = |name: &str, counts: [u64; 4]| -> Vec<String> {
            std::iter::once(name.to_string()).chain(counts.map(grouped)).collect()
        };
        let counts = |c: &Zugzwangs| [c.all, c.both_lose, c.white_wins, c.black_wins];
        rows.extend(counted.iter().map(|(table, c)| row(&table.row.class, counts(c))));
        if counted.len() > 1 {
            let sum = counted.iter().fold([0; 4], |sum, (_, c)| {
                let c = counts(c);
                std::array::from_fn(|i| sum[i] + c[i])
            });
            rows.push(row("all", sum));
        }
        let mut text = format!("\n{}", table_or_list(&rows, |n| n == 0));
        for (table, c) in counted.iter().filter(|(_, c)| !c.list.is_empty()) {
            text += &format!("\n{}: {} to move; {} to move\n", table.row.class, sides[0], sides[1]);
            let rows: Vec<[String; 3]> =
                c.list.iter().map(|z| [z.fen.clone(), z.white.text.clone(), z.black.text.clone()]).collect();
            text += &columns(&rows);
        }
        text
    }

    /// The longest win of each table with its line, if that was asked for.
    fn lines_text(&self) -> String {
        let mut text = String::new();
        for table in &self.tables {
            let (Some(line), Some(fen), Some(longest)) =
                (&table.longest_win_line, &table.row.longest_win_fen, table.row.longest_win)
            else {
                continue;
            };
            text += &format!("\n{}: {}, from {fen}\n", table.row.class, plies(longest));
            text += &format!("  {}\n", folded(&line.join(" "), 2));
        }
        text
    }

    fn new(tables: Vec<Described>, game: Option<String>) -> InfoObject {
        let sum = Row::sum(tables.iter().map(|table| &table.row), "all");
        let counts = sum.as_ref().map(|sum| sum.both).unwrap_or_default();
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
            histogram: None,
            tables,
        }
    }

    fn text(&self, sides: &[String; 2], all: bool) -> String {
        let rows: Vec<Row> = self.tables.iter().map(|table| table.row.clone()).collect();
        let mut text = summary::text(&rows, sides, all);
        text += &self.zugzwang_text(sides);
        text += &self.lines_text();
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
        facts.extend(self.longest_win_line.iter().map(|line| ["its line".to_string(), line.join(" ")]));
        if let [table] = &self.tables[..] {
            facts.push(["rules".into(), format!("{}, fingerprint {}", table.game, table.fingerprint)]);
            facts.push(["made by".into(), table.made_by.clone()]);
        }
        text.push('\n');
        text += &columns(&facts);
        text + &self.histogram.as_ref().map(HistogramObject::text).unwrap_or_default()
    }
}
