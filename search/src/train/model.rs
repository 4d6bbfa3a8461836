//! The network in floating point: its output, the gradient of its weights, and its quantization to integers.

use super::samples::{Piece, Place};
use crate::evaluate::net::{self, BUCKETS, Features, Net, WIDTH};
use jewel_engine::random::Random;
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;

pub(super) type Row = [f32; WIDTH];

/// The largest magnitude of output weights.
const MAX_IN_OUTPUTS: f32 = net::MAX_IN_OUTPUTS as f32 / net::OUTPUT_ONE as f32;

/// All weights, in rows: those of the features, the bias, two sets of output weights for each bucket, and the
/// biases of the outputs in a row of their own.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) weights: Vec<Row>,
    features: usize,
    /// The largest magnitude in rows of features and in the bias.
    largest: f32,
}

impl Model {
    pub(super) fn rows(features: usize) -> usize {
        features + 2 + 2 * BUCKETS
    }

    /// Small random weights to begin with.
    pub(super) fn random(features: &Features, random: &mut Random) -> Model {
        let (features, largest) = (features.count(), Model::largest(features));
        let mut weights = vec![[0.0; WIDTH]; Model::rows(features)];
        let mut fill = |row: &mut Row, most: f64| {
            row.iter_mut().for_each(|weight| *weight = ((2.0 * random.unit() - 1.0) * most) as f32);
        };
        weights[..features].iter_mut().for_each(|row| fill(row, 0.1));
        weights[features] = [0.25; WIDTH];
        let outputs = features + 1;
        weights[outputs..outputs + 2 * BUCKETS].iter_mut().for_each(|row| fill(row, 0.1));
        Model { weights, features, largest }
    }

    fn largest(features: &Features) -> f32 {
        f32::from(features.max_in_rows()) / net::ONE as f32
    }

    /// Sets the output weights to zero.
    pub(super) fn say_nothing(&mut self) {
        self.weights[self.features + 1..].iter_mut().for_each(|row| *row = [0.0; WIDTH]);
    }

    /// The weights of a net, in which a score of `unit` centipawns is 1; zeros for the neurons that it lacks.
    pub(super) fn from_net(net: &Net, unit: f64) -> Model {
        let features = net.features.count();
        let mut weights = vec![[0.0; WIDTH]; Model::rows(features)];
        let all = net.rows.chunks(net.parts).chain([&net.bias[..]]).chain(net.outputs.chunks(net.parts));
        let larger = f64::from(net.unit) / unit;
        let output_one = f64::from(net.output_one);
        for (n, (row, parts)) in weights.iter_mut().zip(all).enumerate() {
            let scale = if n > features { larger / output_one } else { 1.0 / f64::from(net::ONE) };
            for (weight, &number) in row.iter_mut().zip(parts.as_flattened()) {
                *weight = (f64::from(number) * scale) as f32;
            }
        }
        let mut model = Model { weights, features, largest: Model::largest(&net.features) };
        let biases = model.output_biases();
        for (weight, bias) in model.weights[biases].iter_mut().zip(net.output_bias) {
            *weight = (f64::from(bias) * larger / (f64::from(net::ONE) * output_one)) as f32;
        }
        model
    }

    /// Sets the weights of the first neurons to zero.
    pub(super) fn leave_out(&mut self, neurons: usize) {
        self.weights.iter_mut().for_each(|row| row[..neurons].fill(0.0));
    }

    /// Adds all weights of another model.
    pub(super) fn add(&mut self, other: &Model) {
        self.weights.iter_mut().zip(&other.weights).for_each(|(row, other)| add(row, other));
    }

    fn bias(&self) -> &Row {
        &self.weights[self.features]
    }

    /// The place of the output weights of a bucket: the mover's, then the other's.
    fn outputs(&self, bucket: usize) -> usize {
        self.features + 1 + 2 * bucket
    }

    fn output_biases(&self) -> usize {
        self.features + 1 + 2 * BUCKETS
    }

    /// The output for a position, and the accumulators of both sides.
    pub(super) fn forward(&self, seen: &Seen) -> (f32, [Row; 2]) {
        let mut sums = [*self.bias(); 2];
        for (sum, features) in sums.iter_mut().zip(&seen.features) {
            for &feature in features {
                add(sum, &self.weights[usize::from(feature)]);
            }
        }
        let mut parts = [0.0; WIDTH];
        let outputs = self.outputs(seen.bucket);
        for (sum, weights) in sums.iter().zip(&self.weights[outputs..]) {
            for ((part, &x), &weight) in parts.iter_mut().zip(sum).zip(weights) {
                let clipped = x.clamp(0.0, 1.0);
                *part += clipped * clipped * weight;
            }
        }
        let sum: f32 = parts.iter().sum();
        (sum + self.weights[self.output_biases()][seen.bucket], sums)
    }

    /// Adds the contribution of one position, whose output should fall by `slope`, to a gradient.
    pub(super) fn backward(&self, seen: &Seen, sums: &[Row; 2], slope: f32, gradient: &mut [Row]) {
        gradient[self.output_biases()][seen.bucket] += slope;
        let outputs = self.outputs(seen.bucket);
        for side in 0..2 {
            let mut below = [0.0; WIDTH];
            let weights = &self.weights[outputs + side];
            let of_outputs = &mut gradient[outputs + side];
            for n in 0..WIDTH {
                let x = sums[side][n];
                let clipped = x.clamp(0.0, 1.0);
                of_outputs[n] += slope * clipped * clipped;
                // The slope is zero outside the limits.
                below[n] = if x == clipped { slope * 2.0 * clipped * weights[n] } else { 0.0 };
            }
            add(&mut gradient[self.features], &below);
            for &feature in &seen.features[side] {
                add(&mut gradient[usize::from(feature)], &below);
            }
        }
    }

