//! Blocks of bytes, each byte coded by those before it: for tables whose cells are bytes of a meaning that is not known here.

use crate::error::{Fault, content};
use crate::model::{Tree, TreeShape};
use crate::rans::{Decoder, Encoder};
use crate::train::{count, observation, train};
use std::cmp::Reverse;

/// The context of a byte: the byte before, the one a row before, and the one before the byte before.
const SHAPE: TreeShape = TreeShape { features: &[64, 64, 64], literal_bits: 8 };
/// Bytes that contexts tell apart: the most frequent ones.
const FREQUENT: usize = 62;
/// All other bytes, in a context.
const RARE: u8 = FREQUENT as u8;
/// Before the block.
const OUTSIDE: u8 = RARE + 1;

/// A block that a coder learns from, and the length of its rows.
pub type Sample<'a> = (&'a [u8], usize);

/// What codes blocks: how likely each byte is after others.
#[derive(Debug)]
pub struct ByteCoder {
    tree: Tree,
    /// By byte: how contexts see it.
    seen: Box<[u8; 256]>,
    /// The coder as it is in files.
    data: Vec<u8>,
}

impl ByteCoder {
    /// Learns from some blocks, which stand for `scale` times as many.
    pub fn learn(blocks: &[Sample<'_>], scale: u64) -> ByteCoder {
        let mut times = [0u64; 256];
        for &byte in blocks.iter().flat_map(|(block, _)| *block) {
            times[usize::from(byte)] += 1;
        }
        let mut order: Vec<u8> = (0..=u8::MAX).collect();
        order.sort_by_key(|&byte| Reverse(times[usize::from(byte)]));
        let seen = ranks(&order[..FREQUENT]);
        let mut observations = vec![];
        for &(block, row) in blocks {
            let symbols = block.iter().enumerate();
            observations
                .extend(symbols.map(|(at, &byte)| observation(&context(&seen, block, at, row), byte.into())));
        }
        let (root, _) = train(&count(observations), SHAPE, scale);
        let mut data = order[..FREQUENT].to_vec();
        root.write(SHAPE, 0, &mut data);
        // What was written just now can be read.
        ByteCoder::read(&data).unwrap_or_else(|e| unreachable!("{e}"))
    }

    /// Reads a coder.
    ///
    /// # Errors
    /// If the data are none.
    pub fn read(data: &[u8]) -> Result<ByteCoder, Fault> {
        let short = || content("the model is cut short");
        let (frequent, mut rest) = data.split_at_checked(FREQUENT).ok_or_else(short)?;
        let tree = Tree::read(&mut rest, SHAPE)?;
        if !rest.is_empty() {
            return Err(content("the model is longer than it says"));
        }
        Ok(ByteCoder { tree, seen: ranks(frequent), data: data.to_vec() })
    }

    /// The coder as [`read`](ByteCoder::read) takes it.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// Appends the code of a block with rows of a length, which is not zero.
    pub fn encode(&self, block: &[u8], row: usize, out: &mut Vec<u8>) {
        let mut encoder = Encoder::default();
        for (at, &byte) in block.iter().enumerate() {
            let node = self.tree.find(&context(&self.seen, block, at, row));
            self.tree.encode(node, byte.into(), &mut encoder);
        }
        encoder.finish(out);
    }

    /// The bytes of a block of this length; `None` if the data are not its code.
    pub fn decode(&self, data: &[u8], length: usize, row: usize) -> Option<Vec<u8>> {
        let mut decoder = Decoder::new(data)?;
        let mut block = vec![0; length];
        for at in 0..length {
            let node = self.tree.find(&context(&self.seen, &block, at, row));
            block[at] = u8::try_from(self.tree.decode(node, &mut decoder)).ok()?;
        }
        decoder.finished().then_some(block)
    }
}

/// By byte: its rank among the frequent ones.
fn ranks(frequent: &[u8]) -> Box<[u8; 256]> {
    let mut seen = Box::new([RARE; 256]);
    for (rank, &byte) in frequent.iter().enumerate() {
        seen[usize::from(byte)] = rank as u8;
    }
    seen
}

/// The context of the byte at a place, from those before it.
#[inline(always)]
fn context(seen: &[u8; 256], block: &[u8], at: usize, row: usize) -> [u8; 3] {
    let before = |steps: usize| match at.checked_sub(steps).and_then(|at| block.get(at)) {
        Some(&byte) => seen[usize::from(byte)],
        None => OUTSIDE,
    };
    [before(1), before(row.max(2)), if row > 2 { before(2) } else { OUTSIDE }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn blocks_come_back(
            blocks in prop::collection::vec((prop::collection::vec(prop::sample::select(vec![0u8, 1, 2, 250, 255]), 0..300), 1usize..20), 1..5),
            other in prop::collection::vec(any::<u8>(), 0..300),
            row in 1usize..400,
            flip in any::<(usize, u8)>(),
        ) {
            let samples: Vec<Sample<'_>> = blocks.iter().map(|(block, row)| (&block[..], *row)).collect();
            let learnt = ByteCoder::learn(&samples, 3);
            let coder = ByteCoder::read(learnt.data()).unwrap();
            // Bytes that were never seen can be coded too.
            for (block, row) in samples.into_iter().chain([(&other[..], row)]) {
                let mut data = vec![];
                learnt.encode(block, row, &mut data);
                prop_assert_eq!(coder.decode(&data, block.len(), row), Some(block.to_vec()));
                // Nothing that is damaged makes it panic.
                let at = flip.0 % data.len();
                data[at] ^= flip.1;
                let _ = coder.decode(&data, block.len(), row);
                prop_assert_eq!(coder.decode(&data[..data.len().min(3)], block.len(), row), None);
            }
        }
    }

    #[test]
    fn what_follows_from_the_bytes_before_takes_little_room() {
        // Rows of ten that repeat, with a byte in a hundred that does not.
        let noise = |n: usize| if n % 97 == 5 { 200 } else { (n % 10 * 25) as u8 };
        let block: Vec<u8> = (0..20_000).map(noise).collect();
        let coder = ByteCoder::learn(&[(&block, 10)], 1);
        let mut data = vec![];
        coder.encode(&block, 10, &mut data);
        assert!(data.len() < block.len() / 30, "{}", data.len());
    }

    #[test]
    fn bad_coders_are_refused() {
        let coder = ByteCoder::learn(&[(b"abcabcabc", 3)], 1);
        for cut in 0..coder.data().len() {
            assert!(ByteCoder::read(&coder.data()[..cut]).is_err());
        }
        assert!(ByteCoder::read(&[coder.data(), b"x"].concat()).is_err());
    }
}
