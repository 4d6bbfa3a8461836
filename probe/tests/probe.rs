//! The functions as a program in C calls them.
#![allow(unsafe_code, reason = "the functions are for C")]
#![expect(clippy::undocumented_unsafe_blocks, reason = "every call is one that the header allows")]

use jewel_engine::games;
use jewel_probe::{
    JewelPieces, JewelStatus, JewelTables, JewelValue, jewel_class_name, jewel_classes, jewel_close,
    jewel_open, jewel_probe, jewel_probe_pieces, jewel_version,
};
use jewel_solver::tablebase::build::{Options, build};
use jewel_solver::tablebase::{Plan, Scope};
use std::ffi::{CStr, CString, c_char};
use std::path::PathBuf;
use std::ptr::{null, null_mut};

/// Tables in a folder of their own.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("jewel-probe-{name}-{}", std::process::id()));
        let rules = games::find("ambush").unwrap().rules();
        let plan = Plan::new(rules, &Scope::Class("NLvNQ".to_string())).unwrap();
        build(&plan, &folder, &Options::default(), &Default::default(), &|_| {}).unwrap();
        Folder(folder)
    }

    fn open(&self) -> *mut JewelTables {
        let mut tables = null_mut();
        let (status, error) = opened("ambush", self.0.to_str().unwrap(), &mut tables);
        assert_eq!((status, error.as_str()), (JewelStatus::JEWEL_OK, ""));
        tables
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn opened(game: &str, folder: &str, tables: &mut *mut JewelTables) -> (JewelStatus, String) {
    let [game, folder] = [game, folder].map(|text| CString::new(text).unwrap());
    with_error(|error, size| unsafe { jewel_open(game.as_ptr(), folder.as_ptr(), tables, error, size) })
}

fn with_error(call: impl FnOnce(*mut c_char, usize) -> JewelStatus) -> (JewelStatus, String) {
    let mut error = [1 as c_char; 200];
    let status = call(error.as_mut_ptr(), error.len());
    (status, unsafe { CStr::from_ptr(error.as_ptr()) }.to_str().unwrap().to_string())
}

fn probed(tables: *const JewelTables, fen: &str) -> (JewelStatus, String, JewelValue) {
    let fen = CString::new(fen).unwrap();
    let mut value = JewelValue { wdl: 7, distance: 7 };
    let (status, text) =
        with_error(|error, size| unsafe { jewel_probe(tables, fen.as_ptr(), &mut value, error, size) });
    (status, text, value)
}

const FEN: &str = "N4/4n/5/5/1q1L1 w - - 0 1";

#[test]
fn values_are_those_of_the_tables() {
    let folder = Folder::new("values");
    let tables = folder.open();
    let (status, error, value) = probed(tables, FEN);
    assert_eq!((status, error.as_str()), (JewelStatus::JEWEL_OK, ""));
    assert_eq!(value, JewelValue { wdl: 1, distance: 20 });
    // The same by sets of squares: a5, d1, e4, b1.
    let pieces = [('N', 20), ('L', 3), ('n', 19), ('q', 1)];
    let pieces = pieces.map(|(letter, bit)| JewelPieces { letter: letter as c_char, squares: 1 << bit });
    let by_pieces = |count: usize, white: i32, distance: i32| {
        let mut value = JewelValue { wdl: 7, distance: 7 };
        let (status, error) = with_error(|error, size| unsafe {
            jewel_probe_pieces(tables, pieces.as_ptr(), count, white, distance, &mut value, error, size)
        });
        (status, error, value)
    };
    assert_eq!(by_pieces(4, 1, 1), (JewelStatus::JEWEL_OK, String::new(), value));
    assert_eq!(by_pieces(4, 1, 0).2, JewelValue { wdl: 1, distance: -1 });
    assert_eq!(by_pieces(2, 1, 1).0, JewelStatus::JEWEL_OK);
    assert_eq!(by_pieces(65, 1, 1).0, JewelStatus::JEWEL_BAD_ARGUMENT);
    let names: Vec<String> = (0..unsafe { jewel_classes(tables) })
        .map(|n| unsafe { CStr::from_ptr(jewel_class_name(tables, n)) }.to_str().unwrap().to_string())
        .collect();
    assert!(names.len() == 9 && names.contains(&"LNvQN".to_string()), "{names:?}");
    unsafe { jewel_close(tables) };
}

#[test]
fn threads_share_tables() {
    let folder = Folder::new("threads");
    let tables = folder.open() as usize;
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(move || {
                for _ in 0..100 {
                    assert_eq!(probed(tables as *const JewelTables, FEN).2.distance, 20);
                }
            });
        }
    });
    unsafe { jewel_close(tables as *mut JewelTables) };
}

