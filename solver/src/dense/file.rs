//! A dense table as a file, finished or not.
//!
//! | bytes | meaning |
//! |---|---|
//! | 8 | `JEWELDNS` |
//! | 4 | version, 3 |
//! | 4 | the level at work, or 2^32 - 1 once solved |
//! | 8 | fingerprint of the rules |
//! | 8 | number of cells |
//! | 4 | length of the model; 0 until all is solved |
//! | | the model |
//! | 4 | CRC-32 of all this |
//! | | blocks |
//! | 4 each | lengths of the blocks |
//! | 4 | CRC-32 of the lengths |
//!
//! A block has 4096 cells, the last one what is left: the number of far cells among them (2 bytes), their distances in the
//! order of cells (2 bytes each), the bytes of its cells, coded by the model if there is one, and the CRC-32 of all this after
//! the number of the block (8 bytes, which are not in the file). Numbers are little-endian.

use super::Unsuitable;
use super::layout::Layout;
use super::sweep::{FAR_LOSS, FAR_WIN};
use super::table::DenseTable;
use jewel_engine::parallel;
use jewel_engine::variant::Rules;
use jewel_tables::bytes::{ByteCoder, Sample};
use jewel_tables::source::ReadAt;
use std::io::{self, Write};
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;
use thiserror::Error;

/// The name of the file in the folder of a game's tables.
pub const FILE: &str = "all.jd";

const MAGIC: [u8; 8] = *b"JEWELDNS";
const VERSION: u32 = 3;
/// Cells of a block.
pub(super) const BLOCK: usize = 4096;
/// Blocks that are coded or read at a time.
const AT_ONCE: usize = 512;
/// Blocks that a model is made from, at most.
const SAMPLE: u64 = 1000;
/// Bytes before the model.
const HEAD: usize = 36;

/// Why a file is no table of a game.
#[derive(Debug, Error)]
pub enum LoadError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// There can be no table of the game.
    #[error(transparent)]
    Unsuitable(#[from] Unsuitable),
    /// It is not a table, or one of another version of the program.
    #[error("this is not a dense table that this program wrote")]
    Format,
    /// It is a table of other rules.
    #[error("the table was made for other rules")]
    Rules,
    /// Not all of it is solved.
    #[error("the table is not finished")]
    Unfinished,
    /// A checksum is wrong, or it is cut short.
    #[error("the file is damaged: its checksum is wrong")]
    Damaged,
}

/// The cells of a block, and how its bytes become code.
#[derive(Clone, Copy)]
struct Frame<'a> {
    number: u64,
    cells: usize,
    row: usize,
    coder: Option<&'a ByteCoder>,
}

impl<'a> Frame<'a> {
    fn new(layout: &Layout<'_>, number: u64, coder: Option<&'a ByteCoder>) -> Frame<'a> {
        let first = number * BLOCK as u64;
        let cells = (layout.cells() - first).min(BLOCK as u64) as usize;
        Frame { number, cells, row: layout.row(first), coder }
    }

    /// The block as it is in files. `far` are the distances of its far cells.
    fn write(self, values: &[u8], far: &[u16]) -> Vec<u8> {
        let mut out = (far.len() as u16).to_le_bytes().to_vec();
        out.extend(far.iter().flat_map(|distance| distance.to_le_bytes()));
        match self.coder {
            Some(coder) => coder.encode(values, self.row, &mut out),
            None => out.extend_from_slice(values),
        }
        let sum = self.sum(&out);
        out.extend_from_slice(&sum.to_le_bytes());
        out
    }

    /// Its values, and the distances of its far cells; `None` if it is damaged.
    fn read(self, data: &[u8]) -> Option<(Vec<u8>, Vec<u16>)> {
        let (data, sum) = data.split_last_chunk::<4>()?;
        if *sum != self.sum(data).to_le_bytes() {
            return None;
        }
        let (count, rest) = data.split_first_chunk::<2>()?;
        let (far, code) = rest.split_at_checked(2 * usize::from(u16::from_le_bytes(*count)))?;
        let far: Vec<u16> = far.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        let values = match self.coder {
            Some(coder) => coder.decode(code, self.cells, self.row)?,
            None => (code.len() == self.cells).then(|| code.to_vec())?,
        };
        (values.iter().filter(|&&value| is_far(value)).count() == far.len()).then_some((values, far))
    }

    fn sum(self, data: &[u8]) -> u32 {
        let mut sum = crc32fast::Hasher::new();
        sum.update(&self.number.to_le_bytes());
        sum.update(data);
        sum.finalize()
    }
}

