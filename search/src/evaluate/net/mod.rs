//! A small neural network as evaluation, updated from move to move ("NNUE"; Yu Nasu, "Efficiently Updatable
//! Neural-Network-based Evaluation Functions for Computer Shogi", 2018).
//!
//! Each side sees the board through its own features, whose rows of weights add up to at most [`WIDTH`] numbers, the
//! accumulator; a move changes a few rows. The numbers are clipped to 0 to 1 and squared, and their weighted sum, the
//! side to move first, is the logarithm of the odds. Everything is computed in integers, so that all machines
//! evaluate alike; `docs/networks.md` has the details.

mod features;
mod file;
mod rows;

pub(crate) use features::{Features, MAX_HELD};
pub use file::NetError;

use super::MAX_EVALUATION;
use arrayvec::ArrayVec;
use jewel_engine::tactics::Pieces;
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;

/// The most neurons of each side's accumulator; trained nets have this many.
pub const WIDTH: usize = 256;

/// The number of neurons is a multiple of this.
pub const PART: usize = 64;

const _: () = assert!(WIDTH.is_multiple_of(PART));

/// The number of sets of output weights, which are chosen by the number of pieces.
pub const BUCKETS: usize = 4;

/// What stands for 1 in sums of rows.
pub(crate) const ONE: i32 = 255;

/// What may stand for 1 in output weights: the least, which files of version 1 have, and the most. In between are its
/// doubles.
pub(crate) const OUTPUT_ONE: i32 = 64;
pub(crate) const MAX_OUTPUT_ONE: i32 = 1024;

/// The largest magnitude in rows of any game; with hands, [`Features::max_in_rows`] is less.
pub(crate) const MAX_IN_ROWS: i16 = 480;

/// The largest magnitude of output weights: times [`ONE`] it stays below 2^15.
pub(crate) const MAX_IN_OUTPUTS: i16 = 127;

/// A part of a row of weights, which has one number for each neuron. Rows of all widths are slices of parts.
pub(crate) type Part = [i16; PART];

/// The sums of rows as White and Black see the board, updated from move to move. It has room for a net of `PARTS` parts: the less
/// room, the less is written at each move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(64))]
pub struct Accumulator<const PARTS: usize>([[Part; PARTS]; 2]);

/// That of any net.
pub type WideAccumulator = Accumulator<{ WIDTH / PART }>;

/// That of the narrowest nets.
pub type NarrowAccumulator = Accumulator<1>;

/// The evaluation of one game by a network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Net {
    /// The game it is for.
    pub(crate) game: String,
    /// The fingerprint of the rules.
    pub(crate) fingerprint: u64,
    /// The command that made it.
    pub(crate) origin: String,
    /// Centipawns by which the logarithm of the odds grows by one.
    pub(crate) unit: u32,
    /// Whether what it says is added to the handcrafted evaluation, and does not replace it.
    pub(crate) added: bool,
    /// What stands for 1 in output weights.
    pub(crate) output_one: i32,
    /// The number of neurons divided by [`PART`].
    pub(crate) parts: usize,
    pub(crate) features: Features,
    /// The rows of all features, one after the other.
    pub(crate) rows: Vec<Part>,
    pub(crate) bias: Vec<Part>,
    /// By bucket, for the side to move and the other: rows one after the other.
    pub(crate) outputs: Vec<Part>,
    pub(crate) output_bias: [i32; BUCKETS],
}

/// The set of output weights for a number of pieces on a board of `area` squares: each set is for an eighth of the
/// board, the last for all more.
#[inline(always)]
pub(crate) fn bucket(pieces: usize, area: usize) -> usize {
    (pieces.saturating_sub(1) * 2 * BUCKETS / area).min(BUCKETS - 1)
}

