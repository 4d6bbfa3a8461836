//! The transposition table, shared by all threads without locks.
//!
//! An entry is two atomic words. Its check is 48 bits of the hash, 32 of them combined with the rest of the
//! entry, so that an entry whose words come from two writers fails its check (after R. Hyatt and T. Mann,
//! "A lockless transposition-table implementation for parallel search", ICGA Journal 25(1), 2002). Four
//! entries fill a cache line.

use crate::memory::{Line, Lines};
use crate::report::Bound;
use jewel_engine::prefetch::prefetch;
use jewel_engine::threads::spawn_helper;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

/// The stored result of a position's search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The code of the best move; 0 for none.
    pub mv: u32,
    /// The score in 16 bits, forced results counted from this position.
    pub score: i32,
    /// The static evaluation in 16 bits; [`Entry::NO_EVAL`] for none.
    pub eval: i32,
    /// Plies that were searched, from -1 to 254.
    pub depth: i32,
    /// Whether the score is exact.
    pub bound: Bound,
    /// Whether the position was ever on a principal variation.
    pub pv: bool,
}

impl Entry {
    /// Stands for an evaluation that was not made.
    pub const NO_EVAL: i32 = i16::MIN as i32;

    const fn pack(&self, generation: u8, hash: u64) -> [u64; 2] {
        let bound = match self.bound {
            Bound::Exact => 3,
            Bound::Lower => 2,
            Bound::Upper => 1,
        };
        let kind = (generation << 3) | ((self.pv as u8) << 2) | bound;
        let data = self.score as u16 as u64
            | (self.eval as u16 as u64) << 16
            | ((self.depth + 1) as u8 as u64) << 32
            | (kind as u64) << 40
            | (hash >> 32 & 0xffff) << 48;
        [(self.mv as u64) << 32 | (hash as u32 ^ fold(data)) as u64, data]
    }

    const fn unpack(words: [u64; 2]) -> Entry {
        let [first, data] = words;
        let kind = (data >> 40) as u8;
        Entry {
            mv: (first >> 32) as u32,
            score: data as u16 as i16 as i32,
            eval: (data >> 16) as u16 as i16 as i32,
            depth: (data >> 32) as u8 as i32 - 1,
            bound: match kind & 3 {
                3 => Bound::Exact,
                2 => Bound::Lower,
                _ => Bound::Upper,
            },
            pv: kind & 4 != 0,
        }
    }
}

const fn fold(data: u64) -> u32 {
    (data ^ data >> 32) as u32
}

/// Whether two words are an entry of this hash. An empty entry matches none.
const fn matches(words: [u64; 2], hash: u64) -> bool {
    let [first, data] = words;
    first as u32 ^ fold(data) == hash as u32 && data >> 48 == hash >> 32 & 0xffff && data >> 40 & 3 != 0
}

#[inline(always)]
fn load(slot: &[AtomicU64; 2]) -> [u64; 2] {
    [slot[0].load(Relaxed), slot[1].load(Relaxed)]
}

/// A table of positions, replaced by age and depth.
#[derive(Debug)]
pub struct TranspositionTable {
    clusters: Lines,
    /// The number of the search, in 5 bits.
    generation: AtomicU8,
}

impl TranspositionTable {
    /// A table of about this many mebibytes, at least one cluster, cleared by this many threads; `None` if the memory is
    /// not available.
    pub fn new(mebibytes: usize, threads: usize) -> Option<TranspositionTable> {
        let count = (mebibytes.checked_mul(1 << 20)? / size_of::<Line>()).max(1);
        let tt = TranspositionTable { clusters: Lines::zeroed(count)?, generation: AtomicU8::new(0) };
        // Clearing touches every page now: otherwise searches would wait for them, milliseconds for each large page.
        tt.clear(threads);
        Some(tt)
    }

    /// Empties the table with this many threads.
    pub fn clear(&self, threads: usize) {
        let clusters = self.clusters.all();
        let share = clusters.len().div_ceil(threads.max(1));
        let empty = |part: &[Line]| {
            for word in part.iter().flat_map(|cluster| &cluster.0).flatten() {
                word.store(0, Relaxed);
            }
        };
        std::thread::scope(|scope| {
            for part in clusters.chunks(share) {
                if spawn_helper(scope, move || empty(part)).is_none() {
                    empty(part);
                }
            }
        });
        self.generation.store(0, Relaxed);
    }

    /// Begins a new search: entries of older ones are replaced first.
    pub fn age(&self) {
        let generation = self.generation.load(Relaxed);
        self.generation.store((generation + 1) & 31, Relaxed);
    }

    #[inline(always)]
    fn cluster(&self, hash: u64) -> &Line {
        // The high bits choose the cluster (Lemire's multiplication instead of a division).
        let clusters = self.clusters.all();
        let index = (u128::from(hash) * clusters.len() as u128) >> 64;
        &clusters[index as usize]
    }

