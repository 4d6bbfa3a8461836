//! Writing the file of a solved graph.

use super::SaveError;
use super::header::Header;
use super::model::{Entry, MAX_VALUES, Model};
use super::place::{Place, Split, Words, words};
use crate::control::{Control, Phase, Progress, check};
use crate::solution::{AnySolved, Solution, Solved};
use crate::store::part_of_key;
use crate::width::by_width;
use jewel_engine::ability::{Packed, PackedKey};
use jewel_engine::parallel;
use jewel_engine::value::Value;
use jewel_tables::atomic::AtomicFile;
use rayon::slice::ParallelSliceMut;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Positions of a block.
const BLOCK: usize = 1 << 10;
/// Positions that are sorted at a time: this many, or a sixteenth of all if that is more.
const SHARE: u64 = 1 << 22;
/// The fewest blocks of a file whose coder learns before it begins: below, what it has learnt would take more than it saves.
const FEW_BLOCKS: u64 = 32;
/// Blocks that it learns from.
const LESSONS: u64 = 512;

/// What a file says about its positions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct About {
    /// The fingerprint of the rules.
    pub fingerprint: u64,
    /// The text of a variant file, or the id of a game of the program: 1 MiB at most.
    pub rules: String,
    /// The position string of the root: 4 KiB at most.
    pub root: String,
}

/// Writes the file of a solution, whole or not at all, and returns its length in bytes.
///
/// It takes 24 to 56 bytes of memory for each position that is sorted at a time: four million, or a sixteenth of all.
///
/// # Errors
/// If the file cannot be written, the work is interrupted, or a file has no room for the values.
pub fn save<P: Packed>(
    solution: &Solution<P>,
    about: &About,
    path: &Path,
    control: &mut Control<'_>,
) -> Result<u64, SaveError> {
    let mut file = AtomicFile::create(path)?;
    let bytes = write(solution, about, &mut file, control)?;
    file.commit()?;
    Ok(bytes)
}

/// Writes the file of a solution to a writer, and returns the number of bytes.
///
/// # Errors
/// As [`save`].
pub fn write<P: Packed>(
    solution: &Solution<P>,
    about: &About,
    out: &mut dyn Write,
    control: &mut Control<'_>,
) -> Result<u64, SaveError> {
    let (folded, set_bits) = (solution.is_folded(), solution.root().set_bits());
    solution.solved.write(&Job { folded, set_bits, about, share: SHARE }, out, control)
}

/// What to write, but for the positions and their values.
struct Job<'a> {
    folded: bool,
    /// How many of the lowest bits of a key are a set of squares.
    set_bits: u32,
    about: &'a About,
    /// The fewest positions that are sorted at a time.
    share: u64,
}

impl AnySolved {
    fn write(&self, job: &Job<'_>, out: &mut dyn Write, control: &mut Control<'_>) -> Result<u64, SaveError> {
        by_width!(self, solved => write_solved(solved, job, out, control))
    }
}

fn write_solved<K: PackedKey>(
    solution: &Solved<K>,
    job: &Job<'_>,
    out: &mut dyn Write,
    control: &mut Control<'_>,
) -> Result<u64, SaveError> {
    let &Job { folded, set_bits, about, share } = job;
    let interrupt = control.interrupt();
    let positions = &solution.positions;
    let mut progress =
        Progress { phase: Phase::Write, done: 0, known: positions.len(), memory: positions.bytes() };
    control.report(progress);
    let content = Content::of(solution);
    if content.values.len() > MAX_VALUES {
        return Err(SaveError::Values(content.values.len()));
    }
    let [any, all] = content.keys;
    let split = Split::new(K::BITS, &any, &all, set_bits);
    let sorting = Sorting { solution, split: &split, content: &content, interrupt };
    let shares = sorting.shares(share);
    let mut model = Model::new(&split, content.values.len());
    let mut header = Header {
        fingerprint: about.fingerprint,
        folded,
        key_bytes: K::BYTES as u8,
        positions: content.positions,
        rules: about.rules.clone(),
        root: about.root.clone(),
        set_bits: set_bits as u8,
        keys: content.keys,
        block: BLOCK as u32,
        values: content.values.clone(),
        model: Vec::new(),
    };
    let learns = header.blocks() >= FEW_BLOCKS;
    // Each share is looked at once to learn from, and once to be written.
    let looks = shares.len() as u64 * if learns { 2 } else { 1 };
    let mut looked = 0;
    let mut tell = || {
        looked += 1;
        progress.done = (u128::from(progress.known) * looked / u128::from(looks)) as u64;
        control.report(progress);
    };
    let mut first = None;
    if learns {
        let every = (header.blocks() / LESSONS).max(1) as usize;
        for share in &shares {
            let sorted = sorting.sorted(share)?;
            model.learn(sorted.chunks(BLOCK).step_by(every));
            first = (shares.len() == 1).then_some(sorted);
            tell();
        }
        header.model = model.data();
    }
    let mut blocks = Blocks::begin(out, &header, &model)?;
    let mut waiting = Vec::new();
    for share in &shares {
        let sorted = match first.take() {
            Some(sorted) => sorted,
            None => sorting.sorted(share)?,
        };
        waiting.extend(sorted);
        check(interrupt)?;
        let whole = waiting.len() / BLOCK * BLOCK;
        blocks.push(&waiting[..whole])?;
        waiting.drain(..whole);
        tell();
    }
    blocks.push(&waiting)?;
    Ok(blocks.finish()?)
}

