//! A dense table as a file, finished or not.
//!
//! | bytes | meaning |
//! |---|---|
//! | 8 | `JEWELDNS` |
//! | 4 | version, 2 |
//! | 4 | the level at work, or 2^32 - 1 once solved |
//! | 8 | fingerprint of the rules |
//! | 8 | number of cells |
//! | 8 | number of far cells |
//! | | a byte for each cell |
//! | 10 each | far cells: number and distance |
//! | 4 | CRC-32 of all of it |
//!
//! Numbers are little-endian.

use super::Unsuitable;
use super::table::DenseTable;
use jewel_engine::variant::Rules;
use std::io::{self, Read, Write};
use std::sync::atomic::Ordering::Relaxed;
use thiserror::Error;

/// The name of the file in the folder of a game's tables.
pub const FILE: &str = "all.jd";

const MAGIC: [u8; 8] = *b"JEWELDNS";
const VERSION: u32 = 2;
/// Bytes that are read or written at a time.
const PART: usize = 1 << 16;

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
    /// Its checksum is wrong.
    #[error("the file is damaged: its checksum is wrong")]
    Damaged,
}

impl<'r> DenseTable<'r> {
    /// Writes the table, finished or not.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = Summed { inner: out, sum: crc32fast::Hasher::new() };
        out.write(&MAGIC)?;
        out.write(&VERSION.to_le_bytes())?;
        out.write(&self.level.unwrap_or(u32::MAX).to_le_bytes())?;
        out.write(&self.layout.rules.fingerprint.to_le_bytes())?;
        out.write(&self.layout.cells().to_le_bytes())?;
        out.write(&(self.far.len() as u64).to_le_bytes())?;
        for part in self.values.chunks(PART) {
            let bytes: Vec<u8> = part.iter().map(|value| value.load(Relaxed)).collect();
            out.write(&bytes)?;
        }
        for (cell, distance) in &self.far {
            out.write(&cell.to_le_bytes())?;
            out.write(&distance.to_le_bytes())?;
        }
        let sum = out.sum.finalize();
        out.inner.write_all(&sum.to_le_bytes())
    }

    /// Reads a table that [`save`](DenseTable::save) has written.
    ///
    /// # Errors
    /// If it is none of the game, takes more memory than allowed, or is damaged.
    pub fn load(rules: &'r Rules, memory: u64, from: &mut dyn Read) -> Result<DenseTable<'r>, LoadError> {
        let mut from = Summing { inner: from, sum: crc32fast::Hasher::new() };
        let ended = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => LoadError::Damaged,
            _ => error.into(),
        };
        if from.take::<8>().map_err(|_| LoadError::Format)? != MAGIC
            || from.take().map_err(ended)? != VERSION.to_le_bytes()
        {
            return Err(LoadError::Format);
        }
        let level = u32::from_le_bytes(from.take().map_err(ended)?);
        if u64::from_le_bytes(from.take().map_err(ended)?) != rules.fingerprint {
            return Err(LoadError::Rules);
        }
        let mut table = DenseTable::new(rules, memory)?;
        let cells = u64::from_le_bytes(from.take().map_err(ended)?);
        let far = u64::from_le_bytes(from.take().map_err(ended)?);
        if cells != table.layout.cells() || far > cells {
            return Err(LoadError::Damaged);
        }
        let mut part = vec![0; PART];
        for values in table.values.chunks_mut(PART) {
            let part = &mut part[..values.len()];
            from.fill(part).map_err(ended)?;
            for (value, byte) in values.iter_mut().zip(part) {
                *value.get_mut() = *byte;
            }
        }
        for _ in 0..far {
            let cell = u64::from_le_bytes(from.take().map_err(ended)?);
            let distance = u16::from_le_bytes(from.take().map_err(ended)?);
            table.far.push((cell, distance));
        }
        let sum = from.sum.clone().finalize();
        if from.take().map_err(ended)? != sum.to_le_bytes() {
            return Err(LoadError::Damaged);
        }
        table.level = (level != u32::MAX).then_some(level);
        Ok(table)
    }
}

/// A writer that sums up what it writes.
struct Summed<'a> {
    inner: &'a mut dyn Write,
    sum: crc32fast::Hasher,
}

impl Summed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.update(bytes);
        self.inner.write_all(bytes)
    }
}

/// A reader that sums up what it reads.
struct Summing<'a> {
    inner: &'a mut dyn Read,
    sum: crc32fast::Hasher,
}

impl Summing<'_> {
    fn fill(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.inner.read_exact(bytes)?;
        self.sum.update(bytes);
        Ok(())
    }

    fn take<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }
}
