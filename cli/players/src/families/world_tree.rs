//! The World Tree.

use crate::playable::{About, Playable};
use jewel_engine::world_tree::WorldTreeGame;
use jewel_search::evaluate::WorldTreeEvaluation;

impl Playable for WorldTreeGame {
    type Evaluation = WorldTreeEvaluation;

    fn evaluation(&self) -> WorldTreeEvaluation {
        WorldTreeEvaluation::default()
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
