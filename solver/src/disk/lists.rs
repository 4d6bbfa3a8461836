//! The positions before each position, for games that cannot take moves back: a file in the order of the positions.
//!
//! For each position the file has the number of moves that lead to it and the places of the positions that they come from, in
//! ascending order, each as the difference from the one before, in groups of seven bits. A block has the lists of 1,024 positions;
//! behind the blocks are the offset and the CRC-32 of each.

use super::enumerate::{batch, expand};
use super::manifest::Folder;
use super::run::{BLOCK, BlockWriter, Run};
use super::sorter::{Link, Sorter};
use super::{DiskError, Options, at};
use crate::control::{Control, Phase, Progress};
use crate::keyed::Game;
use jewel_engine::ability::PackedKey;
use jewel_tables::map::Mapped;
use std::path::PathBuf;

/// Writes the lists of a run, and returns the number of the file.
pub(super) fn write<K: PackedKey>(
    folder: &mut Folder,
    run: &Run<K>,
    game: Game<'_, K>,
    options: Options,
    control: &mut Control<'_>,
) -> Result<u64, DiskError> {
    let mut sorter = Sorter::new(options.sorted, false, folder.temporary())?;
    let (mut cursor, mut done) = (run.cursor(), 0);
    let memory = options.sorted as u64 * size_of::<Link<K>>() as u64;
    let report = |done, control: &mut Control<'_>| {
        // Each position counts twice: as an origin, and as a target.
        control.report(Progress { phase: Phase::Link, done: done / 2, known: run.len(), memory });
        control.check_interrupt()
    };
    loop {
        let batch = batch(&mut cursor, options.batch)?;
        if batch.is_empty() {
            break;
        }
        for (words, keys) in expand(&batch, game)? {
            let mut keys = keys.into_iter();
            for word in words {
                // A game that is over has no moves.
                let moves = if word.is_decided() { 0 } else { word.moves() as usize };
                let links: Vec<Link<K>> =
                    keys.by_ref().take(moves).map(|to| Link { to, from: done }).collect();
                sorter.extend(links.into_iter())?;
                done += 1;
            }
        }
        report(done, control)?;
    }
    let number = folder.new_file();
    let mut out = Writer::create(folder.path(number))?;
    let (mut merged, mut cursor, mut list) = (sorter.finish()?, run.cursor(), Vec::new());
    let mut next = merged.next()?;
    while let Some((key, _)) = cursor.next()? {
        list.clear();
        while let Some(link) = next.filter(|link| link.to == key) {
            list.push(link.from);
            next = merged.next()?;
        }
        out.push(&list)?;
        if out.lists.is_multiple_of(1 << 16) {
            report(run.len() + out.lists, control)?;
        }
    }
    out.finish()?;
    Ok(number)
}

struct Writer {
    out: BlockWriter,
    lists: u64,
}

impl Writer {
    fn create(path: PathBuf) -> Result<Writer, DiskError> {
        Ok(Writer { out: BlockWriter::create(path)?, lists: 0 })
    }

    fn push(&mut self, list: &[u64]) -> Result<(), DiskError> {
        push_number(&mut self.out.block, list.len() as u64);
        let mut before = 0;
        for &place in list {
            push_number(&mut self.out.block, place - before);
            before = place;
        }
        self.lists += 1;
        if self.lists.is_multiple_of(BLOCK as u64) { self.out.end_block(&[]) } else { Ok(()) }
    }

    fn finish(mut self) -> Result<(), DiskError> {
        if !self.out.block.is_empty() {
            self.out.end_block(&[])?;
        }
        self.out.finish(|_| Vec::new()).map(drop)
    }
}

fn push_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// The lists of a run.
#[derive(Debug)]
pub(super) struct Lists {
    path: PathBuf,
    map: Mapped,
    /// By block: where it begins, and its checksum.
    index: Vec<(u64, u32)>,
    end: u64,
    /// The block whose lists these are: where each ends, and the places.
    block: Option<usize>,
    ends: Vec<usize>,
    places: Vec<u64>,
}

impl Lists {
    /// Opens the lists of `len` positions.
    pub(super) fn open(path: PathBuf, len: u64) -> Result<Lists, DiskError> {
        let map = Mapped::open(&path).map_err(at(&path))?;
        let blocks = len.div_ceil(BLOCK as u64) as usize;
        let Some(end) = map.bytes().len().checked_sub(12 * blocks) else {
            return Err(DiskError::Damaged { path });
        };
        let (entries, _) = map.bytes()[end..].as_chunks::<12>();
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte));
        let index = entries.iter().map(|entry| (number(&entry[..8]), number(&entry[8..]) as u32)).collect();
        let (block, ends, places) = (None, Vec::new(), Vec::new());
        Ok(Lists { path, map, index, end: end as u64, block, ends, places })
    }

    /// The places before a place; fastest where places come in ascending order.
    pub(super) fn of(&mut self, place: u64) -> Result<&[u64], DiskError> {
        let (block, n) = (place as usize / BLOCK, place as usize % BLOCK);
        if Some(block) != self.block {
            self.block = None;
            if self.load(block).is_none() {
                return Err(DiskError::Damaged { path: self.path.clone() });
            }
            self.block = Some(block);
        }
        let start = if n == 0 { 0 } else { self.ends[n - 1] };
        Ok(&self.places[start..self.ends[n]])
    }

    fn load(&mut self, block: usize) -> Option<()> {
        self.ends.clear();
        self.places.clear();
        let &(start, sum) = self.index.get(block)?;
        let end = self.index.get(block + 1).map_or(self.end, |&(next, _)| next);
        let mut bytes = self.map.bytes().get(start as usize..end as usize)?;
        if crc32fast::hash(bytes) != sum {
            return None;
        }
        while !bytes.is_empty() {
            let mut place = 0;
            for _ in 0..take_number(&mut bytes)? {
                place += take_number(&mut bytes)?;
                self.places.push(place);
            }
            self.ends.push(self.places.len());
        }
        (self.ends.len() == BLOCK || block + 1 == self.index.len()).then_some(())
    }
}
