//! The endgame tables that the page looks values up in: those of a folder, opened when they are first asked for.

use super::place::Place;
use super::truth::{TableSource, line};
use crate::arguments::WhichGame;
use crate::best_play::BestPlay;
use crate::tables::dense::DenseJob;
use crate::tables::{OpenTables, TableFolder, TableGame, best_play};
use anyhow::Result;
use jewel_engine::value::Value;
use jewel_players::catalogue::AnyGame;
use jewel_players::engine::Engine;
use jewel_players::move_values::move_values;
use jewel_solver::dense::DenseReader;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Most games whose tables are remembered, or that they have none.
const MAX_GAMES: usize = 1000;

/// Tables in a folder, or in the game's folder in it.
pub(crate) struct FolderTables {
    folder: Option<PathBuf>,
    /// By the fingerprint of the game: its tables, if it has any.
    known: Mutex<HashMap<u64, Option<GameTables>>>,
}

/// The tables of a game.
#[derive(Clone)]
enum GameTables {
    Classes(Arc<OpenTables>),
    /// The one table of a game with pieces in hand.
    One(Arc<DenseReader<'static>>),
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

    /// The tables of the classes of a game.
    pub(crate) fn classes(&self, game: AnyGame) -> Option<Arc<OpenTables>> {
        match self.of(game)? {
            GameTables::Classes(tables) => Some(tables),
            GameTables::One(_) => None,
        }
    }

    /// The tables of a game, opened once.
    fn of(&self, game: AnyGame) -> Option<GameTables> {
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
            let place = TableFolder::new(&which, rules, Some(&folder));
            if rules.hand.is_some() {
                let table =
                    DenseJob::new(rules, &folder, 0, Duration::MAX).reader(&place.build_command(None));
                return table.ok().map(|table| GameTables::One(Arc::new(table)));
            }
            place.open(rules).ok().map(|tables| GameTables::Classes(Arc::new(tables)))
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
        Ok(match tables {
            GameTables::Classes(tables) => best_play(&game, line.position(), &tables).ok(),
            GameTables::One(table) => BestPlay::new(&game, line.position(), &*table).ok(),
        })
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

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::chesslike::AnyChessLike;
    use jewel_engine::position::list_moves;
    use jewel_engine::variant::Rules;
    use jewel_solver::dense::{DenseTable, FILE};
    use std::fs::{self, File};
    use std::sync::atomic::AtomicBool;

    #[test]
    fn the_one_table_of_a_game_with_hands_gives_values() {
        let text = "id = \"web-cub\"\nname = \"Cub\"\n[board]\nsize = \"3x3\"\nstart = \"clc/3/CLC[] w - - 0 1\"\n[[piece]]\n\
            letter = \"L\"\nmoves = \"K\"\nroyal = \"capture\"\n[[piece]]\nletter = \"C\"\nmoves = \"fW\"\n[hand]\n[key]\n\
            goals = { w = [\"rank 3\"], b = [\"rank 1\"] }\nobjective = \"try\"\neligible = \"L\"\n[end]\nstalemate = \"loss\"\n";
        let rules = Rules::parse(text).unwrap().leak();
        let mut table = DenseTable::new(rules, u64::MAX).unwrap();
        table.solve(&AtomicBool::new(false), &mut |_, _| true).unwrap();
        let folder = std::env::temp_dir().join(format!("jewel-web-{}", std::process::id()));
        let own = folder.join(&rules.id);
        fs::create_dir_all(&own).unwrap();
        table.save(&mut File::create(own.join(FILE)).unwrap()).unwrap();
        let tables = FolderTables::new(Some(folder.clone()));
        let game = AnyGame::Variant(rules);
        let start = AnyChessLike::from_fen(rules, &rules.start).unwrap();
        let place = || Place { game: None, variant: None, fen: None, moves: vec![] };
        let found = tables.best_play(game, &place()).unwrap().unwrap();
        assert_eq!(found.distance(), table.value(&start).unwrap().distance());
        let moves = tables.move_values(game, &place(), game.open().as_mut()).unwrap();
        assert!(moves.len() == list_moves(&start).len() && moves.iter().all(|(_, value)| value.is_some()));
        assert!(tables.classes(game).is_none());
        fs::remove_dir_all(&folder).unwrap();
    }
}
