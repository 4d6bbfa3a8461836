//! What rows of features have in common while they are learnt.
//!
//! Few games show every piece on every square. So the row of a feature is learnt as a sum: its own row, and rows that
//! it shares with the same piece on other squares, or with other pieces on the same square. The sums are what a net
//! keeps, so that this costs nothing in a game. (nnue-pytorch, which trains the networks of Stockfish, calls features
//! that are learnt in this way factorised.)

use super::model::{Row, add};
use crate::evaluate::net::{Features, WIDTH};
use jewel_engine::variant::Rules;

/// Shared rows of a feature: those of its piece anywhere, on its rank, and on its file or the mirror image of that; and
/// of any piece of the same owner on its square.
const LEVELS: usize = 4;

/// Which rows features share.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    /// By feature of a piece on a square. Those of pieces in hand share nothing.
    of: Vec<[usize; LEVELS]>,
    count: usize,
}

impl Shared {
    /// Those of all features of a game, which are in blocks of one piece on all squares.
    pub(super) fn new(rules: &Rules, features: &Features) -> Shared {
        let features = features.on_board();
        let (geometry, kinds) = (rules.geometry, rules.type_count());
        let area = usize::from(geometry.area());
        let (width, height) = (usize::from(geometry.width()), usize::from(geometry.height()));
        let blocks = features / area;
        let sizes = [blocks, blocks * height, blocks * width, blocks / kinds * area];
        let first = |level: usize| sizes[..level].iter().sum::<usize>();
        let of = |feature: usize| {
            let (block, square) = (feature / area, feature % area);
            let (rank, file) = (square / width, square % width);
            let numbers = [
                block,
                block * height + rank,
                block * width + file.min(width - 1 - file),
                block / kinds * area + square,
            ];
            std::array::from_fn(|level| first(level) + numbers[level])
        };
        Shared { of: (0..features).map(of).collect(), count: first(LEVELS) }
    }

    /// None at all: each feature has its own row alone.
    pub(super) fn none() -> Shared {
        Shared { of: Vec::new(), count: 0 }
    }

    /// The number of shared rows.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Adds the shared rows to those of the features.
    pub(super) fn add_to(&self, rows: &mut [Row], shared: &[Row]) {
        for (row, levels) in rows.iter_mut().zip(&self.of) {
            levels.iter().for_each(|&level| add(row, &shared[level]));
        }
    }

    /// The gradient of the shared rows, of that of the sums.
    pub(super) fn gradient(&self, rows: &[Row]) -> Vec<Row> {
        let mut gradient = vec![[0.0; WIDTH]; self.count];
        for (row, levels) in rows.iter().zip(&self.of) {
            levels.iter().for_each(|&level| add(&mut gradient[level], row));
        }
        gradient
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::games::find;
    use jewel_engine::value::Side;

    #[test]
    fn a_piece_shares_with_itself_elsewhere_and_a_square_with_other_pieces() {
        for name in ["chess", "ambush", "crystal-of-doom"] {
            let rules = find(name).unwrap().rules();
            let features = Features::new(rules);
            let shared = Shared::new(rules, &features);
            let geometry = rules.geometry;
            let mut used = vec![0; shared.count()];
            shared.of.iter().flatten().for_each(|&level| used[level] += 1);
            // A file on the right shares the row of its mirror image, and has none of its own.
            let idle = used.iter().filter(|&&times| times == 0).count();
            let pieces = features.count() / usize::from(geometry.area());
            assert_eq!(idle, pieces * usize::from(geometry.width() / 2), "{name}");
            let last = rules.type_count() as u8 - 1;
            for one in geometry.squares() {
                for two in geometry.squares() {
                    let of = |kind, owner, square| shared.of[features.of(kind, owner, square)[0]];
                    let (a, b) = (of(last, Side::White, one), of(last, Side::White, two));
                    let same = [
                        true,
                        geometry.rank(one) == geometry.rank(two),
                        geometry.file(one) == geometry.file(two)
                            || geometry.file(one) + geometry.file(two) == geometry.width() - 1,
                        one == two,
                    ];
                    assert_eq!(std::array::from_fn(|level| a[level] == b[level]), same, "{name}");
                    let (enemy, other) = (of(last, Side::Black, two), of(0, Side::White, two));
                    assert!((0..LEVELS).all(|level| a[level] != enemy[level]), "{name}");
                    let alike = std::array::from_fn(|level| a[level] == other[level]);
                    assert_eq!(
                        alike,
                        if last == 0 { same } else { [false, false, false, one == two] },
                        "{name}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_gradient_is_that_of_the_sums() {
        let rules = find("ambush").unwrap().rules();
        let features = Features::new(rules);
        let shared = Shared::new(rules, &features);
        let features = features.count();
        let mut random = jewel_engine::random::Random::new(7);
        let mut rows = |count: usize| -> Vec<Row> {
            (0..count).map(|_| std::array::from_fn(|_| random.unit() as f32 - 0.5)).collect()
        };
        // A linear function of the sums, whose slope is the gradient.
        let (slopes, common) = (rows(features), rows(shared.count()));
        let mut sums = vec![[0.0; WIDTH]; features];
        shared.add_to(&mut sums, &common);
        let product = |a: &[Row], b: &[Row]| -> f64 {
            a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| f64::from(a * b)).sum()
        };
        let (one, two) = (product(&slopes, &sums), product(&shared.gradient(&slopes), &common));
        assert!((one - two).abs() < 1e-2 && one.abs() > 0.1, "{one} {two}");
        let mut kept = slopes.clone();
        Shared::none().add_to(&mut kept, &[]);
        assert!(kept == slopes && Shared::none().gradient(&slopes).is_empty());
    }
}
