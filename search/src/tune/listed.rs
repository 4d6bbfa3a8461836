//! Fits the weights of games without a variant file.

use super::linear::{Regularization, Row, strongest_gain};
use super::{Sample, error};
use crate::evaluate::Tunable;
use jewel_engine::parallel;
use jewel_engine::position::Position;
use std::f64::consts::LN_10;

/// How much a weight is raised to find out how often it counts: enough for rounding not to matter.
const GRAIN: i32 = 64;

/// Fits the weights of a [`Tunable`] evaluation.
#[derive(Clone, Debug)]
pub struct ListedFit<E> {
    /// The initial evaluation, towards whose weights the fitted ones are regularized.
    beginning: E,
    /// Centipawns at which odds are ten to one.
    scale: f64,
}

/// The result of a round.
#[derive(Clone, PartialEq, Debug)]
pub struct ListedProgress {
    /// The new values, in the order of the evaluation's weights.
    pub values: Vec<i32>,
    /// The strength of the regularization that predicted the held-out games best.
    pub strength: f64,
}

impl<E: Send + Sync> ListedFit<E> {
    /// Begins with the weights of an evaluation.
    pub fn new(beginning: E, scale: f64) -> ListedFit<E> {
        ListedFit { beginning, scale }
    }

    /// The error of an evaluation as a prediction of the results of samples: see [`error`].
    pub fn error<P: Position>(&self, evaluation: &E, samples: &[Sample<P>]) -> f64
    where
        E: Tunable<P>,
    {
        error(evaluation, samples, self.scale)
    }

    /// One round: the evaluation is linearized around its weights, and the weights are found that make the results of
    /// `fitted` most likely. The strength of the regularization is the one that predicts `held` best. `None` if
    /// `stopped` returned `true` first.
    pub fn round<P: Position>(
        &self,
        evaluation: &E,
        fitted: &[Sample<P>],
        held: &[Sample<P>],
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Option<ListedProgress>
    where
        E: Tunable<P>,
    {
        let weights = evaluation.weights();
        let values: Vec<i32> = weights.iter().map(|weight| weight.value).collect();
        let probes: Vec<E> = (0..values.len())
            .map(|n| {
                let mut values = values.clone();
                values[n] += GRAIN;
                evaluation.with_values(&values)
            })
            .collect();
        let now: Vec<f64> = values.iter().copied().map(f64::from).collect();
        let rows = |samples: &[Sample<P>]| -> Option<Vec<Row>> {
            let row = |n: usize| {
                if stopped() { Err(()) } else { Ok(self.row(evaluation, &probes, &now, &samples[n])) }
            };
            parallel::try_map(samples.len(), row).ok()
        };
        let (fitted, held) = (rows(fitted)?, rows(held)?);
        let beginning = self.beginning.weights();
        let regularization = Regularization {
            rest: beginning.iter().map(|weight| f64::from(weight.value)).collect(),
            reach: beginning.iter().map(|weight| f64::from(weight.reach.max(1))).collect(),
            strength: 0.0,
        };
        let (at, strength) = strongest_gain(regularization, &fitted, &held, now, stopped)?;
        Some(ListedProgress { values: at.iter().map(|weight| weight.round() as i32).collect(), strength })
    }

    /// The row of a sample in the regression.
    fn row<P: Position>(&self, evaluation: &E, probes: &[E], now: &[f64], sample: &Sample<P>) -> Row
    where
        E: Tunable<P>,
    {
        let unit = LN_10 / self.scale;
        let value = evaluation.evaluate_afresh(&sample.position);
        let mut row = Row { offset: unit * f64::from(value), entries: Vec::new(), target: sample.target() };
        for (n, probe) in probes.iter().enumerate() {
            let raised = probe.evaluate_afresh(&sample.position) - value;
            if raised != 0 {
                let factor = (unit * f64::from(raised) / f64::from(GRAIN)) as f32;
                row.offset -= f64::from(factor) * now[n];
                row.entries.push((n as u16, factor));
            }
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Played, SelfPlay, best_scale};
    use super::*;
    use crate::evaluate::CrystalEvaluation;
    use jewel_engine::crystal::CrystalGame;

    #[test]
    fn weights_that_were_spoilt_are_found_again() {
        let game = CrystalGame::with_parameters("tiers=3,molecules=2,tokens=4").unwrap();
        let good = CrystalEvaluation::new(game.lattice());
        let play = SelfPlay { nodes: 60, careless: 6, kept: 8, ..SelfPlay::default() };
        let mut samples = Vec::new();
        for number in 0..60 {
            let Played { verdict, positions, .. } = play.play(&game, &good, number).unwrap();
            samples.extend(positions.into_iter().map(|position| Sample::new(position, verdict)));
        }
        let (held, fitted) = samples.split_at(samples.len() / 8);
        assert!(fitted.len() > 150, "{}", fitted.len());
        // Electrons that prefer to stay at home.
        let spoilt = good.with_values(&[3]);
        let fit = ListedFit::new(spoilt.clone(), best_scale(&good, fitted));
        let progress = fit.round(&spoilt, fitted, held, &|| false).unwrap();
        let fitted_well = spoilt.with_values(&progress.values);
        assert!(progress.values[0] < -3, "{progress:?}");
        assert!(fit.error(&fitted_well, held) < fit.error(&spoilt, held));
        assert_eq!(fit.round(&spoilt, fitted, held, &|| true), None);
    }
}
