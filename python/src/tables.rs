//! Endgame tables: building, probing, and whole classes as arrays.

use crate::board::{PositionArgument, color};
use crate::error::{bad, failed, guarded, of_path};
use crate::game::{Game, GameArgument, word};
use crate::values::{UNKNOWN, Value, code as code_of};
use crate::work::interruptible;
use jewel_engine::ability::Notation;
use jewel_engine::bitboard::Bitboard;
use jewel_engine::chesslike::{AnyChessLike, ChessGame, ChessLike, RuleSubset};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::ranking::best_first;
use jewel_engine::value::{Side, Value as Exact};
use jewel_engine::variant::Rules;
use jewel_engine::with_leanest_game;
use jewel_players::support::memory;
use jewel_solver::tablebase::build::{BuildError, Options, Stage, build};
use jewel_solver::tablebase::{Plan, ProbeError, Scope, TableSet};
use jewel_tables::index::Place;
use jewel_tables::reader::Table;
use jewel_tables::writer::Distances;
use numpy::{PyArray1, PyArray2, PyArrayMethods, ToPyArray};
use pyo3::exceptions::PyFileNotFoundError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyDict;
use rayon::prelude::*;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::Sender;

/// Tables that are open, and the rules of the positions that are looked up: without a counter of moves, which tables do not know.
struct Open {
    set: TableSet<'static>,
    rules: &'static Rules,
}

impl Open {
    fn position(&self, fen: &str) -> Result<AnyChessLike<'static>, String> {
        AnyChessLike::from_fen(self.rules, fen).map_err(|e| e.to_string())
    }

    fn table(&self, number: usize) -> &Table {
        &self.set.tables()[number]
    }

    /// The codes of many positions. The game is that of the rules: in the smallest type that it fits into, which is read faster.
    fn look_up<S: RuleSubset, const N: usize>(
        &self,
        game: ChessGame<'static, S, N>,
        fens: &[PyBackedStr],
        codes: &mut [i16],
        raise: bool,
    ) -> PyResult<()> {
        let place = |n: usize| format!("position {} of {}", n + 1, fens.len());
        let pairs = fens.par_iter().zip(codes.par_iter_mut()).enumerate();
        pairs.with_min_len(CHUNK).try_for_each(|(n, (fen, code))| {
            let position = ChessLike::<S, N>::from_fen(game.rules(), fen);
            // By reference: a position is not copied out of its result.
            let position = position.as_ref().map_err(|e| bad(format_args!("{}: {e}", place(n))))?;
            *code = match self.set.probe(position) {
                Ok(value) => code_of(value) as i16,
                Err(ProbeError::NoTable(_) | ProbeError::Castling) if !raise => UNKNOWN,
                Err(error) => return Err(failed(format_args!("{}: {error}", place(n)))),
            };
            Ok(())
        })
    }

    /// The position of a place of a table; `None` if the cell is none.
    fn at(&self, table: &Table, place: Place) -> Option<AnyChessLike<'static>> {
        let sets = table.index().position(place.cell)?;
        let groups = &table.index().scheme().groups;
        let pieces = groups.iter().zip(sets).filter_map(|(group, squares)| {
            let kind = self.rules.type_of(char::from(group.letter))?;
            Some((kind, group.side, Bitboard(squares)))
        });
        Some(AnyChessLike::assemble(self.rules, place.turn, pieces))
    }

    /// The code of the value at a place of a table.
    fn code_at(&self, table: &Table, place: Place) -> Result<i16, ProbeError> {
        let Some(position) = self.at(table, place) else { return Ok(UNKNOWN) };
        let value = match position.outcome() {
            Some(outcome) => Exact::from_outcome(outcome),
            None if table.has_all_distances() => table.value_at(place, self.set.cache())?,
            None => self.set.probe(&position)?,
        };
        Ok(code_of(value) as i16)
    }

    /// The codes of cells from one on, for one side to move.
    fn codes(&self, table: &Table, turn: Side, from: u64, codes: &mut [i16]) -> Result<(), ProbeError> {
        for (cell, code) in (from..).zip(codes) {
            *code = self.code_at(table, Place { cell, turn })?;
        }
        Ok(())
    }
}

