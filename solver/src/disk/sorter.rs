//! Sorting more records than there is memory for.

use super::{DiskError, at};
use crate::control::Stop;
use crate::memory::allocate;
use jewel_engine::ability::PackedKey;
use rayon::slice::ParallelSliceMut;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::PathBuf;

/// What is sorted: it has a fixed number of bytes.
pub(super) trait Record: Copy + Ord + Send + Sync {
    const BYTES: usize;
    fn write(self, bytes: &mut [u8]);
    fn read(bytes: &[u8]) -> Self;
}

/// A key alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Key<K>(pub(super) K);

impl<K: PackedKey> Record for Key<K> {
    const BYTES: usize = K::BYTES;

    fn write(self, bytes: &mut [u8]) {
        self.0.write(bytes);
    }

    fn read(bytes: &[u8]) -> Self {
        Key(K::read(bytes))
    }
}

/// A move: the key that it leads to, and the place of the position that it comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Link<K> {
    pub(super) to: K,
    pub(super) from: u64,
}

impl<K: PackedKey> Record for Link<K> {
    const BYTES: usize = K::BYTES + 8;

    fn write(self, bytes: &mut [u8]) {
        let (key, place) = bytes.split_at_mut(K::BYTES);
        self.to.write(key);
        place.copy_from_slice(&self.from.to_le_bytes());
    }

    fn read(bytes: &[u8]) -> Self {
        let (key, place) = bytes.split_at(K::BYTES);
        Link { to: K::read(key), from: u64::read(place) }
    }
}

/// Bytes that are read of each file at a time.
const BUFFER: usize = 1 << 16;
/// Files that are merged at a time: more would take too much memory for their buffers.
const MOST: usize = 128;

/// Records to be sorted: what does not fit into memory goes to files, each sorted.
pub(super) struct Sorter<R> {
    waiting: Vec<R>,
    most: usize,
    /// Whether equal records are one.
    distinct: bool,
    files: Vec<PathBuf>,
    /// The name of a file by its number.
    name: Box<dyn Fn(usize) -> PathBuf>,
    made: usize,
}

impl<R: Record> Sorter<R> {
    /// A sorter that keeps `most` records in memory.
    pub(super) fn new(
        most: usize,
        distinct: bool,
        name: impl Fn(usize) -> PathBuf + 'static,
    ) -> Result<Sorter<R>, Stop> {
        // All at once: a vector that grows takes up to three times as much on the way.
        let waiting = allocate(most)?;
        Ok(Sorter { waiting, most, distinct, files: Vec::new(), name: Box::new(name), made: 0 })
    }

    pub(super) fn extend(&mut self, records: impl ExactSizeIterator<Item = R>) -> Result<(), DiskError> {
        if self.waiting.len() + records.len() > self.most {
            self.spill()?;
        }
        self.waiting.extend(records);
        Ok(())
    }

    fn sort(&mut self) {
        self.waiting.par_sort_unstable();
        if self.distinct {
            self.waiting.dedup();
        }
    }

    fn spill(&mut self) -> Result<(), DiskError> {
        self.sort();
        // What is left without doubles may be little.
        if self.waiting.len() > self.most / 2 {
            let path = self.next_name();
            let mut file = Output::create(path.clone())?;
            self.waiting.iter().try_for_each(|&record| file.push(record))?;
            file.finish()?;
            self.files.push(path);
            self.waiting.clear();
        }
        Ok(())
    }

    fn next_name(&mut self) -> PathBuf {
        self.made += 1;
        (self.name)(self.made)
    }

    /// All records in order.
    pub(super) fn finish(mut self) -> Result<Merged<R>, DiskError> {
        self.sort();
        while self.files.len() > MOST {
            let some: Vec<PathBuf> = self.files.drain(..MOST).collect();
            let path = self.next_name();
            let mut file = Output::create(path.clone())?;
            let mut merged = Merged::<R>::new(Vec::new(), &some, self.distinct)?;
            while let Some(record) = merged.next()? {
                file.push(record)?;
            }
            file.finish()?;
            self.files.push(path);
        }
        Merged::new(std::mem::take(&mut self.waiting), &self.files, self.distinct)
    }
}

/// A file of records that is being written.
pub(super) struct Output {
    out: BufWriter<File>,
    path: PathBuf,
}

