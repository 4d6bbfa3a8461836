//! Positions by number and numbers by position: packed keys in order of discovery, and a hash index of their numbers.

use crate::control::{MAX_MOVES, Stop, allocate};
use jewel_engine::ability::PackedKey;
use jewel_engine::value::{Outcome, Side};
use jewel_engine::zobrist::splitmix64;

/// A list that grows by segments of fixed size, so that it is never copied and never needs twice its room.
#[derive(Debug)]
pub(crate) struct Segments<T> {
    segments: Vec<Vec<T>>,
    len: usize,
}

/// Items in a segment.
const SEGMENT: usize = 1 << 16;

impl<T: Copy> Segments<T> {
    pub(crate) const fn new() -> Self {
        Segments { segments: Vec::new(), len: 0 }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(crate) fn get(&self, index: usize) -> T {
        self.segments[index / SEGMENT][index % SEGMENT]
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> u64 {
        (self.segments.len() * SEGMENT * size_of::<T>()) as u64
    }

    /// Bytes in use once there is room for `more` items.
    pub(crate) fn bytes_with(&self, more: usize) -> u64 {
        let segments = (self.len + more).div_ceil(SEGMENT).max(self.segments.len());
        (segments * SEGMENT * size_of::<T>()) as u64
    }

    /// Makes room for `more` items.
    pub(crate) fn reserve(&mut self, more: usize) -> Result<(), Stop> {
        while self.segments.len() * SEGMENT < self.len + more {
            self.segments.push(allocate(SEGMENT)?);
        }
        Ok(())
    }

    /// Adds an item; `reserve` must have made room for it.
    #[inline]
    pub(crate) fn push(&mut self, item: T) {
        self.segments[self.len / SEGMENT].push(item);
        self.len += 1;
    }

    /// All items in order, as slices.
    pub(crate) fn slices(&self) -> impl Iterator<Item = &[T]> {
        self.segments.iter().map(Vec::as_slice)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = T> {
        self.slices().flatten().copied()
    }
}

/// A cache line of the index: the numbers of positions, and a tag for each to compare first. The last four tags are never used;
/// they fill up a vector.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Group {
    /// 0 where the slot is empty. Slots fill from the first.
    tags: [u8; 16],
    ids: [u32; SLOTS],
}

const SLOTS: usize = 12;
const EMPTY: Group = Group { tags: [0; 16], ids: [0; SLOTS] };

impl Group {
    /// Bit `n` is set where slot `n` has this tag.
    #[inline(always)]
    fn matching(&self, tag: u8) -> u32 {
        let mut mask = 0;
        for (slot, &t) in self.tags.iter().enumerate() {
            mask |= u32::from(t == tag) << slot;
        }
        mask
    }

    #[inline(always)]
    fn is_full(&self) -> bool {
        self.tags[SLOTS - 1] != 0
    }
}

/// Positions as packed keys, numbered from 0 in the order in which they were added.
#[derive(Debug)]
pub(crate) struct KeyStore<K> {
    keys: Segments<K>,
    groups: Vec<Group>,
    /// The number of keys in the index: all of them, unless an allocation failed.
    indexed: usize,
}

/// No position has this number.
pub(crate) const NONE: u32 = u32::MAX;

/// The hash of a key, and the tag that goes with it.
#[inline(always)]
fn hash<K: PackedKey>(key: K) -> (u64, u8) {
    let (mut rest, mut hash) = (key, 0);
    for _ in 0..K::BYTES / 8 {
        let word;
        (rest, word) = rest.pop(64);
        hash = splitmix64(hash ^ word).1;
    }
    (hash, (hash as u8).max(1))
}

impl<K: PackedKey> KeyStore<K> {
    pub(crate) const fn new() -> Self {
        KeyStore { keys: Segments::new(), groups: Vec::new(), indexed: 0 }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The key of a position.
    #[inline(always)]
    pub(crate) fn key(&self, id: u32) -> K {
        self.keys.get(id as usize)
    }

    pub(crate) fn keys(&self) -> &Segments<K> {
        &self.keys
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> u64 {
        self.keys.bytes() + (self.groups.len() * size_of::<Group>()) as u64
    }

    /// The number of groups for `keys` keys: at most five sixths of the slots are filled, and the index grows by at least half.
    fn groups_for(&self, keys: usize) -> usize {
        let least = keys.div_ceil(SLOTS * 5 / 6).max(16);
        if least <= self.groups.len() { self.groups.len() } else { least.max(self.groups.len() * 3 / 2) }
    }

    /// Bytes in use once there is room for `more` keys.
    pub(crate) fn bytes_with(&self, more: usize) -> u64 {
        let groups = self.groups_for(self.len() + more);
        self.keys.bytes_with(more) + (groups * size_of::<Group>()) as u64
    }

    /// Makes room for `more` keys.
    pub(crate) fn reserve(&mut self, more: usize) -> Result<(), Stop> {
        self.keys.reserve(more)?;
        let groups = self.groups_for(self.len() + more);
        if groups != self.groups.len() || self.indexed != self.len() {
            // The old index goes first: the keys are enough to build the new one.
            self.groups = Vec::new();
            self.indexed = 0;
            let mut index = allocate(groups)?;
            index.resize(groups, EMPTY);
            self.groups = index;
            self.index_all();
        }
        Ok(())
    }

    fn index_all(&mut self) {
        let mut id = 0;
        for slice in self.keys.slices() {
            for &key in slice {
                let (hash, tag) = hash(key);
                place(&mut self.groups, hash, tag, id);
                id += 1;
            }
        }
        self.indexed = id as usize;
    }

    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        home(self.groups.len(), hash)
    }

    fn find_hashed(&self, key: K, hash: u64, tag: u8) -> Option<u32> {
        if self.groups.is_empty() {
            return None;
        }
        let mut at = self.home(hash);
        loop {
            let group = &self.groups[at];
            let mut mask = group.matching(tag);
            while mask != 0 {
                let id = group.ids[mask.trailing_zeros() as usize];
                if self.key(id) == key {
                    return Some(id);
                }
                mask &= mask - 1;
            }
            if !group.is_full() {
                return None;
            }
            at = if at + 1 == self.groups.len() { 0 } else { at + 1 };
        }
    }

    /// The number of a position; `None` if it is not in the store.
    pub(crate) fn find(&self, key: K) -> Option<u32> {
        let (hash, tag) = hash(key);
        self.find_hashed(key, hash, tag)
    }

    /// The numbers of many positions, [`NONE`] for those that are not in the store.
    ///
    /// Two loops with few branches read the index and then the keys, so that the processor waits for many cache lines at a time
    /// instead of one after the other.
    pub(crate) fn find_all(&self, keys: &[K], ids: &mut Vec<u32>) {
        const BLOCK: usize = 64;
        let mut hashes = [(0, 0); BLOCK];
        let mut guesses = [0; BLOCK];
        for keys in keys.chunks(BLOCK) {
            for ((key, hashed), guess) in keys.iter().zip(&mut hashes).zip(&mut guesses) {
                *hashed = hash(*key);
                let group = &self.groups[self.home(hashed.0)];
                let mask = group.matching(hashed.1);
                // The first slot with this tag; without one, some slot.
                let id = group.ids[mask.trailing_zeros() as usize % SLOTS];
                *guess = if mask == 0 && !group.is_full() { NONE } else { id };
            }
            let mut hits = 0_u64;
            for (n, (key, guess)) in keys.iter().zip(&guesses).enumerate() {
                let certain = *guess == NONE || self.key(*guess) == *key;
                hits |= u64::from(certain) << n;
            }
            for (n, key) in keys.iter().enumerate() {
                let (hash, tag) = hashes[n];
                let id = if hits >> n & 1 != 0 {
                    guesses[n]
                } else {
                    self.find_hashed(*key, hash, tag).unwrap_or(NONE)
                };
                ids.push(id);
            }
        }
    }

    /// The number of a position, which is added if it is new; `None` if it is new and there are `limit` positions already.
    /// `reserve` must have made room for it.
    pub(crate) fn find_or_add(&mut self, key: K, limit: usize) -> Option<u32> {
        let (hash, tag) = hash(key);
        if let Some(id) = self.find_hashed(key, hash, tag) {
            return Some(id);
        }
        if self.len() >= limit {
            return None;
        }
        let id = self.len() as u32;
        self.keys.push(key);
        place(&mut self.groups, hash, tag, id);
        self.indexed += 1;
        Some(id)
    }
}

#[inline(always)]
fn home(groups: usize, hash: u64) -> usize {
    // The high bits choose the group (Lemire's multiplication instead of a division), the low ones are the tag.
    ((u128::from(hash) * groups as u128) >> 64) as usize
}

/// Writes a number into the first free slot at or after its home.
#[inline(always)]
fn place(groups: &mut [Group], hash: u64, tag: u8, id: u32) {
    let mut at = home(groups.len(), hash);
    loop {
        let group = &mut groups[at];
        if let Some(slot) = group.tags[..SLOTS].iter().position(|&t| t == 0) {
            group.tags[slot] = tag;
            group.ids[slot] = id;
            return;
        }
        at = if at + 1 == groups.len() { 0 } else { at + 1 };
    }
}

/// Two bytes for each position: side to move, how the game ended if it did, and the number of moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Meta(pub(crate) u16);

impl Meta {
    /// A position with `degree` moves, at most [`MAX_MOVES`].
    pub(crate) fn open(side: Side, degree: usize) -> Meta {
        Meta((side.index() as u16) << 15 | degree as u16)
    }

    /// A finished game.
    pub(crate) fn finished(side: Side, outcome: Outcome) -> Meta {
        Meta((side.index() as u16) << 15 | (outcome as u16 + 1) << 13)
    }

    #[inline(always)]
    pub(crate) fn side(self) -> Side {
        if self.0 >> 15 == 0 { Side::White } else { Side::Black }
    }

    /// How the game ended here.
    #[inline(always)]
    pub(crate) fn outcome(self) -> Option<Outcome> {
        match self.0 >> 13 & 3 {
            0 => None,
            1 => Some(Outcome::Loss),
            2 => Some(Outcome::Draw),
            _ => Some(Outcome::Win),
        }
    }

    /// The number of moves.
    #[inline(always)]
    pub(crate) fn degree(self) -> usize {
        self.0 as usize & MAX_MOVES
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn against_a_map<K: PackedKey>(above: u32) {
        let mut store = KeyStore::<K>::new();
        let mut map: HashMap<K, u32> = HashMap::new();
        let mut state = 7;
        for round in 0..40_000_usize {
            let random;
            (state, random) = splitmix64(state);
            // Few enough values that many are seen twice; high words in use too.
            let key = K::ZERO.push(random % 30_000, above).push(random % 3, 40);
            store.reserve(1).unwrap();
            let next = map.len() as u32;
            let id = *map.entry(key).or_insert(next);
            assert_eq!(store.find(key).is_some(), id != next, "round {round}");
            assert_eq!(store.find_or_add(key, usize::MAX), Some(id));
        }
        let mut keys: Vec<K> = map.keys().copied().collect();
        keys.push(K::ZERO.push(30_001, above));
        let mut ids = Vec::new();
        store.find_all(&keys, &mut ids);
        for (key, id) in keys.iter().zip(ids) {
            assert_eq!(map.get(key).copied().unwrap_or(NONE), id);
            assert!(id == NONE || store.key(id) == *key);
        }
        assert_eq!(store.len(), map.len());
        assert_eq!(store.find_or_add(K::ZERO.push(30_001, above), map.len()), None);
    }

    #[test]
    fn the_index_agrees_with_a_hash_map() {
        against_a_map::<u64>(24);
        against_a_map::<u128>(64);
        against_a_map::<[u64; 4]>(64);
    }

    #[test]
    fn meta_keeps_what_it_is_given() {
        for side in Side::BOTH {
            for degree in [0, 1, MAX_MOVES] {
                let meta = Meta::open(side, degree);
                assert_eq!((meta.side(), meta.degree(), meta.outcome()), (side, degree, None));
            }
            for outcome in [Outcome::Loss, Outcome::Draw, Outcome::Win] {
                let meta = Meta::finished(side, outcome);
                assert_eq!((meta.side(), meta.degree(), meta.outcome()), (side, 0, Some(outcome)));
            }
        }
    }
}
