//! Fits the weights of a network by mini-batches and steps of Adam (D. P. Kingma and J. Ba, "Adam: A Method for
//! Stochastic Optimization", 2015).

use super::model::{Model, Row, Seen};
use super::samples::{Sample, Samples, target};
use super::shared::Shared;
use crate::evaluate::Evaluation;
use crate::evaluate::net::{Features, Net, WIDTH};
use crate::tune::surprise;
use jewel_engine::parallel;
use jewel_engine::random::Random;
use jewel_engine::symmetry::Symmetry;
use jewel_engine::variant::Rules;

/// How a net is fitted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fitting {
    /// Passes over all samples.
    pub epochs: u32,
    /// The share of the search's score in the target, from 0 to 1; the rest is the game's result.
    pub trust: f64,
    /// The initial learning rate; it falls to zero along a cosine.
    pub rate: f64,
    /// The weight decay at a learning rate of one (I. Loshchilov and F. Hutter, "Decoupled Weight Decay Regularization",
    /// 2019), which keeps weights small that few positions need.
    pub decay: f64,
    /// Samples in a mini-batch.
    pub batch: usize,
    /// The seed of all random choices.
    pub seed: u64,
    /// Whether the net learns what is to be added to the handcrafted evaluation, and not all by itself. Then pieces and
    /// squares share a part of their rows, whose weights decay a tenth as fast. It begins with the network for every game where
    /// there is one, and its weights decay towards that.
    pub added: bool,
}

impl Default for Fitting {
    fn default() -> Fitting {
        Fitting { epochs: 20, trust: 0.9, rate: 5e-3, decay: 0.01, batch: 4096, seed: 1, added: false }
    }
}

/// The result of an epoch.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Epoch {
    /// Its number, from 1.
    pub number: u32,
    /// The mean divergence of the net from the targets of the fitted samples during the epoch, in nats.
    pub fitted: f64,
    /// The same for held-out games, after the epoch.
    pub held: f64,
}

/// A batch is divided into this many parts, so that rounding is the same for any number of threads.
const PARTS: usize = 8;

/// Adam's constants: the decay of the means and of the squares, and the term that keeps the quotient finite.
const MEAN: f32 = 0.9;
const SQUARES: f32 = 0.999;
const TINY: f32 = 1e-8;

/// The decay of shared rows, of that of all others.
const SHARED_DECAY: f64 = 0.1;

/// The target for an exact win or loss: this sure if it is far away, and nearly certain if it is much nearer than
/// [`SOON`] plies.
const LATE: f64 = 0.6;
const SOON: f64 = 20.0;

/// Fits a net to samples on the threads of the current rayon pool, and returns the one of the epoch that is best for
/// the held-out games. `None` if there are too few samples, or if `tell`, which is called after each epoch, returned
/// `false`.
pub fn fit(
    rules: &Rules,
    samples: &Samples,
    how: &Fitting,
    origin: &str,
    tell: &mut dyn FnMut(Epoch) -> bool,
) -> Option<Net> {
    let (mut fitted, held) = samples.split();
    if fitted.is_empty() || held.is_empty() {
        return None;
    }
    let unit = samples.unit().round();
    let features = Features::new(rules);
    let symmetries =
        rules.symmetries().iter().filter(|(_, exchange)| !exchange).map(|&(symmetry, _)| symmetry).collect();
    let mut random = Random::stream(how.seed, 0);
    let mut model = Model::random(&features, &mut random);
    let mut shared = Shared::none();
    let mut beginning = None;
    if how.added {
        model.say_nothing();
        shared = Shared::new(rules, &features);
        if let Some(net) = Evaluation::by_rules(rules).net() {
            model.leave_out(net.neurons());
            beginning = Some(Model::from_net(net, unit));
        }
    }
    let mut now = Parts { model, common: vec![[0.0; WIDTH]; shared.count()], shared, beginning };
    let trainer = Trainer { rules, samples, features, symmetries, unit, trust: how.trust, added: how.added };
    let mut adam = [Adam::new(now.model.weights.len()), Adam::new(now.common.len())];
    let batch = how.batch.max(PARTS);
    let steps = f64::from(how.epochs) * fitted.len().div_ceil(batch) as f64;
    let mut best = None::<(f64, Model)>;
    for number in 1..=how.epochs {
        shuffle(&mut fitted, &mut random);
        let mut loss = 0.0;
        for numbers in fitted.chunks(batch) {
            let (sum, gradient) = trainer.gradient(&now.whole(), numbers, random.next_u64());
            loss += sum;
            let progress = f64::from(adam[0].steps) / steps;
            let rate = how.rate * (0.5 + 0.5 * (std::f64::consts::PI * progress).cos());
            let common = now.shared.gradient(&gradient);
            adam[0].step(&mut now.model.weights, &gradient, rate, how.decay, numbers.len());
            adam[1].step(&mut now.common, &common, rate, how.decay * SHARED_DECAY, numbers.len());
            now.model.clip();
        }
        let whole = now.whole();
        let epoch = Epoch { number, fitted: loss / fitted.len() as f64, held: trainer.loss(&whole, &held) };
        if best.as_ref().is_none_or(|(least, _)| epoch.held < *least) {
            best = Some((epoch.held, whole));
        }
        if !tell(epoch) {
            return None;
        }
    }
    best.map(|(_, model)| model.quantised(rules, unit, how.added, origin))
}

