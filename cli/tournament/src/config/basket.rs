//! The games of a basket: the same players meet in each of them.

use super::keys;
use crate::adjudication::Adjudication;
use crate::openings::Source;
use jewel_players::settings::values::path;
use jewel_players::settings::{Error, Table, Value};
use serde::Deserialize;
use std::path::PathBuf;

/// A game of a basket. The fields are the keys of its table `[[game]]`.
#[derive(Clone, PartialEq, Default, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table of keys")]
pub struct BasketGame {
    /// What tables call it; `None` is the id of the game.
    pub name: Option<String>,
    /// The id of the game.
    pub game: Option<String>,
    /// The variant file of the game, in place of the id.
    #[serde(deserialize_with = "path")]
    pub variant: Option<PathBuf>,
    /// Where its games begin, if not where those of the other games do.
    #[serde(deserialize_with = "keys::some_openings")]
    pub openings: Option<Source>,
    /// Which of its games are ended early, if not the same as in the other games.
    #[serde(deserialize_with = "keys::some_adjudication")]
    pub adjudication: Option<Adjudication>,
}

/// Takes the games of a basket out of the table of a tournament; none where `game` is the id of one game.
///
/// # Errors
/// The first mistake: where it is, and what would be right.
pub(super) fn take(table: &mut Table) -> Result<Vec<BasketGame>, Error> {
    let games = match table.get("game").map(|entry| (&entry.value, entry.place.clone())) {
        Some((Value::Tables(games), _)) => games.clone(),
        Some((Value::Table(_), place)) => {
            return Err(Error::new("every game of a basket is a table: write [[game]]").at(&place));
        }
        _ => return Ok(Vec::new()),
    };
    let _ = table.split(|key| key == "game");
    if let Some(entry) = table.get("variant") {
        let problem = "a basket has its games in [[game]]: leave \"variant\" out, or write it there";
        return Err(Error::new(problem).at(&entry.place));
    }
    let read = |table: Table| {
        let game: BasketGame = table.read()?;
        if game.game.is_some() == game.variant.is_some() {
            return Err(Error::new("a [[game]] has \"game\", an id, or \"variant\", a file").at(&table.place));
        }
        Ok(game)
    };
    games.into_iter().map(read).collect()
}