    /// Starts loading the entries of a position that will be probed soon.
    #[inline(always)]
    pub fn prefetch(&self, hash: u64) {
        prefetch(self.cluster(hash));
    }

    /// The entry of a position.
    #[inline]
    pub fn probe(&self, hash: u64) -> Option<Entry> {
        let cluster = self.cluster(hash);
        cluster.0.iter().map(load).find(|words| matches(*words, hash)).map(Entry::unpack)
    }

    /// Stores an entry. One without a move keeps the move that was stored before; one of much less depth changes
    /// nothing.
    #[inline]
    pub fn store(&self, hash: u64, mut entry: Entry) {
        let generation = self.generation.load(Relaxed);
        let cluster = self.cluster(hash);
        let (mut chosen, mut least) = (0, i32::MAX);
        for (way, slot) in cluster.0.iter().enumerate() {
            let words = load(slot);
            let known = Entry::unpack(words);
            if matches(words, hash) {
                if entry.mv == 0 {
                    entry.mv = known.mv;
                }
                let current = (words[1] >> 43) as u8 & 31 == generation;
                if current && entry.bound != Bound::Exact && entry.depth + 4 <= known.depth {
                    return;
                }
                chosen = way;
                break;
            }
            let empty = words[1] >> 40 & 3 == 0;
            let age = i32::from(generation.wrapping_sub((words[1] >> 43) as u8) & 31);
            let worth = if empty { i32::MIN } else { known.depth - 8 * age + 2 * i32::from(known.pv) };
            if worth < least {
                (chosen, least) = (way, worth);
            }
        }
        let [first, data] = entry.pack(generation, hash);
        cluster.0[chosen][0].store(first, Relaxed);
        cluster.0[chosen][1].store(data, Relaxed);
    }

    /// How full the table is of entries of the current search, in thousandths, from a sample.
    pub fn permille(&self) -> u32 {
        let generation = self.generation.load(Relaxed);
        let clusters = self.clusters.all();
        let sample = clusters[..clusters.len().min(250)].iter().flat_map(|cluster| &cluster.0);
        let current = |slot: &&[AtomicU64; 2]| {
            let data = slot[1].load(Relaxed);
            data >> 40 & 3 != 0 && (data >> 43) as u8 & 31 == generation
        };
        let slots = sample.clone().count();
        (sample.filter(current).count() * 1000 / slots) as u32
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.clusters.all())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::zobrist::splitmix64;

    fn entry(depth: i32, score: i32) -> Entry {
        Entry { mv: 0x8000_1234, score, eval: -17, depth, bound: Bound::Lower, pv: true }
    }

    #[test]
    fn entries_round_trip() {
        let tt = TranspositionTable::new(1, 1).unwrap();
        let mut hash = 0;
        for depth in [-1, 0, 1, 100, 254] {
            for (score, bound) in [(-32_000, Bound::Upper), (0, Bound::Exact), (31_999, Bound::Lower)] {
                hash = splitmix64(hash).1;
                let stored = Entry { bound, eval: Entry::NO_EVAL, pv: false, ..entry(depth, score) };
                assert_eq!(tt.probe(hash), None);
                tt.store(hash, stored);
                assert_eq!(tt.probe(hash), Some(stored));
            }
        }
        tt.clear(2);
        assert_eq!((tt.probe(hash), tt.permille()), (None, 0));
    }

    #[test]
    fn a_torn_entry_fails_its_check() {
        let hash = 0x0123_4567_89ab_cdef;
        let (a, b) = (entry(5, 10).pack(1, hash), entry(9, -250).pack(1, hash));
        assert!(matches(a, hash) && matches(b, hash));
        assert!(!matches([a[0], b[1]], hash) && !matches([b[0], a[1]], hash));
        assert!(!matches(a, hash ^ 1) && !matches(a, hash ^ 1 << 40) && !matches([0, 0], 0));
    }

    #[test]
    fn old_and_shallow_entries_go_first() {
        let tt = TranspositionTable::new(0, 1).unwrap();
        assert_eq!(tt.bytes(), 64);
        for n in 0..4 {
            tt.store(n, entry(10 + n as i32, 0));
        }
        tt.store(7, entry(3, 0));
        // The shallowest was in the way.
        assert!(tt.probe(0).is_none() && (1..4).all(|n| tt.probe(n).is_some()));
        tt.age();
        tt.store(8, entry(1, 0));
        assert!(tt.probe(7).is_none() && tt.probe(8).is_some());
        // Deep knowledge of this search is not lost to a glance; its move is kept.
        tt.store(3, Entry { bound: Bound::Exact, ..entry(13, 5) });
        tt.store(3, Entry { mv: 0, ..entry(2, 9) });
        assert_eq!(tt.probe(3).map(|e| (e.depth, e.mv)), Some((13, 0x8000_1234)));
        tt.store(3, Entry { mv: 0, ..entry(12, 9) });
        assert_eq!(tt.probe(3).map(|e| (e.depth, e.mv)), Some((12, 0x8000_1234)));
    }
}
