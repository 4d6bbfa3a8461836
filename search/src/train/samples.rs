//! Training samples.

use crate::evaluate::net::MAX_HELD;
use crate::evaluate::{Evaluate, HandcraftedEvaluation};
use crate::tune::Played;
use jewel_engine::bitboard::Square;
use jewel_engine::symmetry::Symmetry;
use jewel_engine::tactics::Pieces;
use jewel_engine::value::{Outcome, Side, Value};
use jewel_engine::variant::Rules;
use jewel_engine::zobrist::MAX_TYPES;
use std::collections::HashSet;

/// One game in this many is held out, to measure what has been learnt.
const HELD: u32 = 16;

/// The most pieces of a sample: one on each square, and one entry for each type in each hand.
const MAX_PIECES: usize = 64 + 2 * MAX_TYPES;
const _: () = assert!(MAX_PIECES <= u8::MAX as usize);

/// The game number of all samples of a similar game, which is never held out.
const ANOTHER_GAME: u32 = u32::MAX;
const _: () = assert!(!ANOTHER_GAME.is_multiple_of(HELD));

/// Positions of games with their scores and results.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Samples {
    games: u32,
    /// The pieces of all positions, one after the other.
    pieces: Vec<Piece>,
    list: Vec<Sample>,
}

/// A piece on a square, or all pieces of a type in a hand: whether they are in hand, type, side, and square or number in one
/// number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Piece(u16);

/// Where pieces are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    Square(Square),
    /// In hand: that many.
    Hand(u8),
}

/// Set where pieces are in hand.
const IN_HAND: u16 = 1 << 15;

impl Piece {
    fn new(kind: u8, side: Side, place: Place) -> Piece {
        let place = match place {
            Place::Square(square) => square.index() as u16,
            Place::Hand(count) => IN_HAND | u16::from(count.min(MAX_HELD as u8)),
        };
        Piece(u16::from(kind) << 7 | (side.index() as u16) << 6 | place)
    }

    pub(super) fn kind(self) -> u8 {
        ((self.0 & !IN_HAND) >> 7) as u8
    }

    pub(super) fn side(self) -> Side {
        Side::BOTH[usize::from(self.0 >> 6 & 1)]
    }

    pub(super) fn place(self) -> Place {
        let number = (self.0 & 63) as u8;
        if self.0 & IN_HAND != 0 { Place::Hand(number) } else { Place::Square(Square::new(number)) }
    }

    /// Its image under a symmetry of the board.
    pub(super) fn image(self, rules: &Rules, symmetry: Symmetry) -> Piece {
        match self.place() {
            Place::Square(square) => {
                let image = Place::Square(symmetry.square(rules.geometry, square));
                Piece::new(self.kind(), self.side(), image)
            }
            Place::Hand(_) => self,
        }
    }

    /// Whether a game has such a piece there.
    fn is_possible(self, rules: &Rules) -> bool {
        usize::from(self.kind()) < rules.type_count()
            && match self.place() {
                Place::Square(square) => square.index() < usize::from(rules.geometry.area()),
                Place::Hand(count) => {
                    (1..=MAX_HELD).contains(&count.into()) && rules.may_be_held(self.kind())
                }
            }
    }
}

/// A position with its score and result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sample {
    /// The end of its pieces in the list of all.
    end: u32,
    game: u32,
    pub(super) mover: Side,
    /// The result for the side to move: that of the game, or of the position if it is known exactly.
    pub(super) result: Outcome,
    /// Whether the position's value is known exactly.
    pub(super) exact: bool,
    /// The score for the side to move in centipawns; plies to the end of the game if the value is exact.
    pub(super) score: i16,
    /// What the handcrafted evaluation says, in centipawns for the side to move.
    pub(super) hand: i16,
}

