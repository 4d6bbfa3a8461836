//! Positions, with the moves that led to them.

use crate::error::{bad, failed, guarded};
use crate::game::{Game, GameArgument, busy, depth_of};
use crate::work::interruptible;
use jewel_engine::random::Random;
use jewel_engine::value::{Side, Verdict};
use jewel_players::engine::Engine;
use jewel_players::support::board::{Style, draw};
use jewel_players::support::svg;
use jewel_search::control::Stop;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Mutex, MutexGuard};

/// Python-chess has True for White.
pub(crate) fn color(side: Side) -> bool {
    side == Side::White
}

fn side_of(color: bool) -> Side {
    if color { Side::White } else { Side::Black }
}

/// What makes a board again: a function and its arguments.
type Reduced<'py> = (Bound<'py, PyAny>, (Py<Game>, String, Vec<String>));

/// How a game ended, as python-chess has it.
#[pyclass(frozen, module = "jewel", eq, get_all)]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// ``True`` if White has won, ``False`` if Black has, ``None`` for a draw.
    winner: Option<bool>,
    /// Why: ``"rule"``, or ``"repetition"`` for a draw by nothing else.
    termination: String,
}

#[pymethods]
impl Outcome {
    /// ``"1-0"``, ``"0-1"`` or ``"1/2-1/2"``.
    fn result(&self) -> &'static str {
        match self.winner {
            Some(true) => Verdict::WhiteWins.score_text(),
            Some(false) => Verdict::BlackWins.score_text(),
            None => Verdict::Draw.score_text(),
        }
    }

    fn __repr__(&self) -> String {
        let winner = match self.winner {
            Some(true) => "True",
            Some(false) => "False",
            None => "None",
        };
        format!("Outcome(winner={winner}, termination='{}')", self.termination)
    }
}

/// A position, and the moves that led to it. What it has in common with ``chess.Board`` of python-chess has the same names;
/// moves are texts such as ``"a1b2"``.
///
/// Args:
///     game: a `Game`, or the name of one.
///     fen: the position string; without it the start position.
///
/// Raises:
///     ValueError: the position string is wrong.
///
/// >>> import jewel
/// >>> board = jewel.Board("duel")
/// >>> board.legal_moves
/// ['c1a1', 'c1b1', 'c1c2', 'c1c3']
/// >>> board.push("c1b1")
/// >>> board.fen()
/// 'l2/3/1L1 b - - 1 1'
/// >>> board.pop()
/// 'c1b1'
/// >>> board.push("c1b2")
/// Traceback (most recent call last):
///   ...
/// ValueError: the Armed Guard on c1 cannot go to b2; it can go to a1 b1 c2 c3
#[pyclass(frozen, module = "jewel", name = "Board")]
pub(crate) struct Board {
    game: Py<Game>,
    line: Mutex<Box<dyn Engine>>,
}

impl Board {
    pub(crate) fn at(game: Bound<'_, Game>, fen: Option<&str>, moves: &[String]) -> PyResult<Board> {
        guarded(|| {
            let mut line = game.get().any.open();
            if fen.is_some() || !moves.is_empty() {
                line.set_position(fen, moves).map_err(bad)?;
            }
            Ok(Board { game: game.unbind(), line: Mutex::new(line) })
        })
    }

    /// The line. It is held for short calls alone, none of which runs Python.
    pub(crate) fn line(&self) -> PyResult<MutexGuard<'_, Box<dyn Engine>>> {
        // A panic was reported, and left nothing half done: the line is put in place as a whole.
        Ok(match self.line.lock() {
            Ok(line) => line,
            Err(poisoned) => poisoned.into_inner(),
        })
    }

    pub(crate) fn game_of(&self) -> &Game {
        self.game.get()
    }

    /// The first position and the moves from it.
    pub(crate) fn story(&self) -> PyResult<(String, Vec<String>)> {
        let line = self.line()?;
        Ok((line.first_fen(), line.played()))
    }

    /// The same position with the same moves before it, alone.
    pub(crate) fn twin(&self) -> PyResult<Box<dyn Engine>> {
        let (first, moves) = self.story()?;
        guarded(|| {
            let mut line = self.game_of().any.open();
            line.set_position(Some(&first), &moves).map_err(failed)?;
            Ok(line)
        })
    }
}

