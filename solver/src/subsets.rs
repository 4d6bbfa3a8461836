//! Sets of a few squares as numbers: keys that differ in which of their lowest squares are occupied, and not in how many, share
//! a head and are told apart by a rank, which is the number of lower sets of the same size.
//!
//! Keys that differ in the lowest twelve squares alone make a run: a table has their ranks. Runs that differ in the next four
//! make a block, in which they follow each other, and the blocks of a head have numbers.

use jewel_engine::ability::PackedKey;

/// The most squares of a run.
const RUN_BITS: u32 = 12;
const SETS: usize = 1 << RUN_BITS;

struct Tables {
    /// For each set, how many lower ones have as many squares.
    rank: [u16; SETS],
    /// The sets by their number of squares, and those with as many in order.
    sets: [u16; SETS],
    /// Where the sets with each number of squares begin.
    starts: [u16; RUN_BITS as usize + 1],
}

static TABLES: Tables = {
    let mut starts = [0; RUN_BITS as usize + 1];
    let mut count = 0;
    while count < RUN_BITS as usize {
        starts[count + 1] = starts[count] + BINOMIALS[RUN_BITS as usize][count] as u16;
        count += 1;
    }
    let (mut rank, mut sets) = ([0; SETS], [0; SETS]);
    let mut next = [0; RUN_BITS as usize + 1];
    let mut set = 0;
    while set < SETS {
        let count = (set as u32).count_ones() as usize;
        rank[set] = next[count];
        sets[starts[count] as usize + next[count] as usize] = set as u16;
        next[count] += 1;
        set += 1;
    }
    Tables { rank, sets, starts }
};

/// Binomial coefficients, as far as they fit.
static BINOMIALS: [[u32; 65]; 65] = {
    let mut table = [[0_u32; 65]; 65];
    let mut of = 0;
    while of < 65 {
        table[of][0] = 1;
        let mut count = 1;
        while count <= of {
            table[of][count] = table[of - 1][count - 1].saturating_add(table[of - 1][count]);
            count += 1;
        }
        of += 1;
    }
    table
};

/// How many numbers of so many bits have so many bits set or fewer, as far as they fit.
static NUMBERS: [[u32; 65]; 65] = {
    let mut table = [[0_u32; 65]; 65];
    let mut bits = 0;
    while bits < 65 {
        table[bits][0] = 1;
        let mut most = 1;
        while most < 65 {
            table[bits][most] = table[bits][most - 1].saturating_add(BINOMIALS[bits][most]);
            most += 1;
        }
        bits += 1;
    }
    table
};

/// How many of the lowest bits of keys are ranked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ranked {
    bits: u32,
    /// Those of a run.
    run: u32,
    /// Those of a block, without those of a run.
    more: u32,
    /// The most of the ranked bits that are set.
    most: u32,
}

/// The squares of a block besides those of a run.
const MORE_BITS: u32 = 4;
/// The most blocks with a head.
const MOST_BLOCKS: u32 = 1 << 8;

/// Where a run is among those with its head.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    /// The number of its block.
    pub(crate) block: usize,
    /// Where it begins in the block, if each run takes one place more than it has keys.
    pub(crate) start: usize,
}

impl Ranked {
    /// `bits` of a key are a set, and at most `most` of them are set. As many of them are ranked as can be.
    pub(crate) fn new(bits: u32, most: u32) -> Ranked {
        let run = bits.min(RUN_BITS);
        let more = (bits - run).min(MORE_BITS);
        let blocks = |bits: u32| NUMBERS[(bits - run - more) as usize][most.min(64) as usize];
        let fitting = (run + more..=bits.min(64)).rev().find(|&bits| blocks(bits) <= MOST_BLOCKS);
        Ranked { bits: fitting.unwrap_or(run + more), run, more, most }
    }

    /// The run of a key, and its number there.
    #[inline(always)]
    pub(crate) fn split<K: PackedKey>(self, key: K) -> (K, usize) {
        let (rest, set) = key.pop(self.run);
        (rest.push(u64::from(set.count_ones()), self.run), TABLES.rank[set as usize % SETS] as usize)
    }

    /// The number of keys of a run.
    #[inline(always)]
    pub(crate) fn count<K: PackedKey>(self, run: K) -> usize {
        BINOMIALS[self.run as usize % 65][run.pop(self.run).1 as usize % 65] as usize
    }

    /// The key of a number in a run, which is below the number of its keys.
    #[inline(always)]
    pub(crate) fn key<K: PackedKey>(self, run: K, number: usize) -> K {
        let (rest, count) = run.pop(self.run);
        let start = TABLES.starts[count as usize % TABLES.starts.len()] as usize;
        rest.push(u64::from(TABLES.sets[(start + number) % SETS]), self.run)
    }

