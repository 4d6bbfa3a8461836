//! The bounded table of a proof search: proof and disproof numbers by hash, shared by all threads without locks.
//!
//! An entry is two words: what is known, and the hash combined with it, so that an entry whose words come from two writers
//! is found by nobody (after Hyatt and Mann, "A lockless transposition-table implementation for parallel search", ICGA Journal
//! 25(1), 2002). Four entries fill a cache line.

use crate::memory::prefer_large_pages;
use jewel_engine::prefetch::prefetch;
use jewel_tables::source::ReadAt;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a search knows of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Numbers {
    /// Positions that must at least be proven to prove it; 0 if it is proven.
    pub(super) pn: u32,
    /// Positions that must at least be disproven to disprove it; 0 if it is disproven.
    pub(super) dn: u32,
    /// The path on which it is disproven; 0 if it is disproven whatever came before.
    pub(super) path: u32,
    /// If it is proven: plies to the end. If it is disproven: the ply of the path that it repeats, [`ANYWHERE`] if none.
    pub(super) ply: u16,
}

/// As good as infinite. Sums of a few such numbers do not overflow.
pub const INFINITE: u32 = 1 << 27;
/// The ply of a disproof that repeats nothing.
pub(super) const ANYWHERE: u16 = u16::MAX;

impl Numbers {
    pub(super) fn proven(plies: u32) -> Numbers {
        Numbers { pn: 0, dn: INFINITE, path: 0, ply: plies.min(u16::MAX.into()) as u16 }
    }

    pub(super) const DISPROVEN: Numbers = Numbers { pn: INFINITE, dn: 0, path: 0, ply: ANYWHERE };

    /// Whether it is proven or disproven.
    #[inline(always)]
    pub(super) fn decided(&self) -> bool {
        self.pn == 0 || self.dn == 0
    }

    /// The second word of an entry: two bits of its kind, six of its work, and the numbers, or what decides it.
    #[inline(always)]
    fn pack(&self, work: u64) -> u64 {
        let Numbers { pn, dn, path, ply } = *self;
        let decided = || u64::from(ply) << 8 | u64::from(path) << 24;
        let rest = match (pn, dn) {
            (0, _) => PROVEN | decided(),
            (_, 0) => DISPROVEN | decided(),
            _ => OPEN | u64::from(pn.min(INFINITE)) << 8 | u64::from(dn.min(INFINITE)) << 36,
        };
        rest | work << 2
    }

    #[inline(always)]
    fn unpack(data: u64) -> Numbers {
        let (path, ply) = ((data >> 24) as u32, (data >> 8) as u16);
        match data & 3 {
            PROVEN => Numbers { pn: 0, dn: INFINITE, path, ply },
            DISPROVEN => Numbers { pn: INFINITE, dn: 0, path, ply },
            _ => {
                let number = |at: u32| (data >> at) as u32 & (2 * INFINITE - 1);
                Numbers { pn: number(8), dn: number(36), path: 0, ply: ANYWHERE }
            }
        }
    }
}

const OPEN: u64 = 1;
const PROVEN: u64 = 2;
const DISPROVEN: u64 = 3;

/// The work in the second word of an entry: 0 for a position that was never opened, else a logarithm of the nodes below it.
#[inline(always)]
const fn work(data: u64) -> u64 {
    data >> 2 & 63
}

/// The entries in which a position may be.
#[derive(Default)]
#[repr(align(64))]
struct Line([[AtomicU64; 2]; 4]);

const _: () = assert!(size_of::<Line>() == 64);
const ENTRY: usize = 16;

/// The table. It never grows: what cost least is forgotten.
pub(super) struct Table {
    lines: Vec<Line>,
}

impl Table {
    /// A table of at most this number of bytes.
    pub(super) fn new(bytes: u64) -> Table {
        let count = (bytes as usize / size_of::<Line>()).max(256);
        let mut lines = Vec::with_capacity(count);
        prefer_large_pages(&mut lines);
        lines.resize_with(count, Line::default);
        Table { lines }
    }

