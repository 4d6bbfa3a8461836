//! Blocks: the same run of cells for both sides to move, coded symbol by symbol in the context of their neighbours.

use crate::error::{Fault, content};
use crate::header::Held;
use crate::model::{DISTANCE, Plain, Tree, WDL};
use crate::rans::{Decoder, Encoder};
use crate::train::observation;
use crate::value::{Cell, DRAW, WON};

/// Stands for a neighbour outside the block in WDL symbols.
const OUTSIDE: u8 = 3;
/// The symbol of a don't-care in distance blocks: one more than any distance.
pub(crate) const NONE: u16 = 4096;

/// How far away the neighbours are that a cell is coded by, in cells: the row before, a row further off, and squares of a
/// rank of the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reach {
    pub(crate) near: u32,
    pub(crate) far: u32,
    pub(crate) up: u32,
}

/// The model of a file, ready for coding its blocks.
#[derive(Debug)]
pub(crate) struct Model {
    reach: Reach,
    held: Held,
    /// The side to move whose cells come first.
    first: usize,
    /// Of the side that comes first, and of the other.
    wdl: [Tree; 2],
    /// The nodes of `wdl` by all their features at once.
    nodes: [Vec<u32>; 2],
    /// The same nodes, where a symbol is found without a search.
    short: [Vec<Short>; 2],
    distance: Option<Tree>,
}

/// A node of at most three symbols: where they end, and which they are. What lies behind them is an escape.
#[derive(Clone, Copy, Debug)]
struct Short {
    ends: [u16; 3],
    symbols: [u8; 3],
}

impl Short {
    fn new(entries: &[(u16, u16)]) -> Short {
        let mut short = Short { ends: [0; 3], symbols: [0; 3] };
        let (mut end, mut listed) = (0, entries.iter());
        for (e, symbol) in short.ends.iter_mut().zip(&mut short.symbols) {
            if let Some(&(s, freq)) = listed.next() {
                (end, *symbol) = (end + freq, s as u8);
            }
            *e = end;
        }
        short
    }
}

/// Codes of neighbours that are no distances: another outcome, a don't-care, outside the block.
const OTHER: u8 = 61;
const CARELESS: u8 = 62;
const BEYOND: u8 = 63;
/// Is added to the codes of wins.
const WIN: u8 = 64;

/// The code by which a stored number serves as a neighbour.
#[inline]
fn code(number: u16) -> u8 {
    match number {
        0..16 => number as u8,
        16..96 => 16 + ((number - 16) / 2) as u8,
        NONE => CARELESS,
        _ => 56 + ((number - 96) / 32).min(4) as u8,
    }
}

/// What a decided cell with a stored number is as a neighbour.
#[inline(always)]
fn mark(number: u16, won: bool) -> u8 {
    let code = code(number);
    if won && code < OTHER { code + WIN } else { code }
}

/// The two parts of a block with params as long as they are, which stand for what lies outside.
#[derive(Clone, Copy)]
struct Places {
    cells: usize,
}

impl Places {
    const ALL: usize = 4;

    /// Where the first cell of a part stands.
    #[inline(always)]
    fn part(self, part: usize) -> usize {
        (1 + 2 * part) * self.cells
    }

    /// Where a symbol stands: those of the first part come first.
    #[inline(always)]
    fn of(self, symbol: usize) -> (usize, usize) {
        let part = usize::from(symbol >= self.cells);
        (part, self.part(part) + symbol - part * self.cells)
    }
}

/// The places of neighbours, in cells.
#[derive(Clone, Copy)]
struct Steps {
    near: usize,
    far: usize,
    up: usize,
    two: usize,
    near2: usize,
    near_up: usize,
    far1: usize,
    far_near: usize,
    /// From a cell of the second part to that of the first.
    other: usize,
}

impl Steps {
    fn new(reach: Reach, cells: usize) -> Steps {
        let [near, far, up] = [reach.near, reach.far, reach.up].map(|k| k as usize);
        let limit = |k: usize| k.min(cells);
        Steps {
            near: limit(near),
            far: limit(far),
            up: limit(up),
            two: limit(2),
            near2: limit(near.saturating_mul(2)),
            near_up: limit(near.saturating_mul(up)),
            far1: limit(far.saturating_add(1)),
            far_near: limit(far.saturating_add(near)),
            other: 2 * cells,
        }
    }

