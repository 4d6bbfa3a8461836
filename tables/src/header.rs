//! The header (rules, pieces, symmetries), and the trailer, which says where the other parts are.

use crate::distances::Distances;
use crate::error::{FORMAT_VERSION, Fault, content};
use crate::index::Index;
use crate::scheme::{Group, Map, Scheme};
use jewel_engine::value::Side;

pub(crate) const MAGIC: &[u8; 8] = b"JEWELTAB";
const END: &[u8; 4] = b"JEND";
/// Bytes before the groups.
pub(crate) const FIXED: usize = 56;
const GROUP: usize = 12;
/// The longest header: 32 groups, 16 symmetries of 64 squares.
pub(crate) const MAX_LENGTH: usize = FIXED + 32 * GROUP + 16 * 65 + 4;
pub(crate) const TRAILER: usize = 64;

/// How far away the neighbours are that a cell is coded by, in cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NeighbourOffsets {
    /// The same column in the row before.
    pub(crate) near: u32,
    /// The same place in the plane before, or two rows before.
    pub(crate) far: u32,
    /// A rank of the board below.
    pub(crate) up: u32,
}

/// The content of a header.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) scheme: Scheme,
    pub(crate) distances: Distances,
    pub(crate) fingerprint: u64,
    pub(crate) cells: u64,
    pub(crate) block: u32,
    pub(crate) neighbours: NeighbourOffsets,
    /// The side to move whose cells come first in a block.
    pub(crate) first: Side,
    pub(crate) model_length: u32,
    pub(crate) model_checksum: u32,
}

/// The cells that a block may have for each side to move.
pub(crate) const BLOCK_CELLS: std::ops::RangeInclusive<u32> = 64..=4096;

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

impl Header {
    /// The header as it is in the file, with its checksum.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(FORMAT_VERSION.to_le_bytes());
        let s = &self.scheme;
        out.extend([s.width, s.height, self.distances.metric()]);
        out.extend([s.groups.len() as u8, s.leading as u8, s.symmetries.len() as u8]);
        out.extend(self.fingerprint.to_le_bytes());
        out.extend(self.cells.to_le_bytes());
        for number in
            [self.block, self.neighbours.near, self.neighbours.far, self.model_length, self.model_checksum]
        {
            out.extend(number.to_le_bytes());
        }
        out.extend([self.first.index() as u8, self.distances.step(), 0, 0]);
        for group in &s.groups {
            out.extend([group.side.index() as u8, group.letter, group.count, 0]);
            out.extend(group.allowed.to_le_bytes());
        }
        for map in &s.symmetries {
            out.push(u8::from(map.exchange));
            out.extend(&map.squares);
        }
        out.extend(crc32fast::hash(&out).to_le_bytes());
        out
    }

    /// The length of the header that begins with `front` (at least [`FIXED`] bytes), with its checksum.
    pub(crate) fn length(front: &[u8]) -> Result<usize, Fault> {
        if &front[..8] != MAGIC {
            return Err(Fault::Magic);
        }
        let version = u16::from_le_bytes([front[8], front[9]]);
        if version != FORMAT_VERSION {
            return Err(Fault::Version(version));
        }
        let area = usize::from(front[10]) * usize::from(front[11]);
        let (groups, symmetries) = (usize::from(front[13]), usize::from(front[15]));
        let length = FIXED + groups * GROUP + symmetries * (1 + area) + 4;
        // No valid header is longer.
        if length > MAX_LENGTH { Err(Fault::Checksum { part: "header", number: 0 }) } else { Ok(length) }
    }

    /// Reads a whole header, and builds the index that it describes.
    pub(crate) fn read(bytes: &[u8]) -> Result<(Header, Index), Fault> {
        let (body, sum) = bytes.split_at(bytes.len() - 4);
        if crc32fast::hash(body) != u32_at(sum, 0) {
            return Err(Fault::Checksum { part: "header", number: 0 });
        }
        let area = usize::from(body[10]) * usize::from(body[11]);
        let (groups, maps) = body[FIXED..].split_at(usize::from(body[13]) * GROUP);
        let groups = groups
            .chunks_exact(GROUP)
            .map(|g| Group {
                side: if g[0] == 0 { Side::White } else { Side::Black },
                letter: g[1],
                count: g[2],
                allowed: u64_at(g, 4),
            })
            .collect();
        let symmetries = maps
            .chunks_exact(1 + area)
            .map(|m| Map { exchange: m[0] != 0, squares: m[1..].to_vec() })
            .collect();
        let scheme =
            Scheme { width: body[10], height: body[11], groups, leading: usize::from(body[14]), symmetries };
        let (metric, step) = (body[12], body[53]);
        let distances = Distances::from_bytes(metric, step)
            .ok_or_else(|| content(format!("distances of kind {metric} in steps of {step} are not known")))?;
        let header = Header {
            scheme,
            distances,
            fingerprint: u64_at(body, 16),
            cells: u64_at(body, 24),
            block: u32_at(body, 32),
            neighbours: NeighbourOffsets {
                near: u32_at(body, 36),
                far: u32_at(body, 40),
                up: u32::from(body[10]),
            },
            first: if body[52] == 0 { Side::White } else { Side::Black },
            model_length: u32_at(body, 44),
            model_checksum: u32_at(body, 48),
        };
        if !BLOCK_CELLS.contains(&header.block) {
            return Err(content(format!("blocks of {} cells", header.block)));
        }
        if body[52] > 1 {
            return Err(content(format!("side {}", body[52])));
        }
        if header.neighbours.near == 0 || header.neighbours.far == 0 {
            return Err(content("a cell cannot be its own neighbour"));
        }
        let index = Index::new(&header.scheme).map_err(content)?;
        if index.cells() != header.cells {
            return Err(content(format!("{} cells instead of {}", header.cells, index.cells())));
        }
        Ok((header, index))
    }
}