    /// Clamps the weights to the range of the integers.
    pub(super) fn clip(&mut self) {
        let (rows, outputs) = self.weights.split_at_mut(self.features + 1);
        rows.iter_mut().flatten().for_each(|weight| *weight = weight.clamp(-self.largest, self.largest));
        let outputs = outputs[..2 * BUCKETS].iter_mut().flatten();
        outputs.for_each(|weight| *weight = weight.clamp(-MAX_IN_OUTPUTS, MAX_IN_OUTPUTS));
    }

    /// The network with integer weights.
    pub(super) fn quantised(&self, rules: &Rules, unit: f64, added: bool, origin: &str) -> Net {
        let (rows, rest) = self.weights.split_at(self.features);
        let outputs = &rest[1..][..2 * BUCKETS];
        let biases = &self.weights[self.output_biases()];
        let output_bias = std::array::from_fn(|bucket| biases[bucket]);
        let mut net =
            Net::rounded(rules, rows.as_flattened(), self.bias(), outputs.as_flattened(), output_bias);
        (net.origin, net.unit, net.added) = (origin.to_string(), unit.round() as u32, added);
        net
    }
}

pub(super) fn add(sum: &mut Row, row: &Row) {
    sum.iter_mut().zip(row).for_each(|(a, b)| *a += b);
}

/// A position as the net sees it: the features of the side to move, and of the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    features: [Vec<u16>; 2],
    bucket: usize,
}

impl Seen {
    /// Loads another position.
    pub(super) fn load(
        &mut self,
        features: &Features,
        area: usize,
        mover: Side,
        pieces: impl Iterator<Item = Piece>,
    ) {
        self.features.iter_mut().for_each(Vec::clear);
        let mut see = |seen: [usize; 2]| {
            self.features[0].push(seen[mover.index()] as u16);
            self.features[1].push(seen[1 - mover.index()] as u16);
        };
        let mut on_board = 0;
        for piece in pieces {
            match piece.place() {
                Place::Square(square) => {
                    on_board += 1;
                    see(features.of(piece.kind(), piece.side(), square));
                }
                Place::Hand(count) => {
                    features.of_hand(piece.kind(), piece.side(), count).for_each(&mut see);
                }
            }
        }
        self.bucket = net::bucket(on_board, area);
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::tests::ambush;
    use super::*;

    #[test]
    fn the_net_in_integers_says_nearly_the_same() {
        let (rules, samples) = ambush(40);
        let features = Features::new(rules);
        let mut random = Random::new(5);
        let mut model = Model::random(&features, &mut random);
        // Larger than the initial weights, some beyond the limits.
        model.weights.iter_mut().flatten().for_each(|weight| *weight *= 15.0);
        model.clip();
        let unit = 1000.0;
        let net = model.quantised(rules, unit, false, "");
        assert_eq!(Net::parse(&net.to_bytes(), rules).unwrap(), net);
        let (mut seen, mut largest) = (Seen::default(), 0.0f32);
        for number in 0..samples.len() as u32 {
            let (sample, pieces) = samples.get(number);
            seen.load(&features, 25, sample.mover, pieces.iter().copied());
            let (odds, sums) = model.forward(&seen);
            let position = samples.position(number, rules);
            let worth = net.evaluate(&position, &net.begin::<_, 4>(&position)) as f32 / unit as f32;
            // Roundings of the rows; of the squares, which they change by up to twice that and its square; of
            // output weights; of the bias and of both quotients.
            let off = (pieces.len() + 1) as f32 * 0.5 / net::ONE as f32;
            let weights = &model.weights[model.outputs(seen.bucket)..];
            let bound: f32 = sums
                .iter()
                .zip(weights)
                .flat_map(|(sum, weights)| sum.iter().zip(weights))
                .fold(0.001, |bound, (x, weight)| {
                    let clipped = x.clamp(0.0, 1.0);
                    let squares = off * (2.0 * clipped + off);
                    bound
                        + weight.abs() * squares
                        + (clipped * clipped + squares) * 0.5 / net.output_one as f32
                });
            let clamped = odds.clamp(-19.999, 19.999);
            assert!((worth - clamped).abs() <= bound, "{worth} for {odds}, more than {bound} off");
            largest = largest.max((worth - clamped).abs());
        }
        // Typically far less.
        assert!(largest > 0.0 && largest < 0.5, "{largest}");
    }

    #[test]
    fn the_gradient_is_that_of_the_output() {
        let (rules, samples) = ambush(2);
        let features = Features::new(rules);
        let model = Model::random(&features, &mut Random::new(5));
        let (mut seen, mut checked) = (Seen::default(), 0);
        let (sample, pieces) = samples.get(0);
        seen.load(&features, 25, sample.mover, pieces.iter().copied());
        let (_, sums) = model.forward(&seen);
        let mut gradient = vec![[0.0; WIDTH]; model.weights.len()];
        model.backward(&seen, &sums, 1.0, &mut gradient);
        for (row, slopes) in gradient.iter().enumerate() {
            for n in [0, 7, 33] {
                let moved = |by: f32| {
                    let mut other = model.clone();
                    other.weights[row][n] += by;
                    other.forward(&seen).0
                };
                let slope = (moved(0.01) - moved(-0.01)) / 0.02;
                assert!((slope - slopes[n]).abs() < 0.01, "{row} {n}: {slope} and {}", slopes[n]);
                checked += usize::from(slopes[n] != 0.0);
            }
        }
        assert!(checked > 20, "{checked}");
    }
}