#[test]
fn mistakes_are_told_and_nothing_breaks() {
    let folder = Folder::new("mistakes");
    let tables = folder.open();
    for (fen, status, text) in [
        ("nonsense", JewelStatus::JEWEL_BAD_ARGUMENT, ""),
        ("nqlqn/5/5/5/NQLQN b - - 0 1", JewelStatus::JEWEL_NO_TABLE, "there is no table"),
    ] {
        let (found, error, value) = probed(tables, fen);
        assert_eq!(found, status);
        assert!(error.contains(text) && !error.is_empty() && !error.contains('\n'), "{error}");
        assert_eq!(value, JewelValue { wdl: 7, distance: 7 });
    }
    let twice = [
        JewelPieces { letter: b'N' as c_char, squares: 1 },
        JewelPieces { letter: b'n' as c_char, squares: 1 },
    ];
    let beyond = [JewelPieces { letter: b'N' as c_char, squares: 1 << 63 }];
    let unknown = [JewelPieces { letter: b'Z' as c_char, squares: 1 }];
    for (pieces, text) in [(&twice[..], "taken"), (&beyond, "beyond"), (&unknown, "no piece")] {
        let mut value = JewelValue { wdl: 7, distance: 7 };
        let (status, error) = with_error(|error, size| unsafe {
            jewel_probe_pieces(tables, pieces.as_ptr(), pieces.len(), 1, 1, &mut value, error, size)
        });
        assert_eq!(status, JewelStatus::JEWEL_BAD_ARGUMENT);
        assert!(error.contains(text), "{error}");
    }
    unsafe { jewel_close(tables) };
    let mut tables = null_mut();
    let here = folder.0.to_str().unwrap().to_string();
    for (game, folder, status) in [
        ("ambsh", here.as_str(), JewelStatus::JEWEL_BAD_ARGUMENT),
        ("nowhere.toml", &here, JewelStatus::JEWEL_BAD_ARGUMENT),
        ("ambush", "/nowhere/at/all", JewelStatus::JEWEL_BAD_TABLE),
        ("diamond-qi", &here, JewelStatus::JEWEL_BAD_TABLE),
    ] {
        let (found, error) = opened(game, folder, &mut tables);
        assert_eq!(found, status, "{error}");
        assert!(tables.is_null() && !error.is_empty());
    }
}

#[test]
fn null_pointers_and_short_buffers_are_told() {
    let mut value = JewelValue { wdl: 0, distance: 0 };
    unsafe {
        assert_eq!(jewel_open(null(), null(), null_mut(), null_mut(), 0), JewelStatus::JEWEL_BAD_ARGUMENT);
        let mut tables = null_mut();
        assert_eq!(jewel_open(null(), null(), &mut tables, null_mut(), 9), JewelStatus::JEWEL_BAD_ARGUMENT);
        assert_eq!(jewel_probe(null(), null(), &mut value, null_mut(), 0), JewelStatus::JEWEL_BAD_ARGUMENT);
        let mut short = [1 as c_char; 6];
        jewel_probe(null(), null(), &mut value, short.as_mut_ptr(), short.len());
        assert_eq!(CStr::from_ptr(short.as_ptr()).to_bytes(), b"table");
        jewel_close(null_mut());
        assert_eq!(jewel_classes(null()), 0);
        assert!(jewel_class_name(null(), 0).is_null());
        assert_eq!(CStr::from_ptr(jewel_version()).to_str().unwrap(), env!("CARGO_PKG_VERSION"));
    }
}
