//! The input features of a net: a number for every piece on every square, as each side sees the board, and for every piece
//! in hand.

use super::MAX_IN_ROWS;
use jewel_engine::bitboard::Square;
use jewel_engine::symmetry::Symmetry;
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;

/// How many pieces of one type in one hand are told apart; more count as this many.
pub(crate) const MAX_HELD: usize = 6;

/// The numbers of a game's features.
///
/// A feature says that a piece of one's own or of the enemy, of one type, stands on one square, or that a hand has a first,
/// second or later piece of a type. Both sides have the same features if a symmetry of the rules exchanges the sides: Black
/// then sees the board through the first such symmetry. Otherwise each side has its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Features {
    /// The number of those of pieces on squares, which come first.
    board: usize,
    /// The number of those of pieces in hand.
    held: usize,
    shared: bool,
    /// By type, owner and square: the features as White and Black see them.
    seen: Vec<[[[u16; 2]; 64]; 2]>,
    /// By type and owner: the features of the first piece in hand, which those of further ones follow. Nothing for types that
    /// are never in hand.
    first_held: Vec<Option<[[u16; 2]; 2]>>,
}

impl Features {
    pub(crate) fn new(rules: &Rules) -> Features {
        let kinds = rules.type_count();
        let area = usize::from(rules.geometry.area());
        let half = 2 * kinds * area;
        let exchange = exchange(rules);
        let mut seen = vec![[[[0; 2]; 64]; 2]; kinds];
        for (kind, seen) in seen.iter_mut().enumerate() {
            for owner in Side::BOTH {
                for square in rules.geometry.squares() {
                    let number = |viewer: Side, square: Square| {
                        let enemy = usize::from(owner != viewer);
                        (enemy * kinds + kind) * area + square.index()
                    };
                    let black = match exchange {
                        Some(symmetry) => number(Side::Black, symmetry.square(rules.geometry, square)),
                        None => half + number(Side::Black, square),
                    };
                    seen[owner.index()][square.index()] = [number(Side::White, square) as u16, black as u16];
                }
            }
        }
        let (shared, views) = if exchange.is_some() { (true, 1) } else { (false, 2) };
        let board = views * half;
        let held: Vec<u8> = (0..kinds as u8).filter(|&kind| rules.may_be_held(kind)).collect();
        let first = |place: usize| {
            let number = |owner: Side, viewer: Side| {
                let view = if shared { 0 } else { viewer.index() };
                let block = (2 * view + usize::from(owner != viewer)) * held.len() + place;
                (board + block * MAX_HELD) as u16
            };
            Side::BOTH.map(|owner| Side::BOTH.map(|viewer| number(owner, viewer)))
        };
        let first_held = (0..kinds as u8).map(|kind| held.iter().position(|&other| other == kind).map(first));
        let first_held = first_held.collect();
        Features { board, held: views * 2 * held.len() * MAX_HELD, shared, seen, first_held }
    }

    /// The number of features.
    pub(crate) fn count(&self) -> usize {
        self.board + self.held
    }

    /// The number of features of pieces on squares.
    pub(crate) fn on_board(&self) -> usize {
        self.board
    }

    /// Whether both sides have the same features.
    pub(crate) fn are_shared(&self) -> bool {
        self.shared
    }

    /// The largest magnitude of weights of features, in integers, so that the sum of 64 pieces, one of them twice in the middle of
    /// a move, of the bias and of full hands stays below 2^15.
    pub(crate) fn max_in_rows(&self) -> i16 {
        let held = if self.shared { self.held } else { self.held / 2 };
        i16::try_from(i16::MAX as usize / (66 + held)).unwrap_or(MAX_IN_ROWS).min(MAX_IN_ROWS)
    }

    /// The features of a piece on a square as White and Black see it.
    #[inline(always)]
    pub(crate) fn of(&self, kind: u8, owner: Side, square: Square) -> [usize; 2] {
        let [white, black] = self.seen[usize::from(kind)][owner.index()][square.index()];
        [white.into(), black.into()]
    }

    /// The features of a piece in hand whose owner has `others` of the same type; `None` if those are [`MAX_HELD`] or more.
    #[inline(always)]
    pub(crate) fn in_hand(&self, kind: u8, owner: Side, others: u8) -> Option<[usize; 2]> {
        let first = self.first_held.get(usize::from(kind))?.as_ref()?[owner.index()];
        let others = usize::from(others);
        (others < MAX_HELD).then(|| first.map(|first| usize::from(first) + others))
    }

