//! Fits the constants of the derivation: one set of numbers for many games at once.

use super::linear::{Regularization, Row, strongest_gain};
use super::{Sample, best_scale};
use crate::evaluate::{Constants, HandcraftedEvaluation, Weights};
use jewel_engine::parallel;
use jewel_engine::tactics::Pieces;
use jewel_engine::variant::Rules;
use std::f64::consts::LN_10;

/// Weights are derived in this part of a centipawn, so that small changes of constants show in whole numbers.
const UNIT: i32 = 32;

/// By how much of its reach a constant is changed to see what follows.
const PROBE: f64 = 0.25;

/// A round of the fit: rows of samples of many games, linearized around constants.
#[derive(Clone, Debug)]
pub struct ConstantsFit {
    now: Constants,
    fitted: Vec<Row>,
    held: Vec<Row>,
}

impl ConstantsFit {
    /// Begins a round.
    pub fn new(now: Constants) -> ConstantsFit {
        ConstantsFit { now, fitted: Vec::new(), held: Vec::new() }
    }

    /// The scale at which the evaluation by some constants predicts the results of a game best: the centipawns at which
    /// odds are ten to one.
    pub fn scale<P: Pieces>(rules: &Rules, constants: &Constants, samples: &[Sample<P>]) -> f64 {
        let evaluation = HandcraftedEvaluation::compile(rules, &Weights::derived_by(rules, constants, 1), 1);
        best_scale(&evaluation, samples)
    }

    /// Adds the samples of a game. Those of games that are held back are not fitted: they decide how far the others are
    /// trusted.
    pub fn add<P: Pieces>(&mut self, rules: &Rules, samples: &[Sample<P>], scale: f64, held: bool) {
        let evaluation = |constants: &Constants| {
            HandcraftedEvaluation::compile(rules, &Weights::derived_by(rules, constants, UNIT), UNIT)
        };
        let base = evaluation(&self.now);
        let list = self.now.list();
        let values: Vec<f64> = list.iter().map(|constant| constant.value).collect();
        let probe = |n: usize| {
            let mut values = values.clone();
            // Whole steps where only whole numbers count.
            let step = if list[n].whole() { 1.0 } else { PROBE * list[n].reach };
            values[n] += step;
            (evaluation(&self.now.with(&values)), step)
        };
        let probes = parallel::map(values.len(), probe);
        let unit = LN_10 / scale / f64::from(UNIT);
        let row = |n: usize| {
            let sample = &samples[n];
            let here = base.parts(&sample.position).value();
            let mut row = Row { offset: unit * here, entries: Vec::new(), target: sample.lesson() };
            for (n, (evaluation, step)) in probes.iter().enumerate() {
                let there = evaluation.parts(&sample.position).value();
                let factor = (unit * (there - here) / step) as f32;
                if factor != 0.0 {
                    row.offset -= f64::from(factor) * values[n];
                    row.entries.push((n as u16, factor));
                }
            }
            row
        };
        let rows: Vec<Row> = parallel::map(samples.len(), row);
        if held { self.held.extend(rows) } else { self.fitted.extend(rows) }
    }

    /// The constants that make the results most likely, drawn towards `rest`; the strength of the pull is the one that
    /// predicts the games held back best, and is returned too.
    pub fn solve(&self, rest: &Constants) -> (Constants, f64) {
        let values = |constants: &Constants| constants.list().iter().map(|c| c.value).collect::<Vec<f64>>();
        let reach = self.now.list().iter().map(|c| c.reach).collect();
        let regularization = Regularization { rest: values(rest), reach, strength: 0.0 };
        let found = strongest_gain(regularization, &self.fitted, &self.held, values(&self.now), &|| false);
        match found {
            Some((at, strength)) => (self.now.with(&at), strength),
            None => unreachable!("nothing stops it"),
        }
    }

    /// The mean cross-entropy of the samples fitted and of those held back, in nats, with the constants of this round.
    pub fn errors(&self) -> (f64, f64) {
        let at: Vec<f64> = self.now.list().iter().map(|c| c.value).collect();
        (super::linear::loss(&self.fitted, &at), super::linear::loss(&self.held, &at))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Played, SelfPlay};
    use super::*;
    use jewel_engine::ability::Game;
    use jewel_engine::chesslike::{Chess, ChessGame};

    #[test]
    fn rows_foretell_what_other_constants_foretell() {
        let rules = jewel_engine::games::find("diamond-chess").unwrap().rules();
        let game = ChessGame::<Chess, 8>::new(rules).unwrap();
        let play = SelfPlay { nodes: 60, careless: 6, kept: 12, ..SelfPlay::default() };
        let evaluation = HandcraftedEvaluation::derived(game.start().rules());
        let mut samples = Vec::new();
        for number in 0..48 {
            let Played { verdict, positions, .. } = play.play(&game, &evaluation, number).unwrap();
            samples.extend(positions.into_iter().map(|position| Sample::new(position, verdict)));
        }
        let (held, fitted) = samples.split_at(samples.len() / 6);
        assert!(fitted.len() > 300, "{}", fitted.len());
        let scale = ConstantsFit::scale(rules, &Constants::FITTED, fitted);
        let round = |now: Constants| {
            let mut fit = ConstantsFit::new(now);
            fit.add(rules, fitted, scale, false);
            fit.add(rules, held, scale, true);
            fit
        };
        let good = round(Constants::FITTED);
        // What the evaluation itself makes of them.
        assert!((good.errors().0 - super::super::error(&evaluation, fitted, scale)).abs() < 0.002);
        // Undefended enemies as a weakness.
        let spoilt = Constants { hanging_opening: -500.0, hanging_endgame: -500.0, ..Constants::FITTED };
        let bad = round(spoilt);
        let values: Vec<f64> = Constants::FITTED.list().iter().map(|constant| constant.value).collect();
        let foretold = super::super::linear::loss(&bad.fitted, &values);
        assert!((bad.errors().0 - good.errors().0).abs() > 0.003, "{:?} {:?}", bad.errors(), good.errors());
        assert!((foretold - good.errors().0).abs() < 0.002, "{foretold} {:?}", good.errors());
        // Drawn to where they were, they get there.
        let (found, _) = bad.solve(&Constants::FITTED);
        assert!((found.hanging_opening - Constants::FITTED.hanging_opening).abs() < 10.0);
    }
}
