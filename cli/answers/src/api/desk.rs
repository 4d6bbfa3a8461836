//! All questions behind one function: for one client that asks them one after the other, such as a page without a server.

use super::Live;
use super::analyse::{AnalyseRequest, Engines, Power};
use super::error::{ApiError, NOT_FOUND};
use super::place::{Games, Place, read};
use super::position::{self, PositionRequest};
use super::records::{self, ReadRequest, WriteRequest};
use super::truth::{Bounds, TableSource, TruthRequest, Truths};
use crate::json::json_line;
use serde::Serialize;

/// What answers.
pub struct Desk {
    games: Games,
    truths: Truths,
    engines: Engines,
}

impl Desk {
    /// Answers about these games, with no more than this for a solved graph and for a search.
    pub fn new(games: Games, tables: Box<dyn TableSource>, bounds: Bounds, power: Power) -> Desk {
        Desk { games, truths: Truths::new(tables, bounds), engines: Engines::new(power) }
    }

    /// The games.
    pub fn games(&self) -> &Games {
        &self.games
    }

    /// The answer to a question, as a line of JSON. `what` is the path of the request behind `/api/`, `body` its body, which is
    /// empty for `games`. `live` hears how long work goes on.
    ///
    /// # Errors
    /// As the server answers them; and if the question is one of those that only a server can answer.
    pub fn answer(&self, what: &str, body: &[u8], live: &dyn Live) -> Result<String, ApiError> {
        let games = &self.games;
        match what {
            "games" => line(&position::games(games)),
            "game" => line(&position::about(games, &read::<Place>(body, &[])?)?),
            "position" => line(&position::position(games, &PositionRequest::read(body)?)?),
            "values" => line(&self.truths.values(games, &TruthRequest::read(body)?)?),
            "solve" => line(&self.truths.prove(games, &TruthRequest::read(body)?, live)?),
            "analyse" => line(&self.engines.analyse(games, &AnalyseRequest::read(body)?, live)?),
            "record" => line(&records::write(games, WriteRequest::read(body)?)?),
            "load" => line(&records::load(games, &ReadRequest::read(body)?)?),
            "variant" => line(&position::check(&read(body, &[])?)?),
            _ => Err(ApiError::new(NOT_FOUND, format!("\"{what}\" needs a server: see `jewel serve`"))),
        }
    }
}

fn line(answer: &impl Serialize) -> Result<String, ApiError> {
    json_line(answer).map_err(ApiError::bad)
}