/// The error of a probe: what a position lacks is a wrong argument only if no table could help.
fn refused(error: ProbeError) -> PyErr {
    match error {
        ProbeError::Castling => bad(error),
        ProbeError::Folder { path, error } => {
            let reason = jewel_players::support::words::reason(&error);
            of_path(&path, format_args!("{}: {reason}", path.display()))
        }
        other => failed(other),
    }
}

/// Positions that one thread takes at a time.
const CHUNK: usize = 256;

/// The endgame tables of a game in a folder.
///
/// Args:
///     game: a `Game`, or the name of one.
///     folder: the folder of its tables, or one that holds that folder by the name of the game.
///
/// Raises:
///     FileNotFoundError: the folder is not there, or holds no table.
///     ValueError: there can be no tables for the game.
///     JewelError: a table is damaged, or for other rules.
#[pyclass(frozen, module = "jewel", name = "Tables")]
pub(crate) struct Tables {
    game: Py<Game>,
    folder: PathBuf,
    open: Arc<Open>,
}

impl Tables {
    fn read(&self, position: PositionArgument<'_>) -> PyResult<AnyChessLike<'static>> {
        let fen = position.fen()?;
        guarded(|| self.open.position(&fen).map_err(bad))
    }
}

#[pymethods]
impl Tables {
    #[new]
    fn new(py: Python<'_>, game: GameArgument<'_>, folder: PathBuf) -> PyResult<Tables> {
        let game = game.game(py)?;
        let rules = game.get().any.rules().map_err(bad)?;
        let own = folder.join(&rules.id);
        let folder = if own.is_dir() { own } else { folder };
        let set = guarded(|| {
            TableSet::open(rules, &folder).map_err(|error| match error {
                ProbeError::Unsupported(_) => bad(error),
                error => refused(error),
            })
        })?;
        if set.tables().is_empty() {
            let name = folder.display();
            return Err(PyFileNotFoundError::new_err(format!(
                "there are no tables in {name}: build them first"
            )));
        }
        let rules = if rules.move_rule.is_some() { rules.without_move_rule().leak() } else { rules };
        Ok(Tables { game: game.unbind(), folder, open: Arc::new(Open { set, rules }) })
    }

    /// The game.
    #[getter]
    fn game(&self, py: Python<'_>) -> Py<Game> {
        self.game.clone_ref(py)
    }

    /// The folder.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    /// The classes that have tables, by name, such as ``"LNvQN"``: White's pieces, a small v, Black's.
    #[getter]
    fn classes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (number, table) in self.open.set.tables().iter().enumerate() {
            dict.set_item(&table.metadata().class, TableClass { open: Arc::clone(&self.open), number })?;
        }
        Ok(dict)
    }

    /// The exact value of a position, which is a `Board` or a position string. Castling and counters of moves are not known to tables.
    ///
    /// Raises:
    ///     ValueError: the position string is wrong, or has castling rights.
    ///     JewelError: there is no table for its class.
    fn probe(&self, position: PositionArgument<'_>) -> PyResult<Value> {
        let position = self.read(position)?;
        guarded(|| self.open.set.probe(&position).map(Value).map_err(refused))
    }

    /// The legal moves of a position with their values for the mover, best first.
    ///
    /// Raises:
    ///     As `probe`.
    fn moves(&self, position: PositionArgument<'_>) -> PyResult<Vec<(String, Value)>> {
        let position = self.read(position)?;
        guarded(|| {
            if position.outcome().is_some() {
                return Ok(Vec::new());
            }
            let mover = position.side_to_move();
            let mut moves = Vec::new();
            for mv in list_moves(&position) {
                let next = position.after(mv);
                let value = self.open.set.probe(&next).map_err(refused)?;
                moves.push((mv, value.before_ply(mover, next.side_to_move())));
            }
            best_first(&mut moves, |(_, value)| value.rank());
            Ok(moves.into_iter().map(|(mv, value)| (position.move_text(mv), Value(value))).collect())
        })
    }

