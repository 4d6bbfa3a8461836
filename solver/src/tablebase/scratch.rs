//! Values of classes on disk while a build goes on: finished ones, which later classes read, and unfinished ones, from
//! which a build that was stopped goes on. One byte a cell as in [`value`](crate::retrograde::value), and a file for each window;
//! not for keeping.
//!
//! A header of 64 bytes (`JEWELVAL`, version, state as in [`Stage`], fingerprint of the rules, signature of the layout, number
//! of bytes, window, length of a window; little-endian, zeros behind), the values with White to move, those with Black to
//! move, padding, and the CRC-32 of values and padding.

use super::build::BuildError;
use crate::retrograde::layout::Layout;
use crate::retrograde::simd::PAD;
use crate::retrograde::solved::Values;
use crate::retrograde::sweep::State;
use crate::retrograde::value::settled;
use jewel_tables::atomic::AtomicFile;
use jewel_tables::source::Mapped;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const MAGIC: [u8; 8] = *b"JEWELVAL";
const VERSION: u32 = 2;
const HEADER: usize = 64;

/// What a file of values must be to be of use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamp {
    /// The rules.
    pub(super) fingerprint: u64,
    /// The length of a window in plies.
    pub(super) span: u8,
    /// Which values.
    pub(super) stage: Stage,
}

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// Values of the first window on the way.
    Partial,
    /// Final values of a window, and whether it is the last one.
    Plane(usize, bool),
}

impl Stamp {
    fn at(self, stage: Stage) -> Stamp {
        Stamp { stage, ..self }
    }
}

/// The files of a class in the folder of unfinished things.
#[derive(Clone, Debug)]
pub(super) struct Files<'a> {
    /// The folder.
    pub(super) folder: &'a Path,
    /// The name of the class.
    pub(super) name: &'a str,
}

impl Files<'_> {
    /// The file of a window.
    pub(super) fn plane(&self, window: usize) -> PathBuf {
        self.folder.join(format!("{}.{window}.values", self.name))
    }

    /// The file of what later windows see.
    pub(super) fn settled(&self) -> PathBuf {
        self.folder.join(format!("{}.settled.values", self.name))
    }

    /// The file of slices that are not being worked on; it has this name for a moment only.
    pub(super) fn slices(&self) -> PathBuf {
        self.folder.join(format!("{}.slices.values.tmp", self.name))
    }

    /// The file of values on the way.
    pub(super) fn partial(&self) -> PathBuf {
        self.folder.join(format!("{}.partial", self.name))
    }

    /// Removes all values of the class that are there.
    pub(super) fn remove(&self) -> Result<(), BuildError> {
        let planes = (0..).map(|w| self.plane(w)).take_while(|path| path.exists());
        for path in planes.chain([self.settled(), self.partial()]) {
            remove(&path).map_err(|e| BuildError::io(&path, e))?;
        }
        Ok(())
    }
}

fn header(stamp: Stamp, layout: &Layout) -> [u8; HEADER] {
    let mut bytes = [0; HEADER];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    let (state, window) = match stamp.stage {
        Stage::Partial => (0, 0),
        Stage::Plane(window, last) => (if last { 1 } else { 2 }, window as u64),
    };
    bytes[12..16].copy_from_slice(&u32::to_le_bytes(state));
    bytes[16..24].copy_from_slice(&stamp.fingerprint.to_le_bytes());
    bytes[24..32].copy_from_slice(&layout.signature().to_le_bytes());
    bytes[32..40].copy_from_slice(&payload(layout).to_le_bytes());
    bytes[40..48].copy_from_slice(&window.to_le_bytes());
    bytes[48] = stamp.span;
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

/// Opens the values of all windows of a class; `None` if one is missing or not as [`open`] wants it.
pub(super) fn open_planes(files: &Files<'_>, stamp: Stamp, layout: &Layout) -> Option<Values> {
    let mut planes = vec![];
    loop {
        let window = planes.len();
        let path = files.plane(window);
        if let Some(map) = open(&path, stamp.at(Stage::Plane(window, true)), layout) {
            planes.push(map);
            return Some(Values::new(planes, HEADER, stamp.span));
        }
        planes.push(open(&path, stamp.at(Stage::Plane(window, false)), layout)?);
    }
}

/// Has the values of a class for every window up to this one.
pub(super) fn settle(values: &Values, window: usize, files: &Files<'_>) -> Result<(), BuildError> {
    let path = files.settled();
    let make = |bytes: &[u8]| {
        let mut file = AtomicFile::create(&path)?;
        // Nobody opens it but this run: no header is needed.
        file.write_all(&[0; HEADER])?;
        for part in bytes.chunks(1 << 20) {
            file.write_all(&part.iter().map(|&v| settled(v)).collect::<Vec<u8>>())?;
        }
        file.commit()?;
        Mapped::open_for_runs(&path)
    };
    values.settle(window, make).map_err(|e: io::Error| BuildError::io(&path, e))
}

/// The values of a file that [`open`] has opened.
pub(super) fn cells(map: &Mapped) -> &[u8] {
    &map.bytes()[HEADER..]
}

/// Opens the values that [`save`] wrote for the same rules and layout; `None` if there are none, or they are others or damaged.
pub(super) fn open(path: &Path, stamp: Stamp, layout: &Layout) -> Option<Mapped> {
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
    Some(map)
}

/// Removes a file if it is there.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
