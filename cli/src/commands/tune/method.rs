//! How the two kinds of weights differ: those of variant files, and the lists of other games.

use super::state::Samples;
use anyhow::Result;
use jewel_engine::ability::{Game, Symmetric};
use jewel_engine::tactics::{Pieces, Tactics};
use jewel_search::evaluate::{Evaluate, Evaluation, HandcraftedEvaluation, Tunable, WeightList, Weights};
use jewel_search::tune::{Fit, ListedFit};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A kind of weights, and how they are fitted.
pub(super) trait Method<G: Game>: Sync
where
    G::Position: Tactics,
{
    /// The weights.
    type Weights: Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync;
    /// The evaluation that uses them.
    type Evaluation: Evaluate<G::Position>;

    /// Plies after which a game counts as drawn.
    const MAX_LENGTH: usize;

    /// The evaluation with these weights.
    ///
    /// # Errors
    /// If they are for another game.
    fn evaluation(&self, game: &G, weights: &Self::Weights) -> Result<Self::Evaluation>;

    /// One round of fitting: new weights, and how strongly they were pulled back; `None` if `stopped` ended it.
    ///
    /// # Errors
    /// If the weights are for another game.
    fn round(
        &self,
        game: &G,
        task: &Task<'_, Self::Weights>,
        samples: &Samples<G::Position>,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<(Self::Weights, f64)>>;

    /// The same weights, with the command that made them.
    fn made_by(weights: Self::Weights, command: &str) -> Self::Weights;

    /// The text of their file.
    fn text(weights: &Self::Weights) -> String;
}

/// The start of a round.
pub(super) struct Task<'a, W> {
    /// The weights to which others are pulled.
    pub(super) beginning: &'a W,
    /// The weights as they are.
    pub(super) now: &'a W,
    /// Centipawns on which odds are ten to one.
    pub(super) scale: f64,
}

/// For games of variant files: the weights follow from the rules, and squares share them by symmetry.
pub(super) struct ByRules;

impl<G: Game> Method<G> for ByRules
where
    G::Position: Pieces + Symmetric,
{
    type Weights = Weights;
    type Evaluation = Evaluation;

    const MAX_LENGTH: usize = 200;

    fn evaluation(&self, game: &G, weights: &Weights) -> Result<Evaluation> {
        Ok(HandcraftedEvaluation::new(game.start().rules(), weights)?.into())
    }

    fn round(
        &self,
        game: &G,
        task: &Task<'_, Weights>,
        samples: &Samples<G::Position>,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<(Weights, f64)>> {
        let start = game.start();
        let fit = Fit::new(start.rules(), &start.symmetries(), task.beginning, task.scale)?;
        let progress = fit.round(task.now, &samples.fitted, &samples.held, stopped)?;
        Ok(progress.map(|progress| (progress.weights, progress.strength)))
    }

    fn made_by(weights: Weights, command: &str) -> Weights {
        Weights { origin: command.to_string(), ..weights }
    }

    fn text(weights: &Weights) -> String {
        weights.to_text()
    }
}

/// For all other games: the evaluation lists its weights.
pub(super) struct ByList<E>(pub(super) E);

impl<G: Game, E: Tunable<G::Position>> Method<G> for ByList<E>
where
    G::Position: Tactics,
{
    type Weights = WeightList;
    type Evaluation = E;

    const MAX_LENGTH: usize = 400;

    fn evaluation(&self, game: &G, weights: &WeightList) -> Result<E> {
        Ok(self.0.with_values(&weights.values(game.id(), &self.0.weights())?))
    }

    fn round(
        &self,
        game: &G,
        task: &Task<'_, WeightList>,
        samples: &Samples<G::Position>,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<(WeightList, f64)>> {
        let fit = ListedFit::new(self.evaluation(game, task.beginning)?, task.scale);
        let now = self.evaluation(game, task.now)?;
        let progress = fit.round(&now, &samples.fitted, &samples.held, stopped);
        Ok(progress.map(|progress| {
            let weights = now.with_values(&progress.values).weights();
            (WeightList::new(game.id(), "", &weights), progress.strength)
        }))
    }

    fn made_by(weights: WeightList, command: &str) -> WeightList {
        WeightList { origin: command.to_string(), ..weights }
    }

    fn text(weights: &WeightList) -> String {
        weights.to_text()
    }
}
