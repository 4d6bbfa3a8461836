//! Blocks: runs of cells, coded symbol by symbol in the context of their neighbours.

use crate::error::{Fault, content};
use crate::model::{DISTANCE, Plain, Tree, WDL};
use crate::rans::{Decoder, Encoder};
use crate::train::observation;
use crate::value::{Cell, DRAW, WON};

/// Stands for a neighbour before the start of the block, in WDL symbols and in distance codes.
const OUTSIDE_WDL: u8 = 3;
const OUTSIDE_CODE: u8 = 63;

/// How far away the neighbours are that a cell is coded by, in cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reach {
    pub(crate) near: u32,
    pub(crate) far: u32,
}

/// The model of a file, ready for coding its blocks.
#[derive(Debug)]
pub(crate) struct Model {
    reach: Reach,
    wdl: Tree,
    /// The node of `wdl` by all its features at once.
    wdl_nodes: Vec<u32>,
    distance: Option<Tree>,
}

/// The code by which a distance serves as a neighbour.
#[inline]
fn code(distance: u16) -> u8 {
    if distance < 48 { 1 + distance as u8 } else { 49 + ((distance - 48) / 16).min(13) as u8 }
}

/// A code in fewer steps.
static COARSE: [u8; 64] = {
    let mut table = [15u8; 64];
    let mut code = 0;
    while code < 63 {
        let step = (code as u8).saturating_sub(8) / 8;
        table[code] = if code < 8 { code as u8 } else { 8 + if step < 6 { step } else { 6 } };
        code += 1;
    }
    table
};

/// Neighbours of each cell of a block: `at(i)` in steps back of 1, near, far, 2 near and 2 far. A margin as
/// long as the block stands for what lies before it.
#[derive(Clone, Copy)]
struct Steps {
    margin: usize,
    one: usize,
    near: usize,
    far: usize,
    near2: usize,
    far2: usize,
}

impl Steps {
    fn new(reach: Reach, cells: usize) -> Steps {
        let limit = |k: u32, times: usize| (k as usize).saturating_mul(times).min(cells);
        Steps {
            margin: cells,
            one: 1,
            near: limit(reach.near, 1),
            far: limit(reach.far, 1),
            near2: limit(reach.near, 2),
            far2: limit(reach.far, 2),
        }
    }

    /// The features of a cell for its WDL symbol; `w` begins with the margin.
    #[inline(always)]
    fn wdl(&self, w: &[u8], i: usize, side: usize) -> [u8; 6] {
        let at = i + self.margin;
        [
            side as u8,
            w[at - self.far],
            w[at - self.near],
            w[at - self.one],
            w[at - self.near2],
            w[at - self.far2],
        ]
    }

    /// The features of a cell for its distance; `codes` begins with the margin.
    #[inline(always)]
    fn distance(&self, codes: &[u8], i: usize, side: usize, wdl: u8) -> [u8; 4] {
        let at = i + self.margin;
        let coarse = COARSE[usize::from(codes[at - self.one] & 63)];
        [2 * side as u8 + u8::from(wdl == WON), codes[at - self.far], codes[at - self.near], coarse]
    }
}

#[inline(always)]
fn key(features: [u8; 6]) -> usize {
    features.iter().fold(0, |key, &f| key << 2 | usize::from(f & 3))
}

impl Model {
    /// Reads the model part of a file.
    pub(crate) fn read(mut data: &[u8], distances: bool, reach: Reach) -> Result<Model, Fault> {
        let wdl = Tree::read(&mut data, WDL)?;
        let distance = if distances { Some(Tree::read(&mut data, DISTANCE)?) } else { None };
        if !data.is_empty() {
            return Err(content("bytes follow the model"));
        }
        let wdl_nodes = (0..2usize << 10)
            .map(|key| {
                let features: [u8; 6] = std::array::from_fn(|i| (key >> (10 - 2 * i) & 3) as u8);
                wdl.find(&features)
            })
            .collect();
        Ok(Model { reach, wdl, wdl_nodes, distance })
    }

    /// The form that `read` reads.
    pub(crate) fn bytes(wdl: &Plain, distance: Option<&Plain>) -> Vec<u8> {
        let mut out = vec![];
        wdl.write(WDL, 0, &mut out);
        if let Some(distance) = distance {
            distance.write(DISTANCE, 0, &mut out);
        }
        out
    }

