//! Looking values up in the file of a solved graph.

use super::header::Header;
use super::model::Model;
use super::place::{Place, Split};
use super::writer::{END, block_sum, index_bytes};
use super::{FileError, damaged};
use crate::keyed::Keyed;
use crate::width::{ByWidth, TooWide, by_width, key_bytes, of_width};
use jewel_engine::ability::{Packed, PackedKey, Probe, Symmetric};
use jewel_engine::value::{Outcome, Value};
use jewel_tables::source::ReadAt;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Blocks that stay in memory, some ten kibibytes each.
const HELD: usize = 1 << 12;

/// A decoded block: positions with the same high part and count are a group.
#[derive(Default)]
struct Block<K> {
    /// Each group's high part and count, and where it begins.
    groups: Vec<(K, u8, u32)>,
    ranks: Vec<u64>,
    values: Vec<u16>,
}

impl<K: PackedKey> Block<K> {
    /// The number of the value of a position.
    fn find(&self, place: Place<K>) -> Option<u16> {
        let after = self.groups.partition_point(|group| (group.0, group.1) <= (place.upper, place.count));
        let group = self.groups.get(after.checked_sub(1)?)?;
        if (group.0, group.1) != (place.upper, place.count) {
            return None;
        }
        let end = self.groups.get(after).map_or(self.ranks.len(), |next| next.2 as usize);
        let start = group.2 as usize;
        let at = self.ranks[start..end].binary_search(&place.rank).ok()?;
        Some(self.values[start + at])
    }
}

/// A block of the index: its first position, where it begins in the file, and its checksum.
struct Indexed<K> {
    first: Place<K>,
    start: u64,
    sum: u32,
}

/// A block with its number.
type Held<K> = Mutex<Option<(u64, Arc<Block<K>>)>>;

/// The values of all positions that a root leads to, in a file. Blocks are read when they are asked for. It takes 45 mebibytes of
/// memory at most, and 32 to 64 bytes for each 1024 positions.
pub struct SolutionFile<P> {
    game: Keyed<P>,
    header: Header,
    blocks: AnyBlocks,
}

/// The blocks of a file with keys of any width.
type AnyBlocks = ByWidth<Blocks<u64>, Blocks<u128>, Blocks<[u64; 4]>>;

/// The blocks of a file.
struct Blocks<K> {
    split: Split,
    model: Model,
    /// Positions of the file, and of a block.
    positions: u64,
    block: u64,
    index: Vec<Indexed<K>>,
    /// Where the blocks end.
    end: u64,
    source: Box<dyn ReadAt>,
    held: Box<[Held<K>]>,
}

impl<P> fmt::Debug for SolutionFile<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SolutionFile").field("positions", &self.header.positions).finish_non_exhaustive()
    }
}