/// What has to be known of all positions before the first is written.
struct Content {
    positions: u64,
    /// The bits that any key has, and those that all have.
    keys: [Words; 2],
    /// In ascending order.
    values: Vec<Value>,
}

impl Content {
    fn of<K: PackedKey>(solution: &Solved<K>) -> Content {
        let in_part = |part| {
            let mut content = Content { positions: 0, keys: [[0; 4], [u64::MAX; 4]], values: Vec::new() };
            let mut last = None;
            for (_, key, word) in solution.positions.of_part(part) {
                content.positions += 1;
                for (n, word) in words(key).into_iter().enumerate() {
                    content.keys[0][n] |= word;
                    content.keys[1][n] &= word;
                }
                let value = solution.value_of(key, word);
                if last != Some(value) {
                    last = Some(value);
                    if let Err(at) = content.values.binary_search(&value) {
                        content.values.insert(at, value);
                    }
                }
            }
            content
        };
        let together = |one: Content, other: Content| {
            let [mut any, mut all] = one.keys;
            any.iter_mut().zip(other.keys[0]).for_each(|(word, other)| *word |= other);
            all.iter_mut().zip(other.keys[1]).for_each(|(word, other)| *word &= other);
            let mut values = [one.values, other.values].concat();
            values.sort_unstable();
            values.dedup();
            Content { positions: one.positions + other.positions, keys: [any, all], values }
        };
        let nothing = Content { positions: 0, keys: [[0; 4], [u64::MAX; 4]], values: Vec::new() };
        parallel::map(solution.positions.parts(), in_part).into_iter().fold(nothing, together)
    }
}

/// Makes sorted shares of the positions.
struct Sorting<'a, K> {
    solution: &'a Solved<K>,
    split: &'a Split,
    content: &'a Content,
    interrupt: &'a AtomicBool,
}

/// The places from one to before another; `None` stands for the end.
type Share<K> = Range<Option<Place<K>>>;

impl<K: PackedKey> Sorting<'_, K> {
    /// Shares of about equal size. They follow from the positions alone.
    fn shares(&self, least: u64) -> Vec<Share<K>> {
        let size = least.max(self.content.positions / 16);
        let count = self.content.positions.div_ceil(size) as usize;
        let mut bounds = vec![None];
        if count > 1 {
            // Some that hashing has chosen stand for all.
            let in_part = |part| {
                let keys = self.solution.positions.of_part(part).map(|(_, key, _)| key);
                let keys = keys.filter(|&key| part_of_key(key) == 0);
                keys.filter_map(|key| self.split.place(key)).collect::<Vec<_>>()
            };
            let mut sample: Vec<Place<K>> = parallel::map(self.solution.positions.parts(), in_part).concat();
            sample.par_sort_unstable();
            bounds.extend((1..count).filter_map(|n| sample.get(n * sample.len() / count).copied()).map(Some));
        }
        bounds.push(None);
        bounds.windows(2).map(|pair| pair[0]..pair[1]).collect()
    }

    /// The positions of a share, in order.
    fn sorted(&self, share: &Share<K>) -> Result<Vec<Entry<K>>, SaveError> {
        let in_part = |part| {
            check(self.interrupt)?;
            let mut entries = Vec::new();
            for (_, key, word) in self.solution.positions.of_part(part) {
                let Some(place) = self.split.place(key) else { continue };
                if Some(place) < share.start || share.end.is_some_and(|end| place >= end) {
                    continue;
                }
                let value = self.solution.value_of(key, word);
                let value = self.content.values.binary_search(&value).unwrap_or_default();
                entries.push(Entry { place, value: value as u16 });
            }
            Ok::<_, SaveError>(entries)
        };
        let parts: Vec<Vec<Entry<K>>> = parallel::try_map(self.solution.positions.parts(), in_part)?;
        let mut entries = Vec::with_capacity(parts.iter().map(Vec::len).sum());
        parts.into_iter().for_each(|part| entries.extend(part));
        entries.par_sort_unstable();
        Ok(entries)
    }
}

