//! Opening table files and looking up positions in them.

use crate::block::{Model, checksum};
use crate::cache::{Cache, Decoded, Key, table_number};
use crate::distances::Distances;
use crate::error::{Fault, TableError, content};
use crate::header::{FIXED, Header, TRAILER, Trailer};
use crate::index::{Index, PieceSet, Place};
use crate::metadata::{Counts, MAX_METADATA, Metadata};
use crate::source::{ReadAt, RegularFile};
use crate::value::{DRAW, MAX_DISTANCE, WON, outcome};
use crate::writer::{RECORD, RECORD_BLOCKS};
use jewel_engine::value::{Outcome, Side, Value};
use rayon::prelude::*;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

/// An open table: the values of all positions of a class. Many threads can read it at once; only the cache has locks.
pub struct Table {
    name: String,
    source: Box<dyn ReadAt>,
    header: Header,
    index: Index,
    model: Model,
    trailer: Trailer,
    metadata: Metadata,
    /// Where the WDL blocks begin.
    wdl_blocks: u64,
    number: u64,
}

/// The two parts of a file that consist of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Section {
    Wdl,
    Distance,
}

impl Section {
    fn block_name(self) -> &'static str {
        match self {
            Section::Wdl => "win/draw/loss block",
            Section::Distance => "distance block",
        }
    }

    fn record_name(self) -> &'static str {
        match self {
            Section::Wdl => "record of the win/draw/loss index",
            Section::Distance => "record of the distance index",
        }
    }
}

/// One record of a block index.
struct Record {
    offset: u64,
    lengths: [u16; RECORD_BLOCKS as usize],
}

impl Table {
    /// Opens a table file for the rules with this fingerprint. Header, model, metadata and the extents of all parts are
    /// checked here; blocks are checked when they are read.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, or was made for other rules.
    pub fn open(path: &Path, fingerprint: u64) -> Result<Table, TableError> {
        let table = Table::inspect(path)?;
        table.check_rules(fingerprint)?;
        Ok(table)
    }

    /// Opens a table file for any rules: to describe it or to check its bytes.
    ///
    /// # Errors
    /// If the file cannot be read or is damaged.
    pub fn inspect(path: &Path) -> Result<Table, TableError> {
        let name = path.display().to_string();
        let source = RegularFile::open(path).map_err(|e| TableError::new(&name, e))?;
        Table::from_source(&name, Box::new(source))
    }

    /// Opens a table from any source of bytes; `name` is for error messages.
    ///
    /// # Errors
    /// If the bytes cannot be read or are damaged.
    pub fn from_source(name: &str, source: Box<dyn ReadAt>) -> Result<Table, TableError> {
        Table::read(name, source).map_err(|fault| TableError::new(name, fault))
    }

    fn read(name: &str, source: Box<dyn ReadAt>) -> Result<Table, Fault> {
        let length = source.length();
        let get = |offset: u64, bytes: u64| -> Result<Vec<u8>, Fault> {
            if offset.checked_add(bytes).is_none_or(|end| end > length) {
                return Err(Fault::Length("a part reaches past the end"));
            }
            let mut buffer = vec![0; bytes as usize];
            source.read_at(offset, &mut buffer)?;
            Ok(buffer)
        };
        let front = match get(0, FIXED as u64) {
            Err(Fault::Length(_)) => return Err(Fault::Length("it has no room for a header")),
            front => front?,
        };
        let header_length = Header::length(&front)? as u64;
        let header_bytes = get(0, header_length)?;
        let (header, index) = Header::read(&header_bytes)?;
        let model_bytes = get(header_length, header.model_length.into())?;
        if crc32fast::hash(&model_bytes) != header.model_checksum {
            return Err(Fault::Checksum { part: "model", number: 0 });
        }
        let model = Model::read(&model_bytes, header.distances, header.neighbours, header.first.index())?;
        let end = length.checked_sub(TRAILER as u64).ok_or(Fault::Length("it has no room for a trailer"))?;
        let mut trailer = [0; TRAILER];
        source.read_at(end, &mut trailer)?;
        let trailer = Trailer::read(&trailer)?;
        if trailer.header_checksum != crc32fast::hash(&header_bytes[..header_bytes.len() - 4]) {
            return Err(content("its two ends are of different files"));
        }
        // Every part ends where the next begins.
        let records = header_records(&header) * RECORD as u64;
        let wdl_blocks = header_length + u64::from(header.model_length);
        let behind = |at: u64| at.checked_add(records);
        let distances = if header.distances.any() {
            trailer.distance_blocks <= trailer.distance_index
                && behind(trailer.distance_index) == Some(trailer.metadata)
        } else {
            trailer.distance_blocks == trailer.metadata && trailer.distance_index == trailer.metadata
        };
        if wdl_blocks > trailer.wdl_index
            || behind(trailer.wdl_index) != Some(trailer.distance_blocks)
            || !distances
            || trailer.metadata.checked_add(trailer.metadata_length.into()) != Some(end)
        {
            return Err(Fault::Length("its parts do not fill it"));
        }
        if trailer.metadata_length as usize > MAX_METADATA {
            return Err(content("the metadata are too long"));
        }
        let record = get(trailer.metadata, trailer.metadata_length.into())?;
        if crc32fast::hash(&record) != trailer.metadata_checksum {
            return Err(Fault::Checksum { part: "metadata record", number: 0 });
        }
        let metadata = Metadata::read(&record)?;
        let number = table_number();
        let name = name.to_string();
        Ok(Table { name, source, header, index, model, trailer, metadata, wdl_blocks, number })
    }

