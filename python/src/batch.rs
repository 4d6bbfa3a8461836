//! Many games at a time, for agents that learn.

use crate::board::Board;
use crate::error::{bad, guarded};
use crate::game::{Game, GameArgument};
use jewel_engine::ability::{Game as Rules, Notation};
use jewel_engine::bitboard::Square;
use jewel_engine::chesslike::{ChessGame, ChessLike, Move, MoveTag, RuleSubset};
use jewel_engine::playout::{Playout, Step};
use jewel_engine::position::Position;
use jewel_engine::random::Random;
use jewel_engine::tactics::Tactics;
use jewel_engine::value::{Outcome, Side};
use jewel_engine::variant;
use jewel_engine::with_leanest_game;
use numpy::{
    PyArray1, PyArray2, PyArray4, PyArrayMethods, PyReadonlyArray1, PyReadwriteArray1, PyReadwriteArray2,
    PyReadwriteArray4,
};
use pyo3::prelude::*;
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::sync::Mutex;

/// The numbers of moves.
///
/// A move is where it comes from, where it goes, and what it promotes to. Blocks of squares times squares follow one another: plain
/// moves, then those with each kind of promotion. Castling moves come last.
#[derive(Clone, Debug)]
struct Actions {
    squares: usize,
    /// By piece type: the number of the block of promotions to it.
    promotions: Vec<usize>,
    /// Where the numbers of castling moves begin.
    castles: usize,
    count: usize,
}

impl Actions {
    fn new(rules: &variant::Rules) -> Actions {
        let squares = usize::from(rules.geometry.area());
        let types = rules.promotion_types();
        let mut blocks = 1;
        let promotions = (0..rules.type_count()).map(|kind| {
            let promotes = types >> kind & 1 != 0;
            blocks += usize::from(promotes);
            if promotes { blocks - 1 } else { 0 }
        });
        let promotions: Vec<usize> = promotions.collect();
        let castles = blocks * squares * squares;
        Actions { squares, promotions, castles, count: castles + rules.castles.len() }
    }

    fn of(&self, mv: Move) -> u32 {
        let block = match mv.tag() {
            MoveTag::Castle(number) => return (self.castles + usize::from(number)) as u32,
            MoveTag::Promotion(kind) => self.promotions[usize::from(kind)],
            _ => 0,
        };
        ((block * self.squares + mv.from.index()) * self.squares + mv.to.index()) as u32
    }
}

/// One game of a batch.
#[derive(Clone)]
struct Slot<P: Position> {
    position: P,
    /// Whether the game is over, by the rules or because it was too long.
    over: bool,
    /// A legal move: the one that was drawn, or that the last check has found for its action.
    chosen: Option<P::Move>,
    /// The hashes since the last move that cannot be taken back.
    earlier: Vec<u64>,
    plies: u32,
    random: Random,
}

/// What a step did to one game.
#[derive(Clone, Copy, Default)]
struct Stepped {
    /// What the mover got.
    reward: f32,
    over: bool,
    /// Over only because it was too long.
    cut: bool,
}

/// Why a step was not made: nothing was changed.
struct Illegal {
    game: usize,
    action: i64,
}

/// A batch, whatever its game.
trait AnyBatch: Send {
    fn reset(&mut self, seed: u64);
    fn set(&mut self, game: usize, fen: &str) -> Result<(), String>;
    fn check(&mut self, actions: &[i64]) -> Result<(), Illegal>;
    /// Plays the actions of the last check.
    fn step(&mut self, rewards: &mut [f32], over: &mut [bool], cut: &mut [bool]);
    fn sample(&mut self, actions: &mut [i64]);
    fn masks(&self, masks: &mut [bool]);
    fn turns(&self, turns: &mut [bool]);
    fn planes(&self, planes: &mut [f32]);
    fn fens(&self) -> Vec<String>;
    fn moves(&self, game: usize) -> Vec<(String, u32)>;
}

struct Batch<S: RuleSubset, const N: usize> {
    game: ChessGame<'static, S, N>,
    actions: Actions,
    slots: Vec<Slot<ChessLike<'static, S, N>>>,
    max_plies: u32,
    reset: bool,
    /// Games that one thread takes at a time; more than there are for one thread.
    chunk: usize,
}

/// A position with no others before it.
fn begin<P: Position>(slot: &mut Slot<P>, position: P) {
    slot.over = position.outcome().is_some();
    slot.position = position;
    slot.chosen = None;
    slot.earlier.clear();
    slot.plies = 0;
}

