//! Solving what can be reached from a position, kept in memory, or in files where that is too small.

use super::search::{SearchProof, search};
use super::state_file::StateFile;
use super::{MAX_FOR_GRAPH, Solve, dense, tables};
use crate::best_play::value_text;
use crate::claims::Subject;
use crate::graph_progress::GraphProgress;
use crate::interrupt;
use crate::proof::{Facts, Proof, Saved};
use crate::proving::rules_text;
use crate::text::{grouped, rounded};
use anyhow::{Result, anyhow, bail};
use jewel_engine::ability::{Game, Notation, Packed, Symmetric};
use jewel_engine::chance::Chance;
use jewel_engine::variant::Rules;
use jewel_players::catalogue::AnyGame;
use jewel_players::support::memory;
use jewel_players::support::words::reason;
use jewel_players::with_game;
use jewel_solver::control::{Control, Limits, MAX_POSITIONS, Stop};
use jewel_solver::disk::{DiskError, Options, is_begun, remove};
use jewel_solver::graph::Graph;
use jewel_solver::solution::Solution;
use jewel_solver::solution_file::SaveError;
use jewel_solver::solution_file::writer::{About, write};
use jewel_solver::state::{self, StateError};
use jewel_solver::verify::{Failure, verify};
use jewel_solver::width::{MAX_KEY_BITS, TooWide};
use jewel_tables::atomic::AtomicFile;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Positions that are enumerated before anything else is tried: that takes a tenth of a second, and says everything
/// about a small game.
const SMALL: u64 = 100_000;

/// How a position was solved, or is to be.
pub(super) enum Answer<'a> {
    /// By its graph.
    Graph(Box<Proof>),
    /// By search, with nothing enumerated.
    Search(Box<SearchProof>),
    /// The graph is too large for what tables would take: they are to be built.
    Tables(Box<tables::Job<'a>>),
    /// The same of a game with pieces in hand, which has one table.
    Dense(&'static Rules),
    /// It is to be proven: neither graph nor tables fit into memory, and this is why there are no tables.
    Proof(Option<String>),
}

/// Solves the graph of a game's position. With `choose`, search is tried if the game is not small, and tables are
/// preferred where they take less than the graph.
pub(super) fn solve(args: &Solve, any: AnyGame, choose: bool) -> Result<Answer<'_>> {
    with_game!(any, game => solve_game(args, any, game, choose))
}

fn solve_game<G>(args: &Solve, any: AnyGame, game: G, choose: bool) -> Result<Answer<'_>>
where
    G: Game<Position: Packed + Symmetric + Chance>,
{
    let rules = any.fingerprint();
    let position = args.game.position(&game)?;
    let claims = if position == game.start() { Subject::about(rules, &position)? } else { None };
    let fingerprint = state::fingerprint(rules, &position);
    let file = StateFile::new(args.state.as_deref(), game.id(), fingerprint);
    let solver = Solver { args, any, game, position, fingerprint, file, claims, choose };
    solver.solve()
}

/// A position to be solved.
struct Solver<'a, G: Game> {
    args: &'a Solve,
    any: AnyGame,
    game: G,
    position: G::Position,
    fingerprint: u64,
    file: StateFile,
    claims: Option<Subject>,
    /// Whether the method is ours to choose.
    choose: bool,
}