    /// WDL symbols of a block behind a margin; don't-cares get what is cheapest.
    fn resolve(&self, cells: &[Cell], side: usize, w: &mut Vec<u8>) {
        let steps = Steps::new(self.reach, cells.len());
        w.clear();
        w.resize(cells.len(), OUTSIDE_WDL);
        for (i, cell) in cells.iter().enumerate() {
            let symbol = match cell.wdl() {
                Some(symbol) => symbol,
                // Escaped symbols can be 3, which is no symbol of a cell.
                None => (self.wdl.cheapest(self.wdl_nodes[key(steps.wdl(w, i, side))]) as u8).min(WON),
            };
            w.push(symbol);
        }
    }

    /// Codes the win/draw/loss of a block.
    pub(crate) fn encode_wdl(&self, cells: &[Cell], side: usize, scratch: &mut Scratch, out: &mut Vec<u8>) {
        let steps = Steps::new(self.reach, cells.len());
        let Scratch { w, encoder, .. } = scratch;
        self.resolve(cells, side, w);
        for i in 0..cells.len() {
            let node = self.wdl_nodes[key(steps.wdl(w, i, side))];
            self.wdl.encode(node, u16::from(w[i + steps.margin]), encoder);
        }
        encoder.finish(out);
    }

    /// Codes the distances of a block. Without a distance tree this codes nothing.
    pub(crate) fn encode_distance(
        &self,
        cells: &[Cell],
        side: usize,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) {
        let Some(tree) = &self.distance else { return };
        let steps = Steps::new(self.reach, cells.len());
        let Scratch { w, codes, encoder } = scratch;
        self.resolve(cells, side, w);
        codes.clear();
        codes.resize(cells.len(), OUTSIDE_CODE);
        for (i, cell) in cells.iter().enumerate() {
            let wdl = w[i + steps.margin];
            if wdl == DRAW {
                codes.push(0);
                continue;
            }
            let node = tree.find(&steps.distance(codes, i, side, wdl));
            let distance = if cell.wdl().is_some() { cell.distance() } else { tree.cheapest(node) };
            tree.encode(node, distance, encoder);
            codes.push(code(distance));
        }
        encoder.finish(out);
    }

    /// The first `wanted` WDL symbols of a block of so many cells; `None` if it is damaged.
    pub(crate) fn decode_wdl(
        &self,
        data: &[u8],
        side: usize,
        cells: usize,
        wanted: usize,
    ) -> Option<Box<[u8]>> {
        let mut decoder = Decoder::new(data)?;
        let steps = Steps::new(self.reach, cells);
        let mut w = vec![OUTSIDE_WDL; cells + wanted];
        for i in 0..wanted {
            let node = self.wdl_nodes[key(steps.wdl(&w, i, side))];
            let symbol = self.wdl.decode(node, &mut decoder) as u8;
            if symbol > WON {
                return None;
            }
            w[i + cells] = symbol;
        }
        (wanted < cells || decoder.finished()).then(|| w.split_off(cells).into_boxed_slice())
    }

    /// The first cells of a block, as many as WDL symbols are given; `None` if it is damaged or there are no
    /// distances.
    pub(crate) fn decode_distance(
        &self,
        data: &[u8],
        side: usize,
        cells: usize,
        wdl: &[u8],
    ) -> Option<Box<[Cell]>> {
        let tree = self.distance.as_ref()?;
        let mut decoder = Decoder::new(data)?;
        let steps = Steps::new(self.reach, cells);
        let mut codes = vec![OUTSIDE_CODE; cells + wdl.len()];
        let mut out = vec![Cell::DRAW; wdl.len()].into_boxed_slice();
        for i in 0..wdl.len() {
            if wdl[i] == DRAW {
                codes[i + cells] = 0;
                continue;
            }
            let node = tree.find(&steps.distance(&codes, i, side, wdl[i]));
            let distance = tree.decode(node, &mut decoder);
            codes[i + cells] = code(distance);
            out[i] = Cell::from_parts(wdl[i], distance);
        }
        (wdl.len() < cells || decoder.finished()).then_some(out)
    }
}

/// Buffers that are used again from block to block.
#[derive(Default)]
pub(crate) struct Scratch {
    w: Vec<u8>,
    codes: Vec<u8>,
    encoder: Encoder,
}