    /// The key of a cell of the first part for its WDL symbol.
    #[inline(always)]
    fn first(&self, w: &[u8], at: usize) -> [u8; 6] {
        [
            w[at - self.far],
            w[at - self.near],
            w[at - 1],
            w[at - self.up],
            w[at - self.near_up],
            w[at - self.near2],
        ]
    }

    /// The key of a cell of the second part for its WDL symbol.
    #[inline(always)]
    fn second(&self, w: &[u8], at: usize) -> [u8; 7] {
        let other = at - self.other;
        [
            w[other],
            w[other + self.near],
            w[other + 1],
            w[at - self.near],
            w[at - 1],
            w[other - self.near],
            w[other - 1],
        ]
    }

    /// The features of a decided cell for its distance.
    #[inline(always)]
    fn distance(&self, codes: &[u8], at: usize, side: usize, won: bool) -> [u8; 5] {
        let care = |k: usize| match codes[at - k] {
            CARELESS => 1,
            BEYOND => 2,
            _ => 0,
        };
        let win = if won { WIN } else { 0 };
        let like = |places: [usize; 3]| {
            let codes = places.map(|k| codes[at - k]);
            let alike = codes.into_iter().map(|code| code ^ win).find(|&code| code < OTHER);
            alike.unwrap_or(if codes[0] < CARELESS || codes[0] > BEYOND { OTHER } else { codes[0] })
        };
        [
            2 * side as u8 + u8::from(won),
            9 * care(self.near) + 3 * care(1) + care(self.far),
            like([self.near, self.near2, self.near_up]),
            like([self.far, self.far1, self.far_near]),
            like([1, self.two, self.up]),
        ]
    }
}

#[inline(always)]
fn key<const N: usize>(features: [u8; N]) -> usize {
    features.iter().fold(0, |key, &f| key << 2 | usize::from(f & 3))
}

fn features<const N: usize>(key: usize) -> [u8; N] {
    std::array::from_fn(|i| (key >> (2 * (N - 1 - i)) & 3) as u8)
}

impl Model {
    /// Reads the model part of a file.
    pub(crate) fn read(mut data: &[u8], held: Held, reach: Reach, first: usize) -> Result<Model, Fault> {
        let wdl = [Tree::read(&mut data, WDL[0])?, Tree::read(&mut data, WDL[1])?];
        let distance = if held.any() { Some(Tree::read(&mut data, DISTANCE)?) } else { None };
        if !data.is_empty() {
            return Err(content("bytes follow the model"));
        }
        let nodes = [
            (0..1 << 12).map(|key| wdl[0].find(&features::<6>(key))).collect(),
            (0..1 << 14).map(|key| wdl[1].find(&features::<7>(key))).collect(),
        ];
        let short = [0, 1].map(|part: usize| wdl[part].entries().map(|e| Short::new(&e)).collect());
        Ok(Model { reach, held, first, wdl, nodes, short, distance })
    }

    /// What there is for each side to move, that of the side that comes first first.
    pub(crate) fn parts<T>(&self, of: [T; 2]) -> [T; 2] {
        let [white, black] = of;
        if self.first == 0 { [white, black] } else { [black, white] }
    }