    /// Checks that the table was made for the rules with this fingerprint.
    ///
    /// # Errors
    /// If it was made for others.
    pub fn check_rules(&self, fingerprint: u64) -> Result<(), TableError> {
        if self.header.fingerprint == fingerprint {
            return Ok(());
        }
        Err(self.failed(Fault::Rules { expected: fingerprint, found: self.header.fingerprint }))
    }

    /// The name that the table was opened by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its index: pieces, symmetries, cells.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The metadata: program, game, class, counts, longest win.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The fingerprint of the rules that it was made for.
    pub fn fingerprint(&self) -> u64 {
        self.header.fingerprint
    }

    /// Whether it holds distances.
    pub fn has_distances(&self) -> bool {
        self.header.distances.any()
    }

    /// Whether it holds the distances of all positions, not only of lost ones.
    pub fn has_all_distances(&self) -> bool {
        self.header.distances == Distances::All
    }

    /// Bytes of the file, and of the part of it with the win/draw/loss blocks and their index.
    pub fn bytes(&self) -> (u64, u64) {
        (self.source.length(), self.trailer.distance_blocks - self.wdl_blocks)
    }

    /// Win, draw or loss for the side to move. `pieces` has the pieces of each type and side once.
    ///
    /// # Errors
    /// If the position does not belong here, or its block is damaged.
    pub fn probe_wdl(&self, pieces: &[PieceSet], turn: Side, cache: &Cache) -> Result<Outcome, TableError> {
        self.wdl_at(self.find(pieces, turn)?, cache)
    }

    /// The value for the side to move, with its distance in plies.
    ///
    /// # Errors
    /// If the position does not belong here, its blocks are damaged, or the table holds no distances.
    pub fn probe(&self, pieces: &[PieceSet], turn: Side, cache: &Cache) -> Result<Value, TableError> {
        self.value_at(self.find(pieces, turn)?, cache)
    }

    /// The place of a position in this table's index.
    ///
    /// # Errors
    /// If the position does not belong here.
    pub fn find(&self, pieces: &[PieceSet], turn: Side) -> Result<Place, TableError> {
        self.index.find(pieces, turn).ok_or_else(|| self.failed(Fault::Material))
    }

    /// Win, draw or loss at a place of this table's index.
    ///
    /// # Errors
    /// If its block is damaged.
    ///
    /// # Panics
    /// If the index has no such place.
    pub fn wdl_at(&self, place: Place, cache: &Cache) -> Result<Outcome, TableError> {
        let (block, at) = self.block_of(place);
        Ok(outcome(self.wdl_block(block, at, cache).map_err(|f| self.failed(f))?[at]))
    }

    /// The value at a place of this table's index.
    ///
    /// # Errors
    /// If its blocks are damaged, the table holds no distances, or not that of this place exactly.
    ///
    /// # Panics
    /// If the index has no such place.
    pub fn value_at(&self, place: Place, cache: &Cache) -> Result<Value, TableError> {
        let (outcome, distance) = self.known_at(place, cache)?;
        let exact = distance.filter(|range| range.start() == range.end()).map(|range| *range.start());
        match (outcome, exact) {
            (Outcome::Draw, _) => Ok(Value::Draw),
            (Outcome::Win, Some(n)) => Ok(Value::Win(n)),
            (Outcome::Loss, Some(n)) => Ok(Value::Loss(n)),
            (_, None) => Err(self.failed(Fault::NotExact)),
        }
    }

