//! Sets of squares as 64-bit words.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

/// A square by number: `rank * width + file`, counted from the south-west corner; at most 63.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct Square(u8);

impl Square {
    /// The square of that number.
    ///
    /// # Panics
    /// If the number is above 63.
    #[inline(always)]
    pub const fn new(number: u8) -> Square {
        assert!(number < 64);
        Square(number)
    }

    /// The lowest six bits as a square number: for numbers that are known to be in range.
    #[inline(always)]
    pub(crate) const fn wrap(number: u32) -> Square {
        Square((number & 63) as u8)
    }

    /// Its number, below 64.
    #[inline(always)]
    pub(crate) const fn number(self) -> u8 {
        self.0
    }

    /// Its number, in `0..64`; the mask lets the compiler drop bounds checks on 64-entry tables.
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// The set of this square alone.
    #[inline(always)]
    pub const fn bit(self) -> Bitboard {
        Bitboard(1 << (self.0 & 63))
    }

    /// The square `delta` numbers away; meaningful only where that stays on the board.
    #[inline(always)]
    pub(crate) const fn offset(self, delta: i8) -> Square {
        Square(self.0.wrapping_add_signed(delta) & 63)
    }
}

/// A set of squares, bit `n` for square number `n`.
///
/// ```
/// use jewel_engine::bitboard::{Bitboard, Square};
/// let set = Square::new(0).bit() | Square::new(9).bit();
/// assert_eq!(set.count(), 2);
/// assert_eq!(set.into_iter().map(|s| s.index()).collect::<Vec<_>>(), [0, 9]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// No square.
    pub const EMPTY: Bitboard = Bitboard(0);
    /// All 64 bits, on the board or not.
    pub const ALL: Bitboard = Bitboard(!0);

    /// Whether no square is in the set.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether some square is in the set.
    #[inline(always)]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// How many squares are in the set.
    #[inline(always)]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether exactly one square is in the set.
    #[inline(always)]
    pub const fn is_single(self) -> bool {
        self.0.is_power_of_two()
    }

    /// Whether the square is in the set.
    #[inline(always)]
    pub const fn has(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// The lowest square; square 0 for the empty set.
    #[inline(always)]
    pub const fn first(self) -> Square {
        Square::wrap(self.0.trailing_zeros())
    }

    /// The set moved by `delta` square numbers. Right only where no square leaves the 64-bit word: those
    /// that do come in again at the other end.
    #[inline(always)]
    pub(crate) const fn shifted(self, delta: i8) -> Bitboard {
        Bitboard(self.0.rotate_left(delta as u32 & 63))
    }
}

/// The squares of a [`Bitboard`], lowest first.
#[derive(Clone, Debug)]
pub struct Squares(u64);

impl Iterator for Squares {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        if self.0 == 0 {
            return None;
        }
        let square = Square::wrap(self.0.trailing_zeros());
        self.0 &= self.0 - 1;
        Some(square)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let n = self.0.count_ones() as usize;
        (n, Some(n))
    }
}

impl ExactSizeIterator for Squares {}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline(always)]
    fn into_iter(self) -> Squares {
        Squares(self.0)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Bitboard {
        squares.into_iter().fold(Bitboard::EMPTY, |set, square| set | square.bit())
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bitboard({:#x})", self.0)
    }
}

macro_rules! binary {
    ($trait:ident $method:ident, $assign:ident $assign_method:ident, $op:tt) => {
        impl $trait for Bitboard {
            type Output = Bitboard;
            #[inline(always)]
            fn $method(self, other: Bitboard) -> Bitboard {
                Bitboard(self.0 $op other.0)
            }
        }
        impl $assign for Bitboard {
            #[inline(always)]
            fn $assign_method(&mut self, other: Bitboard) {
                self.0 = self.0 $op other.0;
            }
        }
    };
}
binary!(BitAnd bitand, BitAndAssign bitand_assign, &);
binary!(BitOr bitor, BitOrAssign bitor_assign, |);
binary!(BitXor bitxor, BitXorAssign bitxor_assign, ^);

impl Not for Bitboard {
    type Output = Bitboard;

    #[inline(always)]
    fn not(self) -> Bitboard {
        Bitboard(!self.0)
    }
}
