//! Values of classes on disk during a build: final ones, which later classes read, and intermediate ones, from which a build
//! that was stopped goes on. A byte for each cell as in [`value`](crate::retrograde::value), and a file for each window; the
//! build removes them when it is done.
//!
//! A file has a header of 64 bytes (`JEWELVAL`, version, state as in [`Content`], fingerprint of the rules, signature of the
//! layout, number of bytes, window, length of a window; little-endian, padded with zeros), the values with White to move,
//! those with Black to move, padding, and the CRC-32 of values and padding.
//!
//! A rank saves its share of the slices in a file of its own: the same header, the number of its slices, the number of each,
//! for each its values with White and with Black to move, and the CRC-32 of all that follows the header.

use super::monitor::BuildError;
use crate::retrograde::layout::Layout;
use crate::retrograde::simd::PAD;
use crate::retrograde::solved::Values;
use crate::retrograde::sweep::State;
use crate::retrograde::value::settled;
use jewel_engine::value::Side;
use jewel_tables::atomic::AtomicFile;
use jewel_tables::map::Mapped;
use std::cmp::Reverse;
use std::collections::HashMap;
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
    /// Those of some of the slices.
    Share,
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
        match self.builder {
            Some(builder) => self.folder.join(format!("{}.slices.{builder}.values.tmp", self.name)),
            None => self.folder.join(format!("{}.slices.values.tmp", self.name)),
        }
    }

    /// The file of intermediate values.
    pub(super) fn partial(&self) -> PathBuf {
        self.folder.join(format!("{}.partial", self.name))
    }

    /// The file of intermediate values of a rank's slices.
    pub(super) fn share(&self, rank: usize, ranks: usize) -> PathBuf {
        self.folder.join(format!("{}.partial.{rank}-of-{ranks}", self.name))
    }

    /// Every such file that is there, of any number of ranks.
    fn shares(&self) -> Vec<PathBuf> {
        let begin = format!("{}.partial.", self.name);
        let entries = fs::read_dir(self.folder).into_iter().flatten().flatten();
        let is_share = |name: &str| name.strip_prefix(&begin).is_some_and(|end| !end.ends_with(".tmp"));
        let shares = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_share));
        shares.map(|entry| entry.path()).collect()
    }

    /// Removes all intermediate values of the class.
    pub(super) fn remove_partial(&self) -> Result<(), BuildError> {
        for path in self.shares().into_iter().chain([self.partial()]) {
            remove(&path).map_err(|e| BuildError::io(&path, e))?;
        }
        Ok(())
    }

    /// Removes all files of the class.
    pub(super) fn remove(&self) -> Result<(), BuildError> {
        let windows = (0..).map(|w| self.window(w)).take_while(|path| path.exists());
        for path in windows.chain([self.settled()]) {
            remove(&path).map_err(|e| BuildError::io(&path, e))?;
        }
        self.remove_partial()
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
        Content::Share => (3, 0),
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
    save_from(path, stamp, layout, |e| e, |slice, turn, put| state.with(slice, turn, put))
}

/// Writes values, whole or not at all: `each` writes those of a slice with a side to move, and `failed` makes its error of
/// one of the system.
pub(super) fn save_from<E>(
    path: &Path,
    stamp: Stamp,
    layout: &Layout,
    failed: impl Fn(io::Error) -> E,
    mut each: impl FnMut(usize, Side, &mut dyn FnMut(&[u8]) -> io::Result<()>) -> Result<(), E>,
) -> Result<(), E> {
    let mut file = AtomicFile::create(path).map_err(&failed)?;
    file.write_all(&header(stamp, layout)).map_err(&failed)?;
    let mut sum = crc32fast::Hasher::new();
    let mut put = |bytes: &[u8]| {
        sum.update(bytes);
        file.write_all(bytes)
    };
    for turn in Side::BOTH {
        for slice in 0..layout.slices.len() {
            each(slice, turn, &mut put)?;
        }
    }
    put(&[255; PAD]).map_err(&failed)?;
    file.write_all(&sum.finalize().to_le_bytes()).and_then(|()| file.commit()).map_err(&failed)
}

/// Writes the slices of a state that are kept here, whole or not at all.
pub(super) fn save_share(path: &Path, stamp: Stamp, layout: &Layout, state: &State) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(&header(stamp.with(Content::Share), layout))?;
    let mut sum = crc32fast::Hasher::new();
    let mut put = |bytes: &[u8]| {
        sum.update(bytes);
        file.write_all(bytes)
    };
    let kept: Vec<u32> = state.tasks().filter(|task| task.1 == Side::White).map(|task| task.0).collect();
    put(&(kept.len() as u32).to_le_bytes())?;
    kept.iter().try_for_each(|slice| put(&slice.to_le_bytes()))?;
    for slice in kept {
        for turn in Side::BOTH {
            state.with(slice as usize, turn, &mut put)?;
        }
    }
    file.write_all(&sum.finalize().to_le_bytes())?;
    file.commit()
}

/// Intermediate values that earlier runs have left, of one process or of any number of ranks.
pub(super) struct Saved {
    /// The latest first: a file, and where the values of each slice begin in it, with White and with Black to move.
    files: Vec<(Mapped, HashMap<u32, [usize; 2]>)>,
}

impl Saved {
    /// Opens what is there and whole.
    pub(super) fn open(files: &Files<'_>, stamp: Stamp, layout: &Layout) -> Saved {
        let when = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
        let mut paths = files.shares();
        paths.push(files.partial());
        paths.sort_by_cached_key(|path| Reverse(when(path)));
        let whole = files.partial();
        let open = |path: PathBuf| {
            if path == whole {
                let map = open(&path, stamp.with(Content::Partial), layout)?;
                let at = |base: u64, turn: u64| HEADER + (turn * layout.entries + base) as usize;
                let places = layout.slices.iter().map(|s| [at(s.base, 0), at(s.base, 1)]);
                Some((map, (0..).zip(places).collect()))
            } else {
                open_share(&path, stamp.with(Content::Share), layout)
            }
        };
        Saved { files: paths.into_iter().filter_map(open).collect() }
    }

    /// The values of a slice with a side to move.
    pub(super) fn slice(&self, layout: &Layout, slice: usize, turn: Side) -> Option<&[u8]> {
        let (map, places) = self.files.iter().find(|file| file.1.contains_key(&(slice as u32)))?;
        let at = places[&(slice as u32)][turn.index()];
        Some(&map.bytes()[at..at + layout.slices[slice].bytes as usize])
    }
}

/// Opens what [`save_share`] wrote with the same stamp and layout; `None` if the file is missing, damaged or another.
fn open_share(path: &Path, stamp: Stamp, layout: &Layout) -> Option<(Mapped, HashMap<u32, [usize; 2]>)> {
    let map = Mapped::open(path).ok()?;
    let bytes = map.bytes();
    let (values, sum) = bytes.strip_prefix(&header(stamp, layout))?.split_last_chunk::<4>()?;
    if crc32fast::hash(values).to_le_bytes() != *sum {
        return None;
    }
    let count = u32::from_le_bytes(*values.first_chunk()?) as usize;
    let numbers = values.get(4..)?.get(..count.checked_mul(4)?)?;
    let mut at = HEADER + 4 + numbers.len();
    let mut places = HashMap::new();
    for number in numbers.chunks_exact(4) {
        let number = u32::from_le_bytes(*number.first_chunk()?);
        let cells = layout.slices.get(number as usize)?.bytes as usize;
        places.insert(number, [at, at + cells]);
        at += 2 * cells;
    }
    if at + 4 != bytes.len() {
        return None;
    }
    map.release();
    Some((map, places))
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