    /// What is stored at a place of this table's index: win, draw or loss for the side to move, and bounds on the distance of
    /// a decided position, if the table has them. Only every second number within the bounds is possible.
    ///
    /// # Errors
    /// If its blocks are damaged, or the table holds no distances.
    ///
    /// # Panics
    /// If the index has no such place.
    pub fn known_at(
        &self,
        place: Place,
        cache: &Cache,
    ) -> Result<(Outcome, Option<RangeInclusive<u32>>), TableError> {
        let (block, at) = self.block_of(place);
        let held = self.header.distances;
        let known = || {
            if !held.any() {
                return Err(Fault::NoDistances);
            }
            let wdl = self.wdl_block(block, at, cache)?[at];
            let distance = if held.held_of(wdl) {
                let step = u32::from(held.step());
                // A don't-care is not a position and may have any number.
                let number = u32::from(self.number_block(block, at, cache)?[at]).min(MAX_DISTANCE / step);
                Some(step * number..=step * number + step / 2)
            } else {
                None
            };
            Ok((outcome(wdl), distance))
        };
        known().map_err(|fault| self.failed(fault))
    }

    fn failed(&self, fault: Fault) -> TableError {
        TableError::new(&self.name, fault)
    }

    /// The block of a place, and the number of its symbol in the block.
    fn block_of(&self, place: Place) -> (u64, usize) {
        assert!(place.cell < self.header.cells, "cell {} of {}", place.cell, self.header.cells);
        let block = place.cell / u64::from(self.header.block);
        let at = (place.cell % u64::from(self.header.block)) as usize;
        (block, if place.turn == self.header.first { at } else { at + self.cells_of(block) })
    }

    /// The number of cells of a block for each side to move.
    fn cells_of(&self, block: u64) -> usize {
        let size = u64::from(self.header.block);
        size.min(self.header.cells - block * size) as usize
    }

    /// How much of a block to decode for the cell `at`: the first time as much as is needed, half of it on average; all of it
    /// once that was not enough.
    fn wanted(&self, block: u64, at: usize, again: bool) -> usize {
        if again { 2 * self.cells_of(block) } else { at + 1 }
    }

    /// WDL symbols of a block, at least up to number `at`.
    fn wdl_block(&self, block: u64, at: usize, cache: &Cache) -> Result<Arc<[u8]>, Fault> {
        let key = Key { table: self.number, block, distance: false };
        let mut again = false;
        if let Some(Decoded::Wdl(found)) = cache.get(key) {
            if found.len() > at {
                return Ok(found);
            }
            again = true;
        }
        let decoded: Arc<[u8]> = self.decode_wdl(block, self.wanted(block, at, again))?.into();
        cache.put(key, Decoded::Wdl(Arc::clone(&decoded)));
        Ok(decoded)
    }

    /// Stored numbers of a block, at least up to number `at`.
    fn number_block(&self, block: u64, at: usize, cache: &Cache) -> Result<Arc<[u16]>, Fault> {
        let key = Key { table: self.number, block, distance: true };
        let mut again = false;
        if let Some(Decoded::Numbers(found)) = cache.get(key) {
            if found.len() > at {
                return Ok(found);
            }
            again = true;
        }
        let wanted = self.wanted(block, at, again);
        let wdl = self.wdl_block(block, wanted - 1, cache)?;
        let decoded: Arc<[u16]> = self.decode_numbers(block, &wdl[..wanted])?.into();
        cache.put(key, Decoded::Numbers(Arc::clone(&decoded)));
        Ok(decoded)
    }

    fn decode_wdl(&self, block: u64, wanted: usize) -> Result<Box<[u8]>, Fault> {
        let data = self.block_data(Section::Wdl, block)?;
        let decoded = self.model.decode_wdl(&data[4..], self.cells_of(block), wanted);
        decoded.ok_or_else(|| content(format!("win/draw/loss block {block} cannot be decoded")))
    }

    fn decode_numbers(&self, block: u64, wdl: &[u8]) -> Result<Box<[u16]>, Fault> {
        let data = self.block_data(Section::Distance, block)?;
        let decoded = self.model.decode_distance(&data[4..], self.cells_of(block), wdl);
        decoded.ok_or_else(|| content(format!("distance block {block} cannot be decoded")))
    }

    /// Start and end of a section's blocks; its index begins at the end.
    fn section(&self, section: Section) -> (u64, u64) {
        match section {
            Section::Wdl => (self.wdl_blocks, self.trailer.wdl_index),
            Section::Distance => (self.trailer.distance_blocks, self.trailer.distance_index),
        }
    }

    fn record(&self, section: Section, number: u64) -> Result<Record, Fault> {
        let (start, end) = self.section(section);
        let mut bytes = [0; RECORD];
        self.source.read_at(end + number * RECORD as u64, &mut bytes)?;
        let (body, sum) = bytes.split_at(RECORD - 4);
        if checksum(number, body).to_le_bytes() != sum {
            return Err(Fault::Checksum { part: section.record_name(), number });
        }
        let (offset, lengths) = body.split_at(8);
        let offset = u64::from_le_bytes(std::array::from_fn(|i| offset[i]));
        let lengths: [u16; RECORD_BLOCKS as usize] =
            std::array::from_fn(|i| u16::from_le_bytes([lengths[2 * i], lengths[2 * i + 1]]));
        let bytes: u64 = lengths.iter().map(|&l| u64::from(l)).sum();
        if offset < start || offset.checked_add(bytes).is_none_or(|last| last > end) {
            return Err(content(format!("{} {number} points outside its part", section.record_name())));
        }
        Ok(Record { offset, lengths })
    }

