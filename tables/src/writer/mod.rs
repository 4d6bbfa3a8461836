//! Writes table files: in parallel, and the same bytes for the same values.

mod aside;
mod helpers;

use crate::atomic::AtomicFile;
use crate::block::{Buffers, Model, Observations, checksum, observe};
use crate::error::{Fault, TableError};
use crate::header::{BLOCK_CELLS, Header, NeighbourOffsets, Trailer};
use crate::index::{Index, Plane};
use crate::metadata::{Counts, LongestWin, Metadata};
use crate::model::{DISTANCE, WDL};
use crate::orbits::{Counted, Orbits};
use crate::scheme::Scheme;
use crate::train::{merge, train};
use crate::value::{Cell, DRAW, WON};
use aside::Aside;
use helpers::{Nobody, incomplete, put_counts, received, take_counts};
use jewel_engine::value::Side;
use rayon::prelude::*;
use std::io::{self, Write};
use std::path::Path;

pub use crate::distances::Distances;
pub use helpers::{Helpers, Leader};

/// The source of the values that are written.
pub trait Values: Sync {
    /// Fills in the values of the positions of a plane with `turn` to move. `cells` is as long as the plane and full of
    /// [`Cell::ANY`]. It is called from many threads, once or more often for each plane, and must give the same values
    /// each time.
    fn fill(&self, plane: &Plane, turn: Side, cells: &mut [Cell]);
}

impl<F: Fn(&Plane, Side, &mut [Cell]) + Sync> Values for F {
    fn fill(&self, plane: &Plane, turn: Side, cells: &mut [Cell]) {
        self(plane, turn, cells);
    }
}

/// What a file says besides the values, and how it stores them.
#[derive(Clone, Debug)]
pub struct Options {
    /// The fingerprint of the rules.
    pub fingerprint: u64,
    /// The id of the game, for the metadata.
    pub game: String,
    /// The name of the class, for the metadata; empty for the groups in the order of the scheme.
    pub class: String,
    /// Whether the class is its own exchange of sides by a symmetry that the scheme leaves out, for the metadata.
    pub alike: bool,
    /// The program and its version, for the metadata.
    pub made_by: String,
    /// Which distances to store.
    pub distances: Distances,
    /// Cells of a block for each side to move, 64 to 4096. Larger blocks take a little less space and longer to probe.
    pub block: u32,
}

impl Options {
    /// All distances, and blocks of 3072 cells.
    pub fn new(fingerprint: u64, game: &str, made_by: &str) -> Options {
        let (game, made_by) = (game.to_string(), made_by.to_string());
        Options {
            fingerprint,
            game,
            class: String::new(),
            alike: false,
            made_by,
            distances: Distances::All,
            block: 3072,
        }
    }
}

/// The sizes of a file that was written, and its metadata.
#[derive(Clone, Debug)]
pub struct Written {
    /// The length of the file in bytes.
    pub bytes: u64,
    /// Bytes of the part that holds win/draw/loss, its index included.
    pub wdl_bytes: u64,
    /// Bytes of the model.
    pub model_bytes: u64,
    /// The metadata record.
    pub metadata: Metadata,
}

/// Blocks of one record of the block index.
pub(crate) const RECORD_BLOCKS: u64 = 64;
/// Bytes of a record.
pub(crate) const RECORD: usize = 140;
/// Blocks that one thread codes at a time: whole records.
const TASK_BLOCKS: u64 = RECORD_BLOCKS;
/// Tasks of each process whose output is held in memory before it is written.
const BATCH_TASKS: u64 = 64;
/// Blocks of the sample that are looked at together.
const SAMPLE_CHUNK: usize = 64;
/// About the most cells for one side to move that the model is learned from.
const SAMPLE_CELLS: u64 = 6_000_000;

