//! The state file: a graph that was stopped and can be resumed, or one that is solved.
//!
//! All numbers are little-endian. The file is a header of 72 bytes,
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 8 | `JEWELGRF` |
//! | 8 | 4 | format version, 3 |
//! | 12 | 4 | bytes of a key, `k`: 8, 16 or 32 |
//! | 16 | 8 | fingerprint of the rules and the root |
//! | 24 | 8 | positions, `p` |
//! | 32 | 8 | expanded positions |
//! | 40 | 8 | moves from expanded positions |
//! | 48 | 8 | waves: 0 if no value is known, `n` if all wins and losses in less than `n` plies are |
//! | 56 | 8 | distances that do not fit, `f` |
//! | 64 | 8 | checksum of the 64 bytes before |
//!
//! then `p` records of a key and a word of 2 bytes, `f` records of a key and a distance of 4 bytes, and 8 bytes of checksum of
//! everything before. The order of records is the same for any number of threads and has no other meaning. A word has in bit
//! 15 whether Black moves; in bits 14 and 13, 0 if the position is open, 2 if it is lost, 3 if it is won; below, the number of
//! moves that are not known to lose, or the distance: 8189 in a drawn end of the game, 8190 for one that does not fit. All
//! ones: its moves have not been made. A checksum is `splitmix64(h ^ word)` over words of 8 bytes from `h = 0`, the last word
//! padded with zeros; damage within one word always changes it.

use crate::control::{Budget, Control, Stop};
use crate::graph::{AnyGraph, Graph};
use crate::key_graph::{Found, KeyGraph};
use crate::keyed::{AnyWidth, Game};
use crate::store::{PARTS, part_of_key};
use crate::subsets::Ranked;
use crate::width::{by_width, map_width};
use crate::word::Word;
use jewel_engine::ability::{Packed, PackedKey};
use jewel_engine::zobrist::splitmix64;
use jewel_tables::atomic::AtomicFile;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use thiserror::Error;

const MAGIC: [u8; 8] = *b"JEWELGRF";
/// The version of the format that is written and read.
pub const VERSION: u32 = 3;
const HEADER: u64 = 72;

/// Why a state file was not read.
#[derive(Debug, Error)]
pub enum StateError {
    /// The file could not be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file is of another kind.
    #[error("not a solver state file: it begins with other bytes than \"JEWELGRF\"")]
    Foreign,
    /// It was written by another version of the program.
    #[error("format version {found}; this program reads version {VERSION}")]
    Version {
        /// The version of the file.
        found: u32,
    },
    /// It belongs to other rules or another root position.
    #[error("it belongs to other rules or another start position")]
    Mismatch,
    /// The content is damaged.
    #[error("damaged: {0}")]
    Damaged(&'static str),
    /// The limits do not allow a graph of this size.
    #[error(transparent)]
    Stopped(#[from] Stop),
}

/// The fingerprint of a graph, from the fingerprint of the rules and the root.
pub fn fingerprint<P: Packed>(rules: u64, root: &P) -> u64 {
    splitmix64(rules ^ splitmix64(root.recomputed_hash()).1).1
}

/// The fingerprint in the file of a graph: a folded one is another.
pub(crate) fn folded(fingerprint: u64, is_folded: bool) -> u64 {
    if is_folded { splitmix64(!fingerprint).1 } else { fingerprint }
}

/// Bytes of the state file of a graph.
pub fn size<P: Packed>(graph: &Graph<P>) -> u64 {
    graph.keys.state_size()
}

/// Writes the state of a graph to a file, whole or not at all. `fingerprint` is that of [`fingerprint`](fn@fingerprint).
///
/// # Errors
/// Those of the file system.
pub fn save<P: Packed>(graph: &Graph<P>, fingerprint: u64, path: &Path) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    write(graph, fingerprint, &mut file)?;
    file.commit()
}

/// Reads a graph back from a file into an `empty` one of the same root, folded if it was. It counts against the memory limit of
/// `control`.
///
/// # Errors
/// Why the file cannot be used. No content of the file causes a panic or undefined behaviour.
pub fn load<P: Packed>(
    mut empty: Graph<P>,
    fingerprint: u64,
    path: &Path,
    control: &Control<'_>,
) -> Result<Graph<P>, StateError> {
    let fingerprint = folded(fingerprint, empty.is_folded());
    empty.keys = empty.keys.load(&empty.game, fingerprint, path, control)?;
    Ok(empty)
}

/// Writes the state of a graph to a writer.
///
/// # Errors
/// Those of the writer.
pub fn write<P: Packed>(graph: &Graph<P>, fingerprint: u64, out: &mut dyn Write) -> io::Result<()> {
    graph.keys.write_state(folded(fingerprint, graph.is_folded()), out)
}

/// Reads the state of a graph from a reader of `length` bytes.
///
/// # Errors
/// As [`load`].
pub fn read<P: Packed>(
    mut empty: Graph<P>,
    fingerprint: u64,
    length: u64,
    input: &mut dyn Read,
    control: &Control<'_>,
) -> Result<Graph<P>, StateError> {
    let fingerprint = folded(fingerprint, empty.is_folded());
    empty.keys = empty.keys.read_state(&empty.game, fingerprint, length, input, control)?;
    Ok(empty)
}

impl AnyGraph {
    fn state_size(&self) -> u64 {
        by_width!(self, keys => keys.state_size())
    }

