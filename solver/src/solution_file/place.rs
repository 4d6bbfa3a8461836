//! The places of keys in a file: what they are sorted by.

use jewel_engine::ability::PackedKey;
use jewel_engine::bits::extract;
use jewel_tables::combination::rank;

/// A key taken apart. Positions are in the order of their places.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Place<K> {
    /// The high part of the key.
    pub(super) upper: K,
    /// The number of squares in the low part; 0 if the low part is not a set of squares.
    pub(super) count: u8,
    /// The number of the low part among those with this count.
    pub(super) rank: u64,
}

/// The bits of a key, the lowest word first.
pub(super) type Words = [u64; 4];

/// The words of a key.
#[inline]
pub(super) fn words<K: PackedKey>(mut key: K) -> Words {
    let mut words = [0; 4];
    for word in &mut words[..K::BYTES / 8] {
        (key, *word) = key.pop(64);
    }
    words
}

/// The key of words.
pub(super) fn from_words<K: PackedKey>(words: &Words) -> K {
    words[..K::BYTES / 8].iter().rev().fold(K::ZERO, |key, &word| key.push(word, 64))
}

/// A bit of words.
#[inline(always)]
pub(super) const fn bit(words: &Words, at: u32) -> bool {
    words[at as usize / 64] >> (at % 64) & 1 != 0
}

/// How keys are taken apart.
#[derive(Clone, Debug)]
pub(super) struct Split {
    /// The bits of the low part.
    bits: u32,
    /// Whether they are a set of squares.
    is_set: bool,
    /// The bits of it that are told apart: squares that some key has, or bits that some keys have and others have not.
    mask: u64,
    /// What all keys have in the other bits.
    rest: u64,
    /// The bits of the high part that any key has, and those that all have.
    high: [Words; 2],
    /// The bits of the high part that some keys have and others have not, the highest first.
    pub(super) upper: Vec<u32>,
}

/// How many bits that vary from key to key a low part has, if it is not a set of squares.
const TOLD_APART: usize = 16;

impl Split {
    /// Splits keys of `width` bits. `any` has the bits that are set in some key, `all` those that are set in every key. The lowest
    /// `set_bits` bits, 64 at most, are a set of squares.
    pub(super) fn new(width: u32, any: &Words, all: &Words, set_bits: u32) -> Split {
        let varies = |at: &u32| bit(any, *at) && !bit(all, *at);
        let is_set = set_bits > 0;
        let told_apart = (0..width.min(64)).filter(varies).take(TOLD_APART);
        let bits = if is_set { set_bits } else { told_apart.last().map_or(0, |last| last + 1) };
        let within = 1_u64.unbounded_shl(bits).wrapping_sub(1);
        let mask = if is_set { any[0] } else { any[0] & !all[0] } & within;
        let rest = if is_set { 0 } else { all[0] & within };
        // The high part is a key that has been moved down.
        let upper = (bits..width).filter(varies).map(|at| at - bits).rev().collect();
        let high = [any, all].map(|key| words(from_words::<[u64; 4]>(key).pop(bits).0));
        Split { bits, is_set, mask, rest, high, upper }
    }

    /// The place of a key; `None` if no key of the file can be this one.
    #[inline]
    pub(super) fn place<K: PackedKey>(&self, key: K) -> Option<Place<K>> {
        let (upper, low) = key.pop(self.bits);
        let [any, all] = &self.high;
        let possible = |(n, word): (usize, &u64)| word & !any[n] == 0 && all[n] & !word == 0;
        let high = words(upper);
        if low & !self.mask != self.rest || !high[..K::BYTES / 8].iter().enumerate().all(possible) {
            return None;
        }
        Some(if self.is_set {
            Place { upper, count: low.count_ones() as u8, rank: rank(low, self.mask) }
        } else {
            Place { upper, count: 0, rank: extract(low, self.mask) }
        })
    }
}