impl Net {
    /// The net of these weights, rounded: the rows of all features, the bias, and for each bucket those of the outputs for the side
    /// to move and the other, all of the same number of neurons. It takes the place of the handcrafted evaluation, and its unit is a
    /// centipawn.
    pub(crate) fn rounded(
        rules: &Rules,
        rows: &[f32],
        bias: &[f32],
        outputs: &[f32],
        output_bias: [f32; BUCKETS],
    ) -> Net {
        // As much as the output weights have room for: the smaller they are, the more their rounding would count.
        let largest = outputs.iter().fold(0.0f32, |largest, weight| largest.max(weight.abs()));
        let mut output_one = OUTPUT_ONE;
        while output_one < MAX_OUTPUT_ONE && largest * (2 * output_one) as f32 <= f32::from(MAX_IN_OUTPUTS) {
            output_one *= 2;
        }
        let features = Features::new(rules);
        let rounded = |weights: &[f32], one: i32, most: i16| -> Vec<Part> {
            let round = |&weight: &f32| ((weight * one as f32).round() as i16).clamp(-most, most);
            let (parts, _) = weights.as_chunks::<PART>();
            parts.iter().map(|part| part.each_ref().map(round)).collect()
        };
        Net {
            game: rules.id.clone(),
            fingerprint: rules.fingerprint,
            origin: String::new(),
            unit: 1,
            added: false,
            output_one,
            parts: bias.len() / PART,
            rows: rounded(rows, ONE, features.max_in_rows()),
            bias: rounded(bias, ONE, features.max_in_rows()),
            features,
            outputs: rounded(outputs, output_one, MAX_IN_OUTPUTS),
            output_bias: output_bias.map(|x| (x * (ONE * output_one) as f32).round() as i32),
        }
    }

    /// The game that it is for.
    pub fn game(&self) -> &str {
        &self.game
    }

    /// The command that made it.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Whether what it says is added to the handcrafted evaluation, and does not replace it.
    pub fn is_added(&self) -> bool {
        self.added
    }

    /// The number of neurons of each side's accumulator.
    pub fn neurons(&self) -> usize {
        self.parts * PART
    }

    /// Whether its sums fit into an accumulator of the narrowest nets.
    pub(crate) fn is_narrow(&self) -> bool {
        self.parts == 1
    }

    /// The accumulator of a position.
    pub(crate) fn begin<P: Pieces, const PARTS: usize>(&self, position: &P) -> Accumulator<PARTS> {
        let mut accumulator = Accumulator([[[0; PART]; PARTS]; 2]);
        for sums in &mut accumulator.0 {
            sums[..self.parts].copy_from_slice(&self.bias);
        }
        for owner in Side::BOTH {
            for kind in 0..position.rules().type_count() as u8 {
                for square in position.pieces_of_kind(owner, kind) {
                    let seen = self.features.of(kind, owner, square);
                    self.change(&mut accumulator, seen, true);
                }
                for seen in self.features.of_hand(kind, owner, position.in_hand(owner, kind)) {
                    self.change(&mut accumulator, seen, true);
                }
            }
        }
        accumulator
    }

    /// The accumulator after a move.
    #[inline]
    pub(super) fn advance<P: Pieces, const PARTS: usize>(
        &self,
        before: &P,
        mv: P::Move,
        accumulator: &Accumulator<PARTS>,
    ) -> Accumulator<PARTS> {
        let mut after = self.after_changes(before, mv, accumulator);
        before.hand_changes(mv, |kind, owner, others, arrives| {
            if let Some(seen) = self.features.in_hand(kind, owner, others) {
                self.change(&mut after, seen, arrives);
            }
        });
        after
    }

    /// The accumulator after what a move changes on the board.
    #[inline(always)]
    fn after_changes<P: Pieces, const PARTS: usize>(
        &self,
        before: &P,
        mv: P::Move,
        accumulator: &Accumulator<PARTS>,
    ) -> Accumulator<PARTS> {
        let mut come = ArrayVec::<[usize; 2], 2>::new();
        let mut gone = ArrayVec::<[usize; 2], 3>::new();
        before.changes(mv, |kind, owner, square, arrives| {
            let seen = self.features.of(kind, owner, square);
            if arrives { come.push(seen) } else { gone.push(seen) }
        });
        let Some(&to) = come.first() else { return *accumulator };
        let Some(from) = gone.pop() else {
            // A piece is dropped.
            let mut after = *accumulator;
            self.change(&mut after, to, true);
            return after;
        };
        // Most moves are one piece arriving and one leaving: a single pass.
        let parts = self.parts_of::<PARTS>();
        let mut after = Accumulator([[[0; PART]; PARTS]; 2]);
        for viewer in 0..2 {
            let [to, from] = [to, from].map(|feature| self.row::<PARTS>(feature[viewer]));
            rows::exchange(&mut after.0[viewer][..parts], &accumulator.0[viewer][..parts], to, from);
        }
        come.iter().skip(1).for_each(|&seen| self.change(&mut after, seen, true));
        gone.iter().for_each(|&seen| self.change(&mut after, seen, false));
        after
    }

