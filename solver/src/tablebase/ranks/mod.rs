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

use super::build::{self, Build, Crew, Options, SCRATCH};
use super::monitor::{BuildError, Monitor, Progress};
use super::plan::Plan;
use super::scratch;
use super::solve::Task;
use crate::retrograde::class::Class;
use crate::retrograde::solved::{Solved, Table};
use jewel_engine::zobrist::splitmix64;
use jewel_tables::writer::{Helpers, Leader};
use link::Link;
use message::Message;
use std::collections::HashSet;
use std::io;
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
            build.run_alone(&mut Ranks { link: &mut *link, traffic })
        })?;
        return link.tell_all(&Message::Next(None));
    }
    let unfinished = folder.join(SCRATCH);
    let build = Build { plan, folder, unfinished: &unfinished, options, missing: HashSet::new(), monitor };
    let mut solved = Solved::default();
    loop {
        let (number, is_solved) = match link.wait(&build.monitor, order)? {
            Order::End => return Ok(()),
            Order::Solve(number) => (number, false),
            Order::Code(number) => (number, true),
        };
        let planned = plan.classes.get(number as usize);
        let class = planned.ok_or_else(|| BuildError::Ranks(format!("rank 0 knows a class {number}")))?.class;
        for gone in solved.classes().into_iter().filter(|&c| !build.files(&build.name(c)).window(0).exists())
        {
            solved.remove(gone);
        }
        if is_solved {
            help_write(&build, class, &mut solved, link)?;
            continue;
        }
        for child in build.children(class) {
            if solved.table(child).is_none() {
                open(&build, child, &mut solved)?;
            }
        }
        solve_class(&build, class, &mut solved, link, traffic)?;
    }
}

/// What rank 0 wants of another rank: that it solves the class of a number, or codes its share of that class's table.
enum Order {
    Solve(u32),
    Code(u32),
    End,
}

/// The order that a message is, if it is one.
fn order(from: usize, message: &Message) -> Option<Order> {
    match *message {
        Message::Next(next) if from == 0 => Some(next.map_or(Order::End, Order::Solve)),
        Message::Code(number) if from == 0 => Some(Order::Code(number)),
        _ => None,
    }
}

/// Rank 0 with all others.
struct Ranks<'a, 'l> {
    link: &'a mut Link<'l>,
    traffic: &'a mut Traffic,
}

impl Ranks<'_, '_> {
    /// Tells the other ranks about a class of the plan.
    fn tell(
        &mut self,
        build: &Build<'_, '_>,
        class: Class,
        message: fn(u32) -> Message,
    ) -> Result<(), BuildError> {
        let number = build.plan.classes.iter().position(|c| c.class == class);
        self.link.tell_all(&message(number.expect("it is one of the plan") as u32))
    }
}

impl Crew for Ranks<'_, '_> {
    fn solve(&mut self, build: &Build<'_, '_>, class: Class, solved: &mut Solved) -> Result<(), BuildError> {
        self.tell(build, class, |number| Message::Next(Some(number)))?;
        solve_class(build, class, solved, self.link, self.traffic)
    }

    fn write(&mut self, build: &Build<'_, '_>, class: Class, table: &Table) -> Result<(), BuildError> {
        let name = build.name(class);
        if self.link.ranks() == 1 || !build.may_have_help() {
            return build.write(&name, table);
        }
        self.tell(build, class, Message::Code)?;
        let mut helpers = Coders { link: self.link, monitor: &build.monitor, error: None };
        let written = build.write_with(&name, table, &mut helpers);
        helpers.error.map_or(written, Err)
    }
}

/// Ranks that write a table together.
struct Coders<'a, 'l> {
    link: &'a mut Link<'l>,
    monitor: &'a Monitor<'a>,
    /// Why the last message did not come or could not be sent.
    error: Option<BuildError>,
}

impl Coders<'_, '_> {
    fn receive_from(&mut self, rank: usize) -> io::Result<Vec<u8>> {
        let coded = |from, message: &Message| from == rank && matches!(message, Message::Coded(_));
        let mut next = || loop {
            self.monitor.check()?;
            if let Some((_, Message::Coded(bytes))) = self.link.receive(link::PAUSE, &coded)? {
                return Ok(bytes);
            }
        };
        let received = next();
        self.keep(received)
    }

    fn keep<T>(&mut self, result: Result<T, BuildError>) -> io::Result<T> {
        result.map_err(|error| {
            self.error = Some(error);
            io::Error::other("the exchange with other ranks failed")
        })
    }
}

impl Helpers for Coders<'_, '_> {
    fn count(&self) -> usize {
        self.link.ranks() - 1
    }

    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        let sent = self.link.tell_all(&Message::Coded(message.to_vec()));
        self.keep(sent)
    }

    fn receive(&mut self, helper: usize) -> io::Result<Vec<u8>> {
        self.receive_from(helper + 1)
    }
}

impl Leader for Coders<'_, '_> {
    fn send(&mut self, message: Vec<u8>) -> io::Result<()> {
        let sent = send_to_first(self.link, self.monitor, &Message::Coded(message));
        self.keep(sent)
    }

    fn receive(&mut self) -> io::Result<Vec<u8>> {
        self.receive_from(0)
    }
}

/// Codes this rank's share of the table of a class.
fn help_write(
    build: &Build<'_, '_>,
    class: Class,
    solved: &mut Solved,
    link: &mut Link<'_>,
) -> Result<(), BuildError> {
    if solved.table(class).is_none() {
        open(build, class, solved)?;
    }
    let table = solved.table(class).expect("it is open");
    let me = (link.rank() - 1, link.ranks() - 1);
    let mut leader = Coders { link, monitor: &build.monitor, error: None };
    let helped = build.help_write(&build.name(class), table, me, &mut leader);
    leader.error.map_or(helped, Err)
}

/// Sends a message to rank 0 once that has taken enough of those before.
fn send_to_first(link: &mut Link<'_>, monitor: &Monitor<'_>, message: &Message) -> Result<(), BuildError> {
    while !link.has_room(0) {
        monitor.check()?;
        link.receive(link::PAUSE, &|_, _| false)?;
    }
    link.send(0, message)
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
