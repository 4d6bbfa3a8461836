//! Crystal Draughts.

use crate::playable::{About, Playable};
use jewel_engine::crystal::CrystalGame;
use jewel_search::evaluate::CrystalEvaluation;

impl Playable for CrystalGame {
    type Evaluation = CrystalEvaluation;

    fn evaluation(&self) -> CrystalEvaluation {
        CrystalEvaluation::new(self.lattice())
    }

    fn about(&self) -> About {
        About {
            board: format!("{} atoms", self.lattice().atoms()),
            objective: "fill the far tier".to_string(),
            summary: "A race over the paths of a crystal, by steps and chains of jumps.".to_string(),
        }
    }
}
