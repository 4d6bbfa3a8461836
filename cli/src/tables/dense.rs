//! The one table of a game with pieces in hand: its file, solving it within a limit of memory, and going on.

use crate::command_line::CommandLine;
use crate::progress;
use crate::text::{grouped, plies};
use anyhow::{Result, anyhow, bail};
use jewel_engine::variant::Rules;
use jewel_players::support::memory::size_text;
use jewel_players::support::words::reason;
use jewel_solver::dense::{DenseReader, DenseTable, FILE, Failure, LoadError, Unsuitable};
use jewel_tables::atomic::AtomicFile;
use jewel_tables::source::RegularFile;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// A table in a folder, there or to be solved.
pub(crate) struct DenseJob {
    rules: &'static Rules,
    folder: PathBuf,
    /// The file of the table.
    pub(crate) file: PathBuf,
    /// Bytes of memory that may be taken.
    memory: u64,
    /// The time between two saves.
    checkpoint: Duration,
}

/// A solved table.
pub(crate) struct Solved {
    pub(crate) table: DenseTable<'static>,
    /// The last level that was solved in this run, in plies.
    pub(crate) levels: u32,
    /// Whether it was solved by an earlier run.
    pub(crate) found: bool,
}

impl DenseJob {
    pub(crate) fn new(rules: &'static Rules, folder: &Path, memory: u64, checkpoint: Duration) -> DenseJob {
        DenseJob { rules, folder: folder.to_path_buf(), file: folder.join(FILE), memory, checkpoint }
    }

    /// The table: from its file, or solved, and then in its file. `again` is the command that goes on.
    ///
    /// # Errors
    /// If there can be no table, the memory is too small, the file cannot be read or written, or it is interrupted.
    pub(crate) fn solve(&self, again: &CommandLine, interrupt: &AtomicBool) -> Result<Solved> {
        let mut table = if self.file.exists() { self.load()? } else { self.begin()? };
        let found = table.is_solved();
        let (mut saved, mut total, mut levels) = (Instant::now(), 0, 0);
        let bar = progress::message("");
        bar.set_message(format!("{} cells: looking for the ends of the game", grouped(table.cells())));
        loop {
            let result = table.solve(interrupt, &mut |level, cells| {
                levels = level;
                total += cells;
                bar.set_message(format!("{}: {} cells decided", plies(level), grouped(total)));
                saved.elapsed() < self.checkpoint
            });
            match result {
                Ok(()) => break,
                Err(Failure::Interrupted) => self.save(&table)?,
                Err(other) => return Err(other.into()),
            }
            if interrupt.load(Relaxed) {
                bail!(
                    "interrupted after {levels} plies with {} cells decided; go on with: {again}",
                    grouped(total)
                );
            }
            saved = Instant::now();
        }
        bar.finish_and_clear();
        if !found {
            self.save(&table)?;
        }
        Ok(Solved { table, levels, found })
    }

    /// The solved table of the file, all of it in memory; `build` is the command that solves it.
    ///
    /// # Errors
    /// If it is not there, not solved, or cannot be used.
    pub(crate) fn open(&self, build: &CommandLine) -> Result<DenseTable<'static>> {
        self.exists(build)?;
        let table = self.load()?;
        if !table.is_solved() {
            return Err(self.unfinished(build));
        }
        Ok(table)
    }

    /// The solved table, in its file; `build` is the command that solves it.
    ///
    /// # Errors
    /// If it is not there, not solved, or cannot be used.
    pub(crate) fn reader(&self, build: &CommandLine) -> Result<DenseReader<'static>> {
        self.exists(build)?;
        let opened = RegularFile::open(&self.file).map_err(LoadError::from);
        opened.and_then(|file| DenseReader::open(self.rules, Box::new(file))).map_err(|error| match error {
            LoadError::Unfinished => self.unfinished(build),
            other => self.explained(other),
        })
    }

    fn exists(&self, build: &CommandLine) -> Result<()> {
        if !self.file.exists() {
            bail!("there are no tables in {}; build them with: {build}", self.folder.display());
        }
        Ok(())
    }

    fn unfinished(&self, build: &CommandLine) -> anyhow::Error {
        anyhow!("the table in {} is not finished; go on with: {build}", self.folder.display())
    }

    fn begin(&self) -> Result<DenseTable<'static>> {
        let refused = |error: Unsuitable| match error {
            Unsuitable::Memory { needed, limit } => anyhow!(
                "{}: the table of all positions takes {} of memory; the limit is {}: give --memory more",
                self.rules.id,
                size_text(needed),
                size_text(limit)
            ),
            other => anyhow!("{}: {other}", self.rules.id),
        };
        DenseTable::new(self.rules, self.memory).map_err(refused)
    }

    fn load(&self) -> Result<DenseTable<'static>> {
        self.read().map_err(|error| self.explained(error))
    }

    fn explained(&self, error: LoadError) -> anyhow::Error {
        let name = self.file.display();
        match error {
            LoadError::Io(e) => anyhow!("{name}: {}", reason(&e)),
            LoadError::Unsuitable(Unsuitable::Memory { needed, limit }) => anyhow!(
                "{name}: needs {} of memory; the limit is {}: give --memory more",
                size_text(needed),
                size_text(limit)
            ),
            other => anyhow!("{name}: {other}"),
        }
    }

    /// The table of the file, solved or not, with the library's error.
    pub(crate) fn read(&self) -> Result<DenseTable<'static>, LoadError> {
        DenseTable::load(self.rules, self.memory, Box::new(RegularFile::open(&self.file)?))
    }

    fn save(&self, table: &DenseTable<'_>) -> Result<()> {
        let write = |path: &Path| {
            fs::create_dir_all(&self.folder)?;
            let mut file = AtomicFile::create(path)?;
            table.save(&mut file)?;
            file.commit()
        };
        write(&self.file).map_err(|e| anyhow!("{}: {}", self.file.display(), reason(&e)))
    }
}