fn each_move<P: Position>(position: &P, mut visit: impl FnMut(P::Move)) {
    let _: ControlFlow<()> = position.moves(|mv| {
        visit(mv);
        ControlFlow::Continue(())
    });
}

impl<S: RuleSubset, const N: usize> Batch<S, N> {
    fn new(game: ChessGame<'static, S, N>, n: usize, max_plies: u32, reset: bool, threads: usize) -> Self {
        let actions = Actions::new(game.rules());
        let slot = Slot {
            position: game.start(),
            over: false,
            chosen: None,
            earlier: Vec::new(),
            plies: 0,
            random: Random::new(0),
        };
        let chunk = if threads > 1 { n.div_ceil(threads * 4).max(16) } else { n.max(1) };
        Batch { game, actions, slots: vec![slot; n], max_plies, reset, chunk }
    }

    fn played(&self, slot: &mut Slot<ChessLike<'static, S, N>>, start: &ChessLike<'static, S, N>) -> Stepped {
        let Some(mv) = slot.chosen.take() else { return Stepped::default() };
        let mover = slot.position.side_to_move();
        let repetition = self.game.repetition();
        if repetition > 0 {
            if slot.position.is_irreversible(mv) {
                slot.earlier.clear();
            } else {
                slot.earlier.push(slot.position.zobrist_hash());
            }
        }
        slot.position.play(mv);
        slot.plies += 1;
        let mut stepped = Stepped::default();
        let outcome = slot.position.outcome().or_else(|| {
            let hash = slot.position.zobrist_hash();
            let times = 1 + slot.earlier.iter().filter(|earlier| **earlier == hash).count();
            (repetition > 0 && times >= repetition as usize).then(|| slot.position.repeated(&[]))
        });
        if let Some(outcome) = outcome {
            stepped.over = true;
            let points = match outcome {
                Outcome::Win => 1.0,
                Outcome::Draw => 0.0,
                Outcome::Loss => -1.0,
            };
            stepped.reward = if slot.position.side_to_move() == mover { points } else { -points };
        } else if slot.plies >= self.max_plies {
            (stepped.over, stepped.cut) = (true, true);
        }
        slot.over = stepped.over;
        if stepped.over && self.reset {
            begin(slot, *start);
        }
        stepped
    }
}

impl<S: RuleSubset, const N: usize> AnyBatch for Batch<S, N> {
    fn reset(&mut self, seed: u64) {
        let start = self.game.start();
        for (n, slot) in self.slots.iter_mut().enumerate() {
            slot.random = Random::stream(seed, n as u64);
            begin(slot, start);
        }
    }

    fn set(&mut self, game: usize, fen: &str) -> Result<(), String> {
        let position = self.game.parse_position(fen).map_err(|e| e.to_string())?;
        begin(&mut self.slots[game], position);
        Ok(())
    }

    fn check(&mut self, actions: &[i64]) -> Result<(), Illegal> {
        for (game, (slot, &action)) in self.slots.iter_mut().zip(actions).enumerate() {
            let is_meant = |mv: &Move| i64::from(self.actions.of(*mv)) == action;
            // Often it is the one that was drawn.
            if slot.chosen.as_ref().is_some_and(is_meant) {
                continue;
            }
            let found = |mv| if is_meant(&mv) { ControlFlow::Break(mv) } else { ControlFlow::Continue(()) };
            slot.chosen = if slot.over { None } else { slot.position.moves(found).break_value() };
            // A game that is over waits for its reset.
            if slot.chosen.is_none() && !(slot.over && !self.reset) {
                return Err(Illegal { game, action });
            }
        }
        Ok(())
    }

