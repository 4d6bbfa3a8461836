//! Blocks: the same run of cells for both sides to move, coded symbol by symbol in the context of their neighbours.

use crate::distances::Distances;
use crate::error::{Fault, content};
use crate::header::NeighbourOffsets;
use crate::model::{DISTANCE, NodeData, Tree, WDL};
use crate::neighbours::{BEYOND, NONE, Neighbours, OTHER, PaddedBlock, features, key, mark};
use crate::rans::{Decoder, Encoder};
use crate::train::{count, observation};
use crate::value::{Cell, DRAW, WON};

/// Stands for a neighbour outside the block in WDL symbols.
const OUTSIDE: u8 = 3;
/// The model of a file, ready for coding its blocks.
#[derive(Debug)]
pub(crate) struct Model {
    neighbours: NeighbourOffsets,
    distances: Distances,
    /// The side to move whose cells come first.
    first: usize,
    /// Of the side that comes first, and of the other.
    wdl: [Tree; 2],
    /// The nodes of `wdl` by [`key`].
    nodes: [Vec<u32>; 2],
    /// The nodes of `wdl`, for finding a symbol or its slots without a search.
    small: [Vec<SmallNode>; 2],
    distance: Option<Tree>,
}

/// A node of at most three symbols, and where each of them ends. Behind them is the escape.
#[derive(Clone, Copy, Debug)]
struct SmallNode {
    ends: [u16; 3],
    symbols: [u8; 3],
    /// By symbol: its start and frequency; a frequency of 0 if it is not listed.
    slots: [(u16, u16); 3],
}

impl SmallNode {
    fn new(entries: &[(u16, u16)]) -> SmallNode {
        let mut node = SmallNode { ends: [0; 3], symbols: [0; 3], slots: [(0, 0); 3] };
        let (mut end, mut listed) = (0, entries.iter());
        for (e, symbol) in node.ends.iter_mut().zip(&mut node.symbols) {
            if let Some(&(s, freq)) = listed.next() {
                if let Some(slot) = node.slots.get_mut(usize::from(s)) {
                    *slot = (end, freq);
                }
                (end, *symbol) = (end + freq, s as u8);
            }
            *e = end;
        }
        node
    }
}

impl Model {
    /// Reads the model part of a file.
    pub(crate) fn read(
        mut data: &[u8],
        distances: Distances,
        neighbours: NeighbourOffsets,
        first: usize,
    ) -> Result<Model, Fault> {
        let wdl = [Tree::read(&mut data, WDL[0])?, Tree::read(&mut data, WDL[1])?];
        let distance = if distances.any() { Some(Tree::read(&mut data, DISTANCE)?) } else { None };
        if !data.is_empty() {
            return Err(content("bytes follow the model"));
        }
        let nodes = [
            (0..1 << 12).map(|key| wdl[0].find(&features::<6>(key))).collect(),
            (0..1 << 14).map(|key| wdl[1].find(&features::<7>(key))).collect(),
        ];
        let small = [0, 1].map(|part: usize| wdl[part].entries().map(|e| SmallNode::new(&e)).collect());
        Ok(Model { neighbours, distances, first, wdl, nodes, small, distance })
    }

    /// A pair by side to move, with that of the side that comes first in a block first.
    pub(crate) fn parts<T>(&self, of: [T; 2]) -> [T; 2] {
        let [white, black] = of;
        if self.first == 0 { [white, black] } else { [black, white] }
    }

    /// The bytes that [`read`](Model::read) reads.
    pub(crate) fn bytes(wdl: &[NodeData; 2], distance: Option<&NodeData>) -> Vec<u8> {
        let mut out = vec![];
        for (tree, shape) in wdl.iter().zip(WDL) {
            tree.write(shape, 0, &mut out);
        }
        if let Some(distance) = distance {
            distance.write(DISTANCE, 0, &mut out);
        }
        out
    }

    #[inline(always)]
    fn wdl_node(&self, steps: &Neighbours, w: &[u8], part: usize, at: usize) -> u32 {
        if part == 0 {
            self.nodes[0][key(steps.first(w, at))]
        } else {
            self.nodes[1][key(steps.second(w, at))]
        }
    }

