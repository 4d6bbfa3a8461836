//! Values of classes on disk during a build: final ones, which later classes read, and intermediate ones, from which a build
//! that was stopped goes on. A byte for each cell as in [`value`](crate::retrograde::value), and a file for each window; the
//! build removes them when it is done.
//!
//! A file has a header of 64 bytes (`JEWELVAL`, version, state as in [`Content`], fingerprint of the rules, signature of the
//! layout, number of bytes, window, length of a window; little-endian, padded with zeros), the values with White to move,
//! those with Black to move, padding, and the CRC-32 of values and padding.

use super::monitor::BuildError;
use crate::retrograde::layout::Layout;
use crate::retrograde::simd::PAD;
use crate::retrograde::solved::Values;
use crate::retrograde::sweep::State;
use crate::retrograde::value::settled;
use jewel_engine::value::Side;
use jewel_tables::atomic::AtomicFile;
use jewel_tables::map::Mapped;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

const MAGIC: [u8; 8] = *b"JEWELVAL";
const VERSION: u32 = 2;
const HEADER: usize = 64;

/// What the header of a file of values must say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamp {
    /// The fingerprint of the rules.
    pub(super) fingerprint: u64,
    /// The length of a window in plies.
    pub(super) span: u8,
    pub(super) content: Content,
}

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Content {
    /// Intermediate values of the first window.
    Partial,
    /// Final values of a window, and whether it is the last one.
    Window(usize, bool),
}

impl Stamp {
    fn with(self, content: Content) -> Stamp {
        Stamp { content, ..self }
    }
}

/// The files of a class in the folder of an unfinished build.
#[derive(Clone, Debug)]
pub(super) struct Files<'a> {
    pub(super) folder: &'a Path,
    /// The name of the class.
    name: &'a str,
    /// The name of the builder, where several work in the folder.
    builder: Option<&'a str>,
}

impl<'a> Files<'a> {
    /// The files of a class, as this builder of a fleet sees them.
    pub(super) fn new(folder: &'a Path, name: &'a str, builder: Option<&'a str>) -> Files<'a> {
        Files { folder, name, builder }
    }

    /// Those of another class.
    pub(super) fn of<'b>(&self, name: &'b str) -> Files<'b>
    where
        'a: 'b,
    {
        Files { name, ..*self }
    }

    /// The name of the class.
    pub(super) fn name(&self) -> &'a str {
        self.name
    }

    /// The file that the builder of the class has locked.
    pub(super) fn lock(&self) -> PathBuf {
        self.folder.join(format!("{}.lock", self.name))
    }

    /// The file of a window.
    pub(super) fn window(&self, window: usize) -> PathBuf {
        self.folder.join(format!("{}.{window}.values", self.name))
    }

    /// The file of the class as later windows see it: each builder has its own.
    pub(super) fn settled(&self) -> PathBuf {
        match self.builder {
            Some(builder) => self.folder.join(format!("{}.settled.{builder}.values.tmp", self.name)),
            None => self.folder.join(format!("{}.settled.values", self.name)),
        }
    }

    /// The file of slices that no thread works on; it has this name for a moment only.
    pub(super) fn slices(&self) -> PathBuf {
        self.folder.join(format!("{}.slices.values.tmp", self.name))
    }

    /// The file of intermediate values.
    pub(super) fn partial(&self) -> PathBuf {
        self.folder.join(format!("{}.partial", self.name))
    }

    /// Removes all files of the class.
    pub(super) fn remove(&self) -> Result<(), BuildError> {
        let windows = (0..).map(|w| self.window(w)).take_while(|path| path.exists());
        for path in windows.chain([self.settled(), self.partial()]) {
            remove(&path).map_err(|e| BuildError::io(&path, e))?;
        }
        Ok(())
    }
}

fn header(stamp: Stamp, layout: &Layout) -> [u8; HEADER] {
    let mut bytes = first_of_header(stamp);
    bytes[24..32].copy_from_slice(&layout.signature().to_le_bytes());
    bytes[32..40].copy_from_slice(&payload(layout).to_le_bytes());
    bytes
}

/// The header but for what the layout has in it.
fn first_of_header(stamp: Stamp) -> [u8; HEADER] {
    let mut bytes = [0; HEADER];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    let (state, window) = match stamp.content {
        Content::Partial => (0, 0),
        Content::Window(window, last) => (if last { 1 } else { 2 }, window as u64),
    };
    bytes[12..16].copy_from_slice(&u32::to_le_bytes(state));
    bytes[16..24].copy_from_slice(&stamp.fingerprint.to_le_bytes());
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
    for turn in Side::BOTH {
        for slice in 0..layout.slices.len() {
            state.with(slice, turn, &mut put)?;
        }
    }
    put(&[255; PAD])?;
    file.write_all(&sum.finalize().to_le_bytes())?;
    file.commit()
}

/// Opens the values of all windows of a class; `None` if [`open`] cannot open one.
pub(super) fn open_windows(files: &Files<'_>, stamp: Stamp, layout: &Layout) -> Option<Values> {
    let mut windows = vec![];
    loop {
        let window = windows.len();
        let path = files.window(window);
        if let Some(map) = open(&path, stamp.with(Content::Window(window, true)), layout) {
            windows.push(map);
            return Some(Values::new(windows, HEADER, stamp.span));
        }
        windows.push(open(&path, stamp.with(Content::Window(window, false)), layout)?);
    }
}

/// Whether the values of all windows of a class are there, by the headers of their files; [`open_windows`] finds out
/// whether they are whole.
pub(super) fn are_there(files: &Files<'_>, stamp: Stamp) -> bool {
    let header = |window| {
        let mut bytes = [0; HEADER];
        File::open(files.window(window)).ok()?.read_exact(&mut bytes).ok()?;
        Some(bytes)
    };
    for window in 0.. {
        let Some(found) = header(window) else { return false };
        let same = |last| {
            let wanted = first_of_header(stamp.with(Content::Window(window, last)));
            found[..24] == wanted[..24] && found[40..49] == wanted[40..49]
        };
        if same(true) {
            return true;
        }
        if !same(false) {
            return false;
        }
    }
    false
}

/// Makes the values of a class readable for every window up to this one.
pub(super) fn settle(values: &Values, window: usize, files: &Files<'_>) -> Result<(), BuildError> {
    let path = files.settled();
    let make = |bytes: &[u8]| {
        let mut file = AtomicFile::create(&path)?;
        // Only this run opens it: it needs no header.
        file.write_all(&[0; HEADER])?;
        for part in bytes.chunks(1 << 20) {
            file.write_all(&part.iter().map(|&v| settled(v)).collect::<Vec<u8>>())?;
        }
        file.commit()?;
        Mapped::open(&path)
    };
    values.settle(window, make).map_err(|e: io::Error| BuildError::io(&path, e))
}

/// The values in a file that [`open`] has opened.
pub(super) fn cells(map: &Mapped) -> &[u8] {
    &map.bytes()[HEADER..]
}

/// Opens the values that [`save`] wrote with the same stamp and layout; `None` if the file is missing, damaged or another.
pub(super) fn open(path: &Path, stamp: Stamp, layout: &Layout) -> Option<Mapped> {
    let map = Mapped::open(path).ok()?;
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
