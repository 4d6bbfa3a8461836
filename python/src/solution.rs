//! Exact values of all positions that a position leads to.

use crate::board::PositionArgument;
use crate::error::{bad, failed, guarded};
use crate::game::{Game, GameArgument};
use crate::values::{Value, code};
use crate::work::interruptible;
use anyhow::{Result, anyhow};
use jewel_engine::ability::{Game as Rules, Notation, Packed};
use jewel_engine::chesslike::ChessGame;
use jewel_engine::position::Position;
use jewel_players::catalogue::AnyGame;
use jewel_players::support::memory;
use jewel_players::with_coded_game;
use jewel_solver::control::{Control, Limits, MAX_POSITIONS, Progress, Stop};
use jewel_solver::graph::Graph;
use jewel_solver::solution::{Counts, Solution as Solved};
use numpy::{PyArray1, ToPyArray};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::Sender;

/// A solution, whatever its game.
trait AnySolution: Send + Sync {
    /// The value of a position; `None` if the root does not lead to it.
    fn value(&self, fen: &str) -> Result<Option<jewel_engine::value::Value>>;
    /// The moves of a position with their values, best first.
    fn moves(&self, fen: &str) -> Result<Option<Vec<(String, jewel_engine::value::Value)>>>;
    fn counts(&self) -> Counts;
    fn edges(&self) -> u64;
    fn root(&self) -> String;
    fn longest_win(&self) -> Option<String>;
    fn parts(&self) -> usize;
    /// The positions of a part with their values.
    fn texts(&self, part: usize) -> Vec<(String, jewel_engine::value::Value)>;
    /// Their hashes and the codes of their values, in the same order.
    fn codes(&self, part: usize) -> (Vec<u64>, Vec<i32>);
}

/// A game and its solution.
struct Of<G: Rules> {
    game: G,
    solved: Solved<G::Position>,
}

impl<G: Rules<Position: Packed>> Of<G> {
    fn position(&self, fen: &str) -> Result<G::Position> {
        self.game.parse_position(fen).map_err(|e| anyhow!("{e}"))
    }
}

impl<G: Rules<Position: Packed>> AnySolution for Of<G> {
    fn value(&self, fen: &str) -> Result<Option<jewel_engine::value::Value>> {
        Ok(self.solved.value(&self.position(fen)?))
    }

    fn moves(&self, fen: &str) -> Result<Option<Vec<(String, jewel_engine::value::Value)>>> {
        let position = self.position(fen)?;
        let moves = self.solved.moves(&position);
        Ok(moves.map(|moves| moves.iter().map(|mv| (position.move_text(mv.mv), mv.value)).collect()))
    }

    fn counts(&self) -> Counts {
        self.solved.counts()
    }

    fn edges(&self) -> u64 {
        self.solved.edges()
    }

    fn root(&self) -> String {
        self.solved.root().position_text()
    }

    fn longest_win(&self) -> Option<String> {
        self.solved.longest_win().map(|position| position.position_text())
    }

    fn parts(&self) -> usize {
        self.solved.parts()
    }

    fn texts(&self, part: usize) -> Vec<(String, jewel_engine::value::Value)> {
        self.solved.part(part).map(|(position, value)| (position.position_text(), value)).collect()
    }

    fn codes(&self, part: usize) -> (Vec<u64>, Vec<i32>) {
        self.solved.part(part).map(|(position, value)| (position.zobrist_hash(), code(value))).unzip()
    }
}

/// Where the work is.
#[derive(Clone, Copy)]
struct Told(Progress);

impl Told {
    fn dict<'py>(self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Told(Progress { phase, done, known, memory }) = self;
        let dict = PyDict::new(py);
        dict.set_item("phase", phase.name())?;
        dict.set_item("done", done)?;
        dict.set_item("known", known)?;
        dict.set_item("memory", memory)?;
        Ok(dict)
    }
}

type Outcome = Result<Arc<dyn AnySolution>>;

fn solved<G>(
    game: G,
    fen: Option<&str>,
    limits: Limits,
    flag: &AtomicBool,
    tell: Option<Sender<Told>>,
) -> Outcome
where
    G: Rules<Position: Packed> + 'static,
{
    let root = match fen {
        Some(fen) => game.parse_position(fen).map_err(|e| anyhow!("{e}"))?,
        None => game.start(),
    };
    let mut report = |progress| {
        if let Some(tell) = &tell {
            let _ = tell.send(Told(progress));
        }
    };
    let mut control = Control::new(limits, flag, &mut report);
    let mut graph = Graph::new(root)?;
    let solved = graph.enumerate(&mut control).and_then(|()| graph.solve(&mut control))?;
    Ok(Arc::new(Of { game, solved }))
}

