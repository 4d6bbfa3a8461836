//! The state file: an enumeration that was stopped and can be resumed.
//!
//! All numbers are little-endian. The file is a header of 56 bytes,
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 8 | `JEWELGRF` |
//! | 8 | 4 | format version, 1 |
//! | 12 | 4 | bytes of a key, `k`: 8, 16 or 32 |
//! | 16 | 8 | fingerprint of the rules and the root |
//! | 24 | 8 | positions, `p` |
//! | 32 | 8 | expanded positions, `x` |
//! | 40 | 8 | moves from expanded positions, `m` |
//! | 48 | 8 | checksum of the 48 bytes before |
//!
//! then `p` keys of `k` bytes in order of discovery, `x` records of 2 bytes (bit 15: Black moves; bits 13
//! and 14: 0 open, 1 lost, 2 drawn, 3 won, for the side to move; the others: number of moves), `m` position
//! numbers of 4 bytes (the successors of the expanded positions in order), and 8 bytes of checksum of
//! everything before. A checksum is `splitmix64(h ^ word)` over words of 8 bytes from `h = 0`, the last word
//! padded with zeros; damage within one word always changes it.

use crate::control::{Control, Stop};
use crate::graph::{Graph, KeyGraph};
use crate::store::{KeyStore, Meta};
use crate::successors::{BLOCK, SuccessorLists};
use jewel_engine::ability::{Packed, PackedKey};
use jewel_engine::zobrist::splitmix64;
use jewel_tables::atomic::AtomicFile;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use thiserror::Error;

const MAGIC: [u8; 8] = *b"JEWELGRF";
/// The version of the format that is written and read.
pub const VERSION: u32 = 1;
const HEADER: usize = 48;

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

/// Bytes of the state file of a graph.
pub fn size<P: Packed, K: PackedKey>(graph: &Graph<P, K>) -> u64 {
    let keys = graph.positions() * K::BYTES as u64;
    HEADER as u64 + 8 + keys + 2 * graph.expanded() + 4 * graph.edges() + 8
}

/// Writes the state of a graph to a file, whole or not at all. `fingerprint` is that of [`fingerprint`](fn@fingerprint).
///
/// # Errors
/// Those of the file system.
pub fn save<P: Packed, K: PackedKey>(graph: &Graph<P, K>, fingerprint: u64, path: &Path) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    write(graph, fingerprint, &mut file)?;
    file.commit()
}

/// Reads a graph back from a file. It counts against the memory limit of `control`.
///
/// # Errors
/// Why the file cannot be used. No content of the file causes a panic or undefined behaviour.
pub fn load<P: Packed, K: PackedKey>(
    root: P,
    fingerprint: u64,
    path: &Path,
    control: &Control<'_>,
) -> Result<Graph<P, K>, StateError> {
    // Before it is opened: opening a pipe would wait for a writer.
    if !std::fs::metadata(path)?.is_file() {
        return Err(StateError::Foreign);
    }
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    read(root, fingerprint, length, BufReader::with_capacity(1 << 20, file), control)
}

/// Writes the state of a graph to a writer.
///
/// # Errors
/// Those of the writer.
pub fn write<P: Packed, K: PackedKey>(
    graph: &Graph<P, K>,
    fingerprint: u64,
    out: impl Write,
) -> io::Result<()> {
    write_keys(&graph.keys, fingerprint, &mut SummingWriter::new(out))
}

fn write_keys<K: PackedKey>(
    keys: &KeyGraph<K>,
    fingerprint: u64,
    out: &mut SummingWriter<impl Write>,
) -> io::Result<()> {
    out.write(&MAGIC)?;
    out.write(&VERSION.to_le_bytes())?;
    out.write(&(K::BYTES as u32).to_le_bytes())?;
    out.write(&fingerprint.to_le_bytes())?;
    for count in [keys.found(), keys.expanded(), keys.successors.edge_count] {
        out.write(&count.to_le_bytes())?;
    }
    let sum = out.sum.finish();
    out.write(&sum.to_le_bytes())?;
    let mut bytes = [0; 32];
    for key in keys.positions.keys().iter() {
        key.write(&mut bytes[..K::BYTES]);
        out.write(&bytes[..K::BYTES])?;
    }
    for meta in keys.successors.meta.iter() {
        out.write(&meta.0.to_le_bytes())?;
    }
    for to in keys.successors.edges.iter().flatten() {
        out.write(&to.to_le_bytes())?;
    }
    let sum = out.sum.finish();
    out.write(&sum.to_le_bytes())?;
    out.inner.flush()
}

