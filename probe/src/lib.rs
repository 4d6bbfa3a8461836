//! Endgame tables for programs in C: `include/jewel_probe.h` declares what is here, and `docs/c.md` is the guide.
#![deny(missing_docs)]
#![allow(unsafe_code, reason = "programs in C pass pointers")]

use jewel_engine::bitboard::Bitboard;
use jewel_engine::chesslike::AnyChessLike;
use jewel_engine::games;
use jewel_engine::position::Position;
use jewel_engine::value::{Outcome, Side};
use jewel_engine::variant::Rules;
use jewel_solver::tablebase::{ProbeError, TableSet};
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::slice;

/// How a call ended.
#[repr(C)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JewelStatus {
    /// It did what it should.
    JEWEL_OK = 0,
    /// An argument is wrong: there is no such game, or the position string has a mistake.
    JEWEL_BAD_ARGUMENT = 1,
    /// No table holds the position.
    JEWEL_NO_TABLE = 2,
    /// A table or the folder cannot be read, is damaged, or is for other rules.
    JEWEL_BAD_TABLE = 3,
    /// A mistake of the library.
    JEWEL_INTERNAL = 4,
}

use JewelStatus::{JEWEL_BAD_ARGUMENT, JEWEL_BAD_TABLE, JEWEL_INTERNAL, JEWEL_NO_TABLE, JEWEL_OK};

/// The tables of a game, open.
pub struct JewelTables {
    set: TableSet<'static>,
    /// The rules of positions that are looked up: without a counter of moves, which tables do not know.
    rules: &'static Rules,
    /// The names of the classes.
    classes: Vec<CString>,
}

/// The exact value of a position for the side to move.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JewelValue {
    /// 1 for a win, 0 for a draw, -1 for a loss.
    pub wdl: i32,
    /// Plies to the end of the game under best play; -1 for a draw.
    pub distance: i32,
}

/// Pieces of one type and side.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JewelPieces {
    /// Their letter in position strings: a capital for White, a small letter for Black.
    pub letter: c_char,
    /// The squares on which they stand: bit 0 is a1, bit 1 is b1, and the next rank follows at once: on a board that is five
    /// files wide, bit 5 is a2.
    pub squares: u64,
}

/// Why a call failed.
type Failure = (JewelStatus, String);

fn bad(problem: impl ToString) -> Failure {
    (JEWEL_BAD_ARGUMENT, problem.to_string())
}

fn refused(error: ProbeError) -> Failure {
    let status = match error {
        ProbeError::NoTable(_) => JEWEL_NO_TABLE,
        ProbeError::Castling | ProbeError::Unsupported(_) => JEWEL_BAD_ARGUMENT,
        ProbeError::Table(_) | ProbeError::Folder { .. } => JEWEL_BAD_TABLE,
    };
    (status, error.to_string())
}

/// Runs what must not unwind into C, and writes why it failed as a text that ends with a zero byte, cut to its room.
///
/// # Safety
/// `error` is null or has room for `size` bytes.
unsafe fn guarded(
    error: *mut c_char,
    size: usize,
    work: impl FnOnce() -> Result<(), Failure>,
) -> JewelStatus {
    let result = catch_unwind(AssertUnwindSafe(work));
    let (status, text) = match result {
        Ok(Ok(())) => (JEWEL_OK, String::new()),
        Ok(Err(failure)) => failure,
        Err(_) => (JEWEL_INTERNAL, "a mistake in jewel, please report it".to_string()),
    };
    if !error.is_null() && size > 0 {
        let length = text.floor_char_boundary(size - 1);
        // SAFETY: the caller's promise; the text and its end fit.
        unsafe {
            error.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), length);
            error.add(length).write(0);
        }
    }
    status
}

/// The text of a caller.
///
/// # Safety
/// `text` is null or ends with a zero byte.
unsafe fn read<'a>(what: &str, text: *const c_char) -> Result<&'a str, Failure> {
    if text.is_null() {
        return Err(bad(format_args!("{what}: a null pointer")));
    }
    // SAFETY: the caller's promise.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str()
        .map_err(|e| bad(format_args!("{what}: not UTF-8 text: byte {} cannot be read", e.valid_up_to() + 1)))
}