    /// Codes the win/draw/loss of a block: the cells of the side that comes first, then those of the other. Don't-cares become
    /// the cheapest symbol. Leaves the symbols with their padding in the buffers.
    fn encode_wdl(&self, cells: [&[Cell]; 2], buffers: &mut Buffers, out: &mut Vec<u8>) {
        let Buffers { wdl: w, encoder, .. } = buffers;
        let places = PaddedBlock { cells: cells[0].len() };
        let steps = Neighbours::new(self.neighbours, places.cells);
        w.clear();
        w.resize(places.len(), OUTSIDE);
        for part in [0, 1] {
            for (at, cell) in (places.part(part)..).zip(cells[part]) {
                let node = self.wdl_node(&steps, w, part, at);
                // Escaped symbols can be 3, which is not a symbol of a cell.
                let symbol = cell.wdl().unwrap_or_else(|| (self.wdl[part].cheapest(node) as u8).min(WON));
                match self.small[part][node as usize].slots[usize::from(symbol)] {
                    (_, 0) => self.wdl[part].encode(node, u16::from(symbol), encoder),
                    (start, freq) => encoder.add(start, freq),
                }
                w[at] = symbol;
            }
        }
        encoder.finish(out);
    }

    /// Codes a block: its win/draw/loss, and its distances if the table has any.
    ///
    /// # Errors
    /// If a distance is odd and two share a number.
    pub(crate) fn encode(
        &self,
        cells: [&[Cell]; 2],
        buffers: &mut Buffers,
        wdl: &mut Vec<u8>,
        distance: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        self.encode_wdl(cells, buffers, wdl);
        match &self.distance {
            Some(tree) => self.encode_distance(tree, cells, buffers, distance),
            None => Ok(()),
        }
    }

    /// Codes the distances of a block whose symbols are in the buffers.
    fn encode_distance(
        &self,
        tree: &Tree,
        cells: [&[Cell]; 2],
        buffers: &mut Buffers,
        out: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let places = PaddedBlock { cells: cells[0].len() };
        let steps = Neighbours::new(self.neighbours, places.cells);
        let Buffers { wdl: w, codes, encoder } = buffers;
        codes.clear();
        codes.resize(places.len(), BEYOND);
        for part in [0, 1] {
            for (at, cell) in (places.part(part)..).zip(cells[part]) {
                let wdl = w[at];
                if !self.distances.held_of(wdl) {
                    codes[at] = OTHER;
                    continue;
                }
                let won = wdl == WON;
                let node = tree.find(&steps.distance(codes, at, part ^ self.first, won));
                let number = match number(*cell, self.distances)? {
                    // A symbol that is likely here does as well.
                    NONE if !tree.lists(node, NONE) => tree.cheapest(node),
                    number => number,
                };
                tree.encode(node, number, encoder);
                codes[at] = mark(number, won);
            }
        }
        encoder.finish(out);
        Ok(())
    }

    /// The first `wanted` WDL symbols of a block of `cells` cells for each side to move; `None` if it is damaged.
    pub(crate) fn decode_wdl(&self, data: &[u8], cells: usize, wanted: usize) -> Option<Box<[u8]>> {
        let mut decoder = Decoder::new(data)?;
        let places = PaddedBlock { cells };
        let steps = Neighbours::new(self.neighbours, cells);
        let mut w = vec![OUTSIDE; places.len()];
        for part in [0, 1] {
            let begin = places.part(part);
            for at in begin..begin + wanted.saturating_sub(part * cells).min(cells) {
                let node = self.wdl_node(&steps, &w, part, at);
                let symbol = self.wdl_symbol(part, node, &mut decoder);
                if symbol > WON {
                    return None;
                }
                w[at] = symbol;
            }
        }
        let mut out = w[cells..2 * cells].to_vec();
        out.extend_from_slice(&w[3 * cells..4 * cells]);
        out.truncate(wanted);
        (wanted < 2 * cells || decoder.finished()).then(|| out.into_boxed_slice())
    }

    #[inline(always)]
    fn wdl_symbol(&self, part: usize, node: u32, decoder: &mut Decoder<'_>) -> u8 {
        let SmallNode { ends, symbols, .. } = self.small[part][node as usize];
        let slot = decoder.slot() as u16;
        let passed =
            usize::from(slot >= ends[0]) + usize::from(slot >= ends[1]) + usize::from(slot >= ends[2]);
        if passed == 3 {
            return self.wdl[part].decode(node, decoder).min(0xff) as u8;
        }
        let start = [0, ends[0], ends[1]][passed];
        decoder.advance(u32::from(start), u32::from(ends[passed] - start));
        symbols[passed]
    }

