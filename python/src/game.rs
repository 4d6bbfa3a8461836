//! Games.

use crate::board::Board;
use crate::error::{bad, failed, guarded, of_path};
use jewel_engine::ability::{Game as _, Notation, Symmetric};
use jewel_engine::random::Random;
use jewel_players::catalogue::{AnyGame, Card, catalogue, variant_file};
use jewel_players::with_game;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::{Path, PathBuf};

/// A game: one that comes with the program, by name, or one of a variant file.
///
/// Args:
///     name: an id such as ``"ambush"``, with parameters as ``"id:key=value"``, or the path of a variant file.
///
/// Raises:
///     ValueError: there is no such game, or the variant file has a mistake.
///     FileNotFoundError: the variant file is not there.
///
/// >>> import jewel
/// >>> game = jewel.Game("ambush")
/// >>> game.name
/// 'Ambush in the Forest'
/// >>> game.start_fen
/// 'nqlqn/5/5/5/NQLQN b - - 0 1'
/// >>> game
/// Game('ambush')
#[pyclass(frozen, module = "jewel", name = "Game")]
pub(crate) struct Game {
    pub(crate) any: AnyGame,
    card: Card,
    source: Source,
}

/// Where a game comes from: enough to make it again.
enum Source {
    /// From its name.
    Name(String),
    /// From the text of a variant file, and of which one.
    Text(String, Option<PathBuf>),
}

impl Game {
    fn of(any: AnyGame, source: Source) -> Game {
        Game { any, card: any.card(), source }
    }

    pub(crate) fn named(name: &str) -> PyResult<Game> {
        if let Some(file) = variant_file(name) {
            return Game::loaded(file);
        }
        let any = guarded(|| AnyGame::resolve(name).map_err(bad))?;
        Ok(Game::of(any, Source::Name(name.to_string())))
    }

    fn loaded(file: &Path) -> PyResult<Game> {
        let any =
            guarded(|| AnyGame::load(file).map_err(|problem| of_path(file, format_args!("{problem:#}"))))?;
        let text = std::fs::read_to_string(file).map_err(|problem| of_path(file, problem))?;
        Ok(Game::of(any, Source::Text(text, Some(file.to_path_buf()))))
    }
}

/// Where a game is expected: a [`Game`], or the name of one.
#[derive(FromPyObject)]
pub(crate) enum GameArgument<'py> {
    Game(Bound<'py, Game>),
    Name(String),
}

impl<'py> GameArgument<'py> {
    pub(crate) fn game(self, py: Python<'py>) -> PyResult<Bound<'py, Game>> {
        match self {
            GameArgument::Game(game) => Ok(game),
            GameArgument::Name(name) => Bound::new(py, Game::named(&name)?),
        }
    }
}

#[pymethods]
impl Game {
    #[new]
    fn new(name: &str) -> PyResult<Game> {
        Game::named(name)
    }

    /// The game of a variant file.
    ///
    /// Raises:
    ///     FileNotFoundError: there is no such file.
    ///     ValueError: the file has a mistake: which, and on which line.
    #[staticmethod]
    fn from_file(file: PathBuf) -> PyResult<Game> {
        Game::loaded(&file)
    }

    /// The game of the text of a variant file (TOML). Its rules stay in memory as long as the program runs.
    ///
    /// Raises:
    ///     ValueError: the text has a mistake: which, and on which line.
    ///
    /// >>> import jewel
    /// >>> jewel.Game.from_toml("id = 7")
    /// Traceback (most recent call last):
    ///   ...
    /// ValueError: line 1: id: expected a string, found an integer: id = 7
    #[staticmethod]
    fn from_toml(text: &str) -> PyResult<Game> {
        let any = guarded(|| AnyGame::from_text(text).map_err(bad))?;
        Ok(Game::of(any, Source::Text(text.to_string(), None)))
    }

    /// The ids of the games that come with the program.
    ///
    /// >>> import jewel
    /// >>> "duel" in jewel.Game.ids()
    /// True
    #[staticmethod]
    fn ids() -> Vec<String> {
        catalogue().into_iter().map(|card| card.id).collect()
    }

    /// The id: what is typed to name the game.
    #[getter]
    fn id(&self) -> &str {
        &self.card.id
    }

    /// The name shown to people.
    #[getter]
    fn name(&self) -> &str {
        &self.card.name
    }

    /// The size of the board in words, such as ``"5x5"``.
    #[getter]
    fn size(&self) -> &str {
        &self.card.board
    }

    /// What a player is after.
    #[getter]
    fn objective(&self) -> &str {
        &self.card.objective
    }

    /// A sentence about the game.
    #[getter]
    fn summary(&self) -> &str {
        &self.card.summary
    }

    /// The names of the sides, of the one that python-chess calls White first.
    #[getter]
    fn sides(&self) -> PyResult<[String; 2]> {
        guarded(|| Ok(self.any.open().diagram().sides))
    }

    /// The position string of the start position.
    #[getter]
    fn start_fen(&self) -> PyResult<String> {
        guarded(|| Ok(self.any.open().fen()))
    }

