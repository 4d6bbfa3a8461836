//! Graphs that are larger than the memory: positions in sorted files, merged in sequence.
//!
//! All state is in one folder, as a list of files that a manifest names. The steps are those of a graph in memory.
//!
//! 1. Enumerate: the positions at the same distance from the root are one sorted run. Their moves are
//!    made in order, the successors are sorted in as large parts as the memory allows and merged, and those that are
//!    in no run yet are the next layer. Runs of similar size are merged, so that there are few.
//! 2. Link, only for games that cannot take moves back: the moves are made once more, and the origins of each position
//!    are written in the order of the positions.
//! 3. Propagate: what a wave has decided is taken back in parts that fit into memory; each part is sorted and meets
//!    the positions in their order.
//!
//! What is found does not depend on the memory, the number of threads or interruptions: it is the same set with the same
//! values.

mod enumerate;
mod lists;
mod manifest;
mod run;
mod sorter;
mod waves;

use crate::control::{Control, Stop};
use crate::graph::{AnyGraph, Graph};
use crate::key_graph::KeyGraph;
use crate::keyed::{AnyWidth, Game};
use crate::positions::Positions;
use crate::solution::{AnySolved, Solution, Solved};
use crate::store::{NONE, Slot};
use crate::width::{TooWide, key_bytes, map_width};
use crate::word::Word;
use jewel_engine::ability::{Packed, PackedKey};
use jewel_tables::map::Mapped;
use manifest::Folder;
pub use manifest::{is_begun, remove};
use run::Run;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use thiserror::Error;

/// Why a graph on disk was not solved. What its folder holds stays.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DiskError {
    /// It was stopped.
    #[error(transparent)]
    Stopped(#[from] Stop),
    /// A file cannot be written or read: perhaps the disk is full.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What happened.
        error: io::Error,
    },
    /// A file is not what was written.
    #[error("{}: damaged; remove the folder and solve the game again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The folder belongs to other rules or another root.
    #[error("{}: belongs to other rules or another start position", path.display())]
    Mismatch {
        /// The folder.
        path: PathBuf,
    },
}

/// Turns an error of the file system into one that names the file.
fn at(path: &Path) -> impl FnOnce(io::Error) -> DiskError + '_ {
    move |error| DiskError::Io { path: path.to_path_buf(), error }
}

/// How much is kept in memory at a time, and how often the state is saved. The result does not depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Records that are sorted at a time.
    pub sorted: usize,
    /// Positions whose moves are made before their successors are looked at.
    pub batch: usize,
    /// The time after which the state is saved again, once a layer or a wave is done.
    pub checkpoint: Duration,
}

/// Bytes that each thread needs for a batch, about, and those for the rest.
const THREAD: u64 = 8 << 20;
const REST: u64 = 16 << 20;
/// Bytes of the keys of a batch, for each thread.
const BATCH: usize = 1 << 16;
/// The fewest records that are sorted at a time.
const FEW: u64 = 1 << 18;

impl Options {
    /// Bytes that every thread needs, and those for the rest but for sorting.
    fn fixed() -> u64 {
        REST + THREAD * rayon::current_num_threads() as u64
    }

    /// The least memory that will do, in bytes, on the threads of the current rayon pool, where keys have `key_bytes`.
    fn least(key_bytes: usize) -> u64 {
        Options::fixed() + FEW * Options::record(key_bytes)
    }

    /// Bytes of the largest record: a key and a number of a position.
    fn record(key_bytes: usize) -> u64 {
        key_bytes as u64 + 8
    }

    /// The least memory that will do for this root, in bytes, on the threads of the current rayon pool.
    ///
    /// # Errors
    /// If it takes more bits than any key has.
    pub fn least_memory<P: Packed>(root: &P) -> Result<u64, TooWide> {
        Ok(Options::least(key_bytes(root.packed_bits())?))
    }

    /// What fits into this many bytes, on the threads of the current rayon pool, for the positions that this root leads to.
    ///
    /// # Errors
    /// [`Stop::Memory`] if that is too little, with the least that would do.
    pub fn within<P: Packed>(memory: u64, root: &P) -> Result<Options, Stop> {
        // Wider positions have no graph.
        let key_bytes = key_bytes(root.packed_bits()).unwrap_or(<[u64; 4]>::BYTES);
        let needed = Options::least(key_bytes);
        if memory < needed {
            return Err(Stop::Memory { needed, limit: memory });
        }
        // Sorting more at a time would be no faster.
        let sorted = ((memory - Options::fixed()) / Options::record(key_bytes)).min(1 << 30) as usize;
        let batch = BATCH / key_bytes * rayon::current_num_threads();
        Ok(Options { sorted, batch, checkpoint: Duration::from_secs(60) })
    }
}

