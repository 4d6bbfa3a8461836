//! The header of a proof file: whose proof it is, of what, by which rules.

use super::{ProofError, damaged};
use jewel_engine::value::Side;
use jewel_tables::source::ReadAt;

pub(super) const MAGIC: &[u8; 8] = b"JEWELPRF";
const VERSION: u16 = 1;
const FIXED: usize = 56;
/// The longest rules, root and list of tables that are read, in bytes.
const LONGEST: [u32; 3] = [1 << 20, 1 << 12, 1 << 24];

/// What kind of claim a file proves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The prover does not lose.
    Safe,
    /// The prover wins.
    Win,
}

/// How positions are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// Square by square, for rules that the plain move generator knows.
    Board,
    /// The key that the program packs positions into.
    Packed,
}

/// A table that a proof ends in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedTable {
    /// The SHA-256 of the file, as 64 hexadecimal digits.
    pub sha256: String,
    /// The name of the file.
    pub name: String,
}

/// The content of a header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// What is claimed.
    pub kind: Kind,
    /// For whom.
    pub prover: Side,
    /// How positions are written.
    pub encoding: Encoding,
    /// Symbols of a position, 1 to 255.
    pub symbols: u8,
    /// Bits of a symbol, 1 to 8.
    pub bits: u8,
    /// The fingerprint of the rules.
    pub fingerprint: u64,
    /// Positions of the file.
    pub positions: u64,
    /// Positions of a block.
    pub block: u32,
    /// The most plies of the win; `None` if the claim has no limit.
    pub limit: Option<u32>,
    /// The text of a variant file, or the id of a game of the program.
    pub rules: String,
    /// The position string of the root.
    pub root: String,
    /// The tables that the proof ends in.
    pub tables: Vec<NamedTable>,
}

impl Header {
    /// The header as it is in the file, with its checksum.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let tables: String = self.tables.iter().map(|t| format!("{}  {}\n", t.sha256, t.name)).collect();
        let mut out = MAGIC.to_vec();
        out.extend(VERSION.to_le_bytes());
        out.extend([u8::from(self.kind == Kind::Win), self.prover.index() as u8]);
        out.extend([u8::from(self.encoding == Encoding::Packed), self.symbols, self.bits, 0]);
        out.extend(self.fingerprint.to_le_bytes());
        out.extend(self.positions.to_le_bytes());
        let texts = [&self.rules, &self.root, &tables];
        let lengths = texts.map(|text| text.len() as u32);
        for number in [self.block, self.limit.unwrap_or(0)].into_iter().chain(lengths).chain([0]) {
            out.extend(number.to_le_bytes());
        }
        texts.iter().for_each(|text| out.extend(text.as_bytes()));
        out.extend(crc32fast::hash(&out).to_le_bytes());
        out
    }

    /// Reads the header of a file; returns its length and its checksum too.
    pub(super) fn read(source: &dyn ReadAt) -> Result<(Header, u64, u32), ProofError> {
        let mut front = [0; FIXED];
        if source.length() < FIXED as u64 + 4 {
            return Err(damaged("this is not a proof file: it is too short"));
        }
        source.read_at(0, &mut front)?;
        if &front[..8] != MAGIC {
            return Err(damaged("this is not a proof file"));
        }
        let version = u16::from_le_bytes([front[8], front[9]]);
        if version != VERSION {
            return Err(ProofError::Unknown(format!(
                "version {version} of proof files is not known, only {VERSION}"
            )));
        }
        let u32_at = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| front[at + i]));
        let u64_at = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| front[at + i]));
        let lengths = [40, 44, 48].map(u32_at);
        if lengths.iter().zip(LONGEST).any(|(&length, longest)| length > longest) {
            return Err(damaged("the header is damaged"));
        }
        let length = FIXED as u64 + lengths.iter().map(|&length| u64::from(length)).sum::<u64>();
        let mut bytes = vec![0; length as usize + 4];
        source.read_at(0, &mut bytes)?;
        let (body, sum) = bytes.split_at(length as usize);
        let sum = u32::from_le_bytes(std::array::from_fn(|i| sum[i]));
        if crc32fast::hash(body) != sum {
            return Err(damaged("the header is damaged"));
        }
        let mut at = FIXED;
        let mut text = |n: usize| {
            let part = &body[at..at + lengths[n] as usize];
            at += lengths[n] as usize;
            std::str::from_utf8(part)
                .map(str::to_string)
                .map_err(|_| damaged("the header has a text that is no UTF-8"))
        };
        let (rules, root, tables) = (text(0)?, text(1)?, text(2)?);
        let table = |line: &str| {
            let (sum, name) = line.split_once("  ")?;
            let digits = sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_hexdigit());
            digits.then(|| NamedTable { sha256: sum.to_string(), name: name.to_string() })
        };
        let tables: Option<Vec<NamedTable>> = tables.lines().map(table).collect();
        let wrong = |what: &str| damaged(format!("the header has {what}"));
        let header = Header {
            kind: [Kind::Safe, Kind::Win]
                .get(usize::from(front[10]))
                .copied()
                .ok_or_else(|| wrong("an unknown kind"))?,
            prover: Side::BOTH
                .get(usize::from(front[11]))
                .copied()
                .ok_or_else(|| wrong("an unknown side"))?,
            encoding: [Encoding::Board, Encoding::Packed]
                .get(usize::from(front[12]))
                .copied()
                .ok_or_else(|| wrong("an unknown encoding"))?,
            symbols: front[13],
            bits: front[14],
            fingerprint: u64_at(16),
            positions: u64_at(24),
            block: u32_at(32),
            limit: Some(u32_at(36)).filter(|&limit| limit != 0),
            rules,
            root,
            tables: tables.ok_or_else(|| wrong("a list of tables that cannot be read"))?,
        };
        if header.symbols == 0 || !(1..=8).contains(&header.bits) || header.block == 0 {
            return Err(wrong("a size that is not possible"));
        }
        if header.kind == Kind::Safe && header.limit.is_some() {
            return Err(wrong("a limit of plies for a claim that has none"));
        }
        Ok((header, length + 4, sum))
    }
}