    /// Whether the players see different things.
    #[getter]
    fn hides(&self) -> bool {
        self.any.hides()
    }

    /// Whether dice decide what a move does.
    #[getter]
    fn has_dice(&self) -> bool {
        self.any.has_dice()
    }

    /// Whether a variant file describes the game: tables and `BatchEnv` are for those.
    #[getter]
    fn is_variant(&self) -> bool {
        matches!(self.any, AnyGame::Variant(_))
    }

    /// A 64-bit hash of everything that bears on play: equal for games with the same rules.
    #[getter]
    fn fingerprint(&self) -> u64 {
        self.any.fingerprint()
    }

    /// The start position, or that of a position string.
    ///
    /// Raises:
    ///     ValueError: the position string is wrong.
    #[pyo3(signature = (fen=None))]
    fn board(slf: Bound<'_, Self>, fen: Option<&str>) -> PyResult<Board> {
        Board::at(slf, fen, &[])
    }

    /// A start position drawn at random, in games that begin with a deal; ``None`` in all others.
    #[pyo3(signature = (seed=1))]
    fn deal(&self, seed: u64) -> PyResult<Option<String>> {
        guarded(|| Ok(self.any.open().deal(&mut Random::new(seed))))
    }

    /// The pieces of a game of a variant file: for each type its letter, its names for both sides, and how it moves (Betza).
    ///
    /// >>> import jewel
    /// >>> jewel.Game("duel").pieces()[0]["moves"]
    /// 'WD'
    fn pieces<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let rules = self.any.rules().map_err(bad)?;
        let entry = |piece: &jewel_engine::variant::PieceSpec| {
            let entry = PyDict::new(py);
            entry.set_item("letter", piece.letter.to_string())?;
            entry.set_item("names", piece.names.clone())?;
            entry.set_item("moves", &piece.moves)?;
            entry.set_item("value", piece.value)?;
            Ok(entry)
        };
        rules.pieces.iter().map(entry).collect()
    }

    /// The images of a position under the symmetries of the rules, the position itself first: they have the same value.
    ///
    /// >>> import jewel
    /// >>> jewel.Game("duel").images("l2/3/2L w - - 0 1")[:2]
    /// ['l2/3/2L w - - 0 1', '2l/3/L2 w - - 0 1']
    fn images(&self, fen: &str) -> PyResult<Vec<String>> {
        fn of<P: Notation + Symmetric>(position: &P) -> Vec<String> {
            let images = position.symmetries().into_iter();
            let images = images.filter_map(|(symmetry, exchange)| position.transformed(symmetry, exchange));
            let mut texts: Vec<String> = Vec::new();
            for text in images.map(|image| image.position_text()) {
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
            texts
        }
        guarded(|| {
            let images: anyhow::Result<Vec<String>> = with_game!(self.any, game => {
                game.parse_position(fen).map(|position| of(&position)).map_err(|e| anyhow::anyhow!("{e}"))
            });
            images.map_err(bad)
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let class = py.get_type::<Game>().into_any();
        Ok(match &self.source {
            Source::Name(name) => (class, (name.clone(),)),
            Source::Text(text, _) => (class.getattr("from_toml")?, (text.clone(),)),
        })
    }

    fn __eq__(&self, other: &Game) -> bool {
        self.card.id == other.card.id && self.any.fingerprint() == other.any.fingerprint()
    }

    fn __hash__(&self) -> u64 {
        self.any.fingerprint()
    }

    fn __repr__(&self) -> String {
        match &self.source {
            Source::Text(_, Some(file)) => format!("Game.from_file({:?})", file.display().to_string()),
            Source::Text(_, None) => format!("<Game '{}' of a text>", self.card.id),
            Source::Name(name) => format!("Game('{name}')"),
        }
    }
}

/// The longest perft or line may be asked for; anything else is a mistake.
pub(crate) fn depth_of(depth: u32) -> PyResult<u32> {
    if depth > 1000 { Err(bad(format_args!("depth: {depth} is more than 1000"))) } else { Ok(depth) }
}

/// What a closed set of words allows.
pub(crate) fn word<T: Copy>(what: &str, typed: &str, words: &[(&str, T)]) -> PyResult<T> {
    let found = words.iter().find(|(word, _)| *word == typed).map(|(_, value)| *value);
    let known: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
    found.ok_or_else(|| {
        let typed = jewel_players::support::words::shortened(typed);
        bad(format_args!("{what}: \"{typed}\" is not {}", jewel_players::support::words::any_of(&known)))
    })
}

/// The error of an object that another thread, or a callback, is using.
pub(crate) fn busy(what: &str) -> PyErr {
    failed(format_args!("the {what} is busy: a call of it has not come back yet"))
}

impl Game {
    /// Whether a position string is one of the game.
    pub(crate) fn board_of(&self, fen: &str) -> PyResult<()> {
        guarded(|| self.any.open().set_position(Some(fen), &[]).map_err(bad))
    }
}
