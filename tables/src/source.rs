//! Where the bytes of a table come from: a file, or memory.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

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

pub(crate) fn too_short() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the file is cut short")
}

impl ReadAt for Vec<u8> {
    fn length(&self) -> u64 {
        self.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let rest =
            usize::try_from(offset).ok().and_then(|offset| self.get(offset..)).ok_or_else(too_short)?;
        buffer.copy_from_slice(rest.get(..buffer.len()).ok_or_else(too_short)?);
        Ok(())
    }
}

/// A file on disk, read by system calls: whatever happens to the file while it is in use, a read gives bytes or an error.
#[derive(Debug)]
pub struct RegularFile {
    path: PathBuf,
    /// What the system said of the file when it was opened.
    metadata: Metadata,
    /// `None` where the file is opened anew for each read.
    held: Option<HeldFile>,
}

impl RegularFile {
    /// Opens a file. Some hundreds of files are held open at a time; the others are opened anew for each read, so that a folder
    /// may have any number of tables.
    ///
    /// # Errors
    /// If it cannot be opened or is not a regular file.
    pub fn open(path: &Path) -> io::Result<RegularFile> {
        let file = open_regular(path)?;
        let metadata = file.metadata()?;
        Ok(RegularFile { path: path.to_path_buf(), metadata, held: HeldFile::new(file) })
    }

    /// Opens the file again.
    fn reopened(&self) -> io::Result<File> {
        let file = open_regular(&self.path)?;
        let now = file.metadata()?;
        if now.len() < self.metadata.len() {
            return Err(too_short());
        }
        if now.modified()? != self.metadata.modified()? {
            return Err(io::Error::other("the file was changed while it was in use"));
        }
        Ok(file)
    }
}

impl ReadAt for RegularFile {
    /// The number of bytes when the file was opened.
    fn length(&self) -> u64 {
        self.metadata.len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        match &self.held {
            Some(held) => read_file_at(&held.0, offset, buffer),
            None => read_file_at(&self.reopened()?, offset, buffer),
        }
    }
}

/// The number of files held open. Systems allow a process at least about a thousand.
static HELD: AtomicUsize = AtomicUsize::new(0);
const MOST_HELD: usize = 256;

/// A file that is counted while it is held open.
#[derive(Debug)]
struct HeldFile(File);

impl HeldFile {
    /// Holds a file open; `None` if so many are held already that it should be closed.
    fn new(file: File) -> Option<HeldFile> {
        let one_more = |held| (held < MOST_HELD).then_some(held + 1);
        HELD.fetch_update(Relaxed, Relaxed, one_more).is_ok().then_some(HeldFile(file))
    }
}

impl Drop for HeldFile {
    fn drop(&mut self) {
        HELD.fetch_sub(1, Relaxed);
    }
}

/// Opens a file for reading. To open a pipe would be to wait for its other end, so what is there is looked at first.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is not a regular file"));
    }
    File::open(path)
}

#[cfg(unix)]
fn read_file_at(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
    match std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(too_short()),
        read => read,
    }
}

#[cfg(windows)]
fn read_file_at(file: &File, mut offset: u64, mut buffer: &mut [u8]) -> io::Result<()> {
    while !buffer.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, buffer, offset)?;
        if read == 0 {
            return Err(too_short());
        }
        buffer = &mut buffer[read..];
        offset += read as u64;
    }
    Ok(())
}

#[cfg(not(any(unix, windows)))]
fn read_file_at(_: &File, _: u64, _: &mut [u8]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
