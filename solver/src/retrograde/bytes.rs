//! Bytes of a slice: in memory, or in a scratch file of which the system keeps in memory the parts in use.

use jewel_tables::map::ScratchMap;
use std::fs::{self, File};
use std::io;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A byte for each cell of a slice, and padding.
#[derive(Debug)]
pub(crate) enum Bytes {
    /// In memory.
    Memory(Vec<u8>),
    /// In a part of a scratch file.
    Disk(ScratchMap),
}

impl Bytes {
    /// A hint that nothing will be read or written for a while.
    pub(crate) fn release(&self) {
        if let Bytes::Disk(scratch) = self {
            scratch.release();
        }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Memory(bytes) => bytes,
            Bytes::Disk(scratch) => scratch.bytes(),
        }
    }
}

impl DerefMut for Bytes {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Bytes::Memory(bytes) => bytes,
            Bytes::Disk(scratch) => scratch.bytes_mut(),
        }
    }
}

/// Where the bytes of a class are kept while it is solved.
#[derive(Debug)]
pub(crate) enum Arena {
    /// In memory.
    Memory,
    /// In a file, one part behind the other.
    Disk(File, AtomicU64),
}

impl Arena {
    /// An arena in a file, which grows as it is used and is gone when the arena is.
    pub(crate) fn on_disk(path: &Path) -> io::Result<Arena> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(path)?;
        // An open file needs no name. Where it cannot be removed, the next build does so.
        let _ = fs::remove_file(path);
        Ok(Arena::Disk(file, AtomicU64::new(0)))
    }

    /// `length` bytes, all 255.
    pub(crate) fn bytes(&self, length: usize) -> io::Result<Bytes> {
        Ok(match self {
            Arena::Memory => Bytes::Memory(vec![255; length]),
            Arena::Disk(file, used) => {
                let at = used.fetch_add(length as u64, Relaxed);
                let scratch = ScratchMap::create(file, at, length, 255)?;
                scratch.release();
                Bytes::Disk(scratch)
            }
        })
    }
}
