//! The folder of a graph on disk: its files, and the manifest that says which of them count.
//!
//! Files are numbered and written once. The manifest is replaced as a whole, and only then are files removed that it does not name
//! any more. So whatever happens, the folder holds one state that is whole; other files are removed when it is opened.

use super::run::Run;
use super::{DiskError, at};
use jewel_engine::ability::PackedKey;
use jewel_tables::atomic::AtomicFile;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What the names of all files begin with. A folder that was named may hold the files of others, which must not be taken for ours.
const PREFIX: &str = "jewel-";
const MANIFEST: &str = "jewel-manifest";
const LOCK: &str = "jewel-lock";
const MAGIC: &[u8; 8] = b"JEWELDSK";
const VERSION: u64 = 1;

/// How far the work is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Step {
    Enumerate,
    Link,
    Propagate,
    Solved,
}

const STEPS: [Step; 4] = [Step::Enumerate, Step::Link, Step::Propagate, Step::Solved];

/// The folder and what its manifest says. A file's number is 0 where there is none.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    fingerprint: u64,
    key_bytes: usize,
    pub(super) step: Step,
    /// The number of the last file.
    last: u64,
    /// Moves from the positions of the runs.
    pub(super) edges: u64,
    /// The positions whose moves have been made.
    pub(super) runs: Vec<u64>,
    /// Those whose moves have not.
    pub(super) frontier: u64,
    /// The positions before each position.
    pub(super) lists: u64,
    /// What is known of each position.
    pub(super) words: u64,
    /// The positions of the last wave.
    pub(super) wave: u64,
    /// Distances that do not fit into words.
    pub(super) far: u64,
    /// The CRC-32 of these three files, which have none in them.
    pub(super) sums: [u64; 3],
    /// Waves that are done, and positions decided.
    pub(super) done: u64,
    pub(super) decided: u64,
    /// Files that no manifest will name.
    gone: Vec<u64>,
    saved: Instant,
    /// Locked as long as the folder is in use.
    _lock: File,
}

