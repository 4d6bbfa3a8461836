//! Building tables, and resuming a build that was stopped.

use super::fleet;
use super::monitor::Monitor;
use super::plan::Plan;
use super::scheme::{Cells, scheme};
use super::scratch::{self, Content, Files, Stamp};
use super::solve::Task;
use crate::retrograde::class::Class;
use crate::retrograde::layout::{Layout, TooLarge};
use crate::retrograde::solved::{Solved, Table};
use crate::retrograde::value::SPAN;
use jewel_tables::error::{Fault, TableError};
use jewel_tables::reader;
use jewel_tables::scheme::Scheme;
use jewel_tables::writer::{self, Distances, Helpers, Leader};
use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub use super::monitor::{BuildError, Progress, Stage};

/// How to build tables.
#[derive(Clone, Debug)]
pub struct Options {
    /// Bytes of memory that a class may take. A class that would take more keeps its slices in a file, which is slower. If
    /// that would take too much for any class of the plan, the build stops before it does anything.
    pub memory: u64,
    /// How often intermediate values of a class are saved.
    pub checkpoint: Duration,
    /// The program and its version, for the metadata.
    pub made_by: String,
    /// Plies that are solved at a time, 1 to 125: longer games take several rounds. A smaller window takes longer and gives
    /// the same tables.
    pub window: u8,
    /// Which distances the tables hold.
    pub distances: Distances,
    /// The name of this builder among others that build the same tables in the same folder at the same time, such as that
    /// of its machine and its process; `None` if it works alone. No two builders may have the same name at a time.
    pub fleet: Option<String>,
}

impl Default for Options {
    /// No limit of memory, a checkpoint every two minutes, the longest window, all distances.
    fn default() -> Options {
        let made_by = concat!("jewel ", env!("CARGO_PKG_VERSION")).to_string();
        Options {
            memory: u64::MAX,
            checkpoint: Duration::from_secs(120),
            made_by,
            window: SPAN,
            distances: Distances::All,
            fleet: None,
        }
    }
}

/// The file of a class's table in a folder.
pub fn table_path(folder: &Path, class: &str) -> PathBuf {
    folder.join(format!("{class}.jt"))
}

/// The name of the folder, within that of the tables, for what a build keeps until it is done.
pub const SCRATCH: &str = "unfinished";