/// The trailer: the offsets, lengths and checksums of the parts of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Trailer {
    pub(crate) wdl_index: u64,
    pub(crate) distance_blocks: u64,
    pub(crate) distance_index: u64,
    pub(crate) metadata: u64,
    pub(crate) metadata_length: u32,
    pub(crate) metadata_checksum: u32,
    pub(crate) header_checksum: u32,
}

impl Trailer {
    pub(crate) fn bytes(&self) -> [u8; TRAILER] {
        let mut out = [0; TRAILER];
        for (i, offset) in
            [self.wdl_index, self.distance_blocks, self.distance_index, self.metadata].iter().enumerate()
        {
            out[8 * i..][..8].copy_from_slice(&offset.to_le_bytes());
        }
        out[32..36].copy_from_slice(&self.metadata_length.to_le_bytes());
        out[36..40].copy_from_slice(&self.metadata_checksum.to_le_bytes());
        out[52..56].copy_from_slice(&self.header_checksum.to_le_bytes());
        let sum = crc32fast::hash(&out[..56]);
        out[56..60].copy_from_slice(&sum.to_le_bytes());
        out[60..].copy_from_slice(END);
        out
    }

    pub(crate) fn read(bytes: &[u8; TRAILER]) -> Result<Trailer, Fault> {
        if &bytes[60..] != END {
            return Err(Fault::Length("it does not end as a table does"));
        }
        if crc32fast::hash(&bytes[..56]) != u32_at(bytes, 56) {
            return Err(Fault::Checksum { part: "trailer", number: 0 });
        }
        Ok(Trailer {
            wdl_index: u64_at(bytes, 0),
            distance_blocks: u64_at(bytes, 8),
            distance_index: u64_at(bytes, 16),
            metadata: u64_at(bytes, 24),
            metadata_length: u32_at(bytes, 32),
            metadata_checksum: u32_at(bytes, 36),
            header_checksum: u32_at(bytes, 52),
        })
    }
}