/// The longest variant file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The rules of a game by its id, or of a variant file by its path. They are never freed.
fn rules_of(game: &str) -> Result<&'static Rules, Failure> {
    if let Some(embedded) = games::find(game) {
        return Ok(embedded.rules());
    }
    if !game.ends_with(".toml") {
        let near = games::nearest(game, games::GAMES.iter().map(|known| known.id));
        let hint = near.map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
        return Err(bad(format_args!("no game of a variant file is called \"{game}\"{hint}")));
    }
    let length = std::fs::metadata(game).map_err(|e| bad(format_args!("{game}: {e}")))?.len();
    if length > MAX_FILE_BYTES {
        return Err(bad(format_args!("{game}: longer than {MAX_FILE_BYTES} bytes")));
    }
    let text = std::fs::read_to_string(game).map_err(|e| bad(format_args!("{game}: {e}")))?;
    Ok(Rules::parse(&text).map_err(|e| bad(format_args!("{game}: {e}")))?.leak())
}

fn open(game: &str, folder: &str) -> Result<JewelTables, Failure> {
    let rules = rules_of(game)?;
    let set = TableSet::open(rules, Path::new(folder)).map_err(refused)?;
    if set.tables().is_empty() {
        return Err((JEWEL_BAD_TABLE, format!("there are no tables in {folder}")));
    }
    let names = set.tables().iter().map(|table| CString::new(table.metadata().class.as_str()));
    let classes = names.collect::<Result<_, _>>();
    let classes = classes.map_err(|e| (JEWEL_BAD_TABLE, e.to_string()))?;
    let rules = if rules.move_rule.is_some() { rules.without_move_rule().leak() } else { rules };
    Ok(JewelTables { set, rules, classes })
}

impl JewelTables {
    fn value(&self, position: &AnyChessLike<'_>, with_distance: bool) -> Result<JewelValue, Failure> {
        let (outcome, distance) = if with_distance {
            let value = self.set.probe(position).map_err(refused)?;
            (value.outcome(), value.distance())
        } else {
            (self.set.probe_outcome(position).map_err(refused)?, None)
        };
        let wdl = match outcome {
            Outcome::Win => 1,
            Outcome::Draw => 0,
            Outcome::Loss => -1,
        };
        Ok(JewelValue {
            wdl,
            distance: distance.map_or(-1, |plies| i32::try_from(plies).unwrap_or(i32::MAX)),
        })
    }

    /// The position of sets of squares.
    fn assembled(&self, pieces: &[JewelPieces], white: bool) -> Result<AnyChessLike<'static>, Failure> {
        let board = self.rules.geometry.all();
        let mut occupied = Bitboard::EMPTY;
        let mut sets = Vec::with_capacity(pieces.len());
        for JewelPieces { letter, squares } in pieces {
            let letter = char::from(*letter as u8);
            let kind = self.rules.type_of(letter.to_ascii_uppercase());
            let kind = kind
                .ok_or_else(|| bad(format_args!("no piece has the letter '{}'", letter.escape_default())))?;
            let squares = Bitboard(*squares);
            if !(squares & !board).is_empty() {
                return Err(bad(format_args!("'{letter}': a square beyond the board")));
            }
            if !(squares & occupied).is_empty() {
                return Err(bad(format_args!("'{letter}': a square that is taken")));
            }
            occupied |= squares;
            sets.push((kind, if letter.is_ascii_uppercase() { Side::White } else { Side::Black }, squares));
        }
        let turn = if white { Side::White } else { Side::Black };
        Ok(AnyChessLike::assemble(self.rules, turn, sets))
    }
}

/// Opens all tables of a folder.
///
/// `game` is the id of a game that comes with jewel, such as "ambush", or the path of a variant file that ends in ".toml".
/// The tables are written to `tables`, to be closed by jewel_close; NULL where the call fails. `error` is NULL, or has room for
/// `error_size` bytes, and gets one line that says what is wrong; it is empty where nothing is.
///
/// # Safety
/// `game` and `folder` end with a zero byte, `tables` can be written, and `error` is null or has room for `error_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jewel_open(
    game: *const c_char,
    folder: *const c_char,
    tables: *mut *mut JewelTables,
    error: *mut c_char,
    error_size: usize,
) -> JewelStatus {
    // SAFETY: the caller's promise, as everywhere below.
    unsafe {
        guarded(error, error_size, || {
            let to = tables.as_mut().ok_or_else(|| bad("tables: a null pointer"))?;
            *to = std::ptr::null_mut();
            *to = Box::into_raw(Box::new(open(read("game", game)?, read("folder", folder)?)?));
            Ok(())
        })
    }
}