    fn write_state(&self, fingerprint: u64, out: &mut dyn Write) -> io::Result<()> {
        by_width!(self, keys => keys.write_state(fingerprint, &mut SummingWriter::new(out)))
    }

    /// Reads a graph of the same width.
    fn read_state(
        &self,
        game: &dyn AnyWidth,
        fingerprint: u64,
        length: u64,
        input: &mut dyn Read,
        control: &Control<'_>,
    ) -> Result<AnyGraph, StateError> {
        Ok(map_width!(self, keys => keys.read_state(game, fingerprint, length, input, control)?))
    }

    /// Reads a graph of the same width from a file.
    fn load(
        &self,
        game: &dyn AnyWidth,
        fingerprint: u64,
        path: &Path,
        control: &Control<'_>,
    ) -> Result<AnyGraph, StateError> {
        // Before it is opened: opening a pipe would wait for a writer.
        if !std::fs::metadata(path)?.is_file() {
            return Err(StateError::Foreign);
        }
        Ok(map_width!(self, keys => keys.load(game, fingerprint, path, control)?))
    }
}

impl<K: PackedKey> KeyGraph<K> {
    fn state_size(&self) -> u64 {
        let [key, far] = [K::BYTES as u64, self.waves.far.len() as u64];
        HEADER + self.positions() * (key + 2) + far * (key + 4) + 8
    }

    fn write_state(&self, fingerprint: u64, out: &mut SummingWriter<'_>) -> io::Result<()> {
        out.write(&MAGIC)?;
        out.write(&VERSION.to_le_bytes())?;
        out.write(&(K::BYTES as u32).to_le_bytes())?;
        out.write(&fingerprint.to_le_bytes())?;
        let waves = &self.waves;
        let counts =
            [self.positions(), self.expanded(), self.edges(), waves.done.into(), waves.far.len() as u64];
        for count in counts {
            out.write(&count.to_le_bytes())?;
        }
        let sum = out.sum.finish();
        out.write(&sum.to_le_bytes())?;
        let mut bytes = [0; 36];
        for part in 0..self.parts() {
            let mut records = self.of_part(part);
            records.sort_unstable_by_key(|&(key, _)| key);
            for (key, word) in records {
                key.write(&mut bytes[..K::BYTES]);
                bytes[K::BYTES..K::BYTES + 2].copy_from_slice(&word.0.to_le_bytes());
                out.write(&bytes[..K::BYTES + 2])?;
            }
        }
        let mut far: Vec<(K, u32)> = waves.far.iter().map(|(&key, &distance)| (key, distance)).collect();
        far.sort_unstable();
        for (key, distance) in far {
            key.write(&mut bytes[..K::BYTES]);
            bytes[K::BYTES..K::BYTES + 4].copy_from_slice(&distance.to_le_bytes());
            out.write(&bytes[..K::BYTES + 4])?;
        }
        let sum = out.sum.finish();
        out.write(&sum.to_le_bytes())?;
        out.inner.flush()
    }

