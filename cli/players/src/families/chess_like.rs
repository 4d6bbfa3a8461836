//! The games of variant files.

use crate::options::Leaf;
use crate::playable::{Glance, Playable, SharedTables};
use crate::support::memory::limit;
use crate::support::words::reason;
use crate::tuned_files::{evaluation_with_net, evaluation_with_weights, own_evaluation};
use anyhow::{Result, anyhow, ensure};
use jewel_engine::ability::Game;
use jewel_engine::chesslike::{ChessGame, ChessLike, RuleSubset};
use jewel_engine::diagram::Diagram;
use jewel_engine::variant::Rules;
use jewel_engine::race::Race;
use jewel_search::alphabeta::SearchParams;
use jewel_search::evaluate::Evaluation;
use jewel_solver::dense::{DenseTable, FILE};
use jewel_solver::tablebase::TableSet;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

impl<S: RuleSubset, const N: usize> Playable for ChessGame<'static, S, N> {
    type Evaluation = Evaluation;

    fn evaluation(&self) -> Evaluation {
        own_evaluation(self.rules())
    }

    fn evaluation_with_weights(&self, weights: &Path) -> Result<Evaluation> {
        evaluation_with_weights(self.rules(), weights)
    }

    fn params(&self) -> SearchParams {
        SearchParams::best(self.rules())
    }

    fn leaf(&self) -> Leaf {
        Leaf::Searched(1)
    }

    fn minimax(&self) -> u32 {
        70
    }

    fn name_promoted(&self, diagram: &mut Diagram, moves: &[String]) {
        let rules = self.rules();
        if rules.pieces.iter().all(|piece| piece.promoted_names.is_none()) {
            return;
        }
        let mut promoted = BTreeSet::new();
        for mv in moves {
            // Origin, target and the letter of a promotion; a Tower that castles is not promoted.
            let Some((Ok(from), rest)) = rules.geometry.split_square(mv) else { continue };
            let Some((Ok(to), letter)) = rules.geometry.split_square(rest) else { continue };
            let moved = promoted.remove(&from);
            promoted.remove(&to);
            if moved || !letter.is_empty() {
                promoted.insert(to);
            }
        }
        for square in promoted {
            let Some(piece) = diagram.cells.get_mut(square.index()).and_then(|cell| cell.piece.as_mut())
            else {
                continue;
            };
            let kind = rules.pieces.iter().find(|kind| kind.letter == piece.letter.to_ascii_uppercase());
            if let Some((kind, names)) = kind.and_then(|kind| Some((kind, kind.promoted_names.as_ref()?))) {
                piece.name.clone_from(&names[piece.side.index()]);
                piece.abbreviation.clone_from(&kind.promoted_abbreviations[piece.side.index()]);
            }
        }
    }

    fn evaluation_with_net(&self, net: &Path) -> Result<Evaluation> {
        evaluation_with_net(self.rules(), net)
    }

    fn tables(&self, folder: &Path) -> Result<SharedTables<ChessLike<'static, S, N>>> {
        let own = folder.join(self.id());
        let folder = if own.is_dir() { &own } else { folder };
    fn glance(&self) -> Option<Glance<ChessLike<'static, S, N>>> {
        let race = Race::new(self.rules())?;
        Some(Box::new(move |position| race.value(position)))
    }

        if self.rules().hand.is_some() {
            return Ok(Arc::new(one_table(self.rules(), &folder.join(FILE))?));
        }
        Ok(Arc::new(TableSet::open(self.rules(), folder)?))
    }
}

/// The table of a game with pieces in hand, once it is solved.
fn one_table(rules: &'static Rules, path: &Path) -> Result<DenseTable<'static>> {
    let name = path.display();
    let file = File::open(path).map_err(|error| anyhow!("{name}: {}", reason(&error)))?;
    let mut file = BufReader::with_capacity(1 << 20, file);
    let table =
        DenseTable::load(rules, limit(None), &mut file).map_err(|error| anyhow!("{name}: {error}"))?;
    ensure!(table.is_solved(), "{name}: the table is not finished: go on with jewel tables build");
    Ok(table)
}