    /// The features of all pieces of a type in a side's hand.
    pub(crate) fn of_hand(&self, kind: u8, owner: Side, count: u8) -> impl Iterator<Item = [usize; 2]> + '_ {
        (0..count).map_while(move |others| self.in_hand(kind, owner, others))
    }
}

/// The first symmetry that exchanges the sides.
fn exchange(rules: &Rules) -> Option<Symmetry> {
    rules.symmetries().iter().find(|(_, exchange)| *exchange).map(|&(symmetry, _)| symmetry)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::games::{GAMES, find};

    /// Dobutsu, in which four of five types may be in hand, with something replaced.
    fn dobutsu(from: &str, to: &str) -> Rules {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/variants/dobutsu.toml");
        let text = std::fs::read_to_string(file).unwrap();
        assert!(text.contains(from));
        Rules::parse(&text.replacen(from, to, 1)).unwrap()
    }

    #[test]
    fn every_feature_is_seen_and_both_sides_see_the_same_game() {
        let with_hands = [dobutsu("", ""), dobutsu("b = [\"rank 1\"]", "b = [\"rank 1\", \"rank 2\"]")];
        assert_eq!(with_hands.each_ref().map(|rules| exchange(rules).is_some()), [true, false]);
        for rules in GAMES.iter().map(|game| game.rules()).chain(&with_hands) {
            let features = Features::new(rules);
            let mut seen = vec![[false; 2]; features.count()];
            let mut see = |numbers: [usize; 2]| {
                for (viewer, number) in numbers.into_iter().enumerate() {
                    assert!(!seen[number][viewer], "{}: {number} stands for two", rules.id);
                    seen[number][viewer] = true;
                }
            };
            for kind in 0..rules.type_count() as u8 {
                for owner in Side::BOTH {
                    for square in rules.geometry.squares() {
                        let numbers = features.of(kind, owner, square);
                        see(numbers);
                        let Some(symmetry) = exchange(rules) else { continue };
                        let image = symmetry.square(rules.geometry, square);
                        let [white, black] = features.of(kind, !owner, image);
                        assert_eq!([black, white], numbers, "{}", rules.id);
                    }
                    let held = features.of_hand(kind, owner, u8::MAX).collect::<Vec<_>>();
                    assert_eq!(held.len(), if rules.may_be_held(kind) { MAX_HELD } else { 0 });
                    for (others, numbers) in (0..).zip(held) {
                        see(numbers);
                        let other = features.in_hand(kind, !owner, others).unwrap();
                        assert!(
                            exchange(rules).is_none() || other == [numbers[1], numbers[0]],
                            "{}",
                            rules.id
                        );
                    }
                }
            }
            assert!(seen.iter().all(|viewers| viewers.contains(&true)), "{}", rules.id);
        }
    }

    #[test]
    fn full_hands_leave_less_room_for_weights() {
        assert_eq!(Features::new(find("chess").unwrap().rules()).max_in_rows(), MAX_IN_ROWS);
        // A Lion, a Giraffe, an Elephant and a Chick of each side; a Hen is a Chick in hand.
        let rules = dobutsu("", "");
        let held = (0..rules.type_count() as u8).filter(|&kind| rules.may_be_held(kind)).count();
        let rows = 64 + 2 + 2 * held * MAX_HELD;
        let most = usize::from(Features::new(&rules).max_in_rows().unsigned_abs());
        assert!(most * rows <= 0x7fff && (most + 1) * rows > 0x7fff, "{most}");
    }

    #[test]
    fn a_game_of_unequal_sides_has_features_for_each() {
        let text =
            find("diamond-chess").unwrap().text.replace("w = [\"rank 7\"]", "w = [\"rank 6\", \"rank 7\"]");
        let rules = Rules::parse(&text).unwrap();
        assert_eq!(exchange(&rules), None);
        assert_eq!(Features::new(&rules).count(), 4 * 5 * 49);
        assert_eq!(Features::new(find("diamond-chess").unwrap().rules()).count(), 2 * 5 * 49);
    }
}
