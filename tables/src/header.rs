//! The header: which rules, which pieces, which symmetries; and the trailer that finds the rest.

use crate::block::Reach;
use crate::error::{FORMAT_VERSION, Fault, content};
use crate::index::Index;
use crate::scheme::{Group, Map, Scheme};
use jewel_engine::value::Side;

pub(crate) const MAGIC: &[u8; 8] = b"JEWELTAB";
const END: &[u8; 4] = b"JEND";
/// Bytes before the groups.
pub(crate) const FIXED: usize = 52;
const GROUP: usize = 12;
/// The longest header: 32 groups, 16 symmetries of 64 squares.
pub(crate) const LONGEST: usize = FIXED + 32 * GROUP + 16 * 65 + 4;
pub(crate) const TRAILER: usize = 64;

/// Whose distances a table holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Held {
    /// None.
    Nobodys,
    /// Those of all positions.
    All,
    /// Those of cells with this side to move.
    Of(Side),
}

impl Held {
    fn metric(self) -> u8 {
        match self {
            Held::Nobodys => 0,
            Held::All => 1,
            Held::Of(side) => 2 + side.index() as u8,
        }
    }

    fn of_metric(metric: u8) -> Held {
        match metric {
            0 => Held::Nobodys,
            2 => Held::Of(Side::White),
            3 => Held::Of(Side::Black),
            _ => Held::All,
        }
    }

    pub(crate) fn any(self) -> bool {
        self != Held::Nobodys
    }

    /// Whether distances with this side to move are held.
    pub(crate) fn with(self, side: usize) -> bool {
        match self {
            Held::Nobodys => false,
            Held::All => true,
            Held::Of(held) => held.index() == side,
        }
    }
}

/// What the header says.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) scheme: Scheme,
    pub(crate) distances: Held,
    pub(crate) fingerprint: u64,
    pub(crate) cells: u64,
    pub(crate) block: u32,
    pub(crate) reach: Reach,
    pub(crate) model_length: u32,
    pub(crate) model_checksum: u32,
}

/// Smallest and largest number of cells of a block.
pub(crate) const BLOCK_CELLS: std::ops::RangeInclusive<u32> = 64..=8192;

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

impl Header {
    /// The header as it stands in the file, its checksum included.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        // What older readers can read has the version that they know.
        let version = if matches!(self.distances, Held::Of(_)) { FORMAT_VERSION } else { 1 };
        out.extend(version.to_le_bytes());
        let s = &self.scheme;
        out.extend([s.width, s.height, self.distances.metric()]);
        out.extend([s.groups.len() as u8, s.leading as u8, s.symmetries.len() as u8]);
        out.extend(self.fingerprint.to_le_bytes());
        out.extend(self.cells.to_le_bytes());
        for number in [self.block, self.reach.near, self.reach.far, self.model_length, self.model_checksum] {
            out.extend(number.to_le_bytes());
        }
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

    /// The length of the header that begins so, its checksum included; `front` has at least [`FIXED`] bytes.
    pub(crate) fn length(front: &[u8]) -> Result<usize, Fault> {
        if &front[..8] != MAGIC {
            return Err(Fault::Magic);
        }
        let version = u16::from_le_bytes([front[8], front[9]]);
        if !(1..=FORMAT_VERSION).contains(&version) {
            return Err(Fault::Version(version));
        }
        let area = usize::from(front[10]) * usize::from(front[11]);
        let (groups, symmetries) = (usize::from(front[13]), usize::from(front[15]));
        let length = FIXED + groups * GROUP + symmetries * (1 + area) + 4;
        // A header that claims more is damaged: no sound one is longer.
        if length > LONGEST { Err(Fault::Checksum { part: "header", number: 0 }) } else { Ok(length) }
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
        let header = Header {
            scheme,
            distances: Held::of_metric(body[12]),
            fingerprint: u64_at(body, 16),
            cells: u64_at(body, 24),
            block: u32_at(body, 32),
            reach: Reach { near: u32_at(body, 36), far: u32_at(body, 40) },
            model_length: u32_at(body, 44),
            model_checksum: u32_at(body, 48),
        };
        // Distances of one side came with version 2.
        if body[12] > 3 || body[12] > 1 && body[8] == 1 {
            return Err(content(format!("metric {} is not known", body[12])));
        }
        if !BLOCK_CELLS.contains(&header.block) {
            return Err(content(format!("blocks of {} cells", header.block)));
        }
        if header.reach.near == 0 || header.reach.far == 0 {
            return Err(content("a cell cannot be its own neighbour"));
        }
        let index = Index::new(&header.scheme).map_err(content)?;
        if index.cells() != header.cells {
            return Err(content(format!("{} cells instead of {}", header.cells, index.cells())));
        }
        Ok((header, index))
    }
}

/// Where the parts of a file are.
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
