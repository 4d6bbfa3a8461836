//! The designer's report on a game, while the page waits for it.

use super::error::ApiError;
use super::place::{Games, Place, read};
use super::work::Task;
use crate::commands::report::exact;
use jewel_answers::api::Live;
use jewel_players::options::Algorithm;
use jewel_players::support::memory;
use jewel_solver::control::{Limits, Progress};
use jewel_tournament::designer::{Known, Survey, SurveyOptions, survey};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Longest time of a report.
pub(super) const REPORTING: Duration = Duration::from_secs(600);

/// Most games of self-play, and of each step of the ladder.
const MAX_GAMES: u64 = 1000;

/// Most nodes of a move.
const MAX_NODES: u64 = 50_000;

/// Most budgets of the ladder.
const MAX_RUNGS: u64 = 6;

/// Most positions of a graph, and the most bytes that it takes.
const MAX_POSITIONS: u64 = 1_000_000;
const GRAPH_MEMORY: u64 = 512 << 20;

/// A game of this many plies is a draw.
const MAX_PLIES: usize = 400;

/// A game that somebody wants to know more about.
#[derive(Deserialize)]
pub(super) struct ReportRequest {
    #[serde(flatten)]
    place: Place,
    games: Option<u64>,
    nodes: Option<u64>,
    rungs: Option<u64>,
    max_positions: Option<u64>,
    engine: Option<String>,
    seed: Option<u64>,
}

impl ReportRequest {
    pub(super) fn read(body: &[u8]) -> Result<ReportRequest, ApiError> {
        read(body, &["games", "nodes", "rungs", "max_positions", "engine", "seed"])
    }

    fn options(&self, usual: Algorithm) -> Result<SurveyOptions, ApiError> {
        let number = |name: &str, asked: Option<u64>, usual: u64, least: u64, most: u64| match asked {
            Some(n) if !(least..=most).contains(&n) => {
                Err(ApiError::bad(format!("{name}: {least} to {most}")))
            }
            asked => Ok(asked.unwrap_or(usual)),
        };
        let algorithm = match self.engine.as_deref() {
            None => usual,
            Some("ab") => Algorithm::Ab,
            Some("mcts") => Algorithm::Mcts,
            Some(_) => return Err(ApiError::bad("engine: \"ab\" or \"mcts\"")),
        };
        Ok(SurveyOptions {
            games: number("games", self.games, 100, 2, MAX_GAMES)?,
            nodes: number("nodes", self.nodes, 1000, 1, MAX_NODES)?,
            rungs: number("rungs", self.rungs, 3, 1, MAX_RUNGS)? as u32,
            algorithm,
            plies: None,
            max_plies: MAX_PLIES,
            seed: self.seed.unwrap_or(1),
            concurrency: Some(1),
            records: None,
        })
    }
}

/// How the report goes on.
#[derive(Serialize)]
struct ReportProgress {
    /// `positions` while the game is solved, then `games`.
    progress: &'static str,
    done: u64,
    all: Option<u64>,
    seconds: f64,
}

/// The object of `report --json`.
pub(super) fn report(games: &Games, request: &ReportRequest, live: &Task) -> Result<Survey, ApiError> {
    let place = &request.place;
    let game = games.find(place)?;
    if place.fen.is_some() || !place.moves.is_empty() {
        return Err(ApiError::bad("a report is on a game, not on a position: leave fen and moves out"));
    }
    let options = request.options(game.usual_algorithm(false))?;
    let max_positions = request.max_positions.unwrap_or(MAX_POSITIONS).min(MAX_POSITIONS);
    let begun = Instant::now();
    let say = |progress, done, all| {
        live.say(&ReportProgress { progress, done, all, seconds: begun.elapsed().as_secs_f64() });
    };
    let mut known = Known::default();
    if max_positions > 0 {
        let limits = Limits { max_positions, memory: GRAPH_MEMORY.min(memory::limit(None)) };
        let mut watch = |now: Progress| say("positions", now.known, None);
        if let Some((exact, longest_win)) = exact::from_graph(game, limits, live.stopped(), &mut watch)? {
            known = Known { exact: Some(exact), longest_win, ..known };
        }
    }
    known.exact = known.exact.or_else(|| exact::from_catalogue(game));
    let surveyed =
        survey(game, known, &options, live.stopped(), &mut |done, all| say("games", done, Some(all)))?;
    surveyed.ok_or_else(|| {
        let limit = REPORTING.as_secs();
        ApiError::bad(format!("the report takes longer than {limit} seconds: ask for fewer games or nodes"))
    })
}
