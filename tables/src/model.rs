//! The model that blocks are coded with: a tree of contexts, each with the frequencies of its symbols.

use crate::error::{Fault, content};
use crate::rans::{BITS, Decoder, Encoder, TOTAL};

/// The most features that a context has.
pub(crate) const MAX_FEATURES: usize = 7;
/// The symbol for "not in the list of the node": the real symbol follows in the code of the parent, and at the root as a plain
/// number.
const ESCAPE: u16 = u16::MAX;
const NONE: u32 = u32::MAX;
/// Limits the memory that a damaged or hostile file can ask for.
const MAX_NODES: usize = 1 << 20;

/// Entries of a node that are compared at once.
const FIRST: usize = 8;
/// Stands for symbols that are not found by comparing bytes.
const LARGE: u8 = u8::MAX;

/// The number of values of each feature of a tree, and the bits of an escaped symbol at the root.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreeShape {
    pub(crate) features: &'static [u8],
    pub(crate) literal_bits: u32,
}

/// The shape of the WDL trees of the side whose cells come first in a block, and of the other: neighbours of 3 values or
/// "outside the block".
pub(crate) const WDL: [TreeShape; 2] = [
    TreeShape { features: &[4, 4, 4, 4, 4, 4], literal_bits: 2 },
    TreeShape { features: &[4, 4, 4, 4, 4, 4, 4], literal_bits: 2 },
];
/// The shape of the distance tree: side and outcome, where don't-cares are, and three neighbours.
pub(crate) const DISTANCE: TreeShape = TreeShape { features: &[4, 27, 64, 64, 64], literal_bits: 13 };

#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u16,
    freq: u16,
    symbol: u16,
}

/// What coding with a node reads first: half a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Node {
    /// The symbols of its first entries, a byte each and the first in the lowest; [`LARGE`] for larger ones and where there is
    /// none. They are compared all at once, which avoids mispredicted branches.
    symbols: u64,
    /// Where its first entries end: each begins where the one before ends.
    ends: [u16; FIRST],
    /// All of its entries, the escape last.
    entries: u32,
    /// The node above, or `NONE`.
    parent: u32,
}

/// A node on the way to that of a context.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// The node, or `NONE` if the child does not exist.
    node: u32,
    /// Where the steps to its children by feature value begin.
    children: u32,
}

/// A step to no child, and from there to none either: its children are at the front of the list, and all of them are this.
const NOWHERE: Step = Step { node: NONE, children: 0 };

/// A node as it is built and as it is in files: symbols with their frequencies (their sum is below 2^14), most frequent first,
/// and children by feature value, ascending.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct NodeData {
    pub(crate) entries: Vec<(u16, u16)>,
    pub(crate) children: Vec<(u8, NodeData)>,
}

/// A tree ready for coding.
#[derive(Debug)]
pub(crate) struct Tree {
    shape: TreeShape,
    nodes: Vec<Node>,
    entries: Vec<Entry>,
    root: Step,
    /// The children of each node that has any, by feature value. In front are those of all others.
    children: Vec<Step>,
}

impl NodeData {
    /// Appends the node as it is in files.
    pub(crate) fn write(&self, shape: TreeShape, level: usize, out: &mut Vec<u8>) {
        put(out, self.entries.len() as u64);
        for &(symbol, freq) in &self.entries {
            put(out, u64::from(symbol));
            put(out, u64::from(freq));
        }
        if level < shape.features.len() {
            put(out, self.children.len() as u64);
            for (feature, child) in &self.children {
                put(out, u64::from(*feature));
                child.write(shape, level + 1, out);
            }
        }
    }
}

impl Tree {
    /// Reads a tree from the front of `data` and moves `data` behind it.
    pub(crate) fn read(data: &mut &[u8], shape: TreeShape) -> Result<Tree, Fault> {
        let most = shape.features.iter().copied().max().unwrap_or(0);
        let mut tree = Tree {
            shape,
            nodes: vec![],
            entries: vec![],
            root: NOWHERE,
            children: vec![NOWHERE; most.into()],
        };
        tree.root = tree.read_node(data, 0, NONE)?;
        Ok(tree)
    }