#[pymethods]
impl Board {
    #[new]
    #[pyo3(signature = (game, fen=None))]
    fn new(py: Python<'_>, game: GameArgument<'_>, fen: Option<&str>) -> PyResult<Board> {
        Board::at(game.game(py)?, fen, &[])
    }

    /// The game.
    #[getter]
    fn game(&self, py: Python<'_>) -> Py<Game> {
        self.game.clone_ref(py)
    }

    /// Whose turn it is: ``True`` for White, the side of the capital letters.
    #[getter]
    fn turn(&self) -> PyResult<bool> {
        Ok(color(self.line()?.side_to_move()))
    }

    /// The legal moves as texts, in a fixed order. A draw by rule may leave some. Where dice decide, each outcome is a move.
    #[getter]
    fn legal_moves(&self) -> PyResult<Vec<String>> {
        guarded(|| Ok(self.line()?.moves()))
    }

    /// The moves played from the first position on.
    #[getter]
    fn move_stack(&self) -> PyResult<Vec<String>> {
        guarded(|| Ok(self.line()?.played()))
    }

    /// The position string.
    fn fen(&self) -> PyResult<String> {
        guarded(|| Ok(self.line()?.fen()))
    }

    /// Sets a position up; the moves before it are forgotten.
    ///
    /// Raises:
    ///     ValueError: the position string is wrong; everything stays as it was.
    fn set_fen(&self, fen: &str) -> PyResult<()> {
        guarded(|| self.line()?.set_position(Some(fen), &[]).map_err(bad))
    }

    /// Back to the start position.
    fn reset(&self) -> PyResult<()> {
        guarded(|| self.line()?.set_position(None, &[]).map_err(bad))
    }

    /// The position before the first move, as a board of its own.
    fn root(&self, py: Python<'_>) -> PyResult<Board> {
        Board::at(self.game.bind(py).clone(), Some(&self.story()?.0), &[])
    }

    /// The number of moves played.
    fn ply(&self) -> PyResult<usize> {
        Ok(self.line()?.plies())
    }