/// What a sample block teaches: observations for the WDL tree and for the distance tree.
pub(crate) fn observe(
    cells: &[Cell],
    side: usize,
    reach: Reach,
    wdl: &mut Vec<u64>,
    distance: &mut Vec<u64>,
) {
    let steps = Steps::new(reach, cells.len());
    let mut w = vec![OUTSIDE_WDL; cells.len()];
    let mut codes = vec![OUTSIDE_CODE; cells.len()];
    for (i, cell) in cells.iter().enumerate() {
        let Some(symbol) = cell.wdl() else {
            // Not yet known what it will become: most likely what its far neighbour is.
            let at = i + steps.margin - steps.far;
            let like = if w[at] == OUTSIDE_WDL { (DRAW, 0) } else { (w[at], codes[at]) };
            w.push(like.0);
            codes.push(like.1);
            continue;
        };
        wdl.push(observation(&steps.wdl(&w, i, side), u16::from(symbol)));
        w.push(symbol);
        if symbol == DRAW {
            codes.push(0);
        } else {
            distance.push(observation(&steps.distance(&codes, i, side, symbol), cell.distance()));
            codes.push(code(cell.distance()));
        }
    }
}

/// The checksum of a numbered piece of a file.
pub(crate) fn checksum(number: u64, data: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&number.to_le_bytes());
    hasher.update(data);
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::{count, train};
    use proptest::prelude::*;

    fn model(cells: &[Cell], reach: Reach) -> Model {
        let (mut wdl, mut distance) = (vec![], vec![]);
        observe(cells, 1, reach, &mut wdl, &mut distance);
        let plain = (train(&count(wdl), WDL, 1).0, train(&count(distance), DISTANCE, 1).0);
        Model::read(&Model::bytes(&plain.0, Some(&plain.1)), true, reach).unwrap()
    }

    fn cell() -> impl Strategy<Value = Cell> {
        prop_oneof![
            Just(Cell::DRAW),
            Just(Cell::ANY),
            (0..9u32).prop_map(Cell::win),
            (0..=4095u32).prop_map(Cell::loss)
        ]
    }

    proptest! {
        #[test]
        fn blocks_come_back(
            teach in prop::collection::vec(cell(), 0..400),
            cells in prop::collection::vec(cell(), 1..400),
            near in 1u32..50,
            far in 1u32..10_000,
        ) {
            let reach = Reach { near, far };
            let model = model(&teach, reach);
            let (mut scratch, mut w, mut d) = (Scratch::default(), vec![], vec![]);
            model.encode_wdl(&cells, 1, &mut scratch, &mut w);
            model.encode_distance(&cells, 1, &mut scratch, &mut d);
            let wdl = model.decode_wdl(&w, 1, cells.len(), cells.len()).unwrap();
            let back = model.decode_distance(&d, 1, cells.len(), &wdl).unwrap();
            // A part is the front of the whole.
            let part = cells.len() / 2;
            prop_assert_eq!(&*model.decode_wdl(&w, 1, cells.len(), part).unwrap(), &wdl[..part]);
            prop_assert_eq!(&*model.decode_distance(&d, 1, cells.len(), &wdl[..part]).unwrap(), &back[..part]);
            for (cell, (&symbol, &found)) in cells.iter().zip(wdl.iter().zip(&back)) {
                if *cell != Cell::ANY {
                    prop_assert_eq!(cell.wdl(), Some(symbol));
                    prop_assert_eq!(*cell, found);
                }
            }
            // The state at the end tells of data that are too short or too long.
            prop_assert!(model.decode_wdl(&w[..w.len() - 1], 1, cells.len(), cells.len()).is_none());
            w.push(0);
            prop_assert!(model.decode_wdl(&w, 1, cells.len(), cells.len()).is_none());
        }
    }

    #[test]
    fn codes_of_neighbours_are_as_documented() {
        assert_eq!([0, 1, 47, 48, 63, 64, 255, 256, 4095].map(code), [1, 2, 48, 49, 49, 50, 61, 62, 62]);
        assert_eq!(
            [0, 7, 8, 15, 16, 55, 56, 62, 63].map(|c: usize| COARSE[c]),
            [0, 7, 8, 8, 9, 13, 14, 14, 15]
        );
    }
}