/// Writes a table, whole or not at all. `progress` is told how many cells were coded since its last call (with distances
/// each cell counts twice) and returns whether to go on. Distances stand behind all of win, draw and loss: while these are
/// coded they wait in memory, and beyond 32 MiB in a file beside the table.
///
/// The bytes depend on scheme, options and values alone, not on the number of threads of the rayon pool.
///
/// # Errors
/// If the scheme or the options are out of range, the file cannot be written, or `progress` returned `false`
/// ([`io::ErrorKind::Interrupted`]). The destination is then as it was.
pub fn write(
    path: &Path,
    scheme: &Scheme,
    options: &Options,
    values: &dyn Values,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<Written, TableError> {
    write_with(path, scheme, options, values, &mut Nobody, progress)
}

/// The same, together with other processes. The bytes are those of [`write`](fn@write).
///
/// # Errors
/// As [`write`](fn@write), and if a helper does not send what it should.
pub fn write_with(
    path: &Path,
    scheme: &Scheme,
    options: &Options,
    values: &dyn Values,
    helpers: &mut dyn Helpers,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<Written, TableError> {
    let name = path.display().to_string();
    let failed = |fault: Fault| TableError::new(&name, fault);
    let mut file = AtomicFile::create(path).map_err(|e| failed(e.into()))?;
    let aside = Aside::new(Some(path));
    let written =
        write_all((&mut file, aside), scheme, options, values, helpers, progress).map_err(failed)?;
    file.commit().map_err(|e| failed(e.into()))?;
    Ok(written)
}

/// Writes a table to any writer. Distances wait in memory until all of win, draw and loss is written.
///
/// # Errors
/// As [`write`](fn@write).
pub fn write_to(
    out: &mut dyn Write,
    scheme: &Scheme,
    options: &Options,
    values: &dyn Values,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<Written, Fault> {
    write_all((out, Aside::new(None)), scheme, options, values, &mut Nobody, progress)
}

/// Codes the share of one of `helpers` helpers, numbered from 0, of the table that another process writes to `path` with
/// [`write_with`].
///
/// # Errors
/// As [`write`](fn@write), and if messages cannot be sent or received.
pub fn help(
    path: &Path,
    scheme: &Scheme,
    options: &Options,
    values: &dyn Values,
    (helper, helpers): (usize, usize),
    leader: &mut dyn Leader,
) -> Result<(), TableError> {
    let coded = code_share(scheme, options, values, (helper + 1, helpers + 1), leader);
    coded.map_err(|fault| TableError::new(&path.display().to_string(), fault))
}

fn code_share(
    scheme: &Scheme,
    options: &Options,
    values: &dyn Values,
    (process, processes): (usize, usize),
    leader: &mut dyn Leader,
) -> Result<(), Fault> {
    let index = Index::new(scheme).map_err(Fault::Scheme)?;
    let job = Job::new(&index, options, values)?;
    let mut bytes = vec![];
    job.observe(process, processes)?.iter().for_each(|counts| put_counts(counts, &mut bytes));
    leader.send(bytes)?;
    let learned = leader.receive()?;
    let (&first, model) = learned.split_first().ok_or_else(incomplete)?;
    let first = Side::BOTH.get(usize::from(first)).ok_or_else(incomplete)?;
    let model = Model::read(model, options.distances, job.neighbours, first.index())?;
    for batch in job.batches(processes) {
        let mut bytes = vec![];
        for coded in job.share(&batch, (process, processes), &model)? {
            coded.put(&mut bytes);
        }
        leader.send(bytes)?;
    }
    Ok(())
}

fn write_all(
    (out, aside): (&mut dyn Write, Aside),
    scheme: &Scheme,
    options: &Options,
    values: &dyn Values,
    helpers: &mut dyn Helpers,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<Written, Fault> {
    let index = Index::new(scheme).map_err(Fault::Scheme)?;
    let job = Job::new(&index, options, values)?;
    let distances = options.distances;
    let Learned { bytes: model_bytes, first, model } = job.learn(helpers)?;
    let header = Header {
        scheme: scheme.clone(),
        distances,
        fingerprint: options.fingerprint,
        cells: index.cells(),
        block: options.block,
        neighbours: job.neighbours,
        first,
        model_length: model_bytes.len() as u32,
        model_checksum: crc32fast::hash(&model_bytes),
    };
    let header = header.bytes();
    let mut out = Counting { out, written: 0 };
    out.write_all(&header)?;
    out.write_all(&model_bytes)?;
    let blocks_start = out.written;
    let mut blocks = Blocks { out: &mut out, aside, lengths: Default::default(), facts: Facts::default() };
    job.code_all(&mut blocks, &model, helpers, progress)?;
    let Blocks { aside, lengths: [wdl, distance], facts, .. } = blocks;
    let wdl_index = out.written;
    out.write_all(&block_index(&wdl, blocks_start))?;
    let distance_blocks = out.written;
    aside.copy_to(&mut out)?;
    let distance_index = out.written;
    out.write_all(&block_index(&distance, distance_blocks))?;
    let metadata = job.metadata(facts);
    let record = metadata.bytes()?;
    let trailer = Trailer {
        wdl_index,
        distance_blocks,
        distance_index,
        metadata: out.written,
        metadata_length: record.len() as u32,
        metadata_checksum: crc32fast::hash(&record),
        header_checksum: crc32fast::hash(&header[..header.len() - 4]),
    };
    out.write_all(&record)?;
    out.write_all(&trailer.bytes())?;
    out.flush()?;
    Ok(Written {
        bytes: out.written,
        wdl_bytes: distance_blocks - blocks_start,
        model_bytes: model_bytes.len() as u64,
        metadata,
    })
}

/// The neighbours that tell most: the same column in the row before, and the same row and column in the plane before, or two
/// rows before where that is too far away.
fn neighbours(index: &Index, block: u32) -> NeighbourOffsets {
    // Slices differ little in shape: take one from the middle.
    let plane = index.plane(index.cells() / 2);
    let near = plane.columns.clamp(1, u64::from(block)) as u32;
    let close = plane.cells() <= u64::from(block) * 3 / 4;
    let far = if close { plane.cells().max(2) as u32 } else { 2 * near };
    NeighbourOffsets { near, far, up: u32::from(index.scheme().width) }
}

/// What the metadata say of the values, gathered while blocks are coded.
#[derive(Clone, Copy, Default)]
struct Facts {
    /// Sums of weights: see [`Orbits`].
    counts: [Counts; 2],
    /// Distance, side to move and cell of the longest win so far.
    longest: Option<(u16, usize, u64)>,
}

impl Facts {
    /// Cells without a weight of their own weigh `whole`.
    fn see(&mut self, cells: &[Cell], weights: &[u8], whole: u64, side: usize, start: u64) {
        let counts = &mut self.counts[side];
        for (i, cell) in cells.iter().enumerate() {
            let weight = weights.get(i).map_or(whole, |&weight| u64::from(weight));
            match cell.wdl() {
                None => {}
                Some(DRAW) => counts.draws += weight,
                Some(WON) => {
                    counts.wins += weight;
                    if self.longest.is_none_or(|(longest, ..)| cell.distance() > longest) {
                        self.longest = Some((cell.distance(), side, start + i as u64));
                    }
                }
                Some(_) => counts.losses += weight,
            }
        }
    }

    /// Adds the facts of later cells.
    fn join(&mut self, later: Facts) {
        for (mine, theirs) in self.counts.iter_mut().zip(later.counts) {
            mine.add(theirs);
        }
        if later.longest.map(|l| l.0) > self.longest.map(|l| l.0) {
            self.longest = later.longest;
        }
    }
}

/// The code of some blocks: of win/draw/loss, and of distances.
#[derive(Default)]
struct Coded {
    bytes: [Vec<u8>; 2],
    /// The length of each block; no distances have none.
    lengths: [Vec<u16>; 2],
    facts: Facts,
    cells: u64,
}

impl Coded {
    /// Appends the code of a block, of win/draw/loss (0) or of distances (1), with its checksum.
    fn add(&mut self, kind: usize, block: u64, data: &[u8]) -> Result<(), Fault> {
        self.bytes[kind].extend_from_slice(&checksum(block, data).to_le_bytes());
        self.bytes[kind].extend_from_slice(data);
        // A symbol of ordinary values takes a few bits; 8192 symbols have room for 64 bits each.
        let length = u16::try_from(4 + data.len());
        self.lengths[kind].push(length.map_err(|_| Fault::Scheme("values without any order".to_string()))?);
        Ok(())
    }
}

/// Blocks that are being written.
struct Blocks<'o, 'w> {
    out: &'o mut Counting<'w>,
    /// Distances so far.
    aside: Aside,
    /// The lengths of all blocks so far, of win/draw/loss and of distances.
    lengths: [Vec<u16>; 2],
    facts: Facts,
}

impl Blocks<'_, '_> {
    /// Writes the next ones.
    fn add(&mut self, coded: &Coded) -> io::Result<()> {
        let [wdl, distance] = &coded.bytes;
        self.out.write_all(wdl)?;
        self.aside.add(distance)?;
        for (lengths, more) in self.lengths.iter_mut().zip(&coded.lengths) {
            lengths.extend_from_slice(more);
        }
        self.facts.join(coded.facts);
        Ok(())
    }
}

/// The index of blocks of these lengths, the first of which begins at `offset`.
fn block_index(lengths: &[u16], mut offset: u64) -> Vec<u8> {
    let mut records = Vec::with_capacity(lengths.len().div_ceil(RECORD_BLOCKS as usize) * RECORD);
    for lengths in lengths.chunks(RECORD_BLOCKS as usize) {
        let at = records.len();
        records.extend_from_slice(&offset.to_le_bytes());
        for i in 0..RECORD_BLOCKS as usize {
            let length = lengths.get(i).copied().unwrap_or(0);
            records.extend_from_slice(&length.to_le_bytes());
            offset += u64::from(length);
        }
        let sum = checksum((at / RECORD) as u64, &records[at..]);
        records.extend_from_slice(&sum.to_le_bytes());
    }
    records
}

/// A model, as bytes too, and the side whose cells come first.
struct Learned {
    bytes: Vec<u8>,
    first: Side,
    model: Model,
}

/// What was observed, in ascending order, and how often: see [`merge`].
type Seen = Vec<(u64, u64)>;

struct Job<'a> {
    index: &'a Index,
    orbits: Orbits<'a>,
    options: &'a Options,
    values: &'a dyn Values,
    neighbours: NeighbourOffsets,
}

impl<'a> Job<'a> {
    fn new(index: &'a Index, options: &'a Options, values: &'a dyn Values) -> Result<Job<'a>, Fault> {
        if !BLOCK_CELLS.contains(&options.block) {
            return Err(Fault::Scheme(format!("blocks of {} cells", options.block)));
        }
        let neighbours = neighbours(index, options.block);
        Ok(Job { index, orbits: Orbits::new(index), options, values, neighbours })
    }

    fn blocks(&self) -> u64 {
        self.index.cells().div_ceil(u64::from(self.options.block))
    }

    /// First cell and number of cells of a block.
    fn extent(&self, block: u64) -> (u64, usize) {
        let size = u64::from(self.options.block);
        let start = block * size;
        (start, size.min(self.index.cells() - start) as usize)
    }

    fn cursor(&self) -> Cursor<'_> {
        Cursor { index: self.index, values: self.values, at: None, cells: vec![] }
    }

    /// The distance between the blocks of the sample that the model is learned from.
    fn step(&self) -> u64 {
        let step = self.index.cells().div_ceil(SAMPLE_CELLS).max(1);
        // An odd step visits every residue of a period that is a power of two.
        if step > 1 { step | 1 } else { 1 }
    }

    /// What is seen in a process's share of the sample: win/draw/loss by side and part, and distances by side.
    fn observe(&self, process: usize, processes: usize) -> Result<[Seen; 6], Fault> {
        let sample: Vec<u64> = (0..self.blocks()).step_by(self.step() as usize).collect();
        let chunks: Vec<&[u64]> = sample.chunks(SAMPLE_CHUNK).skip(process).step_by(processes).collect();
        let parts = chunks
            .into_par_iter()
            .map(|blocks| {
                let mut seen = Observations::default();
                let mut cells = [vec![], vec![]];
                let mut cursors = [self.cursor(), self.cursor()];
                for &block in blocks {
                    self.read(&mut cursors, block, &mut cells);
                    let distances = self.options.distances;
                    observe([&cells[0], &cells[1]], distances, self.neighbours, &mut seen)?;
                }
                Ok(seen.counts())
            })
            .collect::<Result<Vec<_>, Fault>>()?;
        Ok(std::array::from_fn(|k| merge(parts.iter().map(|part| part[k].clone()).collect())))
    }

    /// The model, learned from a sample, and the side whose cells come first: the choice that takes less space. Helpers look at
    /// their shares of the sample, and are told what was learned.
    fn learn(&self, helpers: &mut dyn Helpers) -> Result<Learned, Fault> {
        let step = self.step();
        let mut parts = vec![self.observe(0, helpers.count() + 1)?];
        for helper in 0..helpers.count() {
            let bytes = helpers.receive(helper)?;
            let mut rest = &bytes[..];
            let mut counts = [const { vec![] }; 6];
            for counts in &mut counts {
                *counts = take_counts(&mut rest).ok_or_else(incomplete)?;
            }
            parts.push(counts);
        }
        let of = |k: usize| merge(parts.iter().map(|part| part[k].clone()).collect());
        // By side: first, second.
        let wdl: Vec<_> = [(0, 0), (1, 1), (2, 0), (3, 1)]
            .into_par_iter()
            .map(|(k, part)| train(&of(k), WDL[part], step))
            .collect();
        let [a, b, c, d] = wdl.try_into().expect("four trees");
        let (first, wdl) =
            if a.1 + d.1 <= c.1 + b.1 { (Side::White, [a.0, d.0]) } else { (Side::Black, [c.0, b.0]) };
        let distance = self.options.distances.any().then(|| {
            let counts = merge(parts.iter().flat_map(|part| part[4..].iter().cloned()).collect());
            train(&counts, DISTANCE, step).0
        });
        let bytes = Model::bytes(&wdl, distance.as_ref());
        helpers.send(&[&[first.index() as u8][..], &bytes].concat())?;
        let model = Model::read(&bytes, self.options.distances, self.neighbours, first.index())?;
        Ok(Learned { bytes, first, model })
    }

    /// The first blocks of the tasks that some processes do before their output is written, batch by batch.
    fn batches(&self, processes: usize) -> impl Iterator<Item = Vec<u64>> + use<> {
        let (blocks, size) = (self.blocks(), TASK_BLOCKS * BATCH_TASKS * processes as u64);
        (0..blocks)
            .step_by(size as usize)
            .map(move |batch| (batch..blocks.min(batch + size)).step_by(TASK_BLOCKS as usize).collect())
    }

    /// Does those tasks of a batch that are this process's: it takes every one after as many as there are processes.
    fn share(
        &self,
        batch: &[u64],
        (process, processes): (usize, usize),
        model: &Model,
    ) -> Result<Vec<Coded>, Fault> {
        let tasks: Vec<u64> = batch.iter().copied().skip(process).step_by(processes).collect();
        let end = |start: u64| self.blocks().min(start + TASK_BLOCKS);
        tasks.into_par_iter().map(|start| self.code(start..end(start), model)).collect()
    }

    /// The cells of a block by side to move.
    fn read(&self, cursors: &mut [Cursor<'_>; 2], block: u64, cells: &mut [Vec<Cell>; 2]) {
        let (start, length) = self.extent(block);
        for (side, (cursor, cells)) in cursors.iter_mut().zip(cells).enumerate() {
            cursor.read(side, start, length, cells);
        }
    }

    /// Codes and writes all blocks.
    fn code_all(
        &self,
        out: &mut Blocks<'_, '_>,
        model: &Model,
        helpers: &mut dyn Helpers,
        progress: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), Fault> {
        let processes = helpers.count() + 1;
        for batch in self.batches(processes) {
            let mut shares = vec![self.share(&batch, (0, processes), model)?.into_iter()];
            for helper in 0..helpers.count() {
                shares.push(received(&helpers.receive(helper)?)?.into_iter());
            }
            let mut done = 0;
            for task in 0..batch.len() {
                let task = shares[task % processes].next().ok_or_else(incomplete)?;
                out.add(&task)?;
                done += task.cells;
            }
            if !progress(done) {
                return Err(io::Error::new(io::ErrorKind::Interrupted, "writing was interrupted").into());
            }
        }
        Ok(())
    }

    fn code(&self, blocks: std::ops::Range<u64>, model: &Model) -> Result<Coded, Fault> {
        let mut coded = Coded::default();
        let (mut wdl, mut distance, mut buffers) = (vec![], vec![], Buffers::default());
        let mut cells = [vec![], vec![]];
        let mut cursors = [self.cursor(), self.cursor()];
        let mut weights = vec![];
        let any = self.options.distances.any();
        for block in blocks {
            self.read(&mut cursors, block, &mut cells);
            let (start, length) = self.extent(block);
            self.orbits.weights(start..start + length as u64, Counted::Positions, &mut weights);
            for (side, cells) in cells.iter().enumerate() {
                coded.facts.see(cells, &weights, self.orbits.whole(), side, start);
            }
            wdl.clear();
            distance.clear();
            let parts = model.parts([&cells[0][..], &cells[1][..]]);
            model.encode(parts, &mut buffers, &mut wdl, &mut distance)?;
            coded.add(0, block, &wdl)?;
            if any {
                coded.add(1, block, &distance)?;
            }
            let times = if any { 2 } else { 1 };
            coded.cells += times * 2 * cells[0].len() as u64;
        }
        Ok(coded)
    }

    fn metadata(&self, facts: Facts) -> Metadata {
        let longest = facts.longest.filter(|_| self.options.distances.any());
        let mut sums = facts.counts;
        if self.orbits.exchange() {
            // A position with White to move may be stored as one with Black to move, and the other way round.
            let [white, black] = facts.counts;
            sums[0].add(black);
            sums[1].add(white);
        }
        let whole = self.orbits.whole();
        let positions = |sum: Counts| Counts {
            wins: sum.wins / whole,
            draws: sum.draws / whole,
            losses: sum.losses / whole,
        };
        Metadata {
            made_by: self.options.made_by.clone(),
            game: self.options.game.clone(),
            class: match self.options.class.as_str() {
                "" => self.index.scheme().class(),
                name => name.to_string(),
            },
            alike: self.options.alike || self.orbits.exchange(),
            counts: sums.map(positions),
            longest_win: longest.and_then(|(distance, side, cell)| {
                let board = self.index.board_text(&self.index.position(cell)?);
                let turn = Side::BOTH[side].letter();
                Some(LongestWin { distance: distance.into(), position: format!("{board} {turn} - - 0 1") })
            }),
        }
    }
}

/// Reads runs of cells, plane by plane.
struct Cursor<'a> {
    index: &'a Index,
    values: &'a dyn Values,
    /// Side to move and first cell of the plane in `cells`.
    at: Option<(usize, u64)>,
    cells: Vec<Cell>,
}

impl Cursor<'_> {
    fn read(&mut self, side: usize, start: u64, length: usize, out: &mut Vec<Cell>) {
        out.clear();
        while out.len() < length {
            let cell = start + out.len() as u64;
            let held = self
                .at
                .filter(|&(s, from)| s == side && (from..from + self.cells.len() as u64).contains(&cell));
            let from = match held {
                Some((_, from)) => from,
                None => {
                    let plane = self.index.plane(cell);
                    self.cells.clear();
                    self.cells.resize(plane.cells() as usize, Cell::ANY);
                    if plane.sound {
                        self.values.fill(&plane, Side::BOTH[side], &mut self.cells);
                    }
                    self.at = Some((side, plane.start));
                    plane.start
                }
            };
            let held = &self.cells[(cell - from) as usize..];
            out.extend_from_slice(&held[..held.len().min(length - out.len())]);
        }
    }
}

struct Counting<'a> {
    out: &'a mut dyn Write,
    written: u64,
}

impl Write for Counting<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.out.write(bytes)?;
        self.written += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
