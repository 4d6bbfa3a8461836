//! Solving one class, once its children are solved.

use super::monitor::{BuildError, Monitor, Stage};
use super::scratch::{self, Content, Files, Saved, Stamp};
use crate::retrograde::bounds::{BoundBuffers, Bounds};
use crate::retrograde::bytes::{Arena, Bytes};
use crate::retrograde::class::Class;
use crate::retrograde::double_steps::{DoubleStep, DoubleSteps};
use crate::retrograde::game::GameData;
use crate::retrograde::layout::Layout;
use crate::retrograde::moves::{Moves, SliceSide};
use crate::retrograde::simd::PAD;
use crate::retrograde::solved::{Solved, SolvedValues, Table, Values};
use crate::retrograde::sweep::{State, SweepResult};
use crate::retrograde::value::bound_of;
use crate::retrograde::visit::{MateBounds, Visitor};
use jewel_engine::parallel::{self, Shared};
use jewel_engine::value::Side;
use jewel_tables::value::MAX_DISTANCE as MAX_LENGTH;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Values and lower bounds of a slice with one side to move.
type Pair = (Bytes, Bytes);

/// A class to be solved.
#[derive(Clone)]
pub(super) struct Task<'a> {
    pub(super) game: &'a GameData<'a>,
    pub(super) layout: &'a Layout,
    /// Classes that are solved, its children among them.
    pub(super) solved: &'a Solved,
    /// The files of its values.
    pub(super) files: Files<'a>,
    pub(super) stamp: Stamp,
    /// How often intermediate values are saved.
    pub(super) checkpoint: Duration,
    /// Whether to keep slices in a file while no thread works on them.
    pub(super) on_disk: bool,
    /// The slices that are solved here: all of them, or the share of a rank.
    pub(super) kept: &'a (dyn Fn(usize) -> bool + Sync),
}

