//! Makes table files, in parallel and always the same bytes.

use crate::atomic::AtomicFile;
use crate::block::{Model, Reach, Scratch, checksum, observe};
use crate::error::{Fault, TableError};
use crate::header::{BLOCK_CELLS, Header, Held, Trailer};
use crate::index::{Index, Plane};
use crate::metadata::{Counts, LongestWin, Metadata};
use crate::model::{DISTANCE, Plain, WDL};
use crate::scheme::{Map, Scheme};
use crate::train::{count, feature, merge, train};
use crate::value::{Cell, DRAW, WON};
use jewel_engine::value::Side;
use rayon::prelude::*;
use std::io::{self, Write};
use std::path::Path;

/// Who knows the values.
pub trait Values: Sync {
    /// Fills in the values of the positions of a plane with `turn` to move. `cells` comes full of
    /// [`Cell::ANY`] and is as long as the plane. Called from many threads, and two or three times for each plane:
    /// it must give the same values each time.
    fn fill(&self, plane: &Plane, turn: Side, cells: &mut [Cell]);
}

impl<F: Fn(&Plane, Side, &mut [Cell]) + Sync> Values for F {
    fn fill(&self, plane: &Plane, turn: Side, cells: &mut [Cell]) {
        self(plane, turn, cells);
    }
}

/// Which distances a file holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Distances {
    /// None.
    None,
    /// Those of all positions.
    Both,
    /// Those with one side to move: the one whose distances take less space. Those of the other side are a ply away, for who
    /// knows the rules. A class that an exchange of the sides takes onto itself has no such sides: all are stored.
    OneSide,
}

/// What goes into a file besides values.
#[derive(Clone, Debug)]
pub struct Options {
    /// The fingerprint of the rules.
    pub fingerprint: u64,
    /// The id of the game, for the metadata.
    pub game: String,
    /// The name of the class, for the metadata; empty for the groups in the order of the scheme.
    pub class: String,
    /// The program and its version, for the metadata.
    pub made_by: String,
    /// Which distances to store.
    pub distances: Distances,
    /// Cells of a block, 64 to 8192. Larger ones take a little less space and longer to probe.
    pub block: u32,
}

impl Options {
    /// The usual: distances, blocks of 2048 cells.
    pub fn new(fingerprint: u64, game: &str, made_by: &str) -> Options {
        let (game, made_by) = (game.to_string(), made_by.to_string());
        Options { fingerprint, game, class: String::new(), made_by, distances: Distances::Both, block: 2048 }
    }
}

/// What was written.
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
/// Blocks that one thread does at a time: whole records.
const TASK_BLOCKS: u64 = 4 * RECORD_BLOCKS;
/// Tasks whose output is held in memory before it is written.
const BATCH_TASKS: u64 = 64;
/// Cells that the model is learned from, at most about.
const SAMPLE_CELLS: u64 = 3_000_000;

