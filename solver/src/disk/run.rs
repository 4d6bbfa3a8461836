//! Sorted files of keys, each with a word.
//!
//! A run has blocks of 1,024 records. A record is the number of bytes at the head of the key that it shares with the key before
//! it (none at the head of a block), the other bytes of the key, most significant first, and the word. Behind the blocks is an
//! entry for each, its first key, offset and CRC-32, and then the number of records and the CRC-32 of the entries.

use super::{DiskError, at};
use crate::word::Word;
use jewel_engine::ability::PackedKey;
use jewel_tables::map::Mapped;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// Records of a block.
pub(super) const BLOCK: usize = 1 << 10;

/// The bytes of a key, most significant first.
fn head<K: PackedKey>(key: K, bytes: &mut [u8; 32]) -> &[u8] {
    let bytes = &mut bytes[..K::BYTES];
    key.write(bytes);
    bytes.reverse();
    bytes
}

/// Writes blocks, and behind them an entry for each, which ends with its offset and CRC-32.
#[derive(Debug)]
pub(super) struct BlockWriter {
    out: BufWriter<File>,
    path: PathBuf,
    /// The block that is not yet written.
    pub(super) block: Vec<u8>,
    index: Vec<u8>,
    offset: u64,
}

impl BlockWriter {
    pub(super) fn create(path: PathBuf) -> Result<BlockWriter, DiskError> {
        let file = File::create(&path).map_err(at(&path))?;
        let out = BufWriter::with_capacity(1 << 16, file);
        Ok(BlockWriter { out, path, block: Vec::new(), index: Vec::new(), offset: 0 })
    }

    /// Ends a block; its entry begins with `head`.
    pub(super) fn end_block(&mut self, head: &[u8]) -> Result<(), DiskError> {
        self.index.extend(head);
        self.index.extend(self.offset.to_le_bytes());
        self.index.extend(crc32fast::hash(&self.block).to_le_bytes());
        self.out.write_all(&self.block).map_err(at(&self.path))?;
        self.offset += self.block.len() as u64;
        self.block.clear();
        Ok(())
    }

    /// Ends the file with the entries and what `tail` makes of them, and returns its path.
    pub(super) fn finish(mut self, tail: impl FnOnce(&[u8]) -> Vec<u8>) -> Result<PathBuf, DiskError> {
        let end = [&self.index[..], &tail(&self.index)].concat();
        let result = self.out.write_all(&end).and_then(|()| self.out.flush());
        result.map_err(at(&self.path))?;
        Ok(self.path)
    }
}

/// Writes a run.
#[derive(Debug)]
pub(super) struct RunWriter<K> {
    out: BlockWriter,
    before: [u8; 32],
    first: Option<K>,
    len: u64,
}

impl<K: PackedKey> RunWriter<K> {
    pub(super) fn create(path: PathBuf) -> Result<RunWriter<K>, DiskError> {
        Ok(RunWriter { out: BlockWriter::create(path)?, before: [0; 32], first: None, len: 0 })
    }