    /// The numbers of a block, one for each given WDL symbol: [`NONE`] where there is no distance. `None` if the block is
    /// damaged or the table holds no distances.
    pub(crate) fn decode_distance(&self, data: &[u8], cells: usize, wdl: &[u8]) -> Option<Box<[u16]>> {
        let tree = self.distance.as_ref()?;
        let mut decoder = Decoder::new(data)?;
        let places = PaddedBlock { cells };
        let steps = Neighbours::new(self.neighbours, cells);
        let mut codes = vec![BEYOND; places.len()];
        let mut out = vec![NONE; wdl.len()].into_boxed_slice();
        for (symbol, (&wdl, number)) in wdl.iter().zip(&mut out).enumerate() {
            let (part, at) = places.place(symbol);
            if !self.distances.held_of(wdl) {
                codes[at] = OTHER;
                continue;
            }
            let won = wdl == WON;
            let node = tree.find(&steps.distance(&codes, at, part ^ self.first, won));
            *number = tree.decode(node, &mut decoder).min(NONE);
            codes[at] = mark(*number, won);
        }
        (wdl.len() < 2 * cells || decoder.finished()).then_some(out)
    }
}

/// The number that stands for a decided cell's distance, [`NONE`] for a don't-care.
fn number(cell: Cell, distances: Distances) -> Result<u16, Fault> {
    let step = u16::from(distances.step());
    match cell.wdl() {
        None => Ok(NONE),
        Some(_) if step > 1 && !cell.distance().is_multiple_of(2) => Err(Fault::Odd(cell.distance())),
        Some(_) => Ok(cell.distance() / step),
    }
}

/// Buffers that are reused from block to block.
#[derive(Default)]
pub(crate) struct Buffers {
    wdl: Vec<u8>,
    codes: Vec<u8>,
    encoder: Encoder,
}

/// How often each WDL symbol was seen with given neighbours, by [`key`] and symbol.
type Tally = Vec<[u32; 3]>;

/// What was seen in sample blocks, by side to move.
pub(crate) struct Observations {
    /// For the WDL trees of a side whose cells come first.
    first: [Tally; 2],
    /// And of one whose cells come second.
    second: [Tally; 2],
    distance: [Vec<u64>; 2],
}

impl Default for Observations {
    fn default() -> Observations {
        let tally = |features: usize| vec![[0; 3]; 1 << (2 * features)];
        Observations { first: [tally(6), tally(6)], second: [tally(7), tally(7)], distance: [vec![], vec![]] }
    }
}

impl Observations {
    /// What was seen, in ascending order, and how often: by side to move for the WDL trees of a side that comes first and
    /// second, then by side to move for distances.
    pub(crate) fn counts(self) -> [Vec<(u64, u64)>; 6] {
        let Observations { first: [a, c], second: [b, d], distance: [white, black] } = self;
        [listed::<6>(&a), listed::<7>(&b), listed::<6>(&c), listed::<7>(&d), count(white), count(black)]
    }
}

/// The entries of a tally that are not 0. Keys and observations have the same order.
fn listed<const FEATURES: usize>(tally: &Tally) -> Vec<(u64, u64)> {
    let mut list = vec![];
    for (key, counts) in tally.iter().enumerate() {
        for (symbol, &n) in (0..).zip(counts) {
            if n > 0 {
                list.push((observation(&features::<FEATURES>(key), symbol), u64::from(n)));
            }
        }
    }
    list
}

/// Learns from a block; cells are by side to move.
///
/// # Errors
/// If a distance is odd and two share a number.
pub(crate) fn observe(
    cells: [&[Cell]; 2],
    distances: Distances,
    neighbours: NeighbourOffsets,
    seen: &mut Observations,
) -> Result<(), Fault> {
    let n = cells[0].len();
    let (places, steps) = (PaddedBlock { cells: n }, Neighbours::new(neighbours, n));
    for first in [0, 1] {
        let mut w = vec![OUTSIDE; places.len()];
        for part in [0, 1] {
            let side = part ^ first;
            for (at, cell) in (places.part(part)..).zip(cells[side]) {
                let Some(symbol) = cell.wdl() else {
                    // What a don't-care becomes is not known yet: most likely the symbol of a neighbour.
                    let like = [w[at - steps.near], w[at - 1], DRAW].into_iter().find(|&w| w != OUTSIDE);
                    w[at] = like.unwrap_or(DRAW);
                    continue;
                };
                let counts = if part == 0 {
                    &mut seen.first[side][key(steps.first(&w, at))]
                } else {
                    &mut seen.second[side][key(steps.second(&w, at))]
                };
                counts[usize::from(symbol)] += 1;
                w[at] = symbol;
            }
        }
        // Distances do not depend on which side comes first.
        if distances.any() && first == 0 {
            observe_distances(cells, distances, &steps, &w, &mut seen.distance)?;
        }
    }
    Ok(())
}

