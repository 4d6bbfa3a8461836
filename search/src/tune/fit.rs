//! Fits the weights of the handcrafted evaluation, round after round.

use super::linear::{Regularization, Row, strongest_gain};
use super::{Sample, error};
use crate::evaluate::{EvaluationParts, HandcraftedEvaluation, Pair, Term, Weights, WeightsError};
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::parallel;
use jewel_engine::symmetry::Symmetry;
use jewel_engine::tactics::Pieces;
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;
use std::collections::BTreeMap;
use std::f64::consts::LN_10;

/// Fits the weights of one game.
#[derive(Clone, Debug)]
pub struct Fit<'r> {
    rules: &'r Rules,
    classes: Vec<Class>,
    /// The initial weights, by class.
    rest: Vec<Pair>,
    /// Centipawns at which odds are ten to one.
    scale: f64,
}

/// Pairs of weights that are equal because the game is symmetric.
#[derive(Clone, Debug)]
struct Class {
    term: Term,
    /// Places in the list of terms.
    members: Vec<usize>,
    /// For squares: those of the class, by side.
    squares: [Bitboard; 2],
}

/// The result of a round.
#[derive(Clone, PartialEq, Debug)]
pub struct Progress {
    /// The new weights.
    pub weights: Weights,
    /// The strength of the regularization that predicted the held-out games best.
    pub strength: f64,
}

impl<'r> Fit<'r> {
    /// Begins with some weights, towards which the fitted ones are regularized. The fitted weights keep the game's
    /// symmetries, with and without an exchange of the sides.
    ///
    /// # Errors
    /// If the weights are for another game.
    pub fn new(
        rules: &'r Rules,
        symmetries: &[(Symmetry, bool)],
        weights: &Weights,
        scale: f64,
    ) -> Result<Fit<'r>, WeightsError> {
        weights.check(rules)?;
        let mut weights = weights.clone();
        let classes = classes(rules, symmetries, &mut weights);
        let rest = pairs(&classes, &mut weights);
        Ok(Fit { rules, classes, rest, scale })
    }

    /// One round: the evaluation is linearized around the weights as they are (it is linear but for the phase and the
    /// attacks on royal pieces), and the weights are found that make the results of `fitted` most likely. The strength
    /// of the regularization is the one that predicts `held` best. `None` if `stopped` returned `true` first.
    ///
    /// # Errors
    /// If the weights are for another game.
    pub fn round<P: Pieces>(
        &self,
        weights: &Weights,
        fitted: &[Sample<P>],
        held: &[Sample<P>],
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Progress>, WeightsError> {
        weights.check(self.rules)?;
        let mut weights = weights.clone();
        let now: Vec<f64> = flat(&pairs(&self.classes, &mut weights));
        let probes = self.probes(&weights)?;
        let base = HandcraftedEvaluation::new(self.rules, &weights)?;
        let rows = |samples: &[Sample<P>]| -> Option<Vec<Row>> {
            let row =
                |n: usize| if stopped() { Err(()) } else { Ok(self.row(&base, &probes, &now, &samples[n])) };
            parallel::try_map(samples.len(), row).ok()
        };
        let (Some(fitted), Some(held)) = (rows(fitted), rows(held)) else { return Ok(None) };
        let reach = self.classes.iter().flat_map(|class| [reach(class.term); 2]).collect();
        let regularization = Regularization { rest: flat(&self.rest), reach, strength: 0.0 };
        let Some((at, strength)) = strongest_gain(regularization, &fitted, &held, now, stopped) else {
            return Ok(None);
        };
        for (class, pair) in self.classes.iter().zip(at.chunks_exact(2)) {
            let mut terms = weights.terms_mut();
            for &member in &class.members {
                *terms[member].1 = [pair[0].round() as i32, pair[1].round() as i32];
            }
        }
        Ok(Some(Progress { weights, strength }))
    }

    /// The error of weights as a prediction of the results of samples: see [`error`].
    ///
    /// # Errors
    /// If the weights are for another game.
    pub fn error<P: Pieces>(&self, weights: &Weights, samples: &[Sample<P>]) -> Result<f64, WeightsError> {
        Ok(error(&HandcraftedEvaluation::new(self.rules, weights)?, samples, self.scale))
    }

    /// For each class, the evaluation with its weights raised by one.
    fn probes(&self, weights: &Weights) -> Result<Vec<HandcraftedEvaluation>, WeightsError> {
        let probe = |class: &Class| {
            let mut weights = weights.clone();
            let mut terms = weights.terms_mut();
            for &member in &class.members {
                let pair = &mut *terms[member].1;
                *pair = pair.map(|weight| weight + grain(class.term));
            }
            HandcraftedEvaluation::new(self.rules, &weights)
        };
        self.classes.iter().map(probe).collect()
    }

    /// The row of a sample in the regression.
    fn row<P: Pieces>(
        &self,
        base: &HandcraftedEvaluation,
        probes: &[HandcraftedEvaluation],
        now: &[f64],
        sample: &Sample<P>,
    ) -> Row {
        let position = &sample.position;
        let parts = base.parts(position);
        let EvaluationParts { share, endgame_share, damping, .. } = parts;
        let unit = LN_10 / self.scale;
        let mut row = Row { offset: unit * parts.value(), entries: Vec::new(), target: sample.target() };
        for (n, (class, probe)) in self.classes.iter().zip(probes).enumerate() {
            if !class.concerns(position) {
                continue;
            }
            let grain = f64::from(grain(class.term));
            let probed = probe.parts(position);
            let times =
                [(share, probed.opening - parts.opening), (endgame_share, probed.endgame - parts.endgame)];
            let factors = times.map(|(part, raised)| unit * damping * part * f64::from(raised) / grain);
            for (half, factor) in factors.into_iter().enumerate().filter(|(_, factor)| *factor != 0.0) {
                row.offset -= f64::from(factor as f32) * now[2 * n + half];
                row.entries.push(((2 * n + half) as u16, factor as f32));
            }
        }
        row
    }
}

