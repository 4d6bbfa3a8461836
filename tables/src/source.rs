//! Where the bytes of a table come from: a mapped file, a file, or memory.

use std::fs::File;
use std::io;
use std::path::Path;

/// Bytes that can be read anywhere, by many threads at once.
pub trait ReadAt: Send + Sync {
    /// The number of bytes.
    fn length(&self) -> u64;

    /// Fills `buffer` with the bytes from `offset` on.
    ///
    /// # Errors
    /// If the source ends before the end of the buffer, or cannot be read.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
}

fn too_short() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the file ends too early")
}

impl ReadAt for Vec<u8> {
    fn length(&self) -> u64 {
        self.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        copy(self, offset, buffer)
    }
}

fn copy(bytes: &[u8], offset: u64, buffer: &mut [u8]) -> io::Result<()> {
    let rest = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)).ok_or_else(too_short)?;
    buffer.copy_from_slice(rest.get(..buffer.len()).ok_or_else(too_short)?);
    Ok(())
}

/// A file mapped into memory: the fastest way to read at random. The file must not shrink while it is open; this program
/// replaces files and never changes them.
#[derive(Debug)]
pub struct Mapped(memmap2::Mmap);

impl Mapped {
    /// Maps a file that will be read at random, as by probes.
    ///
    /// # Errors
    /// If it cannot be opened or mapped.
    pub fn open(path: &Path) -> io::Result<Mapped> {
        let map = Mapped::open_for_runs(path)?;
        // Reading ahead would only evict other pages.
        #[cfg(unix)]
        map.0.advise(memmap2::Advice::Random)?;
        Ok(map)
    }

    /// Maps a file that will be read in long runs.
    ///
    /// # Errors
    /// If it cannot be opened or mapped.
    pub fn open_for_runs(path: &Path) -> io::Result<Mapped> {
        let file = File::open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is not a regular file"));
        }
        // SAFETY: the map is read-only, and table files are written beside their name and renamed, so the
        // mapped file does not change. In case another program changes it, each part is copied before its checksum
        // is compared, so that the bytes that are used are the bytes that were checked.
        Ok(Mapped(unsafe { memmap2::MmapOptions::new().map(&file)? }))
    }
}

impl Mapped {
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

impl ReadAt for Mapped {
    fn length(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        copy(&self.0, offset, buffer)
    }
}

/// A part of a scratch file mapped into memory, for writing and reading: the system can move it to disk and back.
#[derive(Debug)]
pub struct ScratchMap(memmap2::MmapMut);

impl ScratchMap {
    /// Maps a part of a file that is used by nothing else.
    ///
    /// # Errors
    /// If it cannot be mapped, or the file ends before it.
    pub fn map(file: &File, offset: u64, length: usize) -> io::Result<ScratchMap> {
        if offset.checked_add(length as u64).is_none_or(|end| file.metadata().is_ok_and(|m| m.len() < end)) {
            return Err(too_short());
        }
        // SAFETY: the caller's file is a scratch file of this program's own; each part is mapped once.
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

/// A file read by system calls: for files that should not be mapped, such as those on network shares.
#[derive(Debug)]
pub struct Unmapped {
    file: File,
    length: u64,
}

impl Unmapped {
    /// Opens a file.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(path: &Path) -> io::Result<Unmapped> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok(Unmapped { file, length })
    }
}

#[cfg(unix)]
impl ReadAt for Unmapped {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, buffer, offset)
    }
}

#[cfg(windows)]
impl ReadAt for Unmapped {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&self, mut offset: u64, mut buffer: &mut [u8]) -> io::Result<()> {
        while !buffer.is_empty() {
            let read = std::os::windows::fs::FileExt::seek_read(&self.file, buffer, offset)?;
            if read == 0 {
                return Err(too_short());
            }
            buffer = &mut buffer[read..];
            offset += read as u64;
        }
        Ok(())
    }
}
