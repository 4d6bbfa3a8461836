//! The positions of a graph: a set of packed keys, with a [`Word`] for each.

use crate::control::{Budget, Stop};
use crate::memory::allocate;
use crate::word::Word;
use jewel_engine::ability::PackedKey;
use jewel_engine::parallel;
use jewel_engine::prefetch::prefetch;
use std::sync::atomic::{AtomicU16, Ordering};

/// Keys and words that are read together: a cache line, if a key has 8 bytes.
#[derive(Debug)]
#[repr(align(64))]
struct Group<K> {
    keys: [K; SLOTS],
    words: [AtomicU16; SLOTS],
    /// Slots fill from the first.
    used: u8,
}

const SLOTS: usize = 6;

impl<K: PackedKey> Group<K> {
    fn new() -> Group<K> {
        Group { keys: [K::ZERO; SLOTS], words: [const { AtomicU16::new(0) }; SLOTS], used: 0 }
    }

    /// Bit `n` is set where slot `n` has this key.
    #[inline(always)]
    fn matching(&self, key: K) -> u32 {
        let mut mask = 0;
        for (slot, &known) in self.keys.iter().enumerate() {
            mask |= u32::from(known == key) << slot;
        }
        mask & ((1 << self.used) - 1)
    }
}

/// The part of a store whose keys have hashes that begin alike: a hash table of its own, that grows for itself, so that growing
/// never takes much memory.
#[derive(Debug)]
pub(crate) struct Part<K> {
    groups: Vec<Group<K>>,
    len: usize,
}

const PART_BITS: u32 = 10;
pub(crate) const PARTS: usize = 1 << PART_BITS;
/// Bits of a slot's number within its part.
const LOCAL_BITS: u32 = u32::BITS - PART_BITS;
/// The most groups of a part.
const MAX_GROUPS: usize = ((1 << LOCAL_BITS) - 2) / SLOTS;

/// The number of a slot that holds a position: part, group and place, as long as nothing is added.
pub(crate) type Slot = u32;
/// No slot has this number.
pub(crate) const NONE: Slot = Slot::MAX;

/// The slot of a number in a part.
#[inline(always)]
pub(crate) fn slot(part: usize, local: usize) -> Slot {
    (part << LOCAL_BITS | local) as u32
}

/// The part of a slot, and its number there.
#[inline(always)]
pub(crate) fn local(slot: Slot) -> (usize, usize) {
    ((slot >> LOCAL_BITS) as usize, (slot & ((1 << LOCAL_BITS) - 1)) as usize)
}

/// Multiplies, and mixes what goes over with what stays.
#[inline(always)]
pub(crate) fn fold(word: u64) -> u64 {
    let product = u128::from(word) * 0x9e37_79b9_7f4a_7c15;
    product as u64 ^ (product >> 64) as u64
}

#[inline(always)]
fn hash<K: PackedKey>(key: K) -> u64 {
    let (mut rest, mut hash) = (key, 0x243f_6a88_85a3_08d3);
    for _ in 0..K::BYTES / 8 {
        let word;
        (rest, word) = rest.pop(64);
        hash = fold(hash ^ word);
    }
    fold(hash ^ 0x1319_8a2e_0370_7344)
}

#[inline(always)]
fn part_of(hash: u64) -> usize {
    (hash >> (64 - PART_BITS)) as usize
}

/// The part in which a key is.
pub(crate) fn part_of_key<K: PackedKey>(key: K) -> usize {
    part_of(hash(key))
}

/// Keys whose memory is asked for together; at most the bits of a word.
const AHEAD: usize = 64;

/// How many positions may still be added.
pub(crate) struct Left {
    positions: u64,
    limit: u64,
}

impl Left {
    /// `found` positions of `limit` are there.
    pub(crate) fn new(found: u64, limit: u64) -> Left {
        Left { positions: limit.saturating_sub(found), limit }
    }

    fn take_one(&mut self) -> Result<(), Stop> {
        self.positions = self.positions.checked_sub(1).ok_or(Stop::Positions { limit: self.limit })?;
        Ok(())
    }
}

/// Bytes of a part's header.
const PART_BYTES: u64 = size_of::<Part<u64>>() as u64;