    /// The codes of the values of many positions (int16): 0 for a draw, ``n + 1`` for a win in n plies, ``-(n + 1)`` for a loss
    /// in n plies. Works on all cores, and other Python threads go on meanwhile.
    ///
    /// Args:
    ///     fens: position strings.
    ///     missing: ``"raise"``, or ``"mark"``: a position that no table holds then has the code `jewel.UNKNOWN`.
    ///
    /// Raises:
    ///     ValueError: a position string is wrong: which.
    ///     JewelError: a position has no table: which.
    #[pyo3(signature = (fens, *, missing="raise"))]
    fn probe_many<'py>(
        &self,
        py: Python<'py>,
        fens: Vec<PyBackedStr>,
        missing: &str,
    ) -> PyResult<Bound<'py, PyArray1<i16>>> {
        let raise = word("missing", missing, &[("raise", true), ("mark", false)])?;
        let mut codes = vec![UNKNOWN; fens.len()];
        py.detach(|| {
            guarded(|| {
                with_leanest_game!(self.open.rules, game => self.open.look_up(game, &fens, &mut codes, raise))
            })
        })?;
        Ok(codes.to_pyarray(py))
    }

    fn __contains__(&self, position: PositionArgument<'_>) -> PyResult<bool> {
        let position = self.read(position)?;
        guarded(|| Ok(position.outcome().is_some() || self.open.set.place(&position).is_ok()))
    }

    fn __len__(&self) -> usize {
        self.open.set.tables().len()
    }

    fn __repr__(&self) -> String {
        format!(
            "<Tables of '{}': {} classes in {}>",
            self.open.rules.id,
            self.__len__(),
            self.folder.display()
        )
    }
}

/// The table of a class of positions, with its index: every position of the class has a cell, and positions that differ by a
/// symmetry of the rules share one.
#[pyclass(frozen, module = "jewel", name = "TableClass")]
pub(crate) struct TableClass {
    open: Arc<Open>,
    number: usize,
}

impl TableClass {
    fn table(&self) -> &Table {
        self.open.table(self.number)
    }
}

#[pymethods]
impl TableClass {
    /// The name, such as ``"LNvQN"``.
    #[getter]
    fn name(&self) -> &str {
        &self.table().metadata().class
    }

    /// The number of cells for each side to move.
    #[getter]
    fn cells(&self) -> u64 {
        self.table().index().cells()
    }

    /// Bytes of the file.
    #[getter]
    fn bytes(&self) -> u64 {
        self.table().bytes().0
    }

    /// The numbers of won, drawn and lost positions that differ by more than a symmetry.
    #[getter]
    fn counts(&self) -> (u64, u64, u64) {
        let counts = self.table().metadata().positions();
        (counts.wins, counts.draws, counts.losses)
    }

    /// The cell of a position: whether White is to move, as the table sees it, and the number of the cell. The array of the class
    /// has its value at ``array[0 if white else 1, cell]``.
    ///
    /// Where the rules allow it, a position stands for its exchange of sides too, so that the side to move may be the other one.
    ///
    /// Raises:
    ///     ValueError: the position string is wrong, or the position is not of this class.
    fn index(&self, position: PositionArgument<'_>) -> PyResult<(bool, u64)> {
        let fen = position.fen()?;
        guarded(|| {
            let position = self.open.position(&fen).map_err(bad)?;
            let (table, place) = self.open.set.place(&position).map_err(bad)?;
            if !std::ptr::eq(table, self.table()) {
                return Err(bad(format_args!("the position is of class {}", table.metadata().class)));
            }
            Ok((color(place.turn), place.cell))
        })
    }