impl Folder {
    /// Opens the folder for a graph, or begins one.
    pub(super) fn open(path: &Path, fingerprint: u64, key_bytes: usize) -> Result<Folder, DiskError> {
        fs::create_dir_all(path).map_err(at(path))?;
        let lock = path.join(LOCK);
        let file = File::options().create(true).truncate(false).write(true).open(&lock).map_err(at(&lock))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(at(path)(io::Error::other("another program works in this folder")));
            }
            Err(TryLockError::Error(error)) => return Err(at(&lock)(error)),
        }
        let mut folder = Folder {
            path: path.to_path_buf(),
            fingerprint,
            key_bytes,
            step: Step::Enumerate,
            last: 0,
            edges: 0,
            runs: Vec::new(),
            frontier: 0,
            lists: 0,
            words: 0,
            wave: 0,
            far: 0,
            sums: [0; 3],
            done: 0,
            decided: 0,
            gone: Vec::new(),
            saved: Instant::now(),
            _lock: file,
        };
        let manifest = folder.manifest();
        match fs::read(&manifest) {
            Ok(bytes) => folder.read(&bytes).ok_or(DiskError::Damaged { path: manifest })??,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(at(&manifest)(error)),
        }
        folder.remove_others()?;
        Ok(folder)
    }

    fn manifest(&self) -> PathBuf {
        self.path.join(MANIFEST)
    }

    /// The file of a number.
    pub(super) fn path(&self, number: u64) -> PathBuf {
        self.path.join(format!("{PREFIX}{number:08}"))
    }

    /// The number of a file that is to be written.
    pub(super) fn new_file(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// The names of files that are removed by who makes them.
    pub(super) fn temporary(&mut self) -> impl Fn(usize) -> PathBuf + use<> {
        let (folder, number) = (self.path.clone(), self.new_file());
        move |n| folder.join(format!("{PREFIX}{number:08}-{n}"))
    }

    /// The run of all positions.
    pub(super) fn whole_run<K: PackedKey>(&self) -> Result<Run<K>, DiskError> {
        match self.runs[..] {
            [run] => Run::open(self.path(run)),
            _ => Err(DiskError::Damaged { path: self.manifest() }),
        }
    }

    /// Compares the files that have no checksums in them with those of the manifest.
    pub(super) fn check(&self) -> Result<(), DiskError> {
        for (number, sum) in [self.words, self.wave, self.far].into_iter().zip(self.sums) {
            if number != 0 && self.sum(number)? != sum {
                return Err(DiskError::Damaged { path: self.path(number) });
            }
        }
        Ok(())
    }

    /// The CRC-32 of a file; 0 if there is none.
    pub(super) fn sum(&self, number: u64) -> Result<u64, DiskError> {
        if number == 0 {
            return Ok(0);
        }
        let path = self.path(number);
        let sum = || {
            let mut file = File::open(&path)?;
            let (mut sum, mut buffer) = (crc32fast::Hasher::new(), vec![0; 1 << 16]);
            loop {
                match file.read(&mut buffer)? {
                    0 => return Ok(sum.finalize().into()),
                    read => sum.update(&buffer[..read]),
                }
            }
        };
        sum().map_err(at(&path))
    }

    /// A file is not needed any more.
    pub(super) fn discard(&mut self, number: u64) {
        self.gone.push(number);
    }

    /// Whether it is time to save the state.
    pub(super) fn is_due(&self, checkpoint: Duration) -> bool {
        self.saved.elapsed() >= checkpoint
    }

    /// Writes the manifest, and removes what it does not name.
    pub(super) fn save(&mut self) -> Result<(), DiskError> {
        let path = self.manifest();
        let bytes = self.bytes();
        let write = || {
            let mut file = AtomicFile::create(&path)?;
            file.write_all(&bytes)?;
            file.commit()
        };
        write().map_err(at(&path))?;
        self.saved = Instant::now();
        for number in std::mem::take(&mut self.gone) {
            // What stays is removed when the folder is opened again.
            let _ = fs::remove_file(self.path(number));
        }
        Ok(())
    }

    /// All numbers in one order, for reading and writing.
    fn numbers(&mut self) -> [&mut u64; 12] {
        let [words, wave, far] = &mut self.sums;
        [
            words,
            wave,
            far,
            &mut self.last,
            &mut self.edges,
            &mut self.frontier,
            &mut self.lists,
            &mut self.words,
            &mut self.wave,
            &mut self.far,
            &mut self.done,
            &mut self.decided,
        ]
    }

    fn bytes(&mut self) -> Vec<u8> {
        let mut list = vec![VERSION, self.fingerprint, self.key_bytes as u64, self.step as u64];
        list.extend(self.numbers().map(|number| *number));
        list.extend(&self.runs);
        let mut bytes = MAGIC.to_vec();
        list.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// `None` if these are not the bytes of a manifest.
    fn read(&mut self, bytes: &[u8]) -> Option<Result<(), DiskError>> {
        let (body, sum) = bytes.split_last_chunk::<4>()?;
        if crc32fast::hash(body).to_le_bytes() != *sum {
            return None;
        }
        let (numbers, []) = body.strip_prefix(MAGIC)?.as_chunks::<8>() else { return None };
        let mut numbers = numbers.iter().map(|&number| u64::from_le_bytes(number));
        if numbers.next()? != VERSION {
            return None;
        }
        if [numbers.next()?, numbers.next()?] != [self.fingerprint, self.key_bytes as u64] {
            return Some(Err(DiskError::Mismatch { path: self.path.clone() }));
        }
        self.step = *STEPS.get(usize::try_from(numbers.next()?).ok()?)?;
        for number in self.numbers() {
            *number = numbers.next()?;
        }
        self.runs = numbers.collect();
        Some(Ok(()))
    }

    /// Removes the files that the manifest does not name.
    fn remove_others(&self) -> Result<(), DiskError> {
        let named = [self.frontier, self.lists, self.words, self.wave, self.far];
        remove_files(&self.path, |number| {
            number
                .parse()
                .is_ok_and(|number| number > 0 && (named.contains(&number) || self.runs.contains(&number)))
        })
        .map_err(at(&self.path))
    }
}

/// Removes the numbered files of a folder but for those whose numbers are to be kept; the files of others stay.
fn remove_files(folder: &Path, keep: impl Fn(&str) -> bool) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some(number) = name.strip_prefix(PREFIX)
            && number.starts_with(|c: char| c.is_ascii_digit())
            && !keep(number)
        {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// Whether a folder holds a graph that was begun.
pub fn is_begun(folder: &Path) -> bool {
    folder.join(MANIFEST).is_file()
}

/// Removes a graph from its folder, and the folder if it can be removed. No solution of it may be in use.
///
/// # Errors
/// Those of the file system.
pub fn remove(folder: &Path) -> io::Result<()> {
    remove_files(folder, |_| false)?;
    for name in [MANIFEST, LOCK] {
        match fs::remove_file(folder.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    // Other files may be in it, or another disk may be mounted there.
    let _ = fs::remove_dir(folder);
    Ok(())
}
