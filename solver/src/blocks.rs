//! The positions of a graph without their keys: runs of words, in which the place of a word is the rank of its key.
//!
//! Moves lead from the positions of a run to those of a few other runs, so that most of what is looked up is in the caches; and
//! a position takes two bytes, as does each one that the root does not lead to and that has a place all the same.

use crate::arena::Arena;
use crate::control::{Budget, Stop};
use crate::store::{NONE, Slot, fold};
use crate::subsets::{self, Ranked};
use crate::word::Word;
use jewel_engine::ability::PackedKey;
use jewel_engine::prefetch::prefetch;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// Some positions whose keys make a [run](crate::subsets): a word of marks, those that are set being 0, and then one word for each
/// key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Run<K> {
    pub(crate) key: K,
    /// Where its words begin.
    pub(crate) start: Slot,
}

/// All positions found so far.
#[derive(Debug)]
pub(crate) struct Blocks<K> {
    ranked: Ranked,
    words: Arena<AtomicU16>,
    /// Runs of the blocks that have words.
    runs: AtomicU64,
    /// Where the blocks begin, those of a head together; [`NONE`] for those that are not there.
    starts: Arena<AtomicU32>,
    /// By hash, the heads with the places of their blocks among the starts.
    heads: Vec<RwLock<Heads<K>>>,
}

type Heads<K> = HashMap<K, Slot, BuildHasherDefault<FoldHasher>>;

const PART_BITS: u32 = 8;
/// The number of parts.
pub(crate) const PARTS: usize = 1 << PART_BITS;

/// Multiplies words and mixes them: keys are not chosen by an enemy, and the hasher of [`ahash`] is not inlined where the
/// program is built for every processor.
#[derive(Default)]
struct FoldHasher(u64);

impl Hasher for FoldHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.chunks(8).for_each(|bytes| self.write_u64(u64::read(bytes)));
    }

    #[inline(always)]
    fn write_u64(&mut self, word: u64) {
        self.0 = fold(self.0 ^ word ^ 0x243f_6a88_85a3_08d3);
    }

    fn write_u128(&mut self, word: u128) {
        self.write_u64(word as u64);
        self.write_u64((word >> 64) as u64);
    }
}

#[inline(always)]
fn hash<K: PackedKey>(key: K) -> u64 {
    let mut hasher = FoldHasher::default();
    key.hash(&mut hasher);
    hasher.finish()
}

fn part_of<K: PackedKey>(head: K) -> usize {
    // The map takes bits from both ends.
    (hash(head) >> 24) as usize % PARTS
}

/// Where a run begins, if the blocks of its head begin there; [`NONE`] if its block is not there.
#[inline(always)]
fn start_in(starts: &[AtomicU32], place: subsets::Place) -> Slot {
    match starts.get(place.block).map(|start| start.load(Ordering::Acquire)) {
        Some(start) if start != NONE => start + place.start as Slot,
        _ => NONE,
    }
}

impl<K: PackedKey> Blocks<K> {
    /// No positions.
    pub(crate) fn new(ranked: Ranked) -> Blocks<K> {
        let heads = (0..PARTS).map(|_| RwLock::default()).collect();
        let words = Arena::new(|| AtomicU16::new(Word::ABSENT.0));
        let starts = Arena::new(|| AtomicU32::new(NONE));
        Blocks { ranked, words, runs: AtomicU64::new(0), starts, heads }
    }

    /// Bytes in use, with room for two lists of all runs.
    pub(crate) fn bytes(&self) -> u64 {
        let heads: u64 = (0..PARTS).map(|part| self.part(part).len() as u64).sum();
        let runs = self.runs.load(Ordering::Relaxed);
        self.words.bytes() + self.starts.bytes() + heads * Self::HEAD_BYTES + runs * Self::RUN_BYTES
    }

    /// Bytes of a head in a map that is half full.
    const HEAD_BYTES: u64 = 2 * (size_of::<(K, Slot)>() as u64 + 1);

    /// Bytes of a run in the lists of a walk, that of the runs that it goes through and that for the next.
    const RUN_BYTES: u64 = 2 * size_of::<Run<K>>() as u64;

