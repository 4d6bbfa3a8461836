//! Pseudo-random numbers, the same on every machine.

use crate::zobrist::splitmix64;

/// A small, fast generator (SplitMix64): one addition and a few multiplications a number, any seed, a period
/// of 2^64. Not for secrets.
///
/// ```
/// use jewel_engine::random::Random;
/// let mut dice = Random::new(7);
/// assert!((0..100).all(|_| dice.below(6) < 6));
/// assert_eq!(Random::new(7).next_u64(), Random::new(7).next_u64());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator of a seed.
    pub const fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The generator of one of several streams of a seed, such as one for each thread.
    pub const fn stream(seed: u64, number: u64) -> Random {
        // Streams start at hashed places of one cycle, so that none is a shifted copy of its neighbour.
        Random(splitmix64(splitmix64(seed).1 ^ number.wrapping_mul(0xd134_2543_de82_ef95)).1)
    }

    /// 64 random bits.
    #[inline(always)]
    pub const fn next_u64(&mut self) -> u64 {
        let out;
        (self.0, out) = splitmix64(self.0);
        out
    }

    /// A number below `bound`, each as likely as the others to within `bound` in 2^64 (Lemire's
    /// multiplication); 0 if `bound` is 0.
    #[inline(always)]
    pub const fn below(&mut self, bound: u32) -> u32 {
        ((self.next_u64() as u128 * bound as u128) >> 64) as u32
    }

    /// A number from 0 inclusive to 1 exclusive.
    #[inline]
    pub const fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_below_a_bound_are_all_as_likely() {
        let mut random = Random::new(1);
        let mut seen = [0u32; 7];
        (0..70_000).for_each(|_| seen[random.below(7) as usize] += 1);
        // Six degrees of freedom: above 22.5 once in a thousand, and the seed is fixed.
        let chi: f64 = seen.iter().map(|&n| (f64::from(n) - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi < 22.5, "chi-square {chi}");
        assert_eq!(random.below(0), 0);
        assert!((0..1000).all(|_| (0.0..1.0).contains(&random.unit())));
    }

    #[test]
    fn streams_differ() {
        let first: Vec<u64> = (0..100).map(|n| Random::stream(5, n).next_u64()).collect();
        let distinct: std::collections::HashSet<_> = first.iter().collect();
        assert_eq!(distinct.len(), 100);
        assert_ne!(Random::stream(6, 0).next_u64(), first[0]);
    }
}