/// Solves a game: the exact value of every position that a position leads to, all of them kept in memory. Other Python threads
/// go on meanwhile, and Ctrl-C ends it.
///
/// Args:
///     game: a `Game`, or the name of one.
///     fen: the position to start from; by default the start position.
///     max_positions: stop where there are more.
///     memory: stop where more bytes are needed; by default 80% of what is free.
///     on_progress: called with a dictionary of ``phase``, ``done``, ``known`` and ``memory`` now and then.
///
/// Raises:
///     ValueError: the position string is wrong.
///     JewelError: a limit is too small.
///
/// >>> import jewel
/// >>> solution = jewel.solve("duel")
/// >>> solution.value
/// Value('draw')
/// >>> len(solution), solution.wins, solution.draws, solution.losses
/// (162, 96, 40, 26)
/// >>> solution.moves(jewel.Board("duel"))[2]
/// ('c1a1', Value('loss', 2))
#[pyfunction]
#[pyo3(signature = (game, fen=None, *, max_positions=MAX_POSITIONS, memory=None, on_progress=None))]
pub(crate) fn solve(
    py: Python<'_>,
    game: GameArgument<'_>,
    fen: Option<&str>,
    max_positions: u64,
    memory: Option<u64>,
    on_progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Solution> {
    let game = game.game(py)?;
    let any = game.get().any;
    if let Some(fen) = fen {
        // What is wrong with an argument is told as such.
        game.get().board_of(fen)?;
    }
    let limits = Limits { max_positions, memory: memory::limit(memory) };
    let callback = on_progress.map(Bound::unbind);
    let flag = AtomicBool::new(false);
    let (wanted, interrupt) = (callback.is_some(), &flag);
    let work = move |tell: Sender<Told>| -> Outcome {
        let tell = Some(tell).filter(|_| wanted);
        match any {
            // One kind of game for all variant files: each takes long to compile.
            AnyGame::Variant(rules) => solved(ChessGame::from_any(rules), fen, limits, interrupt, tell),
            AnyGame::Coded(coded) => {
                with_coded_game!(coded, game => solved(game, fen, limits, interrupt, tell))
            }
        }
    };
    let each = |py: Python<'_>, told: Told| {
        callback.as_ref().map_or(Ok(()), |callback| callback.bind(py).call1((told.dict(py)?,)).map(drop))
    };
    let solved = interruptible(py, || flag.store(true, Relaxed), work, each)?.map_err(failed)?;
    Ok(Solution { game: game.unbind(), solved })
}

/// The exact values of all positions that a root leads to: a mapping from positions to values.
///
/// Iteration gives position strings, in no order that means anything, but always in the same one. Positions are looked up by
/// the board alone: the moves before them do not matter.
#[pyclass(frozen, module = "jewel", mapping)]
pub(crate) struct Solution {
    game: Py<Game>,
    solved: Arc<dyn AnySolution>,
}

impl Solution {
    fn find(&self, position: PositionArgument<'_>) -> PyResult<(String, Option<Value>)> {
        let fen = position.fen()?;
        let value = guarded(|| self.solved.value(&fen).map_err(bad))?;
        Ok((fen, value.map(Value)))
    }
}

#[pymethods]
impl Solution {
    /// The game.
    #[getter]
    fn game(&self, py: Python<'_>) -> Py<Game> {
        self.game.clone_ref(py)
    }

    /// The position string of the root.
    #[getter]
    fn fen(&self) -> String {
        self.solved.root()
    }

    /// The value of the root.
    #[getter]
    fn value(&self) -> PyResult<Value> {
        let value = guarded(|| self.solved.value(&self.solved.root()).map_err(failed))?;
        value.map(Value).ok_or_else(|| failed("the root is not in its own solution"))
    }

    /// Positions won for the side to move.
    #[getter]
    fn wins(&self) -> u64 {
        self.solved.counts().wins
    }

    /// Drawn positions.
    #[getter]
    fn draws(&self) -> u64 {
        self.solved.counts().draws
    }

    /// Positions lost for the side to move.
    #[getter]
    fn losses(&self) -> u64 {
        self.solved.counts().losses
    }