/// Writes a table, whole or not at all. `progress` is told how many cells were coded since it was last
/// called (each cell counts twice with distances) and says whether to go on.
///
/// The bytes depend on scheme, options and values alone, not on the number of threads (rayon's).
///
/// # Errors
/// If the scheme or the options are out of range, the disk is full or the like, or `progress` said no
/// ([`io::ErrorKind::Interrupted`]). The destination is then as it was.
pub fn write(
    path: &Path,
    scheme: &Scheme,
    options: &Options,
    values: &dyn Values,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<Written, TableError> {
    let name = path.display().to_string();
    let failed = |fault: Fault| TableError::new(&name, fault);
    let mut file = AtomicFile::create(path).map_err(|e| failed(e.into()))?;
    let written = write_to(&mut file, scheme, options, values, progress).map_err(failed)?;
    file.commit().map_err(|e| failed(e.into()))?;
    Ok(written)
}

/// Writes a table to anything that takes bytes.
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
    if !BLOCK_CELLS.contains(&options.block) {
        return Err(Fault::Scheme(format!("blocks of {} cells", options.block)));
    }
    let index = Index::new(scheme).map_err(Fault::Scheme)?;
    let mut job =
        Job { index: &index, options, values, reach: reach(&index, options.block), held: Held::All };
    let (model_bytes, held) = job.learn();
    job.held = held;
    let model = Model::read(&model_bytes, held.any(), job.reach)?;
    let header = Header {
        scheme: scheme.clone(),
        distances: held,
        fingerprint: options.fingerprint,
        cells: index.cells(),
        block: options.block,
        reach: job.reach,
        model_length: model_bytes.len() as u32,
        model_checksum: crc32fast::hash(&model_bytes),
    };
    let header = header.bytes();
    let mut out = Counting { out, written: 0 };
    out.write_all(&header)?;
    out.write_all(&model_bytes)?;
    let blocks_start = out.written;
    let (wdl_index, facts) = job.section(&mut out, &model, false, progress)?;
    let distance_blocks = out.written;
    let mut distance_index = distance_blocks;
    if held.any() {
        distance_index = job.section(&mut out, &model, true, progress)?.0;
    }
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

/// Neighbours that tell most: the same column in the row before, and the same row and column in the plane
/// before, where that is not too far away.
fn reach(index: &Index, block: u32) -> Reach {
    // Slices differ little in shape: take one from the middle.
    let plane = index.plane(index.cells() / 2);
    let near = plane.columns.clamp(1, u64::from(block)) as u32;
    let far = if plane.cells() <= u64::from(block) / 2 { plane.cells().max(2) as u32 } else { 2 * near };
    Reach { near, far }
}

/// What is found out along the way.
#[derive(Clone, Copy, Default)]
struct Facts {
    counts: [Counts; 2],
    /// Distance, side to move and cell of the longest win so far.
    longest: Option<(u16, usize, u64)>,
}

impl Facts {
    fn see(&mut self, cells: &[Cell], side: usize, start: u64) {
        let counts = &mut self.counts[side];
        for (i, cell) in cells.iter().enumerate() {
            match cell.wdl() {
                None => counts.any += 1,
                Some(DRAW) => counts.draws += 1,
                Some(WON) => {
                    counts.wins += 1;
                    if self.longest.is_none_or(|(longest, ..)| cell.distance() > longest) {
                        self.longest = Some((cell.distance(), side, start + i as u64));
                    }
                }
                Some(_) => counts.losses += 1,
            }
        }
    }

    /// Adds what was found behind `self` in the file.
    fn join(&mut self, later: Facts) {
        for (mine, theirs) in self.counts.iter_mut().zip(later.counts) {
            mine.add(theirs);
        }
        if later.longest.map(|l| l.0) > self.longest.map(|l| l.0) {
            self.longest = later.longest;
        }
    }
}

/// The code of some blocks and how long each is.
struct Coded {
    bytes: Vec<u8>,
    lengths: Vec<u16>,
    facts: Facts,
    cells: u64,
}

struct Job<'a> {
    index: &'a Index,
    options: &'a Options,
    values: &'a dyn Values,
    reach: Reach,
    held: Held,
}