    /// Plays a move; in games whose turns have several plies, a ply, a turn or the beginning of one.
    ///
    /// Raises:
    ///     ValueError: the move is not legal: why.
    #[pyo3(name = "push")]
    fn push(&self, r#move: &str) -> PyResult<()> {
        guarded(|| self.line()?.play(r#move).map_err(bad))
    }

    /// As `push`, which reads all notations.
    fn push_uci(&self, r#move: &str) -> PyResult<()> {
        self.push(r#move)
    }

    /// As `push`, which reads all notations.
    fn push_san(&self, r#move: &str) -> PyResult<()> {
        self.push(r#move)
    }

    /// Takes the last move back, and returns it.
    ///
    /// Raises:
    ///     IndexError: there is none.
    fn pop(&self) -> PyResult<String> {
        guarded(|| {
            let mut line = self.line()?;
            let from =
                line.plies().checked_sub(1).ok_or_else(|| PyIndexError::new_err("no move was played"))?;
            let last = line.played_from(from).pop().unwrap_or_default();
            line.undo();
            Ok(last)
        })
    }

    /// The last move.
    ///
    /// Raises:
    ///     IndexError: there is none.
    fn peek(&self) -> PyResult<String> {
        guarded(|| {
            let line = self.line()?;
            let from =
                line.plies().checked_sub(1).ok_or_else(|| PyIndexError::new_err("no move was played"))?;
            Ok(line.played_from(from).pop().unwrap_or_default())
        })
    }

    /// Whether a text is that of a legal move.
    fn is_legal(&self, r#move: &str) -> PyResult<bool> {
        guarded(|| Ok(self.line()?.read_move(r#move).is_ok()))
    }

    /// The usual text of a move that is written in any notation, such as SAN.
    ///
    /// Raises:
    ///     ValueError: the move is not legal: why.
    fn parse_san(&self, text: &str) -> PyResult<String> {
        guarded(|| self.line()?.read_move(text).map_err(bad))
    }

    /// As `parse_san`.
    fn parse_uci(&self, text: &str) -> PyResult<String> {
        self.parse_san(text)
    }

    /// A legal move in standard algebraic notation.
    ///
    /// Raises:
    ///     ValueError: the move is not legal, or the game has no such notation.
    fn san(&self, r#move: &str) -> PyResult<String> {
        guarded(|| {
            let line = self.line()?;
            let mv = line.read_move(r#move).map_err(bad)?;
            line.san(&mv).ok_or_else(|| bad(format_args!("{}: it has no SAN", line.game())))
        })
    }

    /// Rolls for a move in a game with dice: the text of the move with its outcome. Other moves stay as they are.
    ///
    /// Raises:
    ///     ValueError: the move is not legal: why.
    #[pyo3(signature = (r#move, seed))]
    fn roll(&self, r#move: &str, seed: u64) -> PyResult<String> {
        guarded(|| self.line()?.rolled(r#move, &mut Random::new(seed)).map_err(bad))
    }

    /// How the game has ended, by its rules or by repetition; ``None`` while it goes on.
    fn outcome(&self) -> PyResult<Option<Outcome>> {
        guarded(|| {
            Ok(self.line()?.ending().map(|ending| {
                let winner = match ending.verdict {
                    Verdict::WhiteWins => Some(true),
                    Verdict::BlackWins => Some(false),
                    Verdict::Draw => None,
                };
                let termination = if ending.repetition { "repetition" } else { "rule" };
                Outcome { winner, termination: termination.to_string() }
            }))
        })
    }

    /// Whether the game is over.
    fn is_game_over(&self) -> PyResult<bool> {
        guarded(|| Ok(self.line()?.ending().is_some()))
    }

    /// ``"1-0"``, ``"0-1"``, ``"1/2-1/2"``, or ``"*"`` while the game goes on.
    fn result(&self) -> PyResult<&'static str> {
        guarded(|| Ok(self.line()?.ending().map_or("*", |ending| ending.verdict.score_text())))
    }

    /// The 64-bit Zobrist hash of the position, the same in every run.
    fn zobrist_hash(&self) -> PyResult<u64> {
        guarded(|| Ok(self.line()?.zobrist_hash()))
    }

    /// A hash that the position shares with its mirror images, as far as the rules do not tell them apart.
    fn symmetric_hash(&self) -> PyResult<u64> {
        guarded(|| Ok(self.line()?.symmetric_hash()))
    }

    /// The static evaluation for the side to move, in centipawns.
    fn evaluate(&self) -> PyResult<i32> {
        guarded(|| Ok(self.line()?.evaluation()))
    }

    /// What one player sees, as text; ``None`` in games that hide nothing.
    fn view(&self, color: bool) -> PyResult<Option<String>> {
        guarded(|| Ok(self.line()?.view_of(side_of(color)).map(|view| view.text)))
    }

    /// Counts the sequences of `depth` plies. Other Python threads go on meanwhile, and Ctrl-C ends it.
    ///
    /// >>> import jewel
    /// >>> jewel.Board("duel").perft(5)
    /// 600
    fn perft(&self, py: Python<'_>, depth: u32) -> PyResult<u64> {
        Ok(self.counted(py, depth)?.0)
    }

    /// `perft` below each move.
    ///
    /// >>> import jewel
    /// >>> jewel.Board("duel").divide(2)
    /// {'c1a1': 4, 'c1b1': 4, 'c1c2': 4, 'c1c3': 4}
    fn divide<'py>(&self, py: Python<'py>, depth: u32) -> PyResult<Bound<'py, PyDict>> {
        let counts = PyDict::new(py);
        for (mv, nodes) in self.counted(py, depth)?.1 {
            counts.set_item(mv, nodes)?;
        }
        Ok(counts)
    }

    /// The board as text, with box-drawing characters and a legend.
    fn unicode(&self) -> PyResult<String> {
        self.drawn(true)
    }

    /// The board as an SVG picture.
    fn svg(&self) -> PyResult<String> {
        guarded(|| {
            let line = self.line()?;
            let card = self.game_of().any.card();
            Ok(svg::picture(&line.diagram(), &card, &line.fen(), line.ending().is_some()))
        })
    }

    fn _repr_svg_(&self) -> PyResult<String> {
        self.svg()
    }

    /// A board of its own with the same position; with `stack`, the same moves before it.
    #[pyo3(signature = (*, stack=true))]
    fn copy(&self, py: Python<'_>, stack: bool) -> PyResult<Board> {
        if stack {
            return Ok(Board { game: self.game.clone_ref(py), line: Mutex::new(self.twin()?) });
        }
        Board::at(self.game.bind(py).clone(), Some(&self.fen()?), &[])
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let board = slf.get();
        let (first, moves) = board.story()?;
        let make = slf.get_type().into_any().getattr("_after")?;
        Ok((make, (board.game.clone_ref(slf.py()), first, moves)))
    }

    /// The board of a game after moves from a position.
    #[staticmethod]
    #[pyo3(name = "_after")]
    fn after(game: Bound<'_, Game>, fen: &str, moves: Vec<String>) -> PyResult<Board> {
        Board::at(game, Some(fen), &moves)
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Board> {
        self.copy(py, true)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: Bound<'_, PyAny>) -> PyResult<Board> {
        self.copy(py, true)
    }

    fn __eq__(&self, other: &Board) -> PyResult<bool> {
        if std::ptr::eq(self, other) {
            return Ok(true);
        }
        Ok(self.game_of().any.fingerprint() == other.game_of().any.fingerprint()
            && self.fen()? == other.fen()?)
    }

    fn __str__(&self) -> PyResult<String> {
        self.drawn(false)
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("Board('{}', '{}')", self.game_of().any.card().id, self.fen()?))
    }
}

impl Board {
    fn drawn(&self, unicode: bool) -> PyResult<String> {
        guarded(|| {
            let line = self.line()?;
            let text = draw(&line.diagram(), line.ending().is_some(), Style { colours: false, unicode });
            Ok(text.trim_end().to_string())
        })
    }

    fn counted(&self, py: Python<'_>, depth: u32) -> PyResult<(u64, Vec<(String, u64)>)> {
        let depth = depth_of(depth)?;
        let line = self.twin()?;
        let stop = Stop::new();
        let handle = stop.clone();
        let work = move |_: std::sync::mpsc::Sender<()>| {
            let mut counts = Vec::new();
            let nodes = line.perft(depth, &stop, &mut |mv, nodes| counts.push((mv.to_string(), nodes)));
            nodes.map(|nodes| (nodes, counts))
        };
        let counted = interruptible(py, move || handle.stop(), work, |_, ()| Ok(()))?;
        counted.ok_or_else(|| PyValueError::new_err("the count was stopped"))
    }
}

/// The position string of a board or a text.
#[derive(FromPyObject)]
pub(crate) enum PositionArgument<'py> {
    Board(Bound<'py, Board>),
    Fen(String),
}

impl PositionArgument<'_> {
    pub(crate) fn fen(self) -> PyResult<String> {
        match self {
            PositionArgument::Board(board) => board.get().fen(),
            PositionArgument::Fen(fen) => Ok(fen),
        }
    }
}

/// Locks what must not be used twice at a time.
pub(crate) fn lock<'a, T>(mutex: &'a Mutex<T>, what: &str) -> PyResult<MutexGuard<'a, T>> {
    match mutex.try_lock() {
        Ok(guard) => Ok(guard),
        Err(std::sync::TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
        Err(std::sync::TryLockError::WouldBlock) => Err(busy(what)),
    }
}

impl Board {
    /// Whether the game is over.
    pub(crate) fn is_over(&self) -> PyResult<bool> {
        guarded(|| Ok(self.line()?.ending().is_some()))
    }
}
