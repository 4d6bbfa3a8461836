//! Writing a proof file.

use super::Entry;
use super::code::Model;
use super::header::{Header, Kind};
use crate::arithmetic::Encoder;
use std::io::{self, Write};

/// Positions of a block, where nothing else is wanted.
pub const BLOCK: u32 = 1 << 16;

/// Writes a proof file, entry by entry.
pub struct Writer<W> {
    out: W,
    model: Model,
    encoder: Encoder,
    last: Option<Entry>,
    block: u32,
    /// Positions of the block that is being made.
    filled: u32,
    /// Positions that are still to come.
    left: u64,
    number: u64,
    sums: crc32fast::Hasher,
    bytes: u64,
}

impl<W: Write> Writer<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// Those of the output.
    pub fn new(mut out: W, header: &Header) -> io::Result<Writer<W>> {
        let bytes = header.bytes();
        out.write_all(&bytes)?;
        let mut sums = crc32fast::Hasher::new();
        sums.update(&bytes[bytes.len() - 4..]);
        Ok(Writer {
            out,
            model: Model::new(header.symbols.into(), header.bits.into(), header.kind == Kind::Win),
            encoder: Encoder::new(),
            last: None,
            block: header.block,
            filled: 0,
            left: header.positions,
            number: 0,
            sums,
            bytes: bytes.len() as u64,
        })
    }

    /// Adds an entry. Its symbols are greater than those of the one before.
    ///
    /// # Errors
    /// Those of the output.
    ///
    /// # Panics
    /// If the entries are not in order, or more than the header says.
    pub fn push(&mut self, entry: &Entry) -> io::Result<()> {
        let ascends = self.last.as_ref().is_none_or(|last| last.symbols < entry.symbols);
        assert!(ascends && self.left > 0, "entries of a proof ascend, and there are as many as announced");
        let mut entry = entry.clone();
        self.model.code(&mut self.encoder, &mut entry);
        self.last = Some(entry);
        self.left -= 1;
        self.filled += 1;
        if self.filled == self.block { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> io::Result<()> {
        let data = self.encoder.finish();
        let length = (data.len() as u32).to_le_bytes();
        let sum = block_sum(self.number, &data).to_le_bytes();
        self.sums.update(&sum);
        for part in [&length[..], &sum, &data] {
            self.out.write_all(part)?;
            self.bytes += part.len() as u64;
        }
        self.model.reset();
        self.number += 1;
        self.filled = 0;
        Ok(())
    }

    /// Ends the file, and returns the output and the number of bytes that were written.
    ///
    /// # Errors
    /// Those of the output.
    ///
    /// # Panics
    /// If there are fewer entries than the header says.
    pub fn finish(mut self) -> io::Result<(W, u64)> {
        assert_eq!(self.left, 0, "a proof has as many entries as announced");
        if self.filled > 0 {
            self.end_block()?;
        }
        self.out.write_all(&self.sums.clone().finalize().to_le_bytes())?;
        self.out.write_all(END)?;
        Ok((self.out, self.bytes + 8))
    }
}

pub(super) const END: &[u8; 4] = b"JEND";

/// The checksum of a block.
pub(super) fn block_sum(number: u64, data: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&number.to_le_bytes());
    sum.update(&(data.len() as u32).to_le_bytes());
    sum.update(data);
    sum.finalize()
}
