//! Sweeps of a class until nothing changes.
//!
//! Values start from "drawn unless a capture wins" and are recomputed in place (Gauss-Seidel). Every state on the way is
//! sound: a decided value has the right sign and a distance not below the true one, because it rests on decided values
//! with strictly smaller distances. So the fixpoint is the solution whatever the order, on any number of threads, and a
//! calculation can be taken up again from any values that were saved.
//!
//! Workers own a half (a slice for one side to move) while they write it, by its lock, and share the halves they read.

use super::bytes::Bytes;
use super::en_passant::Answered;
use super::floor::{DRAWN, LOST, first_value};
use super::half::Half;
use super::layout::Layout;
use super::value::{DRAW, settled, within};
use super::visit::{Count, Ends, Near, Visitor, Work};
use rayon::prelude::*;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{
    Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError,
};

/// A class being solved.
pub(crate) struct State {
    halves: Vec<[RwLock<Half>; 2]>,
    /// The next stamp.
    clock: AtomicU32,
    /// Copies of [`Half::latest`] and [`Half::passed`], to see without locks that nothing is due.
    latest: Vec<[AtomicU32; 2]>,
    passed: Vec<[AtomicU32; 2]>,
}

/// How a sweep ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Swept {
    /// Values changed; there may be more to change.
    Changed,
    /// Nothing changed: this is the solution.
    Settled,
    /// It was interrupted: the values are sound, not final.
    Interrupted,
}

impl State {
    /// Wraps the floors of every half, by slice and side to move, and room for values (each with [`PAD`](super::simd::PAD) bytes more).
    pub(crate) fn new(l: &Layout, floors: Vec<[(Bytes, Bytes); 2]>) -> State {
        let stamps = |at: u32| l.slices.iter().map(|_| [AtomicU32::new(at), AtomicU32::new(at)]).collect();
        let halves = floors.into_iter().zip(&l.slices).map(|(floors, slice)| {
            floors.map(|(value, floor)| RwLock::new(Half::new(value, floor, slice.blocks.len())))
        });
        State { halves: halves.collect(), clock: AtomicU32::new(2), latest: stamps(1), passed: stamps(0) }
    }

    /// Gives every half its first values: those of `saved`, or what captures alone decide. `saved` fills the bytes that
    /// it is given and says whether it did.
    pub(crate) fn begin<E: Send>(
        &self,
        saved: impl Fn(usize, usize, &mut [u8]) -> Result<bool, E> + Sync,
    ) -> Result<(), E> {
        (0..2 * self.halves.len()).into_par_iter().try_for_each(|k| {
            let (i, turn) = (k / 2, k % 2);
            let mut half = self.write(i, turn);
            let cells = half.cells();
            let Half { value, floor, .. } = &mut *half;
            if !saved(i, turn, &mut value[..cells])? {
                value.iter_mut().zip(&**floor).for_each(|(v, &f)| *v = first_value(f));
            }
            half.rest();
            Ok(())
        })
    }

    /// The values of a half.
    pub(crate) fn with<R>(&self, slice: usize, turn: usize, f: impl FnOnce(&[u8]) -> R) -> R {
        let half = self.halves[slice][turn].read().unwrap_or_else(PoisonError::into_inner);
        let result = f(&half.value[..half.cells()]);
        half.rest();
        result
    }

