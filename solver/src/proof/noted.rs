//! What a check notes of a file: positions that must be in it, which passes over it look up.
//!
//! Nothing here knows the rules, so that what depends on the width of positions is compiled once, and not again for every game.

use super::check::PAUSE;
use super::header::{Header, Kind};
use super::reader::Proof;
use super::{Entry, ProofError};
use std::cmp::Ordering;
use std::iter::Peekable;
use std::slice::Iter;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Why the file alone does not settle a position that was noted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unsettled {
    /// It does not have it; these plies are left for a win.
    Missing { left: u64 },
    /// It has it with a rank that is higher than the one that is needed.
    Late { rank: u64, needed: u64 },
}

/// Decides about a position, given by its symbols, that the file does not settle.
pub(super) type Settle<'a> = dyn FnMut(&[u8], Unsettled) -> Result<(), ProofError> + 'a;

/// Positions that must be in the file or be settled in the prover's favour. When memory is full, they are looked up in order.
pub(super) trait Noted {
    /// Keeps the next position of the file in memory, unless the file has too many.
    fn keep(&mut self, entry: &Entry);

    /// Notes a position, by its symbols, and the highest rank that is allowed.
    fn note(&mut self, symbols: &[u8], most: u64);

    /// When memory is full, drops duplicates; if that frees too little, looks everything up in the file.
    fn make_room(&mut self, settle: &mut Settle<'_>) -> Result<(), ProofError>;

    /// Looks up in the file what is left.
    fn settle(&mut self, settle: &mut Settle<'_>) -> Result<(), ProofError>;
}

/// Nothing noted yet of a file. `memory` is about the number of bytes to use.
pub(super) fn noted<'a>(proof: &'a Proof<'a>, memory: u64, interrupt: &'a AtomicBool) -> Box<dyn Noted + 'a> {
    let header = proof.header();
    macro_rules! with_words {
        ($($words:literal)*) => {
            match Packer::new(header.bits.into()).words(header.symbols.into()) {
                $(0..=$words => Box::new(Words::<$words>::new(proof, memory, interrupt)),)*
                _ => unreachable!("255 symbols of 8 bits are 2040"),
            }
        };
    }
    // Each width is compiled, so there are few of them.
    with_words!(2 3 5 33)
}

/// [`Noted`], as numbers.
struct Words<'a, const N: usize> {
    proof: &'a Proof<'a>,
    interrupt: &'a AtomicBool,
    /// Positions that must be in the file or be settled in the prover's favour: their symbols as one number, and in the last word the highest
    /// rank that is allowed.
    noted: Vec<[u64; N]>,
    capacity: usize,
    /// The positions of the file so far, with their ranks in the last word, unless there are too many.
    file: Option<Vec<[u64; N]>>,
    /// Some of those that were noted last.
    lately: Box<[Option<[u64; N]>]>,
    packer: Packer,
}

/// Positions that are remembered so as not to note them twice: as many as stay in a cache.
const LATELY: usize = 1 << 12;

