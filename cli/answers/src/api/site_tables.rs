//! The endgame tables of a site, which lie as files beside the page: each is opened when a position of it is first asked for,
//! and read part by part.

use super::place::Place;
use super::truth::{TableSource, line};
use crate::best_play::BestPlay;
use crate::distant::DistantFiles;
use crate::values::{TableGame, TablePosition, Values, valued_moves};
use anyhow::{Result, anyhow};
use jewel_engine::ability::Notation;
use jewel_engine::chesslike::Move;
use jewel_engine::position::Position;
use jewel_engine::value::Value;
use jewel_engine::variant::Rules;
use jewel_players::catalogue::AnyGame;
use jewel_players::engine::Engine;
use jewel_players::move_values::move_values;
use jewel_search::time::Instant;
use jewel_solver::line::best_line_into;
use jewel_solver::solution::ValuedMove;
use jewel_solver::tablebase::{ProbeError, TableSet};
use jewel_tables::reader::Table;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Bytes of decoded blocks that are kept for each game.
const CACHE: usize = 16 << 20;

/// How long best play is followed. Far from the end it leads through many tables, and nobody waits for all of it.
const FOLLOWING: Duration = Duration::from_secs(2);

/// A table of a site.
#[derive(Deserialize, Serialize, Clone, PartialEq, Eq, Debug)]
pub struct TableFile {
    /// The name of its class, such as `NLvQQ`.
    pub class: String,
    /// The name of its file beside the page.
    pub file: String,
    /// The length of the file.
    pub bytes: u64,
}

/// The tables of the games of a site.
pub struct SiteTables {
    files: Arc<DistantFiles>,
    /// By the fingerprint of the game.
    games: HashMap<u64, GameTables>,
}

/// The tables of a game.
struct GameTables {
    files: Arc<DistantFiles>,
    known: Mutex<Known>,
}

struct Known {
    open: TableSet<'static>,
    /// Those that nobody has asked for yet, by class.
    closed: BTreeMap<String, TableFile>,
}

impl SiteTables {
    /// No tables yet; those of [`add`](SiteTables::add) are among these files.
    pub fn new(files: Arc<DistantFiles>) -> SiteTables {
        SiteTables { files, games: HashMap::new() }
    }

    /// Tells of the tables of a game. No file is touched.
    pub fn add(&mut self, rules: &'static Rules, tables: impl IntoIterator<Item = TableFile>) {
        let closed = tables.into_iter().map(|table| (table.class.clone(), table)).collect();
        let known = Mutex::new(Known { open: TableSet::empty(rules, CACHE), closed });
        self.games.insert(rules.fingerprint, GameTables { files: Arc::clone(&self.files), known });
    }
}

impl Known {
    /// Opens the table of a class, or of that with the sides exchanged; `false` if there is none that is not open.
    fn open(&mut self, class: &str, files: &Arc<DistantFiles>) -> Result<bool> {
        let exchanged = class.split_once('v').map(|(white, black)| format!("{black}v{white}"));
        let mut names = [Some(class.to_string()), exchanged].into_iter().flatten();
        let Some(name) = names.find(|name| self.closed.contains_key(name)) else { return Ok(false) };
        let file = &self.closed[&name];
        self.open.add(Table::from_source(&file.file, Box::new(files.file(&file.file, file.bytes)))?)?;
        self.closed.remove(&name);
        Ok(true)
    }
}

impl GameTables {
    /// The value of a position; `None` if a table is not there.
    fn known(&self, position: &TablePosition) -> Result<Option<Value>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match known.open.probe(position) {
                Ok(value) => return Ok(Some(value)),
                Err(ProbeError::NoTable(class)) if known.open(&class, &self.files)? => {}
                Err(ProbeError::NoTable(_) | ProbeError::Castling | ProbeError::Unsupported(_)) => {
                    return Ok(None);
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl Values<TablePosition> for GameTables {
    fn value(&self, position: &TablePosition) -> Result<Value> {
        self.known(position)?.ok_or_else(|| anyhow!("the site has no table for \"{}\"", position.to_fen()))
    }

    fn children(&self, position: &TablePosition) -> Result<Vec<ValuedMove<Move>>> {
        valued_moves(position, |next| self.value(next))
    }
}

impl SiteTables {
    /// The game and its tables, if it has any.
    fn of(&self, game: AnyGame) -> Option<(TableGame, &GameTables)> {
        let tables = self.games.get(&game.fingerprint())?;
        Some((TableGame::new(game.rules().ok()?)?, tables))
    }
}

impl TableSource for SiteTables {
    fn best_play(&self, game: AnyGame, place: &Place) -> Result<Option<BestPlay>> {
        let Some((game, tables)) = self.of(game) else { return Ok(None) };
        let line = line(&game, place.fen.as_deref(), &place.moves)?;
        let position = line.position();
        let Some(value) = tables.known(position)? else { return Ok(None) };
        let children = tables.children(position)?;
        let (begun, mut plies) = (Instant::now(), Vec::new());
        let children_in_time = |position: &TablePosition| {
            if begun.elapsed() < FOLLOWING {
                tables.children(position)
            } else {
                Err(anyhow!("it takes too long"))
            }
        };
        // Where it breaks off, what was found of it is shown.
        let end = best_line_into(position, children_in_time, &mut plies).ok();
        Ok(Some(BestPlay::of(&game, position, value, &children, &plies, end)))
    }

    fn move_values(
        &self,
        game: AnyGame,
        place: &Place,
        engine: &mut dyn Engine,
    ) -> Result<Vec<(String, Option<Value>)>> {
        let mut values = move_values(engine)?;
        let Some((game, tables)) = self.of(game) else { return Ok(values) };
        let line = line(&game, place.fen.as_deref(), &place.moves)?;
        let position = line.position();
        for (text, value) in values.iter_mut().filter(|(_, value)| value.is_none()) {
            let Ok(mv) = position.parse_move(text) else { continue };
            let next = position.after(mv);
            // A table that cannot be read says nothing.
            let known = tables.known(&next).ok().flatten();
            *value = known.map(|value| value.before_ply(position.side_to_move(), next.side_to_move()));
        }
        Ok(values)
    }
}