/// Whether the distance of a cell with this byte is beside the table.
pub(super) fn is_far(value: u8) -> bool {
    value == FAR_WIN || value == FAR_LOSS
}

impl<'r> DenseTable<'r> {
    /// Writes the table, finished or not. A finished one is coded, on the threads of the current rayon pool.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let coder = self.is_solved().then(|| self.learn());
        let model = coder.as_ref().map_or(&[][..], ByteCoder::data);
        let mut head = MAGIC.to_vec();
        head.extend_from_slice(&VERSION.to_le_bytes());
        head.extend_from_slice(&self.level.unwrap_or(u32::MAX).to_le_bytes());
        head.extend_from_slice(&self.layout.rules.fingerprint.to_le_bytes());
        head.extend_from_slice(&self.layout.cells().to_le_bytes());
        head.extend_from_slice(&(model.len() as u32).to_le_bytes());
        head.extend_from_slice(model);
        head.extend_from_slice(&crc32fast::hash(&head).to_le_bytes());
        out.write_all(&head)?;
        // Those of a table at work are in the order of their levels.
        let mut far = vec![];
        if !self.is_solved() {
            far.clone_from(&self.far);
            far.sort_unstable();
        }
        let far = if self.is_solved() { &self.far } else { &far };
        let mut lengths = vec![];
        for (group, values) in self.values.chunks(BLOCK * AT_ONCE).enumerate() {
            let write = |n: usize| {
                let values = &values[n * BLOCK..values.len().min((n + 1) * BLOCK)];
                let number = (group * AT_ONCE + n) as u64;
                let first = number * BLOCK as u64;
                let from = far.partition_point(|&(cell, _)| cell < first);
                let to = far.partition_point(|&(cell, _)| cell < first + values.len() as u64);
                let distances: Vec<u16> = far[from..to].iter().map(|&(_, distance)| distance).collect();
                Frame::new(&self.layout, number, coder.as_ref()).write(&plain(values), &distances)
            };
            let blocks: Vec<Vec<u8>> = parallel::map(values.len().div_ceil(BLOCK), write);
            for block in blocks {
                lengths.extend_from_slice(&(block.len() as u32).to_le_bytes());
                out.write_all(&block)?;
            }
        }
        out.write_all(&lengths)?;
        out.write_all(&crc32fast::hash(&lengths).to_le_bytes())
    }

    /// Makes a model of blocks here and there.
    fn learn(&self) -> ByteCoder {
        let blocks = self.layout.cells().div_ceil(BLOCK as u64);
        let step = blocks.div_ceil(SAMPLE).max(1);
        let taken = (0..blocks).step_by(step as usize).map(|number| {
            let first = number as usize * BLOCK;
            let values = &self.values[first..self.values.len().min(first + BLOCK)];
            (plain(values), self.layout.row(first as u64))
        });
        let taken: Vec<(Vec<u8>, usize)> = taken.collect();
        let samples: Vec<Sample<'_>> = taken.iter().map(|(values, row)| (&values[..], *row)).collect();
        ByteCoder::learn(&samples, step)
    }

    /// Reads a table that [`save`](DenseTable::save) has written, on the threads of the current rayon pool.
    ///
    /// # Errors
    /// If it is none of the game, takes more memory than allowed, or is damaged.
    pub fn load(rules: &'r Rules, memory: u64, source: Box<dyn ReadAt>) -> Result<DenseTable<'r>, LoadError> {
        let file = BlockFile::open(rules, source)?;
        let mut table = DenseTable::new(rules, memory)?;
        let far: Vec<Vec<(u64, u16)>> =
            parallel::try_map(table.values.len().div_ceil(BLOCK), |number| -> Result<_, LoadError> {
                let (values, far) = file.read(&table.layout, number as u64)?;
                let mut far = far.into_iter();
                let mut found = vec![];
                for (at, (cell, &value)) in table.values[number * BLOCK..].iter().zip(&values).enumerate() {
                    cell.store(value, Relaxed);
                    if is_far(value) {
                        found.extend(far.next().map(|distance| ((number * BLOCK + at) as u64, distance)));
                    }
                }
                Ok(found)
            })?;
        table.far = far.into_iter().flatten().collect();
        table.level = file.level;
        if table.level.is_some() {
            table.far.sort_by_key(|&(_, distance)| distance);
        }
        Ok(table)
    }
}

