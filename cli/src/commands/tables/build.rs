//! `jewel tables build`: solves classes and writes their tables.

use super::{ExitStatus, FolderArgs, ScopeArgs};
use crate::arguments::WhichGame;
use crate::command_line::CommandLine;
use crate::machine::peak_kibibytes;
use crate::tables::build::{Built, CHECKPOINT, Job};
use crate::tables::classes_page::ClassesPage;
use crate::text::grouped;
use crate::{output, threads};
use anyhow::{Context, Result};
use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};
use jewel_players::support::layout::columns;
use jewel_players::support::memory::{self, size_text};
use jewel_solver::tablebase::Plan;
use jewel_solver::tablebase::build::table_path;
use jewel_tables::writer::Distances;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Build the tables of classes, or go on with a build that was stopped
#[derive(Args)]
#[command(after_long_help = "\
A class that would not fit into memory is refused before anything is done; `jewel tables plan` says what fits. \
Ctrl-C, a crash or a full disk loses what was done since the last save and nothing else: the same command goes on, \
and the files that it ends with are byte for byte those of a build that was never stopped. What is kept for that \
is in a folder \"unfinished\" within that of the tables, and gone when the build is done.

With --fleet, any number of processes share the work, a class each at a time, and end with the same files. They may \
begin and end when they like, and each returns once all classes are done. docs/cluster.md shows how to run them on \
several machines.

Examples:
  jewel tables build ambush --class NLvNQ
  jewel tables build ambush --max-pieces 6 --tables /data/ambush --memory 8G
  jewel tables build --variant mine.toml --threads 4 --verbose
  jewel tables build diamond-quest --max-pieces 4 --distances lost --report tables-7x7.md
  jewel tables build diamond-qi --max-pieces 5 --with K
  jewel tables build ambush --tables /shared/ambush --fleet")]
pub(super) struct BuildTables {
    #[command(flatten)]
    pub(super) game: WhichGame,

    #[command(flatten)]
    pub(super) scope: ScopeArgs,

    #[command(flatten)]
    pub(super) folder: FolderArgs,

    /// Take no more memory than this, such as 500M or 16G [default: 80% of what is free]
    #[arg(long, value_name = "SIZE", value_parser = memory::parse_size)]
    pub(super) memory: Option<u64>,

    /// Threads to work on [default: one for each core]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub(super) threads: Option<usize>,

    /// Seconds between two saves of a class in progress; 0 saves after every sweep
    #[arg(long, value_name = "SECONDS", default_value_t = CHECKPOINT, value_parser = RangedU64ValueParser::<u64>::new().range(0..=86400))]
    pub(super) checkpoint: u64,

    /// Which distances to store: all, those of lost positions only (a third of the space; the others are found a few plies
    /// ahead, which makes probing for distances slower, not for win, draw or loss), or none
    #[arg(long, value_enum, default_value_t = Stored::All)]
    pub(super) distances: Stored,

    /// Write totals and the longest wins of all classes into this Markdown page, and a row for each class into the file of
    /// the same name that ends in .tsv; they replace what was there about the game
    #[arg(long, value_name = "FILE")]
    pub(super) report: Option<PathBuf>,

    /// Share the work with every other process that builds the same tables in the same folder with --fleet, on this machine
    /// or on others
    #[arg(long)]
    pub(super) fleet: bool,

    /// Print a line on stderr for each class that is done
    #[arg(long, short)]
    pub(super) verbose: bool,

    /// Print a JSON object: game, directory, classes, found, cells, bytes, seconds, ...
    #[arg(long)]
    pub(super) json: bool,
}

impl BuildTables {
    pub(super) fn run(self) -> Result<ExitStatus> {
        let rules = self.game.resolve()?.rules()?;
        if rules.hand.is_some() {
            let summary = threads::pool(self.threads)?.install(|| self.build_one(rules))?;
            output::print(&if self.json { output::json_line(&summary)? } else { summary.text() })?;
            return Ok(ExitStatus::Done);
        }
        let plan = self.scope.plan(rules)?;
        let folder = self.folder.table_folder(&self.game, rules);
        let pool = threads::pool(self.threads)?;
        let job = Job {
            plan: &plan,
            folder: &folder.path,
            memory: memory::limit(self.memory),
            checkpoint: self.checkpoint,
            distances: self.distances.into(),
            fleet: self.fleet,
            verbose: self.verbose,
            again: self.again(),
        };
        let built = pool.install(|| job.run())?;
        if let Some(path) = &self.report {
            let page = ClassesPage {
                rules,
                tables: &folder.open(rules)?,
                classes: plan.classes.iter().map(|class| class.name.clone()).collect(),
                command: self.again().to_string(),
                seconds: &built.class_seconds,
                built_cells: built.tally.cells,
                build_seconds: built.seconds,
                threads: pool.current_num_threads(),
            };
            pool.install(|| page.write(path))?;
        }
        let summary = Summary::new(&plan, &folder.path, built, self.fleet)?;
        output::print(&if self.json { output::json_line(&summary)? } else { summary.text() })?;
        Ok(ExitStatus::Done)
    }

