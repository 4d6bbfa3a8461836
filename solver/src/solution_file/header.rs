//! The header of a solution file: whose positions it has, by which rules.

use super::place::Words;
use super::{FileError, VERSION, damaged};
use jewel_engine::value::{Outcome, Value};
use jewel_tables::source::ReadAt;

const MAGIC: &[u8; 8] = b"JEWELSOL";
/// Bytes before the keys.
const FIXED: usize = 52;
/// Bytes of a value.
const VALUE: usize = 5;
/// The longest rules, root, list of values and model that are read: bytes, bytes, values, bytes.
const LONGEST: [u32; 4] = [1 << 20, 1 << 12, 1 << 16, 1 << 24];

/// The content of a header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The fingerprint of the rules.
    pub fingerprint: u64,
    /// Whether one position stands for all its images.
    pub folded: bool,
    /// Bytes of a key: 8, 16 or 32.
    pub key_bytes: u8,
    /// Positions of the file; of a folded one, orbits.
    pub positions: u64,
    /// The text of a variant file, or the id of a game of the program.
    pub rules: String,
    /// The position string of the root.
    pub root: String,
    /// How many of the lowest bits of a key are a set of squares.
    pub(super) set_bits: u8,
    /// The bits that any key has, and those that all have.
    pub(super) keys: [Words; 2],
    /// Positions of a block.
    pub(super) block: u32,
    /// The values of positions, in ascending order.
    pub(super) values: Vec<Value>,
    /// What the coder of the blocks has learnt.
    pub(super) model: Vec<u8>,
}

impl Header {
    /// Blocks of the file.
    pub(super) fn blocks(&self) -> u64 {
        self.positions.div_ceil(self.block.into())
    }

    /// The header as it is in the file, with its checksum.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(VERSION.to_le_bytes());
        out.extend([u8::from(self.folded), self.key_bytes, self.set_bits, 0, 0, 0]);
        out.extend(self.fingerprint.to_le_bytes());
        out.extend(self.positions.to_le_bytes());
        let lengths =
            [self.rules.len(), self.root.len(), self.values.len(), self.model.len()].map(|n| n as u32);
        for number in [self.block].into_iter().chain(lengths) {
            out.extend(number.to_le_bytes());
        }
        for words in &self.keys {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            out.extend(&bytes[..self.key_bytes.into()]);
        }
        out.extend(self.rules.as_bytes());
        out.extend(self.root.as_bytes());
        for value in &self.values {
            let outcome = match value.outcome() {
                Outcome::Loss => 0,
                Outcome::Draw => 1,
                Outcome::Win => 2,
            };
            out.push(outcome);
            out.extend(value.distance().unwrap_or(0).to_le_bytes());
        }
        out.extend(&self.model);
        out.extend(crc32fast::hash(&out).to_le_bytes());
        out
    }

    /// Reads the header of a file.
    ///
    /// # Errors
    /// If the file cannot be read, is not a solution file, is damaged, or has another version.
    pub fn read(source: &dyn ReadAt) -> Result<Header, FileError> {
        Header::read_with_length(source).map(|(header, ..)| header)
    }

    /// The same, and returns its length and its checksum too.
    pub(super) fn read_with_length(source: &dyn ReadAt) -> Result<(Header, u64, u32), FileError> {
        let mut front = [0; FIXED];
        let known = source.length().min(FIXED as u64) as usize;
        source.read_at(0, &mut front[..known])?;
        if known < MAGIC.len() || &front[..8] != MAGIC {
            return Err(FileError::Foreign);
        }
        let short = || damaged("it is cut short in its header");
        if known < FIXED {
            return Err(short());
        }
        let u32_at = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| front[at + i]));
        let u64_at = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| front[at + i]));
        let version = u16::from_le_bytes([front[8], front[9]]);
        if version != VERSION {
            return Err(FileError::Version { found: version });
        }
        let [flags, key_bytes, set_bits] = [10, 11, 12].map(|at: usize| front[at]);
        let wrong = || damaged("its header is not what was written");
        let lengths = [36, 40, 44, 48].map(u32_at);
        if ![8, 16, 32].contains(&key_bytes)
            || lengths.iter().zip(LONGEST).any(|(&length, longest)| length > longest)
        {
            return Err(wrong());
        }
        let sizes = [
            2 * usize::from(key_bytes),
            lengths[0] as usize,
            lengths[1] as usize,
            lengths[2] as usize * VALUE,
            lengths[3] as usize,
        ];
        let length = FIXED + sizes.iter().sum::<usize>();
        if source.length() < length as u64 + 4 {
            return Err(short());
        }
        let mut bytes = vec![0; length + 4];
        source.read_at(0, &mut bytes)?;
        let (body, sum) = bytes.split_at(length);
        let sum = u32::from_le_bytes(std::array::from_fn(|i| sum[i]));
        if crc32fast::hash(body) != sum {
            return Err(wrong());
        }
        let mut rest = &body[FIXED..];
        let mut part = |size: usize| {
            let (part, after) = rest.split_at(size);
            rest = after;
            part
        };
        let [keys, rules, root, values, model] = sizes.map(&mut part);
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).map_err(|_| wrong());
        let half = |half: &[u8]| {
            let mut words = [0; 4];
            for (word, bytes) in words.iter_mut().zip(half.chunks_exact(8)) {
                *word = u64::from_le_bytes(std::array::from_fn(|i| bytes[i]));
            }
            words
        };
        let (any, all) = keys.split_at(key_bytes.into());
        let header = Header {
            fingerprint: u64_at(16),
            folded: flags == 1,
            key_bytes,
            positions: u64_at(24),
            rules: text(rules)?,
            root: text(root)?,
            set_bits,
            keys: [half(any), half(all)],
            block: u32_at(32),
            values: values.chunks_exact(VALUE).map(value).collect::<Option<_>>().ok_or_else(wrong)?,
            model: model.to_vec(),
        };
        let possible = flags <= 1
            && set_bits <= 64
            && (1..=1 << 20).contains(&header.block)
            && (1..=u64::from(u32::MAX)).contains(&header.positions)
            && !header.values.is_empty()
            && header.values.windows(2).all(|pair| pair[0] < pair[1]);
        if !possible {
            return Err(damaged("its header makes no sense"));
        }
        Ok((header, length as u64 + 4, sum))
    }
}

fn value(bytes: &[u8]) -> Option<Value> {
    let distance = u32::from_le_bytes(bytes.get(1..VALUE)?.try_into().ok()?);
    match bytes[0] {
        0 => Some(Value::Loss(distance)),
        1 => Some(Value::Draw),
        2 => Some(Value::Win(distance)),
        _ => None,
    }
}
