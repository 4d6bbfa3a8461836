//! A cache of decoded blocks, shared by all tables and threads.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A decoded block.
#[derive(Clone, Debug)]
pub(crate) enum Decoded {
    Wdl(Arc<[u8]>),
    Numbers(Arc<[u16]>),
}

/// A block of a table: of distances, or of win/draw/loss symbols.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Key {
    pub(crate) table: u64,
    pub(crate) block: u64,
    pub(crate) distance: bool,
}

/// Blocks of a shard: the least recently used one makes room.
const WAYS: usize = 4;

/// The blocks of one shard, the most recently used first.
type Shard = [Option<(Key, Decoded)>; WAYS];

/// A cache of decoded blocks. It is split into many small shards, each with its own lock, which is held for a few instructions.
#[derive(Debug)]
pub struct Cache {
    shards: Box<[Mutex<Shard>]>,
}

impl Cache {
    /// A cache of about `bytes` bytes for blocks of the default size (6 KiB of win/draw/loss, 12 KiB of distances). It holds at
    /// least 64 blocks.
    pub fn new(bytes: usize) -> Cache {
        let shards = (bytes / (WAYS * 9 * 1024)).max(16);
        Cache { shards: (0..shards).map(|_| Mutex::new([const { None }; WAYS])).collect() }
    }

    fn shard(&self, key: Key) -> &Mutex<Shard> {
        let mut hash = key.block << 1 | u64::from(key.distance);
        hash = (hash ^ key.table << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        &self.shards[((u128::from(hash) * self.shards.len() as u128) >> 64) as usize]
    }

    pub(crate) fn get(&self, key: Key) -> Option<Decoded> {
        let mut shard = self.shard(key).lock().unwrap_or_else(PoisonError::into_inner);
        let at = shard.iter().position(|slot| slot.as_ref().is_some_and(|(k, _)| *k == key))?;
        shard[..=at].rotate_right(1);
        shard[0].as_ref().map(|(_, block)| block.clone())
    }

    pub(crate) fn put(&self, key: Key, block: Decoded) {
        let mut shard = self.shard(key).lock().unwrap_or_else(PoisonError::into_inner);
        // A longer part of a block replaces a shorter one; another block replaces the oldest.
        let at =
            shard.iter().position(|slot| slot.as_ref().is_some_and(|(k, _)| *k == key)).unwrap_or(WAYS - 1);
        shard[..=at].rotate_right(1);
        shard[0] = Some((key, block));
    }
}

/// A new number for a table, so that tables can share a cache.
pub(crate) fn table_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recent_blocks_stay_and_old_ones_go() {
        let cache = Cache::new(0);
        let key = |block| Key { table: 3, block, distance: block % 2 == 0 };
        let block = |n: u64| Decoded::Wdl(Arc::from([n as u8]));
        cache.put(key(0), block(0));
        for n in 1..1000 {
            cache.put(key(n), block(n));
            // The first is asked for all the time and never leaves.
            assert!(matches!(cache.get(key(0)), Some(Decoded::Wdl(b)) if b[0] == 0));
            assert!(matches!(cache.get(key(n)), Some(Decoded::Wdl(b)) if b[0] == n as u8));
        }
        assert!((1..1000).filter(|&n| cache.get(key(n)).is_some()).count() <= 64);
        assert!(cache.get(Key { table: 4, ..key(0) }).is_none());
    }
}
