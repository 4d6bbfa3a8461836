//! The entropy coder of blocks: rANS with a 32-bit state, 14-bit frequencies and 16-bit words.
//!
//! Jarek Duda, "Asymmetric numeral systems", 2013 (arXiv:1311.2540). The decoder yields symbols in the
//! order in which they were added; the encoder therefore keeps them and codes from the last to the first.

/// Frequencies of a node add up to 2 to this power.
pub(crate) const BITS: u32 = 14;
/// The sum of the frequencies of a node.
pub(crate) const TOTAL: u32 = 1 << BITS;
/// The state before the first symbol is coded, and after the last is decoded.
const START: u32 = 1 << 16;

/// Collects the slots of a block's symbols, then codes them.
#[derive(Default)]
pub(crate) struct Encoder {
    /// Start and frequency (at least 1, below `TOTAL`) of each symbol.
    slots: Vec<(u16, u16)>,
    words: Vec<u16>,
}

impl Encoder {
    #[inline]
    pub(crate) fn add(&mut self, start: u16, freq: u16) {
        self.slots.push((start, freq));
    }

    /// Appends the code of the symbols that were added, and clears them.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) {
        let mut state = START;
        for &(start, freq) in self.slots.iter().rev() {
            let freq = u32::from(freq);
            if state >= freq << (32 - BITS) {
                self.words.push(state as u16);
                state >>= 16;
            }
            state = ((state / freq) << BITS) + state % freq + u32::from(start);
        }
        out.extend_from_slice(&state.to_le_bytes());
        for word in self.words.iter().rev() {
            out.extend_from_slice(&word.to_le_bytes());
        }
        self.slots.clear();
        self.words.clear();
    }
}

/// Reads the symbols of a block. Past the end of the data it reads zeros; [`finished`](Decoder::finished) is then false.
pub(crate) struct Decoder<'a> {
    state: u32,
    data: &'a [u8],
    at: usize,
}

impl<'a> Decoder<'a> {
    /// `None` if the data are too short to begin with.
    pub(crate) fn new(data: &'a [u8]) -> Option<Decoder<'a>> {
        let state = u32::from_le_bytes(data.get(..4)?.try_into().ok()?);
        Some(Decoder { state, data, at: 4 })
    }

    /// The slot, below `TOTAL`, of the next symbol.
    #[inline(always)]
    pub(crate) fn slot(&self) -> u32 {
        self.state & (TOTAL - 1)
    }

    /// Moves past a symbol; `start + freq <= TOTAL`.
    #[inline(always)]
    pub(crate) fn advance(&mut self, start: u32, freq: u32) {
        self.state = freq.wrapping_mul(self.state >> BITS).wrapping_add(self.slot()).wrapping_sub(start);
        if self.state < START {
            let word = match self.data.get(self.at..self.at + 2) {
                Some(&[low, high]) => u32::from(low) | u32::from(high) << 8,
                _ => 0,
            };
            self.at += 2;
            self.state = self.state << 16 | word;
        }
    }

    /// Whether exactly all data were read and the state is the initial one again.
    pub(crate) fn finished(&self) -> bool {
        self.state == START && self.at == self.data.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_coded_is_decoded(symbols in prop::collection::vec(0u32..4, 0..3000)) {
            // Frequencies 1, 16381, 1, 1: the extremes.
            let slots = [(0u16, 1u16), (1, 16381), (16382, 1), (16383, 1)];
            let mut encoder = Encoder::default();
            for &s in &symbols {
                encoder.add(slots[s as usize].0, slots[s as usize].1);
            }
            let mut data = vec![];
            encoder.finish(&mut data);
            let mut decoder = Decoder::new(&data).unwrap();
            for &s in &symbols {
                let slot = decoder.slot();
                let found = slots.iter().position(|&(start, freq)| (u32::from(start)..u32::from(start) + u32::from(freq)).contains(&slot));
                prop_assert_eq!(found, Some(s as usize));
                decoder.advance(u32::from(slots[s as usize].0), u32::from(slots[s as usize].1));
            }
            prop_assert!(decoder.finished());
        }
    }
}
