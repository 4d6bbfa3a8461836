//! Exact values: from tables, from a graph that is solved when it is first asked for, or as far as the rules tell.

use super::Live;
use super::error::ApiError;
use super::place::{Games, Place, read};
use crate::best_play::BestPlay;
use crate::claims::Subject;
use crate::json::json_line;
pub use crate::proof::Verdict;
use crate::proof::{Facts, Proof};
use crate::text::grouped;
use anyhow::{Result, anyhow};
use jewel_engine::ability::{Game, Packed, Symmetric};
use jewel_engine::chance::Chance;
use jewel_engine::value::Value;
use jewel_players::catalogue::AnyGame;
use jewel_players::engine::Engine;
use jewel_players::line::Line;
use jewel_players::move_values::move_values;
use jewel_players::support::memory;
use jewel_players::with_game;
use jewel_search::time::Instant;
use jewel_solver::control::{Control, Limits, Progress, Stop};
use jewel_solver::graph::Graph;
use jewel_solver::solution::Solution;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What may be solved.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Most positions of a graph that somebody asks for.
    pub positions: u64,
    /// Most bytes of it.
    pub memory: u64,
    /// Longest time.
    pub time: Duration,
}

/// What is tried for every position that is shown: what takes a moment.
const MOMENT: Bounds = Bounds { positions: 200_000, memory: 64 << 20, time: Duration::from_millis(1500) };

/// Most bytes of graphs that are kept, by the positions that they hold.
const MAX_KEPT_POSITIONS: u64 = 40_000_000;

/// Most graphs that are kept.
const MAX_KEPT: usize = 32;

/// A position whose values are asked for.
#[derive(Deserialize)]
pub struct TruthRequest {
    #[serde(flatten)]
    place: Place,
}

impl TruthRequest {
    /// Reads the body of a request.
    ///
    /// # Errors
    /// If it is not such an object: what is wrong with it.
    pub fn read(body: &[u8]) -> Result<TruthRequest, ApiError> {
        read(body, &[])
    }
}

/// The values of a position.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Truth {
    /// All is known.
    Known {
        /// `tables` or `graph`.
        source: &'static str,
        /// The values, and a line.
        #[serde(flatten)]
        best_play: Box<BestPlay>,
        /// Positions of the graph.
        #[serde(skip_serializing_if = "Option::is_none")]
        positions: Option<u64>,
    },
    /// Some moves may be known.
    Unknown {
        /// The id of the game.
        game: String,
        /// The position string.
        fen: String,
        /// `rules` where the game is over.
        source: Option<&'static str>,
        /// The result, where the game is over.
        value: Option<&'static str>,
        /// Plies to the end: 0 where the game is over, and not drawn.
        distance: Option<u32>,
        /// The legal moves.
        moves: Vec<PartValue>,
        /// Why there is no more.
        reason: String,
    },
}

/// A move whose value may be known.
#[derive(Serialize)]
pub struct PartValue {
    #[serde(rename = "move")]
    text: String,
    value: Option<&'static str>,
    distance: Option<u32>,
}

/// A solved graph, whatever its type.
trait Solved: Send + Sync {
    /// What is known of a position; `None` if the graph does not hold it.
    fn best_play(&self, fen: Option<&str>, moves: &[String]) -> Result<Option<BestPlay>>;

    fn positions(&self) -> u64;

    /// The report on its first position.
    fn proof(&self, rules: u64, seconds: f64) -> Result<Proof>;
}

struct SolvedGraph<G: Game> {
    game: G,
    solution: Solution<G::Position>,
}

impl<G> Solved for SolvedGraph<G>
where
    G: Game<Position: Packed + Symmetric + Chance> + Send + Sync + 'static,
{
    fn best_play(&self, fen: Option<&str>, moves: &[String]) -> Result<Option<BestPlay>> {
        let line = line(&self.game, fen, moves)?;
        if self.solution.value(line.position()).is_none() {
            return Ok(None);
        }
        BestPlay::new(&self.game, line.position(), &self.solution).map(Some)
    }

    fn positions(&self) -> u64 {
        self.solution.counts().positions()
    }

    fn proof(&self, rules: u64, seconds: f64) -> Result<Proof> {
        let position = self.solution.root();
        let claims = if *position == self.game.start() { Subject::about(rules, position)? } else { None };
        Proof::new(
            &self.game,
            position,
            &self.solution,
            Facts { seconds, verified: false, saved: None, claims },
        )
    }
}

/// The line of play of a request.
///
/// # Errors
/// If the position or the move does not exist.
pub fn line<G: Game<Position: Chance>>(
    game: &G,
    fen: Option<&str>,
    moves: &[String],
) -> Result<Line<G::Position>> {
    let moves: Vec<&str> = moves.iter().map(String::as_str).collect();
    Line::read(game, fen, &moves).map_err(|e| anyhow!("{e}"))
}

