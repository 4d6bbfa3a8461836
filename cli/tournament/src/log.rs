//! The file of records, one line a game (or a match) in the order of their numbers: the state of a tournament and
//! its result.
//!
//! A line is written as soon as its game and every game before it are over. After a crash the file is whole
//! but for its last line at worst; that line is cut off and its game is played again. The file is synced to disk
//! a few times a second, so that short games do not wait for the disk.

use anyhow::{Context, Result, anyhow, bail};
use jewel_players::support::files::lock;
use jewel_players::support::words::reason;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time between two syncs to disk.
const SYNC_EVERY: Duration = Duration::from_millis(250);

/// The longest line that is read, in bytes.
const MAX_LINE_LENGTH: u64 = 64 << 20;

/// A line of the file.
pub trait Entry: Serialize + DeserializeOwned {
    /// The word for it in messages.
    const WORD: &'static str;

    /// The id of the tournament that it belongs to.
    fn tournament(&self) -> &str;

    /// Its number, from 1.
    fn number(&self) -> u64;
}

/// The file of records of a tournament in progress.
#[derive(Debug)]
pub struct Log {
    file: File,
    path: PathBuf,
    entries: u64,
    synced: Instant,
}

impl Log {
    /// Opens or creates the file, and calls `each` with every record that it has, in order.
    ///
    /// # Errors
    /// If the file cannot be used, is in use by another process, or holds anything but games of the
    /// tournament `id`. The file is then left as it is.
    pub fn open<E: Entry>(path: &Path, id: &str, mut each: impl FnMut(E) -> Result<()>) -> Result<Log> {
        let name = path.display();
        let failed = |e: std::io::Error| anyhow!("{name}: {}", reason(&e));
        if path.is_dir() {
            bail!("{name}: a directory, not a file");
        }
        if path.exists() && !path.is_file() {
            bail!("{name}: not a regular file: records are read again when a run goes on");
        }
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(failed)?;
        lock(&file, path)?;
        let mut reader = BufReader::with_capacity(1 << 16, &file);
        let (mut whole, mut entries) = (0, 0);
        let mut line = Vec::new();
        loop {
            line.clear();
            let read =
                reader.by_ref().take(MAX_LINE_LENGTH).read_until(b'\n', &mut line).map_err(failed)? as u64;
            // A line without an end was not finished.
            if !line.ends_with(b"\n") {
                break;
            }
            let record: E = match serde_json::from_slice(&line) {
                Ok(record) => record,
                // Garbage after a crash of the machine is at the end.
                Err(_) if entries > 0 && reader.fill_buf().map_err(failed)?.is_empty() => break,
                Err(e) => bail!("{name}: line {}: no record of a {}: {e}", entries + 1, E::WORD),
            };
            if record.tournament() != id {
                bail!(
                    "{name}: records of another tournament, or of the same with other settings: name another file, or \
                     remove this one"
                );
            }
            entries += 1;
            if record.number() != entries {
                let (word, number) = (E::WORD, record.number());
                bail!("{name}: line {entries}: {word} {number} where {word} {entries} was expected");
            }
            each(record).with_context(|| format!("{name}: line {entries}"))?;
            whole += read;
        }
        if file.metadata().map_err(failed)?.len() > whole {
            file.set_len(whole).map_err(failed)?;
        }
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        Ok(Log { file, path: path.to_path_buf(), entries, synced: Instant::now() })
    }

    /// How many records it has.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the next record.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(&mut self, record: &impl Entry) -> Result<()> {
        let failed = |e: std::io::Error| anyhow!("{}: {}", self.path.display(), reason(&e));
        let line = serde_json::to_string(record)? + "\n";
        self.file.write_all(line.as_bytes()).map_err(failed)?;
        self.entries += 1;
        if self.synced.elapsed() >= SYNC_EVERY {
            self.file.sync_data().map_err(failed)?;
            self.synced = Instant::now();
        }
        Ok(())
    }

    /// Syncs the file to disk.
    ///
    /// # Errors
    /// If the disk reports one.
    pub fn sync(&mut self) -> Result<()> {
        self.file.sync_data().map_err(|e| anyhow!("{}: {}", self.path.display(), reason(&e)))
    }
}
