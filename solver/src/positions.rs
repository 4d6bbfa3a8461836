//! The positions of a graph: in blocks, if the game can take moves back and its keys hold a set of squares, or else as keys in
//! hash tables.

use crate::blocks::{self, Blocks};
use crate::disk::DiskPositions;
use crate::store::{self, Slot, Store};
use crate::word::Word;
use jewel_engine::ability::PackedKey;
use std::sync::atomic::Ordering;

/// The fewest keys for which a finder pays.
const FEW: usize = 1 << 8;

/// A set of positions, each with a word.
#[derive(Debug)]
pub(crate) enum Positions<K> {
    /// By their keys.
    Hashed(Store<K>),
    /// In blocks, and their number.
    Blocks(Blocks<K>, u64),
    /// In files.
    Disk(DiskPositions<K>),
}

impl<K: PackedKey> Positions<K> {
    /// The number of positions.
    pub(crate) fn len(&self) -> u64 {
        match self {
            Positions::Hashed(store) => store.len() as u64,
            Positions::Blocks(_, len) => *len,
            Positions::Disk(disk) => disk.len(),
        }
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Positions::Hashed(store) => store.bytes(),
            Positions::Blocks(blocks, _) => blocks.bytes(),
            Positions::Disk(disk) => disk.bytes(),
        }
    }

    /// The number of parts.
    pub(crate) fn parts(&self) -> usize {
        match self {
            Positions::Hashed(_) => store::PARTS,
            Positions::Blocks(..) => blocks::PARTS,
            Positions::Disk(disk) => disk.parts(),
        }
    }

    /// The slots, keys and words of the positions of a part.
    pub(crate) fn of_part(&self, part: usize) -> Box<dyn Iterator<Item = (Slot, K, Word)> + '_> {
        match self {
            Positions::Hashed(store) => Box::new(store.part_positions(part)),
            Positions::Blocks(blocks, _) => Box::new(blocks.part_positions(part)),
            Positions::Disk(disk) => Box::new(disk.of_part(part)),
        }
    }

    /// The slot of a position; `None` if it is not there.
    pub(crate) fn find(&self, key: K) -> Option<Slot> {
        match self {
            Positions::Hashed(store) => store.find(key),
            Positions::Blocks(blocks, _) => blocks.find(key),
            Positions::Disk(disk) => disk.find(key),
        }
    }

    /// Calls `each` with the index of every key, in order, and its slot: [`NONE`](store::NONE) for a key that is not there.
    pub(crate) fn find_all(&self, keys: &[K], mut each: impl FnMut(usize, Slot)) {
        match self {
            Positions::Hashed(store) => store.find_all(keys, each),
            Positions::Disk(disk) => disk.find_all(keys, each),
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
    pub(crate) fn word(&self, slot: Slot) -> Word {
        match self {
            Positions::Hashed(store) => Word(store.word(slot).load(Ordering::Relaxed)),
            Positions::Blocks(blocks, _) => Word(blocks.word(slot).load(Ordering::Relaxed)),
            Positions::Disk(disk) => disk.word(slot),
        }
    }

    /// How many keys are best looked up at a time.
    pub(crate) fn many(&self) -> usize {
        match self {
            Positions::Hashed(_) | Positions::Blocks(..) => 1 << 10,
            // So that several of them are in the same block of a file.
            Positions::Disk(_) => 1 << 20,
        }
    }

    /// Puts another word into a slot in memory.
    #[cfg(test)]
    pub(crate) fn set_word(&self, slot: Slot, word: Word) {
        match self {
            Positions::Hashed(store) => store.word(slot).store(word.0, Ordering::Relaxed),
            Positions::Blocks(blocks, _) => blocks.word(slot).store(word.0, Ordering::Relaxed),
            Positions::Disk(_) => unreachable!("files are not changed"),
        }
    }

    /// The slots, keys and words of all positions.
    #[cfg(test)]
    pub(crate) fn all(&self) -> impl Iterator<Item = (Slot, K, Word)> + '_ {
        (0..self.parts()).flat_map(|part| self.of_part(part))
    }
}