impl<'a, G> Solver<'a, G>
where
    G: Game<Position: Packed + Symmetric>,
{
    fn solve(self) -> Result<Answer<'a>> {
        let interrupt = interrupt::listen()?;
        // What cannot be saved should be known before the work.
        let file = self.args.save.as_deref().map(|path| self.begin_file(path)).transpose()?;
        let start = Instant::now();
        let bars = GraphProgress::new();
        let mut progress = |progress| bars.show(progress);
        let limits = limits(self.args);
        let mut control = Control::new(limits, interrupt, &mut progress);
        let folder = self.file.folder(self.args.disk.as_deref(), self.args.symmetry);
        let in_memory = if is_begun(&folder) {
            None
        } else {
            let mut graph = self.begin(&control)?;
            if self.choose
                && let Some(answer) = self.shorter(&mut graph, limits, interrupt, &bars)?
            {
                self.file.clear();
                return Ok(answer);
            }
            self.in_memory(graph, &mut control, &bars)?
        };
        let on_disk = in_memory.is_none();
        let solution = match in_memory {
            Some(solution) => solution,
            None => {
                bars.note(&format!(
                    "the graph does not fit into memory: it is solved in {}",
                    folder.display()
                ));
                self.on_disk(&folder, &mut control)?
            }
        };
        let seconds = start.elapsed().as_secs_f64();
        if self.args.verify {
            check(verify(&solution, &mut control))?;
        }
        let saved = match file {
            Some(file) => Some(self.save(&solution, file, &mut control)?),
            None => None,
        };
        drop(bars);
        let facts = Facts { seconds, verified: self.args.verify, saved, claims: self.claims };
        let proof = Proof::new(&self.game, &self.position, &solution, facts)?;
        self.file.clear();
        drop(solution);
        if on_disk {
            // The answer is what was asked for, whatever stays of its files.
            let _ = remove(&folder);
        }
        Ok(Answer::Graph(Box::new(proof)))
    }

    /// Solves the graph in memory; `None` if it does not fit there, but can be solved on disk.
    fn in_memory(
        &self,
        mut graph: Graph<G::Position>,
        control: &mut Control<'_>,
        bars: &GraphProgress,
    ) -> Result<Option<Solution<G::Position>>> {
        match graph.enumerate(control).and_then(|()| graph.solve(control)) {
            Ok(solution) => Ok(Some(solution)),
            Err(Stop::Memory { limit, .. }) if limit >= Options::least_memory(&self.position)? => Ok(None),
            Err(stop) => bail!("{}", self.stopped(&graph, stop, bars)?),
        }
    }

    /// Solves the graph in a folder, or goes on there.
    fn on_disk(&self, folder: &Path, control: &mut Control<'_>) -> Result<Solution<G::Position>> {
        let empty = self.empty()?;
        let options = Options::within(control.limits().memory, &self.position).map_err(DiskError::from);
        let solved =
            options.and_then(|options| empty.solve_on_disk(folder, self.fingerprint, options, control));
        solved.or_else(|error| bail!("{}", self.stopped_on_disk(error, folder)?))
    }

    /// A shorter way to the value than the whole graph, if there is one: a win in a few plies, tables where the graph
    /// would be larger than they are worth, or a proof where neither fits into memory. What was enumerated on the way stays in
    /// the graph.
    fn shorter(
        &self,
        graph: &mut Graph<G::Position>,
        limits: Limits,
        interrupt: &AtomicBool,
        bars: &GraphProgress,
    ) -> Result<Option<Answer<'a>>> {
        let mut progress = |progress| bars.show(progress);
        let mut is_larger = |graph: &mut Graph<G::Position>, positions: u64| {
            let limits = Limits { max_positions: positions, ..limits };
            let stop = graph.enumerate(&mut Control::new(limits, interrupt, &mut progress)).err();
            matches!(stop, Some(Stop::Positions { .. } | Stop::Memory { .. }))
        };
        if !is_larger(graph, SMALL) {
            return Ok(None);
        }
        if !self.args.verify
            && let Some(proof) = search(&self.game, &self.position, interrupt)
        {
            return Ok(Some(Answer::Search(Box::new(proof))));
        }
        let refusal = match self.any.rules() {
            Ok(rules) if rules.hand.is_some() => match dense::refusal(self.args, rules) {
                None => return Ok(Some(Answer::Dense(rules))),
                refusal => refusal,
            },
            _ => match tables::Job::new(self.args, self.any) {
                Err(_) => None,
                Ok(job) => match job.refusal() {
                    None => {
                        let larger = job.cells() > MAX_FOR_GRAPH && is_larger(graph, worth(job.cells()));
                        return Ok(larger.then(|| Answer::Tables(Box::new(job))));
                    }
                    refusal => refusal,
                },
            },
        };
        // What a strategy proves, other games do not.
        let provable = !self.any.hides() && self.position.packed_bits() <= MAX_KEY_BITS;
        if !provable || !is_larger(graph, MAX_WORTH) {
            return Ok(None);
        }
        let each = graph.bytes_to_solve() as f64 / graph.expanded().max(1) as f64;
        let fits = bars.estimate().is_some_and(|all| each * all as f64 <= limits.memory as f64);
        Ok((!fits).then_some(Answer::Proof(refusal)))
    }
}