impl Job<'_> {
    /// Blocks of one side to move.
    fn half(&self) -> u64 {
        self.index.cells().div_ceil(u64::from(self.options.block))
    }

    /// Side to move, first cell and number of cells of a block.
    fn extent(&self, block: u64) -> (usize, u64, usize) {
        let size = u64::from(self.options.block);
        let start = block % self.half() * size;
        ((block / self.half()) as usize, start, size.min(self.index.cells() - start) as usize)
    }

    fn cursor(&self) -> Cursor<'_> {
        Cursor { index: self.index, values: self.values, at: None, cells: vec![] }
    }

    /// The model, learned from blocks at even distances, and whose distances it is for.
    fn learn(&self) -> (Vec<u8>, Held) {
        let blocks = 2 * self.half();
        let step = (2 * self.index.cells()).div_ceil(SAMPLE_CELLS).max(1);
        // An odd step comes by every place of a period that is a power of two.
        let step = if step > 1 { step | 1 } else { 1 };
        let sample: Vec<u64> = (0..blocks).step_by(step as usize).collect();
        let parts: Vec<_> = sample
            .par_chunks(64)
            .map(|blocks| {
                let (mut wdl, mut distance, mut cells) = (vec![], vec![], vec![]);
                let mut cursor = self.cursor();
                for &block in blocks {
                    let (side, start, length) = self.extent(block);
                    cursor.read(side, start, length, &mut cells);
                    observe(&cells, side, self.reach, &mut wdl, &mut distance);
                }
                (count(wdl), count(distance))
            })
            .collect();
        let (wdl, distance): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        let (wdl, distance) =
            rayon::join(|| train(&merge(wdl), WDL, step).0, || self.learn_distances(&merge(distance), step));
        let (distance, held) = distance;
        (Model::bytes(&wdl, distance.as_ref()), held)
    }

    fn learn_distances(&self, counts: &[(u64, u64)], step: u64) -> (Option<Plain>, Held) {
        let both = || (Some(train(counts, DISTANCE, step).0), Held::All);
        match self.options.distances {
            Distances::None => (None, Held::Nobodys),
            Distances::Both => both(),
            Distances::OneSide => {
                let scheme = self.index.scheme();
                let exchanged = |map: &&Map| map.exchange && scheme.automorphism(map).is_some();
                if scheme.symmetries.iter().any(|map| exchanged(&map)) {
                    return both();
                }
                // The first feature is the side to move, twice, and the outcome.
                let (black, white): (Vec<_>, Vec<_>) =
                    counts.iter().partition(|&&(key, _)| feature(key, 0) >= 2);
                let [white, black] = [white, black].map(|counts| train(&counts, DISTANCE, step));
                if white.1 <= black.1 {
                    (Some(white.0), Held::Of(Side::White))
                } else {
                    (Some(black.0), Held::Of(Side::Black))
                }
            }
        }
    }

    /// Writes all blocks of one kind, then their index; returns where that begins.
    fn section(
        &self,
        out: &mut Counting<'_>,
        model: &Model,
        distance: bool,
        progress: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(u64, Facts), Fault> {
        let blocks = 2 * self.half();
        let mut records = vec![];
        let mut facts = Facts::default();
        for batch in (0..blocks).step_by((TASK_BLOCKS * BATCH_TASKS) as usize) {
            let starts: Vec<u64> = (batch..blocks.min(batch + TASK_BLOCKS * BATCH_TASKS))
                .step_by(TASK_BLOCKS as usize)
                .collect();
            let coded: Vec<Coded> = starts
                .into_par_iter()
                .map(|start| self.code(start..blocks.min(start + TASK_BLOCKS), model, distance))
                .collect();
            let mut done = 0;
            for task in coded {
                let mut offset = out.written;
                for lengths in task.lengths.chunks(RECORD_BLOCKS as usize) {
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
                out.write_all(&task.bytes)?;
                facts.join(task.facts);
                done += task.cells;
            }
            if !progress(done) {
                return Err(io::Error::new(io::ErrorKind::Interrupted, "writing was interrupted").into());
            }
        }
        let at = out.written;
        out.write_all(&records)?;
        Ok((at, facts))
    }

    fn code(&self, blocks: std::ops::Range<u64>, model: &Model, distance: bool) -> Coded {
        let mut coded = Coded { bytes: vec![], lengths: vec![], facts: Facts::default(), cells: 0 };
        let (mut cells, mut data, mut scratch) = (vec![], vec![], Scratch::default());
        let mut cursor = self.cursor();
        for block in blocks {
            let (side, start, length) = self.extent(block);
            if distance && !self.held.with(side) {
                coded.lengths.push(0);
                coded.cells += length as u64;
                continue;
            }
            cursor.read(side, start, length, &mut cells);
            data.clear();
            if distance {
                model.encode_distance(&cells, side, &mut scratch, &mut data);
            } else {
                coded.facts.see(&cells, side, start);
                model.encode_wdl(&cells, side, &mut scratch, &mut data);
            }
            coded.bytes.extend_from_slice(&checksum(block, &data).to_le_bytes());
            coded.bytes.extend_from_slice(&data);
            // 8192 cells of at most 26 bits take less than 2^16 bytes.
            coded.lengths.push((4 + data.len()) as u16);
            coded.cells += length as u64;
        }
        coded
    }

    fn metadata(&self, facts: Facts) -> Metadata {
        let longest = facts.longest.filter(|_| self.held.any());
        Metadata {
            made_by: self.options.made_by.clone(),
            game: self.options.game.clone(),
            class: match self.options.class.as_str() {
                "" => self.index.scheme().class(),
                name => name.to_string(),
            },
            counts: facts.counts,
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
    /// Side to move and first cell of the plane that is in `cells`.
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