impl Output {
    pub(super) fn create(path: PathBuf) -> Result<Output, DiskError> {
        let file = File::create(&path).map_err(at(&path))?;
        Ok(Output { out: BufWriter::with_capacity(BUFFER, file), path })
    }

    pub(super) fn push<R: Record>(&mut self, record: R) -> Result<(), DiskError> {
        let mut bytes = [0; 40];
        record.write(&mut bytes[..R::BYTES]);
        self.out.write_all(&bytes[..R::BYTES]).map_err(at(&self.path))
    }

    pub(super) fn finish(mut self) -> Result<(), DiskError> {
        self.out.flush().map_err(at(&self.path))
    }
}

/// A file of records that is being read.
pub(super) struct Input {
    input: BufReader<File>,
    path: PathBuf,
    left: u64,
}

impl Input {
    pub(super) fn open(path: PathBuf, bytes: u64) -> Result<Input, DiskError> {
        let file = File::open(&path).map_err(at(&path))?;
        let left = file.metadata().map_err(at(&path))?.len() / bytes;
        Ok(Input { input: BufReader::with_capacity(BUFFER, file), path, left })
    }

    /// Records that are still to come.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    pub(super) fn next<R: Record>(&mut self) -> Result<Option<R>, DiskError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let mut bytes = [0; 40];
        self.input.read_exact(&mut bytes[..R::BYTES]).map_err(at(&self.path))?;
        Ok(Some(R::read(&bytes[..R::BYTES])))
    }
}

/// Sorted records from memory and from files.
pub(super) struct Merged<R> {
    waiting: std::vec::IntoIter<R>,
    files: Vec<Input>,
    /// The next record of each source; memory is the last one.
    heads: BinaryHeap<Reverse<(R, usize)>>,
    distinct: bool,
    last: Option<R>,
}

impl<R> Drop for Merged<R> {
    fn drop(&mut self) {
        for file in &self.files {
            // A file that stays is removed with the others that no manifest names.
            let _ = std::fs::remove_file(&file.path);
        }
    }
}

impl<R: Record> Merged<R> {
    fn new(waiting: Vec<R>, files: &[PathBuf], distinct: bool) -> Result<Merged<R>, DiskError> {
        let files =
            files.iter().map(|path| Input::open(path.clone(), R::BYTES as u64)).collect::<Result<_, _>>()?;
        let mut merged =
            Merged { waiting: waiting.into_iter(), files, heads: BinaryHeap::new(), distinct, last: None };
        (0..=merged.files.len()).try_for_each(|source| merged.pull(source))?;
        Ok(merged)
    }

    fn pull(&mut self, source: usize) -> Result<(), DiskError> {
        let next = match self.files.get_mut(source) {
            Some(file) => file.next()?,
            None => self.waiting.next(),
        };
        self.heads.extend(next.map(|record| Reverse((record, source))));
        Ok(())
    }

    /// The next record.
    pub(super) fn next(&mut self) -> Result<Option<R>, DiskError> {
        loop {
            let Some(Reverse((record, source))) = self.heads.pop() else { return Ok(None) };
            self.pull(source)?;
            if !self.distinct || self.last != Some(record) {
                self.last = Some(record);
                return Ok(Some(record));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::random::Random;

    #[test]
    fn what_does_not_fit_comes_sorted_too() {
        let folder = std::env::temp_dir().join(format!("jewel-sorter-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut random = Random::new(11);
        let numbers: Vec<u64> = (0..40_000).map(|_| u64::from(random.below(30_000))).collect();
        for (most, distinct) in [(100_000, true), (1_000, true), (100, false), (100_000, false)] {
            let named = folder.clone();
            let mut sorter = Sorter::new(most, distinct, move |n| named.join(n.to_string())).unwrap();
            for chunk in numbers.chunks(50) {
                sorter.extend(chunk.iter().map(|&n| Key(n))).unwrap();
            }
            let mut merged = sorter.finish().unwrap();
            let mut found = Vec::new();
            while let Some(Key(n)) = merged.next().unwrap() {
                found.push(n);
            }
            let mut expected = numbers.clone();
            expected.sort_unstable();
            if distinct {
                expected.dedup();
            }
            assert!(found == expected, "{most} {distinct}");
        }
        // Fails if a file has stayed.
        std::fs::remove_dir(&folder).unwrap();
    }
}
