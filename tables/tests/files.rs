//! Whole files: values survive writing and reading, and damage is noticed.

use crate::common::{Even, MadeUp, even, image, made_up, pieces, schemes};
use jewel_engine::value::{Side, Value};
use jewel_tables::cache::Cache;
use jewel_tables::error::Fault;
use jewel_tables::index::Index;
use jewel_tables::reader::Table;
use jewel_tables::scheme::Scheme;
use jewel_tables::source::ReadAt;
use jewel_tables::value::Cell;
use jewel_tables::writer::{Distances, Helpers, Leader, Options, help, write, write_to, write_with};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};

fn options(block: u32, distances: bool) -> Options {
    let distances = if distances { Distances::All } else { Distances::None };
    Options {
        block,
        distances,
        ..Options::new(0x0123_4567_89ab_cdef, "made-up", "the tests of jewel-tables")
    }
}

fn file(scheme: &Scheme, options: &Options) -> Vec<u8> {
    let mut bytes = vec![];
    write_to(&mut bytes, scheme, options, &MadeUp(scheme), &mut |_| true).unwrap();
    bytes
}

fn table(bytes: Vec<u8>) -> Table {
    Table::from_source("test", Box::new(bytes)).unwrap()
}

fn golden_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden.jt")
}

#[test]
fn all_values_come_back_from_all_images() {
    for (n, scheme) in schemes().iter().enumerate() {
        let index = Index::new(scheme).unwrap();
        let distances = n % 3 != 0;
        let table = table(file(scheme, &options([64, 2048, 4096][n % 3], distances)));
        let cache = Cache::new(1 << 20);
        let step = index.cells().div_ceil(20_000) as usize;
        for cell in (0..index.cells()).step_by(step) {
            let Some(sets) = index.position(cell) else { continue };
            let pieces = pieces(scheme, &sets);
            for turn in Side::BOTH {
                let Some(value) = made_up(&sets, turn).value() else { continue };
                assert_eq!(table.probe_wdl(&pieces, turn, &cache).unwrap(), value.outcome());
                let found = table.probe(&pieces, turn, &cache);
                if distances {
                    assert_eq!(found.unwrap(), value);
                } else {
                    assert!(matches!(found.unwrap_err().fault, Fault::NoDistances));
                }
            }
            // An image of the position is found at the same place.
            let map = &scheme.symmetries[cell as usize % scheme.symmetries.len()];
            let shown = image(&pieces, map);
            let place = index.find(&shown, map.side(Side::White)).unwrap();
            if let Some(value) = made_up(&index.position(place.cell).unwrap(), place.turn).value() {
                assert_eq!(table.probe_wdl(&shown, map.side(Side::White), &cache).unwrap(), value.outcome());
            }
        }
        table.verify_checksums().unwrap();
        let counts = table.count().unwrap();
        for found in counts {
            assert_eq!(found.all(), index.cells());
        }
    }
}

/// A file with the distances of lost positions has no others; in pairs a distance is one of two, and only even ones can be
/// written.
#[test]
fn distances_of_lost_positions_are_enough_of_a_file() {
    for scheme in &schemes() {
        let write = |distances| {
            let options = Options { distances, ..options(64, true) };
            let mut bytes = vec![];
            write_to(&mut bytes, scheme, &options, &Even(scheme), &mut |_| true).unwrap();
            table(bytes)
        };
        let [whole, lost, pairs] = [Distances::All, Distances::Lost, Distances::LostInPairs].map(write);
        assert!(lost.bytes().0 <= whole.bytes().0 && pairs.bytes().0 <= lost.bytes().0);
        let cache = Cache::new(1 << 20);
        let index = Index::new(scheme).unwrap();
        for cell in (0..index.cells()).step_by(1 + index.cells() as usize / 300) {
            let Some(sets) = index.position(cell) else { continue };
            for turn in Side::BOTH {
                let place = whole.find(&pieces(scheme, &sets), turn).unwrap();
                let stored = even(&index.position(place.cell).unwrap(), place.turn);
                let Some(value) = stored.value() else { continue };
                assert_eq!(whole.value_at(place, &cache).unwrap(), value);
                for (table, step) in [(&lost, 1), (&pairs, 4)] {
                    assert_eq!(table.wdl_at(place, &cache).unwrap(), value.outcome());
                    let (outcome, range) = table.known_at(place, &cache).unwrap();
                    assert_eq!(outcome, value.outcome());
                    match value {
                        Value::Loss(n) => {
                            let range = range.unwrap();
                            assert!(range.contains(&n) && range.end() - range.start() == step / 2);
                            assert_eq!(*range.start(), n / step * step);
                        }
                        Value::Win(_) => {
                            let fault = table.value_at(place, &cache).unwrap_err().fault;
                            assert!(range.is_none() && matches!(fault, Fault::NotExact));
                        }
                        Value::Draw => assert_eq!(range, None),
                    }
                }
            }
        }
        for table in [&lost, &pairs] {
            table.verify_checksums().unwrap();
            table.count().unwrap();
            assert_eq!(table.metadata(), whole.metadata());
            assert!(table.has_distances() && !table.has_all_distances());
        }
    }
    // The values of the other tests have odd losses too.
    let scheme = &schemes()[4];
    let options = Options { distances: Distances::LostInPairs, ..options(64, true) };
    let fault = write_to(&mut vec![], scheme, &options, &MadeUp(scheme), &mut |_| true).unwrap_err();
    assert!(matches!(fault, Fault::Odd(n) if n % 2 == 1));
}

