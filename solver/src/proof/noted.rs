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
            match (usize::from(header.symbols) * usize::from(header.bits)).div_ceil(64) + 1 {
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
    /// Makes numbers of answers.
    answers: Packer<N>,
    /// Makes numbers of the positions of the file.
    entries: Packer<N>,
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
        let packer = || Packer::new(header.symbols.into(), header.bits.into());
        Words {
            proof,
            interrupt,
            noted: Vec::new(),
            capacity,
            file: (header.positions <= capacity as u64).then(Vec::new),
            lately: vec![None; LATELY].into(),
            answers: packer(),
            entries: packer(),
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
        let mut pass = Pass { header, rest: noted.iter().peekable(), settle };
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
                    pass.settle_to(&self.entries.pack(&entry.symbols, entry.rank.into()))
                })?;
            }
        }
        pass.end()
    }
}

impl<const N: usize> Noted for Words<'_, N> {
    fn keep(&mut self, entry: &Entry) {
        if let Some(file) = &mut self.file {
            file.push(self.entries.pack(&entry.symbols, entry.rank.into()));
        }
    }

    fn note(&mut self, symbols: &[u8], most: u64) {
        let wanted = self.answers.pack(symbols, most);
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
    /// What was noted and the pass has not come to, in order.
    rest: Peekable<Iter<'a, [u64; N]>>,
    settle: &'a mut Settle<'s>,
}

impl<const N: usize> Pass<'_, '_, N> {
    /// Settles what was noted up to a position of the file.
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
        let symbols = unpacked(words, self.header.bits.into(), self.header.symbols.into());
        (self.settle)(&symbols, why)
    }
}

/// Makes one number of symbols that sorts as they do, and adds a word. Most positions differ from the one before in a few
/// symbols, and only those are looked at.
struct Packer<const N: usize> {
    bits: u32,
    /// The symbols of the position before, and its number.
    symbols: Vec<u8>,
    words: [u64; N],
}

impl<const N: usize> Packer<N> {
    fn new(symbols: usize, bits: u32) -> Packer<N> {
        Packer { bits, symbols: vec![0; symbols], words: [0; N] }
    }

    #[inline]
    fn pack(&mut self, symbols: &[u8], last: u64) -> [u64; N] {
        // Eight at a time.
        let (eights, rest) = symbols.as_chunks::<8>();
        for (n, now) in eights.iter().enumerate() {
            let before = &mut self.symbols.as_chunks_mut::<8>().0[n];
            let changes = u64::from_le_bytes(std::mem::replace(before, *now)) ^ u64::from_le_bytes(*now);
            self.change(8 * n, changes);
        }
        let first = 8 * eights.len();
        for (n, &now) in rest.iter().enumerate() {
            let changes = std::mem::replace(&mut self.symbols[first + n], now) ^ now;
            self.change(first + n, changes.into());
        }
        let mut words = self.words;
        words[N - 1] = last;
        words
    }

    /// Follows changes of symbols, a byte for each from `first` on.
    #[inline]
    fn change(&mut self, first: usize, mut changes: u64) {
        while changes != 0 {
            let n = changes.trailing_zeros() / 8;
            let change = (changes >> (8 * n)) as u8;
            changes &= !(0xff << (8 * n));
            let at = (first as u32 + n) * self.bits;
            let (word, bit) = ((at / 64) as usize, at % 64);
            // It may lie across two words.
            let both = u128::from(change) << (128 - self.bits - bit);
            self.words[word] ^= (both >> 64) as u64;
            if bit + self.bits > 64 {
                self.words[word + 1] ^= both as u64;
            }
        }
    }
}

fn unpacked<const N: usize>(words: &[u64; N], bits: u32, count: usize) -> Vec<u8> {
    let symbol = |n: usize| {
        let at = n as u32 * bits;
        let (word, bit) = ((at / 64) as usize, at % 64);
        let next = if word + 1 < N - 1 { words[word + 1] } else { 0 };
        let wide = u128::from(words[word]) << 64 | u128::from(next);
        (wide << bit >> (128 - bits)) as u8
    };
    (0..count).map(symbol).collect()
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
            let mut packer: Packer<7> = Packer::new(45, bits);
            let keys: Vec<[u64; 7]> = rows.iter().map(|row| packer.pack(row, 9)).collect();
            prop_assert_eq!(rows[0].cmp(&rows[1]), keys[0].cmp(&keys[1]));
            prop_assert_eq!(ordered(&keys[0], &keys[1]), keys[0].cmp(&keys[1]));
            prop_assert_eq!(&unpacked(&keys[0], bits, 45), &rows[0]);
            prop_assert_eq!(keys[0][6], 9);
        }
    }
}
