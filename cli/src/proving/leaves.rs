//! The tables that a proof ends in.

use crate::tables::{TableFolder, TableGame, TablePosition, report::sha256};
use anyhow::{Result, bail};
use jewel_engine::ability::{Game, Probe};
use jewel_engine::value::Value;
use jewel_engine::variant::Rules;
use jewel_solver::proof::game::Leaves;
use jewel_solver::proof::header::NamedTable;
use jewel_solver::tablebase::TableSet;
use std::path::Path;

/// Open tables, asked by position strings.
pub(super) struct NamedLeaves {
    set: TableSet<'static>,
    game: TableGame,
}

impl NamedLeaves {
    pub(super) fn open(folder: &TableFolder, rules: &'static Rules) -> Result<NamedLeaves> {
        Ok(NamedLeaves { set: folder.open(rules)?.set, game: TableGame::from_any(rules) })
    }

    /// The tables with the checksums of their files, by name.
    pub(super) fn named(&self) -> Result<Vec<NamedTable>> {
        let table = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Ok(NamedTable { sha256: sha256(path)?, name })
        };
        self.set.tables().iter().map(|open| table(Path::new(open.name()))).collect()
    }

    /// Whether these are the tables of a proof, no more and no less.
    pub(super) fn compare(&self, named: &[NamedTable]) -> Result<()> {
        let here = self.named()?;
        for table in named {
            match here.iter().find(|other| other.name == table.name) {
                None => bail!("the proof ends in the table {}, which is not in the folder", table.name),
                Some(other) if !other.sha256.eq_ignore_ascii_case(&table.sha256) => {
                    bail!("{}: its SHA-256 is not the one that the proof names", table.name)
                }
                _ => {}
            }
        }
        if let Some(more) = here.iter().find(|table| named.iter().all(|other| other.name != table.name)) {
            bail!("the folder has the table {}, which the proof does not name: move it elsewhere", more.name);
        }
        Ok(())
    }
}

impl Leaves for NamedLeaves {
    fn value(&self, position: &str) -> Option<Value> {
        let position: TablePosition = self.game.parse_position(position).ok()?;
        Probe::probe(&self.set, &position)
    }
}
