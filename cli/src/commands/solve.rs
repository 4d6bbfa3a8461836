//! `jewel solve`: everything that a position leads to, decided.

use super::Answer;
use crate::arguments::{GameArgs, GameCommand, Setup};
use crate::proof::{Facts, Proof, value_text};
use crate::registry::{AnyGame, reason};
use crate::text::grouped;
use crate::{claims, memory, output, threads};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use indicatif::{ProgressBar, ProgressStyle};
use jewel_engine::ability::{Game, Notation, Packed, PackedKey, Symmetric};
use jewel_solver::control::{Control, Limits, MAX_POSITIONS, Phase, Progress, Stop};
use jewel_solver::graph::Graph;
use jewel_solver::state::{self, StateError};
use jewel_solver::verify::{Failure, verify};
use jewel_solver::width::{KeyVisitor, with_key};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Solve a game: find every position that can be reached, and decide it
#[derive(Args)]
#[command(after_long_help = "\
The value is exact: win, draw or loss for the side to move, with the distance to the end of the game in plies \
(the winner wins as fast, the loser loses as slowly as possible). A play that repeats or never ends is a draw; \
what was played before the position does not count. Where the game's source makes claims about its values, \
each is checked, and the exit code is 1 if one is refuted.

What stops before its end (--max-positions, --memory, Ctrl-C) is saved to a file, and the error line has the \
command to go on: the result is the same as without a stop. The method, the memory it takes and the format of \
the file are in docs/solver.md.

Examples:
  jewel solve duel
  jewel solve duel --verify --json
  jewel solve --variant examples/variants/duel-5x5.toml
  jewel solve ambush --fen \"nq3/5/5/5/3QN b - - 0 1\" --threads 4
  jewel solve ambush --max-positions 1000000 --state ambush.state")]
pub(crate) struct Solve {
    #[command(flatten)]
    game: GameArgs,

    /// Stop when there are more positions than this
    #[arg(long, value_name = "N", help_heading = "Limits", value_parser = RangedU64ValueParser::<u64>::new().range(1..=MAX_POSITIONS))]
    max_positions: Option<u64>,

    /// Stop before more memory than this is taken, such as 500M or 16G [default: 80% of what is free]
    #[arg(long, value_name = "SIZE", help_heading = "Limits", value_parser = memory::parse_size)]
    memory: Option<u64>,

    /// Go on from this file if it is there, and save to it when stopped
    #[arg(long, value_name = "FILE", help_heading = "Limits")]
    state: Option<PathBuf>,

    /// Check every value by the rules, independently of how it was found
    #[arg(long)]
    verify: bool,

    /// Threads to work on [default: one for each core]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: Option<usize>,

    /// Print a JSON object: game, fen, value, distance, moves, line, positions, wins, draws, losses, ...
    #[arg(long)]
    json: bool,
}

impl Solve {
    pub(crate) fn run(self) -> Result<Answer> {
        let game = self.game.resolve()?;
        let pool = threads::pool(self.threads)?;
        let proof = pool.install(|| self.game.run_in(game, Task { args: &self, game }))?;
        output::print(&if self.json { proof.json()? } else { proof.text() })?;
        Ok(if proof.agrees() { Answer::Done } else { Answer::No })
    }

    fn limits(&self) -> Limits {
        // A system that does not say what is free has 4 GiB at least.
        let free = || memory::available_mebibytes().map_or(4 << 30, |free| (free << 20) / 5 * 4);
        Limits {
            max_positions: self.max_positions.unwrap_or(MAX_POSITIONS),
            memory: self.memory.unwrap_or_else(free),
        }
    }

    /// The command line that goes on from a state.
    fn command_to_go_on(&self, state: &Path, max_positions: Option<u64>, memory: Option<u64>) -> String {
        let mut words = vec!["jewel".to_string(), "solve".to_string()];
        words.extend(self.game.game.as_deref().map(quoted));
        let mut option = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                words.extend([name.to_string(), quoted(&value)]);
            }
        };
        option("--variant", self.game.variant.as_ref().map(|file| file.display().to_string()));
        option("--fen", self.game.fen.clone());
        option("--moves", self.game.moves.clone());
        option("--max-positions", max_positions.map(|n| n.to_string()));
        option("--memory", memory.map(memory::size_text));
        option("--state", Some(state.display().to_string()));
        option("--threads", self.threads.map(|n| n.to_string()));
        words.extend(self.verify.then(|| "--verify".to_string()));
        words.extend(self.json.then(|| "--json".to_string()));
        words.join(" ")
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else if word.contains(['"', '$', '`', '\\', '!']) {
        format!("'{}'", word.replace('\'', r"'\''"))
    } else {
        format!("\"{word}\"")
    }
}