    fn write(&self, i: usize, turn: usize) -> RwLockWriteGuard<'_, Half> {
        self.halves[i][turn].write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Recomputes every block one of whose inputs has changed since it was looked at, once, on all threads of the pool.
    /// `tell` hears of the cells that have been dealt with.
    pub(crate) fn sweep<const N: usize>(
        &self,
        v: &Visitor<'_, N>,
        interrupt: &AtomicBool,
        tell: &(dyn Fn(u64) + Sync),
    ) -> Swept {
        self.rewind();
        let tasks = (0..self.halves.len() as u32).flat_map(|i| [(i, 0), (i, 1)]).collect();
        let job =
            Job { state: self, visitor: v, queue: Mutex::new(tasks), freed: Condvar::new(), interrupt, tell };
        let changed = AtomicU64::new(0);
        let worker = || {
            let mut w = Work::default();
            while let Some(held) = job.next() {
                let cells = held.own.cells() as u64;
                let count = self.pass(v, held, &mut w);
                changed.fetch_add(count.changes, Relaxed);
                tell(cells);
                // Taking the lock orders this after a waiter's look at the queue.
                drop(job.queue());
                job.freed.notify_all();
            }
        };
        rayon::scope(|scope| {
            for _ in 1..rayon::current_num_threads() {
                scope.spawn(|_| worker());
            }
            worker();
        });
        if interrupt.load(Relaxed) {
            Swept::Interrupted
        } else if changed.into_inner() == 0 {
            Swept::Settled
        } else {
            Swept::Changed
        }
    }

    /// Gives every half its double steps that may be answered.
    pub(crate) fn answer(&self, list: impl Fn(usize, usize) -> Vec<Answered> + Sync) {
        (0..2 * self.halves.len())
            .into_par_iter()
            .for_each(|k| self.write(k / 2, k % 2).answered = list(k / 2, k % 2));
    }

    /// Ends a window: forgets what is further away than `span`, and says whether there was any.
    pub(crate) fn truncate(&self, span: u8) -> bool {
        let beyond = (0..2 * self.halves.len()).into_par_iter().map(|k| {
            let mut half = self.write(k / 2, k % 2);
            let cells = half.cells();
            let mut any = false;
            for v in &mut half.value[..cells] {
                let kept = within(*v, span);
                any |= kept != *v;
                *v = kept;
            }
            half.rest();
            any
        });
        beyond.reduce(|| false, |a, b| a | b)
    }

    /// Begins the next window, after [`truncate`](State::truncate): what is decided stays as it is, draws by the rules too, and
    /// everything else has the floors of `floor`, which fills the bytes that it is given.
    pub(crate) fn advance<E: Send>(
        &self,
        floor: impl Fn(usize, usize, &mut [u8]) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        (0..2 * self.halves.len()).into_par_iter().try_for_each(|k| {
            let mut half = self.write(k / 2, k % 2);
            let mut fresh = vec![255; half.floor.len()];
            floor(k / 2, k % 2, &mut fresh)?;
            let cells = half.cells();
            let Half { value, floor, .. } = &mut *half;
            for ((v, old), new) in value.iter_mut().zip(&**floor).zip(&mut fresh[..cells]) {
                *v = settled(*v);
                if *v != DRAW {
                    *new = if *v > DRAW { *v } else { LOST };
                } else if *old == DRAWN {
                    *new = DRAWN;
                } else {
                    *v = first_value(*new);
                }
            }
            floor.copy_from_slice(&fresh);
            half.forget();
            half.rest();
            self.latest[k / 2][k % 2].store(1, Relaxed);
            self.passed[k / 2][k % 2].store(0, Relaxed);
            Ok(())
        })
    }

    /// Gives positions without a legal move their results; see [`Visitor::find_mates`]. Before the first sweep.
    pub(crate) fn find_mates<const N: usize>(&self, v: &Visitor<'_, N>, ends: Ends) {
        // One side to move after the other, and one half after the other: it takes as long as one of many sweeps.
        for turn in 0..2u8 {
            for i in 0..self.halves.len() as u32 {
                let near = &v.moves.plans[i as usize].near[turn as usize];
                let mut held = self.hold(i, turn, near).expect("nobody else is at work");
                let near: Vec<Option<&Half>> = held.near.iter().map(Option::as_deref).collect();
                v.find_mates(i as usize, turn.into(), &mut held.own, &near, ends, &mut Work::default());
                near.iter().flatten().for_each(|half| half.rest());
                held.own.rest();
            }
        }
    }