    /// Adds a record; keys come in ascending order.
    pub(super) fn push(&mut self, key: K, word: Word) -> Result<(), DiskError> {
        let mut bytes = [0; 32];
        let head = head(key, &mut bytes);
        let shared = match self.first {
            Some(_) => head.iter().zip(&self.before).take_while(|(a, b)| a == b).count(),
            None => 0,
        };
        self.first.get_or_insert(key);
        self.out.block.push(shared as u8);
        self.out.block.extend(&head[shared..]);
        self.out.block.extend(word.0.to_le_bytes());
        self.before = bytes;
        self.len += 1;
        if self.len.is_multiple_of(BLOCK as u64) { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> Result<(), DiskError> {
        let Some(first) = self.first.take() else { return Ok(()) };
        let mut bytes = [0; 32];
        first.write(&mut bytes[..K::BYTES]);
        self.out.end_block(&bytes[..K::BYTES])
    }

    /// Ends the file and opens it for reading.
    pub(super) fn finish(mut self) -> Result<Run<K>, DiskError> {
        self.end_block()?;
        let tail =
            |index: &[u8]| [&self.len.to_le_bytes()[..], &crc32fast::hash(index).to_le_bytes()].concat();
        Run::open(self.out.finish(tail)?)
    }
}

/// A run that is complete.
#[derive(Debug)]
pub(super) struct Run<K> {
    path: PathBuf,
    map: Mapped,
    index: Index<K>,
    /// Where the last block ends.
    end: u64,
    len: u64,
}

/// Bytes behind the entries.
const TAIL: usize = 12;

impl<K: PackedKey> Run<K> {
    pub(super) fn open(path: PathBuf) -> Result<Run<K>, DiskError> {
        let map = Mapped::open(&path).map_err(at(&path))?;
        let parsed = parse::<K>(map.bytes());
        let Some((index, end, len)) = parsed else { return Err(DiskError::Damaged { path }) };
        Ok(Run { path, map, index, end, len })
    }

    /// The number of records.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Bytes in memory.
    pub(super) fn bytes(&self) -> u64 {
        (self.index.len() * size_of::<(K, u64, u32)>()) as u64
    }

    pub(super) fn blocks(&self) -> usize {
        self.index.len()
    }

    /// The block that a key is in, if it is in the run.
    pub(super) fn block_of(&self, key: K) -> Option<usize> {
        self.index.partition_point(|&(first, ..)| first <= key).checked_sub(1)
    }

    /// Reads the records of a block.
    pub(super) fn block(&self, number: usize, records: &mut Vec<(K, Word)>) -> Result<(), DiskError> {
        records.clear();
        let (_, start, sum) = self.index[number];
        let end = self.index.get(number + 1).map_or(self.end, |&(_, next, _)| next);
        let bytes = self.map.bytes().get(start as usize..end as usize).unwrap_or_default();
        let count = (self.len - (number * BLOCK) as u64).min(BLOCK as u64) as usize;
        if crc32fast::hash(bytes) != sum || decode(bytes, count, records).is_none() {
            return Err(DiskError::Damaged { path: self.path.clone() });
        }
        Ok(())
    }

    /// A reader at the first record.
    pub(super) fn cursor(&self) -> Cursor<'_, K> {
        Cursor { run: self, block: None, records: Vec::new(), at: 0 }
    }
}

/// By block: the first key, where it begins, and its checksum.
type Index<K> = Vec<(K, u64, u32)>;

/// The index of a file, where its last block ends, and the number of its records.
fn parse<K: PackedKey>(bytes: &[u8]) -> Option<(Index<K>, u64, u64)> {
    let (rest, tail) = bytes.split_at_checked(bytes.len().checked_sub(TAIL)?)?;
    let (len, sum) = tail.split_at(8);
    let len = u64::from_le_bytes(len.try_into().ok()?);
    let blocks = usize::try_from(len.div_ceil(BLOCK as u64)).ok()?;
    let entry = K::BYTES + 12;
    let (blocks, index) = rest.split_at_checked(rest.len().checked_sub(blocks.checked_mul(entry)?)?)?;
    if sum != crc32fast::hash(index).to_le_bytes() {
        return None;
    }
    let entry = |bytes: &[u8]| {
        let (key, rest) = bytes.split_at(K::BYTES);
        let (offset, sum) = rest.split_at(8);
        Some((
            K::read(key),
            u64::from_le_bytes(offset.try_into().ok()?),
            u32::from_le_bytes(sum.try_into().ok()?),
        ))
    };
    Some((index.chunks(K::BYTES + 12).map(entry).collect::<Option<_>>()?, blocks.len() as u64, len))
}

fn decode<K: PackedKey>(mut bytes: &[u8], count: usize, records: &mut Vec<(K, Word)>) -> Option<()> {
    let mut before = [0; 32];
    for _ in 0..count {
        let (&shared, rest) = bytes.split_first()?;
        let own = K::BYTES.checked_sub(usize::from(shared))?;
        let (head, rest) = rest.split_at_checked(own)?;
        let (word, rest) = rest.split_first_chunk()?;
        before[usize::from(shared)..K::BYTES].copy_from_slice(head);
        let mut key = before;
        key[..K::BYTES].reverse();
        records.push((K::read(&key[..K::BYTES]), Word(u16::from_le_bytes(*word))));
        bytes = rest;
    }
    Some(())
}

/// A place in a run, which moves forwards.
#[derive(Debug)]
pub(super) struct Cursor<'a, K> {
    run: &'a Run<K>,
    /// The block whose records these are.
    block: Option<usize>,
    records: Vec<(K, Word)>,
    at: usize,
}