/// Set by Ctrl-C.
static INTERRUPT: AtomicBool = AtomicBool::new(false);

/// Makes Ctrl-C stop the work instead of the program; a second one ends the program.
fn listen() -> Result<()> {
    ctrlc::set_handler(|| {
        if INTERRUPT.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("cannot listen to Ctrl-C")
}

/// What there is to do, before the game is a type.
struct Task<'a> {
    args: &'a Solve,
    game: AnyGame,
}

impl GameCommand for Task<'_> {
    type Output = Proof;

    fn run<G>(self, setup: Setup<G>) -> Result<Proof>
    where
        G: Game,
        G::Position: Packed + Symmetric,
    {
        let rules = self.game.fingerprint();
        let from_start = setup.position == setup.game.start();
        let claims = if from_start { claims::about(rules)? } else { None };
        let bits = setup.position.packed_bits();
        let fingerprint = state::fingerprint(rules, &setup.position);
        let solver = Solver { args: self.args, setup, fingerprint, claims };
        with_key(bits, solver)
            .unwrap_or_else(|| bail!("a position takes {bits} bits; the solver can keep positions of 256"))
    }
}

/// What there is to do, before the key is a type.
struct Solver<'a, G: Game> {
    args: &'a Solve,
    setup: Setup<G>,
    fingerprint: u64,
    claims: Option<claims::Claims>,
}

impl<G> KeyVisitor for Solver<'_, G>
where
    G: Game,
    G::Position: Packed + Symmetric,
{
    type Output = Result<Proof>;

    fn visit<K: PackedKey>(self) -> Result<Proof> {
        listen()?;
        let start = Instant::now();
        let meter = Meter::new();
        let mut progress = |progress| meter.show(progress);
        let mut control = Control::new(self.args.limits(), &INTERRUPT, &mut progress);
        let mut graph = self.begin::<K>(&control)?;
        let solved = graph.enumerate(&mut control).and_then(|()| graph.solve(&mut control));
        let solution = match solved {
            Ok(solution) => solution,
            Err(stop) => bail!("{}", self.stopped(&graph, stop)?),
        };
        let seconds = start.elapsed().as_secs_f64();
        if self.args.verify {
            check(verify(&solution, &mut control))?;
        }
        drop(meter);
        let facts = Facts { seconds, verified: self.args.verify, claims: self.claims };
        Proof::new(&self.setup, &solution, facts)
    }
}

/// What is to be said of a failed check.
fn check<P: Notation>(verified: Result<(), Failure<P>>) -> Result<()> {
    let problem = match verified {
        Ok(()) => return Ok(()),
        Err(Failure::Stopped(Stop::Interrupted)) => {
            bail!("interrupted while the values were checked; nothing was saved")
        }
        Err(Failure::Value { position, stored, found, .. }) => format!(
            "\"{}\" has the value {}, its moves give {}",
            position.position_text(),
            value_text(stored),
            value_text(found)
        ),
        Err(Failure::Missing { position, .. }) => {
            format!("a move of \"{}\" leads to a position that was not enumerated", position.position_text())
        }
        Err(other) => other.to_string(),
    };
    bail!("the check of the values failed: {problem}; was the state file made by this program?")
}