/// A file of which blocks can be read.
pub(super) struct BlockFile {
    source: Box<dyn ReadAt>,
    coder: Option<ByteCoder>,
    /// Where each block begins, and where the last ends.
    bounds: Vec<u64>,
    /// The level at work; `None` once all is solved.
    pub(super) level: Option<u32>,
}

impl BlockFile {
    /// Reads what is not in blocks, and compares it with the rules.
    pub(super) fn open(rules: &Rules, source: Box<dyn ReadAt>) -> Result<BlockFile, LoadError> {
        let length = source.length();
        let mut head = [0; HEAD];
        if length < HEAD as u64 {
            return Err(LoadError::Format);
        }
        source.read_at(0, &mut head)?;
        let four = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let eight = |at: usize| u64::from(four(at)) | u64::from(four(at + 4)) << 32;
        if head[..8] != MAGIC || four(8) != VERSION {
            return Err(LoadError::Format);
        }
        if eight(16) != rules.fingerprint {
            return Err(LoadError::Rules);
        }
        let (cells, model) = (eight(24), u64::from(four(32)));
        let blocks = cells.div_ceil(BLOCK as u64);
        let begin = HEAD as u64 + model + 4;
        let index = blocks.saturating_mul(4).saturating_add(4);
        if begin.saturating_add(index) > length || cells != super::lay_out(rules, false)?.cells() {
            return Err(LoadError::Damaged);
        }
        let read = |at: u64, bytes: u64| -> Result<Vec<u8>, LoadError> {
            let mut part = vec![0; bytes as usize];
            source.read_at(at, &mut part)?;
            Ok(part)
        };
        let checked = |data: &[u8], sum: &[u8]| -> Result<(), LoadError> {
            if crc32fast::hash(data).to_le_bytes() == sum { Ok(()) } else { Err(LoadError::Damaged) }
        };
        let front = read(0, begin)?;
        let (front, sum) = front.split_at(begin as usize - 4);
        checked(front, sum)?;
        let lengths = read(length - index, index)?;
        let (lengths, sum) = lengths.split_at(index as usize - 4);
        checked(lengths, sum)?;
        let mut bounds = vec![begin];
        let mut end = begin;
        bounds.extend(lengths.chunks_exact(4).map(|four| {
            end += u64::from(u32::from_le_bytes([four[0], four[1], four[2], four[3]]));
            end
        }));
        if end != length - index {
            return Err(LoadError::Damaged);
        }
        let coder = (model > 0).then(|| ByteCoder::read(&front[HEAD..])).transpose();
        let coder = coder.map_err(|_| LoadError::Damaged)?;
        Ok(BlockFile { source, coder, bounds, level: Some(four(12)).filter(|&level| level != u32::MAX) })
    }

    /// The bytes of a block's cells, and the distances of those that are far.
    pub(super) fn read(&self, layout: &Layout<'_>, number: u64) -> Result<(Vec<u8>, Vec<u16>), LoadError> {
        let [from, to] = [0, 1].map(|n| self.bounds[number as usize + n]);
        let mut data = vec![0; (to - from) as usize];
        self.source.read_at(from, &mut data)?;
        Frame::new(layout, number, self.coder.as_ref()).read(&data).ok_or(LoadError::Damaged)
    }
}

fn plain(values: &[AtomicU8]) -> Vec<u8> {
    values.iter().map(|value| value.load(Relaxed)).collect()
}