impl Task<'_> {
    /// Solves the class and leaves its values in its files.
    pub(super) fn run(&self, monitor: &Monitor<'_>) -> Result<Values, BuildError> {
        if self.game.squares <= 32 { self.run_with::<32>(monitor) } else { self.run_with::<64>(monitor) }
    }

    fn run_with<const N: usize>(&self, monitor: &Monitor<'_>) -> Result<Values, BuildError> {
        let moves = Moves::new(self.game, self.layout, self.kept);
        let arena = self.arena()?;
        let bytes = self.bounds::<N>(&moves, monitor, &arena)?;
        self.solved.release();
        let state = State::new(self.layout, bytes);
        self.begin(&state);
        self.double_steps::<N>(&state, &moves, 0);
        self.find_mates(&state, &Visitor::<N>::new(self.layout, &moves));
        for window in 0.. {
            self.sweep::<N>(&state, &moves, window, monitor)?;
            let beyond = state.truncate(self.stamp.span);
            // A game that lasts long in a child may last long here.
            let last = !beyond && self.children_end_by(window);
            self.save(&state, Content::Window(window, last), &self.files.window(window))?;
            if last {
                break;
            }
            if window == 0 {
                self.save(&state, Content::Partial, &self.files.partial())?;
            }
            self.next_window::<N>(&state, &moves, window + 1, monitor)?;
        }
        drop(state);
        self.files.remove_partial()?;
        scratch::open_windows(&self.files, self.stamp, self.layout).ok_or_else(|| {
            let wrong = std::io::Error::other("what was written reads differently");
            BuildError::io(&self.files.window(0), wrong)
        })
    }

    /// Decides positions without a legal move, in games with a royal piece.
    pub(super) fn find_mates<const N: usize>(&self, state: &State, visitor: &Visitor<'_, N>) {
        if self.game.royal.is_some() {
            let bounds = MateBounds {
                checkmate: bound_of(self.game.checkmate),
                stalemate: bound_of(self.game.stalemate),
            };
            state.find_mates(visitor, bounds);
        }
    }

    /// Whether the games of the children last for no more windows than this one and those before it.
    pub(super) fn children_end_by(&self, window: usize) -> bool {
        self.children().all(|child| child.1.values.windows() <= window + 1)
    }

    /// Memory, or a file where that would be too much.
    pub(super) fn arena(&self) -> Result<Arena, BuildError> {
        if !self.on_disk {
            return Ok(Arena::Memory);
        }
        let path = self.files.slices();
        Arena::on_disk(&path).map_err(|e| BuildError::io(&path, e))
    }

    /// The classes that this one needs, with their tables.
    fn children(&self) -> impl Iterator<Item = (Class, &Table)> {
        let classes = self.layout.class.children(self.game).into_iter().map(|c| c.stored(self.game).0);
        classes.filter_map(|class| Some((class, self.solved.table(class)?)))
    }

    fn save(&self, state: &State, content: Content, path: &Path) -> Result<(), BuildError> {
        let stamp = Stamp { content, ..self.stamp };
        scratch::save(path, stamp, self.layout, state).map_err(|e| BuildError::io(path, e))
    }

    /// Begins a window: games that last longer than those before.
    pub(super) fn next_window<const N: usize>(
        &self,
        state: &State,
        moves: &Moves,
        window: usize,
        monitor: &Monitor<'_>,
    ) -> Result<(), BuildError> {
        // Every distance of the window, and of a capture before it, must be one that a table can hold.
        if (window + 1) * usize::from(self.stamp.span) >= MAX_LENGTH as usize {
            return Err(BuildError::TooFar { class: self.files.name().to_string(), plies: MAX_LENGTH });
        }
        for (class, table) in self.children() {
            let name = class.name(self.game.rules);
            scratch::settle(&table.values, window, &self.files.of(&name))?;
        }
        let bounds = Bounds::<N>::new(self.solved_values(window), self.layout, moves);
        state.advance(|slice, turn, bytes| {
            monitor.check()?;
            bounds.slice(&self.layout.slices[slice], turn, &mut BoundBuffers::default(), bytes);
            Ok::<(), BuildError>(())
        })?;
        self.double_steps::<N>(state, moves, window);
        self.solved.release();
        Ok(())
    }

    fn solved_values(&self, window: usize) -> SolvedValues<'_> {
        SolvedValues { game: self.game, solved: self.solved, window }
    }

    /// Looks up the captures *en passant* that may answer double steps.
    pub(super) fn double_steps<const N: usize>(&self, state: &State, moves: &Moves, window: usize) {
        let solved = self.solved_values(window);
        if let Some(steps) = DoubleSteps::new(solved, self.layout, moves, self.stamp.span) {
            state.set_double_steps(|slice, turn| steps.list(slice, turn, N));
        }
    }

    /// The same for a slice of another rank: those that lead to slices that are kept here.
    pub(super) fn double_steps_from<const N: usize>(
        &self,
        (slice, turn): SliceSide,
        moves: &Moves,
        window: usize,
    ) -> Vec<DoubleStep> {
        let steps = DoubleSteps::new(self.solved_values(window), self.layout, moves, self.stamp.span);
        steps.map_or(vec![], |steps| steps.list(slice as usize, turn, N))
    }

    /// Room for values, and the lower bounds, by slice and side to move; `None` for slices that are not kept here.
    pub(super) fn bounds<const N: usize>(
        &self,
        moves: &Moves,
        monitor: &Monitor<'_>,
        arena: &Arena,
    ) -> Result<Vec<Option<[Pair; 2]>>, BuildError> {
        let bounds = Bounds::<N>::new(self.solved_values(0), self.layout, moves);
        let slices = &self.layout.slices;
        let out: Vec<[Mutex<Option<Pair>>; 2]> = slices.iter().map(|_| Default::default()).collect();
        let failed = |e| BuildError::io(self.files.folder, e);
        let tasks: Vec<usize> = (0..2 * slices.len()).filter(|k| (self.kept)(k / 2)).collect();
        let buffers = Shared::new(BoundBuffers::default);
        parallel::try_each(tasks.len(), |n| {
            monitor.check()?;
            let k = tasks[n];
            let (slice, turn) = (&slices[k / 2], k % 2);
            let length = slice.bytes as usize + PAD;
            let mut bound = arena.bytes(length).map_err(failed)?;
            buffers.with(|buffers| bounds.slice(slice, Side::BOTH[turn], buffers, &mut bound));
            bound.release();
            monitor.tell(self.files.name(), Stage::Captures, slice.bytes);
            let pair = (arena.bytes(length).map_err(failed)?, bound);
            *out[k / 2][turn].lock().unwrap_or_else(|e| e.into_inner()) = Some(pair);
            Ok::<(), BuildError>(())
        })?;
        let take = |m: Mutex<Option<Pair>>| m.into_inner().unwrap_or_else(|e| e.into_inner());
        let pair = |[white, black]: [Mutex<Option<Pair>>; 2]| Some([take(white)?, take(black)?]);
        Ok(out.into_iter().map(pair).collect())
    }

    /// Sets the first values: those of an earlier run, if it left any.
    pub(super) fn begin(&self, state: &State) {
        let saved = Saved::open(&self.files, self.stamp, self.layout);
        state.begin(|slice, turn, cells| {
            let values = saved.slice(self.layout, slice, turn);
            values.inspect(|values| cells.copy_from_slice(values)).is_some()
        });
    }

    fn sweep<const N: usize>(
        &self,
        state: &State,
        moves: &Moves,
        window: usize,
        monitor: &Monitor<'_>,
    ) -> Result<(), BuildError> {
        let visitor = Visitor::<N>::new(self.layout, moves);
        let mut saved = Instant::now();
        for number in 1.. {
            let tell = |cells| monitor.tell(self.files.name(), Stage::Sweep(number), cells);
            let swept = state.sweep(&visitor, monitor.interrupt, &tell);
            if swept == SweepResult::Settled {
                return Ok(());
            }
            // Only the first window is resumed: later ones begin anew from it.
            if window == 0 && (swept == SweepResult::Interrupted || saved.elapsed() >= self.checkpoint) {
                self.save(state, Content::Partial, &self.files.partial())?;
                saved = Instant::now();
            }
            monitor.check()?;
        }
        Ok(())
    }
}
