//! Files that are written whole or not at all.

use crate::registry::reason;
use anyhow::{Result, anyhow, bail};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes a file by way of a temporary one in the same directory: whoever reads it sees the old contents or
/// the new, never a part, even if the machine stops.
///
/// # Errors
/// If the file cannot be written; nothing is left behind then.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let name = path.display();
    // A link stays a link: its target is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if target.is_dir() {
        bail!("{name}: a directory, not a file");
    }
    if target.exists() && !target.is_file() {
        bail!("{name}: not a regular file");
    }
    let Some(file_name) = target.file_name() else { bail!("\"{name}\" is no name of a file") };
    let directory = match target.parent() {
        Some(parent) if parent != Path::new("") => parent.to_path_buf(),
        _ => PathBuf::from("."),
    };
    let mut temporary = std::ffi::OsString::from(".");
    temporary.push(file_name);
    temporary.push(format!(".{}.tmp", std::process::id()));
    let temporary = directory.join(temporary);
    let written = fill(&temporary, bytes).and_then(|()| fs::rename(&temporary, &target));
    if let Err(error) = written {
        // It may not even exist; the first error is the one to report.
        let _ = fs::remove_file(&temporary);
        bail!("{name}: cannot be written in directory {}: {}", directory.display(), reason(&error));
    }
    // The new name, too, must outlast a crash. Some systems cannot open directories: that is no failure.
    if let Ok(directory) = File::open(&directory) {
        directory.sync_all().map_err(|e| anyhow!("{name}: {}", reason(&e)))?;
    }
    Ok(())
}

fn fill(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
