//! Files of known perft counts.
//!
//! ```json
//! {"rows": [{"game": "duel", "fen": "l2/3/2L w - - 0 1", "perft": {"1": 4, "2": 16}}]}
//! ```
//!
//! `perft` may also be a list of the counts of depths 1, 2, 3 and so on. Other fields say where the counts
//! come from and are not read.

use anyhow::{Context, Result, anyhow, bail};
use jewel_players::catalogue::AnyGame;
use jewel_players::engine::Engine;
use jewel_players::support::files::read_text;
use jewel_players::support::words::shortened;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The deepest count that can be asked for. No game here can be counted to this depth without `--hash`.
pub(crate) const MAX_DEPTH: u32 = 99;

/// Longest suite that is read, in bytes.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// A file of known counts.
#[derive(Debug)]
pub(crate) struct Suite {
    file: PathBuf,
    rows: Vec<Row>,
}

/// The known counts of a position.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    number: usize,
    game: String,
    fen: Option<String>,
    /// By depth.
    pub(crate) counts: BTreeMap<u32, u64>,
}

impl Suite {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, is not JSON or has a wrong row: one line that begins with the file's name.
    pub(crate) fn load(file: &Path) -> Result<Suite> {
        let text = read_text(file, MAX_FILE_BYTES)?;
        let rows = parse(&text).with_context(|| file.display().to_string())?;
        Ok(Suite { file: file.to_path_buf(), rows })
    }

    /// The rows with their games, or those of one game only. Everything is checked before anything is
    /// counted.
    ///
    /// # Errors
    /// If a row's game or position is wrong, or none is left.
    pub(crate) fn resolve(&self, only: Option<AnyGame>) -> Result<Vec<(&Row, AnyGame)>> {
        let file = self.file.display();
        let mut rows = Vec::new();
        for row in &self.rows {
            let of_row = |e: anyhow::Error| anyhow!("{file}: row {}: {e:#}", row.number);
            let game = match only {
                Some(game) if game.card().id != canonical(&row.game) => continue,
                Some(game) => game,
                None => AnyGame::resolve(&row.game).map_err(of_row)?,
            };
            row.open(game).map_err(of_row)?;
            rows.push((row, game));
        }
        if rows.is_empty() {
            let whose = only.map_or(String::new(), |game| format!(" of {}", game.card().id));
            bail!("{file}: there is no row{whose}");
        }
        Ok(rows)
    }
}

/// The id of a game that may be named by its alias.
fn canonical(name: &str) -> String {
    AnyGame::resolve(name).map_or_else(|_| name.to_string(), |game| game.card().id)
}

impl Row {
    /// The position of the row.
    ///
    /// # Errors
    /// If its position string is wrong.
    pub(crate) fn open(&self, game: AnyGame) -> Result<Box<dyn Engine>> {
        let mut engine = game.open();
        engine.set_position(self.fen.as_deref(), &[]).map_err(|e| anyhow!("fen: {e}"))?;
        Ok(engine)
    }
}

fn parse(text: &str) -> Result<Vec<Row>> {
    let file: Value = serde_json::from_str(text).map_err(|e| anyhow!("not JSON: {e}"))?;
    let Some(rows) = file.get("rows").and_then(Value::as_array) else {
        bail!("a suite is an object with a list \"rows\"");
    };
    let numbered = rows.iter().enumerate();
    numbered.map(|(n, row)| read_row(n + 1, row).with_context(|| format!("row {}", n + 1))).collect()
}

fn read_row(number: usize, row: &Value) -> Result<Row> {
    let text = |key: &str| -> Result<Option<String>> {
        match row.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => bail!("{key}: expected a text"),
        }
    };
    let game = text("game")?.context("game: missing, expected the id of a game")?;
    let counts = match row.get("perft") {
        Some(Value::Object(map)) => map
            .iter()
            .map(|(depth, nodes)| {
                let number = depth.parse().ok().filter(|d| *d <= MAX_DEPTH).with_context(|| {
                    format!("perft: \"{}\" is not a depth from 0 to {MAX_DEPTH}", shortened(depth))
                })?;
                Ok((number, count(nodes)?))
            })
            .collect::<Result<_>>()?,
        Some(Value::Array(list)) if list.len() <= MAX_DEPTH as usize => {
            (1..).zip(list).map(|(depth, nodes)| Ok((depth, count(nodes)?))).collect::<Result<_>>()?
        }
        _ => bail!("perft: expected counts by depth, such as {{\"1\": 4, \"2\": 16}}"),
    };
    Ok(Row { number, game, fen: text("fen")?, counts })
}

fn count(nodes: &Value) -> Result<u64> {
    nodes.as_u64().with_context(|| format!("perft: {} is not a count", shortened(&nodes.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_a_map_or_a_list() {
        let rows = parse(
            r#"{"rows": [{"game": "a", "fen": "f", "perft": {"2": 16, "1": 4}}, {"game": "b", "perft": [4, 16]}]}"#,
        )
        .unwrap();
        assert_eq!(rows[0].counts, BTreeMap::from([(1, 4), (2, 16)]));
        assert_eq!(rows[1].counts, rows[0].counts);
        assert_eq!((rows[0].fen.as_deref(), rows[1].fen.as_deref()), (Some("f"), None));
    }

    #[test]
    fn mistakes_name_their_row() {
        let problem = |text: &str| format!("{:#}", parse(text).unwrap_err());
        assert_eq!(problem("{}"), "a suite is an object with a list \"rows\"");
        assert!(problem("{\n]").contains("line 2"));
        let row = |row: &str| problem(&format!(r#"{{"rows": [{row}]}}"#));
        assert_eq!(row("3"), "row 1: game: missing, expected the id of a game");
        assert_eq!(row(r#"{"game": 1}"#), "row 1: game: expected a text");
        assert!(row(r#"{"game": "duel"}"#).starts_with("row 1: perft: expected counts by depth"));
        assert_eq!(
            row(r#"{"game": "duel", "perft": {"100": 1}}"#),
            "row 1: perft: \"100\" is not a depth from 0 to 99"
        );
        assert_eq!(row(r#"{"game": "duel", "perft": {"1": -4}}"#), "row 1: perft: -4 is not a count");
    }
}
