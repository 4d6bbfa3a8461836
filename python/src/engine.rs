//! Searchers and other players.

use crate::board::{Board, lock};
use crate::error::{bad, failed, guarded, of_path};
use crate::game::{Game, GameArgument, word};
use crate::work::interruptible;
use jewel_engine::random::Random;
use jewel_players::engine::{Engine as Searching, GameAt};
use jewel_players::options::{Algorithm, Options};
use jewel_players::player::{Budget, Player as AnyPlayer, Turn};
use jewel_players::score::ScoreObject;
use jewel_players::spec::{Kind, PlayerSpec};
use jewel_search::control::Stop;
use jewel_search::limits::Limits;
use jewel_search::report::{Bound as Bounded, Info};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::Sender;
use std::time::Duration;

/// Bounds on a search, as in python-chess: it ends at the first that is reached.
///
/// Args:
///     time: seconds for the move.
///     depth: plies.
///     nodes: positions.
///     playouts: simulations; for Monte Carlo tree search alone.
///
/// >>> import jewel
/// >>> jewel.Limit(depth=6)
/// Limit(time=None, depth=6, nodes=None, playouts=None)
#[pyclass(frozen, module = "jewel", get_all, from_py_object)]
#[derive(Clone)]
pub(crate) struct Limit {
    /// Seconds for the move.
    time: Option<f64>,
    /// Plies.
    depth: Option<u32>,
    /// Positions.
    nodes: Option<u64>,
    /// Simulations.
    playouts: Option<u64>,
}

#[pymethods]
impl Limit {
    #[new]
    #[pyo3(signature = (time=None, depth=None, nodes=None, playouts=None))]
    fn new(
        time: Option<f64>,
        depth: Option<u32>,
        nodes: Option<u64>,
        playouts: Option<u64>,
    ) -> PyResult<Limit> {
        if let Some(seconds) = time.filter(|seconds| !(*seconds >= 0.0 && *seconds <= 1e9)) {
            return Err(bad(format_args!("time: {seconds} is not a number of seconds from 0 to a billion")));
        }
        if time.is_none() && depth.is_none() && nodes.is_none() && playouts.is_none() {
            return Err(bad("a limit is missing: give time, depth, nodes or playouts"));
        }
        Ok(Limit { time, depth, nodes, playouts })
    }

    fn __repr__(&self) -> String {
        fn text<T: std::fmt::Debug>(value: Option<T>) -> String {
            value.map_or("None".to_string(), |value| format!("{value:?}"))
        }
        let [time, depth] = [text(self.time), text(self.depth)];
        let [nodes, playouts] = [text(self.nodes), text(self.playouts)];
        format!("Limit(time={time}, depth={depth}, nodes={nodes}, playouts={playouts})")
    }
}

impl Limit {
    fn movetime(&self) -> Option<Duration> {
        self.time.map(Duration::from_secs_f64)
    }

    fn limits(&self, search_moves: Vec<String>, multipv: u32) -> Limits<String> {
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            playouts: self.playouts,
            movetime: self.movetime(),
            search_moves,
            multipv,
            ..Limits::default()
        }
    }

    fn budget(&self) -> Budget {
        let movetime = self.movetime();
        Budget { depth: self.depth, nodes: self.nodes, playouts: self.playouts, movetime, clocks: None }
    }
}

/// A line of a search as a dictionary, with the keys of python-chess.
fn info_dict<'py>(py: Python<'py>, info: &Info<String>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let seconds = info.elapsed.as_secs_f64();
    dict.set_item("multipv", info.multipv)?;
    dict.set_item("score", score_dict(py, info)?)?;
    dict.set_item("proven", info.proven)?;
    dict.set_item("lowerbound", info.bound == Bounded::Lower)?;
    dict.set_item("upperbound", info.bound == Bounded::Upper)?;
    dict.set_item("pv", &info.pv)?;
    dict.set_item("depth", info.depth)?;
    dict.set_item("seldepth", info.seldepth)?;
    dict.set_item("nodes", info.nodes)?;
    dict.set_item("time", seconds)?;
    dict.set_item("nps", if seconds > 0.0 { (info.nodes as f64 / seconds) as u64 } else { 0 })?;
    dict.set_item("hashfull", info.hashfull)?;
    dict.set_item("tbhits", info.tb_hits)?;
    dict.set_item("visits", info.visits)?;
    Ok(dict)
}

