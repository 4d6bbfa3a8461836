//! The positions of a graph: in blocks, if the game can take moves back and its keys hold a set of squares, or else as keys in
//! hash tables.

use crate::blocks::{self, Blocks};
use crate::store::{self, Slot, Store};
use crate::subsets::Ranked;
use crate::word::Word;
use jewel_engine::ability::{Packed, PackedKey};
use std::sync::atomic::{AtomicU16, Ordering};

/// How the keys of a graph are ranked; `None` if its positions do not go into blocks.
pub(crate) fn ranked<P: Packed, K: PackedKey>(root: &P) -> Option<Ranked> {
    let bits = root.set_bits();
    let most = root.pack::<K>().pop(bits.min(64)).1.count_ones();
    // Lists of predecessors would take room for every place of a block, whether there is a position or not.
    (bits > 0 && root.has_unmoves()).then(|| Ranked::new(bits, most))
}

/// The fewest keys for which a finder pays.
const FEW: usize = 1 << 8;

/// A set of positions, each with a word.
#[derive(Debug)]
pub(crate) enum Positions<K> {
    /// By their keys.
    Hashed(Store<K>),
    /// In blocks, and their number.
    Blocks(Blocks<K>, u64),
}

impl<K: PackedKey> Positions<K> {
    /// The number of positions.
    pub(crate) fn len(&self) -> u64 {
        match self {
            Positions::Hashed(store) => store.len() as u64,
            Positions::Blocks(_, len) => *len,
        }
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Positions::Hashed(store) => store.bytes(),
            Positions::Blocks(blocks, _) => blocks.bytes(),
        }
    }

    /// The number of parts.
    pub(crate) fn parts(&self) -> usize {
        match self {
            Positions::Hashed(_) => store::PARTS,
            Positions::Blocks(..) => blocks::PARTS,
        }
    }

    /// The slots, keys and words of the positions of a part.
    pub(crate) fn of_part(&self, part: usize) -> Box<dyn Iterator<Item = (Slot, K, Word)> + '_> {
        match self {
            Positions::Hashed(store) => Box::new(store.part_positions(part)),
            Positions::Blocks(blocks, _) => Box::new(blocks.part_positions(part)),
        }
    }

    /// The slot of a position; `None` if it is not there.
    pub(crate) fn find(&self, key: K) -> Option<Slot> {
        match self {
            Positions::Hashed(store) => store.find(key),
            Positions::Blocks(blocks, _) => blocks.find(key),
        }
    }

    /// Calls `each` with the index of every key, in order, and its slot: [`NONE`](store::NONE) for a key that is not there.
    pub(crate) fn find_all(&self, keys: &[K], mut each: impl FnMut(usize, Slot)) {
        match self {
            Positions::Hashed(store) => store.find_all(keys, each),
            Positions::Blocks(blocks, _) => {
                if keys.len() < FEW {
                    keys.iter()
                        .enumerate()
                        .for_each(|(n, &key)| each(n, blocks.find(key).unwrap_or(store::NONE)));
                    return;
                }
                let mut finder = blocks.finder();
                for (n, (place, &key)) in finder.find(keys).iter().zip(keys).enumerate() {
                    let absent = place.word.load(Ordering::Relaxed) == Word::ABSENT.0;
                    each(n, if absent { store::NONE } else { blocks.slot(key, place.run) });
                }
            }
        }
    }

    /// The word of a slot.
    pub(crate) fn word(&self, slot: Slot) -> &AtomicU16 {
        match self {
            Positions::Hashed(store) => store.word(slot),
            Positions::Blocks(blocks, _) => blocks.word(slot),
        }
    }

    /// The slots, keys and words of all positions.
    #[cfg(test)]
    pub(crate) fn all(&self) -> impl Iterator<Item = (Slot, K, Word)> + '_ {
        (0..self.parts()).flat_map(|part| self.of_part(part))
    }
}

/// A set of slots.
pub(crate) struct Slots {
    /// Bits of the slots with the same high half.
    pages: Vec<Vec<u64>>,
}

const PAGE_BITS: u32 = Slot::BITS / 2;

impl Slots {
    pub(crate) fn new() -> Slots {
        Slots { pages: vec![Vec::new(); 1 << (Slot::BITS - PAGE_BITS)] }
    }

    /// Adds a slot, and returns whether it is new.
    pub(crate) fn insert(&mut self, slot: Slot) -> bool {
        let page = &mut self.pages[(slot >> PAGE_BITS) as usize];
        if page.is_empty() {
            page.resize(1 << (PAGE_BITS - 6), 0);
        }
        let at = slot as usize % (1 << PAGE_BITS);
        let (word, bit) = (&mut page[at / 64], 1 << (at % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_new_once() {
        let mut slots = Slots::new();
        for slot in [0, 1, 63, 64, 65_535, 65_536, Slot::MAX - 1, Slot::MAX] {
            assert!(slots.insert(slot));
            assert!(!slots.insert(slot));
        }
        assert!(slots.insert(2));
    }
}