/// Closes tables. No other call may use them at the time or later. NULL is allowed.
///
/// # Safety
/// `tables` is null, or comes from `jewel_open` and was not closed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jewel_close(tables: *mut JewelTables) {
    if !tables.is_null() {
        // SAFETY: the caller's promise.
        let owned = unsafe { Box::from_raw(tables) };
        let _ = catch_unwind(AssertUnwindSafe(|| drop(owned)));
    }
}

/// The exact value of the position of a position string, with its distance.
///
/// Counters of moves do not matter. Castling rights are refused: tables know none.
///
/// # Safety
/// `tables` comes from `jewel_open` and is not closed, `fen` ends with a zero byte, `value` can be written, and `error` is null
/// or has room for `error_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jewel_probe(
    tables: *const JewelTables,
    fen: *const c_char,
    value: *mut JewelValue,
    error: *mut c_char,
    error_size: usize,
) -> JewelStatus {
    // SAFETY: the caller's promise.
    unsafe {
        guarded(error, error_size, || {
            let tables = tables.as_ref().ok_or_else(|| bad("tables: a null pointer"))?;
            let to = value.as_mut().ok_or_else(|| bad("value: a null pointer"))?;
            let position = AnyChessLike::from_fen(tables.rules, read("fen", fen)?).map_err(bad)?;
            *to = tables.value(&position, true)?;
            Ok(())
        })
    }
}

/// The exact value of a position that is given by sets of squares, without *en passant*: the fast way for engines.
///
/// `pieces` has `count` entries, each type and side once at most. With `with_distance` 0 the distance is not looked up and is -1,
/// which is faster.
///
/// # Safety
/// As for `jewel_probe`; `pieces` has `count` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jewel_probe_pieces(
    tables: *const JewelTables,
    pieces: *const JewelPieces,
    count: usize,
    white_to_move: i32,
    with_distance: i32,
    value: *mut JewelValue,
    error: *mut c_char,
    error_size: usize,
) -> JewelStatus {
    // SAFETY: the caller's promise.
    unsafe {
        guarded(error, error_size, || {
            let tables = tables.as_ref().ok_or_else(|| bad("tables: a null pointer"))?;
            let to = value.as_mut().ok_or_else(|| bad("value: a null pointer"))?;
            if pieces.is_null() {
                return Err(bad("pieces: a null pointer"));
            }
            if count > 64 {
                return Err(bad(format_args!("count: {count} is more than 64")));
            }
            let position = tables.assembled(slice::from_raw_parts(pieces, count), white_to_move != 0)?;
            if position.pieces_of(Side::White).is_empty() || position.pieces_of(Side::Black).is_empty() {
                // The rules say what a side without pieces has; where they do not, there is no table either.
                let outcome = position.outcome().ok_or_else(|| bad("a side has no piece"))?;
                let (wdl, distance) = match outcome {
                    Outcome::Win => (1, 0),
                    Outcome::Draw => (0, -1),
                    Outcome::Loss => (-1, 0),
                };
                *to = JewelValue { wdl, distance: if with_distance != 0 { distance } else { -1 } };
                return Ok(());
            }
            *to = tables.value(&position, with_distance != 0)?;
            Ok(())
        })
    }
}

/// The number of classes that have tables; 0 for NULL.
///
/// # Safety
/// `tables` is null, or comes from `jewel_open` and is not closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jewel_classes(tables: *const JewelTables) -> usize {
    // SAFETY: the caller's promise.
    unsafe { tables.as_ref() }.map_or(0, |tables| tables.classes.len())
}

/// The name of a class by its number, from 0, such as "LNvQN"; NULL if there is none. It is valid until the tables are closed.
///
/// # Safety
/// As for `jewel_classes`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jewel_class_name(tables: *const JewelTables, number: usize) -> *const c_char {
    // SAFETY: the caller's promise.
    let name = unsafe { tables.as_ref() }.and_then(|tables| tables.classes.get(number));
    name.map_or(std::ptr::null(), |name| name.as_ptr())
}

/// The version of the library, such as "0.2.0". It is valid for ever.
#[unsafe(no_mangle)]
pub extern "C" fn jewel_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => panic!("the version has a zero byte"),
        };
    VERSION.as_ptr()
}