    fn part(&self, part: usize) -> RwLockReadGuard<'_, Heads<K>> {
        self.heads[part].read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The runs of a part, in the order of their keys.
    pub(crate) fn runs_of_part(&self, part: usize) -> impl Iterator<Item = Run<K>> + '_ {
        let heads = self.part(part);
        let mut runs: Vec<Run<K>> = Vec::new();
        for (&head, &starts) in heads.iter() {
            let starts = self.starts_of(head, starts);
            let of_head = self.ranked.runs(head).map(|key| {
                let place = self.ranked.place(key).1;
                Run { key, start: start_in(starts, place) }
            });
            runs.extend(of_head.filter(|run| run.start != NONE));
        }
        runs.sort_unstable();
        runs.into_iter()
    }

    /// The word of a slot.
    #[inline(always)]
    pub(crate) fn word(&self, slot: Slot) -> &AtomicU16 {
        self.words.at(slot)
    }

    /// The marks of a run. What they mean is up to who walks through the runs.
    #[inline(always)]
    pub(crate) fn marks(&self, run: Run<K>) -> &AtomicU16 {
        self.words.at(run.start)
    }

    /// The words of a run, in the order of the numbers of their keys.
    #[inline(always)]
    pub(crate) fn words_of(&self, run: Run<K>) -> &[AtomicU16] {
        self.words.slice(run.start + 1, self.ranked.count(run.key))
    }

    /// The key of a number in a run.
    #[inline(always)]
    pub(crate) fn key(&self, run: Run<K>, number: usize) -> K {
        self.ranked.key(run.key, number)
    }

    /// The run of a key, and where it begins.
    #[inline(always)]
    pub(crate) fn run_of(&self, key: K, start: Slot) -> Run<K> {
        Run { key: self.ranked.split(key).0, start }
    }

    /// The slot of a key in a run that begins there.
    #[inline(always)]
    pub(crate) fn slot(&self, key: K, run: Slot) -> Slot {
        run + 1 + self.ranked.split(key).1 as Slot
    }

    /// The positions of a run: slot, key and word.
    pub(crate) fn positions_of(&self, run: Run<K>) -> impl Iterator<Item = (Slot, K, Word)> + '_ {
        let words = self.words_of(run).iter().enumerate();
        words.filter_map(move |(number, word)| {
            let word = Word(word.load(Ordering::Relaxed));
            let slot = run.start + (1 + number) as Slot;
            (word != Word::ABSENT).then(|| (slot, self.key(run, number), word))
        })
    }

    /// The positions of a part.
    pub(crate) fn part_positions(&self, part: usize) -> impl Iterator<Item = (Slot, K, Word)> + '_ {
        self.runs_of_part(part).flat_map(|run| self.positions_of(run))
    }

    /// Adds a key with its word where there is none: its run, and whether it is new.
    pub(crate) fn add(&self, key: K, word: Word, budget: &Budget) -> Result<(Run<K>, bool), Stop> {
        let (run, number) = self.ranked.split(key);
        let mut start = self.find_run(run);
        if start == NONE {
            start = start_in(self.make(run, budget)?, self.ranked.place(run).1);
        }
        let at = self.word(start + (1 + number) as Slot);
        let absent = Word::ABSENT.0;
        let new = at.compare_exchange(absent, word.0, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        Ok((Run { key: run, start }, new))
    }

    /// Where the blocks of a head begin.
    #[inline(always)]
    fn starts_of(&self, head: K, starts: Slot) -> &[AtomicU32] {
        self.starts.slice(starts, self.ranked.blocks(head).unwrap_or(0))
    }

    /// Where the blocks of a head begin; none if it is not there.
    fn find_starts(&self, head: K) -> &[AtomicU32] {
        let starts = self.part(part_of(head)).get(&head).copied();
        starts.map_or(&[], |starts| self.starts_of(head, starts))
    }

    /// Makes the block of a run where there is none, and returns where the blocks of its head begin.
    #[cold]
    fn make(&self, run: K, budget: &Budget) -> Result<&[AtomicU32], Stop> {
        let (head, place) = self.ranked.place(run);
        let mut heads = self.heads[part_of(head)].write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have made it in between.
        let starts = match heads.entry(head) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let blocks = self.ranked.blocks(head).ok_or(Stop::Overflow)?;
                budget.take(Self::HEAD_BYTES)?;
                *entry.insert(self.starts.take(blocks, budget)?)
            }
        };
        let starts = self.starts_of(head, starts);
        if starts[place.block].load(Ordering::Acquire) == NONE {
            let runs = self.ranked.runs_of_block(run) as u64;
            budget.take(runs * Self::RUN_BYTES)?;
            let start = self.words.take(self.ranked.places(run), budget)?;
            self.runs.fetch_add(runs, Ordering::Relaxed);
            starts[place.block].store(start, Ordering::Release);
        }
        Ok(starts)
    }

    /// Where a run begins; [`NONE`] if it is not there.
    fn find_run(&self, run: K) -> Slot {
        let (head, place) = self.ranked.place(run);
        start_in(self.find_starts(head), place)
    }

    /// The slot of a key; `None` if it is not there.
    pub(crate) fn find(&self, key: K) -> Option<Slot> {
        let (run, number) = self.ranked.split(key);
        let start = self.find_run(run);
        if start == NONE {
            return None;
        }
        let slot = start + (1 + number) as Slot;
        (self.word(slot).load(Ordering::Relaxed) != Word::ABSENT.0).then_some(slot)
    }

    /// A finder of positions for one thread.
    pub(crate) fn finder(&self) -> Finder<'_, K> {
        let unknown = Known { run: K::ZERO, start: 0, words: &[] };
        let heads = vec![(K::ZERO, &[][..]); HEADS];
        Finder { blocks: self, known: vec![unknown; KNOWN], heads, found: Vec::new() }
    }
}