/// The score as `--json` has it.
fn score_dict<'py>(py: Python<'py>, info: &Info<String>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let object = serde_json::to_value(ScoreObject::from(info)).map_err(failed)?;
    for (key, value) in object.as_object().into_iter().flatten() {
        match value {
            serde_json::Value::String(text) => dict.set_item(key, text)?,
            serde_json::Value::Bool(yes) => dict.set_item(key, *yes)?,
            serde_json::Value::Number(number) => match number.as_i64() {
                Some(whole) => dict.set_item(key, whole)?,
                None => dict.set_item(key, number.as_f64())?,
            },
            _ => {}
        }
    }
    Ok(dict)
}

/// What `Engine.play` chose.
#[pyclass(frozen, module = "jewel", get_all)]
pub(crate) struct PlayResult {
    /// The move; ``None`` if the game has none.
    r#move: Option<String>,
    /// The reply that is expected.
    ponder: Option<String>,
    /// The best line, as `Engine.analyse` gives it.
    info: Py<PyDict>,
}

#[pymethods]
impl PlayResult {
    fn __repr__(&self) -> String {
        let text = |mv: &Option<String>| mv.as_ref().map_or("None".to_string(), |mv| format!("'{mv}'"));
        format!("PlayResult(move={}, ponder={})", text(&self.r#move), text(&self.ponder))
    }
}

/// A searcher for one game: alpha-beta search or Monte Carlo tree search. It remembers earlier searches until `forget`.
///
/// Args:
///     game: a `Game`, or the name of one.
///     algorithm: ``"ab"`` or ``"mcts"``; by default the one that suits the game.
///     threads: threads that search.
///     hash: mebibytes of the transposition table or the tree.
///     seed: the seed of all random choices.
///     tables: the folder of endgame tables to look values up in.
///     net: the file of a network that evaluates; ``"none"`` for the hand-made evaluation.
///     weights: the file of the weights of the hand-made evaluation.
///
/// Raises:
///     ValueError: an option is wrong, or the algorithm cannot play the game.
///     FileNotFoundError: a file is not there.
///     JewelError: there is not enough memory.
///
/// >>> import jewel
/// >>> engine = jewel.Engine("ambush", hash=1)
/// >>> board = jewel.Board("ambush", "n4/5/5/5/2L1N w - - 0 1")
/// >>> engine.play(board, jewel.Limit(depth=6)).move
/// 'c1c3'
/// >>> engine.analyse(board, jewel.Limit(depth=6))[0]["score"]
/// {'exact': True, 'kind': 'win', 'value': 2}
#[pyclass(frozen, module = "jewel", name = "Engine")]
pub(crate) struct Engine {
    game: Py<Game>,
    searching: Mutex<Box<dyn Searching>>,
}

/// Names of algorithms.
const ALGORITHMS: &[(&str, Algorithm)] = &[("ab", Algorithm::Ab), ("mcts", Algorithm::Mcts)];

/// The most that are accepted: as on the command line.
const MAX_THREADS: usize = 1024;
const MAX_HASH: usize = 1 << 24;

/// The final lines, best move and reply.
type Found = (Option<String>, Option<String>, Vec<Info<String>>);

impl Engine {
    fn search(
        &self,
        py: Python<'_>,
        board: &Board,
        limits: Limits<String>,
        on_info: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Found> {
        if board.game_of().any.fingerprint() != self.game.get().any.fingerprint() {
            let [own, other] = [self.game.get(), board.game_of()].map(|game| game.any.card().id);
            return Err(bad(format_args!("the engine plays {own}, and the board is of {other}")));
        }
        let mut searching = lock(&self.searching, "engine")?;
        let (first, moves) = board.story()?;
        guarded(|| searching.set_position(Some(&first), &moves).map_err(bad))?;
        for text in &limits.search_moves {
            guarded(|| searching.read_move(text).map(drop).map_err(bad))?;
        }
        let stop = Stop::new();
        let [handle, told] = [stop.clone(), stop.clone()];
        let callback = on_info.map(Bound::unbind);
        let wanted = callback.is_some();
        let searching = &mut **searching;
        let work = move |sender: Sender<Info<String>>| {
            let on_info = &mut |info: &Info<String>| {
                if wanted {
                    let _ = sender.send(info.clone());
                }
            };
            searching.search(&limits, &stop, on_info)
        };
        let each = move |py: Python<'_>, info: Info<String>| {
            if let Some(callback) = &callback {
                let answer = callback.bind(py).call1((info_dict(py, &info)?,))?;
                if answer.extract::<bool>().is_ok_and(|goes_on| !goes_on) {
                    told.stop();
                }
            }
            Ok(())
        };
        let report = interruptible(py, move || handle.stop(), work, each)?.map_err(failed)?;
        Ok((report.best, report.ponder, report.lines))
    }
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (game, algorithm=None, *, threads=1, hash=64, seed=1, tables=None, net=None, weights=None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        game: GameArgument<'_>,
        algorithm: Option<&str>,
        threads: usize,
        hash: usize,
        seed: u64,
        tables: Option<PathBuf>,
        net: Option<PathBuf>,
        weights: Option<PathBuf>,
    ) -> PyResult<Engine> {
        let game = game.game(py)?;
        let any = game.get().any;
        let algorithm = match algorithm {
            Some(typed) => word("algorithm", typed, ALGORITHMS)?,
            None => any.usual_algorithm(false),
        };
        for (name, number, most) in [("threads", threads, MAX_THREADS), ("hash", hash, MAX_HASH)] {
            if number == 0 || number > most {
                return Err(bad(format_args!("{name}: {number} is not a whole number from 1 to {most}")));
            }
        }
        let files = [&tables, &net.clone().filter(|net| net.as_os_str() != "none"), &weights];
        let missing = files.into_iter().flatten().find(|file| !file.exists()).cloned();
        let options = Options { algorithm, threads, hash, seed, tables, net, weights, ..Options::default() };
        let searching = guarded(|| {
            let mut searching = any.open();
            searching.configure(&options).map_err(|problem| match missing {
                Some(file) => of_path(&file, format_args!("{problem:#}")),
                None if problem.to_string().contains("MiB of memory") => failed(problem),
                None => bad(problem),
            })?;
            Ok(searching)
        })?;
        Ok(Engine { game: game.unbind(), searching: Mutex::new(searching) })
    }

    /// The game.
    #[getter]
    fn game(&self, py: Python<'_>) -> Py<Game> {
        self.game.clone_ref(py)
    }

    /// Searches, and returns the best lines as dictionaries, best first. Other Python threads go on meanwhile.
    ///
    /// Args:
    ///     board: the position, with the moves before it.
    ///     limit: when to end.
    ///     multipv: how many of the best moves to report with a line each.
    ///     root_moves: the moves to search; all by default.
    ///     on_info: called with each line while the search runs. If it returns ``False``, the search ends.
    ///
    /// Raises:
    ///     ValueError: the board is of another game, or a move of `root_moves` is not legal.
    ///     JewelError: the engine is searching already.
    #[pyo3(signature = (board, limit, *, multipv=1, root_moves=None, on_info=None))]
    fn analyse<'py>(
        &self,
        py: Python<'py>,
        board: &Board,
        limit: &Limit,
        multipv: u32,
        root_moves: Option<Vec<String>>,
        on_info: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let limits = limit.limits(root_moves.unwrap_or_default(), multipv);
        let (_, _, lines) = self.search(py, board, limits, on_info)?;
        lines.iter().map(|line| info_dict(py, line)).collect()
    }

    /// Searches, and returns the move to play.
    ///
    /// Raises:
    ///     As `analyse`.
    #[pyo3(signature = (board, limit, *, root_moves=None))]
    fn play(
        &self,
        py: Python<'_>,
        board: &Board,
        limit: &Limit,
        root_moves: Option<Vec<String>>,
    ) -> PyResult<PlayResult> {
        let limits = limit.limits(root_moves.unwrap_or_default(), 1);
        let (best, ponder, lines) = self.search(py, board, limits, None)?;
        let info = lines.first().map_or_else(|| Ok(PyDict::new(py)), |line| info_dict(py, line))?;
        Ok(PlayResult { r#move: best, ponder, info: info.unbind() })
    }

    /// Forgets all earlier searches.
    fn forget(&self) -> PyResult<()> {
        let mut searching = lock(&self.searching, "engine")?;
        guarded(|| {
            searching.forget();
            Ok(())
        })
    }

    fn __repr__(&self) -> String {
        format!("Engine('{}')", self.game.get().any.card().id)
    }
}

/// A player of a tournament: any that `jewel tournament` knows, described in the same words.
///
/// Args:
///     game: a `Game`, or the name of one.
///     spec: such as ``"ab,nodes=5000"``, ``"mcts,playouts=500"``, ``"greedy"``, ``"random,seed=7"`` or
///         ``"table,tables=DIR,fallback=random"``.
///
/// Raises:
///     ValueError: the text does not make a player.
///     JewelError: its files or tables cannot be used.
///
/// >>> import jewel
/// >>> player = jewel.Player("duel", "random,seed=3")
/// >>> player.name
/// 'random'
/// >>> player(jewel.Board("duel")) in jewel.Board("duel").legal_moves
/// True
#[pyclass(frozen, module = "jewel", name = "Player")]
pub(crate) struct Player {
    game: Py<Game>,
    spec: PlayerSpec,
    player: Mutex<Box<dyn AnyPlayer>>,
}

impl Player {
    fn with_line<T: Send>(
        &self,
        py: Python<'_>,
        board: &Board,
        work: impl FnOnce(&mut dyn AnyPlayer, &mut dyn GameAt, &Stop) -> Result<T, String> + Send,
    ) -> PyResult<T> {
        let mut player = lock(&self.player, "player")?;
        let mut line = board.twin()?;
        let stop = Stop::new();
        let handle = stop.clone();
        let player = &mut **player;
        let run = move |_: Sender<()>| work(player, &mut *line, &stop);
        let name = self.spec.name();
        interruptible(py, move || handle.stop(), run, |_, ()| Ok(()))?
            .map_err(|fault| failed(format_args!("{name} {fault}")))
    }
}

#[pymethods]
impl Player {
    #[new]
    fn new(py: Python<'_>, game: GameArgument<'_>, spec: &str) -> PyResult<Player> {
        let game = game.game(py)?;
        let (spec, player) = guarded(|| {
            let spec: PlayerSpec = spec.parse().map_err(bad)?;
            if spec.kind() == Kind::Human {
                return Err(bad("a player of kind human needs a terminal: write a function that asks"));
            }
            let player = spec.build(&game.get().any).map_err(failed)?;
            Ok((spec, player))
        })?;
        Ok(Player { game: game.unbind(), spec, player: Mutex::new(player) })
    }

    /// The game.
    #[getter]
    fn game(&self, py: Python<'_>) -> Py<Game> {
        self.game.clone_ref(py)
    }

    /// The name: as given by ``name=``, or the kind.
    #[getter]
    fn name(&self) -> &str {
        self.spec.name()
    }

    /// Whether it would think without end where nothing limits it.
    #[getter]
    fn needs_limit(&self) -> bool {
        self.spec.needs_limit()
    }

    /// Prepares for a new game, which starts at `board`: nothing of earlier games may influence its moves.
    #[pyo3(signature = (board, seed=0))]
    fn new_game(&self, py: Python<'_>, board: &Board, seed: u64) -> PyResult<()> {
        self.with_line(py, board, |player, line, _| {
            player.new_game(line, seed).map_err(|fault| fault.to_string())
        })
    }

    /// Chooses a move, within its own limits and `limit`. Where dice decide, they are thrown by `seed`.
    ///
    /// Raises:
    ///     ValueError: neither it nor `limit` limits its search.
    ///     JewelError: it has no move to offer.
    #[pyo3(signature = (board, limit=None, *, seed=0))]
    fn choose(&self, py: Python<'_>, board: &Board, limit: Option<&Limit>, seed: u64) -> PyResult<String> {
        let budget = limit.map_or_else(Budget::default, Limit::budget);
        if self.spec.needs_limit() && budget.is_unlimited() {
            return Err(bad(format_args!(
                "player \"{}\": it would think without end: give it nodes, playouts, depth or time",
                self.spec.name()
            )));
        }
        if board.is_over()? {
            return Err(bad("the game is over: no moves"));
        }
        self.with_line(py, board, |player, line, stop| {
            let choice = player.choose(&Turn { line, budget: &budget }, stop).map_err(|e| e.to_string())?;
            let plies = line.plies();
            choice.play(line, &mut Random::new(seed)).map_err(|fault| fault.to_string())?;
            // In games whose turns have several plies, a turn is one text.
            let played = line.played_from(plies);
            Ok(if played.len() == 1 { played.concat() } else { choice.mv })
        })
    }

    /// As `choose`: a player is a function from boards to moves.
    fn __call__(&self, py: Python<'_>, board: &Board) -> PyResult<String> {
        self.choose(py, board, None, 0)
    }

    fn __repr__(&self) -> String {
        format!("Player('{}', {:?})", self.game.get().any.card().id, self.spec.to_string())
    }
}
