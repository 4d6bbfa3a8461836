//! The symmetries of a rectangular board: the group of eight of a square one, four of an oblong one.

use crate::bitboard::{Bitboard, Square};
use crate::geometry::Geometry;

/// One symmetry of the board, as three independent choices made in this order: transpose (exchange files
/// and ranks), then mirror the files, then mirror the ranks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symmetry {
    /// Exchange files and ranks (only on a square board).
    pub transpose: bool,
    /// West and east exchanged.
    pub mirror_files: bool,
    /// South and north exchanged.
    pub mirror_ranks: bool,
}

impl Symmetry {
    /// The symmetry that moves nothing.
    pub const IDENTITY: Symmetry = Symmetry { transpose: false, mirror_files: false, mirror_ranks: false };

    /// All symmetries of a board, the identity first.
    pub fn all(geometry: Geometry) -> impl Iterator<Item = Symmetry> {
        let square = geometry.width() == geometry.height();
        (0..8)
            .map(|n| Symmetry { transpose: n & 4 != 0, mirror_files: n & 1 != 0, mirror_ranks: n & 2 != 0 })
            .filter(move |s| square || !s.transpose)
    }

    /// Where a step of `dx` files and `dy` ranks points afterwards.
    pub const fn step(self, dx: i32, dy: i32) -> (i32, i32) {
        let (dx, dy) = if self.transpose { (dy, dx) } else { (dx, dy) };
        (if self.mirror_files { -dx } else { dx }, if self.mirror_ranks { -dy } else { dy })
    }

    /// Where a square goes.
    pub fn square(self, geometry: Geometry, square: Square) -> Square {
        let (file, rank) = (geometry.file(square), geometry.rank(square));
        let (file, rank) = if self.transpose { (rank, file) } else { (file, rank) };
        let file = if self.mirror_files { geometry.width() - 1 - file } else { file };
        let rank = if self.mirror_ranks { geometry.height() - 1 - rank } else { rank };
        Square::new(rank * geometry.width() + file)
    }

    /// Where a set of squares goes.
    pub fn set(self, geometry: Geometry, set: Bitboard) -> Bitboard {
        set.into_iter().map(|s| self.square(geometry, s)).collect()
    }

    /// The symmetry that undoes this one.
    pub const fn inverse(self) -> Symmetry {
        if self.transpose {
            Symmetry { transpose: true, mirror_files: self.mirror_ranks, mirror_ranks: self.mirror_files }
        } else {
            self
        }
    }

    /// First this symmetry, then `next`.
    pub const fn then(self, next: Symmetry) -> Symmetry {
        let (files, ranks) = if next.transpose {
            (self.mirror_ranks, self.mirror_files)
        } else {
            (self.mirror_files, self.mirror_ranks)
        };
        Symmetry {
            transpose: self.transpose != next.transpose,
            mirror_files: files != next.mirror_files,
            mirror_ranks: ranks != next.mirror_ranks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_laws_hold() {
        for (size, order) in [((5, 5), 8), ((4, 3), 4), ((8, 8), 8)] {
            let g = Geometry::new(size.0, size.1).unwrap();
            let all: Vec<Symmetry> = Symmetry::all(g).collect();
            assert_eq!(all.len(), order);
            assert_eq!(all[0], Symmetry::IDENTITY);
            for &a in &all {
                assert_eq!(a.then(a.inverse()), Symmetry::IDENTITY);
                for &b in &all {
                    for s in g.squares() {
                        assert_eq!(a.then(b).square(g, s), b.square(g, a.square(g, s)));
                    }
                }
            }
        }
    }

    #[test]
    fn steps_and_squares_agree() {
        let g = Geometry::new(7, 7).unwrap();
        for symmetry in Symmetry::all(g) {
            for from in g.squares() {
                for (dx, dy) in [(1, 0), (2, 1), (-1, 3)] {
                    let Some(to) = g.step(from, dx, dy) else { continue };
                    let (sx, sy) = symmetry.step(dx, dy);
                    assert_eq!(g.step(symmetry.square(g, from), sx, sy), Some(symmetry.square(g, to)));
                }
            }
        }
    }
}
