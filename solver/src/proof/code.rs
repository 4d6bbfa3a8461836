//! The arithmetic code of the blocks and its contexts. Written once for both ways: see [`Bits`].

use super::Entry;

/// The probability of a bit that is 1, out of 65536, and how often it was asked for, as far as that matters.
#[derive(Clone, Copy)]
pub(super) struct Context {
    probability: u16,
    count: u8,
}

const FRESH: Context = Context { probability: 1 << 15, count: 0 };

impl Context {
    #[inline(always)]
    fn learn(&mut self, bit: bool) {
        let shift = u32::from(self.count) + 1;
        let p = u32::from(self.probability);
        self.probability = if bit { p + ((65536 - p) >> shift) } else { p - (p >> shift) } as u16;
        self.count = (self.count + 1).min(5);
    }
}

/// A way to code bits: an encoder takes the one that it is given, a decoder ignores it and returns the one that it reads.
pub(super) trait Bits {
    fn bit(&mut self, context: &mut Context, bit: bool) -> bool;

    /// `count` bits, the highest first, in the contexts `1, 1x, 1xx, …` of a tree.
    #[inline]
    fn tree(&mut self, contexts: &mut [Context], count: u32, value: u32) -> u32 {
        let mut node = 1;
        for at in (0..count).rev() {
            let bit = self.bit(&mut contexts[node as usize], value >> at & 1 != 0);
            node = node << 1 | u32::from(bit);
        }
        node - (1 << count)
    }
}

/// The interval of a coder.
struct Interval {
    low: u32,
    high: u32,
}

impl Interval {
    const ALL: Interval = Interval { low: 0, high: u32::MAX };

    #[inline(always)]
    fn middle(&self, context: &Context) -> u32 {
        let width = u64::from(self.high - self.low);
        self.low + ((width * u64::from(context.probability)) >> 16) as u32
    }

    #[inline(always)]
    fn take(&mut self, middle: u32, bit: bool) {
        if bit { self.high = middle } else { self.low = middle + 1 }
    }

    /// The highest byte, if it is settled: then it is shifted out.
    #[inline(always)]
    fn shift(&mut self) -> Option<u8> {
        if (self.low ^ self.high) >> 24 != 0 {
            return None;
        }
        let byte = (self.high >> 24) as u8;
        self.low <<= 8;
        self.high = self.high << 8 | 255;
        Some(byte)
    }
}

pub(super) struct Encoder {
    interval: Interval,
    pub(super) data: Vec<u8>,
}

impl Encoder {
    pub(super) fn new() -> Encoder {
        Encoder { interval: Interval::ALL, data: Vec::new() }
    }

    /// The data of the block; the encoder is as new again.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        // Of all numbers in the interval, this byte and zeros is one.
        self.data.push((self.interval.high >> 24) as u8);
        self.interval = Interval::ALL;
        std::mem::take(&mut self.data)
    }
}

impl Bits for Encoder {
    #[inline(always)]
    fn bit(&mut self, context: &mut Context, bit: bool) -> bool {
        let middle = self.interval.middle(context);
        self.interval.take(middle, bit);
        context.learn(bit);
        while let Some(byte) = self.interval.shift() {
            self.data.push(byte);
        }
        bit
    }
}

pub(super) struct Decoder<'a> {
    interval: Interval,
    x: u32,
    data: &'a [u8],
    /// Bytes read, with zeros past the end of the data.
    read: usize,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(data: &'a [u8]) -> Decoder<'a> {
        let mut decoder = Decoder { interval: Interval::ALL, x: 0, data, read: 0 };
        (0..4).for_each(|_| decoder.next());
        decoder
    }

    #[inline(always)]
    fn next(&mut self) {
        self.x = self.x << 8 | u32::from(self.data.get(self.read).copied().unwrap_or(0));
        self.read += 1;
    }

    /// Whether exactly all data have been read.
    pub(super) fn finished(&self) -> bool {
        self.read == self.data.len() + 3
    }
}

impl Bits for Decoder<'_> {
    #[inline(always)]
    fn bit(&mut self, context: &mut Context, _: bool) -> bool {
        let middle = self.interval.middle(context);
        let bit = self.x <= middle;
        self.interval.take(middle, bit);
        context.learn(bit);
        while self.interval.shift().is_some() {
            self.next();
        }
        bit
    }
}

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
