//! Keys in the order of the parts of the store that they belong to.
//!
//! A part is small enough for the caches and the address translation of a processor: looking up many keys of one part after the
//! other takes a fraction of the time of the same keys in any order.

use crate::store::{PARTS, part_of_key};
use jewel_engine::ability::PackedKey;

/// Keys sorted by part; those of one part stay in the order in which they came.
#[derive(Debug)]
pub(crate) struct Sorted<K> {
    keys: Vec<K>,
    /// Where the keys of each part end.
    ends: Vec<u32>,
}

impl<K: PackedKey> Sorted<K> {
    /// Sorts keys, of which there are fewer than 2^32.
    pub(crate) fn new(keys: &[K]) -> Sorted<K> {
        let parts: Vec<u16> = keys.iter().map(|&key| part_of_key(key) as u16).collect();
        let mut ends = vec![0_u32; PARTS];
        for &part in &parts {
            ends[part as usize] += 1;
        }
        let mut start = 0;
        for end in &mut ends {
            start += std::mem::replace(end, start);
        }
        let mut sorted = vec![K::ZERO; keys.len()];
        for (&key, &part) in keys.iter().zip(&parts) {
            let place = &mut ends[part as usize];
            sorted[*place as usize] = key;
            *place += 1;
        }
        Sorted { keys: sorted, ends }
    }

    /// The number of keys.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The keys of a part.
    pub(crate) fn of_part(&self, part: usize) -> &[K] {
        let start = if part == 0 { 0 } else { self.ends[part - 1] as usize };
        &self.keys[start..self.ends[part] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_in_its_part_and_in_order() {
        let keys: Vec<u64> = (0..20_000).map(|n| n * n % 9_000).collect();
        let sorted = Sorted::new(&keys);
        assert_eq!(sorted.len(), keys.len());
        for part in 0..PARTS {
            let expected: Vec<u64> = keys.iter().copied().filter(|&key| part_of_key(key) == part).collect();
            assert_eq!(sorted.of_part(part), expected);
        }
        assert!(Sorted::<u64>::new(&[]).of_part(PARTS - 1).is_empty());
    }
}