    /// Reads a graph of the same width from a file.
    fn load(
        &self,
        game: Game<'_, K>,
        fingerprint: u64,
        path: &Path,
        control: &Control<'_>,
    ) -> Result<KeyGraph<K>, StateError> {
        let mut ranked = game.ranked();
        loop {
            let file = File::open(path)?;
            let length = file.metadata()?.len();
            let mut input = BufReader::with_capacity(1 << 20, file);
            match KeyGraph::read_into(ranked, game, fingerprint, length, &mut input, control) {
                // What was kept by keys may take more in blocks.
                Err(StateError::Stopped(Stop::Memory { .. })) if ranked.is_some() => ranked = None,
                read => return read,
            }
        }
    }

    /// Reads a graph of the same width.
    fn read_state(
        &self,
        game: Game<'_, K>,
        fingerprint: u64,
        length: u64,
        input: &mut dyn Read,
        control: &Control<'_>,
    ) -> Result<KeyGraph<K>, StateError> {
        KeyGraph::read_into(game.ranked(), game, fingerprint, length, input, control)
    }

    /// Reads the positions of a graph: into blocks if the keys are ranked.
    fn read_into(
        ranked: Option<Ranked>,
        game: Game<'_, K>,
        fingerprint: u64,
        length: u64,
        input: &mut dyn Read,
        control: &Control<'_>,
    ) -> Result<KeyGraph<K>, StateError> {
        let mut keys = KeyGraph::new(ranked);
        let mut input = SummingReader { inner: input, sum: Checksum::default() };
        let mut magic = [0; 8];
        if length < 8 || input.fill(&mut magic).is_err() || magic != MAGIC {
            return Err(StateError::Foreign);
        }
        let version = u32::from_le_bytes(input.bytes()?);
        if version != VERSION {
            return Err(StateError::Version { found: version });
        }
        let width = u32::from_le_bytes(input.bytes()?);
        let found = u64::from_le_bytes(input.bytes()?);
        let mut counts = [0; 5];
        for count in &mut counts {
            *count = u64::from_le_bytes(input.bytes()?);
        }
        let sum = input.sum.finish();
        if u64::from_le_bytes(input.bytes()?) != sum {
            return Err(StateError::Damaged("the checksum of the header is wrong"));
        }
        if found != fingerprint || width as usize != K::BYTES {
            return Err(StateError::Mismatch);
        }
        let [positions, expanded, edges, waves, far] = counts;
        let sizes = [(1, HEADER + 8), (positions, K::BYTES as u64 + 2), (far, K::BYTES as u64 + 4)];
        let expected =
            sizes.iter().try_fold(0_u64, |sum, (n, bytes)| sum.checked_add(n.checked_mul(*bytes)?));
        if expected != Some(length) {
            return Err(StateError::Damaged("the file has not the length that its header gives"));
        }
        let in_order =
            waves == 0 && far == 0 || expanded == positions && waves <= 1 << 32 && far <= positions;
        if positions == 0 || positions > crate::control::MAX_POSITIONS || expanded > positions || !in_order {
            return Err(StateError::Damaged("the counts in the header are impossible"));
        }
        keys.waves.done = u32::try_from(waves).unwrap_or(u32::MAX);
        match &mut keys.found {
            Found::Hashed(hashed) => hashed.edges = edges,
            Found::Blocks(walk) => walk.edges = edges,
        }
        if let Found::Hashed(hashed) = &keys.found {
            // The keys are spread evenly, and how many come into each part is not known before.
            let room = [positions.div_ceil(PARTS as u64) as u32; PARTS];
            let waiting = hashed.frontier.bytes_with((positions - expanded) as usize);
            control.check_memory(hashed.store.bytes_with(&room) + waiting)?;
        }
        read_positions(&mut keys, positions, &mut input, &Budget::new(0, control.limits()))?;
        if keys.word(game.root()).is_none() {
            return Err(StateError::Damaged("the root is not among the positions"));
        }
        if keys.expanded() != expanded {
            return Err(StateError::Damaged("the number of expanded positions is wrong"));
        }
        for _ in 0..far {
            let key = input.key()?;
            let distance = u32::from_le_bytes(input.bytes()?);
            if !keys.word(key).is_some_and(Word::is_far) || keys.waves.far.insert(key, distance).is_some() {
                return Err(StateError::Damaged("a distance belongs to no position"));
            }
        }
        let sum = input.sum.finish();
        if u64::from_le_bytes(input.bytes()?) != sum {
            return Err(StateError::Damaged("the checksum is wrong"));
        }
        Ok(keys)
    }
}

/// Reads records of keys and words.
fn read_positions<K: PackedKey>(
    keys: &mut KeyGraph<K>,
    positions: u64,
    input: &mut SummingReader<'_>,
    budget: &Budget,
) -> Result<(), StateError> {
    /// Records for which room is made at a time.
    const RECORDS: usize = 1 << 16;
    let mut left = positions as usize;
    let mut moves = 0;
    let mut records = Vec::new();
    while left > 0 {
        let mut room = [0; PARTS];
        for _ in 0..left.min(RECORDS) {
            let key: K = input.key()?;
            records.push((key, Word(u16::from_le_bytes(input.bytes()?))));
            room[part_of_key(key)] += 1;
        }
        left -= records.len();
        if let Found::Hashed(hashed) = &mut keys.found {
            hashed.store.reserve(&room)?;
        }
        for (key, word) in records.drain(..) {
            if word == Word::ABSENT {
                return Err(StateError::Damaged("what is known of a position is impossible"));
            }
            match keys.add(key, word, budget) {
                Ok(true) => {}
                Ok(false) => return Err(StateError::Damaged("a position is there twice")),
                Err(Stop::Overflow) => {
                    return Err(StateError::Damaged("a position has more pieces than the root"));
                }
                Err(stop) => return Err(stop.into()),
            }
            if word == Word::UNEXPANDED {
                continue;
            } else if keys.waves.done == 0 && word.is_decided() && !word.is_finished() {
                return Err(StateError::Damaged("a position is decided too early"));
            } else if !word.is_decided() {
                moves += u64::from(word.moves());
            }
            keys.waves.decided += u64::from(keys.waves.done > 0 && word.winner().is_some());
        }
    }
    // Later the words count only the moves that are not known to lose.
    if moves > keys.edges() || keys.waves.done == 0 && moves != keys.edges() {
        return Err(StateError::Damaged("the numbers of moves do not add up"));
    }
    Ok(())
}

/// The checksum of a stream of bytes.
#[derive(Clone, Copy, Default)]
struct Checksum {
    hash: u64,
    /// Bytes that do not fill a word yet, and their number.
    word: u64,
    filled: u32,
}

impl Checksum {
    fn update(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        if self.filled == 0 {
            for word in &mut words {
                self.mix(u64::read(word));
            }
            self.update_slowly(words.remainder());
        } else {
            self.update_slowly(bytes);
        }
    }

