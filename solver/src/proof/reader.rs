//! Reading a proof file.

use super::code::Model;
use super::header::{Header, Kind};
use super::writer::{END, block_sum};
use super::{Entry, ProofError, damaged};
use crate::arithmetic::Decoder;
use jewel_tables::source::ReadAt;

/// An open proof file.
pub struct Proof<'s> {
    source: &'s dyn ReadAt,
    header: Header,
    /// Where the blocks begin.
    start: u64,
    header_sum: u32,
}

impl std::fmt::Debug for Proof<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Proof").field("header", &self.header).finish_non_exhaustive()
    }
}

impl<'s> Proof<'s> {
    /// Reads the header of a file. The rest is not looked at.
    ///
    /// # Errors
    /// If it cannot be read, is not a proof file, is damaged or of another version.
    pub fn open(source: &'s dyn ReadAt) -> Result<Proof<'s>, ProofError> {
        let (header, start, header_sum) = Header::read(source)?;
        Ok(Proof { source, header, start, header_sum })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Calls `visit` with each entry in order, until it fails.
    ///
    /// # Errors
    /// Those of `visit`; and if the file cannot be read, is damaged, or its positions do not ascend.
    pub fn entries(&self, visit: &mut dyn FnMut(&Entry) -> Result<(), ProofError>) -> Result<(), ProofError> {
        let header = &self.header;
        let mut model = Model::new(header.symbols.into(), header.bits.into(), header.kind == Kind::Win);
        let mut sums = crc32fast::Hasher::new();
        sums.update(&self.header_sum.to_le_bytes());
        let empty = || Entry { symbols: vec![0; header.symbols.into()], ..Entry::default() };
        let (mut entry, mut last) = (empty(), None::<Entry>);
        let mut at = self.start;
        let blocks = header.positions.div_ceil(header.block.into());
        for number in 0..blocks {
            let mut front = [0; 8];
            self.source.read_at(at, &mut front)?;
            let [length, sum] = [0, 4].map(|n| u32::from_le_bytes(std::array::from_fn(|i| front[n + i])));
            if u64::from(length) > self.source.length() - at - 8 {
                return Err(damaged(format!("block {number} is damaged")));
            }
            let mut data = vec![0; length as usize];
            self.source.read_at(at + 8, &mut data)?;
            if block_sum(number, &data) != sum {
                return Err(damaged(format!("block {number} is damaged")));
            }
            sums.update(&sum.to_le_bytes());
            at += 8 + u64::from(length);
            model.reset();
            let mut decoder = Decoder::new(&data);
            let before = number * u64::from(header.block);
            for _ in 0..(header.positions - before).min(header.block.into()) {
                model.code(&mut decoder, &mut entry);
                if last.as_ref().is_some_and(|last| last.symbols >= entry.symbols) {
                    return Err(damaged(format!("positions of block {number} do not ascend")));
                }
                visit(&entry)?;
                last.get_or_insert_with(empty).clone_from(&entry);
            }
            if !decoder.finished() {
                return Err(damaged(format!("block {number} does not end as it should")));
            }
        }
        let mut end = [0; 8];
        self.source.read_at(at, &mut end)?;
        if end[..4] != sums.finalize().to_le_bytes() || &end[4..] != END || self.source.length() != at + 8 {
            return Err(damaged("the file does not end as it should"));
        }
        Ok(())
    }
}
