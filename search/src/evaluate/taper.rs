//! Two weights in one word.

use super::weights::Pair;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A [`Pair`] in one word: the opening's weight in the low half, the endgame's in the high one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Taper(i64);

impl Taper {
    pub(super) const fn new(pair: Pair) -> Taper {
        Taper(pair[0] as i64 + ((pair[1] as i64) << 32))
    }

    pub(super) const fn opening(self) -> i32 {
        self.0 as i32
    }

    pub(super) const fn endgame(self) -> i32 {
        ((self.0 + (1 << 31)) >> 32) as i32
    }
}

impl Add for Taper {
    type Output = Taper;
    #[inline(always)]
    fn add(self, other: Taper) -> Taper {
        Taper(self.0 + other.0)
    }
}

impl Sub for Taper {
    type Output = Taper;
    #[inline(always)]
    fn sub(self, other: Taper) -> Taper {
        Taper(self.0 - other.0)
    }
}

impl AddAssign for Taper {
    #[inline(always)]
    fn add_assign(&mut self, other: Taper) {
        self.0 += other.0;
    }
}

impl SubAssign for Taper {
    #[inline(always)]
    fn sub_assign(&mut self, other: Taper) {
        self.0 -= other.0;
    }
}

impl Mul<i32> for Taper {
    type Output = Taper;
    #[inline(always)]
    fn mul(self, factor: i32) -> Taper {
        Taper(self.0 * i64::from(factor))
    }
}

impl Neg for Taper {
    type Output = Taper;
    #[inline(always)]
    fn neg(self) -> Taper {
        Taper(-self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_a_taper_do_not_disturb_each_other() {
        for pair in [[0, 0], [-1, 1], [70_000, -70_000], [-5, -9]] {
            let taper = Taper::new(pair);
            assert_eq!([taper.opening(), taper.endgame()], pair);
            let tripled = taper * 3 - taper + Taper::new([1, -1]);
            assert_eq!([tripled.opening(), tripled.endgame()], [2 * pair[0] + 1, 2 * pair[1] - 1]);
        }
    }
}
