//! Values of classes on disk while a build goes on: finished ones, which later classes read, and unfinished ones, from
//! which a build that was stopped goes on. One byte a cell as in [`value`](crate::retrograde::value); not for keeping.
//!
//! A header of 64 bytes (`JEWELVAL`, version, whether finished, fingerprint of the rules, signature of the layout, number
//! of bytes; little-endian, zeros behind), the values with White to move, those with Black to move, padding, and the CRC-32 of
//! values and padding.

use crate::retrograde::layout::Layout;
use crate::retrograde::simd::PAD;
use crate::retrograde::solved::Values;
use crate::retrograde::sweep::State;
use jewel_tables::atomic::AtomicFile;
use jewel_tables::source::Mapped;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

const MAGIC: [u8; 8] = *b"JEWELVAL";
const VERSION: u32 = 1;
const HEADER: usize = 64;

/// What a file of values must be to be of use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamp {
    /// The rules.
    pub(super) fingerprint: u64,
    /// Whether the values are final.
    pub(super) finished: bool,
}

fn header(stamp: Stamp, layout: &Layout) -> [u8; HEADER] {
    let mut bytes = [0; HEADER];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    bytes[12..16].copy_from_slice(&u32::from(stamp.finished).to_le_bytes());
    bytes[16..24].copy_from_slice(&stamp.fingerprint.to_le_bytes());
    bytes[24..32].copy_from_slice(&layout.signature().to_le_bytes());
    bytes[32..40].copy_from_slice(&payload(layout).to_le_bytes());
    bytes
}

/// Bytes of values and padding.
fn payload(layout: &Layout) -> u64 {
    2 * layout.entries + PAD as u64
}

/// Writes the values of a state, whole or not at all.
pub(super) fn save(path: &Path, stamp: Stamp, layout: &Layout, state: &State) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(&header(stamp, layout))?;
    let mut sum = crc32fast::Hasher::new();
    let mut put = |bytes: &[u8]| {
        sum.update(bytes);
        file.write_all(bytes)
    };
    for turn in 0..2 {
        for slice in 0..layout.slices.len() {
            state.with(slice, turn, &mut put)?;
        }
    }
    put(&[255; PAD])?;
    file.write_all(&sum.finalize().to_le_bytes())?;
    file.commit()
}

/// Opens the values that [`save`] wrote for the same rules and layout; `None` if there are none, or they are others or damaged.
pub(super) fn open(path: &Path, stamp: Stamp, layout: &Layout) -> Option<Values> {
    let map = Mapped::open_for_runs(path).ok()?;
    let bytes = map.bytes();
    if bytes.len() as u64 != HEADER as u64 + payload(layout) + 4 || !bytes.starts_with(&header(stamp, layout))
    {
        return None;
    }
    let (values, sum) = bytes[HEADER..].split_at(payload(layout) as usize);
    if crc32fast::hash(values).to_le_bytes() != sum {
        return None;
    }
    map.release();
    Some(Values::new(map, HEADER))
}

/// Removes a file if it is there.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
