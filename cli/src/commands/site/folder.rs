//! The folder of a site: a new one appears whole, an earlier one is brought up to date, and no other is touched.

use anyhow::{Result, anyhow, bail};
use jewel_players::support::files;
use jewel_players::support::words::reason;
use jewel_tables::atomic::AtomicFile;
use serde::Deserialize;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// By this file a site is known.
pub(super) const SITE_FILE: &str = "site.json";

/// The longest one that is read, in bytes: variant files are in it.
const MAX_SITE_FILE: u64 = 64 << 20;

/// A file of a site.
pub(super) struct SiteFile {
    pub(super) name: String,
    contents: Contents,
}

enum Contents {
    Bytes(Vec<u8>),
    /// Those of another file, which may be long, and how many bytes they are.
    Copied(PathBuf, u64),
}

impl SiteFile {
    /// A file with these bytes.
    pub(super) fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> SiteFile {
        SiteFile { name: name.into(), contents: Contents::Bytes(bytes.into()) }
    }

    /// A copy of a file of so many bytes.
    pub(super) fn copied(name: impl Into<String>, from: &Path, bytes: u64) -> SiteFile {
        SiteFile { name: name.into(), contents: Contents::Copied(from.to_path_buf(), bytes) }
    }

    /// How many bytes it has.
    pub(super) fn length(&self) -> u64 {
        match &self.contents {
            Contents::Bytes(bytes) => bytes.len() as u64,
            Contents::Copied(_, bytes) => *bytes,
        }
    }

    /// Writes it into a folder.
    fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(&self.name);
        match &self.contents {
            Contents::Bytes(bytes) => files::write(&path, bytes),
            Contents::Copied(from, _) => copy(from, &path).map_err(|e| {
                anyhow!("{}: cannot be copied to {}: {}", from.display(), path.display(), reason(&e))
            }),
        }
    }
}

/// Copies a file: whole, or not at all.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut copy = AtomicFile::create(to)?;
    io::copy(&mut fs::File::open(from)?, &mut copy)?;
    copy.commit()
}

/// What is read of an earlier site.
#[derive(Deserialize)]
struct Earlier {
    #[serde(rename = "jewel")]
    _jewel: String,
    files: Vec<String>,
}

/// Checks that a site may be written to a folder.
///
/// # Errors
/// If there is something else.
pub(super) fn check(out: &Path) -> Result<()> {
    let name = out.display();
    if is_new(out)? || earlier(out).is_some() {
        return Ok(());
    }
    bail!("--out: {name}: not empty, and not a site of jewel: name a new folder")
}

/// Writes the files, and deletes those of an earlier site that are no longer needed.
///
/// # Errors
/// If something cannot be written; a new folder does not appear then.
pub(super) fn write(out: &Path, site: &[SiteFile]) -> Result<()> {
    if is_new(out)? {
        return create(out, site);
    }
    let old = earlier(out).map(|site| site.files).unwrap_or_default();
    for file in site {
        file.write(out)?;
    }
    let plain = |name: &String| !name.contains(['/', '\\']) && name != "." && name != "..";
    for name in old.iter().filter(|name| plain(name) && site.iter().all(|file| file.name != **name)) {
        match fs::remove_file(out.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(anyhow!("{}: cannot be deleted: {}", out.join(name).display(), reason(&error)));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether nothing is there, or an empty folder.
fn is_new(out: &Path) -> Result<bool> {
    let failed = |e: io::Error| anyhow!("--out: {}: {}", out.display(), reason(&e));
    match fs::read_dir(out) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(failed(error)),
    }
}

/// The site that is there.
fn earlier(out: &Path) -> Option<Earlier> {
    let text = files::read_text(&out.join(SITE_FILE), MAX_SITE_FILE).ok()?;
    serde_json::from_str(&text).ok()
}

/// Writes all files to a folder beside it, which then gets its name.
fn create(out: &Path, site: &[SiteFile]) -> Result<()> {
    let failed = |e: io::Error| anyhow!("--out: {}: cannot be written: {}", out.display(), reason(&e));
    let name = out.file_name().ok_or_else(|| anyhow!("--out: {}: name a new folder", out.display()))?;
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let part = folder.join(format!(".{}.{}", name.to_string_lossy(), std::process::id()));
    fs::create_dir(&part).map_err(failed)?;
    let part = Unfinished(part);
    for file in site {
        file.write(&part.0)?;
    }
    if out.exists() {
        fs::remove_dir(out).map_err(failed)?;
    }
    fs::rename(&part.0, out).map_err(failed)
}

/// A folder that goes unless it was given another name.
struct Unfinished(PathBuf);

impl Drop for Unfinished {
    fn drop(&mut self) {
        // It is not there any more if all went well.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("jewel-site-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_site_is_replaced_and_other_files_stay() {
        let out = scratch("replaced");
        let index = |text: &str| SiteFile::new(SITE_FILE, text);
        write(&out, &[SiteFile::new("a", "1"), index(r#"{"jewel":"0","files":["a","../b","c"]}"#)]).unwrap();
        assert_eq!(names(&out), ["a", SITE_FILE]);
        fs::write(out.join("mine"), "x").unwrap();
        fs::write(out.with_file_name("b"), "x").unwrap();
        check(&out).unwrap();
        write(&out, &[SiteFile::new("d", "2"), index(r#"{"jewel":"0","files":["d"]}"#)]).unwrap();
        assert_eq!(names(&out), ["d", "mine", SITE_FILE]);
        assert!(out.with_file_name("b").exists(), "no file outside the folder is deleted");
        fs::remove_file(out.with_file_name("b")).unwrap();
        fs::remove_dir_all(&out).unwrap();
    }

    #[test]
    fn no_other_folder_is_touched() {
        let out = scratch("other");
        fs::create_dir(&out).unwrap();
        check(&out).unwrap();
        for text in [r#"{"jewel":"0"}"#, "[]", "x"] {
            fs::write(out.join(SITE_FILE), text).unwrap();
            let problem = check(&out).unwrap_err().to_string();
            assert!(problem.contains("not a site of jewel"), "{problem}");
        }
        fs::remove_dir_all(&out).unwrap();
    }

    #[test]
    fn a_folder_that_cannot_be_written_does_not_appear() {
        let out = scratch("half");
        let bad = [SiteFile::new("a", "1"), SiteFile::new("no/such/folder", "2")];
        assert!(write(&out, &bad).is_err());
        assert!(!out.exists());
        let hidden = format!(".{}.{}", out.file_name().unwrap().to_string_lossy(), std::process::id());
        assert!(!out.with_file_name(hidden).exists());
    }
}