/// A model whose features share a part of their rows, and which may begin with another.
struct Parts {
    /// Without what is shared, and without the beginning.
    model: Model,
    common: Vec<Row>,
    shared: Shared,
    beginning: Option<Model>,
}

impl Parts {
    fn whole(&self) -> Model {
        let mut whole = self.model.clone();
        self.beginning.iter().for_each(|beginning| whole.add(beginning));
        self.shared.add_to(&mut whole.weights, &self.common);
        whole.clip();
        whole
    }
}

/// The Kullback-Leibler divergence of an expectation, given by the logarithm of its odds, from its target, in nats.
fn divergence(odds: f64, target: f64) -> f64 {
    let part = |x: f64| if x > 0.0 { x * x.ln() } else { 0.0 };
    surprise(odds, target) + part(target) + part(1.0 - target)
}

fn shuffle(numbers: &mut [u32], random: &mut Random) {
    for n in (1..numbers.len()).rev() {
        numbers.swap(n, random.below(n as u32 + 1) as usize);
    }
}

/// The samples, their targets and their symmetries.
struct Trainer<'a> {
    rules: &'a Rules,
    samples: &'a Samples,
    features: Features,
    /// The symmetries that keep the sides: each time a sample is used, one of them is applied.
    symmetries: Vec<Symmetry>,
    unit: f64,
    trust: f64,
    added: bool,
}

