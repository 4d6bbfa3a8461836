//! Where the state of an unfinished graph is kept: in a file that was named, or in a folder of the program's own.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The file of an unfinished graph.
#[derive(Clone, Debug)]
pub(super) struct StateFile {
    path: PathBuf,
    /// Whether it was named. A file of the program's own is deleted once it is of no more use.
    named: bool,
}

impl StateFile {
    /// The file that was named, or else one of the program's own for this game and fingerprint of rules and root.
    pub(super) fn new(named: Option<&Path>, id: &str, fingerprint: u64) -> StateFile {
        match named {
            Some(path) => StateFile { path: path.to_path_buf(), named: true },
            None => StateFile { path: folder().join(own_name(id, fingerprint)), named: false },
        }
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The folder for what does not fit into memory: the one that was named, or else one beside the file.
    pub(super) fn folder(&self, named: Option<&Path>, symmetry: bool) -> PathBuf {
        named.map_or_else(
            || self.path.with_extension(if symmetry { "folded.disk" } else { "disk" }),
            Path::to_path_buf,
        )
    }

    /// Whether it was named.
    pub(super) fn is_named(&self) -> bool {
        self.named
    }

    /// Makes the folder of the program's own, if the file goes there.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn prepare(&self) -> std::io::Result<()> {
        match self.path.parent() {
            Some(folder) if !self.named => fs::create_dir_all(folder),
            _ => Ok(()),
        }
    }

    /// Deletes the file, if it is the program's own.
    pub(super) fn clear(&self) {
        if !self.named {
            // It may not be there; nothing depends on it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The folder for states of the program: `$XDG_STATE_HOME/jewel`, else `.local/state/jewel` in the home folder, on
/// Windows `jewel` in the local application data; a temporary one where there is no home.
fn folder() -> PathBuf {
    let of = |variable: &str| env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || {
        if cfg!(windows) { of("LOCALAPPDATA") } else { of("HOME").map(|home| home.join(".local/state")) }
    };
    of("XDG_STATE_HOME").or_else(home).unwrap_or_else(env::temp_dir).join("jewel")
}

/// A name that is the same for the same rules and root.
fn own_name(id: &str, fingerprint: u64) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let id: String = id.chars().take(40).map(plain).collect();
    format!("{id}-{fingerprint:016x}.state")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        assert_eq!(own_name("duel", 0x1f), "duel-000000000000001f.state");
        let name = own_name("crystal-draughts:tiers=2,tokens=4", 1);
        assert_eq!(name, "crystal-draughts-tiers-2-tokens-4-0000000000000001.state");
        let named = StateFile::new(Some(Path::new("mine")), "duel", 1);
        assert_eq!((named.path(), named.is_named()), (Path::new("mine"), true));
    }
}