    /// The bytes that it takes.
    pub(super) fn bytes(&self) -> u64 {
        size_of_val(&*self.lines) as u64
    }

    /// Makes it a table of this number of bytes, with what it knows.
    pub(super) fn resize(&mut self, bytes: u64) {
        let small = std::mem::replace(self, Table::new(bytes));
        for slot in small.lines.iter().flat_map(|line| &line.0) {
            let data = slot[1].load(Relaxed);
            if data != 0 {
                self.insert(slot[0].load(Relaxed) ^ data, data);
            }
        }
    }

    /// Keeps an entry, if there is one to forget that cost less.
    fn insert(&self, hash: u64, data: u64) {
        let cost = |slot: &&[AtomicU64; 2]| {
            let there = slot[1].load(Relaxed);
            (there != 0, work(there))
        };
        if let Some(slot) = self.line(hash).iter().min_by_key(cost)
            && cost(&slot) < (true, work(data))
        {
            slot[0].store(hash ^ data, Relaxed);
            slot[1].store(data, Relaxed);
        }
    }

    #[inline(always)]
    fn line(&self, hash: u64) -> &[[AtomicU64; 2]; 4] {
        // The high bits choose the line (Lemire's multiplication instead of a division).
        &self.lines[((u128::from(hash) * self.lines.len() as u128) >> 64) as usize].0
    }

    /// Starts loading the entries of a position that will be looked up soon.
    #[inline(always)]
    pub(super) fn prefetch(&self, hash: u64) {
        prefetch(self.line(hash));
    }

    #[inline(always)]
    pub(super) fn get(&self, hash: u64) -> Option<Numbers> {
        self.line(hash).iter().find_map(|slot| {
            let data = slot[1].load(Relaxed);
            (slot[0].load(Relaxed) ^ data == hash && data != 0).then(|| Numbers::unpack(data))
        })
    }

    /// Keeps the numbers of a position that was opened up, at the price of this many nodes.
    #[inline]
    pub(super) fn put(&self, hash: u64, numbers: Numbers, nodes: u64) {
        self.replace(hash, numbers.pack((1 + u64::from(nodes.max(1).ilog2())).min(63)), true);
    }

    /// Keeps the first numbers of a position, if there is room.
    #[inline]
    pub(super) fn put_first(&self, hash: u64, numbers: Numbers) {
        self.replace(hash, numbers.pack(0), false);
    }

    #[inline(always)]
    fn replace(&self, hash: u64, data: u64, force: bool) {
        let (mut place, mut least) = (None, u64::MAX);
        for slot in self.line(hash) {
            let there = slot[1].load(Relaxed);
            if slot[0].load(Relaxed) ^ there == hash && there != 0 {
                if !force {
                    return;
                }
                (place, least) = (Some(slot), 0);
                break;
            }
            // Empty slots come first.
            let value = if there == 0 { 0 } else { 1 + work(there) };
            if value < least {
                (place, least) = (Some(slot), value);
            }
        }
        if let Some(slot) = place.filter(|_| force || least <= 1) {
            slot[0].store(hash ^ data, Relaxed);
            slot[1].store(data, Relaxed);
        }
    }

    pub(super) fn clear(&mut self) {
        self.lines.iter_mut().for_each(|line| *line = Line::default());
    }

    /// Writes the entries of positions that were opened up, with a checksum. Other threads may go on searching.
    pub(super) fn save(&self, out: &mut impl Write) -> io::Result<()> {
        let mut sum = crc32fast::Hasher::new();
        for slot in self.lines.iter().flat_map(|line| &line.0) {
            let data = slot[1].load(Relaxed);
            if work(data) == 0 {
                continue;
            }
            let mut bytes = [0; ENTRY];
            bytes[..8].copy_from_slice(&(slot[0].load(Relaxed) ^ data).to_le_bytes());
            bytes[8..].copy_from_slice(&data.to_le_bytes());
            sum.update(&bytes);
            out.write_all(&bytes)?;
        }
        out.write_all(&sum.finalize().to_le_bytes())
    }

