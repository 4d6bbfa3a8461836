//! One class from its children.

use super::build::{BuildError, Monitor, Stage};
use super::scratch::{self, Files, Stamp};
use crate::retrograde::bytes::{Arena, Bytes};
use crate::retrograde::class::Class;
use crate::retrograde::en_passant::Answers;
use crate::retrograde::floor::{self, FloorScratch, Floors};
use crate::retrograde::layout::Layout;
use crate::retrograde::mechanics::Mechanics;
use crate::retrograde::moves::Moves;
use crate::retrograde::simd::PAD;
use crate::retrograde::solved::{Known, Solved, Table, Values};
use crate::retrograde::sweep::{State, Swept};
use crate::retrograde::visit::{Ends, Visitor};
use jewel_tables::value::MAX_DISTANCE as MAX_LENGTH;
use rayon::prelude::*;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Values and floors of a slice for one side to move.
type Pair = (Bytes, Bytes);

/// A class to be solved.
pub(super) struct Task<'a> {
    pub(super) game: &'a Mechanics<'a>,
    pub(super) layout: &'a Layout,
    /// Its children.
    pub(super) solved: &'a Solved,
    /// Where its values go, when it is done and on the way.
    pub(super) files: Files<'a>,
    pub(super) stamp: Stamp,
    /// How often they are saved on the way.
    pub(super) checkpoint: Duration,
    /// Whether to keep slices in a file while they are not worked on.
    pub(super) on_disk: bool,
}