    fn step(&mut self, rewards: &mut [f32], over: &mut [bool], cut: &mut [bool]) {
        type Chunk<'a, T> = &'a mut [T];
        let start = self.game.start();
        let mut slots = std::mem::take(&mut self.slots);
        let this = &*self;
        let work = |(((slots, rewards), over), cut): (
            ((Chunk<'_, Slot<_>>, Chunk<'_, f32>), Chunk<'_, bool>),
            Chunk<'_, bool>,
        )| {
            for (n, slot) in slots.iter_mut().enumerate() {
                let stepped = this.played(slot, &start);
                (rewards[n], over[n], cut[n]) = (stepped.reward, stepped.over, stepped.cut);
            }
        };
        let chunk = self.chunk;
        if chunk >= slots.len() {
            work((((&mut slots, rewards), over), cut));
        } else {
            slots
                .par_chunks_mut(chunk)
                .zip(rewards.par_chunks_mut(chunk))
                .zip(over.par_chunks_mut(chunk))
                .zip(cut.par_chunks_mut(chunk))
                .for_each(work);
        }
        self.slots = slots;
    }

    fn sample(&mut self, actions: &mut [i64]) {
        for (slot, action) in self.slots.iter_mut().zip(actions) {
            slot.chosen = match slot.position.random_step(&mut slot.random) {
                Step::Move(mv) if !slot.over => Some(mv),
                _ => None,
            };
            *action = slot.chosen.map_or(-1, |mv| self.actions.of(mv).into());
        }
    }

    fn masks(&self, masks: &mut [bool]) {
        masks.fill(false);
        for (slot, mask) in self.slots.iter().zip(masks.chunks_exact_mut(self.actions.count)) {
            if !slot.over {
                each_move(&slot.position, |mv| mask[self.actions.of(mv) as usize] = true);
            }
        }
    }

    fn turns(&self, turns: &mut [bool]) {
        for (slot, turn) in self.slots.iter().zip(turns) {
            *turn = slot.position.side_to_move() == Side::White;
        }
    }

    fn planes(&self, planes: &mut [f32]) {
        planes.fill(0.0);
        let rules = self.game.rules();
        let (squares, types, rights) = (self.actions.squares, rules.type_count(), rules.castles.len());
        let count = planes_of(rules);
        for (slot, planes) in self.slots.iter().zip(planes.chunks_exact_mut(count * squares)) {
            let position = &slot.position;
            let plane = |number: usize| number * squares;
            for side in Side::BOTH {
                for kind in 0..types {
                    let from = plane(side.index() * types + kind);
                    for square in position.pieces(side, kind as u8) {
                        planes[from + square.index()] = 1.0;
                    }
                }
            }
            if position.side_to_move() == Side::White {
                planes[plane(2 * types)..][..squares].fill(1.0);
            }
            if let Some(square) = position.en_passant() {
                planes[plane(2 * types + 1) + Square::index(square)] = 1.0;
            }
            for right in 0..rights {
                if position.castling_rights() >> right & 1 != 0 {
                    planes[plane(2 * types + 2 + right)..][..squares].fill(1.0);
                }
            }
        }
    }

    fn fens(&self) -> Vec<String> {
        self.slots.iter().map(|slot| slot.position.position_text()).collect()
    }

    fn moves(&self, game: usize) -> Vec<(String, u32)> {
        let slot = &self.slots[game];
        let mut moves = Vec::new();
        if !slot.over {
            each_move(&slot.position, |mv| moves.push((slot.position.move_text(mv), self.actions.of(mv))));
        }
        moves
    }
}

/// The number of planes: pieces of each type of White and of Black, whose turn it is, *en passant*, castling rights.
fn planes_of(rules: &variant::Rules) -> usize {
    2 * rules.type_count() + 2 + rules.castles.len()
}

/// Many games of a variant file at a time, stepped together: what agents learn from.
///
/// Args:
///     game: a `Game`, or the name of one.
///     n: how many games.
///     max_plies: games of so many plies are drawn.
///     auto_reset: whether a game that is over begins anew at once.
///     threads: threads that step; 1 is best for fewer than a thousand games.
///     seed: the seed of `sample`.
///
/// Actions are whole numbers below `actions`; `moves` says which move each of them is. A step takes an array of n actions (int64)
/// and gives three arrays: what each mover got (1 for a win, 0, -1 for a loss), which games are over, and which of these only
/// because they were too long.
///
/// >>> import jewel
/// >>> env = jewel.BatchEnv("duel", 4, seed=3)
/// >>> env.actions, env.planes_shape
/// (81, (4, 3, 3))
/// >>> rewards, over, cut = env.step(env.sample())
/// >>> rewards.tolist(), over.tolist()
/// ([0.0, 0.0, 0.0, 0.0], [False, False, False, False])
/// >>> env.legal_mask().sum(axis=1).tolist()
/// [4, 4, 4, 4]
#[pyclass(frozen, module = "jewel", name = "BatchEnv")]
pub(crate) struct BatchEnv {
    game: Py<Game>,
    n: usize,
    actions: usize,
    shape: (usize, usize, usize),
    batch: Mutex<Box<dyn AnyBatch>>,
}

/// The most games of a batch.
const MAX_GAMES: usize = 1 << 22;

/// The most plies of a game.
const MAX_PLIES: u32 = 1 << 20;

/// A length that an array does not have.
fn wrong_length(what: &str, found: usize, right: usize) -> PyErr {
    bad(format_args!("{what}: {found} entries, and there are {right} games"))
}

impl BatchEnv {
    /// Runs without the global interpreter lock what needs no Python.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn AnyBatch) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        py.detach(|| {
            let mut batch = crate::board::lock(&self.batch, "batch")?;
            guarded(|| work(&mut **batch))
        })
    }

    fn game_number(&self, game: usize) -> PyResult<usize> {
        if game < self.n {
            Ok(game)
        } else {
            Err(bad(format_args!("game: {game} is not a whole number below {}", self.n)))
        }
    }
}

