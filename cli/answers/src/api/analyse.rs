//! A search that tells how it goes on.

use super::Live;
use super::error::ApiError;
use super::place::{Games, Place, read};
use crate::finding::Finding;
use crate::json::json_line;
use jewel_players::catalogue::AnyGame;
use jewel_players::engine::Engine;
use jewel_players::options::{Algorithm, Options};
use jewel_players::score::{self, ScoreObject};
use jewel_search::clock::{Bonus, Clock};
use jewel_search::limits::Limits;
use jewel_search::report::{Bound, Info};
use jewel_search::time::Instant;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Longest search, in seconds.
const MAX_SECONDS: f64 = 3600.0;

/// The time after which any search is told to end.
pub const SEARCHING: Duration = Duration::from_secs(2 * MAX_SECONDS as u64);

/// How a search is asked for.
#[derive(Deserialize)]
pub struct AnalyseRequest {
    #[serde(flatten)]
    place: Place,
    /// `ab` or `mcts`.
    engine: Option<String>,
    multipv: Option<u32>,
    depth: Option<u32>,
    nodes: Option<u64>,
    playouts: Option<u64>,
    seconds: Option<f64>,
    threads: Option<usize>,
    /// Mebibytes.
    hash: Option<usize>,
    clock: Option<ClockRequest>,
}

/// The clock of the side to move, in seconds.
#[derive(Deserialize, Clone, Copy)]
#[serde(deny_unknown_fields)]
struct ClockRequest {
    remaining: f64,
    #[serde(default)]
    increment: f64,
}

/// The most that one search may take.
#[derive(Clone, Debug)]
pub struct Power {
    /// Threads.
    pub threads: usize,
    /// Mebibytes of the transposition table.
    pub hash: usize,
    /// The folder of endgame tables that it looks values up in.
    pub tables: Option<PathBuf>,
}

/// Engines that have searched and may search on, with what they remember.
pub struct Engines {
    power: Power,
    idle: Mutex<Vec<(AnyKey, Box<dyn Engine>)>>,
}

/// What an engine is of, and how it is set up.
type AnyKey = (u64, String, Options);

/// Most engines that are kept for later.
const MAX_IDLE: usize = 3;

impl AnalyseRequest {
    /// Reads the body of a request.
    ///
    /// # Errors
    /// If it is not such an object: what is wrong with it.
    pub fn read(body: &[u8]) -> Result<AnalyseRequest, ApiError> {
        const KNOWN: [&str; 9] =
            ["engine", "multipv", "depth", "nodes", "playouts", "seconds", "threads", "hash", "clock"];
        read(body, &KNOWN)
    }

    fn algorithm(&self, game: AnyGame) -> Result<Algorithm, ApiError> {
        match self.engine.as_deref() {
            None => Ok(game.usual_algorithm(false)),
            Some("ab") => Ok(Algorithm::Ab),
            Some("mcts") => Ok(Algorithm::Mcts),
            Some(_) => Err(ApiError::bad("engine: \"ab\" or \"mcts\"")),
        }
    }

    fn limits(&self) -> Result<Limits<String>, ApiError> {
        let time = |name: &str, seconds: f64| {
            let valid = (0.0..=MAX_SECONDS).contains(&seconds);
            let problem = || ApiError::bad(format!("{name}: seconds from 0 to {MAX_SECONDS}"));
            if valid { Ok(Duration::from_secs_f64(seconds)) } else { Err(problem()) }
        };
        let clock = self.clock.map(|clock| {
            let increment = time("clock.increment", clock.increment)?;
            let remaining = time("clock.remaining", clock.remaining)?;
            Ok::<_, ApiError>(Clock::new(remaining, Bonus::Increment(increment)))
        });
        let movetime = self.seconds.map(|seconds| time("seconds", seconds)).transpose()?;
        let clock = clock.transpose()?;
        // Nothing goes on for ever.
        let movetime = movetime.or_else(|| clock.is_none().then(|| Duration::from_secs_f64(MAX_SECONDS)));
        Ok(Limits {
            depth: self.depth,
            nodes: self.nodes,
            playouts: self.playouts,
            movetime,
            clock,
            multipv: self.multipv.unwrap_or(1).clamp(1, 500),
            ..Limits::default()
        })
    }

    fn options(&self, algorithm: Algorithm, power: &Power) -> Result<Options, ApiError> {
        let bounded = |name: &str, asked: Option<usize>, usual: usize, most: usize| match asked {
            Some(0) => Err(ApiError::bad(format!("{name}: 1 to {most}"))),
            Some(n) if n > most => {
                Err(ApiError::bad(format!("{name}: 1 to {most}; this server gives no more")))
            }
            asked => Ok(asked.unwrap_or(usual.min(most))),
        };
        let usual = Options::default();
        Ok(Options {
            algorithm,
            threads: bounded("threads", self.threads, usual.threads, power.threads)?,
            hash: bounded("hash", self.hash, usual.hash, power.hash)?,
            tables: power.tables.clone(),
            ..usual
        })
    }
}