#[test]
fn the_metadata_tell_the_longest_win() {
    let scheme = &schemes()[4];
    let table = table(file(scheme, &options(256, true)));
    let index = table.index();
    let mut longest = 0;
    for cell in 0..index.cells() {
        for turn in Side::BOTH {
            let value = made_up(&index.position(cell).unwrap(), turn).value();
            if let Some(jewel_engine::value::Value::Win(n)) = value {
                longest = longest.max(n);
            }
        }
    }
    let metadata = table.metadata();
    assert_eq!(metadata.longest_win.as_ref().unwrap().distance, longest);
    assert!(metadata.longest_win.as_ref().unwrap().position.ends_with(" - - 0 1"));
    assert_eq!((&metadata.class[..], &metadata.game[..]), ("LvLLL", "made-up"));
}

#[test]
fn bytes_do_not_depend_on_threads_nor_on_the_source() {
    let scheme = schemes().swap_remove(20);
    let options = options(64, true);
    let one = file(&scheme, &options);
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(|| file(&scheme, &options)) == one);
    }
    let path = std::env::temp_dir().join(format!("jewel-table-{}.jt", std::process::id()));
    let mut done = 0;
    let written = write(&path, &scheme, &options, &MadeUp(&scheme), &mut |cells| {
        done += cells;
        true
    })
    .unwrap();
    assert_eq!(done, 4 * Index::new(&scheme).unwrap().cells());
    assert_eq!((written.bytes, std::fs::read(&path).unwrap() == one), (one.len() as u64, true));
    let on_disk = Table::open(&path, options.fingerprint).unwrap();
    on_disk.verify_checksums().unwrap();
    assert_eq!(on_disk.count().unwrap(), table(one.clone()).count().unwrap());
    assert_eq!(on_disk.bytes().0, one.len() as u64);
    // Other rules are an error, by name of the file and with both fingerprints.
    let error = Table::open(&path, 7).unwrap_err().to_string();
    assert!(error.contains(&path.display().to_string()) && error.contains("0123456789abcdef"), "{error}");
    std::fs::remove_file(&path).unwrap();
}

/// Channels to and from some helpers. Message number `cut.0` of the first helper loses its last `cut.1` bytes on the way.
struct Team {
    to: Vec<Sender<Vec<u8>>>,
    from: Vec<Receiver<Vec<u8>>>,
    message: usize,
    cut: (usize, usize),
}

impl Helpers for Team {
    fn count(&self) -> usize {
        self.to.len()
    }

    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        self.to.iter().for_each(|to| to.send(message.to_vec()).unwrap());
        Ok(())
    }

    fn receive(&mut self, helper: usize) -> io::Result<Vec<u8>> {
        let mut message = self.from[helper].recv().map_err(|_| ErrorKind::UnexpectedEof)?;
        if helper == 0 {
            if self.message == self.cut.0 {
                message.truncate(message.len() - self.cut.1.min(message.len()));
            }
            self.message += 1;
        }
        Ok(message)
    }
}

/// A helper's ends.
struct Member(Sender<Vec<u8>>, Receiver<Vec<u8>>);

impl Leader for Member {
    fn send(&mut self, message: Vec<u8>) -> io::Result<()> {
        self.0.send(message).map_err(|_| ErrorKind::BrokenPipe.into())
    }

    fn receive(&mut self) -> io::Result<Vec<u8>> {
        self.1.recv().map_err(|_| ErrorKind::UnexpectedEof.into())
    }
}