impl<P: Packed> Graph<P> {
    /// Solves the game from the root of this graph in a folder, on the threads of the current rayon pool. It goes on from what
    /// the folder holds; what this graph holds is not used.
    ///
    /// The folder is made where it is not there, and stays: nothing may change it as long as the solution is in use. `fingerprint` is
    /// that of [`state::fingerprint`](crate::state::fingerprint()). Of the limits of `control`, that of positions counts.
    ///
    /// # Errors
    /// What stopped it. The same call goes on.
    pub fn solve_on_disk(
        &self,
        folder: &Path,
        fingerprint: u64,
        options: Options,
        control: &mut Control<'_>,
    ) -> Result<Solution<P>, DiskError> {
        let fingerprint = crate::state::folded(fingerprint, self.is_folded());
        let solved = self.keys.solve_on_disk(&self.game, folder, fingerprint, options, control)?;
        Ok(Solution { game: self.game.clone(), solved })
    }
}

impl AnyGraph {
    fn solve_on_disk(
        &self,
        game: &dyn AnyWidth,
        folder: &Path,
        fingerprint: u64,
        options: Options,
        control: &mut Control<'_>,
    ) -> Result<AnySolved, DiskError> {
        Ok(map_width!(self, keys => keys.solve_on_disk(game, folder, fingerprint, options, control)?))
    }
}

impl<K: PackedKey> KeyGraph<K> {
    fn solve_on_disk(
        &self,
        game: Game<'_, K>,
        folder: &Path,
        fingerprint: u64,
        options: Options,
        control: &mut Control<'_>,
    ) -> Result<Solved<K>, DiskError> {
        let mut folder = Folder::open(folder, fingerprint, K::BYTES)?;
        enumerate::run(&mut folder, game, options, control)?;
        let far = waves::run(&mut folder, game, options, control)?;
        let positions = Positions::Disk(DiskPositions::open(&folder)?);
        Ok(Solved::new(positions, far, folder.edges))
    }
}

/// Blocks of a part.
const PART: usize = 1 << 6;

/// The positions of a solved graph on disk: a slot is the place among the keys in order.
#[derive(Debug)]
pub(crate) struct DiskPositions<K> {
    run: Run<K>,
    words: Mapped,
}

impl<K: PackedKey> DiskPositions<K> {
    fn open(folder: &Folder) -> Result<DiskPositions<K>, DiskError> {
        let run: Run<K> = folder.whole_run()?;
        // Once, so that looking up needs no errors.
        let mut records = Vec::new();
        (0..run.blocks()).try_for_each(|block| run.block(block, &mut records))?;
        let path = folder.path(folder.words);
        let words = Mapped::open(&path).map_err(at(&path))?;
        if words.bytes().len() as u64 != 2 * run.len() {
            return Err(DiskError::Damaged { path });
        }
        Ok(DiskPositions { run, words })
    }

    pub(crate) fn len(&self) -> u64 {
        self.run.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.run.bytes()
    }

    pub(crate) fn word(&self, slot: Slot) -> Word {
        let at = 2 * slot as usize;
        Word(u16::from_le_bytes([self.words.bytes()[at], self.words.bytes()[at + 1]]))
    }

    pub(crate) fn parts(&self) -> usize {
        self.run.blocks().div_ceil(PART)
    }

    pub(crate) fn of_part(&self, part: usize) -> impl Iterator<Item = (Slot, K, Word)> + '_ {
        let blocks = part * PART..((part + 1) * PART).min(self.run.blocks());
        blocks.flat_map(move |block| {
            let slots = (block * run::BLOCK) as Slot..;
            slots.zip(self.keys(block)).map(|(slot, key)| (slot, key, self.word(slot)))
        })
    }

    fn keys(&self, block: usize) -> Vec<K> {
        let mut records = Vec::with_capacity(run::BLOCK);
        // All blocks were read when it was opened.
        let _ = self.run.block(block, &mut records);
        records.into_iter().map(|(key, _)| key).collect()
    }

    pub(crate) fn find(&self, key: K) -> Option<Slot> {
        let block = self.run.block_of(key)?;
        let place = self.keys(block).binary_search(&key).ok()?;
        Some((block * run::BLOCK + place) as Slot)
    }

    /// Calls `each` with the index of every key, in order, and its slot. Many keys at once are found faster.
    pub(crate) fn find_all(&self, keys: &[K], mut each: impl FnMut(usize, Slot)) {
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        order.sort_unstable_by_key(|&n| keys[n as usize]);
        let mut slots = vec![NONE; keys.len()];
        let (mut block, mut known) = (None, Vec::new());
        for n in order {
            let key = keys[n as usize];
            let now = self.run.block_of(key);
            if now != block {
                block = now;
                known = now.map(|block| self.keys(block)).unwrap_or_default();
            }
            if let (Some(block), Ok(place)) = (block, known.binary_search(&key)) {
                slots[n as usize] = (block * run::BLOCK + place) as Slot;
            }
        }
        slots.into_iter().enumerate().for_each(|(n, slot)| each(n, slot));
    }
}