/// An array of booleans, rewards and so on that a method fills in: the caller's, or a new one.
type Steps<'py> = (Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<bool>>, Bound<'py, PyArray1<bool>>);

#[pymethods]
impl BatchEnv {
    #[new]
    #[pyo3(signature = (game, n, *, max_plies=1000, auto_reset=true, threads=1, seed=1))]
    fn new(
        py: Python<'_>,
        game: GameArgument<'_>,
        n: usize,
        max_plies: u32,
        auto_reset: bool,
        threads: usize,
        seed: u64,
    ) -> PyResult<BatchEnv> {
        let game = game.game(py)?;
        let Ok(rules) = game.get().any.rules() else {
            let id = game.get().any.card().id;
            return Err(bad(format_args!("{id} is not a game of a variant file: BatchEnv is for those")));
        };
        // A drop has a type beside its square, which the numbers of moves have no room for.
        if rules.hand.is_some() {
            return Err(bad(format_args!("{}: BatchEnv has no actions for pieces in hand", rules.id)));
        }
        // Who gave the checks is not kept.
        if rules.perpetual_check_loses {
            return Err(bad(format_args!("{}: BatchEnv does not know who gives perpetual check", rules.id)));
        }
        for (name, number, most) in [
            ("n", n, MAX_GAMES),
            ("max_plies", max_plies as usize, MAX_PLIES as usize),
            ("threads", threads, 1024),
        ] {
            if number == 0 || number > most {
                return Err(bad(format_args!("{name}: {number} is not a whole number from 1 to {most}")));
            }
        }
        let batch: Box<dyn AnyBatch> = guarded(|| {
            let mut batch: Box<dyn AnyBatch> = with_leanest_game!(rules, game => {
                Box::new(Batch::new(game, n, max_plies, auto_reset, threads))
            });
            batch.reset(seed);
            Ok(batch)
        })?;
        let geometry = rules.geometry;
        let shape = (planes_of(rules), usize::from(geometry.height()), usize::from(geometry.width()));
        let actions = Actions::new(rules).count;
        Ok(BatchEnv { game: game.unbind(), n, actions, shape, batch: Mutex::new(batch) })
    }

    /// The game.
    #[getter]
    fn game(&self, py: Python<'_>) -> Py<Game> {
        self.game.clone_ref(py)
    }

    /// The number of actions: legal ones are below it.
    #[getter]
    fn actions(&self) -> usize {
        self.actions
    }

    /// The shape of the planes of one game: planes, ranks, files. There is a plane for each piece type of White and of Black,
    /// one that is full when it is White's turn, one of the square that may be captured on *en passant*, and one for each
    /// castling right. Rank 1 comes first.
    #[getter]
    fn planes_shape(&self) -> (usize, usize, usize) {
        self.shape
    }

    /// Begins all games anew.
    #[pyo3(signature = (seed=1))]
    fn reset(&self, py: Python<'_>, seed: u64) -> PyResult<()> {
        self.with(py, |batch| {
            batch.reset(seed);
            Ok(())
        })
    }

    /// Sets one game to a position: a `Board`, whose moves are forgotten, or a position string.
    ///
    /// Raises:
    ///     ValueError: the position string is wrong, or there is no such game.
    fn set_fen(&self, py: Python<'_>, game: usize, fen: &str) -> PyResult<()> {
        let game = self.game_number(game)?;
        self.with(py, |batch| batch.set(game, fen).map_err(bad))
    }

    /// Plays an action in each game. Without `auto_reset`, the actions of games that are over do not matter.
    ///
    /// Raises:
    ///     ValueError: an action is not legal: of which game. No game is changed.
    fn step<'py>(&self, py: Python<'py>, actions: PyReadonlyArray1<'py, i64>) -> PyResult<Steps<'py>> {
        let actions = actions.as_slice()?;
        if actions.len() != self.n {
            return Err(wrong_length("actions", actions.len(), self.n));
        }
        let rewards = PyArray1::<f32>::zeros(py, self.n, false);
        let [over, cut] = [0, 1].map(|_| PyArray1::<bool>::zeros(py, self.n, false));
        {
            let (mut r, mut o, mut c): (
                PyReadwriteArray1<'_, f32>,
                PyReadwriteArray1<'_, bool>,
                PyReadwriteArray1<'_, bool>,
            ) = (rewards.readwrite(), over.readwrite(), cut.readwrite());
            let (r, o, c) = (r.as_slice_mut()?, o.as_slice_mut()?, c.as_slice_mut()?);
            self.with(py, |batch| {
                batch.check(actions).map_err(|Illegal { game, action }| {
                    bad(format_args!("action {action} of game {game} is not legal: see moves({game})"))
                })?;
                batch.step(r, o, c);
                Ok(())
            })?;
        }
        Ok((rewards, over, cut))
    }

