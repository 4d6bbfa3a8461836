//! An arithmetic code of bits, whose contexts learn as it goes on. Written once for both ways: see [`Bits`].

/// The probability of a bit that is 1, out of 65536, and how often it was asked for, as far as that matters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    probability: u16,
    count: u8,
}

/// The count from which on a context learns as slowly as it ever does.
const SETTLED: u8 = 5;

/// A context that knows nothing.
pub(crate) const FRESH: Context = Context { probability: 1 << 15, count: 0 };

impl Context {
    /// A context that has learnt a probability, of which this is the high half.
    pub(crate) fn learnt(high: u8) -> Context {
        if high == FRESH.high() {
            FRESH
        } else {
            Context { probability: u16::from(high) << 8 | 128, count: SETTLED }
        }
    }

    /// The high half of the probability.
    pub(crate) const fn high(self) -> u8 {
        (self.probability >> 8) as u8
    }

    #[inline(always)]
    fn learn(&mut self, bit: bool) {
        let shift = u32::from(self.count) + 1;
        let p = u32::from(self.probability);
        self.probability = if bit { p + ((65536 - p) >> shift) } else { p - (p >> shift) } as u16;
        self.count = (self.count + 1).min(SETTLED);
    }
}

/// A way to code bits: an encoder takes the one that it is given, a decoder ignores it and returns the one that it reads.
pub(crate) trait Bits {
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

pub(crate) struct Encoder {
    interval: Interval,
    pub(crate) data: Vec<u8>,
}

impl Encoder {
    pub(crate) fn new() -> Encoder {
        Encoder { interval: Interval::ALL, data: Vec::new() }
    }

    /// The data of the block; the encoder is as new again.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
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

pub(crate) struct Decoder<'a> {
    interval: Interval,
    x: u32,
    data: &'a [u8],
    /// Bytes read, with zeros past the end of the data.
    read: usize,
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Decoder<'a> {
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
    pub(crate) fn finished(&self) -> bool {
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

/// Codes nothing, so that contexts learn.
pub(crate) struct Learner;

impl Bits for Learner {
    #[inline(always)]
    fn bit(&mut self, context: &mut Context, bit: bool) -> bool {
        context.learn(bit);
        bit
    }
}