    /// Forgets all stamps before they are used up: everything is looked at once more.
    fn rewind(&self) {
        if self.clock.load(Relaxed) < u32::MAX / 2 {
            return;
        }
        for i in 0..self.halves.len() {
            for turn in 0..2 {
                self.write(i, turn).forget();
                self.latest[i][turn].store(1, Relaxed);
                self.passed[i][turn].store(0, Relaxed);
            }
        }
        self.clock.store(2, Relaxed);
    }

    /// Takes the locks of a half and of what it reads, or none.
    fn hold(&self, i: u32, turn: u8, near: &[(u32, u8)]) -> Option<Held<'_>> {
        let own = unless_blocked(self.halves[i as usize][turn as usize].try_write())?;
        let mut read = Vec::with_capacity(near.len());
        for &(s, t) in near {
            read.push(if (s, t) == (i, turn) {
                None
            } else {
                Some(unless_blocked(self.halves[s as usize][t as usize].try_read())?)
            });
        }
        Some(Held { slice: i as usize, turn: turn as usize, own, near: read })
    }

    fn pass<const N: usize>(&self, v: &Visitor<'_, N>, mut held: Held<'_>, w: &mut Work) -> Count {
        let (i, turn) = (held.slice, held.turn);
        // All stamps of halves that this one reads are older: their writers have gone.
        let clock = self.clock.fetch_add(held.own.seen.len() as u32, Relaxed);
        held.own.passed = clock;
        let near: Vec<Option<&Half>> = held.near.iter().map(Option::as_deref).collect();
        let near: &Near<'_> = &near;
        let count = v.pass(i, turn, &mut held.own, near, clock, w);
        near.iter().flatten().for_each(|half| half.rest());
        held.own.rest();
        self.passed[i][turn].store(clock, Relaxed);
        self.latest[i][turn].store(held.own.latest, Relaxed);
        count
    }
}

fn unless_blocked<G>(lock: Result<G, TryLockError<G>>) -> Option<G> {
    match lock {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// One sweep: what the workers share.
struct Job<'a, const N: usize> {
    state: &'a State,
    visitor: &'a Visitor<'a, N>,
    /// Halves that nobody has dealt with yet: slice and side to move.
    queue: Mutex<VecDeque<(u32, u8)>>,
    /// Told whenever locks have been let go.
    freed: Condvar,
    interrupt: &'a AtomicBool,
    tell: &'a (dyn Fn(u64) + Sync),
}

impl<const N: usize> Job<'_, N> {
    fn queue(&self) -> MutexGuard<'_, VecDeque<(u32, u8)>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first half in the queue that is due and that nobody's work touches; `None` when there are no more.
    fn next(&self) -> Option<Held<'_>> {
        let state = self.state;
        let mut queue = self.queue();
        loop {
            if self.interrupt.load(Relaxed) {
                return None;
            }
            let mut at = 0;
            while at < queue.len() {
                let (i, turn) = queue[at];
                let near = &self.visitor.moves.plans[i as usize].near[turn as usize];
                let before = state.passed[i as usize][turn as usize].load(Relaxed);
                let newer = |&(s, t): &(u32, u8)| state.latest[s as usize][t as usize].load(Relaxed) > before;
                if !near.iter().any(newer) {
                    queue.remove(at);
                    (self.tell)(self.visitor.layout.slices[i as usize].bytes);
                } else if let Some(held) = state.hold(i, turn, near) {
                    queue.remove(at);
                    return Some(held);
                } else {
                    at += 1;
                }
            }
            if queue.is_empty() {
                return None;
            }
            queue = self.freed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A half to be written, and what it reads.
struct Held<'h> {
    slice: usize,
    turn: usize,
    own: RwLockWriteGuard<'h, Half>,
    near: Vec<Option<RwLockReadGuard<'h, Half>>>,
}
