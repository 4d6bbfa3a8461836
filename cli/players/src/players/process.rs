//! Another process that exchanges lines with this one.
//!
//! Waiting for the program is always limited, and at most a few mebibytes of its output are kept: one thread
//! writes to it, one reads its output, one its errors, and lines cross by bounded channels. The threads are
//! never joined; they end when the program's pipes close.

use super::group::Group;
use crate::player::Fault;
use crate::support::words::{reason, shortened};
use jewel_engine::text::is_disruptive;
use jewel_search::control::Stop;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The longest line that is read, in bytes; the rest of a longer one is dropped.
const MAX_LINE_LENGTH: usize = 1 << 14;

/// Most lines of output that are queued; beyond that the program has to wait.
const WAITING_LINES: usize = 256;

/// Most lines that are queued for the program.
const WAITING_ORDERS: usize = 64;

/// Most lines of stderr in the message of a fault, and letters of each.
const LAST_WORDS: usize = 3;

/// Most bytes of stderr that go to the log of a process.
const MAX_LOG_BYTES: u64 = 64 << 20;

/// Time between two checks for a stop or the end of the program.
const NAP: Duration = Duration::from_millis(5);

/// A running program, which is killed with all that it has started when this is dropped.
pub(super) struct Process {
    child: Child,
    group: Group,
    orders: Option<SyncSender<String>>,
    lines: Receiver<String>,
    /// Lines read since the time was up.
    overtime: usize,
    errors: Arc<Mutex<Errors>>,
}

/// The last lines of the program's stderr.
#[derive(Default)]
struct Errors {
    last: VecDeque<String>,
    closed: bool,
}

/// Why no line came.
pub(super) enum NoLine {
    /// The time is up.
    Late,
    /// The caller was told to stop.
    Stopped,
    /// The program has ended or closed its output.
    Closed,
}

impl Process {
    /// Starts a program: its name and its arguments.
    pub(super) fn start(
        words: &[String],
        directory: Option<&Path>,
        log: Option<&Path>,
    ) -> Result<Process, Fault> {
        let (program, arguments) =
            words.split_first().ok_or(Fault::Start("no program is named".to_string()))?;
        let failed = |e: io::Error| Fault::Start(format!("{}: {}", shortened(program), reason(&e)));
        let mut command = Command::new(located(program, directory).map_err(failed)?);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = directory {
            if !directory.is_dir() {
                return Err(Fault::Start(format!("there is no directory {}", directory.display())));
            }
            command.current_dir(directory);
        }
        Group::lead(&mut command);
        let mut child = command.spawn().map_err(failed)?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (orders, to_write) = sync_channel(WAITING_ORDERS);
        let (to_look_at, lines) = sync_channel(WAITING_LINES);
        let errors = Arc::new(Mutex::new(Errors::default()));
        // From here on the child is killed if anything fails.
        let group = Group::of(&child);
        let process =
            Process { child, group, orders: Some(orders), lines, overtime: 0, errors: errors.clone() };
        let log = log.map(|file| open_log(file, process.child.id())).transpose()?;
        let spawn = |name: &str, work: Box<dyn FnOnce() + Send>| {
            let spawned = thread::Builder::new().name(format!("{name} of a program")).spawn(work);
            spawned.map(drop).map_err(failed)
        };
        if let (Some(stdin), Some(stdout), Some(stderr)) = pipes {
            spawn("input", Box::new(move || write_orders(stdin, &to_write)))?;
            spawn("output", Box::new(move || read_lines(stdout, |line| to_look_at.send(line).is_ok())))?;
            spawn("errors", Box::new(move || collect_errors(stderr, &errors, log)))?;
        }
        Ok(process)
    }

    /// Queues a line for the thread that writes to the program.
    pub(super) fn send(&mut self, line: &str) -> Result<(), NoLine> {
        match self.orders.as_ref().map(|orders| orders.try_send(format!("{line}\n"))) {
            Some(Ok(())) => Ok(()),
            Some(Err(TrySendError::Full(_))) => Err(NoLine::Late),
            Some(Err(TrySendError::Disconnected(_))) | None => Err(NoLine::Closed),
        }
    }

