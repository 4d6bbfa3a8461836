//! The file of games as PGN.

use anyhow::{Result, anyhow};
use jewel_players::support::files::lock;
use jewel_players::support::words::reason;
use jewel_tables::atomic::AtomicFile;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// The file of games, which is locked while a run writes to it. The games of earlier runs are rewritten from the records, and the file is put in
/// place when it is complete.
#[derive(Debug)]
pub(crate) enum PgnFile {
    Anew(Box<AtomicFile>, PathBuf),
    GoingOn(BufWriter<File>, PathBuf),
}

impl PgnFile {
    /// A new file under a temporary name.
    pub(crate) fn create(path: &Path) -> Result<PgnFile> {
        if path.is_file()
            && let Ok(there) = File::open(path)
        {
            // Another run goes on with it.
            lock(&there, path)?;
        }
        let file = AtomicFile::create(path).map_err(|e| anyhow!("{}: {}", path.display(), reason(&e)))?;
        Ok(PgnFile::Anew(Box::new(file), path.to_path_buf()))
    }

    /// Adds a game.
    pub(crate) fn write(&mut self, text: &str) -> Result<()> {
        let (result, path) = match self {
            PgnFile::Anew(file, path) => (file.write_all(text.as_bytes()), path),
            PgnFile::GoingOn(file, path) => {
                (file.write_all(text.as_bytes()).and_then(|()| file.flush()), path)
            }
        };
        result.map_err(|e| anyhow!("{}: {}", path.display(), reason(&e)))
    }

    /// The games of earlier runs are complete: puts the file in place and goes on with new games.
    pub(crate) fn go_on(self) -> Result<PgnFile> {
        let PgnFile::Anew(file, path) = self else { return Ok(self) };
        let file = file.commit_and_keep().map_err(|e| anyhow!("{}: {}", path.display(), reason(&e)))?;
        Ok(PgnFile::GoingOn(BufWriter::new(file), path))
    }

    /// Syncs the file to disk.
    pub(crate) fn sync(&mut self) -> Result<()> {
        let PgnFile::GoingOn(file, path) = self else { return Ok(()) };
        let synced = file.flush().and_then(|()| match file.get_ref().sync_data() {
            // A device or a pipe has nothing to sync.
            Err(e) if e.kind() == std::io::ErrorKind::InvalidInput => Ok(()),
            result => result,
        });
        synced.map_err(|e| anyhow!("{}: {}", path.display(), reason(&e)))
    }
}