impl<P: Packed> SolutionFile<P> {
    /// Opens the file of a game whose rules have a `fingerprint`; `root` is the [root](Header::root) of its header. The blocks are
    /// not looked at.
    ///
    /// # Errors
    /// If it cannot be read, is for other rules, of another version, damaged, or of another width of keys.
    pub fn open(source: Box<dyn ReadAt>, root: P, fingerprint: u64) -> Result<SolutionFile<P>, FileError>
    where
        P: Symmetric,
    {
        let (header, blocks) = open(source, root.packed_bits(), fingerprint)?;
        let game = if header.folded { Keyed::folded(root) } else { Keyed::new(root) };
        Ok(SolutionFile { game, header, blocks })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The position from which everything else is reached.
    pub fn root(&self) -> &P {
        &self.game.root
    }

    /// Compares all blocks with their checksums.
    ///
    /// # Errors
    /// The first block that is damaged or cannot be read.
    pub fn check(&self) -> Result<(), FileError> {
        self.blocks.check()
    }

    /// The value of a position for its side to move; `None` if the root does not lead to it.
    ///
    /// # Errors
    /// If the block that holds it is damaged or cannot be read.
    pub fn value(&self, position: &P) -> Result<Option<Value>, FileError> {
        let root = &self.game.root;
        if position.packed_bits() > root.packed_bits() {
            return Ok(None);
        }
        let Some(value) = by_width!(&self.blocks, blocks => {
            // Keys tell positions of one root apart: one of another root may have the same.
            blocks.find(self.game.key(position))?.filter(|_| same_key(blocks, root, position))
        }) else {
            return Ok(None);
        };
        Ok(self.header.values.get(usize::from(value)).copied())
    }
}

/// Whether a root leads to a position by its key, for the keys of these blocks.
fn same_key<P: Packed, K: PackedKey>(_: &Blocks<K>, root: &P, position: &P) -> bool {
    root.unpack::<K>(position.pack()) == *position
}

/// The header and the blocks of a file, for a root of this many bits.
fn open(source: Box<dyn ReadAt>, bits: u32, fingerprint: u64) -> Result<(Header, AnyBlocks), FileError> {
    let (header, start, sum) = Header::read_with_length(&*source)?;
    if header.fingerprint != fingerprint {
        return Err(FileError::Rules { expected: fingerprint, found: header.fingerprint });
    }
    if key_bytes(bits) != Ok(header.key_bytes.into()) {
        return Err(damaged(format!("keys of {} bytes do not fit its root", header.key_bytes)));
    }
    let blocks: Result<AnyBlocks, TooWide> =
        of_width!(bits, K => Blocks::<K>::open(source, &header, start, sum)?);
    let blocks = blocks.map_err(|error| damaged(error.to_string()))?;
    Ok((header, blocks))
}

impl AnyBlocks {
    fn check(&self) -> Result<(), FileError> {
        by_width!(self, blocks => blocks.check())
    }
}

impl<K: PackedKey> Blocks<K> {
    /// The blocks of a file whose header ends at `start` with the checksum `sum`.
    fn open(source: Box<dyn ReadAt>, header: &Header, start: u64, sum: u32) -> Result<Blocks<K>, FileError> {
        let [any, all] = &header.keys;
        let split = Split::new(K::BITS, any, all, header.set_bits.into());
        let mut model = Model::new(&split, header.values.len());
        if !header.model.is_empty() {
            model.read(&header.model)?;
        }
        let wrong = || damaged("it does not end as it should");
        let record = index_bytes(K::BYTES);
        let size = header.blocks() * record as u64 + 8;
        let end = source.length().checked_sub(size).filter(|&end| end >= start).ok_or_else(wrong)?;
        let mut bytes = vec![0; size as usize];
        source.read_at(end, &mut bytes)?;
        let (records, tail) = bytes.split_at(bytes.len() - 8);
        let mut sums = crc32fast::Hasher::new();
        sums.update(&sum.to_le_bytes());
        sums.update(records);
        if tail[..4] != sums.finalize().to_le_bytes() || &tail[4..] != END {
            return Err(wrong());
        }
        let mut at = start;
        let mut index = Vec::with_capacity(header.blocks() as usize);
        for record in records.chunks_exact(record) {
            let (upper, rest) = record.split_at(K::BYTES);
            let u32_at = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| rest[at + i]));
            let rank = u64::from_le_bytes(std::array::from_fn(|i| rest[1 + i]));
            let first = Place { upper: K::read(upper), count: rest[0], rank };
            index.push(Indexed { first, start: at, sum: u32_at(13) });
            at += u64::from(u32_at(9));
        }
        if at != end || index.windows(2).any(|pair| pair[0].first >= pair[1].first) {
            return Err(wrong());
        }
        let held = (0..HELD.min(index.len())).map(|_| Mutex::new(None)).collect();
        let (positions, block) = (header.positions, header.block.into());
        Ok(Blocks { split, model, positions, block, index, end, source, held })
    }

    fn check(&self) -> Result<(), FileError> {
        (0..self.index.len()).try_for_each(|number| self.data(number).map(drop))
    }

    /// The number of the value of a position; `None` if it is not there.
    fn find(&self, key: K) -> Result<Option<u16>, FileError> {
        let Some(place) = self.split.place(key) else { return Ok(None) };
        let after = self.index.partition_point(|block| block.first <= place);
        let Some(number) = after.checked_sub(1) else { return Ok(None) };
        Ok(self.block(number)?.find(place))
    }

    /// The bytes of a block.
    fn data(&self, number: usize) -> Result<Vec<u8>, FileError> {
        let Indexed { start, sum, .. } = self.index[number];
        let end = self.index.get(number + 1).map_or(self.end, |next| next.start);
        let mut data = vec![0; (end - start) as usize];
        self.source.read_at(start, &mut data)?;
        if block_sum(number as u64, &data) != sum {
            return Err(damaged(format!("the checksum of block {number} is wrong")));
        }
        Ok(data)
    }

    /// A block, from memory if it is there.
    fn block(&self, number: usize) -> Result<Arc<Block<K>>, FileError> {
        let held = || self.held[number % self.held.len()].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, block)) = held().as_ref().filter(|(n, _)| *n == number as u64) {
            return Ok(block.clone());
        }
        let block = Arc::new(self.decoded(number)?);
        *held() = Some((number as u64, block.clone()));
        Ok(block)
    }

    fn decoded(&self, number: usize) -> Result<Block<K>, FileError> {
        let data = self.data(number)?;
        let before = number as u64 * self.block;
        let length = (self.positions - before).min(self.block) as usize;
        let mut block = Block {
            groups: Vec::new(),
            ranks: Vec::with_capacity(length),
            values: Vec::with_capacity(length),
        };
        let decoded = self.model.decode(&data, self.index[number].first, length, |entry| {
            let Place { upper, count, rank } = entry.place;
            if block.groups.last().is_none_or(|group| (group.0, group.1) != (upper, count)) {
                block.groups.push((upper, count, block.ranks.len() as u32));
            }
            block.ranks.push(rank);
            block.values.push(entry.value);
        });
        decoded.map(|()| block).ok_or_else(|| damaged(format!("block {number} makes no sense")))
    }
}

/// For searchers: what cannot be read is not known.
impl<P: Packed> Probe<P> for SolutionFile<P> {
    fn probe_wdl(&self, position: &P) -> Option<Outcome> {
        self.probe(position).map(Value::outcome)
    }

    fn probe(&self, position: &P) -> Option<Value> {
        self.value(position).ok().flatten()
    }
}
