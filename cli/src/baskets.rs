//! Baskets: files that name several games, in which players meet or parameters are tuned.

use anyhow::{Result, bail};
use jewel_players::catalogue::AnyGame;
use jewel_players::settings::{Table, Value};
use jewel_players::support::files::read_text;
use jewel_players::support::words::shortened;
use jewel_tournament::config::BasketGame;
use std::path::Path;

/// The longest file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// The table of a basket's file; `game` is what was typed as a game besides.
///
/// # Errors
/// If the file cannot be read or has no `[[game]]`, or a game was typed.
pub(crate) fn table(basket: &Path, game: Option<&str>) -> Result<Table> {
    if let Some(game) = game {
        bail!("the games are those of the basket: leave \"{}\" out", shortened(game));
    }
    let name = basket.display().to_string();
    let table = Table::from_toml(&name, &read_text(basket, MAX_FILE_BYTES)?)?;
    if !table.get("game").is_some_and(|entry| matches!(entry.value, Value::Tables(_))) {
        bail!("{name}: no basket: it has no [[game]]");
    }
    Ok(table)
}

/// The games of a basket, in its order.
///
/// # Errors
/// If one of them does not exist or cannot be read.
pub(crate) fn games(basket: &[BasketGame]) -> Result<Vec<AnyGame>> {
    basket
        .iter()
        .filter_map(|entry| named(entry.game.as_deref(), entry.variant.as_deref()).transpose())
        .collect()
}

/// The game of an id or a variant file; `None` where neither is given.
///
/// # Errors
/// If it does not exist or cannot be read.
pub(crate) fn named(game: Option<&str>, variant: Option<&Path>) -> Result<Option<AnyGame>> {
    match (variant, game) {
        (Some(file), _) => AnyGame::load(file).map(Some),
        (None, Some(game)) => AnyGame::named(game).map(Some),
        (None, None) => Ok(None),
    }
}