impl Class {
    /// Whether the weights can count in a position: a cheap test that rules out most squares.
    fn concerns<P: Pieces>(&self, position: &P) -> bool {
        let Term::Square(kind, _) = self.term else { return true };
        Side::BOTH
            .iter()
            .any(|&side| (position.pieces_of_kind(side, kind) & self.squares[side.index()]).any())
    }
}

/// How much a weight is raised to find out how often it counts: some are in 1/64.
fn grain(term: Term) -> i32 {
    match term {
        Term::Danger | Term::PassedFree | Term::PassedSafe | Term::PassedChase | Term::PassedEscort => 64,
        _ => 1,
    }
}

/// How far a derived weight may be off, in centipawns: a judgement.
fn reach(term: Term) -> f64 {
    match term {
        Term::Material(_) | Term::Hand(_) => 80.0,
        Term::Mobility(_) => 3.0,
        Term::Square(..) => 15.0,
        Term::KeyDistance(..) | Term::Passed(_) => 25.0,
        Term::Supported | Term::Doubled | Term::Danger | Term::BlockedLine | Term::Tempo => 10.0,
        Term::Cramped(_) | Term::ColourPair | Term::Isolated | Term::Phalanx | Term::Backward => 10.0,
        Term::PassedFree | Term::PassedSafe | Term::PassedChase | Term::PassedEscort => 10.0,
        Term::Shelter | Term::Exposed | Term::BareFile | Term::Hunt => 10.0,
        Term::Outpost | Term::HalfOpen | Term::Open => 10.0,
        Term::Storm | Term::Contested | Term::Space | Term::SameColour => 4.0,
        Term::ByPawn | Term::ByLesser | Term::ByStep | Term::Hanging | Term::Outnumbered => 15.0,
        Term::ByPawnWorth | Term::ByLesserWorth => 10.0,
        Term::Control => 15.0,
        Term::Threat | Term::Hopes | Term::Arrival(_) => 60.0,
        Term::Remaining(_) => 100.0,
        Term::Winning => 120.0,
    }
}

fn flat(pairs: &[Pair]) -> Vec<f64> {
    pairs.iter().flatten().map(|&weight| f64::from(weight)).collect()
}

/// The weights by class.
fn pairs(classes: &[Class], weights: &mut Weights) -> Vec<Pair> {
    let terms = weights.terms_mut();
    classes.iter().map(|class| *terms[class.members[0]].1).collect()
}

fn classes(rules: &Rules, symmetries: &[(Symmetry, bool)], weights: &mut Weights) -> Vec<Class> {
    let mut classes: BTreeMap<Term, Class> = BTreeMap::new();
    for (place, (term, _)) in weights.terms_mut().into_iter().enumerate() {
        let first = match term {
            Term::Square(kind, square) => Term::Square(kind, first_image(rules, symmetries, square)),
            other => other,
        };
        let empty = Class { term: first, members: Vec::new(), squares: [Bitboard::EMPTY; 2] };
        let class = classes.entry(first).or_insert(empty);
        class.members.push(place);
        if let Term::Square(_, square) = term {
            class.squares[0] |= Square::new(square).bit();
            class.squares[1] |= opposite(rules, Square::new(square)).bit();
        }
    }
    classes.into_values().collect()
}

/// The first of the squares that symmetries carry a square to, as its owner sees it.
fn first_image(rules: &Rules, symmetries: &[(Symmetry, bool)], square: u8) -> u8 {
    let image = |&(symmetry, exchange): &(Symmetry, bool)| {
        let image = symmetry.square(rules.geometry, Square::new(square));
        if exchange { opposite(rules, image).index() } else { image.index() }
    };
    symmetries.iter().map(image).min().map_or(square, |least| least as u8)
}

/// The square as the other side sees it.
fn opposite(rules: &Rules, square: Square) -> Square {
    let mirror = Symmetry { mirror_ranks: true, ..Symmetry::IDENTITY };
    mirror.square(rules.geometry, square)
}