impl Trainer<'_> {
    /// The expectation that the net should have for a sample.
    fn target(&self, sample: &Sample) -> f64 {
        if sample.exact {
            // The sooner the end, the clearer the target.
            let clear = LATE + (1.0 - LATE) * (-f64::from(sample.score) / SOON).exp();
            return 0.5 + clear * (target(sample.result) - 0.5);
        }
        let score = 1.0 / (1.0 + (-f64::from(sample.score) / self.unit).exp());
        self.trust * score + (1.0 - self.trust) * target(sample.result)
    }

    /// Loads a sample into `seen`, and returns its target and the logarithm of the odds to which the net's is added.
    fn load(&self, seen: &mut Seen, number: u32, symmetry: Symmetry) -> (f64, f32) {
        let (sample, pieces) = self.samples.get(number);
        let area = usize::from(self.rules.geometry.area());
        let pieces = pieces.iter().map(|piece| piece.image(self.rules, symmetry));
        seen.load(&self.features, area, sample.mover, pieces);
        let base = if self.added { f64::from(sample.hand) / self.unit } else { 0.0 };
        (self.target(sample), base as f32)
    }

    /// The summed loss of some samples, each in a random symmetry, and its gradient.
    fn gradient(&self, model: &Model, numbers: &[u32], seed: u64) -> (f64, Vec<Row>) {
        let share = numbers.len().div_ceil(PARTS);
        let of = |part: usize| {
            let numbers = &numbers[part * share..numbers.len().min((part + 1) * share)];
            let mut random = Random::stream(seed, part as u64);
            let mut gradient = vec![[0.0; WIDTH]; model.weights.len()];
            let (mut seen, mut loss) = (Seen::default(), 0.0);
            for &number in numbers {
                let symmetry = self.symmetries[random.below(self.symmetries.len() as u32) as usize];
                let (target, base) = self.load(&mut seen, number, symmetry);
                let (odds, sums) = model.forward(&seen);
                let odds = base + odds;
                loss += divergence(odds.into(), target);
                let expected = 1.0 / (1.0 + (-odds).exp());
                model.backward(&seen, &sums, expected - target as f32, &mut gradient);
            }
            (loss, gradient)
        };
        let parts: Vec<(f64, Vec<Row>)> = parallel::map(numbers.len().div_ceil(share.max(1)), of);
        let mut parts = parts.into_iter();
        let first = parts.next().unwrap_or_default();
        parts.fold(first, |(loss, mut sum), (other, gradient)| {
            let pairs = sum.iter_mut().flatten().zip(gradient.iter().flatten());
            pairs.for_each(|(a, b)| *a += b);
            (loss + other, sum)
        })
    }

    /// The mean loss of some samples.
    fn loss(&self, model: &Model, numbers: &[u32]) -> f64 {
        let of = |numbers: &[u32]| {
            let mut seen = Seen::default();
            let of = |&number: &u32| {
                let (target, base) = self.load(&mut seen, number, Symmetry::IDENTITY);
                divergence((base + model.forward(&seen).0).into(), target)
            };
            numbers.iter().map(of).sum::<f64>()
        };
        let parts: Vec<f64> = parallel::map_chunks(numbers, 1024, of);
        parts.iter().sum::<f64>() / numbers.len().max(1) as f64
    }
}

/// The moving means of gradients and of their squares.
struct Adam {
    means: Vec<Row>,
    squares: Vec<Row>,
    steps: u32,
}

impl Adam {
    fn new(rows: usize) -> Adam {
        Adam { means: vec![[0.0; WIDTH]; rows], squares: vec![[0.0; WIDTH]; rows], steps: 0 }
    }