    fn read_node(&mut self, data: &mut &[u8], level: usize, parent: u32) -> Result<Step, Fault> {
        if self.nodes.len() >= MAX_NODES {
            return Err(content("the model has too many nodes"));
        }
        let entries = self.entries.len() as u32;
        let mut start = 0;
        for _ in 0..take(data, u64::from(TOTAL))? {
            let symbol = take(data, (1 << self.shape.literal_bits) - 1)?;
            let freq = take(data, u64::from(TOTAL - 1))?;
            if freq == 0 || start + freq >= u64::from(TOTAL) {
                return Err(content("the frequencies of a node of the model do not add up"));
            }
            self.entries.push(Entry { start: start as u16, freq: freq as u16, symbol: symbol as u16 });
            start += freq;
        }
        // A lone escape has the frequency 2^14: it takes no bits and no coding step.
        self.entries.push(Entry {
            start: start as u16,
            freq: (u64::from(TOTAL) - start) as u16,
            symbol: ESCAPE,
        });
        let (mut ends, mut symbols) = ([u16::MAX; FIRST], [LARGE; FIRST]);
        for (i, entry) in self.entries[entries as usize..].iter().take(FIRST).enumerate() {
            (ends[i], symbols[i]) = (entry.start + entry.freq, entry.symbol.min(LARGE.into()) as u8);
        }
        let number = self.nodes.len() as u32;
        self.nodes.push(Node { symbols: u64::from_le_bytes(symbols), ends, entries, parent });
        let mut step = Step { node: number, ..NOWHERE };
        let Some(&values) = self.shape.features.get(level) else { return Ok(step) };
        let count = take(data, u64::from(values))?;
        if count > 0 {
            let at = self.children.len();
            self.children.resize(at + usize::from(values), NOWHERE);
            step.children = at as u32;
            let mut next = 0;
            for _ in 0..count {
                let value = take(data, u64::from(values) - 1)?;
                if value < next {
                    return Err(content("the children of a node of the model are out of order"));
                }
                next = value + 1;
                self.children[at + value as usize] = self.read_node(data, level + 1, number)?;
            }
        }
        Ok(step)
    }

    /// The node of a context: the last one on the way through its features. All features are looked at, whether or not there
    /// are nodes for them, which avoids mispredicted branches.
    #[inline(always)]
    pub(crate) fn find(&self, features: &[u8]) -> u32 {
        let Step { mut node, mut children } = self.root;
        for &feature in features {
            let step = self.children[children as usize + usize::from(feature)];
            node = if step.node == NONE { node } else { step.node };
            children = step.children;
        }
        node
    }

    /// The cheapest symbol of a node, which don't-cares become.
    #[inline]
    pub(crate) fn cheapest(&self, node: u32) -> u16 {
        let entry = self.entries[self.nodes[node as usize].entries as usize];
        if entry.symbol == ESCAPE { 0 } else { entry.symbol }
    }

    /// The symbols of each node with their frequencies.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Vec<(u16, u16)>> + '_ {
        self.nodes.iter().map(|node| {
            let listed = self.entries[node.entries as usize..].iter().take_while(|e| e.symbol != ESCAPE);
            listed.map(|e| (e.symbol, e.freq)).collect()
        })
    }

    /// Whether a node has an entry for a symbol.
    pub(crate) fn lists(&self, node: u32, symbol: u16) -> bool {
        let first = self.nodes[node as usize].entries as usize;
        let mut listed = self.entries[first..].iter().take_while(|e| e.symbol != ESCAPE);
        listed.any(|e| e.symbol == symbol)
    }

    /// Adds a symbol to a block.
    #[inline(always)]
    pub(crate) fn encode(&self, node: u32, symbol: u16, encoder: &mut Encoder) {
        const ONES: u64 = u64::MAX / 0xff;
        // The lowest of these bits is that of the first equal byte.
        let Node { symbols, ends, .. } = &self.nodes[node as usize];
        let differ = symbols ^ (u64::from(symbol & 0xff) * ONES);
        let equal = differ.wrapping_sub(ONES) & !differ & (ONES << 7);
        if equal == 0 || symbol >= LARGE.into() {
            return self.encode_rare(node, symbol, encoder);
        }
        let at = equal.trailing_zeros() as usize / 8;
        let start = if at == 0 { 0 } else { ends[at - 1] };
        encoder.add(start, ends[at] - start);
    }

    /// The same for any symbol: one that is not among the first of the node, or not in it.
    #[cold]
    fn encode_rare(&self, mut node: u32, symbol: u16, encoder: &mut Encoder) {
        while node != NONE {
            let Node { entries, parent, .. } = self.nodes[node as usize];
            let mut at = entries as usize;
            while self.entries[at].symbol != symbol && self.entries[at].symbol != ESCAPE {
                at += 1;
            }
            let entry = self.entries[at];
            // A lone escape takes no bits.
            if u32::from(entry.freq) < TOTAL {
                encoder.add(entry.start, entry.freq);
            }
            if entry.symbol != ESCAPE {
                return;
            }
            node = parent;
        }
        let freq = 1 << (BITS - self.shape.literal_bits);
        encoder.add(symbol * freq, freq);
    }

    /// Reads a symbol of a block.
    #[inline(always)]
    pub(crate) fn decode(&self, mut node: u32, decoder: &mut Decoder<'_>) -> u16 {
        while node != NONE {
            let slot = decoder.slot();
            let Node { entries, parent, ends, .. } = &self.nodes[node as usize];
            let passed: u16 = ends.iter().map(|&end| u16::from(slot as u16 >= end)).sum();
            let mut at = *entries as usize + usize::from(passed);
            // The escape, which comes last, ends where the slots do.
            while slot >= u32::from(self.entries[at].start) + u32::from(self.entries[at].freq) {
                at += 1;
            }
            let entry = self.entries[at];
            decoder.advance(u32::from(entry.start), u32::from(entry.freq));
            if entry.symbol != ESCAPE {
                return entry.symbol;
            }
            node = *parent;
        }
        let freq = 1 << (BITS - self.shape.literal_bits);
        let symbol = decoder.slot() / freq;
        decoder.advance(symbol * freq, freq);
        symbol as u16
    }
}

