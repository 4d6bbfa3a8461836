//! Processes that write a table together, and the messages between them.

use super::{Coded, Facts, Seen};
use crate::metadata::Counts;
use std::io;

/// Processes that help to write a table: each has the same values and calls [`help`](super::help) with the same scheme and options.
pub trait Helpers {
    /// How many there are.
    fn count(&self) -> usize;

    /// Sends a message to all of them.
    ///
    /// # Errors
    /// If that cannot be done.
    fn send(&mut self, message: &[u8]) -> io::Result<()>;

    /// What a helper, 0 up to `count` less one, has sent next, in the order in which it was sent. Waits for it.
    ///
    /// # Errors
    /// If it does not come.
    fn receive(&mut self, helper: usize) -> io::Result<Vec<u8>>;
}

/// The process that writes a table, for one that helps.
pub trait Leader {
    /// Sends a message to it.
    ///
    /// # Errors
    /// If that cannot be done.
    fn send(&mut self, message: Vec<u8>) -> io::Result<()>;

    /// What it has sent next, in the order in which it was sent. Waits for it.
    ///
    /// # Errors
    /// If it does not come.
    fn receive(&mut self) -> io::Result<Vec<u8>>;
}

/// No helpers.
pub(super) struct Nobody;

impl Helpers for Nobody {
    fn count(&self) -> usize {
        0
    }

    fn send(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn receive(&mut self, _: usize) -> io::Result<Vec<u8>> {
        Err(io::Error::other("nobody helps"))
    }
}

impl Coded {
    /// Appends it to what is sent to another process.
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        let Facts { counts, longest } = self.facts;
        let (distance, side, cell) = longest.unwrap_or_default();
        let numbers = counts.map(|c| [c.wins, c.draws, c.losses]).concat();
        let longest = [u64::from(longest.is_some()), distance.into(), side as u64, cell];
        for number in numbers.into_iter().chain(longest).chain([self.cells]) {
            out.extend_from_slice(&number.to_le_bytes());
        }
        for (lengths, bytes) in self.lengths.iter().zip(&self.bytes) {
            for size in [lengths.len() as u64, bytes.len() as u64] {
                out.extend_from_slice(&size.to_le_bytes());
            }
            lengths.iter().for_each(|length| out.extend_from_slice(&length.to_le_bytes()));
            out.extend_from_slice(bytes);
        }
    }

    /// Takes one off what was sent; `None` if that is not whole.
    fn take(input: &mut &[u8]) -> Option<Coded> {
        let mut number = || take_number(input);
        let mut counts = [Counts::default(); 2];
        for side in &mut counts {
            *side = Counts { wins: number()?, draws: number()?, losses: number()? };
        }
        let (any, distance, side, cell) = (number()?, number()?, number()?, number()?);
        let longest = (any == 1).then_some((distance as u16, side as usize & 1, cell));
        let mut coded = Coded { facts: Facts { counts, longest }, cells: number()?, ..Coded::default() };
        for (lengths, bytes) in coded.lengths.iter_mut().zip(&mut coded.bytes) {
            let (count, size) = (take_number(input)? as usize, take_number(input)? as usize);
            let list = input.split_off(..count.checked_mul(2)?)?;
            *lengths = list.chunks_exact(2).map(|x| u16::from_le_bytes([x[0], x[1]])).collect();
            *bytes = input.split_off(..size)?.to_vec();
        }
        Some(coded)
    }
}

/// Appends counts to what is sent to another process.
pub(super) fn put_counts(counts: &[(u64, u64)], out: &mut Vec<u8>) {
    let numbers = [counts.len() as u64].into_iter().chain(counts.iter().flat_map(|&(seen, n)| [seen, n]));
    numbers.for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
}

/// Takes counts off what was sent; `None` if that is not whole.
pub(super) fn take_counts(input: &mut &[u8]) -> Option<Seen> {
    let count = take_number(input)?;
    (0..count).map(|_| Some((take_number(input)?, take_number(input)?))).collect()
}

fn take_number(input: &mut &[u8]) -> Option<u64> {
    input.split_off(..8).and_then(|bytes| Some(u64::from_le_bytes(*bytes.first_chunk()?)))
}

/// What a helper has coded.
pub(super) fn received(mut bytes: &[u8]) -> io::Result<Vec<Coded>> {
    let mut coded = vec![];
    while !bytes.is_empty() {
        coded.push(Coded::take(&mut bytes).ok_or_else(incomplete)?);
    }
    Ok(coded)
}

pub(super) fn incomplete() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "what another process has coded is not whole")
}