/// Builds every table of a plan that is not in the folder yet, on the threads of the current rayon pool. After it was stopped,
/// by `interrupt`, by a full disk or by a crash, the same call goes on, and ends with the same bytes in the files. Only one
/// build at a time can work in a folder, or one [fleet](Options::fleet): its builders share the classes and all return once the
/// whole plan is done.
///
/// # Errors
/// If a class needs more memory than allowed, a file cannot be read or written, a table in the folder is damaged or for other
/// rules, a win is too long, another build is at work in the folder, or the build was interrupted.
pub fn build(
    plan: &Plan<'_>,
    folder: &Path,
    options: &Options,
    interrupt: &AtomicBool,
    progress: &(dyn Fn(&Progress<'_>) + Sync),
) -> Result<(), BuildError> {
    check(plan)?;
    if let Some(class) = plan.classes.iter().find(|c| c.least_memory > options.memory) {
        return Err(BuildError::Memory {
            class: class.name.clone(),
            needed: class.least_memory,
            limit: options.memory,
        });
    }
    build_missing(plan, folder, options, Monitor { interrupt, progress }, |build| match &options.fleet {
        Some(name) => fleet::Builder::new(build, name).run(),
        None => build.run_alone(&mut OneProcess),
    })
}

/// Checks that all classes were laid out.
pub(super) fn check(plan: &Plan<'_>) -> Result<(), BuildError> {
    match plan.classes.iter().find(|c| !c.exact) {
        Some(class) => Err(TooLarge(class.name.clone()).into()),
        None => Ok(()),
    }
}

/// Finds out which tables are missing, has them built by `work`, and tidies up.
pub(super) fn build_missing<'a, 'r>(
    plan: &'a Plan<'r>,
    folder: &Path,
    options: &Options,
    monitor: Monitor<'_>,
    work: impl FnOnce(Build<'_, 'r>) -> Result<(), BuildError>,
) -> Result<(), BuildError> {
    let unfinished = folder.join(SCRATCH);
    let mut missing = HashSet::new();
    for planned in &plan.classes {
        if is_there(&table_path(folder, &planned.name), plan.rules().fingerprint)? {
            monitor.tell(&planned.name, Stage::Found, planned.cells);
        } else {
            missing.insert(planned.class);
        }
    }
    if missing.is_empty() {
        // A build that was killed at the very end has left files behind.
        return if unfinished.is_dir() { tidy(plan, folder, &unfinished) } else { Ok(()) };
    }
    fs::create_dir_all(&unfinished).map_err(|e| BuildError::io(&unfinished, e))?;
    work(Build { plan, folder, unfinished: &unfinished, options, missing, monitor })?;
    tidy(plan, folder, &unfinished)
}

/// Removes what a build kept until it is done, but not the files of other plans.
fn tidy(plan: &Plan<'_>, folder: &Path, unfinished: &Path) -> Result<(), BuildError> {
    let lock = match lock(folder, unfinished) {
        Err(BuildError::Busy(_)) => return Ok(()),
        // Another builder of a fleet has removed it.
        Err(BuildError::Io { error, .. }) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        lock => lock?,
    };
    sweep_away_temporaries(folder, unfinished)?;
    for planned in &plan.classes {
        let files = Files::new(unfinished, &planned.name, None);
        files.remove()?;
        let lock = files.lock();
        scratch::remove(&lock).map_err(|e| BuildError::io(&lock, e))?;
    }
    drop(lock);
    let failed = |e| BuildError::io(unfinished, e);
    let others = fs::read_dir(unfinished).map_err(failed)?.count() > 1;
    if others { Ok(()) } else { fs::remove_dir_all(unfinished).map_err(failed) }
}

/// Whether a table for these rules is there.
pub(super) fn is_there(path: &Path, fingerprint: u64) -> Result<bool, BuildError> {
    match reader::Table::open(path, fingerprint) {
        Ok(_) => Ok(true),
        Err(TableError { fault: Fault::Io(e), .. }) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// The lock of a folder that is built in, or of a class that a builder is at. Unlocked when dropped, not only closed: a
/// process that another thread starts at this moment has the file open too, until it becomes another program, and would
/// keep the lock as long.
pub(super) struct Lock(pub(super) File);

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing it, which follows, unlocks it in all other cases.
        let _ = self.0.unlock();
    }
}

pub(super) fn lock(folder: &Path, unfinished: &Path) -> Result<Lock, BuildError> {
    let path = unfinished.join("lock");
    let file = File::create(&path).map_err(|e| BuildError::io(&path, e))?;
    match file.try_lock() {
        Ok(()) => Ok(Lock(file)),
        Err(TryLockError::WouldBlock) => Err(BuildError::Busy(folder.to_path_buf())),
        Err(TryLockError::Error(e)) => Err(BuildError::io(&path, e)),
    }
}

/// Removes the temporary files of a build that was killed.
pub(super) fn sweep_away_temporaries(folder: &Path, unfinished: &Path) -> Result<(), BuildError> {
    for place in [folder, unfinished] {
        for entry in fs::read_dir(place).map_err(|e| BuildError::io(place, e))? {
            let path = entry.map_err(|e| BuildError::io(place, e))?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let ours = [".jt.", ".values.", ".partial."].iter().any(|part| name.contains(part));
            if ours && name.ends_with(".tmp") {
                scratch::remove(&path).map_err(|e| BuildError::io(&path, e))?;
            }
        }
    }
    Ok(())
}

/// A build of what is missing in a folder.
pub(super) struct Build<'a, 'r> {
    pub(super) plan: &'a Plan<'r>,
    pub(super) folder: &'a Path,
    pub(super) unfinished: &'a Path,
    pub(super) options: &'a Options,
    /// Classes whose tables are not there.
    pub(super) missing: HashSet<Class>,
    pub(super) monitor: Monitor<'a>,
}

/// Who does the work of a build that is alone in its folder: this process, or it and other ranks.
pub(super) trait Crew {
    /// Solves a class whose children are solved, and adds it to these.
    fn solve(&mut self, build: &Build<'_, '_>, class: Class, solved: &mut Solved) -> Result<(), BuildError>;

    /// Writes the table of a class that is solved.
    fn write(&mut self, build: &Build<'_, '_>, class: Class, table: &Table) -> Result<(), BuildError>;
}

struct OneProcess;

impl Crew for OneProcess {
    fn solve(&mut self, build: &Build<'_, '_>, class: Class, solved: &mut Solved) -> Result<(), BuildError> {
        build.solve_alone(class, solved)
    }

    fn write(&mut self, build: &Build<'_, '_>, class: Class, table: &Table) -> Result<(), BuildError> {
        build.write(&build.name(class), table)
    }
}

impl Build<'_, '_> {
    /// Builds all tables that are missing, while no other build is at work in the folder.
    pub(super) fn run_alone(&self, crew: &mut dyn Crew) -> Result<(), BuildError> {
        let _lock = lock(self.folder, self.unfinished)?;
        sweep_away_temporaries(self.folder, self.unfinished)?;
        self.run(crew)
    }

    /// Builds all tables that are missing, one after the other.
    fn run(&self, crew: &mut dyn Crew) -> Result<(), BuildError> {
        let mut solved = Solved::default();
        for (n, planned) in self.plan.classes.iter().enumerate() {
            if self.missing.contains(&planned.class) {
                self.solve(planned.class, &mut solved, crew)?;
                let table = solved.table(planned.class).expect("it has just been solved");
                crew.write(self, planned.class, table)?;
                self.monitor.tell(&planned.name, Stage::Done, planned.cells);
                self.remove_unneeded(n + 1, &mut solved)?;
            }
        }
        Ok(())
    }

    /// The classes whose values a class needs.
    pub(super) fn children(&self, class: Class) -> impl Iterator<Item = Class> + '_ {
        let game = &self.plan.game;
        class.children(game).into_iter().map(move |c| c.stored(game).0)
    }

    pub(super) fn name(&self, class: Class) -> String {
        class.name(self.plan.rules())
    }

    /// Adds a class to the solved ones: from values of an earlier run, or by solving it, after the classes that it needs.
    fn solve(&self, class: Class, solved: &mut Solved, crew: &mut dyn Crew) -> Result<(), BuildError> {
        if solved.table(class).is_some() {
            return Ok(());
        }
        self.monitor.check()?;
        if !self.open(class, solved) {
            for child in self.children(class) {
                self.solve(child, solved, crew)?;
            }
            crew.solve(self, class, solved)?;
        }
        Ok(())
    }

    /// Adds a class from the values of an earlier run, if they are there and whole.
    pub(super) fn open(&self, class: Class, solved: &mut Solved) -> bool {
        let layout = self.layout(class);
        match scratch::open_windows(&self.files(&self.name(class)), self.stamp(), &layout) {
            Some(values) => {
                solved.insert(class, Table { layout, values });
                true
            }
            None => false,
        }
    }

    /// Solves a class whose children are solved, and adds it to these.
    pub(super) fn solve_alone(&self, class: Class, solved: &mut Solved) -> Result<(), BuildError> {
        let layout = self.layout(class);
        let name = self.name(class);
        let planned = self.plan.classes.iter().find(|c| c.class == class);
        let task = Task {
            game: &self.plan.game,
            layout: &layout,
            solved,
            files: self.files(&name),
            stamp: self.stamp(),
            checkpoint: self.options.checkpoint,
            on_disk: planned.is_some_and(|c| c.memory > self.options.memory),
            kept: &|_| true,
        };
        let values = task.run(&self.monitor)?;
        solved.insert(class, Table { layout, values });
        Ok(())
    }

    pub(super) fn layout(&self, class: Class) -> Layout {
        Layout::new(&self.plan.game, class).expect("it was laid out for the plan")
    }

    /// The files of a class's values.
    pub(super) fn files<'f>(&'f self, name: &'f str) -> Files<'f> {
        Files::new(self.unfinished, name, self.options.fleet.as_deref())
    }

    /// What the headers of these files say.
    pub(super) fn stamp(&self) -> Stamp {
        let span = self.options.window.clamp(1, SPAN);
        Stamp { fingerprint: self.plan.rules().fingerprint, span, content: Content::Partial }
    }

    pub(super) fn write(&self, name: &str, table: &Table) -> Result<(), BuildError> {
        let write = |distances| {
            let (scheme, options) = self.form(name, table, distances);
            let values = Cells::new(&self.plan.game, table);
            writer::write(&table_path(self.folder, name), &scheme, &options, &values, &mut self.writing(name))
        };
        // Two distances to a number where that is possible; where it is not, the writer soon finds out.
        let written = match self.options.distances {
            Distances::Lost => match write(Distances::LostInPairs) {
                Err(TableError { fault: Fault::Odd(_), .. }) => write(Distances::Lost),
                written => written,
            },
            distances => write(distances),
        };
        finished(written)
    }

    /// The same, together with other processes, each of which calls [`help_write`](Build::help_write).
    pub(super) fn write_with(
        &self,
        name: &str,
        table: &Table,
        helpers: &mut dyn Helpers,
    ) -> Result<(), BuildError> {
        let (scheme, options) = self.form(name, table, self.options.distances);
        let values = Cells::new(&self.plan.game, table);
        let path = table_path(self.folder, name);
        finished(writer::write_with(&path, &scheme, &options, &values, helpers, &mut self.writing(name)))
    }

    /// Codes a share of a table: see [`writer::help`].
    pub(super) fn help_write(
        &self,
        name: &str,
        table: &Table,
        helper: (usize, usize),
        leader: &mut dyn Leader,
    ) -> Result<(), BuildError> {
        let (scheme, options) = self.form(name, table, self.options.distances);
        let values = Cells::new(&self.plan.game, table);
        finished(writer::help(&table_path(self.folder, name), &scheme, &options, &values, helper, leader))
    }

    /// Whether other processes may help to write tables. They may not where the form depends on what is found on the way.
    pub(super) fn may_have_help(&self) -> bool {
        self.options.distances != Distances::Lost
    }

    fn form(&self, name: &str, table: &Table, distances: Distances) -> (Scheme, writer::Options) {
        let rules = self.plan.rules();
        let options = writer::Options {
            class: name.to_string(),
            alike: table.layout.class.is_own_exchange(&self.plan.game),
            distances,
            ..writer::Options::new(rules.fingerprint, &rules.id, &self.options.made_by)
        };
        (scheme(&self.plan.game, &table.layout), options)
    }

    fn writing(&self, name: &str) -> impl FnMut(u64) -> bool {
        |cells| {
            self.monitor.tell(name, Stage::Write, cells);
            self.monitor.check().is_ok()
        }
    }

    /// Removes the values that no missing class from number `next` on needs.
    fn remove_unneeded(&self, next: usize, solved: &mut Solved) -> Result<(), BuildError> {
        let later = self.plan.classes[next..].iter().map(|c| c.class).filter(|c| self.missing.contains(c));
        let mut open: Vec<Class> = later.collect();
        let mut wanted = HashSet::new();
        while let Some(class) = open.pop() {
            // A class that is not solved yet will need its children.
            if solved.table(class).is_none() {
                open.extend(self.children(class).filter(|&child| wanted.insert(child)));
            }
        }
        for class in solved.classes() {
            if !wanted.contains(&class) {
                solved.remove(class);
                self.files(&self.name(class)).remove()?;
            }
        }
        Ok(())
    }
}

/// An interrupt is not the table's fault.
fn finished<T>(written: Result<T, TableError>) -> Result<(), BuildError> {
    match written {
        Err(TableError { fault: Fault::Io(e), .. }) if e.kind() == io::ErrorKind::Interrupted => {
            Err(BuildError::Interrupted)
        }
        written => Ok(written.map(drop)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_a_new_process_has_inherited_is_let_go() {
        let folder = std::env::temp_dir().join(format!("jewel-lock-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let first = lock(&folder, &folder).unwrap();
        assert!(matches!(lock(&folder, &folder), Err(BuildError::Busy(_))));
        // What a process has between its start and its own program: the same open file.
        let inherited = first.0.try_clone().unwrap();
        drop(first);
        assert!(lock(&folder, &folder).is_ok());
        drop(inherited);
        fs::remove_dir_all(&folder).unwrap();
    }
}