    /// The next line of the output, without the blanks around it.
    pub(super) fn line(&mut self, until: Instant, stop: Option<&Stop>) -> Result<String, NoLine> {
        loop {
            if stop.is_some_and(Stop::is_stopped) {
                return Err(NoLine::Stopped);
            }
            let left = until.saturating_duration_since(Instant::now());
            // A line that came in time counts even if it is read late; but a program that prints without end
            // never lets the channel run empty.
            self.overtime = if left.is_zero() { self.overtime + 1 } else { 0 };
            if self.overtime > WAITING_LINES {
                return Err(NoLine::Late);
            }
            let nap = if stop.is_some() { left.min(NAP) } else { left };
            match self.lines.recv_timeout(nap) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(NoLine::Closed),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(NoLine::Late),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// The exit status of the program and the end of its stderr; it gets this much time to end.
    pub(super) fn last_words(&mut self, patience: Duration) -> String {
        self.orders = None;
        let until = Instant::now() + patience;
        let status = self.ended(until);
        self.wait_for_errors(until);
        let ending = match status {
            Some(status) => status.to_string(),
            None => "its output is closed and it goes on".to_string(),
        };
        let last = self.with_errors(|errors| Vec::from(errors.last.clone()));
        if last.is_empty() { ending } else { format!("{ending}; it said: {}", last.join(" / ")) }
    }

    /// Lets the program end by itself within a time, then kills it. It has been told to quit already.
    pub(super) fn finish(mut self, patience: Duration) {
        // Queued lines are written, then the program's input is closed.
        self.orders = None;
        let until = Instant::now() + patience;
        if self.ended(until).is_none() {
            self.kill();
        }
        self.wait_for_errors(until);
    }

    /// Waits until all of the program's stderr is read, with a limit: a child of its own may
    /// hold the pipe.
    fn wait_for_errors(&self, until: Instant) {
        while !self.with_errors(|errors| errors.closed) && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// The status of a program that ends before a time.
    fn ended(&mut self, until: Instant) -> Option<ExitStatus> {
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => {
                    // What it has started ends with it.
                    self.group.kill();
                    return Some(status);
                }
                Ok(None) if Instant::now() < until => thread::sleep(NAP),
                _ => return None,
            }
        }
    }

    fn with_errors<T>(&self, look: impl FnOnce(&Errors) -> T) -> T {
        look(&self.errors.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn kill(&mut self) {
        self.group.kill();
        // It may have ended meanwhile; it must be waited for in any case, or it stays as a zombie.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            self.kill();
        }
    }
}

/// The program, which a relative path names from here, not from the directory that it is to run in.
fn located(program: &str, directory: Option<&Path>) -> io::Result<PathBuf> {
    let path = Path::new(program);
    if directory.is_some() && path.is_relative() && path.components().count() > 1 {
        std::path::absolute(path)
    } else {
        Ok(path.to_path_buf())
    }
}

/// The log of a process, which several processes of the same player may write to.
fn open_log(file: &Path, id: u32) -> Result<File, Fault> {
    let file = PathBuf::from(file.to_string_lossy().replace("{pid}", &id.to_string()));
    let opened = File::options().create(true).append(true).open(&file);
    opened.map_err(|e| Fault::Start(format!("its log {}: {}", file.display(), reason(&e))))
}

fn write_orders(mut stdin: ChildStdin, orders: &Receiver<String>) {
    while let Ok(line) = orders.recv() {
        if stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

/// Passes every line on, until the last line or until the receiver is gone.
fn read_lines(output: impl Read, mut hand_on: impl FnMut(String) -> bool) {
    let mut output = BufReader::with_capacity(MAX_LINE_LENGTH, output);
    let mut line = Vec::new();
    loop {
        let (used, ended) = match output.fill_buf() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
            Ok([]) => break,
            Ok(bytes) => {
                let end = bytes.iter().position(|&byte| byte == b'\n');
                let part = &bytes[..end.unwrap_or(bytes.len())];
                line.extend_from_slice(&part[..part.len().min(MAX_LINE_LENGTH - line.len())]);
                (end.map_or(bytes.len(), |end| end + 1), end.is_some())
            }
        };
        output.consume(used);
        if ended && !hand_on(text_of(&mut line)) {
            return;
        }
    }
    if !line.is_empty() {
        hand_on(text_of(&mut line));
    }
}

fn text_of(line: &mut Vec<u8>) -> String {
    let text = String::from_utf8_lossy(line).trim().to_string();
    line.clear();
    text
}

fn collect_errors(stderr: impl Read, errors: &Mutex<Errors>, mut log: Option<File>) {
    let mut logged = 0;
    let lock = || errors.lock().unwrap_or_else(PoisonError::into_inner);
    read_lines(stderr, |line| {
        if let Some(file) = &mut log {
            logged += line.len() as u64 + 1;
            let more = logged <= MAX_LOG_BYTES;
            let line = if more { format!("{line}\n") } else { "(no more is kept)\n".to_string() };
            // One call a line: lines of several processes do not mix. A full disk is no reason to lose a game.
            let written = file.write_all(line.as_bytes());
            if !more || written.is_err() {
                log = None;
            }
        }
        if !line.is_empty() {
            let mut errors = lock();
            if errors.last.len() == LAST_WORDS {
                errors.last.pop_front();
            }
            errors.last.push_back(shown(&line));
        }
        true
    });
    lock().closed = true;
}

/// Text of another program made safe to show: short, and without control characters and direction marks.
pub(super) fn shown(text: &str) -> String {
    const MAX_LENGTH: usize = 120;
    let mut letters = text.chars().map(|c| if is_disruptive(c) { '\u{fffd}' } else { c });
    let short: String = letters.by_ref().take(MAX_LENGTH).collect();
    if letters.next().is_some() { short + "…" } else { short }
}
