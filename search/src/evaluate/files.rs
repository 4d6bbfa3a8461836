//! Files and the squares in front of pawns.

use jewel_engine::bitboard::Bitboard;
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;

/// The files of a board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Files {
    width: u32,
    area: u32,
    all: Bitboard,
    west: Bitboard,
    east: Bitboard,
}

impl Files {
    pub(super) fn new(rules: &Rules) -> Files {
        let geometry = rules.geometry;
        let file = |file: u8| geometry.squares().filter(|&square| geometry.file(square) == file).collect();
        Files {
            width: geometry.width().into(),
            area: geometry.area().into(),
            all: geometry.all(),
            west: file(0),
            east: file(geometry.width() - 1),
        }
    }

    /// All squares in front of those of a set, in a side's direction.
    #[inline(always)]
    pub(super) fn before(&self, set: Bitboard, side: Side) -> Bitboard {
        let shift = |set: u64, by: u32| match side {
            Side::White => set.unbounded_shl(by),
            Side::Black => set.unbounded_shr(by),
        };
        let mut filled = shift(set.0, self.width);
        // Three steps without a branch are enough for eight ranks.
        for by in [1, 2, 4] {
            filled |= shift(filled, by * self.width);
        }
        let mut by = 8 * self.width;
        while by < self.area {
            filled |= shift(filled, by);
            by *= 2;
        }
        Bitboard(filled) & self.all
    }

    /// The squares to the left and right of those of a set.
    #[inline(always)]
    pub(super) fn beside(&self, set: Bitboard) -> Bitboard {
        Bitboard((set & !self.east).0 << 1 | (set & !self.west).0 >> 1)
    }

    /// The squares one rank behind those of a set, as a side sees it.
    #[inline(always)]
    pub(super) fn one_back(&self, set: Bitboard, side: Side) -> Bitboard {
        let moved = match side {
            Side::White => set.0.unbounded_shr(self.width),
            Side::Black => set.0.unbounded_shl(self.width),
        };
        Bitboard(moved) & self.all
    }

    /// A set with the squares to its left and right.
    #[inline(always)]
    pub(super) fn widened(&self, set: Bitboard) -> Bitboard {
        Bitboard(set.0 | (set & !self.east).0 << 1 | (set & !self.west).0 >> 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::bitboard::Square;
    use jewel_engine::games::find;

    #[test]
    fn squares_before_and_beside() {
        let files = Files::new(find("diamond-chess").unwrap().rules());
        // On 7 files: d2, a7 and g1.
        let squares = |list: &[u8]| -> Bitboard { list.iter().map(|&n| Square::new(n)).collect() };
        let set = squares(&[10, 42, 6]);
        assert_eq!(files.before(set, Side::White), squares(&[17, 24, 31, 38, 45, 13, 20, 27, 34, 41, 48]));
        assert_eq!(files.before(set, Side::Black), squares(&[3, 35, 28, 21, 14, 7, 0]));
        assert_eq!(files.widened(set), squares(&[9, 10, 11, 42, 43, 5, 6]));
        assert_eq!(files.beside(set), squares(&[9, 11, 43, 5]));
        assert_eq!(files.one_back(set, Side::White), squares(&[3, 35]));
        assert_eq!(files.one_back(set, Side::Black), squares(&[17, 13]));
    }
}
