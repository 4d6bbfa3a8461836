//! A tournament on the page: one that is being played, or the records of one.

use super::error::ApiError;
use super::place::fields;
use super::watch::{Boards, Running};
use anyhow::Result;
use axum::http::StatusCode;
use jewel_engine::value::Outcome;
use jewel_tournament::archive::{Archive, Filter, GameLine};
use jewel_tournament::record::GameRecord;
use jewel_tournament::report::Report;
use jewel_tournament::runner::Tournament;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most games of an answer.
const MAX_LISTED: usize = 200;

/// The tournament that is shown.
pub(crate) struct Feed {
    archive: Mutex<Archive>,
    /// While it is played.
    boards: Option<Boards>,
}

/// What the page shows of the whole.
#[derive(Serialize)]
pub(super) struct TournamentObject {
    /// Whether it is being played.
    live: bool,
    /// The name of the file of records.
    records: Option<String>,
    report: Option<Report>,
    /// The logarithm of the likelihood ratio of the sequential test after this number of games.
    curve: Vec<(u64, f64)>,
    boards: Vec<Running>,
}

/// Which games are wanted.
#[derive(Deserialize)]
pub(super) struct ListRequest {
    #[serde(default)]
    from: usize,
    player: Option<String>,
    /// `win`, `draw` or `loss` of the player; without one, of the southern side.
    result: Option<String>,
}

/// Games, and how many there are.
#[derive(Serialize)]
pub(super) struct ListObject {
    games: Vec<GameLine>,
    all: usize,
}

/// Which game is wanted.
#[derive(Deserialize)]
pub(super) struct GameRequest {
    number: u64,
}

impl ListRequest {
    pub(super) fn read(body: &[u8]) -> Result<ListRequest, ApiError> {
        fields(body, &["from", "player", "result"])
    }
}

impl GameRequest {
    pub(super) fn read(body: &[u8]) -> Result<GameRequest, ApiError> {
        fields(body, &["number"])
    }
}

impl Feed {
    /// The records of a file, which may still grow.
    ///
    /// # Errors
    /// If it cannot be read, or holds anything but records of games.
    pub(crate) fn from_file(path: &Path) -> Result<Feed> {
        Ok(Feed { archive: Mutex::new(Archive::open(path)?), boards: None })
    }

    /// A tournament that is about to be played, on these boards.
    pub(crate) fn from_tournament(tournament: &Tournament, boards: Boards) -> Feed {
        Feed { archive: Mutex::new(Archive::following(tournament)), boards: Some(boards) }
    }

    /// The archive with all that has been written.
    fn archive(&self) -> Result<MutexGuard<'_, Archive>, ApiError> {
        let mut archive = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
        archive.catch_up()?;
        Ok(archive)
    }
}

/// The tables of the tournament; empty where none is shown.
pub(super) fn overview(feed: Option<&Feed>) -> Result<TournamentObject, ApiError> {
    let Some(feed) = feed else {
        return Ok(TournamentObject {
            live: false,
            records: None,
            report: None,
            curve: Vec::new(),
            boards: Vec::new(),
        });
    };
    let archive = feed.archive()?;
    let name = archive.path().file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(TournamentObject {
        live: feed.boards.is_some(),
        records: name,
        report: Some(archive.report()),
        curve: archive.curve().to_vec(),
        boards: feed.boards.as_ref().map(Boards::all).unwrap_or_default(),
    })
}

fn shown(feed: Option<&Feed>) -> Result<&Feed, ApiError> {
    let problem = "no tournament is shown: jewel serve --games FILE shows its records";
    feed.ok_or_else(|| ApiError::new(StatusCode::NOT_FOUND, problem))
}

/// A part of the list of games.
pub(super) fn list(feed: Option<&Feed>, request: ListRequest) -> Result<ListObject, ApiError> {
    let outcome = match request.result.as_deref() {
        None => None,
        Some("win") => Some(Outcome::Win),
        Some("draw") => Some(Outcome::Draw),
        Some("loss") => Some(Outcome::Loss),
        Some(_) => return Err(ApiError::bad("result: \"win\", \"draw\" or \"loss\"")),
    };
    let filter = Filter { player: request.player, outcome };
    let (games, all) = shown(feed)?.archive()?.games(&filter, request.from, MAX_LISTED);
    Ok(ListObject { games, all })
}

/// The record of a game.
pub(super) fn game(feed: Option<&Feed>, request: &GameRequest) -> Result<GameRecord, ApiError> {
    let number = request.number;
    let record = shown(feed)?.archive()?.game(number)?;
    record.ok_or_else(|| ApiError::new(StatusCode::NOT_FOUND, format!("there is no game {number}")))
}
