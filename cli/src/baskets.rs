//! Baskets: files that name several games, in which players meet or parameters are tuned.

use crate::arguments::WhichGame;
use anyhow::{Result, bail};
use jewel_players::catalogue::AnyGame;
use jewel_players::settings::{Table, Value};
use jewel_players::support::files::read_text;
use jewel_players::support::words::shortened;
use jewel_tournament::config::BasketGame;
use std::path::Path;

/// The longest file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// The table of a file that describes a tournament or a basket.
///
/// # Errors
/// If the file cannot be read, or is not a table.
pub(crate) fn read(file: &Path) -> Result<Table> {
    Ok(Table::from_toml(&file.display().to_string(), &read_text(file, MAX_FILE_BYTES)?)?)
}

/// The table of a basket's file; `game` is what was typed as a game besides.
///
/// # Errors
/// If the file cannot be read or has no `[[game]]`, or a game was typed.
pub(crate) fn table(basket: &Path, game: Option<&str>) -> Result<Table> {
    if let Some(game) = game {
        bail!("the games are those of the basket: leave \"{}\" out", shortened(game));
    }
    let table = read(basket)?;
    if !table.get("game").is_some_and(|entry| matches!(entry.value, Value::Tables(_))) {
        bail!("{}: no basket: it has no [[game]]", basket.display());
    }
    Ok(table)
}

/// The games of a basket, in its order.
///
/// # Errors
/// If one of them does not exist or cannot be read.
pub(crate) fn games(basket: &[BasketGame]) -> Result<Vec<AnyGame>> {
    let which = |entry: &BasketGame| WhichGame { game: entry.game.clone(), variant: entry.variant.clone() };
    basket.iter().map(|entry| which(entry).resolve()).collect()
}
