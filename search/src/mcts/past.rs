//! What each move was worth wherever it was played in a search.

use super::tree::Amaf;
use jewel_engine::value::Side;
use std::hash::{Hash, Hasher};

/// Moves are told apart by so many bits of a hash; those that share them share their results.
const BITS: u32 = 13;

/// Results of moves by who played them, wherever he did. Shared by all threads.
#[derive(Debug)]
pub(super) struct Past {
    results: [Box<[Amaf]>; 2],
}

impl Past {
    pub(super) fn new() -> Past {
        Past { results: [0, 1].map(|_| (0..1 << BITS).map(|_| Amaf::default()).collect()) }
    }

    fn slot<E: Hash>(&self, side: Side, edge: &E) -> &Amaf {
        let mut hasher = Mixer(0);
        edge.hash(&mut hasher);
        &self.results[side.index()][(hasher.0 >> (64 - BITS)) as usize]
    }

    /// A side played this move, and White got this share of the point.
    pub(super) fn add<E: Hash>(&self, side: Side, edge: &E, share: f64) {
        self.slot(side, edge).add(share);
    }

    /// A side's mean result after a move; `None` if it was never played.
    pub(super) fn mean<E: Hash>(&self, side: Side, edge: &E) -> Option<f64> {
        let (visits, points) = self.slot(side, edge).seen_by(side);
        (visits > 0.0).then(|| points / visits)
    }
}

/// A fast hash of what fits into few words: each is mixed in by a multiplication, the golden ratio.
struct Mixer(u64);

impl Mixer {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(29) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            self.mix(part.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)));
        }
    }

    fn write_u8(&mut self, word: u8) {
        self.mix(word.into());
    }

    fn write_u32(&mut self, word: u32) {
        self.mix(word.into());
    }

    fn write_u64(&mut self, word: u64) {
        self.mix(word);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_move_has_the_mean_of_its_results_for_its_side() {
        let past = Past::new();
        assert_eq!(past.mean(Side::White, &7u32), None);
        past.add(Side::White, &7u32, 1.0);
        past.add(Side::White, &7u32, 0.5);
        past.add(Side::Black, &7u32, 0.25);
        assert_eq!(past.mean(Side::White, &7u32), Some(0.75));
        assert_eq!(past.mean(Side::Black, &7u32), Some(0.75));
        assert_eq!(past.mean(Side::White, &8u32), None);
    }

    #[test]
    fn moves_of_a_position_rarely_share_a_slot() {
        let slots = |moves: &mut dyn Iterator<Item = u64>| {
            moves
                .map(|mv| {
                    let mut mixer = Mixer(0);
                    mv.hash(&mut mixer);
                    mixer.0 >> (64 - BITS)
                })
                .collect::<HashSet<u64>>()
                .len()
        };
        assert!(slots(&mut (0..100)) > 90);
        assert!(slots(&mut (0..100).map(|n| n << 13)) > 90);
    }
}
