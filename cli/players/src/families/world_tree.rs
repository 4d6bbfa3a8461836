//! The World Tree.

use crate::playable::{About, Playable, SharedTables};
use crate::proofs::of_coded_game;
use crate::tuned_files::with_weight_list;
use anyhow::Result;
use jewel_engine::ability::Game;
use jewel_engine::world_tree::WorldTreeGame;
use jewel_search::evaluate::WorldTreeEvaluation;
use std::path::Path;

impl Playable for WorldTreeGame {
    type Evaluation = WorldTreeEvaluation;

    fn evaluation(&self) -> WorldTreeEvaluation {
        WorldTreeEvaluation::default()
    }

    fn evaluation_with_weights(&self, weights: &Path) -> Result<WorldTreeEvaluation> {
        with_weight_list::<Self::Position, _>(self.id(), self.evaluation(), weights)
    }

    fn tables(&self, folder: &Path) -> Result<SharedTables<Self::Position>> {
        of_coded_game(self, folder)
    }

    fn about(&self) -> About {
        About {
            board: "8x8".to_string(),
            objective: "capture the town".to_string(),
            summary: "Turns of two moves or one attack, on the banks of a river that crosses the board."
                .to_string(),
        }
    }
}
