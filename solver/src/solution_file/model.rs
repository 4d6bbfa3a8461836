//! How positions and values are coded: each by those before it in its block.

use super::place::{Place, Split, bit, from_words, words};
use super::{FileError, damaged};
use crate::arithmetic::{Bits, Context, Decoder, Encoder, FRESH, Learner};
use jewel_engine::ability::PackedKey;

/// The most different values of a file.
pub(super) const MAX_VALUES: usize = 1 << 16;

/// A position and the number of its value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Entry<K> {
    pub(super) place: Place<K>,
    pub(super) value: u16,
}

/// The class of a step to another high part or count; lower ones are the bits of the number of places in between.
const LEAP: u32 = 65;
const CLASS_BITS: u32 = 7;
/// Classes of the step before that are told apart.
const STEPS: usize = 16;
/// The digits of a number that are coded by contexts, after the first; the others are as likely 0 as 1.
const DIGITS: u32 = 3;

/// Where the contexts of each kind begin.
#[derive(Clone, Copy, Debug)]
struct Layout {
    count: usize,
    length: usize,
    /// Digits of a step, then those of a rank.
    digits: [usize; 2],
    upper: usize,
    value: usize,
    all: usize,
}

/// What codes the blocks of a file.
#[derive(Clone, Debug)]
pub(super) struct Model {
    /// The bits of the high part that are coded, the highest first.
    upper: Vec<u32>,
    values: usize,
    /// Bits of the number of a value.
    value_bits: u32,
    /// Groups of values before that are told apart.
    groups: usize,
    layout: Layout,
    /// The contexts as they are at the beginning of a block.
    start: Vec<Context>,
}

impl Model {
    /// One that has learnt nothing, for this many different values, at least one.
    pub(super) fn new(split: &Split, values: usize) -> Model {
        let value_bits = usize::BITS - (values - 1).leading_zeros();
        let groups = ((1_usize << 14) >> value_bits).clamp(1, 64).min(values);
        let count = STEPS << CLASS_BITS;
        let length = count + (1 << CLASS_BITS);
        let digits = length + (1 << CLASS_BITS);
        let numbers = 65 << DIGITS;
        let upper = digits + 2 * numbers;
        let value = upper + 4 * split.upper.len();
        let all = value + (groups << 1 << value_bits);
        let layout = Layout { count, length, digits: [digits, digits + numbers], upper, value, all };
        Model { upper: split.upper.clone(), values, value_bits, groups, layout, start: vec![FRESH; all] }
    }