impl Samples {
    /// Adds the positions of the next game, with what the handcrafted evaluation says, and with their exact values where `exact`
    /// knows them.
    pub fn push<P: Pieces>(
        &mut self,
        played: &Played<P>,
        hand: &HandcraftedEvaluation,
        exact: impl Fn(&P) -> Option<Value>,
    ) {
        let short = |number: i32| number.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        for (position, &score) in played.positions.iter().zip(&played.scores) {
            for side in Side::BOTH {
                for kind in 0..position.rules().type_count() as u8 {
                    let squares = position.pieces_of_kind(side, kind).into_iter().map(Place::Square);
                    let held = Some(position.in_hand(side, kind)).filter(|&count| count > 0).map(Place::Hand);
                    self.pieces.extend(squares.chain(held).map(|place| Piece::new(kind, side, place)));
                }
            }
            let mover = position.side_to_move();
            let value = exact(position);
            let score = value.map_or(score, |value| value.distance().unwrap_or(0) as i32);
            self.list.push(Sample {
                end: self.pieces.len() as u32,
                game: self.games,
                mover,
                result: value.map_or(played.verdict.seen_by(mover), Value::outcome),
                exact: value.is_some(),
                score: short(score),
                hand: short(hand.evaluate_afresh(position)),
            });
        }
        self.games += 1;
    }

    /// Adds the positions of a similar game: none is held out, and its games do not count. They must not be written by
    /// [`to_bytes`](Samples::to_bytes).
    pub fn learn_from(&mut self, others: &Samples) {
        let begin = self.pieces.len() as u32;
        let moved = |sample: &Sample| Sample { game: ANOTHER_GAME, end: begin + sample.end, ..*sample };
        self.pieces.extend_from_slice(&others.pieces);
        self.list.extend(others.list.iter().map(moved));
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        self.games.into()
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The number of positions whose exact value is known.
    pub fn exact(&self) -> usize {
        self.list.iter().filter(|sample| sample.exact).count()
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The samples as bytes, all numbers in little-endian order: the numbers of games and samples (4 bytes each), then for
    /// each sample its game (4), side to move, result, whether it is exact, score (2), the handcrafted
    /// evaluation (2), number of pieces (1), and the pieces (2 each).
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(8 + 12 * self.list.len() + 2 * self.pieces.len());
        bytes.extend(self.games.to_le_bytes());
        bytes.extend((self.list.len() as u32).to_le_bytes());
        for number in 0..self.list.len() as u32 {
            let (sample, pieces) = self.get(number);
            bytes.extend(sample.game.to_le_bytes());
            let result = RESULTS.iter().position(|&result| result == sample.result).unwrap_or_default();
            bytes.extend([sample.mover.index() as u8, result as u8, u8::from(sample.exact)]);
            bytes.extend(sample.score.to_le_bytes());
            bytes.extend(sample.hand.to_le_bytes());
            bytes.push(pieces.len() as u8);
            pieces.iter().for_each(|piece| bytes.extend(piece.0.to_le_bytes()));
        }
        bytes
    }

    /// Reads the bytes of [`to_bytes`](Samples::to_bytes); `None` if they are damaged or of another game.
    pub fn parse(bytes: &[u8], rules: &Rules) -> Option<Samples> {
        let mut rest = bytes;
        let games = u32::from_le_bytes(take(&mut rest)?);
        let count = u32::from_le_bytes(take(&mut rest)?);
        let mut samples = Samples { games, ..Samples::default() };
        let mut last = 0;
        for _ in 0..count {
            let game = u32::from_le_bytes(take(&mut rest)?);
            let [mover, result, exact] = take(&mut rest)?;
            let score = i16::from_le_bytes(take(&mut rest)?);
            let hand = i16::from_le_bytes(take(&mut rest)?);
            let [pieces] = take(&mut rest)?;
            for _ in 0..pieces {
                let piece = Piece(u16::from_le_bytes(take(&mut rest)?));
                if !piece.is_possible(rules) {
                    return None;
                }
                samples.pieces.push(piece);
            }
            if game < last || game >= games || usize::from(pieces) > MAX_PIECES || exact > 1 {
                return None;
            }
            last = game;
            samples.list.push(Sample {
                end: samples.pieces.len() as u32,
                game,
                mover: *Side::BOTH.get(usize::from(mover))?,
                result: *RESULTS.get(usize::from(result))?,
                exact: exact == 1,
                score,
                hand,
            });
        }
        rest.is_empty().then_some(samples)
    }

    /// A sample and its pieces.
    pub(super) fn get(&self, number: u32) -> (&Sample, &[Piece]) {
        let number = number as usize;
        let begin = number.checked_sub(1).map_or(0, |before| self.list[before].end);
        let sample = &self.list[number];
        (sample, &self.pieces[begin as usize..sample.end as usize])
    }

    /// The numbers of the samples to fit, and of those that are held out: positions of other games that are none of
    /// the positions to fit. On a small board most games have a beginning that others have, too, and a net would be
    /// praised for knowing it by heart. Where all of them are to be fitted, too, they are held out all the same.
    pub(super) fn split(&self) -> (Vec<u32>, Vec<u32>) {
        let (fitted, held): (Vec<u32>, Vec<u32>) =
            (0..self.list.len() as u32).partition(|&n| !self.list[n as usize].game.is_multiple_of(HELD));
        let position = |n: u32| {
            let (sample, pieces) = self.get(n);
            (sample.mover, pieces)
        };
        let known: HashSet<_> = fitted.iter().map(|&n| position(n)).collect();
        let new: Vec<u32> = held.iter().copied().filter(|&n| !known.contains(&position(n))).collect();
        (fitted, if new.is_empty() { held } else { new })
    }

    /// The centipawns by which the logarithm of the odds grows by one, chosen so that scores predict results best: 20 to
    /// 2000, to within a percent.
    pub(super) fn unit(&self) -> f64 {
        let error = |unit: f64| -> f64 {
            let of = |sample: &Sample| {
                let target = target(sample.result);
                crate::tune::surprise(f64::from(sample.score) / unit, target)
            };
            self.list.iter().filter(|sample| !sample.exact).map(of).sum()
        };
        let (mut low, mut high) = (20f64.ln(), 2000f64.ln());
        while high - low > 0.01 {
            let third = (high - low) / 3.0;
            if error((low + third).exp()) < error((high - third).exp()) {
                high -= third
            } else {
                low += third
            }
        }
        ((low + high) / 2.0).exp()
    }
}

const RESULTS: [Outcome; 3] = [Outcome::Loss, Outcome::Draw, Outcome::Win];

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*first)
}