    #[inline(always)]
    fn change<const PARTS: usize>(
        &self,
        accumulator: &mut Accumulator<PARTS>,
        seen: [usize; 2],
        arrives: bool,
    ) {
        for (sums, feature) in accumulator.0.iter_mut().zip(seen) {
            rows::change(&mut sums[..self.parts_of::<PARTS>()], self.row::<PARTS>(feature), arrives);
        }
    }

    /// The number of parts, known to the compiler where an accumulator has room for one only.
    #[inline(always)]
    fn parts_of<const PARTS: usize>(&self) -> usize {
        if PARTS == 1 { 1 } else { self.parts }
    }

    /// The row of a feature.
    #[inline(always)]
    fn row<const PARTS: usize>(&self, feature: usize) -> &[Part] {
        let parts = self.parts_of::<PARTS>();
        &self.rows[feature * parts..][..parts]
    }

    /// The evaluation of a position for the side to move, in centipawns.
    #[inline]
    pub(crate) fn evaluate<P: Pieces, const PARTS: usize>(
        &self,
        position: &P,
        accumulator: &Accumulator<PARTS>,
    ) -> i32 {
        let pieces = (position.pieces_of(Side::White) | position.pieces_of(Side::Black)).count() as usize;
        let bucket = bucket(pieces, position.rules().geometry.area().into());
        let mover = position.side_to_move().index();
        let parts = self.parts_of::<PARTS>();
        let seen = [mover, 1 - mover].map(|viewer| &accumulator.0[viewer][..parts]);
        let weights = [2 * bucket, 2 * bucket + 1].map(|row| &self.outputs[row * parts..][..parts]);
        let sum = rows::output(seen, weights);
        let odds = (sum / i64::from(ONE)) as i32 + self.output_bias[bucket];
        let worth = i64::from(odds) * i64::from(self.unit) / i64::from(ONE * self.output_one);
        (worth.clamp(i64::from(-MAX_EVALUATION), i64::from(MAX_EVALUATION))) as i32
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::evaluate::{Evaluate, Evaluation, HandcraftedEvaluation};
    use jewel_engine::ability::{Game, Packed, Symmetric};
    use jewel_engine::chesslike::AnyChessLike;
    use jewel_engine::games::{GAMES, find};
    use jewel_engine::playout::Playout;
    use jewel_engine::position::{Position, list_moves};
    use jewel_engine::random::Random;
    use jewel_engine::with_leanest_game;
    use std::sync::Arc;

    /// A net of random weights, as large as weights may be.
    pub(crate) fn random_net(rules: &Rules, seed: u64) -> Net {
        let mut random = Random::new(seed);
        let mut rows = |count: usize, most: i16| -> Vec<Part> {
            let mut part = || [0; PART].map(|_: i16| random.below(2 * most as u32 + 1) as i16 - most);
            (0..count * WIDTH / PART).map(|_| part()).collect()
        };
        let features = Features::new(rules);
        Net {
            game: rules.id.clone(),
            fingerprint: rules.fingerprint,
            origin: "by chance".to_string(),
            unit: 150,
            added: false,
            output_one: OUTPUT_ONE,
            parts: WIDTH / PART,
            rows: rows(features.count(), features.max_in_rows()),
            bias: rows(1, features.max_in_rows()),
            outputs: rows(2 * BUCKETS, MAX_IN_OUTPUTS),
            output_bias: [0, 1, -2, 300],
            features,
        }
    }

    /// The same net without its last neurons.
    pub(crate) fn narrowed(net: Net, parts: usize) -> Net {
        let fewer = |rows: &[Part]| rows.chunks(net.parts).flat_map(|row| &row[..parts]).copied().collect();
        let (rows, bias, outputs) = (fewer(&net.rows), fewer(&net.bias), fewer(&net.outputs));
        Net { parts, rows, bias, outputs, ..net }
    }

    /// Plays at random and compares what is carried along with what is computed afresh, by hand and by net.
    struct Walk;

    impl Walk {
        fn visit<G>(self, game: G)
        where
            G: Game,
            G::Position: Packed + Symmetric + Pieces + Playout,
        {
            let mut random = Random::new(8);
            let start = game.start();
            let rules = start.rules();
            let by_hand = Evaluation::from(HandcraftedEvaluation::derived(rules));
            let narrow = narrowed(random_net(rules, 4), 1);
            let added = Net { added: true, output_one: 256, ..random_net(rules, 5) };
            let both = Net { added: true, ..narrowed(random_net(rules, 6), 1) };
            let by_nets = [random_net(rules, 3), narrow, narrowed(random_net(rules, 7), 3), added, both]
                .map(|net| Evaluation::with_net(HandcraftedEvaluation::derived(rules), Arc::new(net)));
            for evaluation in std::iter::once(by_hand).chain(by_nets) {
                for _ in 0..20 {
                    let mut position = game.start();
                    let mut state = evaluation.begin(&position);
                    for _ in 0..80 {
                        assert_eq!(state, evaluation.begin(&position), "{position:?}");
                        let worth = evaluation.evaluate(&position, &state);
                        assert_eq!(worth, evaluation.evaluate_afresh(&position));
                        assert!(worth.abs() < 20_000);
                        let moves = list_moves(&position);
                        if moves.is_empty() {
                            break;
                        }
                        let mv = moves[random.below(moves.len() as u32) as usize];
                        state = evaluation.advance(&position, mv, &state);
                        position.play(mv);
                    }
                }
            }
        }
    }

    #[test]
    fn states_follow_moves() {
        for game in &GAMES {
            with_leanest_game!(game.rules(), game => Walk.visit(game));
        }
        // Pieces are dropped.
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/variants/dobutsu.toml");
        let dobutsu = Rules::parse(&std::fs::read_to_string(file).unwrap()).unwrap().leak();
        with_leanest_game!(dobutsu, game => Walk.visit(game));
    }

    #[test]
    fn both_sides_see_the_same() {
        let mut compared = 0;
        for game in &GAMES {
            let rules = game.rules();
            let net = random_net(rules, 5);
            let mut random = Random::new(6);
            let mut position = AnyChessLike::from_fen(rules, &rules.start).unwrap();
            for _ in 0..60 {
                // The first symmetry with an exchange is that through which Black sees the board.
                let exchanged = position.symmetries().into_iter().find(|(_, exchange)| *exchange);
                let image = exchanged.and_then(|(symmetry, _)| position.transformed(symmetry, true));
                if let Some(image) = image {
                    let worth = |p| net.evaluate(p, &net.begin::<_, 4>(p));
                    assert_eq!(worth(&image), worth(&position), "{position:?}");
                    compared += 1;
                }
                let moves = list_moves(&position);
                if moves.is_empty() {
                    break;
                }
                position.play(moves[random.below(moves.len() as u32) as usize]);
            }
        }
        assert!(compared > 150, "{compared}");
    }

    #[test]
    fn sums_have_room_for_the_largest_weights_on_a_full_board() {
        let rules = find("diamond-chess").unwrap().rules();
        let mut net = random_net(rules, 1);
        net.rows.iter_mut().chain(&mut net.bias).for_each(|part| part.fill(MAX_IN_ROWS));
        net.outputs.iter_mut().for_each(|part| part.fill(MAX_IN_OUTPUTS));
        let full = ["nnnnnnn"; 6].join("/") + "/Knnnnnk w - - 0 1";
        let position = AnyChessLike::from_fen(rules, &full).unwrap();
        let accumulator: WideAccumulator = net.begin(&position);
        assert_eq!(accumulator.0[0][0][0], MAX_IN_ROWS * 50);
        // 2 · 256 ones of 127/64, and the bias, times 150, beyond the limit.
        assert_eq!(net.evaluate(&position, &accumulator), 19_999);
        net.unit = 1;
        assert_eq!(net.evaluate(&position, &accumulator), 1016);
        // A quarter as many count where a net is a quarter as wide, whatever the room.
        let narrow = narrowed(net, WIDTH / PART / 4);
        assert_eq!(narrow.evaluate(&position, &narrow.begin::<_, 4>(&position)), 254);
        assert_eq!(narrow.evaluate(&position, &narrow.begin::<_, 1>(&position)), 254);
    }

    #[test]
    fn buckets_go_by_pieces() {
        assert_eq!(
            [0, 1, 7, 8, 13, 14, 19, 20, 28, 49].map(|n| bucket(n, 49)),
            [0, 0, 0, 1, 1, 2, 2, 3, 3, 3]
        );
    }
}
