//! The games of variant files.

use crate::options::Leaf;
use crate::playable::{Glance, Playable, SharedTables};
use crate::proofs::{Files, NamedLeaves, has_tables, with_files};
use crate::support::words::reason;
use crate::tuned_files::{evaluation_with_net, evaluation_with_weights, own_evaluation};
use anyhow::{Result, anyhow, bail};
use jewel_engine::ability::Game;
use jewel_engine::chesslike::{ChessGame, ChessLike, RuleSubset};
use jewel_engine::diagram::Diagram;
use jewel_engine::race::Race;
use jewel_engine::variant::Rules;
use jewel_search::alphabeta::SearchParams;
use jewel_search::evaluate::Evaluation;
use jewel_solver::dense::{DenseReader, FILE, LoadError};
use jewel_solver::proof::game::Leaves;
use jewel_solver::proof::header::NamedTable;
use jewel_solver::tablebase::{TableSet, Unsupported};
use jewel_tables::source::RegularFile;
use std::collections::BTreeSet;
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

    fn glance(&self) -> Option<Glance<ChessLike<'static, S, N>>> {
        let race = Race::new(self.rules())?;
        Some(Box::new(move |position| race.value(position)))
    }

    fn tables(&self, folder: &Path) -> Result<SharedTables<ChessLike<'static, S, N>>> {
        let own = folder.join(self.id());
        let folder = if own.is_dir() { &own } else { folder };
        let files = Files::of(folder)?;
        let rules = self.rules();
        let Some(first) = files.first() else { return endgame_tables(rules, folder) };
        // Such files may stand alone.
        let tables = has_tables(folder).then(|| endgame_tables(rules, folder)).transpose()?;
        if !rules.endless_is_draw() {
            bail!("{}: {}", first.display(), Unsupported::Repetition);
        }
        let named = |names: &[NamedTable]| -> Result<Box<dyn Leaves>> {
            let leaves = NamedLeaves::new(TableSet::open(rules, folder)?, *self);
            leaves.compare(names)?;
            Ok(Box::new(leaves))
        };
        with_files(self, rules.fingerprint, tables, &files, &named)
    }
}

/// The endgame tables of a folder.
fn endgame_tables<S: RuleSubset, const N: usize>(
    rules: &'static Rules,
    folder: &Path,
) -> Result<SharedTables<ChessLike<'static, S, N>>> {
    if rules.hand.is_some() {
        return Ok(Arc::new(one_table(rules, &folder.join(FILE))?));
    }
    Ok(Arc::new(TableSet::open(rules, folder)?))
}

/// The table of a game with pieces in hand, once it is solved.
fn one_table(rules: &'static Rules, path: &Path) -> Result<DenseReader<'static>> {
    let opened = RegularFile::open(path).map_err(LoadError::from);
    opened.and_then(|file| DenseReader::open(rules, Box::new(file))).map_err(|error| {
        let name = path.display();
        match error {
            LoadError::Io(error) => anyhow!("{name}: {}", reason(&error)),
            LoadError::Unfinished => anyhow!("{name}: {error}: go on with jewel tables build"),
            other => anyhow!("{name}: {other}"),
        }
    })
}