/// Solves what a position leads to. `Ok(Err(..))` says why it cannot be done.
fn solve<G>(
    game: G,
    fen: Option<&str>,
    moves: &[String],
    bounds: Bounds,
    interrupt: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<std::result::Result<Arc<dyn Solved>, Stop>>
where
    G: Game<Position: Packed + Symmetric + Chance> + Send + Sync + 'static,
{
    let root = line(&game, fen, moves)?.position().clone();
    let limits = Limits { max_positions: bounds.positions, memory: bounds.memory };
    let mut control = Control::new(limits, interrupt, progress);
    let mut graph = Graph::new(root)?;
    let solution = graph.enumerate(&mut control).and_then(|()| graph.solve(&mut control));
    Ok(solution.map(|solution| Arc::new(SolvedGraph { game, solution }) as Arc<dyn Solved>))
}

/// Endgame tables, wherever they are.
pub trait TableSource: Send + Sync {
    /// What the tables say of a position; `None` if one of those that are needed is missing.
    ///
    /// # Errors
    /// If the position does not exist, or a table cannot be read.
    fn best_play(&self, game: AnyGame, place: &Place) -> Result<Option<BestPlay>>;

    /// What the moves of a position are worth to its mover, as far as rules and tables tell; `engine` is at the position.
    ///
    /// # Errors
    /// If the position does not exist.
    fn move_values(
        &self,
        game: AnyGame,
        place: &Place,
        engine: &mut dyn Engine,
    ) -> Result<Vec<(String, Option<Value>)>>;
}

/// A solved graph, or why there is none.
fn solve_within(
    game: AnyGame,
    place: &Place,
    bounds: Bounds,
    stopped: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<std::result::Result<Arc<dyn Solved>, String>, ApiError> {
    let bounds = Bounds { memory: bounds.memory.min(memory::limit(None)), ..bounds };
    let begun = Instant::now();
    let end = AtomicBool::new(false);
    let mut watch = |now: Progress| {
        if stopped.load(Ordering::SeqCst) || begun.elapsed() > bounds.time {
            end.store(true, Ordering::SeqCst);
        }
        progress(now);
    };
    let (fen, moves) = (place.fen.as_deref(), &place.moves[..]);
    let solved = with_game!(game, game => solve(game, fen, moves, bounds, &end, &mut watch))?;
    Ok(solved.map_err(|stop| match stop {
        Stop::Positions { limit } => {
            format!("more than {} positions can be reached", grouped(limit))
        }
        Stop::Memory { limit, .. } => {
            format!("the graph needs more than {} of memory", memory::size_text(limit))
        }
        Stop::Interrupted if stopped.load(Ordering::SeqCst) => "stopped".to_string(),
        Stop::Interrupted => format!("it takes longer than {:.1} seconds", bounds.time.as_secs_f64()),
        other => other.to_string(),
    }))
}

/// What is known of one game.
#[derive(Default)]
struct Known {
    graphs: Vec<Arc<dyn Solved>>,
    /// Pieces on the board of the smallest position that was too large for a moment.
    too_large: Option<usize>,
    /// When it was last asked for.
    used: u64,
}

/// What is known of all games.
pub struct Truths {
    known: Mutex<(u64, HashMap<u64, Known>)>,
    tables: Box<dyn TableSource>,
    bounds: Bounds,
}

impl Truths {
    /// With these tables, and no more than this for a graph that somebody asks for.
    pub fn new(tables: Box<dyn TableSource>, bounds: Bounds) -> Truths {
        Truths { known: Mutex::default(), tables, bounds }
    }

    /// The values of a position.
    pub fn values(&self, games: &Games, request: &TruthRequest) -> Result<Truth, ApiError> {
        let place = &request.place;
        let (game, mut engine) = games.open(place)?;
        if game.hides() {
            return Err(ApiError::bad("nobody knows values where things are hidden"));
        }
        if game.has_dice() {
            let reason = "the game is decided by dice: it has an expectation, not a value".to_string();
            return unknown(engine.as_mut(), reason, |engine| move_values(engine));
        }
        let unreadable = match self.tables.best_play(game, place) {
            Ok(Some(best_play)) => {
                return Ok(Truth::Known {
                    source: "tables",
                    best_play: Box::new(best_play),
                    positions: None,
                });
            }
            Ok(None) => None,
            Err(error) => Some(format!("{error:#}")),
        };
        if let Some(known) = self.of_graphs(game, place)? {
            return Ok(known);
        }
        let cells = engine.diagram().cells;
        let pieces: usize =
            cells.iter().map(|cell| usize::from(cell.piece.is_some()) + cell.above.len()).sum();
        let too_large = self.with(game, |known| known.too_large);
        let reason = if too_large.is_some_and(|least| pieces >= least) {
            "the position is too large to be solved in a moment".to_string()
        } else {
            let solved = solve_within(game, place, MOMENT, &AtomicBool::new(false), &mut |_| {})?;
            match solved {
                Ok(graph) => {
                    self.keep(game, graph);
                    if let Some(known) = self.of_graphs(game, place)? {
                        return Ok(known);
                    }
                    "the position is not in its own graph".to_string()
                }
                Err(why) => {
                    self.with(game, |known| {
                        known.too_large = Some(known.too_large.unwrap_or(usize::MAX).min(pieces));
                    });
                    why
                }
            }
        };
        // What is wrong with the tables can be mended; that a game is large cannot.
        let reason = unreadable.unwrap_or(reason);
        unknown(engine.as_mut(), reason, |engine| self.tables.move_values(game, place, engine))
    }

    /// Solves what a position leads to, and keeps it: the object of `solve --json`.
    pub fn prove(&self, games: &Games, request: &TruthRequest, live: &dyn Live) -> Result<Proof, ApiError> {
        let place = &request.place;
        let (game, _) = games.open(place)?;
        if game.hides() || game.has_dice() {
            return Err(ApiError::bad("a game with dice or hidden pieces has no value that can be proven"));
        }
        let begun = Instant::now();
        let mut say = |progress: Progress| {
            if let Ok(line) = json_line(&ProgressObject::new(progress, begun)) {
                live.line(line);
            }
        };
        let graph = match solve_within(game, place, self.bounds, live.stopped(), &mut say)? {
            Ok(graph) => graph,
            Err(why) => return Err(ApiError::bad(format!("not solved: {why}"))),
        };
        let proof = graph.proof(game.fingerprint(), begun.elapsed().as_secs_f64())?;
        self.keep(game, graph);
        Ok(proof)
    }

    fn with<T>(&self, game: AnyGame, act: impl FnOnce(&mut Known) -> T) -> T {
        let mut guard = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (time, games) = &mut *guard;
        *time += 1;
        let known = games.entry(game.fingerprint()).or_default();
        known.used = *time;
        act(known)
    }

    fn of_graphs(&self, game: AnyGame, place: &Place) -> Result<Option<Truth>> {
        let graphs = self.with(game, |known| known.graphs.clone());
        for graph in graphs {
            if let Some(best_play) = graph.best_play(place.fen.as_deref(), &place.moves)? {
                let (best_play, positions) = (Box::new(best_play), Some(graph.positions()));
                return Ok(Some(Truth::Known { source: "graph", best_play, positions }));
            }
        }
        Ok(None)
    }

    /// Keeps a graph, and forgets others that have not been asked for so long.
    fn keep(&self, game: AnyGame, graph: Arc<dyn Solved>) {
        self.with(game, |known| {
            known.graphs.insert(0, graph);
        });
        let mut guard = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let games = &mut guard.1;
        loop {
            let all = || games.values().flat_map(|known| &known.graphs);
            if all().count() <= 1
                || all().count() <= MAX_KEPT
                    && all().map(|graph| graph.positions()).sum::<u64>() <= MAX_KEPT_POSITIONS
            {
                break;
            }
            let oldest =
                games.values_mut().filter(|known| !known.graphs.is_empty()).min_by_key(|known| known.used);
            if let Some(known) = oldest {
                known.graphs.pop();
            }
        }
        // What was found out about games that nobody asks for any more.
        if games.len() > 1000 {
            games.retain(|_, known| !known.graphs.is_empty());
        }
    }
}

/// What can be proven about the start position of a game within bounds.
///
/// # Errors
/// Why nothing can be proven.
pub fn verdict(game: AnyGame, bounds: Bounds) -> Result<Verdict, ApiError> {
    let start = Place { game: None, variant: None, fen: None, moves: Vec::new() };
    let begun = Instant::now();
    match solve_within(game, &start, bounds, &AtomicBool::new(false), &mut |_| {})? {
        Ok(graph) => Ok(graph.proof(game.fingerprint(), begun.elapsed().as_secs_f64())?.verdict()),
        Err(why) => Err(ApiError::bad(format!("not solved: {why}"))),
    }
}

/// The answer where not all is known; `values` are those of the moves.
fn unknown(
    engine: &mut dyn Engine,
    reason: String,
    values: impl FnOnce(&mut dyn Engine) -> Result<Vec<(String, Option<Value>)>>,
) -> Result<Truth, ApiError> {
    let part = |(text, value): (String, Option<Value>)| PartValue {
        text,
        value: value.map(|value| value.outcome().name()),
        distance: value.and_then(Value::distance),
    };
    let over = engine.ending().map(|ending| ending.verdict.seen_by(engine.side_to_move()));
    let moves = if over.is_some() { Vec::new() } else { values(engine)? };
    Ok(Truth::Unknown {
        game: engine.game().to_string(),
        fen: engine.fen(),
        source: over.map(|_| "rules"),
        value: over.map(|outcome| outcome.name()),
        distance: over.filter(|outcome| outcome.name() != "draw").map(|_| 0),
        moves: moves.into_iter().map(part).collect(),
        reason,
    })
}

/// How solving goes on.
#[derive(Serialize)]
struct ProgressObject {
    progress: &'static str,
    done: u64,
    known: u64,
    memory: u64,
    seconds: f64,
}

impl ProgressObject {
    fn new(progress: Progress, begun: Instant) -> ProgressObject {
        let Progress { phase, done, known, memory } = progress;
        ProgressObject { progress: phase.name(), done, known, memory, seconds: begun.elapsed().as_secs_f64() }
    }
}
