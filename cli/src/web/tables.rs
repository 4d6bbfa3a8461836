//! The endgame tables that the page looks values up in: those of a folder, opened when they are first asked for.

use super::place::Place;
use super::truth::{TableSource, line};
use crate::arguments::WhichGame;
use crate::best_play::BestPlay;
use crate::tables::{OpenTables, TableFolder, TableGame, best_play};
use anyhow::Result;
use jewel_engine::value::Value;
use jewel_players::catalogue::AnyGame;
use jewel_players::engine::Engine;
use jewel_players::move_values::move_values;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Most games whose tables are remembered, or that they have none.
const MAX_GAMES: usize = 1000;

/// Tables in a folder, or in the game's folder in it.
pub(crate) struct FolderTables {
    folder: Option<PathBuf>,
    /// By the fingerprint of the game: its tables, if it has any.
    known: Mutex<HashMap<u64, Option<Arc<OpenTables>>>>,
}

impl FolderTables {
    /// Those of a folder, or else those of the folder `jewel-tables/ID` in the working directory.
    pub(crate) fn new(folder: Option<PathBuf>) -> FolderTables {
        FolderTables { folder, known: Mutex::default() }
    }

    /// The folder of a game's tables, if it is there.
    pub(crate) fn folder_of(&self, game: AnyGame) -> Option<PathBuf> {
        let id = game.rules().ok()?.id.clone();
        // The id of a stranger's file is no path.
        let plain = id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        if !plain {
            return None;
        }
        match &self.folder {
            Some(folder) => [folder.join(&id), folder.clone()].into_iter().find(|folder| folder.is_dir()),
            None => Some(PathBuf::from("jewel-tables").join(&id)).filter(|folder| folder.is_dir()),
        }
    }

    /// The tables of a game, opened once.
    pub(crate) fn of(&self, game: AnyGame) -> Option<Arc<OpenTables>> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let key = game.fingerprint();
        if let Some(tables) = known().get(&key) {
            return tables.clone();
        }
        let open = || {
            let rules = game.rules().ok()?;
            let which = WhichGame { game: Some(rules.id.clone()), variant: None };
            let folder = self.folder_of(game)?;
            // Tables of another game, or damaged ones, are none.
            TableFolder::new(&which, rules, Some(&folder)).open(rules).ok().map(Arc::new)
        };
        let tables = open();
        let mut known = known();
        if known.len() >= MAX_GAMES {
            known.clear();
        }
        known.insert(key, tables.clone());
        tables
    }
}

impl TableSource for FolderTables {
    fn best_play(&self, game: AnyGame, place: &Place) -> Result<Option<BestPlay>> {
        let Some(tables) = self.of(game) else { return Ok(None) };
        let Ok(rules) = game.rules() else { return Ok(None) };
        let Some(game) = TableGame::new(rules) else { return Ok(None) };
        let line = line(&game, place.fen.as_deref(), &place.moves)?;
        Ok(best_play(&game, line.position(), &tables).ok())
    }

    fn move_values(
        &self,
        game: AnyGame,
        _: &Place,
        engine: &mut dyn Engine,
    ) -> Result<Vec<(String, Option<Value>)>> {
        if let Some(folder) = self.folder_of(game).filter(|_| self.of(game).is_some()) {
            engine.use_tables(Some(&folder))?;
        }
        move_values(engine)
    }
}