/// A result as an expectation.
pub(super) fn target(result: Outcome) -> f64 {
    match result {
        Outcome::Win => 1.0,
        Outcome::Draw => 0.5,
        Outcome::Loss => 0.0,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::tune::SelfPlay;
    use jewel_engine::ability::Notation;
    use jewel_engine::chesslike::{ChessGame, ChessLike, Leapers};
    use jewel_engine::with_leanest_game;
    use proptest::prelude::*;
    use proptest::test_runner::{Config, RngSeed, TestRunner};

    type Ambush = ChessLike<'static, Leapers, 4>;

    /// Some games of Ambush.
    pub(crate) fn ambush(games: u64) -> (&'static Rules, Samples) {
        ambush_after(SelfPlay::default().random_plies, games)
    }

    fn ambush_after(random_plies: u64, games: u64) -> (&'static Rules, Samples) {
        let rules = jewel_engine::games::find("ambush").unwrap().rules();
        let game = ChessGame::<Leapers, 4>::new(rules).unwrap();
        let how = SelfPlay { nodes: 30, random_plies, ..SelfPlay::default() };
        let mut samples = Samples::default();
        let evaluation = HandcraftedEvaluation::best(rules);
        (0..games)
            .for_each(|n| samples.push(&how.play(&game, &evaluation, n).unwrap(), &evaluation, |_| None));
        (rules, samples)
    }

    impl Samples {
        /// The position of a sample.
        pub(crate) fn position(&self, number: u32, rules: &'static Rules) -> Ambush {
            let (sample, pieces) = self.get(number);
            let geometry = rules.geometry;
            let at = |file: u8, rank: u8| {
                let on = |piece: &&Piece| {
                    geometry.at(file.into(), rank.into()).map(Place::Square) == Some(piece.place())
                };
                pieces.iter().find(on).map_or('1', |piece| rules.letter(piece.kind(), piece.side()))
            };
            let rank = |rank| (0..geometry.width()).map(|file| at(file, rank)).collect::<String>();
            let mut ranks = (0..geometry.height()).rev().map(rank).collect::<Vec<_>>().join("/");
            for empty in (2..=5).rev() {
                ranks = ranks.replace(&"1".repeat(empty), &empty.to_string());
            }
            let mover = if sample.mover == Side::White { "w" } else { "b" };
            let text = format!("{ranks} {mover} - - 0 1");
            Ambush::from_fen(rules, &text).unwrap_or_else(|e| panic!("{text}: {e}"))
        }
    }

    #[test]
    fn samples_hold_what_was_played() {
        let (rules, samples) = ambush(0);
        let game = ChessGame::<Leapers, 4>::new(rules).unwrap();
        assert!(samples.is_empty());
        let how = SelfPlay { nodes: 30, ..SelfPlay::default() };
        let mut samples = samples;
        let mut number = 0;
        for n in 0..20 {
            let evaluation = HandcraftedEvaluation::best(rules);
            let played = how.play(&game, &evaluation, n).unwrap();
            samples.push(&played, &evaluation, |_| None);
            assert_eq!(played.positions.len(), played.scores.len());
            for (position, score) in played.positions.iter().zip(&played.scores) {
                let same =
                    |p: &Ambush| p.position_text().split(' ').take(2).map(String::from).collect::<Vec<_>>();
                assert_eq!(same(&samples.position(number, rules)), same(position));
                let sample = samples.get(number).0;
                assert_eq!(i32::from(sample.score), *score);
                assert_eq!(i32::from(sample.hand), evaluation.evaluate_afresh(position));
                assert_eq!(
                    sample.result,
                    played.verdict.seen_by(jewel_engine::position::Position::side_to_move(position))
                );
                number += 1;
            }
        }
        assert_eq!((samples.len() as u32, samples.games()), (number, 20));
    }

    #[test]
    fn what_is_held_out_is_of_other_games_and_not_known() {
        // After two random plies many games begin alike.
        let (rules, samples) = ambush_after(2, 60);
        let (fitted, held) = samples.split();
        let of_others = |n: &u32| samples.get(*n).0.game.is_multiple_of(HELD);
        assert!(held.iter().all(of_others) && !fitted.iter().any(of_others));
        let text = |n: &u32| samples.position(*n, rules).position_text();
        let known: HashSet<String> = fitted.iter().map(text).collect();
        let (old, new): (Vec<u32>, Vec<u32>) =
            (0..samples.len() as u32).filter(of_others).partition(|n| known.contains(&text(n)));
        assert_eq!(held, new);
        assert!(!old.is_empty() && !new.is_empty(), "{} and {}", old.len(), new.len());
    }

    #[test]
    fn samples_survive_their_bytes_and_no_bytes_make_it_panic() {
        let (rules, samples) = ambush(6);
        let bytes = samples.to_bytes();
        assert_eq!(Samples::parse(&bytes, rules), Some(samples));
        assert_eq!(Samples::parse(&bytes[..bytes.len() - 1], rules), None);
        let config = Config { rng_seed: RngSeed::Fixed(9), cases: 500, ..Config::default() };
        let all = proptest::collection::vec((0..bytes.len(), any::<u8>()), 0..5);
        let test = |changes: Vec<(usize, u8)>| {
            let mut bytes = bytes.clone();
            changes.into_iter().for_each(|(at, byte)| bytes[at] = byte);
            if let Some(samples) = Samples::parse(&bytes, rules) {
                prop_assert_eq!(samples.to_bytes(), bytes);
            }
            Ok(())
        };
        TestRunner::new(config).run(&all, test).unwrap();
    }

    #[test]
    fn samples_hold_what_is_in_hand() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/variants/dobutsu.toml");
        let rules = Rules::parse(&std::fs::read_to_string(file).unwrap()).unwrap().leak();
        let mut samples = Samples::default();
        let evaluation = HandcraftedEvaluation::best(rules);
        let how = SelfPlay { nodes: 30, ..SelfPlay::default() };
        let (mut number, mut held) = (0, 0);
        with_leanest_game!(rules, game => {
            for n in 0..20 {
                let played = how.play(&game, &evaluation, n).unwrap();
                samples.push(&played, &evaluation, |_| None);
                for position in &played.positions {
                    let (_, pieces) = samples.get(number);
                    number += 1;
                    let mut features = Vec::new();
                    for piece in pieces {
                        let (kind, side) = (piece.kind(), piece.side());
                        match piece.place() {
                            Place::Square(square) => assert!(position.pieces_of_kind(side, kind).has(square)),
                            Place::Hand(count) => {
                                assert_eq!(count, position.in_hand(side, kind));
                                features.push((side, kind, count));
                            }
                        }
                    }
                    held += features.len();
                    let all = position.hands().count();
                    assert_eq!(features.len(), all);
                    assert!(pieces.iter().all(|piece| piece.image(rules, Symmetry::IDENTITY) == *piece));
                }
            }
        });
        assert!(held > 100, "{held}");
        assert!(Samples::parse(&samples.to_bytes(), rules) == Some(samples.clone()));
        // A Hen, which is never in hand, and an empty hand.
        let hen = rules.type_count() as u8 - 1;
        for (kind, count) in [(hen, 1), (0, 0)] {
            let mut other = samples.clone();
            other.pieces[0] = Piece::new(kind, Side::White, Place::Hand(count));
            assert!(Samples::parse(&other.to_bytes(), rules).is_none());
        }
    }

    #[test]
    fn a_similar_game_is_learnt_from_and_not_held_back() {
        let (_, own) = ambush(20);
        let (_, others) = ambush(17);
        let mut both = own.clone();
        both.learn_from(&others);
        assert_eq!((both.games(), both.len()), (20, own.len() + others.len()));
        let ((fitted, held), (alone, kept)) = (both.split(), own.split());
        assert_eq!((fitted.len(), held), (alone.len() + others.len(), kept));
        for number in 0..others.len() as u32 {
            let after = number + own.len() as u32;
            assert_eq!(both.get(after).1, others.get(number).1);
            assert_eq!(both.get(after).0.score, others.get(number).0.score);
            assert!(fitted.contains(&after));
        }
    }

    #[test]
    fn exact_values_take_the_place_of_results() {
        let (rules, _) = ambush(0);
        let game = ChessGame::<Leapers, 4>::new(rules).unwrap();
        let how = SelfPlay { nodes: 30, ..SelfPlay::default() };
        let evaluation = HandcraftedEvaluation::best(rules);
        let played = (0..).map(|n| how.play(&game, &evaluation, n).unwrap());
        let played = played.into_iter().find(|played| played.positions.len() > 1).unwrap();
        let first = played.positions[0];
        let mut samples = Samples::default();
        samples.push(&played, &evaluation, |position| (*position == first).then_some(Value::Loss(6)));
        let (exact, rest) = (samples.get(0).0, samples.get(1).0);
        assert_eq!((exact.exact, exact.result, exact.score), (true, Outcome::Loss, 6));
        assert!(!rest.exact && i32::from(rest.score) == played.scores[1]);
        assert_eq!(Samples::parse(&samples.to_bytes(), rules), Some(samples));
    }

    #[test]
    fn the_unit_is_that_of_the_scores() {
        let sample = |score, result| Sample {
            end: 0,
            game: 0,
            mover: Side::White,
            result,
            exact: false,
            score,
            hand: 0,
        };
        // Odds of e² to 1 at 300 centipawns: 881 to 119.
        let mut list = vec![sample(300, Outcome::Win); 881];
        list.extend([sample(300, Outcome::Loss); 119]);
        let unit = Samples { games: 1, pieces: Vec::new(), list }.unit();
        assert!((unit / 150.0 - 1.0).abs() < 0.02, "{unit}");
    }
}
