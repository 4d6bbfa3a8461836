//! Memory that grows and never moves, so that several threads read it while one takes more.

use crate::control::{Budget, Stop};
use crate::memory::allocate;
use crate::store::Slot;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

const OFFSET_BITS: u32 = 24;
/// The most items of a chunk.
const CHUNK: usize = 1 << OFFSET_BITS;
/// The most chunks.
const CHUNKS: usize = 1 << (Slot::BITS - OFFSET_BITS);
/// The items of the first chunks.
const FIRST: usize = 1 << 10;

/// Items in chunks: each chunk is an eighth of all before it, so that little is taken that is not used. A slot is the number of a
/// chunk and a place in it.
#[derive(Debug)]
pub(crate) struct Arena<T> {
    chunks: Vec<OnceLock<Box<[T]>>>,
    taken: Mutex<Taken>,
    /// Makes an item of a new chunk.
    item: fn() -> T,
}

#[derive(Debug, Default)]
struct Taken {
    /// Chunks in use.
    chunks: usize,
    /// Items of the last one that are taken.
    used: usize,
    /// Items in all chunks.
    items: usize,
}

impl<T> Arena<T> {
    /// An empty one, which takes no memory for items.
    pub(crate) fn new(item: fn() -> T) -> Arena<T> {
        Arena { chunks: (0..CHUNKS).map(|_| OnceLock::new()).collect(), taken: Mutex::default(), item }
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> u64 {
        (self.taken().items * size_of::<T>()) as u64
    }

    #[inline(always)]
    fn chunk(&self, slot: Slot) -> &[T] {
        self.chunks[(slot >> OFFSET_BITS) as usize].get().map_or(&[], |chunk| chunk)
    }

    /// The item of a slot that was taken.
    #[inline(always)]
    pub(crate) fn at(&self, slot: Slot) -> &T {
        &self.chunk(slot)[slot as usize % CHUNK]
    }

    /// Items that were taken together, or some of them.
    #[inline(always)]
    pub(crate) fn slice(&self, start: Slot, count: usize) -> &[T] {
        let in_chunk = start as usize % CHUNK;
        &self.chunk(start)[in_chunk..in_chunk + count]
    }

    /// Takes items that are in use nowhere else.
    ///
    /// # Errors
    /// If the budget or the system does not allow it, or there are no more slots.
    pub(crate) fn take(&self, count: usize, budget: &Budget) -> Result<Slot, Stop> {
        let mut taken = self.taken();
        let left = match taken.chunks.checked_sub(1) {
            Some(last) => self.chunks[last].get().map_or(0, |chunk| chunk.len()) - taken.used,
            None => 0,
        };
        if left < count {
            let size = (taken.items / 8).clamp(FIRST, CHUNK).max(count);
            // A slot of the last chunk could be the one that means none.
            if size > CHUNK || taken.chunks + 1 == CHUNKS {
                return Err(Stop::Overflow);
            }
            budget.take((size * size_of::<T>()) as u64)?;
            let mut items = allocate(size)?;
            items.resize_with(size, self.item);
            let _ = self.chunks[taken.chunks].set(items.into_boxed_slice());
            taken.chunks += 1;
            taken.used = 0;
            taken.items += size;
        }
        let start = (taken.chunks - 1) << OFFSET_BITS | taken.used;
        taken.used += count;
        Ok(start as Slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Limits;
    use std::sync::atomic::{AtomicU16, Ordering};

    #[test]
    fn what_is_taken_is_apart_and_counted() {
        let arena = Arena::new(|| AtomicU16::new(7));
        let budget = Budget::new(0, Limits { memory: 200_000, ..Limits::default() });
        let mut starts = Vec::new();
        let stop = loop {
            match arena.take(1 + starts.len() % 300, &budget) {
                Ok(start) => starts.push(start),
                Err(stop) => break stop,
            }
        };
        assert!(matches!(stop, Stop::Memory { limit: 200_000, .. }) && arena.bytes() <= 200_000);
        for (n, &start) in starts.iter().enumerate() {
            for item in arena.slice(start, 1 + n % 300) {
                assert_eq!(item.swap(n as u16 + 8, Ordering::Relaxed), 7);
            }
        }
        let items: usize = (0..starts.len()).map(|n| 1 + n % 300).sum();
        assert!(arena.bytes() < (items * 2) as u64 * 5 / 4 + 4_000, "{} for {items}", arena.bytes());
        assert_eq!(arena.at(starts[9]).load(Ordering::Relaxed), 17);
    }
}
