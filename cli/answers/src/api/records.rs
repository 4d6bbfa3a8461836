//! Records of games: written as PGN, and read.

use super::error::ApiError;
use super::place::{Games, Place, read};
use crate::record::{self, Record, Termination, result_text};
use jewel_engine::value::{Side, Verdict};
use serde::{Deserialize, Serialize};

/// A game to be written.
#[derive(Deserialize)]
pub struct WriteRequest {
    #[serde(flatten)]
    place: Place,
    white: Option<String>,
    black: Option<String>,
    /// The side that lost otherwise than by the rules: `w` or `b`.
    lost: Option<char>,
    /// Why it lost: `resigned` or `time`.
    by: Option<String>,
}

/// A record to be read.
#[derive(Deserialize)]
pub struct ReadRequest {
    #[serde(flatten)]
    place: Place,
    pgn: String,
}

/// A text to be saved.
#[derive(Serialize)]
pub struct Written {
    pgn: String,
}

/// A record that was read: the position in which it begins, and its moves.
#[derive(Serialize)]
pub struct Loaded {
    game: String,
    fen: String,
    moves: Vec<String>,
}

impl WriteRequest {
    /// Reads the body of a request.
    ///
    /// # Errors
    /// If it is not such an object: what is wrong with it.
    pub fn read(body: &[u8]) -> Result<WriteRequest, ApiError> {
        read(body, &["white", "black", "lost", "by"])
    }
}

impl ReadRequest {
    /// Reads the body of a request.
    ///
    /// # Errors
    /// If it is not such an object: what is wrong with it.
    pub fn read(body: &[u8]) -> Result<ReadRequest, ApiError> {
        read(body, &["pgn"])
    }
}

/// The record of a game.
pub fn write(games: &Games, request: WriteRequest) -> Result<Written, ApiError> {
    let (_, board) = games.open(&request.place)?;
    let sides = board.diagram().sides;
    let lost = match request.lost {
        None => None,
        Some('w') => Some(Side::White),
        Some('b') => Some(Side::Black),
        Some(_) => return Err(ApiError::bad("lost: \"w\" or \"b\"")),
    };
    let (verdict, termination, ending) = match (board.ending(), lost) {
        (Some(ending), _) => (Some(ending.verdict), Termination::Normal, ending.text(&sides)),
        (None, Some(side)) => {
            let winner = if side == Side::White { Verdict::BlackWins } else { Verdict::WhiteWins };
            let name = &sides[side.index()];
            match request.by.as_deref() {
                Some("time") => {
                    (Some(winner), Termination::TimeForfeit, format!("{name} has overstepped the time"))
                }
                _ => (Some(winner), Termination::Normal, format!("{name} has resigned")),
            }
        }
        (None, None) => (None, Termination::Unterminated, String::new()),
    };
    let name = |name: Option<String>| {
        name.unwrap_or_else(|| "human".to_string()).chars().take(60).collect::<String>()
    };
    let record = Record {
        game: board.game().to_string(),
        fen: board.fen(),
        start: board.first_fen(),
        white: name(request.white),
        black: name(request.black),
        result: result_text(verdict),
        termination: termination.name(),
        ending,
        moves: board.turns(),
        san: board.played_san(),
    };
    Ok(Written { pgn: record.text() })
}

/// Reads a record: the game that its tag names, or else that of the request.
pub fn load(games: &Games, request: &ReadRequest) -> Result<Loaded, ApiError> {
    let recorded = record::parse(&request.pgn).map_err(|e| ApiError::bad(format!("pgn: {e}")))?;
    let own = games.find(&request.place).ok();
    let named = recorded.game.as_ref().filter(|id| own.is_none_or(|game| game.card().id != **id));
    let place = match named {
        Some(id) => Place { game: Some(id.clone()), variant: None, fen: None, moves: Vec::new() },
        None => request.place.clone(),
    };
    let place = Place { fen: recorded.start, moves: recorded.moves, ..place };
    let (game, board) =
        games.open(&place).map_err(|e| ApiError { problem: format!("pgn: {}", e.problem), ..e })?;
    Ok(Loaded { game: game.card().id, fen: board.first_fen(), moves: board.played() })
}