/// Cells that tables solve in the time in which the graph finds a position, or a few more.
const CELLS_A_POSITION: u64 = 15;

/// The most positions that are enumerated before anything is known of the whole.
const MAX_WORTH: u64 = 20_000_000;

/// The positions that are worth enumerating where tables of these cells would do: in a tenth of their time, and not so
/// many that they fill the memory.
fn worth(cells: u64) -> u64 {
    (cells / (10 * CELLS_A_POSITION)).clamp(1_000_000, MAX_WORTH)
}

fn limits(args: &Solve) -> Limits {
    let max_positions = args.max_positions.unwrap_or(MAX_POSITIONS);
    Limits { max_positions, memory: memory::limit(args.memory) }
}

/// The error of a failed check.
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
    G: Game<Position: Packed + Symmetric>,
{
    /// A graph of the position alone.
    fn empty(&self) -> Result<Graph<G::Position>, TooWide> {
        let root = self.position.clone();
        if self.args.symmetry { Graph::folded(root) } else { Graph::new(root) }
    }

    /// The graph of the state file, if there is one.
    fn begin(&self, control: &Control<'_>) -> Result<Graph<G::Position>> {
        let file = self.file.path();
        if !file.exists() {
            return Ok(self.empty()?);
        }
        let name = file.display();
        match state::load(self.empty()?, self.fingerprint, file, control) {
            Ok(graph) => Ok(graph),
            Err(StateError::Io(e)) => bail!("{name}: {}", reason(&e)),
            Err(StateError::Stopped(Stop::Memory { needed, limit })) => bail!(
                "{name}: needs {} of memory; the limit is {}: give --memory more",
                memory::size_text(needed),
                memory::size_text(limit)
            ),
            // What the program keeps for itself, another release of it may have written.
            Err(_) if !self.file.is_named() => Ok(self.empty()?),
            Err(other) => bail!("{name}: {other}"),
        }
    }

    /// Begins the file of `--save`.
    fn begin_file<'p>(&self, path: &'p Path) -> Result<(&'p Path, AtomicFile)> {
        if path.extension().is_none_or(|end| end != "solution") {
            bail!(
                "{}: --save wants a name that ends in .solution, by which searches find it",
                path.display()
            );
        }
        let file =
            AtomicFile::create(path).map_err(|error| anyhow!("{}: {}", path.display(), reason(&error)))?;
        Ok((path, file))
    }

    /// Writes the file of `--save`.
    fn save(
        &self,
        solution: &Solution<G::Position>,
        (path, mut file): (&Path, AtomicFile),
        control: &mut Control<'_>,
    ) -> Result<Saved> {
        let about = About {
            fingerprint: self.any.fingerprint(),
            rules: rules_text(self.any, &self.args.game)?,
            root: self.position.position_text(),
        };
        let written = write(solution, &about, &mut file, control);
        let written = written.and_then(|bytes| file.commit().map(|()| bytes).map_err(SaveError::from));
        match written {
            Ok(bytes) => Ok(Saved { file: path.display().to_string(), bytes }),
            Err(SaveError::Io(error)) => bail!("{}: {}", path.display(), reason(&error)),
            Err(SaveError::Stopped(Stop::Interrupted)) => {
                bail!("{}: interrupted while the solution was saved; nothing was saved", path.display())
            }
            Err(other) => bail!("{}: {other}", path.display()),
        }
    }

    /// Says how to go on where the work on disk has stopped.
    fn stopped_on_disk(&self, error: DiskError, folder: &Path) -> Result<String> {
        let (mut most, mut memory) = (self.args.max_positions, self.args.memory);
        let why = match error {
            DiskError::Stopped(Stop::Positions { limit }) => {
                most = Some(limit.saturating_mul(4).min(MAX_POSITIONS));
                format!("there are more positions than --max-positions {limit}")
            }
            DiskError::Stopped(Stop::Memory { needed, limit }) => {
                memory = Some(needed);
                let [needed, limit] = [needed, limit].map(memory::size_text);
                format!("files need {needed} of memory, the limit is {limit}")
            }
            DiskError::Stopped(stop @ (Stop::Interrupted | Stop::Allocation { .. })) => stop.to_string(),
            DiskError::Stopped(stop) => bail!("this game cannot be solved: {stop}"),
            DiskError::Io { path, error } => format!("{}: {}", path.display(), reason(&error)),
            other => bail!("{other}"),
        };
        let named = self.file.is_named().then(|| self.file.path());
        let command = self.args.command(most, memory, named);
        Ok(format!("stopped: {why}; what was found is in {}, go on with: {command}", folder.display()))
    }

    /// Saves what was found, and says how to go on.
    fn stopped(&self, graph: &Graph<G::Position>, stop: Stop, bars: &GraphProgress) -> Result<String> {
        let args = self.args;
        let all = if graph.is_complete() { None } else { bars.estimate() };
        let mut next = (args.max_positions, args.memory);
        let why = match stop {
            Stop::Positions { limit } if limit < MAX_POSITIONS => {
                // Twice the estimate: it may be half of the truth.
                let enough = all.map_or(limit.saturating_mul(4), |all| all.saturating_mul(2));
                next.0 = Some(enough.max(limit.saturating_mul(2)).min(MAX_POSITIONS));
                format!("there are more positions than --max-positions {limit}")
            }
            Stop::Memory { needed, limit } => {
                next.1 = enough_memory(graph, needed, all);
                let least = Options::least_memory(&self.position)?;
                let [needed, limit, least] = [needed, limit, least].map(memory::size_text);
                format!(
                    "the next step needs {needed} of memory, the limit is {limit}, files would need {least}"
                )
            }
            Stop::Interrupted | Stop::Allocation { .. } => stop.to_string(),
            // No larger limit would help.
            _ => bail!("this game cannot be solved: {stop}"),
        };
        let file = self.file.path();
        let saved = self.file.prepare().and_then(|()| state::save(graph, self.fingerprint, file));
        saved.map_err(|e| {
            anyhow!("{}: the state cannot be saved: {} (stopped: {why})", file.display(), reason(&e))
        })?;
        let all = all.map_or(String::new(), |all| format!(", of perhaps {} in all", rounded(all)));
        let named = self.file.is_named().then_some(file);
        Ok(format!(
            "stopped with {} positions found and {} of them expanded{all}: {why}; all of it is in {} ({}), \
             go on with: {}",
            grouped(graph.positions()),
            grouped(graph.expanded()),
            file.display(),
            memory::size_text(state::size(graph)),
            args.command(next.0, next.1, named)
        ))
    }
}

/// The memory that will do, if that is known: twice what the whole graph takes by an estimate of its positions. `None`
/// stands for 80% of what is free: where nothing can be said, or that is less.
fn enough_memory<P: Packed>(graph: &Graph<P>, needed: u64, all: Option<u64>) -> Option<u64> {
    if graph.is_complete() {
        return Some(needed);
    }
    let each = graph.bytes_to_solve() as f64 / graph.expanded().max(1) as f64;
    let whole = (each * 2.0 * all? as f64) as u64;
    Some(whole.max(needed)).filter(|enough| *enough < memory::limit(None))
}