impl<G> Solver<'_, G>
where
    G: Game,
    G::Position: Packed + Symmetric,
{
    /// The graph of the state file, if there is one.
    fn begin<K: PackedKey>(&self, control: &Control<'_>) -> Result<Graph<G::Position, K>> {
        let root = &self.setup.position;
        let Some(file) = self.args.state.as_deref().filter(|file| file.exists()) else {
            return Ok(Graph::new(root.clone()));
        };
        let loaded = state::load(root.clone(), self.fingerprint, file, control);
        loaded.map_err(|error| {
            let name = file.display();
            match error {
                StateError::Io(e) => anyhow!("{name}: {}", reason(&e)),
                StateError::Stopped(Stop::Memory { needed, limit }) => anyhow!(
                    "{name}: needs {} of memory; the limit is {}: give --memory more",
                    memory::size_text(needed),
                    memory::size_text(limit)
                ),
                other => anyhow!("{name}: {other}"),
            }
        })
    }

    /// Saves what there is, and says how to go on.
    fn stopped<K: PackedKey>(&self, graph: &Graph<G::Position, K>, stop: Stop) -> Result<String> {
        let args = self.args;
        let mut next = (args.max_positions, args.memory);
        let why = match stop {
            Stop::Positions { limit } if limit < MAX_POSITIONS => {
                next.0 = Some(limit.saturating_mul(4).min(MAX_POSITIONS));
                format!("there are more positions than --max-positions {limit}")
            }
            Stop::Memory { needed, limit } => {
                // A graph that is not complete needs more in its next step, too.
                let enough = if graph.is_complete() { needed } else { needed.max(limit.saturating_mul(4)) };
                next.1 = Some(enough);
                let [needed, limit] = [needed, limit].map(memory::size_text);
                format!("the next step needs {needed} of memory, the limit is {limit}")
            }
            Stop::Interrupted | Stop::Allocation { .. } => stop.to_string(),
            // No larger limit would help.
            _ => bail!("this game cannot be solved: {stop}"),
        };
        let file = match &args.state {
            Some(file) => file.clone(),
            None => unused_name(self.setup.game.id()),
        };
        state::save(graph, self.fingerprint, &file).map_err(|e| {
            anyhow!("{}: the state cannot be saved: {} (stopped: {why})", file.display(), reason(&e))
        })?;
        Ok(format!(
            "stopped with {} positions found and {} of them expanded: {why}; all of it is in {}, go on with: {}",
            grouped(graph.positions()),
            grouped(graph.expanded()),
            file.display(),
            args.command_to_go_on(&file, next.0, next.1)
        ))
    }
}

/// A file name for a state that nothing has yet: `duel.state`, `duel-2.state` and so on.
fn unused_name(id: &str) -> PathBuf {
    let name = |n: u32| PathBuf::from(if n == 1 { format!("{id}.state") } else { format!("{id}-{n}.state") });
    (1..).map(name).find(|path| !path.exists()).unwrap_or_else(|| name(1))
}

/// A line on stderr that says how far the work is, where stderr is a terminal.
struct Meter {
    bar: ProgressBar,
    start: Instant,
}

impl Meter {
    fn new() -> Meter {
        let bar = ProgressBar::new_spinner();
        // The template is a constant that the tests read.
        if let Ok(style) = ProgressStyle::with_template(METER) {
            bar.set_style(style);
        }
        Meter { bar, start: Instant::now() }
    }

    fn show(&self, progress: Progress) {
        if !self.bar.is_hidden() {
            self.bar.set_message(message(progress, self.start.elapsed().as_secs_f64()));
            self.bar.tick();
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

const METER: &str = "{spinner} {elapsed} {msg}";

fn message(progress: Progress, seconds: f64) -> String {
    let Progress { phase, done, known, memory } = progress;
    let [found, finished] = [known, done].map(grouped);
    match phase {
        Phase::Enumerate => {
            let speed = grouped((done as f64 / seconds.max(1e-3)) as u64);
            let size = memory::size_text(memory);
            format!("{found} positions found, {finished} expanded, {speed} a second, {size}")
        }
        Phase::Link => format!("turning the moves of {found} positions round"),
        Phase::Propagate => format!("{finished} of {found} positions decided"),
        Phase::Verify => format!("{finished} of {found} positions checked"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_progress_line_is_understood() {
        assert!(ProgressStyle::with_template(METER).is_ok());
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        for (word, text) in [
            ("duel-3x5.toml", "duel-3x5.toml"),
            ("l2/3/2L w - - 0 1", "\"l2/3/2L w - - 0 1\""),
            ("", "\"\""),
            ("it's", "\"it's\""),
            ("$it's", r"'$it'\''s'"),
        ] {
            assert_eq!(quoted(word), text);
        }
    }
}
