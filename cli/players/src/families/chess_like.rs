//! The games of variant files.

use crate::options::Leaf;
use crate::playable::{Playable, SharedTables};
use crate::tuned_files::{evaluation_with_net, evaluation_with_weights};
use anyhow::Result;
use jewel_engine::ability::Game;
use jewel_engine::chesslike::{ChessGame, ChessLike, RuleSubset};
use jewel_search::alphabeta::SearchParams;
use jewel_search::evaluate::Evaluation;
use jewel_solver::tablebase::TableSet;
use std::path::Path;
use std::sync::Arc;

impl<S: RuleSubset, const N: usize> Playable for ChessGame<'static, S, N> {
    type Evaluation = Evaluation;

    fn evaluation(&self) -> Evaluation {
        Evaluation::best(self.rules())
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

    fn evaluation_with_net(&self, net: &Path) -> Result<Evaluation> {
        evaluation_with_net(self.rules(), net)
    }

    fn tables(&self, folder: &Path) -> Result<SharedTables<ChessLike<'static, S, N>>> {
        let own = folder.join(self.id());
        Ok(Arc::new(TableSet::open(self.rules(), if own.is_dir() { &own } else { folder })?))
    }
}