    /// Learns from some blocks.
    pub(super) fn learn<'e, K: PackedKey>(&mut self, blocks: impl Iterator<Item = &'e [Entry<K>]>) {
        let mut contexts = std::mem::take(&mut self.start);
        for block in blocks {
            self.pass(&mut Learner, &mut contexts, block);
        }
        // What a file says of them.
        self.start = contexts.iter().map(|context| Context::learnt(context.high())).collect();
    }

    /// What it has learnt, as it is in files.
    pub(super) fn data(&self) -> Vec<u8> {
        let learnt: Vec<u8> = self.start.iter().map(|context| context.high()).collect();
        lz4_flex::compress(&learnt)
    }

    /// Takes over what another model has learnt.
    pub(super) fn read(&mut self, data: &[u8]) -> Result<(), FileError> {
        let learnt = lz4_flex::decompress(data, self.layout.all).unwrap_or_default();
        if learnt.len() != self.layout.all {
            return Err(damaged("its model makes no sense"));
        }
        self.start = learnt.into_iter().map(Context::learnt).collect();
        Ok(())
    }

    /// The code of a block. Its first position is not part of it, but its value is.
    pub(super) fn encode<K: PackedKey>(&self, block: &[Entry<K>]) -> Vec<u8> {
        let mut encoder = Encoder::new();
        self.pass(&mut encoder, &mut self.start.clone(), block);
        encoder.finish()
    }

    fn pass<K: PackedKey>(&self, coder: &mut impl Bits, contexts: &mut [Context], block: &[Entry<K>]) {
        let mut last: Option<Last<K>> = None;
        for &entry in block {
            // What is coded is what comes back.
            let mut state = last.unwrap_or(Last::new(entry.place));
            if last.is_some() {
                let _ = self.step(coder, contexts, &mut state, entry.place);
            }
            let _ = self.value(coder, contexts, &mut state, entry.value);
            last = Some(state);
        }
    }

    /// Calls `visit` with each of `length` positions of a block, the first of which is known. `None` if the data are not the
    /// code of such a block.
    pub(super) fn decode<K: PackedKey>(
        &self,
        data: &[u8],
        first: Place<K>,
        length: usize,
        mut visit: impl FnMut(Entry<K>),
    ) -> Option<()> {
        let mut decoder = Decoder::new(data);
        let mut contexts = self.start.clone();
        let mut last = Last::new(first);
        for at in 0..length {
            if at > 0 {
                self.step(&mut decoder, &mut contexts, &mut last, first)?;
            }
            self.value(&mut decoder, &mut contexts, &mut last, 0)?;
            visit(Entry { place: last.place, value: last.value });
        }
        decoder.finished().then_some(())
    }

    /// Moves on to the next position: an encoder to `to`, a decoder to the position that it reads. `None` if what it reads is not a
    /// position after this one.
    #[inline]
    fn step<K: PackedKey>(
        &self,
        coder: &mut impl Bits,
        contexts: &mut [Context],
        last: &mut Last<K>,
        to: Place<K>,
    ) -> Option<()> {
        let from = last.place;
        let near = (to.upper, to.count) == (from.upper, from.count);
        let between = to.rank.wrapping_sub(from.rank).wrapping_sub(1);
        let class = if near { u64::BITS - between.leading_zeros() } else { LEAP };
        let before = (last.class as usize).min(STEPS - 1) << CLASS_BITS;
        let class = coder.tree(&mut contexts[before..before + (1 << CLASS_BITS)], CLASS_BITS, class);
        if class < LEAP {
            let between = self.number(coder, contexts, 0, class, between);
            last.place.rank = from.rank.checked_add(between)?.checked_add(1)?;
        } else if class == LEAP {
            last.place = self.leap(coder, contexts, from.upper, to)?;
            if last.place <= from {
                return None;
            }
        } else {
            return None;
        }
        last.class = class;
        Some(())
    }

    /// A position whose high part or count is another.
    fn leap<K: PackedKey>(
        &self,
        coder: &mut impl Bits,
        contexts: &mut [Context],
        from: K,
        to: Place<K>,
    ) -> Option<Place<K>> {
        let (from, to_words) = (words(from), words(to.upper));
        let mut upper = from;
        let mut differs = 0;
        for (n, &at) in self.upper.iter().enumerate() {
            let before = bit(&from, at);
            let context = self.layout.upper + 4 * n + 2 * differs + usize::from(before);
            let now = coder.bit(&mut contexts[context], bit(&to_words, at));
            if now != before {
                upper[at as usize / 64] ^= 1 << (at % 64);
                differs = 1;
            }
        }
        let Layout { count: counts, length: lengths, .. } = self.layout;
        let tree = 1 << CLASS_BITS;
        let count = coder.tree(&mut contexts[counts..counts + tree], CLASS_BITS, to.count.into());
        let length = u64::BITS - to.rank.leading_zeros();
        let length = coder.tree(&mut contexts[lengths..lengths + tree], CLASS_BITS, length);
        if length > u64::BITS {
            return None;
        }
        let rank = self.number(coder, contexts, 1, length, to.rank);
        Some(Place { upper: from_words(&upper), count: count as u8, rank })
    }

    /// A number of `length` bits, 64 at most.
    #[inline]
    fn number(
        &self,
        coder: &mut impl Bits,
        contexts: &mut [Context],
        kind: usize,
        length: u32,
        value: u64,
    ) -> u64 {
        if length == 0 {
            return 0;
        }
        let base = self.layout.digits[kind] + ((length as usize) << DIGITS);
        let mut number = 1_u64;
        for at in (0..length - 1).rev() {
            let digit = value >> at & 1 != 0;
            let digit = if length - 1 - at <= DIGITS {
                coder.bit(&mut contexts[base + number as usize], digit)
            } else {
                coder.bit(&mut { FRESH }, digit)
            };
            number = number << 1 | u64::from(digit);
        }
        number
    }

    /// Codes the number of a value. `None` if a decoder reads a number that no value has.
    #[inline]
    fn value<K>(
        &self,
        coder: &mut impl Bits,
        contexts: &mut [Context],
        last: &mut Last<K>,
        value: u16,
    ) -> Option<()> {
        let group = usize::from(last.value) * self.groups / self.values;
        let at = self.layout.value + ((group << 1 | usize::from(last.class == 0)) << self.value_bits);
        let value = coder.tree(&mut contexts[at..at + (1 << self.value_bits)], self.value_bits, value.into());
        last.value = u16::try_from(value).ok().filter(|&value| usize::from(value) < self.values)?;
        Some(())
    }
}

/// The position before, and what is known of the step to it.
#[derive(Clone, Copy)]
struct Last<K> {
    place: Place<K>,
    class: u32,
    value: u16,
}

impl<K> Last<K> {
    fn new(place: Place<K>) -> Last<K> {
        Last { place, class: 0, value: 0 }
    }
}