/// Reads the state of a graph from a reader of `length` bytes.
///
/// # Errors
/// As [`load`].
pub fn read<P: Packed, K: PackedKey>(
    root: P,
    fingerprint: u64,
    length: u64,
    input: impl Read,
    control: &Control<'_>,
) -> Result<Graph<P, K>, StateError> {
    let keys = read_graph(root.pack(), fingerprint, length, input, control)?;
    Ok(Graph { root, keys })
}

fn read_graph<K: PackedKey>(
    root: K,
    fingerprint: u64,
    length: u64,
    input: impl Read,
    control: &Control<'_>,
) -> Result<KeyGraph<K>, StateError> {
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
    let [positions, expanded, edges] =
        [input.bytes()?, input.bytes()?, input.bytes()?].map(u64::from_le_bytes);
    let sum = input.sum.finish();
    if u64::from_le_bytes(input.bytes()?) != sum {
        return Err(StateError::Damaged("the checksum of the header is wrong"));
    }
    if found != fingerprint || width as usize != K::BYTES {
        return Err(StateError::Mismatch);
    }
    let sizes = [(1, HEADER as u64 + 16), (positions, K::BYTES as u64), (expanded, 2), (edges, 4)];
    let expected = sizes.iter().try_fold(0_u64, |sum, (n, bytes)| sum.checked_add(n.checked_mul(*bytes)?));
    if expected != Some(length) {
        return Err(StateError::Damaged("the file has not the length that its header gives"));
    }
    if positions == 0 || positions > crate::control::MAX_POSITIONS || expanded > positions {
        return Err(StateError::Damaged("the counts in the header are impossible"));
    }
    let mut keys = KeyGraph::new();
    let needed = keys.bytes_with(positions as usize, expanded as usize, edges);
    control.check_memory(needed)?;
    keys.positions = read_keys(root, positions as usize, &mut input)?;
    read_lists(&mut keys.successors, positions as u32, expanded as usize, edges, &mut input)?;
    let sum = input.sum.finish();
    if u64::from_le_bytes(input.bytes()?) != sum {
        return Err(StateError::Damaged("the checksum is wrong"));
    }
    Ok(keys)
}

fn read_keys<K: PackedKey>(
    root: K,
    positions: usize,
    input: &mut SummingReader<impl Read>,
) -> Result<KeyStore<K>, StateError> {
    let mut store = KeyStore::new();
    store.reserve(positions)?;
    let mut bytes = [0; 32];
    for number in 0..positions {
        input.fill(&mut bytes[..K::BYTES])?;
        let key = K::read(&bytes[..K::BYTES]);
        if number == 0 && key != root {
            return Err(StateError::Damaged("the first position is not the root"));
        }
        if store.find_or_add(key, positions) != Some(number as u32) {
            return Err(StateError::Damaged("a position is there twice"));
        }
    }
    Ok(store)
}

fn read_lists(
    successors: &mut SuccessorLists,
    positions: u32,
    expanded: usize,
    edges: u64,
    input: &mut SummingReader<impl Read>,
) -> Result<(), StateError> {
    let mut metas = crate::control::allocate(expanded)?;
    let mut sum = 0;
    for _ in 0..expanded {
        let meta = Meta(u16::from_le_bytes(input.bytes()?));
        if meta.outcome().is_some() && meta.degree() > 0 {
            return Err(StateError::Damaged("a finished game goes on"));
        }
        sum += meta.degree() as u64;
        metas.push(meta);
    }
    if sum != edges {
        return Err(StateError::Damaged("the numbers of moves do not add up"));
    }
    successors.meta.reserve(expanded)?;
    for metas in metas.chunks(BLOCK) {
        let degree: usize = metas.iter().map(|meta| meta.degree()).sum();
        let mut list = crate::control::allocate(degree)?;
        for _ in 0..degree {
            let to = u32::from_le_bytes(input.bytes()?);
            if to >= positions {
                return Err(StateError::Damaged("a move leads to no position"));
            }
            list.push(to);
        }
        successors.keep(metas, list)?;
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
struct SummingWriter<W> {
    inner: W,
    sum: Checksum,
}

impl<W: Write> SummingWriter<W> {
    fn new(inner: W) -> Self {
        SummingWriter { inner, sum: Checksum::default() }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.update(bytes);
        self.inner.write_all(bytes)
    }
}

/// A reader that computes the checksum of what it reads.
struct SummingReader<R> {
    inner: R,
    sum: Checksum,
}

impl<R: Read> SummingReader<R> {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), StateError> {
        self.inner.read_exact(bytes).map_err(|e| match e.kind() {
            io::ErrorKind::UnexpectedEof => StateError::Damaged("the file ends too early"),
            _ => StateError::Io(e),
        })?;
        self.sum.update(bytes);
        Ok(())
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], StateError> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }
}
