//! `jewel tables verify`: checks tables by their checksums and by the rules.

use super::{ExitStatus, FolderArgs};
use crate::arguments::WhichGame;
use crate::best_play::value_text;
use crate::progress::Style;
use crate::tables::{OpenTables, TableFolder, name};
use crate::text::grouped;
use crate::{interrupt, output, threads};
use anyhow::{Result, anyhow, bail};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use indicatif::ProgressBar;
use jewel_engine::variant::Rules;
use jewel_players::support::layout::columns;
use jewel_solver::tablebase::ProbeError;
use jewel_solver::tablebase::verify::{Check, Checked, VerifyError, verify};
use jewel_tables::error::{Fault, TableError};
use jewel_tables::reader::Table;
use serde::Serialize;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Check tables: checksums, and values by the rules, independently of how they were found
#[derive(Args)]
#[command(after_long_help = "\
Every byte of a table is compared with its checksums. Then positions are put together from the table's index, their \
moves are made by the rules, and the value of each must be the best of those that its moves lead to; of some that end \
soon all play is searched, without any table. By default about a million positions of each class are looked at, in runs \
at even distances that the seed shifts; --full looks at all of them, and what passes it is proven.

The exit code is 1 if a file is damaged or a value is wrong: the first that was found is named.

Examples:
  jewel tables verify ambush
  jewel tables verify ambush --class NLvNQ --full
  jewel tables verify duel --sample 1000 --seed 7 --json")]
pub(super) struct VerifyTables {
    #[command(flatten)]
    pub(super) game: WhichGame,

    #[command(flatten)]
    pub(super) folder: FolderArgs,

    /// Only the table of this class
    #[arg(long, value_name = "CLASS")]
    pub(super) class: Option<String>,

    /// Positions of each class to check, about
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = RangedU64ValueParser::<u64>::new().range(1..))]
    pub(super) sample: u64,

    /// Check every position
    #[arg(long, conflicts_with = "sample")]
    pub(super) full: bool,

    /// Seed of the sample
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u64,

    /// Threads to work on [default: one for each core]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub(super) threads: Option<usize>,

    /// Print a JSON object: game, directory, verdict, tables, positions, searches, seconds, problem
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Serialize)]
pub(super) struct Report {
    pub(super) game: String,
    pub(super) directory: String,
    /// `ok`, `damaged` or `mismatch`.
    pub(super) verdict: &'static str,
    /// The number of tables that were found right.
    pub(super) tables: usize,
    pub(super) positions: u64,
    pub(super) searches: u64,
    pub(super) full: bool,
    pub(super) seed: u64,
    pub(super) seconds: f64,
    pub(super) problem: Option<String>,
}

/// A fault that a check found: an answer, unlike an error that kept it from checking.
pub(super) enum Wrong {
    Damaged(String),
    Mismatch(String),
}

impl VerifyTables {
    pub(super) fn run(self) -> Result<ExitStatus> {
        let rules = self.game.resolve()?.rules()?;
        let folder = self.folder.table_folder(&self.game, rules);
        let pool = threads::pool(self.threads)?;
        let check = || match rules.hand {
            Some(_) => self.verify_one(rules),
            None => self.check(rules, &folder),
        };
        let report = pool.install(check)?;
        output::print(&if self.json { output::json_line(&report)? } else { report.text() })?;
        Ok(if report.problem.is_none() { ExitStatus::Done } else { ExitStatus::No })
    }

    fn check(&self, rules: &'static Rules, folder: &TableFolder) -> Result<Report> {
        let interrupt = interrupt::listen()?;
        let start = Instant::now();
        let mut report = Report::begun(rules, &folder.path, self.full, self.seed);
        match folder.try_open(rules) {
            Ok(set) if set.tables().is_empty() => return Err(folder.empty()),
            Ok(set) => {
                let tables = OpenTables { set, folder: folder.clone() };
                self.check_tables(&tables, interrupt, &mut report)?;
            }
            Err(ProbeError::Table(error)) => report.found(damage(error)?),
            Err(error) => return Err(folder.explained(error)),
        }
        report.seconds = start.elapsed().as_secs_f64();
        Ok(report)
    }

