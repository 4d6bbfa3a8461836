//! The input features of a net: a number for every piece on every square, as each side sees the board.

use jewel_engine::bitboard::Square;
use jewel_engine::symmetry::Symmetry;
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;

/// The numbers of a game's features.
///
/// A feature says that a piece of one's own or of the enemy, of one type, stands on one square. Both sides have the
/// same features if a symmetry of the rules exchanges the sides: Black then sees the board through the first such
/// symmetry. Otherwise each side has its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Features {
    count: usize,
    shared: bool,
    /// By type, owner and square: the features as White and Black see them.
    seen: Vec<[[[u16; 2]; 64]; 2]>,
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
        let shared = exchange.is_some();
        Features { count: if shared { half } else { 2 * half }, shared, seen }
    }

    /// The number of features.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Whether both sides have the same features.
    pub(crate) fn are_shared(&self) -> bool {
        self.shared
    }

    /// The features of a piece on a square as White and Black see it.
    #[inline(always)]
    pub(crate) fn of(&self, kind: u8, owner: Side, square: Square) -> [usize; 2] {
        let [white, black] = self.seen[usize::from(kind)][owner.index()][square.index()];
        [white.into(), black.into()]
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

    #[test]
    fn every_feature_is_seen_and_both_sides_see_the_same_game() {
        for game in &GAMES {
            let rules = game.rules();
            let features = Features::new(rules);
            let mut seen = vec![[false; 2]; features.count()];
            for kind in 0..rules.type_count() as u8 {
                for owner in Side::BOTH {
                    for square in rules.geometry.squares() {
                        let numbers = features.of(kind, owner, square);
                        for (viewer, number) in numbers.into_iter().enumerate() {
                            assert!(!seen[number][viewer], "{}: {number} stands for two", rules.id);
                            seen[number][viewer] = true;
                        }
                        let Some(symmetry) = exchange(rules) else { continue };
                        let image = symmetry.square(rules.geometry, square);
                        let [white, black] = features.of(kind, !owner, image);
                        assert_eq!([black, white], numbers, "{}", rules.id);
                    }
                }
            }
            assert!(seen.iter().all(|viewers| viewers.contains(&true)), "{}", rules.id);
        }
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