/// Appends a number, 7 bits to a byte.
fn put(out: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number of at most `most`, 7 bits to a byte, from the front of `data`.
fn take(data: &mut &[u8], most: u64) -> Result<u64, Fault> {
    let mut number = 0;
    for shift in (0..28).step_by(7) {
        let Some((&byte, rest)) = data.split_first() else {
            return Err(content("the model is cut short"));
        };
        *data = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return if number <= most {
                Ok(number)
            } else {
                Err(content("a number of the model is too large"))
            };
        }
    }
    Err(content("a number of the model is too long"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_survive_files_and_bad_ones_are_refused() {
        let leaf = |s, f| NodeData { entries: vec![(s, f), (1, 5)], children: vec![] };
        let root = NodeData {
            entries: vec![(2, 9000), (0, 7000)],
            children: vec![(0, leaf(0, 300)), (1, leaf(2, 16000))],
        };
        let mut bytes = vec![];
        root.write(WDL[0], 0, &mut bytes);
        let mut rest = &bytes[..];
        let tree = Tree::read(&mut rest, WDL[0]).unwrap();
        assert!(rest.is_empty());
        assert_eq!([tree.find(&[0, 3, 3, 3, 3, 3]), tree.find(&[1, 0, 0, 0, 0, 0])], [1, 2]);
        let mut encoder = Encoder::default();
        let symbols = [(0, 2), (0, 0), (0, 1), (1, 0), (1, 2), (2, 2), (2, 3)];
        for (node, symbol) in symbols {
            tree.encode(node, symbol, &mut encoder);
        }
        let mut data = vec![];
        encoder.finish(&mut data);
        let mut decoder = Decoder::new(&data).unwrap();
        for (node, symbol) in symbols {
            assert_eq!(tree.decode(node, &mut decoder), symbol);
        }
        assert!(decoder.finished());
        // Cut short anywhere, or with any byte replaced, it is refused or is another tree; nothing panics.
        for cut in 0..bytes.len() {
            assert!(Tree::read(&mut &bytes[..cut], WDL[0]).is_err());
        }
        for at in 0..bytes.len() {
            for new in 0..=255 {
                let mut bad = bytes.clone();
                bad[at] = new;
                let _ = Tree::read(&mut &bad[..], WDL[0]);
            }
        }
    }

    #[test]
    fn symbols_are_found_wherever_they_stand() {
        // More than are compared at once, and some that agree in their lowest byte.
        let listed = [44, 255, 300, 0, 254, 256, 511, 7, 45, 1, 301, 4095];
        let entries = listed.into_iter().zip((1..).map(|i| i * 100)).collect();
        let child = NodeData { entries: vec![(300, 9000), (255, 5)], children: vec![] };
        let root = NodeData { entries, children: vec![(2, child)] };
        let mut bytes = vec![];
        root.write(DISTANCE, 0, &mut bytes);
        let tree = Tree::read(&mut &bytes[..], DISTANCE).unwrap();
        let (parent, child) = (tree.find(&[1, 0, 0, 0, 0]), tree.find(&[2, 26, 63, 63, 63]));
        assert_eq!([parent, child], [0, 1]);
        let mut encoder = Encoder::default();
        let symbols = || listed.into_iter().chain([2, 43, 299, 557, 4096]);
        for symbol in symbols() {
            tree.encode(parent, symbol, &mut encoder);
            tree.encode(child, symbol, &mut encoder);
        }
        let mut data = vec![];
        encoder.finish(&mut data);
        let mut decoder = Decoder::new(&data).unwrap();
        for symbol in symbols() {
            assert_eq!([parent, child].map(|node| tree.decode(node, &mut decoder)), [symbol; 2]);
        }
        assert!(decoder.finished());
    }
}