impl<K: PackedKey> Cursor<'_, K> {
    /// The next record, without leaving it behind; `None` at the end.
    pub(super) fn peek(&mut self) -> Result<Option<(K, Word)>, DiskError> {
        if self.at == self.records.len() {
            let next = self.block.map_or(0, |block| block + 1);
            if next >= self.run.blocks() {
                return Ok(None);
            }
            self.load(next)?;
        }
        Ok(Some(self.records[self.at]))
    }

    /// The next record.
    pub(super) fn next(&mut self) -> Result<Option<(K, Word)>, DiskError> {
        let record = self.peek()?;
        self.at += usize::from(record.is_some());
        Ok(record)
    }

    /// Moves forwards to a key; its place in the run, or `None` if it is not there. It never moves back.
    pub(super) fn find(&mut self, key: K) -> Result<Option<u64>, DiskError> {
        if self.records.last().is_none_or(|&(last, _)| last < key) {
            let Some(block) = self.run.block_of(key) else { return Ok(None) };
            if Some(block) != self.block {
                self.load(block)?;
            }
        }
        self.at += self.records[self.at..].partition_point(|&(known, _)| known < key);
        let found = self.records.get(self.at).is_some_and(|&(known, _)| known == key);
        Ok(found.then(|| (self.block.unwrap_or_default() * BLOCK + self.at) as u64))
    }

    /// The key in a place of the run: places may come in any order, and fastest in ascending order.
    pub(super) fn key(&mut self, place: u64) -> Result<K, DiskError> {
        let block = place as usize / BLOCK;
        if Some(block) != self.block {
            self.load(block)?;
        }
        Ok(self.records[place as usize % BLOCK].0)
    }

    fn load(&mut self, block: usize) -> Result<(), DiskError> {
        self.run.block(block, &mut self.records)?;
        (self.block, self.at) = (Some(block), 0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::random::Random;

    fn check<K: PackedKey>(mut keys: Vec<K>, name: &str) {
        keys.sort_unstable();
        keys.dedup();
        let path = std::env::temp_dir().join(format!("jewel-run-{name}-{}", std::process::id()));
        let mut writer = RunWriter::create(path.clone()).unwrap();
        let word = |n: usize| Word(n as u16 ^ 0x5a5a);
        keys.iter().enumerate().for_each(|(n, &key)| writer.push(key, word(n)).unwrap());
        let run = writer.finish().unwrap();
        assert_eq!(run.len() as usize, keys.len());
        let (mut cursor, mut n) = (run.cursor(), 0);
        while let Some((key, found)) = cursor.next().unwrap() {
            assert_eq!((key, found), (keys[n], word(n)));
            n += 1;
        }
        assert_eq!(n, keys.len());
        let mut cursor = run.cursor();
        for (n, &key) in keys.iter().enumerate().step_by(7) {
            assert_eq!(cursor.find(key).unwrap(), Some(n as u64));
        }
        let (mut cursor, every) = (run.cursor(), keys.iter().skip(1).step_by(2));
        let gone: Vec<K> = keys.iter().copied().step_by(2).collect();
        let path2 = path.with_extension("half");
        let mut half = RunWriter::create(path2.clone()).unwrap();
        gone.iter().for_each(|&key| half.push(key, Word(0)).unwrap());
        let half = half.finish().unwrap();
        let mut other = half.cursor();
        for &key in every {
            assert_eq!(other.find(key).unwrap(), None);
            assert!(cursor.find(key).unwrap().is_some());
        }
        drop(half);
        // Every byte counts, but for those of the index that are read when it is opened.
        let bytes = std::fs::read(&path).unwrap();
        drop(run);
        for at in (0..bytes.len()).step_by(bytes.len() / 50 + 1) {
            let mut changed = bytes.clone();
            changed[at] ^= 4;
            std::fs::write(&path, changed).unwrap();
            let read = Run::<K>::open(path.clone()).and_then(|run| {
                let mut records = Vec::new();
                (0..run.blocks()).try_for_each(|block| run.block(block, &mut records))
            });
            assert!(matches!(read, Err(DiskError::Damaged { .. })), "byte {at}: {read:?}");
        }
        std::fs::remove_file(&path).unwrap();
        std::fs::remove_file(&path2).unwrap();
    }

    #[test]
    fn runs_give_back_what_was_written() {
        let mut random = Random::new(3);
        let mut number = || random.next_u64();
        check((0..5000).map(|_| number() >> 20).collect::<Vec<u64>>(), "64");
        check((0..3000).map(|_| u128::from(number()) << 30).collect::<Vec<u128>>(), "128");
        check((0..2500).map(|_| [0, number() & 3, number(), 5]).collect::<Vec<[u64; 4]>>(), "256");
        check(vec![7_u64], "one");
    }
}