#[test]
fn helpers_change_no_byte_and_what_they_send_is_looked_at() {
    let path = std::env::temp_dir().join(format!("jewel-helped-{}.jt", std::process::id()));
    let all = schemes();
    let largest = all.iter().max_by_key(|scheme| Index::new(scheme).unwrap().cells()).unwrap();
    for (scheme, distances) in [(&all[3], true), (&all[20], false), (largest, true)] {
        let options = options(64, distances);
        let values = MadeUp(scheme);
        let write = |helpers: usize, cut: (usize, usize)| {
            std::thread::scope(|scope| {
                let mut team = Team { to: vec![], from: vec![], message: 0, cut };
                for helper in 0..helpers {
                    let (to, received) = channel();
                    let (sent, from) = channel();
                    team.to.push(to);
                    team.from.push(from);
                    let (path, options, values) = (&path, &options, &values);
                    let mut member = Member(sent, received);
                    // Without its leader a helper fails, as it should.
                    scope.spawn(move || {
                        help(path, scheme, options, values, (helper, helpers), &mut member).is_ok()
                    });
                }
                write_with(&path, scheme, &options, &values, &mut team, &mut |_| true)
            })
        };
        let alone = file(scheme, &options);
        for helpers in 0..=3 {
            write(helpers, (0, 0)).unwrap();
            assert!(std::fs::read(&path).unwrap() == alone, "{helpers} helpers");
            std::fs::remove_file(&path).unwrap();
        }
        // In a small table there is nothing to code for a helper.
        let cuts = [(0, 1), (0, 9), (1, 1), (1, 50)];
        for cut in cuts.into_iter().filter(|_| std::ptr::eq(scheme, largest)) {
            let error = write(1, cut).unwrap_err();
            assert!(matches!(error.fault, Fault::Io(e) if e.kind() == ErrorKind::InvalidData), "{cut:?}");
            assert!(!path.exists());
        }
    }
}

/// A damaged file cannot be opened or fails the check, and a probe gives an error or the right value.
fn assert_noticed(bad: Vec<u8>, right: &Table, what: &str) {
    let bad = match Table::from_source("bad", Box::new(bad)) {
        Ok(table) => table,
        Err(error) => return assert!(error.to_string().starts_with("table bad: ")),
    };
    assert!(bad.verify_checksums().is_err(), "{what}");
    let cache = Cache::new(0);
    let index = right.index();
    for cell in (0..index.cells()).rev().step_by(index.cells().div_ceil(40) as usize) {
        for turn in Side::BOTH {
            let place = jewel_tables::index::Place { cell, turn };
            if let Ok(value) = bad.value_at(place, &cache) {
                assert_eq!(value, right.value_at(place, &cache).unwrap(), "{what}");
            }
            if let Ok(value) = bad.wdl_at(place, &cache) {
                assert_eq!(value, right.wdl_at(place, &cache).unwrap(), "{what}");
            }
        }
    }
    assert!(bad.count().is_err(), "{what}");
}