    /// Adds what was saved, from an offset to the end; `None` if it is damaged.
    pub(super) fn load(&mut self, source: &dyn ReadAt, mut at: u64) -> io::Result<Option<()>> {
        let Some(length) =
            source.length().checked_sub(at + 4).filter(|length| length.is_multiple_of(ENTRY as u64))
        else {
            return Ok(None);
        };
        let end = at + length;
        let mut sum = crc32fast::Hasher::new();
        let mut entries: Vec<[u64; 2]> = Vec::new();
        while at < end {
            let mut chunk = vec![0; (end - at).min(1 << 18) as usize];
            source.read_at(at, &mut chunk)?;
            sum.update(&chunk);
            let word = |part: &[u8]| u64::from_le_bytes(std::array::from_fn(|i| part[i]));
            entries.extend(chunk.chunks_exact(ENTRY).map(|entry| [word(entry), word(&entry[8..])]));
            at += chunk.len() as u64;
        }
        let mut last = [0; 4];
        source.read_at(at, &mut last)?;
        if last != sum.finalize().to_le_bytes() {
            return Ok(None);
        }
        for [hash, data] in entries {
            self.insert(hash, data);
        }
        Ok(Some(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::zobrist::splitmix64;
    use proptest::prelude::*;

    fn numbers() -> impl Strategy<Value = Numbers> {
        let open = (1..=INFINITE, 1..=INFINITE);
        prop_oneof![
            open.prop_map(|(pn, dn)| Numbers { pn, dn, path: 0, ply: ANYWHERE }),
            any::<u16>().prop_map(|plies| Numbers::proven(plies.into())),
            (any::<u32>(), any::<u16>()).prop_map(|(path, ply)| Numbers { path, ply, ..Numbers::DISPROVEN }),
        ]
    }

    proptest! {
        #[test]
        fn numbers_are_packed_and_come_back(numbers in numbers(), nodes in any::<u64>(), hash in any::<u64>()) {
            let table = Table::new(0);
            table.put_first(hash, numbers);
            prop_assert_eq!(table.get(hash), Some(numbers));
            prop_assert_eq!(work(numbers.pack(0)), 0);
            table.put(hash, Numbers::DISPROVEN, nodes);
            table.put_first(hash, numbers);
            prop_assert_eq!(table.get(hash), Some(Numbers::DISPROVEN));
            prop_assert_eq!(table.get(hash ^ 1), None);
        }
    }

    #[test]
    fn what_cost_least_is_forgotten() {
        let table = Table::new(0);
        let of = |n: u32| Numbers { pn: n, dn: 1, path: 0, ply: ANYWHERE };
        // All in the first line, which has four places.
        for n in 1..=4u32 {
            table.put(n.into(), of(n), 1 << (2 * n));
        }
        table.put_first(9, of(9));
        assert_eq!(table.get(9), None, "never opened, so it replaces nothing that was");
        table.put(5, of(5), 1 << 5);
        assert_eq!(
            (1..=5).map(|n| table.get(n).is_some()).collect::<Vec<_>>(),
            [false, true, true, true, true]
        );
    }

    #[test]
    fn a_larger_table_knows_the_same() {
        let mut table = Table::new(0);
        let hash = |n: u64| splitmix64(n).1;
        for n in 0..700 {
            table.put(hash(n), Numbers::proven(n as u32), 1 + n);
        }
        let known = |table: &Table| (0..700).map(|n| table.get(hash(n))).collect::<Vec<_>>();
        let before = known(&table);
        assert!(before.iter().flatten().count() > 500);
        table.resize(1 << 20);
        assert_eq!(table.bytes(), 1 << 20);
        assert_eq!(known(&table), before);
    }

    #[test]
    fn first_numbers_make_way() {
        let table = Table::new(0);
        for n in 1..=5 {
            table.put_first(n, Numbers::proven(7));
        }
        assert!(table.get(5).is_some());
        for n in 11..=14 {
            table.put(n, Numbers::proven(7), 1);
        }
        assert!((11..=14).all(|n| table.get(n).is_some()));
        assert!((1..=5).all(|n| table.get(n).is_none()));
    }
}
