//! One build on several ranks: processes on one machine or on many, which share the slices of every class.
//!
//! A fleet (see [`Options::fleet`]) gives each process a class of its own. Ranks solve one class together, so that a class may
//! be larger than the memory of a machine, and the largest class of a set does not keep all but one waiting. Each rank keeps a
//! share of the slices (`partition.rs`); `solve.rs` is what it does. All ranks see one folder with the values of finished classes
//! and save their shares there; rank 0 writes the tables. Files are byte for byte those of a single process.
//!
//! Messages go through an [`Exchange`]: [`threads`] of one process, [`Sockets`] between processes on one machine, or MPI in the
//! crate `jewel-mpi`.

mod exchange;
mod link;
mod message;
mod partition;
mod solve;
mod termination;

#[cfg(unix)]
mod sockets;

pub use exchange::{Exchange, Threads, threads};
#[cfg(unix)]
pub use sockets::Sockets;

use super::build::{self, Build, Options, SCRATCH};
use super::monitor::{BuildError, Monitor, Progress};
use super::plan::Plan;
use super::scratch;
use super::solve::Task;
use crate::retrograde::class::Class;
use crate::retrograde::solved::Solved;
use jewel_engine::zobrist::splitmix64;
use link::Link;
use message::Message;
use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

/// How long a file that another rank has written may take to be seen here.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks for such a file.
const PAUSE: Duration = Duration::from_millis(20);

/// What a rank has sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Traffic {
    /// Messages with the least values after moves.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Their cells, a byte each before they are packed.
    pub cells: u64,
    /// Cells of as many messages as there would be if each move of a block to one that has changed had its own.
    pub cells_a_move: u64,
    /// Cells of finished values, for rank 0 to write.
    pub final_bytes: u64,
    /// Bytes of all messages, of any kind.
    pub all_bytes: u64,
}