/// The place of a position among those that were noted lately.
#[inline(always)]
fn place(words: &[u64]) -> usize {
    let mixed = words
        .iter()
        .fold(0u64, |hash, word| (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29));
    (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize % LATELY
}

/// The order of the type, which the compiler may or may not inline where numbers are sorted: a call for each comparison is felt.
#[inline(always)]
fn ordered<const N: usize>(a: &[u64; N], b: &[u64; N]) -> Ordering {
    let differs = (0..N).find(|&n| a[n] != b[n]);
    differs.map_or(Ordering::Equal, |n| a[n].cmp(&b[n]))
}

impl<'a, const N: usize> Words<'a, N> {
    fn new(proof: &'a Proof<'a>, memory: u64, interrupt: &'a AtomicBool) -> Words<'a, N> {
        let header = proof.header();
        // The positions of the file, and those that must be there.
        let capacity = (memory / (2 * 8 * N as u64)).max(1 << 12) as usize;
        Words {
            proof,
            interrupt,
            noted: Vec::new(),
            capacity,
            file: (header.positions <= capacity as u64).then(Vec::new),
            lately: vec![None; LATELY].into(),
            packer: Packer::new(header.bits.into()),
        }
    }

    /// Sorts what was noted and drops what was noted twice. If more than `most` is left, all of it is looked up in the file.
    fn settle_above(&mut self, most: usize, settle: &mut Settle<'_>) -> Result<(), ProofError> {
        self.noted.sort_unstable_by(ordered);
        // The lowest allowed rank comes first.
        self.noted.dedup_by(|b, a| a[..N - 1] == b[..N - 1]);
        if self.noted.len() <= most {
            return Ok(());
        }
        let noted = std::mem::take(&mut self.noted);
        let proof = self.proof;
        let header = proof.header();
        let packer = self.packer;
        let mut pass = Pass { header, packer, rest: noted.iter().peekable(), settle };
        match &self.file {
            // All of it is there.
            Some(file) if file.len() as u64 == header.positions => {
                file.iter().try_for_each(|here| pass.settle_to(here))?;
            }
            _ => {
                let mut seen = 0u64;
                proof.entries(&mut |entry| {
                    seen += 1;
                    if seen.is_multiple_of(PAUSE) && self.interrupt.load(Relaxed) {
                        return Err(ProofError::Interrupted);
                    }
                    pass.settle_to(&self.packer.pack(&entry.symbols, entry.rank.into()))
                })?;
            }
        }
        pass.end()
    }
}

impl<const N: usize> Noted for Words<'_, N> {
    fn keep(&mut self, entry: &Entry) {
        if let Some(file) = &mut self.file {
            file.push(self.packer.pack(&entry.symbols, entry.rank.into()));
        }
    }

    fn note(&mut self, symbols: &[u8], most: u64) {
        let wanted = self.packer.pack(symbols, most);
        // What was noted lately need not be noted again, unless its rank has to be lower now.
        let lately = &mut self.lately[place(&wanted[..N - 1])];
        let known = |noted: [u64; N]| noted[..N - 1] == wanted[..N - 1] && noted[N - 1] <= wanted[N - 1];
        if !lately.is_some_and(known) {
            *lately = Some(wanted);
            self.noted.push(wanted);
        }
    }

    fn make_room(&mut self, settle: &mut Settle<'_>) -> Result<(), ProofError> {
        if self.noted.len() >= self.capacity { self.settle_above(self.capacity / 2, settle) } else { Ok(()) }
    }

    fn settle(&mut self, settle: &mut Settle<'_>) -> Result<(), ProofError> {
        self.settle_above(0, settle)
    }
}

/// A pass over the positions of a file.
struct Pass<'a, 's, const N: usize> {
    header: &'a Header,
    packer: Packer,
    /// What was noted and the pass has not come to, in order.
    rest: Peekable<Iter<'a, [u64; N]>>,
    settle: &'a mut Settle<'s>,
}

impl<const N: usize> Pass<'_, '_, N> {
    /// Settles what was noted up to a position of the file.
    #[inline(always)]
    fn settle_to(&mut self, here: &[u64; N]) -> Result<(), ProofError> {
        while let Some(want) = self.rest.next_if(|want| want[..N - 1] <= here[..N - 1]) {
            let (needed, rank) = (want[N - 1], here[N - 1]);
            if want[..N - 1] != here[..N - 1] {
                self.ask(want, Unsettled::Missing { left: needed })?;
            } else if self.header.kind == Kind::Win && rank > needed {
                self.ask(here, Unsettled::Late { rank, needed })?;
            }
        }
        Ok(())
    }

    /// Settles what comes after all positions of the file.
    fn end(mut self) -> Result<(), ProofError> {
        while let Some(want) = self.rest.next() {
            self.ask(want, Unsettled::Missing { left: want[N - 1] })?;
        }
        Ok(())
    }

    fn ask(&mut self, words: &[u64; N], why: Unsettled) -> Result<(), ProofError> {
        let symbols = self.packer.unpack(words, self.header.symbols.into());
        (self.settle)(&symbols, why)
    }
}

/// Makes numbers of symbols that sort as they do, with a word more. A symbol takes 1, 2, 4 or 8 bits of them.
#[derive(Clone, Copy)]
struct Packer {
    width: u32,
}

impl Packer {
    /// `bits` is the number of bits of a symbol.
    fn new(bits: u32) -> Packer {
        Packer { width: bits.next_power_of_two() }
    }

    /// Words of a number for this many symbols, with the word more.
    fn words(self, symbols: usize) -> usize {
        (symbols * self.width as usize).div_ceil(64) + 1
    }

    #[inline(always)]
    fn pack<const N: usize>(self, symbols: &[u8], last: u64) -> [u64; N] {
        match self.width {
            1 => packed::<1, N>(symbols, last),
            2 => packed::<2, N>(symbols, last),
            4 => packed::<4, N>(symbols, last),
            _ => packed::<8, N>(symbols, last),
        }
    }

    fn unpack(self, words: &[u64], symbols: usize) -> Vec<u8> {
        let symbol = |n: usize| {
            let at = n as u32 * self.width;
            (words[(at / 64) as usize] << (at % 64) >> (64 - self.width)) as u8
        };
        (0..symbols).map(symbol).collect()
    }
}

/// Symbols of `WIDTH` bits each as a number, eight at a time, and the last word.
#[inline(always)]
fn packed<const WIDTH: u32, const N: usize>(symbols: &[u8], last: u64) -> [u64; N] {
    let mut words = [0; N];
    let mut add = |n: usize, eight: [u8; 8]| {
        let at = 8 * WIDTH * n as u32;
        words[(at / 64) as usize] |=
            squeezed::<WIDTH>(u64::from_be_bytes(eight)) << (64 - 8 * WIDTH - at % 64);
    };
    let (eights, rest) = symbols.as_chunks::<8>();
    for (n, &eight) in eights.iter().enumerate() {
        add(n, eight);
    }
    if !rest.is_empty() {
        let mut eight = [0; 8];
        // A copy of unknown length would be a call.
        for (n, &symbol) in rest.iter().enumerate() {
            eight[n] = symbol;
        }
        add(eights.len(), eight);
    }
    words[N - 1] = last;
    words
}

/// The last `WIDTH` bits of each of eight bytes, side by side.
#[inline(always)]
fn squeezed<const WIDTH: u32>(mut bytes: u64) -> u64 {
    if WIDTH < 8 {
        bytes = (bytes | bytes >> (8 - WIDTH)) & (u64::MAX / 0xffff * ((1 << (2 * WIDTH)) - 1));
        bytes = (bytes | bytes >> (16 - 2 * WIDTH)) & (u64::MAX / 0xffff_ffff * ((1 << (4 * WIDTH)) - 1));
        bytes = (bytes | bytes >> (32 - 4 * WIDTH)) & ((1 << (8 * WIDTH)) - 1);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn packed_symbols_sort_alike_and_come_back(
            bits in 1u32..=8,
            rows in prop::collection::vec(prop::collection::vec(any::<u8>(), 45), 2),
        ) {
            let rows: Vec<Vec<u8>> =
                rows.into_iter().map(|row| row.into_iter().map(|s| (u32::from(s) & ((1 << bits) - 1)) as u8).collect()).collect();
            let packer = Packer::new(bits);
            let keys: Vec<[u64; 7]> = rows.iter().map(|row| packer.pack(row, 9)).collect();
            prop_assert_eq!(rows[0].cmp(&rows[1]), keys[0].cmp(&keys[1]));
            prop_assert_eq!(ordered(&keys[0], &keys[1]), keys[0].cmp(&keys[1]));
            prop_assert_eq!(&packer.unpack(&keys[0], 45), &rows[0]);
            prop_assert_eq!(keys[0][6], 9);
        }
    }
}
