//! The contexts of the blocks of a proof file.

use super::Entry;
use crate::arithmetic::{Bits, Context, FRESH};

/// The contexts of a block, and the entry before.
pub(super) struct Model {
    symbols: usize,
    bits: u32,
    ranked: bool,
    same: Vec<Context>,
    symbol: Vec<Context>,
    again: [Context; 16],
    length: [Context; 64],
    digit: Vec<Context>,
    previous: Entry,
}

impl Model {
    pub(super) fn new(symbols: usize, bits: u32, ranked: bool) -> Model {
        Model {
            symbols,
            bits,
            ranked,
            same: vec![FRESH; symbols << 2 << bits],
            symbol: vec![FRESH; symbols << bits << bits],
            again: [FRESH; 16],
            length: [FRESH; 64],
            digit: vec![FRESH; 2 * 17 * 256],
            previous: Entry { symbols: vec![0; symbols], mv: 0, rank: 0 },
        }
    }

    /// As it is at the beginning of a block.
    pub(super) fn reset(&mut self) {
        for contexts in [&mut self.same, &mut self.symbol, &mut self.digit] {
            contexts.fill(FRESH);
        }
        self.again = [FRESH; 16];
        self.length = [FRESH; 64];
        self.previous.symbols.fill(0);
        (self.previous.mv, self.previous.rank) = (0, 0);
    }

    /// Codes an entry: an encoder codes what it is, a decoder writes into it what is read.
    pub(super) fn code(&mut self, coder: &mut impl Bits, entry: &mut Entry) {
        let (mut differ, mut balance) = (0usize, 0i32);
        for i in 0..self.symbols {
            let (before, now) = (self.previous.symbols[i], entry.symbols[i]);
            let state = if differ == 0 { 0 } else { (2 + balance.signum()) as usize };
            let same = &mut self.same[((i << 2 | state) << self.bits) + usize::from(before)];
            let mut symbol = before;
            if !coder.bit(same, now == before) {
                let at = (i << self.bits | usize::from(before)) << self.bits;
                symbol = coder.tree(&mut self.symbol[at..at + (1 << self.bits)], self.bits, now.into()) as u8;
            }
            differ += usize::from(symbol != before);
            balance += i32::from(symbol != 0) - i32::from(before != 0);
            entry.symbols[i] = symbol;
        }
        let differ = differ.min(7);
        entry.mv = self.number(coder, 0, differ, entry.mv, self.previous.mv);
        if self.ranked {
            entry.rank = self.number(coder, 1, differ, entry.rank, self.previous.rank);
        }
        self.previous.clone_from(entry);
    }

    fn number(
        &mut self,
        coder: &mut impl Bits,
        kind: usize,
        differ: usize,
        value: u16,
        previous: u16,
    ) -> u16 {
        if coder.bit(&mut self.again[kind << 3 | differ], value == previous) {
            return previous;
        }
        let value = u32::from(value);
        let digits = u32::BITS - value.leading_zeros();
        // More than 16 digits are in no sound file.
        let digits = coder.tree(&mut self.length[kind << 5..][..32], 5, digits).min(16);
        let contexts = &mut self.digit[(kind * 17 + digits as usize) << 8..][..256];
        let mut number = u32::from(digits > 0);
        for at in (0..digits.saturating_sub(1)).rev() {
            let context = &mut contexts[if number < 256 { number as usize } else { 0 }];
            number = number << 1 | u32::from(coder.bit(context, value >> at & 1 != 0));
        }
        number as u16
    }
}