    /// The position string of a cell; ``None`` if the cell is not a position.
    ///
    /// Raises:
    ///     ValueError: there is no such cell.
    fn fen(&self, white: bool, cell: u64) -> PyResult<Option<String>> {
        let cells = self.cells();
        if cell >= cells {
            return Err(bad(format_args!("cell: {cell} is not a whole number below {cells}")));
        }
        let turn = if white { Side::White } else { Side::Black };
        guarded(|| {
            Ok(self.open.at(self.table(), Place { cell, turn }).map(|position| position.position_text()))
        })
    }

    /// The codes of all cells (int16): the first row with White to move, the second with Black to move. Cells that are not
    /// positions have the code `jewel.UNKNOWN`; those of positions that cannot come about, such as with a side in check that is
    /// not to move, mean nothing.
    ///
    /// Args:
    ///     file: a file to write the array to (``.npy``), which is then memory-mapped: for classes larger than the memory. What
    ///         was in the file is replaced once all of it is written.
    ///
    /// Raises:
    ///     JewelError: the table is damaged, or the file cannot be written.
    #[pyo3(signature = (file=None))]
    fn array<'py>(&self, py: Python<'py>, file: Option<PathBuf>) -> PyResult<Bound<'py, PyAny>> {
        let cells = usize::try_from(self.cells()).map_err(failed)?;
        let (open, table) = (&self.open, self.table());
        let flag = AtomicBool::new(false);
        let interrupt = &flag;
        let fill = |turn: Side, from: u64, codes: &mut [i16]| -> Result<(), String> {
            let chunks = codes.par_chunks_mut(CELLS).enumerate();
            chunks
                .map(|(n, chunk)| {
                    if interrupt.load(Relaxed) {
                        return Err("interrupted".to_string());
                    }
                    open.codes(table, turn, from + (n * CELLS) as u64, chunk).map_err(|e| e.to_string())
                })
                .collect()
        };
        let stop = || flag.store(true, Relaxed);
        match file {
            None => {
                let array = PyArray2::<i16>::zeros(py, [2, cells], false);
                let work = |_: Sender<()>| {
                    let mut codes = vec![0; 2 * cells];
                    let (white, black) = codes.split_at_mut(cells);
                    fill(Side::White, 0, white).and_then(|()| fill(Side::Black, 0, black)).map(|()| codes)
                };
                let codes = interruptible(py, stop, work, |_, ()| Ok(()))?.map_err(failed)?;
                array.readwrite().as_slice_mut()?.copy_from_slice(&codes);
                Ok(array.into_any())
            }
            Some(file) => {
                let work = |_: Sender<()>| write_array(&file, cells, &fill);
                interruptible(py, stop, work, |_, ()| Ok(()))?.map_err(failed)?;
                let keywords = PyDict::new(py);
                keywords.set_item("mmap_mode", "r")?;
                py.import("numpy")?.call_method("load", (file,), Some(&keywords))
            }
        }
    }

    fn __repr__(&self) -> String {
        format!("<TableClass '{}': {} cells>", self.name(), self.cells())
    }
}

/// Cells that one thread takes at a time, and the chunks that are written at a time.
const CELLS: usize = 1 << 12;
const CHUNKS: usize = 1 << 8;

/// Writes an array of two rows as NumPy's format has it: whole or not at all.
fn write_array(
    file: &Path,
    cells: usize,
    fill: &dyn Fn(Side, u64, &mut [i16]) -> Result<(), String>,
) -> Result<(), String> {
    let unfinished = file.with_extension("npy.unfinished");
    let problem = |e: io::Error| format!("{}: {}", file.display(), jewel_players::support::words::reason(&e));
    let write = || -> Result<(), String> {
        let mut out = BufWriter::new(File::create(&unfinished).map_err(problem)?);
        let mut header = format!("{{'descr': '<i2', 'fortran_order': False, 'shape': (2, {cells}), }}");
        // Magic, version, length and header together are a multiple of 64 bytes, the last of them a line feed.
        let padding = 63 - (10 + header.len()) % 64;
        header.push_str(&" ".repeat(padding));
        header.push('\n');
        let length = u16::try_from(header.len()).map_err(|e| e.to_string())?;
        let front = [b"\x93NUMPY\x01\x00", &length.to_le_bytes()[..], header.as_bytes()].concat();
        out.write_all(&front).map_err(problem)?;
        let mut codes = vec![0; CELLS * CHUNKS];
        for turn in Side::BOTH {
            for from in (0..cells).step_by(codes.len()) {
                let count = codes.len().min(cells - from);
                fill(turn, from as u64, &mut codes[..count])?;
                for code in &codes[..count] {
                    out.write_all(&code.to_le_bytes()).map_err(problem)?;
                }
            }
        }
        out.into_inner().map_err(|e| problem(e.into_error()))?.sync_all().map_err(problem)?;
        fs::rename(&unfinished, file).map_err(problem)
    };
    write().inspect_err(|_| {
        let _ = fs::remove_file(&unfinished);
    })
}

