//! Files that are written whole or not at all.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that is being written. It has a temporary name beside its destination, `NAME.tmp`, until
/// [`commit`](AtomicFile::commit) moves it there, once all of it is on the disk. Dropped before that, it leaves nothing
/// behind; after a crash the old file is still whole, and the next one that is created for the destination takes the place of
/// what is left. The file is locked: two programs that write to one destination at a time are refused. A symbolic link stays a link, and its target is replaced; a device or a pipe is written to directly.
///
/// ```
/// use jewel_tables::atomic::AtomicFile;
/// use std::io::Write;
///
/// let path = std::env::temp_dir().join(format!("jewel-atomic-{}", std::process::id()));
/// let mut file = AtomicFile::create(&path)?;
/// file.write_all(b"all of it")?;
/// assert!(!path.exists());
/// file.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"all of it");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    /// `None` once committed.
    writer: Option<BufWriter<File>>,
    /// `None` where the destination itself is written to.
    temporary: Option<PathBuf>,
    destination: PathBuf,
}

impl AtomicFile {
    /// Creates a file that [`commit`](AtomicFile::commit) will move to `destination`.
    ///
    /// # Errors
    /// If a file cannot be created in the destination's folder, or another one is being written for the destination.
    pub fn create(destination: &Path) -> io::Result<AtomicFile> {
        let no_file = || io::Error::new(io::ErrorKind::InvalidInput, "the path names no file");
        let destination = link_target(destination)?;
        match fs::metadata(&destination) {
            Ok(there) if there.is_dir() => {
                return Err(io::Error::new(io::ErrorKind::IsADirectory, "the path is a folder"));
            }
            Ok(there) if !there.is_file() => {
                let file = File::options().write(true).open(&destination)?;
                return Ok(AtomicFile::writing_to(file, None, destination));
            }
            _ => {}
        }
        let mut name = destination.file_name().ok_or_else(no_file)?.to_os_string();
        name.push(".tmp");
        let temporary = destination.with_file_name(name);
        let file = locked(&temporary)?;
        Ok(AtomicFile::writing_to(file, Some(temporary), destination))
    }

    fn writing_to(file: File, temporary: Option<PathBuf>, destination: PathBuf) -> AtomicFile {
        AtomicFile { writer: Some(BufWriter::with_capacity(1 << 16, file)), temporary, destination }
    }

    /// Moves the file to its destination: flushes it, syncs it to the disk, renames it, and syncs the folder.
    ///
    /// # Errors
    /// If any of these fails; the destination is then as it was.
    pub fn commit(self) -> io::Result<()> {
        self.commit_and_keep().map(drop)
    }

    /// The same, and hands over the file, open at its end and still locked.
    ///
    /// # Errors
    /// As [`commit`](AtomicFile::commit).
    pub fn commit_and_keep(mut self) -> io::Result<File> {
        let Some(writer) = self.writer.take() else { return Err(io::ErrorKind::NotFound.into()) };
        let file = writer.into_inner().map_err(|e| e.into_error());
        let Some(temporary) = &self.temporary else { return file };
        let result = file.and_then(|file| {
            file.sync_all()?;
            fs::rename(temporary, &self.destination).map(|()| file)
        });
        if result.is_err() {
            let _ = fs::remove_file(temporary);
        }
        let file = result?;
        // Where a folder cannot be opened (Windows), the rename is durable without this.
        let folder =
            self.destination.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(folder).map_or(Ok(()), |folder| folder.sync_all())?;
        Ok(file)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.as_mut().map_or(Ok(0), |writer| writer.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), |writer| writer.flush())
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take() {
            // Not flushed: it was not committed.
            let _ = writer.into_parts();
            let _ = self.temporary.as_ref().map(fs::remove_file);
        }
    }
}

/// A file that is read and written for a while, locked, and removed when it is dropped.
#[derive(Debug)]
pub(crate) struct TemporaryFile {
    /// `None` only while it is dropped.
    file: Option<File>,
    path: PathBuf,
}

impl TemporaryFile {
    /// Creates an empty file.
    ///
    /// # Errors
    /// If it cannot be created, or another program has it locked.
    pub(crate) fn create(path: &Path) -> io::Result<TemporaryFile> {
        Ok(TemporaryFile { file: Some(locked(path)?), path: path.to_path_buf() })
    }

    /// The open file.
    pub(crate) fn as_file(&self) -> &File {
        self.file.as_ref().expect("it is open until it is dropped")
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // Some systems remove no open file.
        self.file = None;
        let _ = fs::remove_file(&self.path);
    }
}

/// An empty file at a path, locked. What a program has left there that was killed is written over.
fn locked(path: &Path) -> io::Result<File> {
    loop {
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let busy = "another program is writing this file";
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, busy));
            }
            // Some file systems have no locks.
            Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(e)) => return Err(e),
        }
        // The program that had it locked may have moved it to its destination or removed it meanwhile.
        if is_at(&file, path)? {
            file.set_len(0)?;
            return Ok(file);
        }
    }
}

/// Whether a path still leads to an open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let own = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(there) => Ok((there.dev(), there.ino()) == (own.dev(), own.ino())),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(e),
    }
}

/// An open file is neither moved nor removed there.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

/// The path that symbolic links lead to, even if nothing is there.
fn link_target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    // Linux follows as many.
    for _ in 0..40 {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is a circle of symbolic links"))
}

/// Writes a small file in one go.
///
/// # Errors
/// If it cannot be written; the destination is then as it was.
pub fn write(destination: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = AtomicFile::create(destination)?;
    file.write_all(bytes)?;
    file.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("jewel-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_dropped_file_leaves_the_old_one_and_nothing_else() {
        let folder = folder("dropped");
        let path = folder.join("file");
        write(&path, b"old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(&vec![1; 1 << 20]).unwrap();
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_a_killed_program_left_is_written_over() {
        let folder = folder("killed");
        let path = folder.join("file");
        fs::write(folder.join("file.tmp"), vec![1; 1000]).unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_that_is_being_written_is_refused() {
        let folder = folder("busy");
        let path = folder.join("file");
        let mut first = AtomicFile::create(&path).unwrap();
        first.write_all(b"first").unwrap();
        let error = AtomicFile::create(&path).unwrap_err();
        assert_eq!(error.to_string(), "another program is writing this file");
        let mut kept = first.commit_and_keep().unwrap();
        assert!(File::open(&path).unwrap().try_lock().is_err(), "it is locked on");
        kept.write_all(b" and more").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"first and more");
        drop(kept);
        write(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_commit_replaces_the_old_file() {
        let folder = folder("commit");
        let path = folder.join("file");
        write(&path, b"old").unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_devices_stay_devices() {
        use std::os::unix::fs::{FileTypeExt, symlink};
        let folder = folder("links");
        let (target, link, chain, circle) =
            (folder.join("target"), folder.join("link"), folder.join("chain"), folder.join("circle"));
        symlink("target", &link).unwrap();
        symlink(&link, &chain).unwrap();
        symlink(&circle, &circle).unwrap();
        write(&link, b"through a link to nothing").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"through a link to nothing");
        write(&chain, b"through two links").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"through two links");
        assert!(link.is_symlink() && chain.is_symlink() && !target.is_symlink());
        assert!(write(&circle, b"").is_err());
        write(Path::new("/dev/null"), b"nothing").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 4);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn impossible_destinations_are_errors() {
        let folder = folder("impossible");
        assert!(write(&folder, b"").is_err());
        assert!(write(&folder.join("missing/file"), b"").is_err());
        assert!(write(Path::new("/"), b"").is_err());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        fs::remove_dir_all(folder).unwrap();
    }
}
