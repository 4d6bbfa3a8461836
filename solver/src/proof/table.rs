//! The bounded table of a proof search: proof and disproof numbers by hash.

use jewel_tables::source::ReadAt;
use std::io::{self, Write};

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

/// As good as infinite. Sums of a few thousand such numbers do not overflow.
pub(super) const INFINITE: u32 = 1 << 30;
/// The ply of a disproof that repeats nothing.
pub(super) const ANYWHERE: u16 = u16::MAX;

impl Numbers {
    pub(super) fn proven(plies: u32) -> Numbers {
        Numbers { pn: 0, dn: INFINITE, path: 0, ply: plies.min(u16::MAX.into()) as u16 }
    }

    pub(super) const DISPROVEN: Numbers = Numbers { pn: INFINITE, dn: 0, path: 0, ply: ANYWHERE };
}

#[derive(Clone, Copy)]
struct Slot {
    hash: u64,
    pn: u32,
    dn: u32,
    path: u32,
    ply: u16,
    /// A logarithm of the nodes that it cost; 0 for an empty slot.
    work: u16,
}

const EMPTY: Slot = Slot { hash: 0, pn: 0, dn: 0, path: 0, ply: 0, work: 0 };
const SLOT: usize = size_of::<Slot>();
const _: () = assert!(SLOT == 24);
/// Slots in which a position may be.
const BUCKET: usize = 4;

/// The table. It never grows: what cost least is forgotten.
pub(super) struct Table {
    slots: Vec<Slot>,
}

impl Table {
    /// A table of at most this number of bytes.
    pub(super) fn new(bytes: u64) -> Table {
        let buckets = (bytes as usize / (SLOT * BUCKET)).max(256);
        Table { slots: vec![EMPTY; buckets * BUCKET] }
    }

    fn bucket(&self, hash: u64) -> usize {
        let buckets = (self.slots.len() / BUCKET) as u128;
        ((u128::from(hash) * buckets) >> 64) as usize * BUCKET
    }

    pub(super) fn get(&self, hash: u64) -> Option<Numbers> {
        let at = self.bucket(hash);
        let slot = self.slots[at..at + BUCKET].iter().find(|slot| slot.hash == hash && slot.work != 0)?;
        Some(Numbers { pn: slot.pn, dn: slot.dn, path: slot.path, ply: slot.ply })
    }

    pub(super) fn put(&mut self, hash: u64, numbers: Numbers, nodes: u64) {
        let at = self.bucket(hash);
        let bucket = &mut self.slots[at..at + BUCKET];
        let place = bucket.iter().position(|slot| slot.hash == hash && slot.work != 0);
        let cheapest = || (0..BUCKET).min_by_key(|&n| bucket[n].work).unwrap_or(0);
        let place = place.unwrap_or_else(cheapest);
        let work = 1 + (nodes.max(1).ilog2() * 8) as u16;
        let Numbers { pn, dn, path, ply } = numbers;
        bucket[place] = Slot { hash, pn, dn, path, ply, work };
    }

    pub(super) fn clear(&mut self) {
        self.slots.fill(EMPTY);
    }

    /// Writes the filled slots, with a checksum.
    pub(super) fn save(&self, out: &mut impl Write) -> io::Result<()> {
        let filled = || self.slots.iter().filter(|slot| slot.work != 0);
        let mut sum = crc32fast::Hasher::new();
        out.write_all(&(filled().count() as u64).to_le_bytes())?;
        for slot in filled() {
            let bytes = slot.bytes();
            sum.update(&bytes);
            out.write_all(&bytes)?;
        }
        out.write_all(&sum.finalize().to_le_bytes())
    }

    /// Adds what was saved, from an offset on; `None` if it is damaged.
    pub(super) fn load(&mut self, source: &dyn ReadAt, mut at: u64) -> io::Result<Option<()>> {
        let mut count = [0; 8];
        source.read_at(at, &mut count)?;
        at += 8;
        let count = u64::from_le_bytes(count);
        if count.checked_mul(SLOT as u64).and_then(|n| n.checked_add(at + 4)) != Some(source.length()) {
            return Ok(None);
        }
        let mut sum = crc32fast::Hasher::new();
        let mut slots = Vec::new();
        let mut left = count;
        while left > 0 {
            let mut chunk = vec![0; left.min(1 << 14) as usize * SLOT];
            source.read_at(at, &mut chunk)?;
            sum.update(&chunk);
            slots.extend(chunk.chunks_exact(SLOT).map(Slot::read));
            at += chunk.len() as u64;
            left -= (chunk.len() / SLOT) as u64;
        }
        let mut end = [0; 4];
        source.read_at(at, &mut end)?;
        if end != sum.finalize().to_le_bytes() {
            return Ok(None);
        }
        for slot in slots {
            let at = self.bucket(slot.hash);
            let bucket = &mut self.slots[at..at + BUCKET];
            if let Some(place) = bucket.iter_mut().min_by_key(|slot| slot.work)
                && place.work < slot.work
            {
                *place = slot;
            }
        }
        Ok(Some(()))
    }
}

impl Slot {
    fn bytes(&self) -> [u8; SLOT] {
        let mut bytes = [0; SLOT];
        bytes[..8].copy_from_slice(&self.hash.to_le_bytes());
        for (n, number) in [self.pn, self.dn, self.path].into_iter().enumerate() {
            bytes[8 + 4 * n..][..4].copy_from_slice(&number.to_le_bytes());
        }
        bytes[20..22].copy_from_slice(&self.ply.to_le_bytes());
        bytes[22..].copy_from_slice(&self.work.to_le_bytes());
        bytes
    }

    fn read(bytes: &[u8]) -> Slot {
        let u32_at = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        Slot {
            hash: u64::from_le_bytes(std::array::from_fn(|i| bytes[i])),
            pn: u32_at(8),
            dn: u32_at(12),
            path: u32_at(16),
            ply: u16::from_le_bytes([bytes[20], bytes[21]]),
            work: u16::from_le_bytes([bytes[22], bytes[23]]),
        }
    }
}