/// Which distances tables hold.
const DISTANCES: &[(&str, Distances)] =
    &[("all", Distances::All), ("lost", Distances::Lost), ("none", Distances::None)];

/// Builds the tables of classes into a folder, or goes on with a build that was stopped. Ctrl-C stops it; what is done is kept.
///
/// Args:
///     game: a `Game`, or the name of one.
///     folder: the folder of the tables; it is made.
///     material: the class to build, with all that it leads to; by default that of the start position.
///     max_pieces: every class of at most so many pieces, both sides together.
///     distances: ``"all"``, ``"lost"`` or ``"none"``: which distances to store.
///     memory: the bytes that a class may take; by default 80% of what is free.
///     on_progress: called with a dictionary of ``class``, ``stage`` and ``cells`` now and then.
///
/// Raises:
///     ValueError: there can be no tables for the game, or no such classes.
///     JewelError: the memory does not suffice, or a file cannot be written.
#[pyfunction]
#[pyo3(signature = (game, folder, material=None, *, max_pieces=None, distances="all", memory=None, on_progress=None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn build_tables(
    py: Python<'_>,
    game: GameArgument<'_>,
    folder: PathBuf,
    material: Option<String>,
    max_pieces: Option<usize>,
    distances: &str,
    memory: Option<u64>,
    on_progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Tables> {
    let game = game.game(py)?;
    let rules = game.get().any.rules().map_err(bad)?;
    let distances = word("distances", distances, DISTANCES)?;
    let scope = match (material, max_pieces) {
        (Some(_), Some(_)) => return Err(bad("material and max_pieces: give one of them")),
        (Some(class), None) => Scope::Class(class),
        (None, Some(pieces)) => Scope::MaxPieces(pieces),
        (None, None) => Scope::Start,
    };
    let plan = py.detach(|| guarded(|| Plan::new(rules, &scope).map_err(bad)))?;
    let options = Options { memory: memory::limit(memory), distances, ..Options::default() };
    let flag = AtomicBool::new(false);
    let callback = on_progress.map(Bound::unbind);
    let wanted = callback.is_some();
    let (interrupt, target) = (&flag, &folder);
    let work = move |tell: Sender<(String, &'static str, u64)>| {
        build(&plan, target, &options, interrupt, &|progress| {
            if wanted {
                let _ = tell.send((progress.class.to_string(), stage_word(progress.stage), progress.cells));
            }
        })
    };
    let each = |py: Python<'_>, (class, stage, cells): (String, &'static str, u64)| {
        let Some(callback) = &callback else { return Ok(()) };
        let dict = PyDict::new(py);
        dict.set_item("class", class)?;
        dict.set_item("stage", stage)?;
        dict.set_item("cells", cells)?;
        callback.bind(py).call1((dict,)).map(drop)
    };
    let built: Result<(), BuildError> = interruptible(py, || flag.store(true, Relaxed), work, each)?;
    built.map_err(failed)?;
    Tables::new(py, GameArgument::Game(game), folder)
}

fn stage_word(stage: Stage) -> &'static str {
    match stage {
        Stage::Found => "found",
        Stage::Wait => "wait",
        Stage::Captures => "captures",
        Stage::Sweep(_) => "sweep",
        Stage::Write => "write",
        Stage::Done => "done",
    }
}