/// Builds every table of a plan that is not in the folder yet, together with the other ranks, each of which makes this call
/// with its own end of the exchange, on the threads of the current rayon pool. After any rank was stopped all of them stop, and
/// the same call of any number of ranks goes on; it ends with the same bytes in the files as
/// [`build`](super::build::build()). All ranks must see the same folder. `options.memory` is that of each rank;
/// `options.fleet` is not looked at.
///
/// # Errors
/// As [`build`](super::build::build()), and if another rank has stopped or was given another plan.
pub fn build(
    plan: &Plan<'_>,
    folder: &Path,
    options: &Options,
    exchange: &mut dyn Exchange,
    interrupt: &AtomicBool,
    progress: &(dyn Fn(&Progress<'_>) + Sync),
) -> Result<Traffic, BuildError> {
    let mut link = Link::new(exchange);
    let options = Options { fleet: Some(format!("rank-{}", link.rank())), ..options.clone() };
    let mut traffic = Traffic::default();
    let monitor = Monitor { interrupt, progress };
    match run(plan, folder, &options, (&mut link, &mut traffic), monitor) {
        Ok(()) => {
            traffic.all_bytes = link.bytes;
            link.leave();
            Ok(traffic)
        }
        Err(error) => {
            link.fail(&error);
            Err(error)
        }
    }
}

fn run(
    plan: &Plan<'_>,
    folder: &Path,
    options: &Options,
    (link, traffic): (&mut Link<'_>, &mut Traffic),
    monitor: Monitor<'_>,
) -> Result<(), BuildError> {
    build::check(plan)?;
    greet(plan, options, link, &monitor)?;
    if link.rank() == 0 {
        build::build_missing(plan, folder, options, monitor, |build| {
            build.run_alone(&mut |class, solved| {
                let number = plan.classes.iter().position(|c| c.class == class);
                link.tell_all(&Message::Next(number.map(|number| number as u32)))?;
                solve_class(&build, class, solved, link, traffic)
            })
        })?;
        return link.tell_all(&Message::Next(None));
    }
    let unfinished = folder.join(SCRATCH);
    let build = Build { plan, folder, unfinished: &unfinished, options, missing: HashSet::new(), monitor };
    let mut solved = Solved::default();
    loop {
        let next = link.wait(&build.monitor, |from, message| match message {
            Message::Next(next) if from == 0 => Some(*next),
            _ => None,
        })?;
        let Some(number) = next else { return Ok(()) };
        let planned = plan.classes.get(number as usize);
        let class = planned.ok_or_else(|| BuildError::Ranks(format!("rank 0 knows a class {number}")))?.class;
        for gone in solved.classes().into_iter().filter(|&c| !build.files(&build.name(c)).window(0).exists())
        {
            solved.remove(gone);
        }
        for child in build.children(class) {
            if solved.table(child).is_none() {
                open(&build, child, &mut solved)?;
            }
        }
        solve_class(&build, class, &mut solved, link, traffic)?;
    }
}

/// Makes sure that all ranks build the same.
fn greet(
    plan: &Plan<'_>,
    options: &Options,
    link: &mut Link<'_>,
    monitor: &Monitor<'_>,
) -> Result<(), BuildError> {
    let classes = plan.classes.iter().flat_map(|class| class.name.bytes().chain([0]));
    let classes = classes.fold(0, |hash, byte| splitmix64(hash ^ u64::from(byte)).1);
    let mine = format!(
        "jewel {} with {} ranks, rules {} ({:016x}), {} classes ({classes:016x}), windows of {} plies, {:?} distances, as {}",
        env!("CARGO_PKG_VERSION"),
        link.ranks(),
        plan.rules().id,
        plan.rules().fingerprint,
        plan.classes.len(),
        options.window,
        options.distances,
        options.made_by,
    );
    link.tell_all(&Message::Hello(mine.clone()))?;
    for rank in link.others() {
        let theirs = link.wait(monitor, |from, message| match message {
            Message::Hello(text) if from == rank => Some(text.clone()),
            _ => None,
        })?;
        if theirs != mine {
            return Err(BuildError::Ranks(format!(
                "rank {rank} is to build something else: {theirs}; this is rank {}: {mine}",
                link.rank()
            )));
        }
    }
    Ok(())
}

/// Solves a class whose children are solved together with the other ranks, and adds it to these.
fn solve_class(
    build: &Build<'_, '_>,
    class: Class,
    solved: &mut Solved,
    link: &mut Link<'_>,
    traffic: &mut Traffic,
) -> Result<(), BuildError> {
    let layout = build.layout(class);
    let name = build.name(class);
    let planned = build.plan.classes.iter().find(|c| c.class == class);
    let rank_of = solve::rank_of(build.plan, &layout, link.ranks());
    let me = link.rank() as u32;
    // Minima of other ranks take up to half as much as the slices.
    let share = planned.map_or(0, |c| c.memory / link.ranks() as u64 / 2 * 3);
    let task = Task {
        game: &build.plan.game,
        layout: &layout,
        solved,
        files: build.files(&name),
        stamp: build.stamp(),
        checkpoint: build.options.checkpoint,
        on_disk: share > build.options.memory,
        kept: &|slice| rank_of[slice] == me,
    };
    solve::solve(&task, &rank_of, link, &build.monitor, traffic)?;
    let settled: Vec<_> = build.children(class).map(|c| build.files(&build.name(c)).settled()).collect();
    for path in settled {
        scratch::remove(&path).map_err(|e| BuildError::io(&path, e))?;
    }
    open(build, class, solved)?;
    if me > 0 {
        return link.send(0, &Message::Opened);
    }
    // Rank 0 goes on to the table, and may then remove the values.
    for rank in link.others() {
        link.wait(&build.monitor, |from, message| {
            (from == rank && *message == Message::Opened).then_some(())
        })?;
    }
    Ok(())
}

/// Adds a class that is solved to the solved ones, once its values are seen here.
fn open(build: &Build<'_, '_>, class: Class, solved: &mut Solved) -> Result<(), BuildError> {
    let end = Instant::now() + PATIENCE;
    loop {
        build.monitor.check()?;
        if build.open(class, solved) {
            return Ok(());
        }
        if Instant::now() > end {
            let path = build.files(&build.name(class)).window(0);
            let missing = std::io::Error::other(
                "the values that rank 0 has written are not seen here: do all ranks see the same folder?",
            );
            return Err(BuildError::io(&path, missing));
        }
        thread::sleep(PAUSE);
    }
}