#[test]
fn every_flipped_byte_and_every_cut_is_noticed() {
    let bytes = std::fs::read(golden_path()).unwrap();
    // The second has more than one record of each index.
    let large = schemes().into_iter().find(|s| Index::new(s).unwrap().cells() > 33 * 64).unwrap();
    for (bytes, flips) in
        [(bytes.clone(), &[0x01, 0x80, 0xff][..]), (file(&large, &options(64, true)), &[0x10])]
    {
        let right = table(bytes.clone());
        for at in 0..bytes.len() {
            for flip in flips {
                let mut bad = bytes.clone();
                bad[at] ^= flip;
                assert_noticed(bad, &right, &format!("byte {at} flipped by {flip:02x}"));
            }
        }
    }
    let right = table(bytes.clone());
    for length in 0..bytes.len() {
        assert!(Table::from_source("cut", Box::new(bytes[..length].to_vec())).is_err(), "cut at {length}");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(Table::from_source("longer", Box::new(longer)).is_err());
    // The front of one file and the end of another.
    let other = file(right.index().scheme(), &Options { fingerprint: 1, ..options(64, true) });
    let mixed = [&other[..200], &bytes[200..]].concat();
    assert!(Table::from_source("mixed", Box::new(mixed)).is_err());
}

/// A disk that is full after a number of bytes.
struct Full(usize);

impl io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > self.0 {
            return Err(ErrorKind::StorageFull.into());
        }
        self.0 -= bytes.len();
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn what_cannot_be_written_is_an_error_and_leaves_nothing() {
    let scheme = &schemes()[2];
    let values = MadeUp(scheme);
    let options = options(64, true);
    let size = file(scheme, &options).len();
    for room in (0..size).step_by(97) {
        let fault = write_to(&mut Full(room), scheme, &options, &values, &mut |_| true).unwrap_err();
        assert!(matches!(fault, Fault::Io(e) if e.kind() == ErrorKind::StorageFull));
    }
    let folder = std::env::temp_dir().join(format!("jewel-unwritten-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let error = write(&folder.join("a.jt"), scheme, &options, &values, &mut |_| false).unwrap_err();
    assert!(matches!(error.fault, Fault::Io(e) if e.kind() == ErrorKind::Interrupted));
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    let error = write(&folder.join("no/a.jt"), scheme, &options, &values, &mut |_| true).unwrap_err();
    assert!(error.to_string().contains("no/a.jt"), "{error}");
    let bad = Options { block: 9000, ..options.clone() };
    assert!(matches!(write_to(&mut vec![], scheme, &bad, &values, &mut |_| true), Err(Fault::Scheme(_))));
    for path in [folder.join("missing.jt"), folder.clone()] {
        let error = Table::inspect(&path).unwrap_err();
        assert!(matches!(error.fault, Fault::Io(_)), "{error}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// Many more tables than files that a process may have open, each changed by others while it is in use.
#[test]
fn any_number_of_files_may_be_cut_short_or_replaced_while_they_are_in_use() {
    let bytes = std::fs::read(golden_path()).unwrap();
    let folder = std::env::temp_dir().join(format!("jewel-cut-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let open = |n: usize| {
        let path = folder.join(format!("{n}.jt"));
        std::fs::write(&path, &bytes).unwrap();
        let table = Table::inspect(&path).unwrap();
        (path, table)
    };
    let tables: Vec<_> = (0..1200).map(open).collect();
    let right = table(bytes.clone());
    let last = right.index().cells() - 1;
    for (n, (path, table)) in tables.iter().enumerate() {
        table.verify_checksums().unwrap();
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_len((bytes.len() * (n % 4) / 4) as u64).unwrap();
        if n % 5 == 0 {
            // As long as before, but full of holes.
            file.set_len(bytes.len() as u64).unwrap();
        }
        let error = table.verify_checksums().unwrap_err().to_string();
        let why = ["the file is cut short", "does not match", "was changed while it was in use"];
        assert!(why.iter().any(|why| error.contains(why)), "{error}");
        assert!(error.contains(&path.display().to_string()), "{error}");
        for turn in Side::BOTH {
            let place = jewel_tables::index::Place { cell: last, turn };
            if let Ok(value) = table.value_at(place, &Cache::new(0)) {
                assert_eq!(value, right.value_at(place, &Cache::new(0)).unwrap());
            }
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[cfg(unix)]
#[test]
fn a_pipe_is_not_waited_for() {
    let pipe = std::env::temp_dir().join(format!("jewel-pipe-{}.jt", std::process::id()));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let error = Table::inspect(&pipe).unwrap_err().to_string();
    assert!(error.ends_with("this is not a regular file"), "{error}");
    std::fs::remove_file(pipe).unwrap();
}

/// A source that fails: errors come through, nothing panics.
struct Failing(Vec<u8>, u64);

impl ReadAt for Failing {
    fn length(&self) -> u64 {
        self.0.len() as u64
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        if offset + buffer.len() as u64 > self.1 && offset < self.1 + 100 {
            return Err(ErrorKind::Other.into());
        }
        self.0.read_at(offset, buffer)
    }
}

#[test]
fn failing_disks_are_errors() {
    let bytes = std::fs::read(golden_path()).unwrap();
    for limit in (0..bytes.len() as u64).step_by(31) {
        if let Ok(table) = Table::from_source("failing", Box::new(Failing(bytes.clone(), limit))) {
            assert!(table.verify_checksums().is_err() || table.count().is_err());
        }
    }
}

/// The golden file: one lancer a side on 3x3, with made-up values. `docs/table-format.md` explains its bytes.
#[test]
fn the_golden_file_is_what_the_writer_writes() {
    let scheme = &schemes()[0];
    let bytes = file(scheme, &options(64, true));
    if std::env::var_os("JEWEL_BLESS").is_some() {
        std::fs::write(golden_path(), &bytes).unwrap();
    }
    assert!(std::fs::read(golden_path()).unwrap() == bytes, "the format changed: raise its version");
}

/// The reader in Python, which was written from the document, finds the same values.
#[test]
fn the_independent_reader_agrees() {
    let probe = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/probe.py");
    // Without python3 the other tests still run.
    if Command::new("python3").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "python3 is needed for this test");
        eprintln!("skipped: python3 was not found");
        return;
    }
    let folder = std::env::temp_dir();
    for n in [0, 4, 11, 20, 27, 31] {
        let scheme = &schemes()[n];
        let path = folder.join(format!("jewel-python-{}-{n}.jt", std::process::id()));
        let distances = match n {
            4 => Distances::None,
            20 => Distances::LostInPairs,
            27 => Distances::Lost,
            _ => Distances::All,
        };
        let options = Options { distances, ..options(64, true) };
        write(&path, scheme, &options, &Even(scheme), &mut |_| true).unwrap();
        let index = Index::new(scheme).unwrap();
        let (mut fens, mut expected) = (vec![], vec![]);
        let step = index.cells().div_ceil(60) as usize;
        for cell in (0..index.cells()).step_by(step) {
            let Some(sets) = index.position(cell) else { continue };
            let map = &scheme.symmetries[cell as usize % scheme.symmetries.len()];
            let shown = image(&pieces(scheme, &sets), map);
            let turn = Side::BOTH[cell as usize / 3 % 2];
            let place = index.find(&shown, turn).unwrap();
            let Some(value) = even(&index.position(place.cell).unwrap(), place.turn).value() else {
                continue;
            };
            fens.push(format!("{} {}", board(scheme, &shown), turn.letter()));
            let name = value.outcome().name();
            expected.push(match (value, distances) {
                (Value::Draw, _) | (_, Distances::None) => name.to_string(),
                (Value::Win(n) | Value::Loss(n), Distances::All) | (Value::Loss(n), Distances::Lost) => {
                    format!("{name} {n}")
                }
                (Value::Loss(n), Distances::LostInPairs) => {
                    format!("{name} {} or {}", n / 4 * 4, n / 4 * 4 + 2)
                }
                (Value::Win(_), _) => name.to_string(),
            });
        }
        let mut child = Command::new("python3")
            .args([&probe, &path])
            .arg("-")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        io::Write::write_all(&mut child.stdin.take().unwrap(), fens.join("\n").as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        assert_eq!(String::from_utf8(output.stdout).unwrap().lines().collect::<Vec<_>>(), expected, "{n}");
        std::fs::remove_file(path).unwrap();
    }
    // Other rules, other pieces, damage: an error and nothing on the standard output.
    let damaged = folder.join(format!("jewel-python-{}-damaged.jt", std::process::id()));
    let mut bytes = std::fs::read(golden_path()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&damaged, bytes).unwrap();
    let golden = golden_path().display().to_string();
    let damaged_name = damaged.display().to_string();
    for (args, words) in [
        (vec!["--rules", "1", &golden, "l2/3/2L w"], "other rules (0123456789abcdef)"),
        (vec![&golden[..], "l2/1L1/2L w"], "does not belong"),
        (vec![&golden[..], "l2/4/2L w"], "not a rank of 3 squares"),
        (vec![&damaged_name[..], "l2/3/2L w"], "damaged"),
    ] {
        let output = Command::new("python3").arg(&probe).args(args).output().unwrap();
        assert!(!output.status.success() && output.stdout.is_empty());
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(words), "{error}");
    }
    std::fs::remove_file(damaged).unwrap();
}

fn board(scheme: &Scheme, pieces: &[jewel_tables::index::PieceSet]) -> String {
    let mut ranks = vec![];
    for y in (0..scheme.height).rev() {
        let (mut rank, mut empty) = (String::new(), 0);
        for x in 0..=scheme.width {
            let square = y * scheme.width + x;
            let piece = pieces.iter().find(|m| x < scheme.width && m.squares >> square & 1 != 0);
            if piece.is_none() && x < scheme.width {
                empty += 1;
                continue;
            }
            if empty > 0 {
                rank += &std::mem::take(&mut empty).to_string();
            }
            if let Some(m) = piece {
                let letter = char::from(m.letter);
                rank.push(if m.side == Side::White { letter } else { letter.to_ascii_lowercase() });
            }
        }
        ranks.push(rank);
    }
    ranks.join("/")
}

#[test]
fn a_table_of_nothing_in_particular_is_tiny() {
    let scheme = &schemes()[22];
    let mut bytes = vec![];
    let fill = |_: &jewel_tables::index::Plane, _: Side, cells: &mut [Cell]| cells.fill(Cell::win(3));
    let written = write_to(&mut bytes, scheme, &options(2048, true), &fill, &mut |_| true).unwrap();
    let blocks = 2 * Index::new(scheme).unwrap().cells().div_ceil(2048);
    assert!(written.bytes < 4000 + 2 * blocks * 18, "{} bytes, {blocks} blocks", written.bytes);
}
