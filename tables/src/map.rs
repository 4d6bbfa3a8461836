//! Scratch files of a build, mapped into memory: the only unsafe code of this crate.
//!
//! Rust cannot know what other programs do to a file. A map of a file that another program cuts short, or whose disk fails,
//! ends the process by a signal (SIGBUS) when the lost part is used. So only files that a program makes for itself are mapped,
//! in a folder that it has locked; tables, which others may replace at any time, are read by system calls
//! ([`RegularFile`](crate::source::RegularFile)).
#![allow(unsafe_code, reason = "a file in memory may be changed by others")]

use crate::source::open_regular;
use std::fs::File;
use std::io;
use std::path::Path;

/// A scratch file that is complete, mapped for reading.
#[derive(Debug)]
pub struct Mapped(memmap2::Mmap);

impl Mapped {
    /// Maps a file. Nothing may change it while it is mapped.
    ///
    /// # Errors
    /// If it cannot be opened or mapped, or is not a regular file.
    pub fn open(path: &Path) -> io::Result<Mapped> {
        let file = open_regular(path)?;
        // SAFETY: the map is read-only, and the file is one that this program has made for itself and does not change. See
        // the description of the module for what other programs could do.
        Ok(Mapped(unsafe { memmap2::MmapOptions::new().map(&file)? }))
    }

    /// The whole file.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// A hint that nothing will be read for a while: the pages leave this program's memory and come back when they
    /// are read again.
    pub fn release(&self) {
        #[cfg(unix)]
        {
            // SAFETY: the map is read-only and of a file, so that pages that are dropped come back the same.
            let _ = unsafe { self.0.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
        }
    }
}

/// A part of a scratch file mapped into memory, for writing and reading: the system can move it to disk and back.
#[derive(Debug)]
pub struct ScratchMap(memmap2::MmapMut);

impl ScratchMap {
    /// Maps a part of a file that is used by nothing else, `length` bytes from `offset` on, all set to `fill`.
    ///
    /// # Errors
    /// If the disk has no room for it, or it cannot be mapped.
    pub fn create(file: &File, offset: u64, length: usize, fill: u8) -> io::Result<ScratchMap> {
        // The bytes are written first, so that a full disk is an error here. With a file of holes it would be a bus error
        // at the first use of a page for which there is no room.
        let chunk = [fill; 1 << 14];
        let mut written = 0;
        while written < length {
            let part = &chunk[..chunk.len().min(length - written)];
            write_file_at(file, offset + written as u64, part)?;
            written += part.len();
        }
        // SAFETY: the file is one that this program has made for itself; each part is mapped once.
        Ok(ScratchMap(unsafe { memmap2::MmapOptions::new().offset(offset).len(length).map_mut(file)? }))
    }

    /// The bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The bytes, for writing.
    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }

    /// A hint that nothing will be used for a while: the pages leave this program's memory and come back when they are
    /// used again.
    pub fn release(&self) {
        #[cfg(unix)]
        {
            // SAFETY: the map is shared with its file, so that pages that are dropped come back as they were written.
            let _ = unsafe { self.0.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
        }
    }
}

#[cfg(unix)]
fn write_file_at(file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(windows)]
fn write_file_at(file: &File, mut offset: u64, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = std::os::windows::fs::FileExt::seek_write(file, bytes, offset)?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        bytes = &bytes[written..];
        offset += written as u64;
    }
    Ok(())
}

#[cfg(not(any(unix, windows)))]
fn write_file_at(_: &File, _: u64, _: &[u8]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
