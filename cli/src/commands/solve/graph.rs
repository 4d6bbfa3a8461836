//! Solving what can be reached from a position, all of it kept in memory.

use super::Solve;
use crate::best_play::value_text;
use crate::claims::Subject;
use crate::graph_progress::GraphProgress;
use crate::interrupt;
use crate::proof::{Facts, Proof};
use crate::text::grouped;
use anyhow::{Result, anyhow, bail};
use jewel_engine::ability::{Game, Notation, Packed, PackedKey, Symmetric};
use jewel_engine::chance::Chance;
use jewel_players::catalogue::AnyGame;
use jewel_players::support::words::reason;
use jewel_players::support::{files, memory};
use jewel_players::with_game;
use jewel_solver::control::{Control, Limits, MAX_POSITIONS, Stop};
use jewel_solver::graph::Graph;
use jewel_solver::state::{self, StateError};
use jewel_solver::verify::{Failure, verify};
use jewel_solver::with_key;
use std::time::Instant;

/// Solves the graph of a game's position.
pub(super) fn solve(args: &Solve, any: AnyGame) -> Result<Proof> {
    with_game!(any, game => solve_game(args, any, game))
}

fn solve_game<G>(args: &Solve, any: AnyGame, game: G) -> Result<Proof>
where
    G: Game<Position: Packed + Symmetric + Chance>,
{
    let rules = any.fingerprint();
    let position = args.game.position(&game)?;
    let claims = if position == game.start() { Subject::about(rules)? } else { None };
    let bits = position.packed_bits();
    let fingerprint = state::fingerprint(rules, &position);
    let solver = Solver { args, game, position, fingerprint, claims };
    with_key!(bits, Key => solver.solve::<Key>())
        .unwrap_or_else(|| bail!("a position takes {bits} bits; the solver can keep positions of 256"))
}

/// A position to be solved, before the type of its key is known.
struct Solver<'a, G: Game> {
    args: &'a Solve,
    game: G,
    position: G::Position,
    fingerprint: u64,
    claims: Option<Subject>,
}

impl<G> Solver<'_, G>
where
    G: Game<Position: Packed + Symmetric>,
{
    fn solve<K: PackedKey>(self) -> Result<Proof> {
        let interrupt = interrupt::listen()?;
        let start = Instant::now();
        let bars = GraphProgress::new();
        let mut progress = |progress| bars.show(progress);
        let mut control = Control::new(limits(self.args), interrupt, &mut progress);
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
        drop(bars);
        let facts = Facts { seconds, verified: self.args.verify, claims: self.claims };
        Proof::new(&self.game, &self.position, &solution, facts)
    }
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
    /// The graph of the state file, if there is one.
    fn begin<K: PackedKey>(&self, control: &Control<'_>) -> Result<Graph<G::Position, K>> {
        let root = &self.position;
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

    /// Saves what was found, and says how to go on.
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
        let file = args.state.clone().unwrap_or_else(|| files::unused_name(self.game.id()));
        state::save(graph, self.fingerprint, &file).map_err(|e| {
            anyhow!("{}: the state cannot be saved: {} (stopped: {why})", file.display(), reason(&e))
        })?;
        Ok(format!(
            "stopped with {} positions found and {} of them expanded: {why}; all of it is in {}, go on with: {}",
            grouped(graph.positions()),
            grouped(graph.expanded()),
            file.display(),
            args.command(next.0, next.1, Some(&file))
        ))
    }
}