impl<K: PackedKey> Part<K> {
    /// The group where a key is looked for first; there must be one.
    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        // The low half of the hash: the high bits are the number of the part.
        (((hash & u64::from(u32::MAX)) * self.groups.len() as u64) >> 32) as usize
    }

    /// Groups for this number of keys: seven eighths of the slots are filled at most, and a part grows by a third. Parts grow
    /// at different times, each by its number.
    fn groups_for(&self, number: usize, keys: usize) -> usize {
        let least = (keys * 8).div_ceil(7 * SLOTS);
        if least <= self.groups.len() {
            return self.groups.len();
        }
        let growth = 4.0_f64 / 3.0;
        let shift = number as f64 / PARTS as f64;
        let steps = ((least as f64).ln() / growth.ln() - shift).ceil();
        least.max(growth.powf(steps + shift) as usize)
    }

    /// Makes room for this number of keys in all.
    fn reserve(&mut self, number: usize, keys: usize) -> Result<(), Stop> {
        let groups = self.groups_for(number, keys);
        if groups == self.groups.len() {
            return Ok(());
        }
        if groups > MAX_GROUPS {
            return Err(Stop::Overflow);
        }
        let mut grown = Part { groups: allocate(groups)?, len: 0 };
        grown.groups.resize_with(groups, Group::new);
        for group in &self.groups {
            for place in 0..group.used as usize {
                let word = Word(group.words[place].load(Ordering::Relaxed));
                grown.place(group.keys[place], hash(group.keys[place]), word);
            }
        }
        *self = grown;
        Ok(())
    }

    /// Puts a key that is not there into the first free slot; there must be room.
    #[inline(always)]
    fn place(&mut self, key: K, hash: u64, word: Word) {
        let mut at = self.home(hash);
        loop {
            let group = &mut self.groups[at];
            if let Some(free) = group.keys.get_mut(group.used as usize) {
                *free = key;
                *group.words[group.used as usize].get_mut() = word.0;
                group.used += 1;
                self.len += 1;
                return;
            }
            at = if at + 1 == self.groups.len() { 0 } else { at + 1 };
        }
    }

    /// The number of a key's slot in the part.
    #[inline(always)]
    fn find(&self, key: K, hash: u64) -> Option<(usize, u32)> {
        if self.groups.is_empty() {
            return None;
        }
        let mut at = self.home(hash);
        loop {
            let group = &self.groups[at];
            let mask = group.matching(key);
            if mask != 0 {
                return Some((at, mask.trailing_zeros()));
            }
            if (group.used as usize) < SLOTS {
                return None;
            }
            at = if at + 1 == self.groups.len() { 0 } else { at + 1 };
        }
    }

    /// Adds those of some keys that are not there, their moves not made, and appends them to `new`: at most `left`, which
    /// counts down.
    ///
    /// # Errors
    /// If the budget does not allow it, or `left` is not enough: then some of them are added.
    pub(crate) fn insert(
        &mut self,
        number: usize,
        keys: &[K],
        left: &mut Left,
        budget: &Budget,
        new: &mut Vec<K>,
    ) -> Result<(), Stop> {
        for keys in keys.chunks(AHEAD) {
            let mut unknown = 0_u64;
            self.find_all(keys, |n, found| unknown |= u64::from(found.is_none()) << n);
            if unknown == 0 {
                continue;
            }
            // Some of them may be the same.
            let most = unknown.count_ones() as usize;
            let room = self.len + most;
            let groups = self.groups_for(number, room) - self.groups.len();
            budget.take((groups * size_of::<Group<K>>() + most * K::BYTES) as u64)?;
            self.reserve(number, room)?;
            while unknown != 0 {
                let key = keys[unknown.trailing_zeros() as usize];
                unknown &= unknown - 1;
                let hash = hash(key);
                if self.find(key, hash).is_none() {
                    left.take_one()?;
                    self.place(key, hash, Word::UNEXPANDED);
                    new.push(key);
                }
            }
        }
        Ok(())
    }

    /// Calls `each` with the index of every key, in order, and its group and place there, if it is in the part.
    ///
    /// The processor is asked for the memory of [`AHEAD`] keys at a time, so that it does not wait for one after the other.
    #[inline(always)]
    pub(crate) fn find_all(&self, keys: &[K], mut each: impl FnMut(usize, Option<(usize, u32)>)) {
        let mut hashes = [0; AHEAD];
        for (block, keys) in keys.chunks(AHEAD).enumerate() {
            for (known, &key) in hashes.iter_mut().zip(keys) {
                *known = hash(key);
                if let Some(group) = self.groups.get(self.home(*known)) {
                    prefetch(group);
                }
            }
            for (n, (&key, &hash)) in keys.iter().zip(&hashes).enumerate() {
                each(block * AHEAD + n, self.find(key, hash));
            }
        }
    }

    /// Calls `each` with the number of the slot and the word of every key that is in the part.
    #[inline(always)]
    pub(crate) fn words_of(&self, keys: &[K], mut each: impl FnMut(usize, &AtomicU16)) {
        self.find_all(keys, |_, found| {
            if let Some((group, place)) = found {
                each(group * SLOTS + place as usize, &self.groups[group].words[place as usize]);
            }
        });
    }

    /// Slots, with or without positions in them.
    pub(crate) fn slots(&self) -> usize {
        self.groups.len() * SLOTS
    }

    /// Its positions, in the order of their slots: number in the part, key and word.
    pub(crate) fn positions(&self) -> impl Iterator<Item = (usize, K, Word)> + '_ {
        self.groups.iter().enumerate().flat_map(|(n, group)| {
            let places = 0..group.used as usize;
            places.map(move |at| {
                (n * SLOTS + at, group.keys[at], Word(group.words[at].load(Ordering::Relaxed)))
            })
        })
    }
}

