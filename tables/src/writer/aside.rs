//! What is coded with a block but stands behind all blocks of another kind.

use crate::atomic::TemporaryFile;
use std::io::{self, BufReader, Seek, Write};
use std::path::{Path, PathBuf};

/// More than this goes to a file.
const MAX_HELD: usize = 32 << 20;

/// Bytes that are written later: in memory while they are few, then in a file beside the table.
pub(super) struct Aside {
    held: Vec<u8>,
    most: usize,
    /// Where the file is made; `None` keeps everything in memory.
    path: Option<PathBuf>,
    file: Option<TemporaryFile>,
}

impl Aside {
    /// For the table at this path. Without a path, all bytes stay in memory.
    pub(super) fn new(table: Option<&Path>) -> Aside {
        let path = table.map(|table| {
            let mut path = table.as_os_str().to_os_string();
            path.push(".distances.tmp");
            path.into()
        });
        Aside { held: vec![], most: MAX_HELD, path, file: None }
    }

    /// Adds bytes.
    pub(super) fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.held.len() + bytes.len() > self.most
            && let Some(path) = &self.path
        {
            let file = match &mut self.file {
                Some(file) => file,
                none => none.insert(TemporaryFile::create(path)?),
            };
            file.as_file().write_all(&self.held)?;
            self.held.clear();
        }
        self.held.extend_from_slice(bytes);
        Ok(())
    }

    /// Writes all that was added.
    pub(super) fn copy_to(mut self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            let mut file = file.as_file();
            file.rewind()?;
            io::copy(&mut BufReader::with_capacity(1 << 20, file), out)?;
        }
        out.write_all(&self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn bytes_come_back_in_order_and_no_file_stays() {
        let folder = std::env::temp_dir().join(format!("jewel-aside-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for (path, files) in [(None, 0), (Some(folder.join("A.jt")), 1)] {
            let mut aside = Aside { most: 100, ..Aside::new(path.as_deref()) };
            let parts: Vec<Vec<u8>> = (0..20u8).map(|n| vec![n; 7 * usize::from(n)]).collect();
            for part in &parts {
                aside.add(part).unwrap();
            }
            assert_eq!(fs::read_dir(&folder).unwrap().count(), files);
            let mut out = vec![];
            aside.copy_to(&mut out).unwrap();
            assert_eq!(out, parts.concat());
            assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