    /// Moves the weights by the summed gradient of some samples, and lets them decay.
    fn step(&mut self, weights: &mut [Row], gradient: &[Row], rate: f64, decay: f64, samples: usize) {
        self.steps += 1;
        let (kept, rate) = (1.0 - (rate * decay) as f32, rate as f32);
        let steps = self.steps.min(1 << 20) as i32;
        let rate = rate / (1.0 - MEAN.powi(steps));
        let full = 1.0 / (1.0 - SQUARES.powi(steps));
        let share = 1.0 / samples.max(1) as f32;
        let moments = self.means.iter_mut().zip(&mut self.squares);
        for ((weights, gradient), (means, squares)) in weights.iter_mut().zip(gradient).zip(moments) {
            for n in 0..WIDTH {
                let slope = gradient[n] * share;
                means[n] = MEAN * means[n] + (1.0 - MEAN) * slope;
                squares[n] = SQUARES * squares[n] + (1.0 - SQUARES) * slope * slope;
                weights[n] = weights[n] * kept - rate * means[n] / ((squares[n] * full).sqrt() + TINY);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::tests::ambush;
    use super::*;
    use crate::evaluate::{Evaluate, HandcraftedEvaluation};
    use crate::tune::SelfPlay;
    use jewel_engine::chesslike::{Chess, ChessGame};
    use std::sync::Arc;

    #[test]
    fn training_learns_and_does_not_depend_on_threads() {
        let (rules, samples) = ambush(1000);
        let how = Fitting { epochs: 6, batch: 256, rate: 3e-3, ..Fitting::default() };
        let train = |threads, seed, rate| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut told = Vec::new();
            let mut tell = |epoch| {
                told.push(epoch);
                true
            };
            let how = Fitting { seed, rate, ..how };
            let net = pool.install(|| fit(rules, &samples, &how, "tested", &mut tell)).unwrap();
            (net.to_bytes(), told)
        };
        let (bytes, told) = train(1, 1, how.rate);
        assert!(train(3, 1, how.rate) == (bytes.clone(), told.clone()));
        assert_ne!(train(1, 2, how.rate).0, bytes);
        assert_eq!(told.iter().map(|epoch| epoch.number).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
        let (first, last) = (told[0], told[5]);
        let nothing = train(1, 1, 0.0).1[5];
        assert!(last.fitted < first.fitted - 0.01 && last.held < 0.75 * nothing.held, "{told:?} {nothing:?}");
    }

    #[test]
    fn a_net_that_is_added_begins_with_all_that_is_known() {
        let (rules, samples) = ambush(120);
        let train = |rate, added| {
            let how = Fitting { epochs: 4, batch: 64, rate, added, ..Fitting::default() };
            let mut told = Vec::new();
            let mut tell = |epoch: Epoch| {
                told.push(epoch.held);
                true
            };
            let net = fit(rules, &samples, &how, "tested", &mut tell).unwrap();
            (net, told[told.len() - 1])
        };
        let hand = HandcraftedEvaluation::best(rules);
        let (silent, known) = train(0.0, true);
        let silent = Evaluation::with_net(hand.clone(), Arc::new(silent));
        for number in 0..samples.len() as u32 {
            let position = samples.position(number, rules);
            assert_eq!(silent.evaluate_afresh(&position), hand.evaluate_afresh(&position), "{position:?}");
        }
        let ((net, learnt), (alone, _)) = (train(3e-3, true), train(3e-3, false));
        assert!(net.is_added() && !alone.is_added());
        // All that the net has to learn is what the terms made by hand do not say.
        assert!(learnt < known && train(0.0, false).1 > 2.0 * known, "{learnt} {known}");
    }

    #[test]
    fn a_game_without_files_begins_with_the_network_for_every_game() {
        let mut rules = Rules::parse(jewel_engine::games::find("diamond-chess").unwrap().text).unwrap();
        rules.fingerprint ^= 1;
        let rules: &'static Rules = rules.leak();
        let game = ChessGame::<Chess, 8>::new(rules).unwrap();
        let (by_rules, hand) = (Evaluation::by_rules(rules), HandcraftedEvaluation::best(rules));
        let (mut samples, mut positions) = (Samples::default(), Vec::new());
        let how = SelfPlay { nodes: 30, ..SelfPlay::default() };
        for number in 0..60 {
            let played = how.play(&game, &by_rules, number).unwrap();
            samples.push(&played, &hand, |_| None);
            positions.extend(played.positions);
        }
        let how = Fitting { epochs: 1, batch: 64, rate: 0.0, decay: 3.0, added: true, ..Fitting::default() };
        let silent = fit(rules, &samples, &how, "tested", &mut |_| true).unwrap();
        let general = by_rules.net().unwrap();
        for (row, wide) in general.rows.iter().zip(silent.rows.chunks(silent.parts)) {
            assert_eq!(*row, wide[0]);
        }
        // Output weights are rounded in another unit: one step of a weight is worth this many centipawns.
        let step = f64::from(silent.unit) / f64::from(silent.output_one);
        let silent = Evaluation::with_net(hand, Arc::new(silent));
        for position in positions {
            let difference = silent.evaluate_afresh(&position) - by_rules.evaluate_afresh(&position);
            assert!(
                f64::from(difference.abs()) <= 5.0 * step,
                "{difference} in {position:?}, steps of {step:.2}"
            );
        }
    }

    #[test]
    fn it_ends_when_told_to_and_learns_nothing_from_nothing() {
        let (rules, samples) = ambush(20);
        let how = Fitting::default();
        let mut told = 0;
        let stop = fit(rules, &samples, &how, "", &mut |_| {
            told += 1;
            told < 2
        });
        assert_eq!((stop, told), (None, 2));
        assert_eq!(fit(rules, &Samples::default(), &how, "", &mut |_| true), None);
    }
}