fn observe_distances(
    cells: [&[Cell]; 2],
    distances: Distances,
    steps: &Neighbours,
    w: &[u8],
    seen: &mut [Vec<u64>; 2],
) -> Result<(), Fault> {
    let places = PaddedBlock { cells: cells[0].len() };
    let mut codes = vec![BEYOND; w.len()];
    for side in [0, 1] {
        for (at, cell) in (places.part(side)..).zip(cells[side]) {
            if !distances.held_of(w[at]) {
                codes[at] = OTHER;
                continue;
            }
            let won = w[at] == WON;
            let number = number(*cell, distances)?;
            seen[side].push(observation(&steps.distance(&codes, at, side, won), number));
            codes[at] = mark(number, won);
        }
    }
    Ok(())
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
    use crate::train::{merge, train};
    use proptest::prelude::*;

    fn model(cells: [&[Cell]; 2], distances: Distances, neighbours: NeighbourOffsets) -> Model {
        let mut seen = Observations::default();
        observe(cells, distances, neighbours, &mut seen).unwrap();
        let [_, second, first, _, white, black] = seen.counts();
        let wdl = [train(&first, WDL[0], 1).0, train(&second, WDL[1], 1).0];
        let distance = train(&merge(vec![white, black]), DISTANCE, 1).0;
        Model::read(&Model::bytes(&wdl, distances.any().then_some(&distance)), distances, neighbours, 1)
            .unwrap()
    }

    fn cell() -> impl Strategy<Value = Cell> {
        prop_oneof![
            Just(Cell::DRAW),
            Just(Cell::ANY),
            (0..9u32).prop_map(Cell::win),
            (0..=2047u32).prop_map(|n| Cell::loss(2 * n))
        ]
    }

    proptest! {
        #[test]
        fn blocks_come_back(
            teach in prop::collection::vec((cell(), cell()), 0..300),
            cells in prop::collection::vec((cell(), cell()), 1..300),
            near in 1u32..50,
            far in 1u32..10_000,
            up in 1u32..9,
            distances in prop_oneof![
                Just(Distances::All),
                Just(Distances::Lost),
                Just(Distances::LostInPairs)
            ],
        ) {
            let neighbours = NeighbourOffsets { near, far, up };
            let (a, b): (Vec<Cell>, Vec<Cell>) = teach.into_iter().unzip();
            let model = model([&a, &b], distances, neighbours);
            let (a, b): (Vec<Cell>, Vec<Cell>) = cells.into_iter().unzip();
            let n = a.len();
            let (mut buffers, mut w, mut d) = (Buffers::default(), vec![], vec![]);
            model.encode([&a, &b], &mut buffers, &mut w, &mut d).unwrap();
            let wdl = model.decode_wdl(&w, n, 2 * n).unwrap();
            let back = model.decode_distance(&d, n, &wdl).unwrap();
            // A part is the front of the whole.
            for part in [n / 2, n, n + n / 2] {
                prop_assert_eq!(&*model.decode_wdl(&w, n, part).unwrap(), &wdl[..part]);
                prop_assert_eq!(&*model.decode_distance(&d, n, &wdl[..part]).unwrap(), &back[..part]);
            }
            for (cell, (&symbol, &found)) in a.iter().chain(&b).zip(wdl.iter().zip(&back)) {
                if *cell != Cell::ANY {
                    prop_assert_eq!(cell.wdl(), Some(symbol));
                    let expected = if distances.held_of(symbol) { cell.distance() / u16::from(distances.step()) } else { NONE };
                    prop_assert_eq!(found, expected);
                }
            }
            // The state at the end tells of data that are too short or too long.
            prop_assert!(model.decode_wdl(&w[..w.len() - 1], n, 2 * n).is_none());
            w.push(0);
            prop_assert!(model.decode_wdl(&w, n, 2 * n).is_none());
        }
    }

    #[test]
    fn odd_distances_are_not_for_wide_steps() {
        let neighbours = NeighbourOffsets { near: 1, far: 1, up: 1 };
        let even = [Cell::loss(2), Cell::loss(4), Cell::win(3)];
        let model = model([&even, &even], Distances::LostInPairs, neighbours);
        let encode = |cells: [&[Cell]; 2]| {
            model.encode(cells, &mut Buffers::default(), &mut vec![], &mut vec![]).is_ok()
        };
        assert!(encode([&even, &even]));
        assert!(!encode([&even, &[Cell::loss(2), Cell::DRAW, Cell::loss(7)]]));
    }
}
