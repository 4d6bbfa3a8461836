//! Crystal Draughts.

use crate::playable::{About, Playable, SharedTables};
use crate::proofs::of_coded_game;
use crate::tuned_files::with_weight_list;
use anyhow::Result;
use jewel_engine::ability::Game;
use jewel_engine::crystal::CrystalGame;
use jewel_search::evaluate::CrystalEvaluation;
use std::path::Path;

impl Playable for CrystalGame {
    type Evaluation = CrystalEvaluation;

    fn evaluation(&self) -> CrystalEvaluation {
        CrystalEvaluation::new(self.lattice())
    }

    /// Decision D3 of docs/rules.md.
    fn usual_cap(&self) -> Option<usize> {
        Some(400)
    }

    fn evaluation_with_weights(&self, weights: &Path) -> Result<CrystalEvaluation> {
        with_weight_list::<Self::Position, _>(self.id(), self.evaluation(), weights)
    }

    fn tables(&self, folder: &Path) -> Result<SharedTables<Self::Position>> {
        of_coded_game(self, folder)
    }

    fn about(&self) -> About {
        About {
            board: format!("{} atoms", self.lattice().atoms()),
            objective: "fill the far tier".to_string(),
            summary: "A race over the paths of a crystal, by steps and chains of jumps.".to_string(),
        }
    }
}
