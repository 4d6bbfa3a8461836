//! Files that are read whole, and written whole or not at all.

use crate::support::words::reason;
use anyhow::{Context, Result, anyhow, bail};
use sha2::{Digest, Sha256};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Writes a file whole: a reader sees the old contents or the new, never a part, even if the machine stops.
///
/// # Errors
/// If the file cannot be written; nothing is left behind then.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let name = path.display();
    // A link stays a link: its target is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if target.is_dir() {
        bail!("{name}: a directory, not a file");
    }
    if target.exists() && !target.is_file() {
        bail!("{name}: not a regular file");
    }
    let directory = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    jewel_tables::atomic::write(&target, bytes).map_err(|e| {
        anyhow!("{name}: cannot be written in directory {}: {}", directory.display(), reason(&e))
    })
}

/// The SHA-256 of a file in hexadecimal digits.
///
/// # Errors
/// If it cannot be read.
pub fn sha256(path: &Path) -> Result<String> {
    let sum = || -> io::Result<String> {
        let mut hasher = Sha256::new();
        let mut file = File::open(path)?;
        let mut buffer = vec![0; 1 << 20];
        loop {
            match file.read(&mut buffer)? {
                0 => break,
                read => hasher.update(&buffer[..read]),
            }
        }
        Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    };
    sum().with_context(|| path.display().to_string())
}

/// Locks a file that is open for writing, until it is closed: two runs that write to one file would mix what they write.
///
/// # Errors
/// If another run has locked it: one line that begins with the file's name.
pub fn lock(file: &File, path: &Path) -> Result<()> {
    let name = path.display();
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            bail!("{name}: another run is writing to this file; wait for it, or name another one")
        }
        // Some file systems have no locks.
        Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(e)) => Err(anyhow!("{name}: {}", reason(&e))),
    }
}

/// A file name for a state that nothing has yet: `duel.state`, `duel-2.state` and so on.
pub fn unused_name(stem: &str) -> PathBuf {
    let name =
        |n: u32| PathBuf::from(if n == 1 { format!("{stem}.state") } else { format!("{stem}-{n}.state") });
    (1..).map(name).find(|path| !path.exists()).unwrap_or_else(|| name(1))
}

/// Reads a file.
///
/// # Errors
/// One line that begins with the file's name.
pub fn read(file: &Path, longest: u64) -> Result<Vec<u8>> {
    let name = file.display();
    let open = || -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        Input::open(file)?.take(longest + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    if file.is_dir() {
        bail!("{name}: a directory, not a file");
    }
    let bytes = open().map_err(|e| anyhow!("{name}: {}", reason(&e)))?;
    if bytes.len() as u64 > longest {
        bail!("{name}: longer than {longest} bytes");
    }
    Ok(bytes)
}

/// A file that is read from its beginning to its end. A pipe that nobody writes to is not waited for.
struct Input {
    file: File,
    /// When a pipe is given up that nothing has come from yet; `None` for other files, and once something has come.
    deadline: Option<Instant>,
}

/// Time in which somebody has to begin to write to a pipe.
#[cfg(unix)]
const PATIENCE: Duration = Duration::from_secs(1);

/// Time between two looks into a pipe.
const NAP: Duration = Duration::from_millis(5);

impl Input {
    #[cfg(unix)]
    fn open(file: &Path) -> io::Result<Input> {
        use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
        if !fs::metadata(file)?.file_type().is_fifo() {
            return Ok(Input { file: File::open(file)?, deadline: None });
        }
        // Without this flag, opening waits for a writer.
        let flag = nix::fcntl::OFlag::O_NONBLOCK.bits();
        let file = File::options().read(true).custom_flags(flag).open(file)?;
        Ok(Input { file, deadline: Some(Instant::now() + PATIENCE) })
    }

    #[cfg(not(unix))]
    fn open(file: &Path) -> io::Result<Input> {
        Ok(Input { file: File::open(file)?, deadline: None })
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.file.read(buffer);
            match (&read, self.deadline) {
                // Nobody has opened it for writing yet.
                (Ok(0), Some(deadline)) if Instant::now() >= deadline => {
                    return Err(io::Error::new(io::ErrorKind::TimedOut, "a pipe that nobody writes to"));
                }
                (Ok(0), Some(_)) => {}
                (Err(e), _) if e.kind() == io::ErrorKind::WouldBlock => self.deadline = None,
                _ => {
                    self.deadline = None;
                    return read;
                }
            }
            std::thread::sleep(NAP);
        }
    }
}

/// Reads a file of UTF-8 text.
///
/// # Errors
/// One line that begins with the file's name.
pub fn read_text(file: &Path, longest: u64) -> Result<String> {
    let text = String::from_utf8(read(file, longest)?)
        .map_err(|e| anyhow!("not UTF-8 text: byte {} cannot be read", e.utf8_error().valid_up_to() + 1));
    text.with_context(|| file.display().to_string())
}
