//! Files that are read whole, and written whole or not at all.

use crate::support::words::reason;
use anyhow::{Context, Result, anyhow, bail};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

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
    let open = || -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(file)?.take(longest + 1).read_to_end(&mut bytes)?;
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

/// Reads a file of UTF-8 text.
///
/// # Errors
/// One line that begins with the file's name.
pub fn read_text(file: &Path, longest: u64) -> Result<String> {
    let text = String::from_utf8(read(file, longest)?)
        .map_err(|e| anyhow!("not UTF-8 text: byte {} cannot be read", e.utf8_error().valid_up_to() + 1));
    text.with_context(|| file.display().to_string())
}
