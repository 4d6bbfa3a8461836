//! King's Mate and its expansions.

use crate::playable::{About, Playable};
use crate::tuned_files::with_weight_list;
use anyhow::Result;
use jewel_engine::ability::Game;
use jewel_engine::kings_mate::{KingsMateGame, RuleSet};
use jewel_search::evaluate::KingsMateEvaluation;
use std::path::Path;

impl<R: RuleSet> Playable for KingsMateGame<R> {
    type Evaluation = KingsMateEvaluation;

    fn evaluation(&self) -> KingsMateEvaluation {
        KingsMateEvaluation::default()
    }

    fn evaluation_with_weights(&self, weights: &Path) -> Result<KingsMateEvaluation> {
        with_weight_list::<Self::Position, _>(self.id(), self.evaluation(), weights)
    }

    fn about(&self) -> About {
        let [objective, summary] = match R::ID {
            "kings-mate" => [
                "checkmate the King",
                "Chess with two swordmasters bonded to the King, who is safe while one of them lives.",
            ],
            "kings-mate-expanded" => [
                "checkmate the King or bring a fool to his square",
                "King's Mate with the Fool's Gambit and the Defense of the Crown.",
            ],
            _ => [
                "take the King or bring a fool to his square",
                "King's Mate with dice: every capture is an attack that hits 15 times in 36.",
            ],
        };
        About { board: "7x9".to_string(), objective: objective.to_string(), summary: summary.to_string() }
    }
}