    fn update_slowly(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.word |= u64::from(byte) << (8 * self.filled);
            self.filled += 1;
            if self.filled == 8 {
                self.mix(self.word);
                (self.word, self.filled) = (0, 0);
            }
        }
    }

    fn mix(&mut self, word: u64) {
        self.hash = splitmix64(self.hash ^ word).1;
    }

    fn finish(mut self) -> u64 {
        if self.filled > 0 {
            self.mix(self.word);
        }
        self.hash
    }
}

/// A writer that computes the checksum of what it writes.
struct SummingWriter<'a> {
    inner: &'a mut dyn Write,
    sum: Checksum,
}

impl<'a> SummingWriter<'a> {
    fn new(inner: &'a mut dyn Write) -> Self {
        SummingWriter { inner, sum: Checksum::default() }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.update(bytes);
        self.inner.write_all(bytes)
    }
}

/// A reader that computes the checksum of what it reads.
struct SummingReader<'a> {
    inner: &'a mut dyn Read,
    sum: Checksum,
}

impl SummingReader<'_> {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), StateError> {
        self.inner.read_exact(bytes).map_err(|e| match e.kind() {
            io::ErrorKind::UnexpectedEof => StateError::Damaged("the file ends too early"),
            _ => StateError::Io(e),
        })?;
        self.sum.update(bytes);
        Ok(())
    }

    fn key<K: PackedKey>(&mut self) -> Result<K, StateError> {
        let mut bytes = [0; 32];
        self.fill(&mut bytes[..K::BYTES])?;
        Ok(K::read(&bytes[..K::BYTES]))
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], StateError> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }
}