/// Positions as packed keys, each with a word.
#[derive(Debug)]
pub(crate) struct Store<K> {
    parts: Vec<Part<K>>,
    len: usize,
}

impl<K: PackedKey> Store<K> {
    pub(crate) fn new() -> Self {
        Store { parts: (0..PARTS).map(|_| Part { groups: Vec::new(), len: 0 }).collect(), len: 0 }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn parts(&self) -> &[Part<K>] {
        &self.parts
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> u64 {
        let groups: usize = self.parts.iter().map(|part| part.groups.len()).sum();
        PARTS as u64 * PART_BYTES + (groups * size_of::<Group<K>>()) as u64
    }

    /// Bytes in use once there is room for `more` keys in each part.
    pub(crate) fn bytes_with(&self, more: &[u32]) -> u64 {
        let parts = self.parts.iter().enumerate().zip(more);
        let groups: usize =
            parts.map(|((number, part), &more)| part.groups_for(number, part.len + more as usize)).sum();
        PARTS as u64 * PART_BYTES + (groups * size_of::<Group<K>>()) as u64
    }

    /// Makes room for `more` keys in each part.
    pub(crate) fn reserve(&mut self, more: &[u32]) -> Result<(), Stop> {
        let reserve =
            |number: usize, part: &mut Part<K>| part.reserve(number, part.len + more[number] as usize);
        parallel::map_mut(&mut self.parts, reserve).into_iter().collect()
    }

    /// Works on all parts, `size` together on one thread, and returns the results in order.
    pub(crate) fn map_parts<T: Send>(
        &mut self,
        size: usize,
        work: impl Fn(usize, &mut [Part<K>]) -> T + Sync,
    ) -> Vec<T> {
        let mut shares: Vec<&mut [Part<K>]> = self.parts.chunks_mut(size).collect();
        let done = parallel::map_mut(&mut shares, |n, parts| work(n, parts));
        self.len = self.parts.iter().map(|part| part.len).sum();
        done
    }

    /// Adds a key with its word, and returns whether it is new; there must be room.
    pub(crate) fn add(&mut self, key: K, word: Word) -> bool {
        let hash = hash(key);
        let part = &mut self.parts[part_of(hash)];
        let new = part.find(key, hash).is_none();
        if new {
            part.place(key, hash, word);
            self.len += 1;
        }
        new
    }

    fn find_hashed(&self, key: K, hash: u64) -> Option<Slot> {
        let part = part_of(hash);
        self.parts[part].find(key, hash).map(|(group, place)| slot(part, group * SLOTS + place as usize))
    }

    /// The slot of a position; `None` if it is not in the store.
    pub(crate) fn find(&self, key: K) -> Option<Slot> {
        self.find_hashed(key, hash(key))
    }

    /// Calls `each` with the index of every key, in order, and its slot: [`NONE`] for a key that is not in the store.
    ///
    /// A first loop asks for all the memory, so that the processor waits for many cache lines at a time instead of one after the
    /// other.
    #[inline(always)]
    pub(crate) fn find_all(&self, keys: &[K], mut each: impl FnMut(usize, Slot)) {
        let mut hashes = [0; AHEAD];
        let mut homes = [0; AHEAD];
        for (block, keys) in keys.chunks(AHEAD).enumerate() {
            for (n, &key) in keys.iter().enumerate() {
                hashes[n] = hash(key);
                let part = &self.parts[part_of(hashes[n])];
                homes[n] = part.home(hashes[n]);
                if let Some(group) = part.groups.get(homes[n]) {
                    prefetch(group);
                }
            }
            for (n, &key) in keys.iter().enumerate() {
                let part = part_of(hashes[n]);
                let found = match self.parts[part].groups.get(homes[n]) {
                    Some(group) => match group.matching(key) {
                        0 if (group.used as usize) < SLOTS => NONE,
                        0 => self.find_hashed(key, hashes[n]).unwrap_or(NONE),
                        mask => slot(part, homes[n] * SLOTS + mask.trailing_zeros() as usize),
                    },
                    None => NONE,
                };
                each(block * AHEAD + n, found);
            }
        }
    }

    /// The key of a slot.
    #[inline(always)]
    pub(crate) fn key(&self, slot: Slot) -> K {
        let (part, at) = local(slot);
        self.parts[part].groups[at / SLOTS].keys[at % SLOTS]
    }

    /// The word of a slot.
    #[inline(always)]
    pub(crate) fn word(&self, slot: Slot) -> &AtomicU16 {
        let (part, at) = local(slot);
        &self.parts[part].groups[at / SLOTS].words[at % SLOTS]
    }

    /// The slots, keys and words of all positions.
    #[cfg(test)]
    fn positions(&self) -> impl Iterator<Item = (Slot, K, Word)> + '_ {
        (0..PARTS).flat_map(|part| self.part_positions(part))
    }

    /// The slots, keys and words of the positions of a part.
    pub(crate) fn part_positions(&self, part: usize) -> impl Iterator<Item = (Slot, K, Word)> + '_ {
        self.parts[part].positions().map(move |(at, key, word)| (slot(part, at), key, word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::zobrist::splitmix64;
    use std::collections::HashMap;

    fn room(part: usize) -> Vec<u32> {
        (0..PARTS).map(|n| u32::from(n == part)).collect()
    }

    fn against_a_map<K: PackedKey>(above: u32) {
        let mut store = Store::<K>::new();
        let mut map: HashMap<K, Word> = HashMap::new();
        let mut state = 7;
        for round in 0..20_000_usize {
            let random;
            (state, random) = splitmix64(state);
            // Few enough values that many are seen twice; high words in use too.
            let key = K::ZERO.push(random % 15_000, above).push(random % 3, 40);
            let more = room(part_of_key(key));
            let bytes = store.bytes_with(&more);
            store.reserve(&more).unwrap();
            assert_eq!(store.bytes(), bytes);
            let new = !map.contains_key(&key);
            assert_eq!(store.find(key).is_none(), new, "round {round}");
            assert_eq!(store.add(key, Word(round as u16)), new);
            map.entry(key).or_insert(Word(round as u16));
        }
        let mut keys: Vec<K> = map.keys().copied().collect();
        keys.push(K::ZERO.push(15_001, above));
        let mut seen = 0;
        store.find_all(&keys, |n, slot| {
            assert_eq!(n, seen);
            seen += 1;
            let word = (slot != NONE).then(|| Word(store.word(slot).load(Ordering::Relaxed)));
            assert_eq!(word, map.get(&keys[n]).copied());
            assert!(slot == NONE || store.key(slot) == keys[n]);
        });
        assert_eq!((seen, store.len()), (keys.len(), map.len()));
        let all: HashMap<K, Word> = store.positions().map(|(_, key, word)| (key, word)).collect();
        assert_eq!(all, map);
    }

    #[test]
    fn the_store_agrees_with_a_hash_map() {
        against_a_map::<u64>(24);
        against_a_map::<u128>(64);
        against_a_map::<[u64; 4]>(64);
    }

    #[test]
    fn a_full_store_takes_at_most_16_bytes_a_position() {
        assert_eq!(size_of::<Group<u64>>(), 64);
        let mut store = Store::<u64>::new();
        for step in 1..40_u64 {
            let keys = 50_000 * (step - 1)..50_000 * step;
            let mut more = vec![0; PARTS];
            for key in keys.clone() {
                more[part_of_key(key)] += 1;
            }
            store.reserve(&more).unwrap();
            for key in keys {
                assert!(store.add(key, Word::UNEXPANDED));
            }
            let each = store.bytes() as f64 / store.len() as f64;
            assert!(step < 4 || each < 16.0, "{each} bytes for each of {}", store.len());
        }
    }
}