    fn check_tables(&self, tables: &OpenTables, interrupt: &AtomicBool, report: &mut Report) -> Result<()> {
        let list: Vec<&Table> = match &self.class {
            Some(class) => vec![tables.find(class)?],
            None => tables.set.tables().iter().collect(),
        };
        let positions = |table: &Table| {
            let cells = 2 * table.index().cells();
            if self.full { cells } else { cells.min(self.sample) }
        };
        let all = list.iter().map(|table| positions(table)).sum();
        let bar = Style::ShareAndTime.apply(ProgressBar::new(all));
        let check =
            Check { positions: (!self.full).then_some(self.sample), seed: self.seed, ..Check::default() };
        for (n, table) in list.iter().enumerate() {
            bar.set_message(format!("{} ({} of {})", name(table), n + 1, list.len()));
            match verify(&tables.set, table, &check, interrupt, &|n| bar.inc(n)) {
                Ok(Checked { positions, searches }) => {
                    report.tables += 1;
                    report.positions += positions;
                    report.searches += searches;
                }
                Err(VerifyError::Interrupted) => {
                    bar.finish_and_clear();
                    bail!("interrupted with {n} of {} tables found right", list.len());
                }
                Err(error) => {
                    report.found(wrong(tables, error)?);
                    break;
                }
            }
        }
        bar.finish_and_clear();
        Ok(())
    }
}

/// Tells the faults that a check found from errors that kept it from checking.
fn wrong(tables: &OpenTables, error: VerifyError) -> Result<Wrong> {
    match error {
        VerifyError::Table(error) | VerifyError::Probe(ProbeError::Table(error)) => damage(error),
        VerifyError::Probe(error) => Err(tables.folder.explained(error)),
        VerifyError::Mismatch { position, stored, expected } => Ok(Wrong::Mismatch(format!(
            "{position}: the table says {}, the moves give {}",
            value_text(stored),
            value_text(expected)
        ))),
        VerifyError::Search { position, stored } => Ok(Wrong::Mismatch(format!(
            "{position}: the table says {}, a search of all moves says otherwise",
            value_text(stored)
        ))),
        VerifyError::Interrupted => bail!("interrupted"),
    }
}

/// Damage is an answer; a file that cannot be read, or is for other rules, is not.
fn damage(error: TableError) -> Result<Wrong> {
    match error.fault {
        Fault::Io(_) | Fault::Rules { .. } | Fault::Version(_) => Err(anyhow!("{error}")),
        _ => Ok(Wrong::Damaged(error.to_string())),
    }
}

impl Report {
    /// That nothing has been found wrong yet.
    pub(super) fn begun(rules: &Rules, folder: &Path, full: bool, seed: u64) -> Report {
        Report {
            game: rules.id.clone(),
            directory: folder.display().to_string(),
            verdict: "ok",
            tables: 0,
            positions: 0,
            searches: 0,
            full,
            seed,
            seconds: 0.0,
            problem: None,
        }
    }

    pub(super) fn found(&mut self, wrong: Wrong) {
        let (verdict, problem) = match wrong {
            Wrong::Damaged(problem) => ("damaged", problem),
            Wrong::Mismatch(problem) => ("mismatch", problem),
        };
        self.verdict = verdict;
        self.problem = Some(problem);
    }

    fn text(&self) -> String {
        let mut rows = vec![["verdict".to_string(), self.verdict.to_string()]];
        if let Some(problem) = &self.problem {
            rows.push(["problem".into(), problem.clone()]);
        }
        let which = if self.full { "all of them" } else { "a sample" };
        rows.extend([
            ["tables".to_string(), format!("{} in {} found right", self.tables, self.directory)],
            ["positions".into(), format!("{} compared with their moves, {which}", grouped(self.positions))],
            ["searches".into(), format!("{} of all play to the end", grouped(self.searches))],
            ["seconds".into(), format!("{:.3}", self.seconds)],
        ]);
        columns(&rows)
    }
}
