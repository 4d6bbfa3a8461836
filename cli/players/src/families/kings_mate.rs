//! King's Mate and its expansions.

use crate::playable::{About, Playable, SharedTables};
use crate::proofs::of_coded_game;
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

    fn tables(&self, folder: &Path) -> Result<SharedTables<Self::Position>> {
        of_coded_game(self, folder)
    }

    fn about(&self) -> About {
        let aim = if R::DICE { "take the King" } else { "checkmate the King" };
        let also = if self.has_gambit() { " or bring a fool to his square" } else { "" };
        let summary = match (R::DICE, self.has_gambit(), self.has_defense()) {
            (true, ..) => "King's Mate with dice: every capture is an attack that hits 15 times in 36.",
            (false, true, true) => "King's Mate with the Fool's Gambit and the Defense of the Crown.",
            (false, true, false) => "King's Mate with the Fool's Gambit.",
            (false, false, true) => "King's Mate with the Defense of the Crown.",
            (false, false, false) => {
                "Chess with two swordmasters bonded to the King, who is safe while one of them lives."
            }
        };
        About { board: "7x9".to_string(), objective: format!("{aim}{also}"), summary: summary.to_string() }
    }
}
