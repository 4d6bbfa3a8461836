//! Pieces as sets of squares, by side and type, and sets as numbers.

use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::bits;
use jewel_engine::value::Side;
use jewel_tables::combination;
use std::ops::{Index, IndexMut};

/// The most piece types that a game with tables may have.
pub(crate) const MAX_TYPES: usize = 12;

/// One value for each side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub(crate) struct BySide<T>(pub(crate) [T; 2]);

impl<T> BySide<T> {
    /// What `f` makes of White, and of Black.
    pub(crate) fn from_fn(f: impl FnMut(Side) -> T) -> BySide<T> {
        BySide(Side::BOTH.map(f))
    }
}

impl<T> Index<Side> for BySide<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, side: Side) -> &T {
        &self.0[side.index()]
    }
}

impl<T> IndexMut<Side> for BySide<T> {
    #[inline(always)]
    fn index_mut(&mut self, side: Side) -> &mut T {
        &mut self.0[side.index()]
    }
}

/// The other side if `swap` is set.
#[inline(always)]
pub(crate) fn swapped_if(swap: bool, side: Side) -> Side {
    if swap { !side } else { side }
}

/// The squares of every piece of a position, by side and type.
pub(crate) type Pieces = BySide<[Bitboard; MAX_TYPES]>;

impl Pieces {
    /// The squares of one side.
    #[inline]
    pub(crate) fn occupied_by(&self, side: Side) -> Bitboard {
        self[side].iter().fold(Bitboard::EMPTY, |all, &set| all | set)
    }

    /// The squares of both sides.
    #[inline]
    pub(crate) fn occupied(&self) -> Bitboard {
        self.occupied_by(Side::White) | self.occupied_by(Side::Black)
    }
}

/// The squares of a set below a square.
#[inline(always)]
pub(crate) fn below(set: Bitboard, square: Square) -> Bitboard {
    Bitboard(set.0 & (square.bit().0 - 1))
}

/// The number of a square among those of a set, counted from 0.
#[inline(always)]
pub(crate) fn rank_of(square: Square, set: Bitboard) -> u32 {
    below(set, square).count()
}

/// The number of a set among the sets of its size within `free`: see [`combination::rank`].
#[inline(always)]
pub(crate) fn rank(set: Bitboard, free: Bitboard) -> u64 {
    combination::rank(set.0, free.0)
}

/// All sets of `count` squares within `free`, in the order of [`rank`].
pub(crate) fn sets(free: Bitboard, count: usize) -> Vec<Bitboard> {
    combination::sets(free.0, count as u32).into_iter().map(Bitboard).collect()
}

/// The ranks of the squares of `set` among those of `free`, a bit each.
#[inline(always)]
pub(crate) fn ranks_in(set: Bitboard, free: Bitboard) -> u64 {
    bits::extract(set.0, free.0)
}

/// The squares of `free` that have these ranks: undoes [`ranks_in`].
#[inline(always)]
pub(crate) fn squares_of(ranks: u64, free: Bitboard) -> Bitboard {
    Bitboard(bits::deposit(ranks, free.0))
}