    /// The command that continues the build.
    pub(super) fn again(&self) -> CommandLine {
        CommandLine::new(&["tables", "build"])
            .which(&self.game)
            .option("--class", self.scope.class.as_ref())
            .option("--max-pieces", self.scope.max_pieces)
            .option("--with", self.scope.with.as_ref())
            .option("--tables", self.folder.tables.as_ref().map(|dir| dir.display()))
            .option("--memory", self.memory.map(size_text))
            .option("--threads", self.threads)
            .option("--checkpoint", (self.checkpoint != CHECKPOINT).then_some(self.checkpoint))
            .option("--distances", (self.distances != Stored::All).then(|| self.distances.name()))
            .option("--report", self.report.as_ref().map(|path| path.display()))
            .flag("--fleet", self.fleet)
            .flag("--verbose", self.verbose)
            .flag("--json", self.json)
    }
}

/// Which distances are stored.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Stored {
    All,
    Lost,
    None,
}

impl Stored {
    fn name(self) -> &'static str {
        match self {
            Stored::All => "all",
            Stored::Lost => "lost",
            Stored::None => "none",
        }
    }
}

impl From<Stored> for Distances {
    fn from(stored: Stored) -> Distances {
        match stored {
            Stored::All => Distances::All,
            Stored::Lost => Distances::Lost,
            Stored::None => Distances::None,
        }
    }
}

#[derive(Serialize)]
pub(super) struct Summary {
    pub(super) game: String,
    pub(super) directory: String,
    pub(super) classes: usize,
    /// Classes that had been built before, or that others of a fleet have built.
    pub(super) found: usize,
    /// Whether others may have built some.
    #[serde(skip)]
    pub(super) fleet: bool,
    pub(super) cells: u64,
    /// The size of all files.
    pub(super) bytes: u64,
    /// Of the classes built by this run.
    pub(super) built_cells: u64,
    pub(super) seconds: f64,
    pub(super) cells_per_second: f64,
    pub(super) peak_memory: Option<u64>,
}

impl Summary {
    fn new(plan: &Plan<'_>, folder: &Path, built: Built, fleet: bool) -> Result<Summary> {
        let mut bytes = 0;
        for class in &plan.classes {
            let path = table_path(folder, &class.name);
            bytes += std::fs::metadata(&path).with_context(|| path.display().to_string())?.len();
        }
        Ok(Summary {
            game: plan.rules().id.clone(),
            directory: folder.display().to_string(),
            classes: plan.classes.len(),
            found: built.tally.found,
            fleet,
            cells: plan.cells(),
            bytes,
            built_cells: built.tally.cells,
            seconds: built.seconds,
            cells_per_second: built.tally.cells as f64 / built.seconds,
            peak_memory: peak_kibibytes().map(|k| k << 10),
        })
    }

    fn text(&self) -> String {
        let found = match self.found {
            0 => String::new(),
            n if n == self.classes => ", all of them from an earlier run".to_string(),
            n if self.fleet => format!(", {n} of them by others or from an earlier run"),
            n => format!(", {n} of them from an earlier run"),
        };
        let speed = if self.built_cells == 0 || self.seconds < 0.1 {
            String::new()
        } else {
            format!(" ({} cells a second)", grouped(self.cells_per_second as u64))
        };
        columns(&[
            ["tables".to_string(), format!("{} in {}{found}", self.classes, self.directory)],
            ["cells".into(), grouped(self.cells)],
            [
                "bytes".into(),
                format!(
                    "{} ({:.2} bits a cell)",
                    grouped(self.bytes),
                    8.0 * self.bytes as f64 / self.cells.max(1) as f64
                ),
            ],
            ["seconds".into(), format!("{:.3}{speed}", self.seconds)],
        ])
    }
}