/// The blocks of a file, one after the other, and what comes behind them.
struct Blocks<'a> {
    out: &'a mut dyn Write,
    model: &'a Model,
    sums: crc32fast::Hasher,
    index: Vec<u8>,
    number: u64,
    bytes: u64,
}

impl<'a> Blocks<'a> {
    fn begin(out: &'a mut dyn Write, header: &Header, model: &'a Model) -> io::Result<Blocks<'a>> {
        let bytes = header.bytes();
        out.write_all(&bytes)?;
        let mut sums = crc32fast::Hasher::new();
        sums.update(&bytes[bytes.len() - 4..]);
        Ok(Blocks { out, model, sums, index: Vec::new(), number: 0, bytes: bytes.len() as u64 })
    }

    /// Adds blocks; the last one may be shorter than the others.
    fn push<K: PackedKey>(&mut self, entries: &[Entry<K>]) -> io::Result<()> {
        let model = self.model;
        let blocks: Vec<Vec<u8>> = parallel::map_chunks(entries, BLOCK, |block| model.encode(block));
        for (block, data) in entries.chunks(BLOCK).zip(blocks) {
            let first = block[0].place;
            let mut upper = vec![0; K::BYTES];
            first.upper.write(&mut upper);
            self.index.extend(upper);
            self.index.push(first.count);
            self.index.extend(first.rank.to_le_bytes());
            self.index.extend((data.len() as u32).to_le_bytes());
            self.index.extend(block_sum(self.number, &data).to_le_bytes());
            self.out.write_all(&data)?;
            self.bytes += data.len() as u64;
            self.number += 1;
        }
        Ok(())
    }

    /// Ends the file, and returns its length.
    fn finish(mut self) -> io::Result<u64> {
        self.sums.update(&self.index);
        self.out.write_all(&self.index)?;
        self.out.write_all(&self.sums.finalize().to_le_bytes())?;
        self.out.write_all(END)?;
        self.out.flush()?;
        Ok(self.bytes + self.index.len() as u64 + 8)
    }
}

/// The last bytes of a file.
pub(super) const END: &[u8; 4] = b"JEND";

/// Bytes of a block in the index: its first place, its length and its checksum.
pub(super) const fn index_bytes(key_bytes: usize) -> usize {
    key_bytes + 1 + 8 + 4 + 4
}

/// The checksum of a block.
pub(super) fn block_sum(number: u64, data: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&number.to_le_bytes());
    sum.update(data);
    sum.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Limits;
    use crate::graph::Graph;
    use crate::solution_file::reader::SolutionFile;
    use jewel_engine::ability::Game;
    use jewel_engine::chesslike::{ChessGame, Leapers};
    use jewel_engine::games;

    /// Keys that are sorted in many shares, and in one.
    #[test]
    fn shares_come_in_order() {
        let ambush = ChessGame::<Leapers, 4>::new(games::find("ambush").unwrap().rules()).unwrap();
        let root = ambush.parse_position("nq3/5/5/5/3QN b - - 0 1").unwrap();
        let mut graph = Graph::new(root).unwrap();
        let solution = Control::with_limits(Limits::default(), |control| {
            graph.enumerate(control)?;
            graph.solve(control)
        })
        .unwrap();
        let about = About { fingerprint: 7, rules: String::new(), root: String::new() };
        for share in [SHARE, 3_000] {
            let mut out = Vec::new();
            let job = Job { folded: false, set_bits: root.set_bits(), about: &about, share };
            let mut told = Vec::new();
            let mut note = |progress: Progress| {
                assert_eq!(progress.phase, Phase::Write);
                told.push((progress.done, progress.known));
            };
            let never = AtomicBool::new(false);
            let mut control = Control::new(Limits::default(), &never, &mut note);
            solution.solved.write(&job, &mut out, &mut control).unwrap();
            assert!(told.is_sorted(), "{told:?}");
            let file = SolutionFile::open(Box::new(out), root, 7).unwrap();
            let mut found = 0;
            for (position, value) in (0..solution.parts()).flat_map(|part| solution.part(part)) {
                assert_eq!(file.value(&position).unwrap(), Some(value), "{position:?}");
                found += 1;
            }
            assert_eq!(found, file.header().positions);
            assert_eq!((told[0], told[told.len() - 1]), ((0, found), (found, found)), "{told:?}");
            assert_eq!(told.len() > 20, share < SHARE, "{told:?}");
            assert!(found > 40_000, "{found}: too few for many shares and a model");
        }
    }
}