/// What a search has found so far.
#[derive(Serialize)]
struct Snapshot<'a> {
    depth: u32,
    seldepth: u32,
    nodes: u64,
    seconds: f64,
    /// Positions a second.
    nps: u64,
    /// Thousandths of the memory that are in use.
    hashfull: u32,
    lines: Vec<LineObject<'a>>,
}

#[derive(Serialize)]
struct LineObject<'a> {
    score: ScoreObject,
    /// As people read it.
    text: String,
    /// `exact`, `lower` or `upper`.
    bound: &'static str,
    proven: bool,
    depth: u32,
    visits: u64,
    line: &'a [String],
}

impl<'a> Snapshot<'a> {
    fn new(lines: &'a [Info<String>]) -> Option<Snapshot<'a>> {
        let newest = lines.iter().max_by_key(|info| info.nodes)?;
        let seconds = newest.elapsed.as_secs_f64();
        let line = |info: &'a Info<String>| LineObject {
            score: info.into(),
            text: score::text(info),
            bound: match info.bound {
                Bound::Exact => "exact",
                Bound::Lower => "lower",
                Bound::Upper => "upper",
            },
            proven: info.proven,
            depth: info.depth,
            visits: info.visits,
            line: &info.pv,
        };
        Some(Snapshot {
            depth: newest.depth,
            seldepth: newest.seldepth,
            nodes: newest.nodes,
            seconds,
            nps: (newest.nodes as f64 / seconds.max(1e-4)) as u64,
            hashfull: newest.hashfull,
            lines: lines.iter().map(line).collect(),
        })
    }
}

/// The end of a search: the object of `analyse --json`, and the scores as people read them.
#[derive(Serialize)]
pub struct FoundObject {
    #[serde(flatten)]
    finding: Finding,
    texts: Vec<String>,
    done: bool,
}

/// Least time between two snapshots.
const PAUSE: Duration = Duration::from_millis(60);

impl Engines {
    /// Engines none of which may take more than this.
    pub fn new(power: Power) -> Engines {
        Engines { power, idle: Mutex::default() }
    }

    /// Searches a position.
    ///
    /// # Errors
    /// If the position does not exist, or the search cannot be made.
    pub fn analyse(
        &self,
        games: &Games,
        request: &AnalyseRequest,
        live: &dyn Live,
    ) -> Result<FoundObject, ApiError> {
        let (game, board) = games.open(&request.place)?;
        let algorithm = request.algorithm(game)?;
        let (limits, options) = (request.limits()?, request.options(algorithm, &self.power)?);
        // The object has several lines in any case.
        let multipv = limits.multipv.max(2);
        if let Some(finding) = Finding::from_ending(board.as_ref(), algorithm, multipv) {
            return Ok(FoundObject { finding, texts: Vec::new(), done: true });
        }
        let key = (game.fingerprint(), game.card().id, options);
        let mut engine = self.take(&key).unwrap_or(board);
        engine.configure(&key.2)?;
        let place = &request.place;
        engine.set_position(place.fen.as_deref(), &place.moves).map_err(|e| ApiError::bad(e.to_string()))?;
        let mut lines: Vec<Info<String>> = Vec::new();
        let mut said: Option<Instant> = None;
        let mut tell = |info: &Info<String>| {
            let n = info.multipv.max(1) as usize;
            if n <= lines.len() {
                lines[n - 1] = info.clone();
            } else {
                lines.push(info.clone());
            }
            // Line by line they would be rewritten many times a millisecond.
            if n == 1 || said.is_none_or(|said| said.elapsed() > PAUSE) {
                said = Some(Instant::now());
                if let Some(line) = Snapshot::new(&lines).and_then(|snapshot| json_line(&snapshot).ok()) {
                    live.line(line);
                }
            }
        };
        let report = engine.search(&limits, &live.search_stop(), &mut tell)?;
        let finding = Finding::new(engine.as_ref(), algorithm, multipv, &report);
        let texts = report.lines.iter().map(score::text).collect();
        if !game.hides() {
            self.put(key, engine);
        }
        Ok(FoundObject { finding, texts, done: true })
    }

    fn take(&self, key: &AnyKey) -> Option<Box<dyn Engine>> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let n = idle.iter().position(|(known, _)| known == key)?;
        Some(idle.remove(n).1)
    }

    fn put(&self, key: AnyKey, engine: Box<dyn Engine>) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() >= MAX_IDLE {
            idle.remove(0);
        }
        idle.push((key, engine));
    }
}