impl Task<'_> {
    /// Solves the class and leaves its values in the files of finished ones.
    pub(super) fn run(&self, monitor: &Monitor<'_>) -> Result<Values, BuildError> {
        if self.game.squares <= 32 { self.run_with::<32>(monitor) } else { self.run_with::<64>(monitor) }
    }

    fn run_with<const N: usize>(&self, monitor: &Monitor<'_>) -> Result<Values, BuildError> {
        let moves = Moves::new(self.game, self.layout);
        let arena = self.arena()?;
        let floors = self.floors::<N>(&moves, monitor, &arena)?;
        self.solved.rest();
        let state = State::new(self.layout, floors);
        self.begin(&state)?;
        self.answer::<N>(&state, &moves, 0);
        if self.game.royal.is_some() {
            let ends = Ends {
                checkmate: floor::over(self.game.checkmate),
                stalemate: floor::over(self.game.stalemate),
            };
            state.find_mates(&Visitor::<N>::new(self.layout, &moves), ends);
        }
        for window in 0.. {
            self.sweep::<N>(&state, &moves, window, monitor)?;
            let beyond = state.truncate(self.stamp.span);
            // What lasts long in a child may last long here.
            let last = !beyond && self.children().all(|child| child.1.values.windows() <= window + 1);
            self.save(&state, scratch::Stage::Plane(window, last), &self.files.plane(window))?;
            if last {
                break;
            }
            if window == 0 {
                self.save(&state, scratch::Stage::Partial, &self.files.partial())?;
            }
            self.next_window::<N>(&state, &moves, window + 1, monitor)?;
        }
        drop(state);
        let partial = self.files.partial();
        scratch::remove(&partial).map_err(|e| BuildError::io(&partial, e))?;
        scratch::open_planes(&self.files, self.stamp, self.layout).ok_or_else(|| {
            let wrong = std::io::Error::other("what was written reads differently");
            BuildError::io(&self.files.plane(0), wrong)
        })
    }

    /// Memory, or a file where that would be too much.
    fn arena(&self) -> Result<Arena, BuildError> {
        if !self.on_disk {
            return Ok(Arena::Memory);
        }
        let halves = self.layout.slices.iter().map(|slice| 4 * (slice.bytes + PAD as u64));
        let path = self.files.slices();
        Arena::on_disk(&path, halves.sum()).map_err(|e| BuildError::io(&path, e))
    }

    /// The classes that this one needs, with their tables.
    fn children(&self) -> impl Iterator<Item = (Class, &Table)> {
        let classes = self.layout.class.children(self.game).into_iter().map(|c| c.stored(self.game).0);
        classes.filter_map(|class| Some((class, self.solved.table(class)?)))
    }

    fn save(&self, state: &State, stage: scratch::Stage, path: &Path) -> Result<(), BuildError> {
        let stamp = Stamp { stage, ..self.stamp };
        scratch::save(path, stamp, self.layout, state).map_err(|e| BuildError::io(path, e))
    }

    /// Goes on with what lasts longer than the windows that are done.
    fn next_window<const N: usize>(
        &self,
        state: &State,
        moves: &Moves,
        window: usize,
        monitor: &Monitor<'_>,
    ) -> Result<(), BuildError> {
        // Every distance of the window, and of a capture before it, must be one that a table can hold.
        if (window + 1) * usize::from(self.stamp.span) >= MAX_LENGTH as usize {
            return Err(BuildError::TooFar { class: self.files.name.to_string(), plies: MAX_LENGTH });
        }
        for (class, table) in self.children() {
            let name = class.name(self.game.rules);
            let files = Files { folder: self.files.folder, name: &name };
            scratch::settle(&table.values, window, &files)?;
        }
        let known = Known { game: self.game, solved: self.solved, window };
        let floors = Floors::<N>::new(known, self.layout, moves);
        state.advance(|slice, turn, floor| {
            monitor.check()?;
            floors.slice(&self.layout.slices[slice], turn, &mut FloorScratch::default(), floor);
            Ok::<(), BuildError>(())
        })?;
        self.answer::<N>(state, moves, window);
        self.solved.rest();
        Ok(())
    }

    /// Looks up what double steps can be answered by.
    fn answer<const N: usize>(&self, state: &State, moves: &Moves, window: usize) {
        let known = Known { game: self.game, solved: self.solved, window };
        if let Some(answers) = Answers::new(known, self.layout, moves, self.stamp.span) {
            state.answer(|slice, turn| answers.list(slice, turn, N));
        }
    }

    fn floors<const N: usize>(
        &self,
        moves: &Moves,
        monitor: &Monitor<'_>,
        arena: &Arena,
    ) -> Result<Vec<[Pair; 2]>, BuildError> {
        let known = Known { game: self.game, solved: self.solved, window: 0 };
        let floors = Floors::<N>::new(known, self.layout, moves);
        let slices = &self.layout.slices;
        let out: Vec<[Mutex<Option<Pair>>; 2]> = slices.iter().map(|_| Default::default()).collect();
        let failed = |e| BuildError::io(self.files.folder, e);
        (0..2 * slices.len()).into_par_iter().try_for_each_init(FloorScratch::default, |scratch, k| {
            monitor.check()?;
            let (slice, turn) = (&slices[k / 2], k % 2);
            let length = slice.bytes as usize + PAD;
            let mut floor = arena.bytes(length).map_err(failed)?;
            floors.slice(slice, turn, scratch, &mut floor);
            floor.rest();
            monitor.tell(self.files.name, Stage::Captures, slice.bytes);
            let pair = (arena.bytes(length).map_err(failed)?, floor);
            *out[k / 2][turn].lock().unwrap_or_else(|e| e.into_inner()) = Some(pair);
            Ok::<(), BuildError>(())
        })?;
        let take = |m: Mutex<Option<Pair>>| {
            m.into_inner().unwrap_or_else(|e| e.into_inner()).expect("each half has been filled")
        };
        Ok(out.into_iter().map(|pair| pair.map(take)).collect())
    }

    /// First values: those of an earlier run, if it left any.
    fn begin(&self, state: &State) -> Result<(), BuildError> {
        let saved = scratch::open(&self.files.partial(), self.stamp, self.layout);
        let entries = self.layout.entries as usize;
        state.begin(|slice, turn, cells| -> Result<bool, BuildError> {
            let Some(values) = &saved else { return Ok(false) };
            let at = turn * entries + self.layout.slices[slice].base as usize;
            cells.copy_from_slice(&scratch::cells(values)[at..at + cells.len()]);
            Ok(true)
        })
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
            let tell = |cells| monitor.tell(self.files.name, Stage::Sweep(number), cells);
            let swept = state.sweep(&visitor, monitor.interrupt, &tell);
            if swept == Swept::Settled {
                return Ok(());
            }
            // Later windows begin anew from what the first one left.
            if window == 0 && (swept == Swept::Interrupted || saved.elapsed() >= self.checkpoint) {
                self.save(state, scratch::Stage::Partial, &self.files.partial())?;
                saved = Instant::now();
            }
            monitor.check()?;
        }
        Ok(())
    }
}