    /// The bytes of a block, after its checksum was compared.
    fn block_data(&self, section: Section, block: u64) -> Result<Vec<u8>, Fault> {
        let record = self.record(section, block / RECORD_BLOCKS)?;
        let at = (block % RECORD_BLOCKS) as usize;
        let before: u64 = record.lengths[..at].iter().map(|&l| u64::from(l)).sum();
        let mut data = vec![0; usize::from(record.lengths[at])];
        self.source.read_at(record.offset + before, &mut data)?;
        check_block(section, block, &data)?;
        Ok(data)
    }

    /// Checks every byte of the file against the checksums.
    ///
    /// # Errors
    /// The first damage found.
    pub fn verify_checksums(&self) -> Result<(), TableError> {
        self.verify_sections().map_err(|fault| self.failed(fault))
    }

    fn verify_sections(&self) -> Result<(), Fault> {
        // Header, model, metadata and trailer were checked when the table was opened.
        self.verify_section(Section::Wdl)?;
        if self.header.distances.any() { self.verify_section(Section::Distance) } else { Ok(()) }
    }

    fn verify_section(&self, section: Section) -> Result<(), Fault> {
        let (mut next, end) = self.section(section);
        let blocks = header_blocks(&self.header);
        let mut bytes = vec![];
        for number in 0..header_records(&self.header) {
            let record = self.record(section, number)?;
            if record.offset != next {
                return Err(content(format!("{} {number} leaves a gap", section.record_name())));
            }
            let total: usize = record.lengths.iter().map(|&l| usize::from(l)).sum();
            bytes.resize(total, 0);
            self.source.read_at(next, &mut bytes)?;
            next += total as u64;
            let mut rest = &bytes[..];
            for (i, &length) in record.lengths.iter().enumerate() {
                let block = number * RECORD_BLOCKS + i as u64;
                let (data, behind) = rest.split_at(usize::from(length));
                rest = behind;
                if block < blocks {
                    check_block(section, block, data)?;
                } else if length != 0 {
                    return Err(content(format!("{} {block} is one too many", section.block_name())));
                }
            }
        }
        if next == end { Ok(()) } else { Err(Fault::Length("blocks do not fill their part")) }
    }

    /// Decodes the whole table on the threads of the rayon pool and counts the cells with White to move, and with Black to
    /// move. Don't-cares count as the values that are stored for them.
    ///
    /// # Errors
    /// The first damage found.
    pub fn count(&self) -> Result<[Counts; 2], TableError> {
        let count = |block: u64| -> Result<[Counts; 2], Fault> {
            let wdl = self.decode_wdl(block, 2 * self.cells_of(block))?;
            if self.header.distances.any() {
                self.decode_numbers(block, &wdl)?;
            }
            let mut counts = [Counts::default(); 2];
            let (first, second) = wdl.split_at(self.cells_of(block));
            for (side, symbols) in [(self.header.first, first), (!self.header.first, second)] {
                let mine = &mut counts[side.index()];
                for &symbol in symbols {
                    match symbol {
                        DRAW => mine.draws += 1,
                        WON => mine.wins += 1,
                        _ => mine.losses += 1,
                    }
                }
            }
            Ok(counts)
        };
        let add = |mut a: [Counts; 2], b: [Counts; 2]| {
            a[0].add(b[0]);
            a[1].add(b[1]);
            Ok(a)
        };
        (0..header_blocks(&self.header))
            .into_par_iter()
            .map(count)
            .try_reduce(<[Counts; 2]>::default, add)
            .map_err(|fault| self.failed(fault))
    }
}

fn check_block(section: Section, block: u64, data: &[u8]) -> Result<(), Fault> {
    match data.split_first_chunk::<4>() {
        Some((sum, rest)) if checksum(block, rest).to_le_bytes() == *sum => Ok(()),
        _ => Err(Fault::Checksum { part: section.block_name(), number: block }),
    }
}

fn header_blocks(header: &Header) -> u64 {
    header.cells.div_ceil(header.block.into())
}

fn header_records(header: &Header) -> u64 {
    header_blocks(header).div_ceil(RECORD_BLOCKS)
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table")
            .field("name", &self.name)
            .field("class", &self.metadata.class)
            .finish_non_exhaustive()
    }
}
