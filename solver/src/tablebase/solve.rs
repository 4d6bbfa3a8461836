//! One class from its children.

use super::build::{BuildError, Monitor, Stage};
use super::scratch::{self, Stamp};
use crate::retrograde::floor::{self, FloorScratch, Floors};
use crate::retrograde::layout::Layout;
use crate::retrograde::mechanics::Mechanics;
use crate::retrograde::moves::Moves;
use crate::retrograde::simd::PAD;
use crate::retrograde::solved::{Solved, Values};
use crate::retrograde::sweep::{State, Swept};
use crate::retrograde::value::{MAX_DISTANCE, loss, win};
use crate::retrograde::visit::{Ends, Visitor};
use rayon::prelude::*;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A class to be solved.
pub(super) struct Task<'a> {
    pub(super) game: &'a Mechanics<'a>,
    pub(super) name: &'a str,
    pub(super) layout: &'a Layout,
    /// Its children.
    pub(super) solved: &'a Solved,
    /// Where the values go when it is done, and on the way.
    pub(super) finished: &'a Path,
    pub(super) partial: &'a Path,
    /// How often they are saved on the way.
    pub(super) checkpoint: Duration,
}

impl Task<'_> {
    /// Solves the class and leaves its values in the file of finished ones.
    pub(super) fn run(&self, monitor: &Monitor<'_>) -> Result<Values, BuildError> {
        if self.game.squares <= 32 { self.run_with::<32>(monitor) } else { self.run_with::<64>(monitor) }
    }

    fn stamp(&self, finished: bool) -> Stamp {
        Stamp { fingerprint: self.game.rules.fingerprint, finished }
    }

    fn run_with<const N: usize>(&self, monitor: &Monitor<'_>) -> Result<Values, BuildError> {
        let moves = Moves::new(self.game, self.layout);
        let floors = self.floors::<N>(&moves, monitor)?;
        self.solved.rest();
        let state = State::new(self.layout, floors);
        self.begin(&state)?;
        if self.game.royal.is_some() {
            let ends = Ends {
                checkmate: floor::over(self.game.checkmate),
                stalemate: floor::over(self.game.stalemate),
            };
            state.find_mates(&Visitor::<N>::new(self.layout, &moves), ends);
        }
        self.sweep::<N>(&state, &moves, monitor)?;
        self.check_distances(&state)?;
        state.release_floors();
        let failed = |e| BuildError::io(self.finished, e);
        scratch::save(self.finished, self.stamp(true), self.layout, &state).map_err(failed)?;
        drop(state);
        scratch::remove(self.partial).map_err(|e| BuildError::io(self.partial, e))?;
        scratch::open(self.finished, self.stamp(true), self.layout).ok_or_else(|| {
            BuildError::io(self.finished, std::io::Error::other("what was written reads differently"))
        })
    }

    fn floors<const N: usize>(
        &self,
        moves: &Moves,
        monitor: &Monitor<'_>,
    ) -> Result<Vec<[Vec<u8>; 2]>, BuildError> {
        let floors = Floors::<N>::new(self.game, self.layout, moves, self.solved);
        let slices = &self.layout.slices;
        let out: Vec<[Mutex<Vec<u8>>; 2]> = slices.iter().map(|_| Default::default()).collect();
        (0..2 * slices.len()).into_par_iter().try_for_each_init(FloorScratch::default, |scratch, k| {
            monitor.check()?;
            let (slice, turn) = (&slices[k / 2], k % 2);
            let mut floor = vec![255; slice.bytes as usize + PAD];
            floors.slice(slice, turn, scratch, &mut floor);
            monitor.tell(self.name, Stage::Captures, slice.bytes);
            *out[k / 2][turn].lock().unwrap_or_else(|e| e.into_inner()) = floor;
            Ok::<(), BuildError>(())
        })?;
        let take = |m: Mutex<Vec<u8>>| m.into_inner().unwrap_or_else(|e| e.into_inner());
        Ok(out.into_iter().map(|pair| pair.map(take)).collect())
    }

    /// First values: those of an earlier run, if it left any.
    fn begin(&self, state: &State) -> Result<(), BuildError> {
        let saved = scratch::open(self.partial, self.stamp(false), self.layout);
        let entries = self.layout.entries as usize;
        state.begin(|slice, turn, cells| -> Result<bool, BuildError> {
            let Some(values) = &saved else { return Ok(false) };
            let at = turn * entries + self.layout.slices[slice].base as usize;
            cells.copy_from_slice(&values.bytes()[at..at + cells.len()]);
            Ok(true)
        })
    }

    fn sweep<const N: usize>(
        &self,
        state: &State,
        moves: &Moves,
        monitor: &Monitor<'_>,
    ) -> Result<(), BuildError> {
        let visitor = Visitor::<N>::new(self.layout, moves);
        let mut saved = Instant::now();
        for number in 1.. {
            let tell = |cells| monitor.tell(self.name, Stage::Sweep(number), cells);
            let swept = state.sweep(&visitor, monitor.interrupt, &tell);
            if swept == Swept::Settled {
                return Ok(());
            }
            if swept == Swept::Interrupted || saved.elapsed() >= self.checkpoint {
                scratch::save(self.partial, self.stamp(false), self.layout, state)
                    .map_err(|e| BuildError::io(self.partial, e))?;
                saved = Instant::now();
            }
            monitor.check()?;
        }
        Ok(())
    }

    /// Values further away than a byte can tell look like draws: they rest on some that are as far away as it can tell.
    fn check_distances(&self, state: &State) -> Result<(), BuildError> {
        let (far_win, far_loss) = (win(MAX_DISTANCE as u8), loss(MAX_DISTANCE as u8));
        let far = (0..2 * self.layout.slices.len())
            .into_par_iter()
            .any(|k| state.with(k / 2, k % 2, |v| v.iter().any(|&v| v == far_win || v == far_loss)));
        if far {
            Err(BuildError::TooFar { class: self.name.to_string(), plies: MAX_DISTANCE })
        } else {
            Ok(())
        }
    }
}