    /// The head of a run, and where it is among the runs of this head.
    #[inline(always)]
    pub(crate) fn place<K: PackedKey>(self, run: K) -> (K, Place) {
        let (rest, low) = run.pop(self.run);
        let (rest, mut high) = rest.pop(self.bits - self.run);
        let mut place = Place { block: 0, start: 0 };
        let mut count = low as usize;
        while high != 0 {
            count += 1;
            let square = high.trailing_zeros();
            if square < self.more {
                let below = BINOMIALS[(self.run + square) as usize % 65][count % 65];
                place.start += (below + NUMBERS[square as usize % 65][count % 65]) as usize;
            } else {
                place.block += NUMBERS[(square - self.more) as usize % 65][count % 65] as usize;
            }
            high &= high - 1;
        }
        (rest.push(count as u64, self.bits), place)
    }

    /// The number of blocks of a head; `None` if its keys have more bits set than they may have.
    pub(crate) fn blocks<K: PackedKey>(self, head: K) -> Option<usize> {
        let set = head.pop(self.bits).1;
        let possible = set <= u64::from(self.most.min(self.bits));
        possible.then(|| NUMBERS[(self.bits - self.run - self.more) as usize][set as usize] as usize)
    }

    /// The number of bits that are set in the block of a run.
    fn set_in_block<K: PackedKey>(self, run: K) -> usize {
        let (rest, low) = run.pop(self.run);
        (low as u32 + rest.pop(self.more).1.count_ones()) as usize % 65
    }

    /// The number of runs in the block of a run.
    pub(crate) fn runs_of_block<K: PackedKey>(self, run: K) -> usize {
        NUMBERS[self.more as usize][self.set_in_block(run)] as usize
    }

    /// The number of places in the block of a run: a word of marks for each run, and a word for each key.
    pub(crate) fn places<K: PackedKey>(self, run: K) -> usize {
        let keys = BINOMIALS[(self.run + self.more) as usize][self.set_in_block(run)];
        self.runs_of_block(run) + keys as usize
    }

    /// The runs of a head, in the order of their numbers. Some may have no keys.
    pub(crate) fn runs<K: PackedKey>(self, head: K) -> impl Iterator<Item = K> {
        let (rest, count) = head.pop(self.bits);
        let mut next = Some(0_u64);
        std::iter::from_fn(move || {
            let high = next?;
            // The next higher number with no more bits than there may be.
            let more = u64::from(high.count_ones()) < count;
            let step = if more { 1 } else { high & high.wrapping_neg() };
            let after = high.checked_add(step).filter(|_| step > 0);
            next = after.filter(|after| after.unbounded_shr(self.bits - self.run) == 0);
            let low = count - u64::from(high.count_ones());
            Some(rest.push(high, self.bits - self.run).push(low, self.run))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn all<K: PackedKey>(bits: u32, most: u32) {
        let ranked = Ranked::new(bits, most);
        let mut heads = HashSet::new();
        for value in (0..1_u64 << 17).filter(|value| value.count_ones() <= most) {
            // What is above the set is not counted.
            let rest = if bits <= 20 { 0x5a } else { 0 };
            let key = K::ZERO.push(rest, 8).push(value, 20);
            let (run, number) = ranked.split(key);
            assert!(number < ranked.count(run));
            assert_eq!(ranked.key(run, number), key);
            heads.insert(ranked.place(run).0);
        }
        for head in heads {
            let blocks = ranked.blocks(head).unwrap();
            let mut next = vec![0; blocks];
            let mut places = vec![0; blocks];
            let (mut seen, mut runs) = (vec![0; blocks], vec![0; blocks]);
            for run in ranked.runs(head) {
                let (of, place) = ranked.place(run);
                assert_eq!((of, place.start), (head, next[place.block]), "one after the other");
                next[place.block] += 1 + ranked.count(run);
                places[place.block] = ranked.places(run);
                seen[place.block] += 1;
                runs[place.block] = ranked.runs_of_block(run);
            }
            assert_eq!((next, seen), (places, runs));
        }
    }

    #[test]
    fn every_key_has_a_place() {
        for (bits, most) in [(0, 0), (1, 1), (3, 3), (9, 4), (12, 12), (13, 2), (17, 17), (20, 5), (64, 2)] {
            all::<u64>(bits.min(28), most);
            all::<u128>(bits, most);
            all::<[u64; 4]>(bits, most);
        }
    }

    #[test]
    fn no_head_has_too_many_blocks() {
        for most in 0..64 {
            let ranked = Ranked::new(64, most);
            let blocks = |set| ranked.blocks(0_u128.push(set, ranked.bits));
            let blocks = (0..=ranked.bits.min(most)).map(|set| blocks(u64::from(set)));
            assert!(blocks.flatten().max().is_some_and(|blocks| blocks <= MOST_BLOCKS as usize));
        }
        assert_eq!(Ranked::new(25, 4).blocks(0_u64.push(5, 25)), None);
    }
}
