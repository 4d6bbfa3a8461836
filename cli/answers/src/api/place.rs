//! Which game, and which position of it: the fields that most requests begin with.

use super::error::{ApiError, FORBIDDEN, NOT_FOUND};
use jewel_players::catalogue::AnyGame;
use jewel_players::engine::Engine;
use jewel_players::support::words::shortened;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// A position of a game, as requests name it.
#[derive(Deserialize, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The id of a game.
    #[serde(default)]
    pub game: Option<String>,
    /// The text of a variant file, in place of the id.
    #[serde(default)]
    pub variant: Option<String>,
    /// The position to begin at.
    #[serde(default)]
    pub fen: Option<String>,
    /// Moves from there.
    #[serde(default)]
    pub moves: Vec<String>,
}

/// The fields of a [`Place`].
const PLACE: [&str; 4] = ["game", "variant", "fen", "moves"];

/// Most moves of a request: longer games are not played.
const MAX_MOVES: usize = 4000;

/// Longest text of a variant file, in bytes.
const MAX_VARIANT: usize = 64 << 10;

/// Longest name of a game with its parameters, in bytes.
const MAX_NAME: usize = 400;

/// Most games that are made from texts and parameters. Games are never freed; each takes a few kilobytes.
const MAX_GAMES: usize = 5000;

/// Reads the object of a request; `known` are its fields beside those of a [`Place`].
///
/// # Errors
/// If it is not such an object: what is wrong with it.
pub fn read<T: DeserializeOwned>(body: &[u8], known: &[&str]) -> Result<T, ApiError> {
    let all: Vec<&str> = PLACE.iter().chain(known).copied().collect();
    fields(body, &all)
}

/// Reads the object of a request that has these fields.
///
/// # Errors
/// As [`read`].
pub fn fields<T: DeserializeOwned>(body: &[u8], all: &[&str]) -> Result<T, ApiError> {
    let value: Value = serde_json::from_slice(body)
        .map_err(|e| ApiError::bad(format!("the body of the request is not JSON: {e}")))?;
    let Value::Object(fields) = &value else {
        return Err(ApiError::bad("the body of the request is a JSON object"));
    };
    if let Some(unknown) = fields.keys().find(|key| !all.contains(&key.as_str())) {
        let (unknown, all) = (shortened(unknown), all.join(", "));
        return Err(ApiError::bad(format!("unknown field \"{unknown}\"; known here: {all}")));
    }
    serde_json::from_value(value).map_err(|e| ApiError::bad(format!("in the request: {e}")))
}

/// The games that can be asked for.
pub struct Games {
    /// The games named when answering began, by id.
    served: Vec<AnyGame>,
    /// Whether the list has the others of the program too.
    all: bool,
    made: Mutex<HashMap<[u8; 32], AnyGame>>,
    seed: fn() -> u64,
}

impl Games {
    /// All games of the program, and `served`, which are listed first. `seed` gives numbers that nobody foresees: dice are
    /// rolled with them.
    pub fn new(served: Vec<AnyGame>, seed: fn() -> u64) -> Games {
        Games { served, all: true, made: Mutex::default(), seed }
    }

    /// The same with none but those that are served in the list.
    #[must_use]
    pub fn without_others(self) -> Games {
        Games { all: false, ..self }
    }

    /// Whether the list has more than what is served.
    pub fn has_others(&self) -> bool {
        self.all
    }

    /// A number that nobody foresees.
    pub fn seed(&self) -> u64 {
        (self.seed)()
    }

    /// Those that were named.
    pub fn served(&self) -> &[AnyGame] {
        &self.served
    }

    /// The game of a request.
    ///
    /// # Errors
    /// If the game does not exist, or the variant file is wrong.
    pub fn find(&self, place: &Place) -> Result<AnyGame, ApiError> {
        match (&place.game, &place.variant) {
            (Some(_), Some(_)) => Err(ApiError::bad("variant takes the place of game: leave one out")),
            (None, None) => Err(ApiError::bad("no game: give the id of one as game, or a file as variant")),
            (Some(id), None) => self.named(id),
            (None, Some(text)) => self.of_text(text),
        }
    }

    fn named(&self, id: &str) -> Result<AnyGame, ApiError> {
        if id.len() > MAX_NAME {
            return Err(ApiError::bad(format!("the name of a game has at most {MAX_NAME} characters")));
        }
        if let Some(game) = self.served.iter().find(|game| game.card().id == id) {
            return Ok(*game);
        }
        self.made(&format!("id {id}"), || {
            AnyGame::resolve(id).map_err(|e| ApiError::new(NOT_FOUND, format!("{e:#}")))
        })
    }

    /// The game of the text of a variant file.
    ///
    /// # Errors
    /// If it is wrong or too long.
    pub fn of_text(&self, text: &str) -> Result<AnyGame, ApiError> {
        if text.len() > MAX_VARIANT {
            return Err(ApiError::bad(format!("a variant file has at most {MAX_VARIANT} bytes here")));
        }
        self.made(&format!("text {text}"), || {
            AnyGame::from_text(text).map_err(|e| ApiError::bad(format!("variant: {e}")))
        })
    }

    fn made(&self, key: &str, make: impl FnOnce() -> Result<AnyGame, ApiError>) -> Result<AnyGame, ApiError> {
        let key: [u8; 32] = Sha256::digest(key.as_bytes()).into();
        let known = || self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(game) = known().get(&key) {
            return Ok(*game);
        }
        if known().len() >= MAX_GAMES {
            return Err(ApiError::busy("games"));
        }
        let game = make()?;
        known().insert(key, game);
        Ok(game)
    }

    /// A game of a request whose position may be shown to whoever asks. What hides things from its players is played in
    /// rooms, and here shown only as one player sees it.
    ///
    /// # Errors
    /// If the game or the position does not exist, or it may not be shown.
    pub fn open(&self, place: &Place) -> Result<(AnyGame, Box<dyn Engine>), ApiError> {
        let game = self.find(place)?;
        if place.moves.len() > MAX_MOVES {
            return Err(ApiError::bad(format!("at most {MAX_MOVES} moves")));
        }
        let mut engine = game.open();
        if game.hides() {
            let view = place.fen.as_deref().map(|fen| engine.read_view(fen)).transpose()?.flatten();
            if view.is_none() {
                return Err(ApiError::new(
                    FORBIDDEN,
                    "this game hides things from its players: it is played in a room, and fen is what one player sees",
                ));
            }
        }
        engine.set_position(place.fen.as_deref(), &place.moves).map_err(|e| ApiError::bad(e.to_string()))?;
        Ok((game, engine))
    }
}