    /// The form that `read` reads.
    pub(crate) fn bytes(wdl: &[Plain; 2], distance: Option<&Plain>) -> Vec<u8> {
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
    fn wdl_node(&self, steps: &Steps, w: &[u8], part: usize, at: usize) -> u32 {
        if part == 0 {
            self.nodes[0][key(steps.first(w, at))]
        } else {
            self.nodes[1][key(steps.second(w, at))]
        }
    }

    /// WDL symbols of a block with its params; don't-cares get what is cheapest. `then` is told each symbol and its node.
    fn resolve(&self, cells: [&[Cell]; 2], w: &mut Vec<u8>, mut then: impl FnMut(usize, u32, u8)) {
        let places = Places { cells: cells[0].len() };
        let steps = Steps::new(self.reach, places.cells);
        w.clear();
        w.resize(Places::ALL * places.cells, OUTSIDE);
        for part in [0, 1] {
            for (at, cell) in (places.part(part)..).zip(cells[part]) {
                let node = self.wdl_node(&steps, w, part, at);
                // Escaped symbols can be 3, which is no symbol of a cell.
                let symbol = cell.wdl().unwrap_or_else(|| (self.wdl[part].cheapest(node) as u8).min(WON));
                w[at] = symbol;
                then(part, node, symbol);
            }
        }
    }

    /// Codes the win/draw/loss of a block: the cells of the side that comes first, then those of the other.
    pub(crate) fn encode_wdl(&self, cells: [&[Cell]; 2], scratch: &mut Scratch, out: &mut Vec<u8>) {
        let Scratch { w, encoder, .. } = scratch;
        self.resolve(cells, w, |part, node, symbol| {
            self.wdl[part].encode(node, u16::from(symbol), encoder);
        });
        encoder.finish(out);
    }

    /// Codes the distances of a block. Without a distance tree this codes nothing.
    ///
    /// # Errors
    /// If a distance is not one that steps of several plies can tell.
    pub(crate) fn encode_distance(
        &self,
        cells: [&[Cell]; 2],
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let Some(tree) = &self.distance else { return Ok(()) };
        let places = Places { cells: cells[0].len() };
        let steps = Steps::new(self.reach, places.cells);
        let Scratch { w, codes, encoder } = scratch;
        self.resolve(cells, w, |_, _, _| {});
        codes.clear();
        codes.resize(Places::ALL * places.cells, BEYOND);
        for part in [0, 1] {
            for (at, cell) in (places.part(part)..).zip(cells[part]) {
                let wdl = w[at];
                if !self.held.with(wdl) {
                    codes[at] = OTHER;
                    continue;
                }
                let won = wdl == WON;
                let node = tree.find(&steps.distance(codes, at, part ^ self.first, won));
                let number = match number(*cell, self.held)? {
                    // Whatever else is likely here does as well.
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

    /// The first `wanted` WDL symbols of a block of so many cells for each side to move; `None` if it is damaged.
    pub(crate) fn decode_wdl(&self, data: &[u8], cells: usize, wanted: usize) -> Option<Box<[u8]>> {
        let mut decoder = Decoder::new(data)?;
        let places = Places { cells };
        let steps = Steps::new(self.reach, cells);
        let mut w = vec![OUTSIDE; Places::ALL * cells];
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
        let Short { ends, symbols } = self.short[part][node as usize];
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

    /// The numbers of a block, as many as WDL symbols are given: [`NONE`] where there is no distance. `None` if it is damaged
    /// or the table holds none.
    pub(crate) fn decode_distance(&self, data: &[u8], cells: usize, wdl: &[u8]) -> Option<Box<[u16]>> {
        let tree = self.distance.as_ref()?;
        let mut decoder = Decoder::new(data)?;
        let places = Places { cells };
        let steps = Steps::new(self.reach, cells);
        let mut codes = vec![BEYOND; Places::ALL * cells];
        let mut out = vec![NONE; wdl.len()].into_boxed_slice();
        for (symbol, (&wdl, number)) in wdl.iter().zip(&mut out).enumerate() {
            let (part, at) = places.of(symbol);
            if !self.held.with(wdl) {
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
fn number(cell: Cell, held: Held) -> Result<u16, Fault> {
    let step = u16::from(held.step());
    match cell.wdl() {
        None => Ok(NONE),
        Some(_) if step > 1 && !cell.distance().is_multiple_of(2) => Err(Fault::Odd(cell.distance())),
        Some(_) => Ok(cell.distance() / step),
    }
}

/// Buffers that are used again from block to block.
#[derive(Default)]
pub(crate) struct Scratch {
    w: Vec<u8>,
    codes: Vec<u8>,
    encoder: Encoder,
}

/// What sample blocks teach, by side to move.
#[derive(Default)]
pub(crate) struct Observations {
    /// For the WDL trees of a side whose cells come first, and second.
    pub(crate) wdl: [[Vec<u64>; 2]; 2],
    pub(crate) distance: [Vec<u64>; 2],
}

/// Learns from a block; cells are by side to move.
///
/// # Errors
/// If a distance is not one that steps of several plies can tell.
pub(crate) fn observe(
    cells: [&[Cell]; 2],
    held: Held,
    reach: Reach,
    seen: &mut Observations,
) -> Result<(), Fault> {
    let n = cells[0].len();
    let (places, steps) = (Places { cells: n }, Steps::new(reach, n));
    for first in [0, 1] {
        let mut w = vec![OUTSIDE; Places::ALL * n];
        for part in [0, 1] {
            let side = part ^ first;
            for (at, cell) in (places.part(part)..).zip(cells[side]) {
                let Some(symbol) = cell.wdl() else {
                    // Not yet known what it will become: most likely what its neighbour is.
                    let like = [w[at - steps.near], w[at - 1], DRAW].into_iter().find(|&w| w != OUTSIDE);
                    w[at] = like.unwrap_or(DRAW);
                    continue;
                };
                let symbol = u16::from(symbol);
                seen.wdl[side][part].push(if part == 0 {
                    observation(&steps.first(&w, at), symbol)
                } else {
                    observation(&steps.second(&w, at), symbol)
                });
                w[at] = symbol as u8;
            }
        }
        // Distances do not depend on which side comes first.
        if held.any() && first == 0 {
            observe_distances(cells, held, &steps, &w, &mut seen.distance)?;
        }
    }
    Ok(())
}

fn observe_distances(
    cells: [&[Cell]; 2],
    held: Held,
    steps: &Steps,
    w: &[u8],
    seen: &mut [Vec<u64>; 2],
) -> Result<(), Fault> {
    let places = Places { cells: cells[0].len() };
    let mut codes = vec![BEYOND; w.len()];
    for side in [0, 1] {
        for (at, cell) in (places.part(side)..).zip(cells[side]) {
            if !held.with(w[at]) {
                codes[at] = OTHER;
                continue;
            }
            let won = w[at] == WON;
            let number = number(*cell, held)?;
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
    use crate::train::{count, train};
    use proptest::prelude::*;

    fn model(cells: [&[Cell]; 2], held: Held, reach: Reach) -> Model {
        let mut seen = Observations::default();
        observe(cells, held, reach, &mut seen).unwrap();
        let [[_, second], [first, _]] = seen.wdl;
        let wdl = [train(&count(first), WDL[0], 1).0, train(&count(second), WDL[1], 1).0];
        let distance = train(&count(seen.distance.concat()), DISTANCE, 1).0;
        Model::read(&Model::bytes(&wdl, held.any().then_some(&distance)), held, reach, 1).unwrap()
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
            held in prop_oneof![
                Just(Held::All),
                Just(Held::Lost { step: 1 }),
                Just(Held::Lost { step: crate::header::WIDE_STEP })
            ],
        ) {
            let reach = Reach { near, far, up };
            let (a, b): (Vec<Cell>, Vec<Cell>) = teach.into_iter().unzip();
            let model = model([&a, &b], held, reach);
            let (a, b): (Vec<Cell>, Vec<Cell>) = cells.into_iter().unzip();
            let n = a.len();
            let (mut scratch, mut w, mut d) = (Scratch::default(), vec![], vec![]);
            model.encode_wdl([&a, &b], &mut scratch, &mut w);
            model.encode_distance([&a, &b], &mut scratch, &mut d).unwrap();
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
                    let expected = if held.with(symbol) { cell.distance() / u16::from(held.step()) } else { NONE };
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
        let held = Held::Lost { step: crate::header::WIDE_STEP };
        let reach = Reach { near: 1, far: 1, up: 1 };
        let even = [Cell::loss(2), Cell::loss(4), Cell::win(3)];
        let model = model([&even, &even], held, reach);
        let encode =
            |cells: [&[Cell]; 2]| model.encode_distance(cells, &mut Scratch::default(), &mut vec![]).is_ok();
        assert!(encode([&even, &even]));
        assert!(!encode([&even, &[Cell::loss(2), Cell::DRAW, Cell::loss(7)]]));
    }

    #[test]
    fn codes_of_neighbours_are_as_documented() {
        let numbers = [0, 15, 16, 17, 18, 95, 96, 127, 128, 223, 224, 4095, NONE];
        assert_eq!(numbers.map(code), [0, 15, 16, 16, 17, 55, 56, 56, 57, 59, 60, 60, 62]);
    }
}