    /// A legal action for each game, drawn at random (int64); -1 where the game is over.
    fn sample<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let actions = PyArray1::<i64>::zeros(py, self.n, false);
        {
            let mut array = actions.readwrite();
            let slice = array.as_slice_mut()?;
            self.with(py, |batch| {
                batch.sample(slice);
                Ok(())
            })?;
        }
        Ok(actions)
    }

    /// Which actions are legal: an array of n rows of booleans. With `out`, that array is filled in and returned.
    #[pyo3(signature = (out=None))]
    fn legal_mask<'py>(
        &self,
        py: Python<'py>,
        out: Option<Bound<'py, PyArray2<bool>>>,
    ) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let masks = out.unwrap_or_else(|| PyArray2::<bool>::zeros(py, [self.n, self.actions], false));
        {
            let mut array: PyReadwriteArray2<'_, bool> = masks.try_readwrite().map_err(bad)?;
            let slice = array.as_slice_mut()?;
            if slice.len() != self.n * self.actions {
                return Err(bad(format_args!("out: its shape must be ({}, {})", self.n, self.actions)));
            }
            self.with(py, |batch| {
                batch.masks(slice);
                Ok(())
            })?;
        }
        Ok(masks)
    }

    /// Whose turn it is: an array of booleans, true for White.
    fn turns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let turns = PyArray1::<bool>::zeros(py, self.n, false);
        {
            let mut array = turns.readwrite();
            let slice = array.as_slice_mut()?;
            self.with(py, |batch| {
                batch.turns(slice);
                Ok(())
            })?;
        }
        Ok(turns)
    }

    /// The boards as planes of zeros and ones (float32); see `planes_shape`. With `out`, that array is filled in and returned.
    #[pyo3(signature = (out=None))]
    fn planes<'py>(
        &self,
        py: Python<'py>,
        out: Option<Bound<'py, PyArray4<f32>>>,
    ) -> PyResult<Bound<'py, PyArray4<f32>>> {
        let (count, height, width) = self.shape;
        let planes = out.unwrap_or_else(|| PyArray4::<f32>::zeros(py, [self.n, count, height, width], false));
        {
            let mut array: PyReadwriteArray4<'_, f32> = planes.try_readwrite().map_err(bad)?;
            let slice = array.as_slice_mut()?;
            if slice.len() != self.n * count * height * width {
                return Err(bad(format_args!(
                    "out: its shape must be ({}, {count}, {height}, {width})",
                    self.n
                )));
            }
            self.with(py, |batch| {
                batch.planes(slice);
                Ok(())
            })?;
        }
        Ok(planes)
    }

    /// The position strings of all games.
    fn fens(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, |batch| Ok(batch.fens()))
    }

    /// The position of a game as a board of its own, without the moves before it.
    fn board(&self, py: Python<'_>, game: usize) -> PyResult<Board> {
        let game = self.game_number(game)?;
        let fen = self.with(py, |batch| Ok(batch.fens().swap_remove(game)))?;
        Board::at(self.game.bind(py).clone(), Some(&fen), &[])
    }

    /// The legal moves of a game with their actions.
    ///
    /// >>> import jewel
    /// >>> jewel.BatchEnv("duel", 1).moves(0)
    /// {'c1a1': 18, 'c1b1': 19, 'c1c2': 23, 'c1c3': 26}
    fn moves<'py>(&self, py: Python<'py>, game: usize) -> PyResult<Bound<'py, pyo3::types::PyDict>> {
        let game = self.game_number(game)?;
        let dict = pyo3::types::PyDict::new(py);
        for (mv, action) in self.with(py, |batch| Ok(batch.moves(game)))? {
            dict.set_item(mv, action)?;
        }
        Ok(dict)
    }

    fn __len__(&self) -> usize {
        self.n
    }

    fn __repr__(&self) -> String {
        format!("BatchEnv('{}', {})", self.game.get().any.card().id, self.n)
    }
}
