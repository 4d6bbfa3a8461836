//! Building tables within a limit of memory, with progress bars, Ctrl-C, and errors that say how to go on.

use super::bus_error;
use super::progress::{BuildProgress, BuildSummary, Tally};
use crate::command_line::CommandLine;
use crate::interrupt;
use crate::machine::process_name;
use anyhow::{Result, anyhow, bail};
use jewel_players::support::memory::size_text;
use jewel_solver::tablebase::Plan;
use jewel_solver::tablebase::build::{BuildError, Options, build};
use jewel_tables::error::Fault;
use jewel_tables::writer::Distances;
use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// Seconds between two saves of a class that takes long to build.
pub(crate) const CHECKPOINT: u64 = 120;

/// What is to be built.
pub(crate) struct Job<'a> {
    pub(crate) plan: &'a Plan<'static>,
    pub(crate) folder: &'a Path,
    /// Bytes of memory that may be taken.
    pub(crate) memory: u64,
    /// Seconds between two saves.
    pub(crate) checkpoint: u64,
    /// Which distances the tables hold.
    pub(crate) distances: Distances,
    /// Whether other processes build the same tables.
    pub(crate) fleet: bool,
    /// Whether to print a line for each class.
    pub(crate) verbose: bool,
    /// The command that goes on.
    pub(crate) again: CommandLine,
}

/// What was built, and how long it took.
#[derive(Clone, Debug)]
pub(crate) struct Built {
    pub(crate) tally: Tally,
    /// Seconds of each class that was built.
    pub(crate) class_seconds: HashMap<String, f64>,
    pub(crate) seconds: f64,
}

impl Job<'_> {
    /// Builds what is missing.
    ///
    /// # Errors
    /// If the memory is too small, if it is interrupted, or if a file cannot be read or written.
    pub(crate) fn run(&self) -> Result<Built> {
        if let Some(refusal) = refusal(self.plan, self.memory) {
            bail!("{refusal}");
        }
        let interrupt = interrupt::listen()?;
        bus_error::explain();
        let start = Instant::now();
        let bars = BuildProgress::new(self.plan, self.verbose);
        let options = Options {
            memory: self.memory,
            checkpoint: Duration::from_secs(self.checkpoint),
            distances: self.distances,
            fleet: self.fleet.then(process_name),
            ..Options::default()
        };
        let result = build(self.plan, self.folder, &options, interrupt, &|progress| bars.update(progress));
        let BuildSummary { tally, seconds: class_seconds } = bars.finish();
        result.map_err(|error| self.explained(error, tally))?;
        Ok(Built { tally, class_seconds, seconds: start.elapsed().as_secs_f64() })
    }

    fn explained(&self, error: BuildError, tally: Tally) -> anyhow::Error {
        let again = &self.again;
        let done = format!("{} of {} classes", tally.found + tally.built, self.plan.classes.len());
        match error {
            BuildError::Interrupted => anyhow!("interrupted with {done} done; go on with: {again}"),
            BuildError::Io { path, error } => anyhow!(
                "{}: {}; what is done is kept, {done}: go on with: {again}",
                path.display(),
                jewel_players::support::words::reason(&error)
            ),
            BuildError::Table(error) => match error.fault {
                Fault::Io(_) => anyhow!("{error}; what is done is kept, {done}: go on with: {again}"),
                Fault::Rules { .. } => anyhow!("{error}, or in another folder (--tables)"),
                _ => anyhow!("{error}; delete it and build it again with: {again}"),
            },
            other => anyhow!("{other}"),
        }
    }
}

/// Why a plan cannot be built with this much memory.
pub(crate) fn refusal(plan: &Plan<'_>, memory: u64) -> Option<String> {
    let class = plan.classes.iter().max_by_key(|class| class.least_memory)?;
    (class.least_memory > memory).then(|| {
        format!(
            "class {} needs at least {} of memory, the limit is {}: give --memory more if there is more, or choose fewer \
             pieces with --class or --max-pieces",
            class.name,
            size_text(class.least_memory),
            size_text(memory)
        )
    })
}