const KNOWN_BITS: u32 = 11;
/// Runs that a finder remembers, those that are not there among them.
const KNOWN: usize = 1 << KNOWN_BITS;

/// Heads that a finder remembers.
const HEADS: usize = 1 << 9;

/// The words of runs that are not there.
static NOWHERE: [AtomicU16; 1 << 10] = [const { AtomicU16::new(Word::ABSENT.0) }; 1 << 10];

/// Finds positions, and remembers where the runs of the last ones are: most moves lead to one of these.
pub(crate) struct Finder<'a, K> {
    blocks: &'a Blocks<K>,
    /// The last run with each hash.
    known: Vec<Known<'a, K>>,
    /// The last head with each hash, and where its blocks begin; none if it is no head.
    heads: Vec<(K, &'a [AtomicU32])>,
    /// What was found for the keys that were asked for last.
    found: Vec<Place<'a>>,
}

#[derive(Clone, Copy)]
struct Known<'a, K> {
    run: K,
    start: Slot,
    /// Its marks and words; none if this is no run.
    words: &'a [AtomicU16],
}

/// The place of a key.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// Its word, absent if there is no such position.
    pub(crate) word: &'a AtomicU16,
    /// The marks of its run.
    pub(crate) marks: &'a AtomicU16,
    /// Where the run begins.
    pub(crate) run: Slot,
}

impl<'a, K: PackedKey> Finder<'a, K> {
    /// The places of some keys, in order; runs that are not there are made.
    #[inline(always)]
    pub(crate) fn find_or_make(&mut self, keys: &[K], budget: &Budget) -> Result<&[Place<'a>], Stop> {
        self.find_with(keys, |blocks, run| blocks.make(run, budget))
    }

    /// The places of some keys, in order.
    #[inline(always)]
    pub(crate) fn find(&mut self, keys: &[K]) -> &[Place<'a>] {
        // Nothing is made, so that nothing can fail.
        self.find_with(keys, |_, _| Ok(&[])).unwrap_or(&[])
    }

    #[inline(always)]
    fn find_with(
        &mut self,
        keys: &[K],
        make: impl Fn(&'a Blocks<K>, K) -> Result<&'a [AtomicU32], Stop>,
    ) -> Result<&[Place<'a>], Stop> {
        self.found.clear();
        let blocks = self.blocks;
        for &key in keys {
            let (run, number) = blocks.ranked.split(key);
            let at = hash(run) as usize % KNOWN;
            if self.known[at].run != run || self.known[at].words.is_empty() {
                let (head, place) = blocks.ranked.place(run);
                let starts = &mut self.heads[hash(head) as usize % HEADS];
                if starts.0 != head || starts.1.is_empty() {
                    *starts = (head, blocks.find_starts(head));
                }
                let mut start = start_in(starts.1, place);
                if start == NONE {
                    let made = make(blocks, run)?;
                    if !made.is_empty() {
                        starts.1 = made;
                        start = start_in(made, place);
                    }
                }
                let places = 1 + blocks.ranked.count(run);
                let words =
                    if start == NONE { &NOWHERE[..places] } else { blocks.words.slice(start, places) };
                self.known[at] = Known { run, start, words };
            }
            let known = &self.known[at];
            let place = Place { word: &known.words[1 + number], marks: &known.words[0], run: known.start };
            prefetch(place.word);
            self.found.push(place);
        }
        Ok(&self.found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Limits;

    #[test]
    fn memory_is_counted_for_the_runs_that_there_are() {
        // Three of 36 squares.
        let blocks = Blocks::<u64>::new(Ranked::new(36, 3));
        let budget = Budget::new(0, Limits::default());
        let mut keys = 0;
        for key in
            (0..36).flat_map(|a| (0..a).flat_map(move |b| (0..b).map(move |c| 1 << a | 1 << b | 1_u64 << c)))
        {
            assert!(blocks.add(key, Word::UNEXPANDED, &budget).unwrap().1);
            keys += 1;
        }
        let heads = (0..PARTS).map(|part| blocks.part(part).len() as u64).sum::<u64>();
        let runs = (0..PARTS).map(|part| blocks.runs_of_part(part).count() as u64).sum::<u64>();
        let lists = heads * Blocks::<u64>::HEAD_BYTES + runs * Blocks::<u64>::RUN_BYTES;
        assert_eq!((keys, blocks.bytes()), (7140, blocks.words.bytes() + blocks.starts.bytes() + lists));
    }
}