    /// The number of moves between the positions.
    #[getter]
    fn edges(&self) -> u64 {
        self.solved.edges()
    }

    /// A won position that takes longest to win; ``None`` if no position is won.
    fn longest_win(&self, py: Python<'_>) -> PyResult<Option<String>> {
        py.detach(|| guarded(|| Ok(self.solved.longest_win())))
    }

    /// The moves of a position with their values for the mover, best first.
    ///
    /// Raises:
    ///     KeyError: the root does not lead to the position.
    fn moves(&self, position: PositionArgument<'_>) -> PyResult<Vec<(String, Value)>> {
        let fen = position.fen()?;
        let moves = guarded(|| self.solved.moves(&fen).map_err(bad))?;
        let moves = moves.ok_or_else(|| PyKeyError::new_err(fen))?;
        Ok(moves.into_iter().map(|(mv, value)| (mv, Value(value))).collect())
    }

    /// The Zobrist hashes of all positions (uint64) and the codes of their values (int32), in the order of iteration.
    ///
    /// A code is 0 for a draw, ``n + 1`` for a win in n plies, and ``-(n + 1)`` for a loss in n plies.
    ///
    /// >>> import jewel
    /// >>> hashes, codes = jewel.solve("duel").arrays()
    /// >>> int((codes > 0).sum()), int((codes == 0).sum())
    /// (96, 40)
    #[allow(clippy::type_complexity)]
    fn arrays<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<i32>>)> {
        let solved = &self.solved;
        let parts = py.detach(|| {
            guarded(|| Ok((0..solved.parts()).into_par_iter().map(|n| solved.codes(n)).collect::<Vec<_>>()))
        })?;
        let (hashes, codes): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        Ok((hashes.concat().to_pyarray(py), codes.concat().to_pyarray(py)))
    }

    /// The value of a position, or `default` if the root does not lead to it.
    #[pyo3(signature = (position, default=None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        position: PositionArgument<'py>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.find(position)?.1 {
            Some(value) => Ok(Some(Bound::new(py, value)?.into_any())),
            None => Ok(default),
        }
    }

    fn __getitem__(&self, position: PositionArgument<'_>) -> PyResult<Value> {
        let (fen, value) = self.find(position)?;
        value.ok_or_else(|| PyKeyError::new_err(fen))
    }

    fn __contains__(&self, position: PositionArgument<'_>) -> PyResult<bool> {
        Ok(self.find(position)?.1.is_some())
    }

    fn __len__(&self) -> usize {
        self.solved.counts().positions() as usize
    }

    /// The position strings, one after the other.
    fn keys(&self) -> Entries {
        Entries::new(self, Entry::Position)
    }

    /// The values, in the same order.
    fn values(&self) -> Entries {
        Entries::new(self, Entry::Value)
    }

    /// Pairs of position strings and values, in the same order.
    fn items(&self) -> Entries {
        Entries::new(self, Entry::Both)
    }

    fn __iter__(&self) -> Entries {
        self.keys()
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("<Solution of '{}': {} positions>", self.solved.root(), self.__len__()))
    }
}

/// What an iterator gives of each position.
#[derive(Clone, Copy)]
enum Entry {
    Position,
    Value,
    Both,
}

/// Iterates over the positions of a solution.
#[pyclass(module = "jewel")]
pub(crate) struct Entries {
    solved: Arc<dyn AnySolution>,
    entry: Entry,
    part: usize,
    texts: std::vec::IntoIter<(String, jewel_engine::value::Value)>,
}

impl Entries {
    fn new(solution: &Solution, entry: Entry) -> Entries {
        let solved = Arc::clone(&solution.solved);
        Entries { solved, entry, part: 0, texts: Vec::new().into_iter() }
    }
}

#[pymethods]
impl Entries {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        guarded(|| {
            loop {
                if let Some((text, value)) = self.texts.next() {
                    let entry = match self.entry {
                        Entry::Position => text.into_pyobject(py)?.into_any(),
                        Entry::Value => Bound::new(py, Value(value))?.into_any(),
                        Entry::Both => (text, Value(value)).into_pyobject(py)?.into_any(),
                    };
                    return Ok(Some(entry));
                }
                if self.part == self.solved.parts() {
                    return Ok(None);
                }
                self.texts = self.solved.texts(self.part).into_iter();
                self.part += 1;
            }
        })
    }
}
