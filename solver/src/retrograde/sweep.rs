//! Sweeps of a class until nothing changes.
//!
//! Values start from "drawn unless a capture wins" and are recomputed in place (Gauss-Seidel). Every state on the way is
//! sound: a decided value has the right sign and a distance not below the true one, because it rests on decided values
//! with strictly smaller distances. So the fixpoint is the solution whatever the order, on any number of threads, and a
//! calculation can be taken up again from any values that were saved.
//!
//! A worker locks a slice (with one side to move) while it writes it, and shares the slices that it reads.

use super::bytes::Bytes;
use super::double_steps::DoubleStep;
use super::layout::Layout;
use super::moves::{Moves, SliceSide};
use super::slice_state::{Minima, SliceState};
use super::value::{DRAW, DRAWN, LOST, first_value, settled, within};
use super::visit::{Count, Inputs, MateBounds, VisitBuffers, Visitor};
use jewel_engine::parallel;
use jewel_engine::value::Side;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{
    Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError,
};

/// A class being solved.
pub(crate) struct State {
    /// By slice and side to move.
    slices: Vec<[RwLock<SliceState>; 2]>,
    /// The next stamp.
    clock: AtomicU32,
    /// Copies of [`SliceState::latest`], to see without locks that nothing is due.
    latest: Vec<[AtomicU32; 2]>,
    /// The last stamp before the last pass over the slice (0: none): the first one of the pass itself is newer, since a slice
    /// may read what it has changed.
    passed: Vec<[AtomicU32; 2]>,
    /// The greatest of [`SliceState::arrived`].
    arrived: Vec<[AtomicU32; 2]>,
    /// The slices that are kept here.
    kept: Vec<u32>,
    /// How often stamps have begun anew.
    era: AtomicU32,
}

/// What has been seen of the slices that are kept here: changes with a greater stamp are news.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Version {
    era: u32,
    stamp: u32,
}

/// A message speaks of a block that a slice does not have, or of one of another size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NoSuchBlock;

/// How a sweep ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SweepResult {
    /// Values changed; there may be more to change.
    Changed,
    /// Nothing changed: this is the solution.
    Settled,
    /// It was interrupted: the values are sound, but not final.
    Interrupted,
}

impl State {
    /// The state with these bytes, by slice and side to move: room for values, and the lower bounds (each with
    /// [`PAD`](super::simd::PAD) bytes more). `None` for a slice that is not kept here.
    pub(crate) fn new(layout: &Layout, bytes: Vec<Option<[(Bytes, Bytes); 2]>>) -> State {
        let stamps =
            |at: u32| layout.slices.iter().map(|_| [AtomicU32::new(at), AtomicU32::new(at)]).collect();
        let kept = (0..).zip(&bytes).filter(|x| x.1.is_some()).map(|x| x.0).collect();
        let nothing = || (Bytes::Memory(vec![]), Bytes::Memory(vec![]));
        let slices = bytes.into_iter().zip(&layout.slices).map(|(bytes, slice)| {
            let blocks = if bytes.is_some() { slice.blocks.len() } else { 0 };
            let bytes = bytes.unwrap_or_else(|| [nothing(), nothing()]);
            bytes.map(|(value, bound)| RwLock::new(SliceState::new(value, bound, blocks)))
        });
        State {
            slices: slices.collect(),
            clock: AtomicU32::new(2),
            latest: stamps(1),
            passed: stamps(0),
            arrived: stamps(0),
            kept,
            era: AtomicU32::new(1),
        }
    }

    /// Every slice that is kept here with every side to move, in order.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = SliceSide> + '_ {
        self.kept.iter().flat_map(|&i| Side::BOTH.map(|turn| (i, turn)))
    }

    /// The same for the threads of the pool.
    fn each<T: Send>(&self, task: impl Fn(usize, Side) -> T + Sync) -> Vec<T> {
        parallel::map(2 * self.kept.len(), |k| task(self.kept[k / 2] as usize, Side::BOTH[k % 2]))
    }

    /// The same for tasks that can fail.
    fn try_each<E: Send>(&self, task: impl Fn(usize, Side) -> Result<(), E> + Sync) -> Result<(), E> {
        parallel::try_each(2 * self.kept.len(), |k| task(self.kept[k / 2] as usize, Side::BOTH[k % 2]))
    }

    /// Sets the first values: those of `saved`, or what captures alone decide. `saved` fills the bytes that it is given
    /// and says whether it did.
    pub(crate) fn begin(&self, saved: impl Fn(usize, Side, &mut [u8]) -> bool + Sync) {
        self.each(|i, turn| {
            let mut slice = self.write(i, turn);
            let cells = slice.cells();
            let SliceState { value, bound, .. } = &mut *slice;
            if !saved(i, turn, &mut value[..cells]) {
                value.iter_mut().zip(&**bound).for_each(|(v, &b)| *v = first_value(b));
            }
            slice.release();
        });
    }

    /// Calls `f` with the values of a slice.
    pub(crate) fn with<R>(&self, slice: usize, turn: Side, f: impl FnOnce(&[u8]) -> R) -> R {
        let slice = self.slices[slice][turn.index()].read().unwrap_or_else(PoisonError::into_inner);
        let result = f(&slice.value[..slice.cells()]);
        slice.release();
        result
    }

    fn write(&self, i: usize, turn: Side) -> RwLockWriteGuard<'_, SliceState> {
        self.slices[i][turn.index()].write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Recomputes once every block that can move to a block that has changed since it was visited, on all threads of the
    /// pool. `tell` is told the cells done.
    pub(crate) fn sweep<const N: usize>(
        &self,
        v: &Visitor<'_, N>,
        interrupt: &AtomicBool,
        tell: &(dyn Fn(u64) + Sync),
    ) -> SweepResult {
        self.sweep_some(v, self.tasks().collect(), interrupt, tell)
    }

    /// The same for some of the slices.
    pub(crate) fn sweep_some<const N: usize>(
        &self,
        v: &Visitor<'_, N>,
        tasks: VecDeque<SliceSide>,
        interrupt: &AtomicBool,
        tell: &(dyn Fn(u64) + Sync),
    ) -> SweepResult {
        self.rewind();
        let job =
            Job { state: self, visitor: v, queue: Mutex::new(tasks), freed: Condvar::new(), interrupt, tell };
        let changed = AtomicU64::new(0);
        let worker = || {
            let mut buffers = VisitBuffers::default();
            while let Some(locked) = job.next() {
                let cells = locked.own.cells() as u64;
                let count = self.pass(v, locked, &mut buffers);
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
            SweepResult::Interrupted
        } else if changed.into_inner() == 0 {
            SweepResult::Settled
        } else {
            SweepResult::Changed
        }
    }

    /// Sets the double steps of every slice that may be answered.
    pub(crate) fn set_double_steps(&self, list: impl Fn(usize, Side) -> Vec<DoubleStep> + Sync) {
        self.each(|i, turn| self.write(i, turn).double_steps = list(i, turn));
    }

    /// Ends a window: forgets what is further away than `span`, and says whether there was any.
    pub(crate) fn truncate(&self, span: u8) -> bool {
        let beyond = self.each(|i, turn| {
            let mut slice = self.write(i, turn);
            let cells = slice.cells();
            let mut any = false;
            for v in &mut slice.value[..cells] {
                let kept = within(*v, span);
                any |= kept != *v;
                *v = kept;
            }
            slice.release();
            any
        });
        beyond.contains(&true)
    }

    /// Begins the next window, after [`truncate`](State::truncate): what is decided stays as it is, draws by the rules too,
    /// and everything else gets the lower bounds of `bounds`, which fills the bytes that it is given.
    pub(crate) fn advance<E: Send>(
        &self,
        bounds: impl Fn(usize, Side, &mut [u8]) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        self.try_each(|i, turn| {
            let mut slice = self.write(i, turn);
            slice.minima.clear();
            slice.arrived.clear();
            let mut fresh = vec![255; slice.bound.len()];
            bounds(i, turn, &mut fresh)?;
            let cells = slice.cells();
            let SliceState { value, bound, .. } = &mut *slice;
            for ((v, old), new) in value.iter_mut().zip(&**bound).zip(&mut fresh[..cells]) {
                *v = settled(*v);
                if *v != DRAW {
                    *new = if *v > DRAW { *v } else { LOST };
                } else if *old == DRAWN {
                    *new = DRAWN;
                } else {
                    *v = first_value(*new);
                }
            }
            bound.copy_from_slice(&fresh);
            self.forget(i, turn, &mut slice);
            slice.release();
            Ok(())
        })?;
        self.era.fetch_add(1, Relaxed);
        Ok(())
    }

    /// Decides positions without a legal move; see [`Visitor::find_mates`]. Before the first sweep.
    pub(crate) fn find_mates<const N: usize>(&self, v: &Visitor<'_, N>, bounds: MateBounds) {
        // On one thread: it takes as long as one of many sweeps.
        for turn in Side::BOTH {
            for i in self.kept.iter().map(|&i| i as usize) {
                let inputs = &v.moves.slices[i].inputs[turn.index()];
                let mut locked = self.lock((i as u32, turn), inputs).expect("no other thread is at work");
                let inputs: Vec<Option<&SliceState>> = locked.inputs.iter().map(Option::as_deref).collect();
                let stamped = (bounds, self.clock.fetch_add(1, Relaxed));
                v.find_mates(i, turn, &mut locked.own, &inputs, stamped, &mut VisitBuffers::default());
                inputs.iter().flatten().for_each(|slice| slice.release());
                locked.own.release();
                self.latest[i][turn.index()].store(locked.own.latest, Relaxed);
            }
        }
    }

    /// Forgets all stamps before they are used up: everything is looked at once more.
    fn rewind(&self) {
        if self.clock.load(Relaxed) < u32::MAX / 2 {
            return;
        }
        for (i, turn) in self.tasks() {
            self.forget(i as usize, turn, &mut self.write(i as usize, turn));
        }
        self.clock.store(2, Relaxed);
        self.era.fetch_add(1, Relaxed);
    }

    /// Sets the stamps of a slice back to the start.
    fn forget(&self, i: usize, turn: Side, slice: &mut SliceState) {
        slice.forget();
        self.latest[i][turn.index()].store(1, Relaxed);
        self.passed[i][turn.index()].store(0, Relaxed);
        self.arrived[i][turn.index()].store(0, Relaxed);
    }

    /// Whether a slice reads one that has changed since the last pass over it, or has minima that have.
    pub(crate) fn is_due(&self, (i, turn): SliceSide, moves: &Moves) -> bool {
        let before = self.passed[i as usize][turn.index()].load(Relaxed);
        let newer = |(s, t): SliceSide| self.latest[s as usize][t.index()].load(Relaxed) > before;
        self.arrived[i as usize][turn.index()].load(Relaxed) > before
            || moves.slices[i as usize].inputs[turn.index()].iter().copied().any(newer)
    }

    /// Takes the locks of a slice and of what it reads, or none.
    fn lock(&self, at: SliceSide, inputs: &[SliceSide]) -> Option<LockedSlice<'_>> {
        let state = |(i, turn): SliceSide| &self.slices[i as usize][turn.index()];
        let own = unless_blocked(state(at).try_write())?;
        let mut read = Vec::with_capacity(inputs.len());
        for &input in inputs {
            read.push(if input == at { None } else { Some(unless_blocked(state(input).try_read())?) });
        }
        Some(LockedSlice { slice: at.0 as usize, turn: at.1, own, inputs: read })
    }

    /// The version of what is kept here, while no sweep is under way.
    pub(crate) fn version(&self) -> Version {
        Version { era: self.era.load(Relaxed), stamp: self.clock.load(Relaxed) - 1 }
    }

    /// The greatest stamp that is no news to one who has seen a version.
    fn known(&self, seen: Version) -> u32 {
        if seen.era == self.era.load(Relaxed) { seen.stamp } else { 0 }
    }

    /// Whether a slice of another rank reads one that has changed since a version.
    pub(crate) fn has_news(&self, (i, turn): SliceSide, moves: &Moves, seen: Version) -> bool {
        let known = self.known(seen);
        let mut inputs = moves.slices[i as usize].inputs[turn.index()].iter();
        inputs.any(|&(s, t)| self.latest[s as usize][t.index()].load(Relaxed) > known)
    }

    /// What the outer moves of a slice of another rank are worth that lead here; see [`Visitor::lend`].
    pub(crate) fn lend<const N: usize>(
        &self,
        v: &Visitor<'_, N>,
        (i, turn): SliceSide,
        steps: &[DoubleStep],
        seen: Version,
        found: impl FnMut(u32, usize, &[u8]),
    ) {
        let inputs = v.moves.slices[i as usize].inputs[turn.index()].iter();
        let read = |&(s, t): &SliceSide| {
            self.slices[s as usize][t.index()].read().unwrap_or_else(PoisonError::into_inner)
        };
        let guards: Vec<_> = inputs.map(read).collect();
        let inputs: Vec<Option<&SliceState>> = guards.iter().map(|guard| Some(&**guard)).collect();
        let buffers = &mut VisitBuffers::default();
        v.lend(i as usize, turn, (&inputs, steps), self.known(seen), buffers, found);
        inputs.iter().flatten().for_each(|slice| slice.release());
    }

    /// Takes what another rank has lent: blocks of a slice that is kept here.
    ///
    /// # Errors
    /// If there is no such block, or it has another size; the blocks before it have been taken.
    pub(crate) fn take<'m>(
        &self,
        layout: &Layout,
        (i, turn): SliceSide,
        rank: usize,
        blocks: impl Iterator<Item = (u32, &'m [u8])>,
    ) -> Result<(), NoSuchBlock> {
        let mut slice = self.write(i as usize, turn);
        let stamp = self.clock.fetch_add(1, Relaxed);
        let SliceState { minima, arrived, value, changed, .. } = &mut *slice;
        arrived.resize(changed.len(), 0);
        let at = minima.iter().position(|m| m.rank == rank).unwrap_or_else(|| {
            // A block of which nothing is ever said has no such moves. No sweep begins before all has been said.
            minima.push(Minima { rank, value: vec![255; value.len()] });
            minima.len() - 1
        });
        for (b, values) in blocks {
            let block = layout.slices[i as usize].blocks.get(b as usize).ok_or(NoSuchBlock)?;
            let cells = layout.rows(block.occupied) * layout.columns(block.occupied);
            let mine = minima[at].value.get_mut(block.offset as usize..).ok_or(NoSuchBlock)?;
            if cells != values.len() || mine.len() < cells {
                return Err(NoSuchBlock);
            }
            if mine[..cells] != *values {
                mine[..cells].copy_from_slice(values);
                arrived[b as usize] = stamp;
                self.arrived[i as usize][turn.index()].store(stamp, Relaxed);
            }
        }
        Ok(())
    }

    fn pass<const N: usize>(
        &self,
        v: &Visitor<'_, N>,
        mut locked: LockedSlice<'_>,
        buffers: &mut VisitBuffers,
    ) -> Count {
        let (i, turn) = (locked.slice, locked.turn);
        // All stamps of slices that this one reads are older: their writers have gone.
        let clock = self.clock.fetch_add(locked.own.seen.len() as u32, Relaxed);
        let inputs: Vec<Option<&SliceState>> = locked.inputs.iter().map(Option::as_deref).collect();
        let inputs: &Inputs<'_> = &inputs;
        let count = v.pass(i, turn, &mut locked.own, inputs, clock, buffers);
        inputs.iter().flatten().for_each(|slice| slice.release());
        locked.own.release();
        self.passed[i][turn.index()].store(clock - 1, Relaxed);
        self.latest[i][turn.index()].store(locked.own.latest, Relaxed);
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

/// What the workers of a sweep share.
struct Job<'a, const N: usize> {
    state: &'a State,
    visitor: &'a Visitor<'a, N>,
    /// What no worker has taken yet.
    queue: Mutex<VecDeque<SliceSide>>,
    /// Notified whenever locks have been released.
    freed: Condvar,
    interrupt: &'a AtomicBool,
    tell: &'a (dyn Fn(u64) + Sync),
}

impl<const N: usize> Job<'_, N> {
    fn queue(&self) -> MutexGuard<'_, VecDeque<SliceSide>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first slice in the queue that is due and that no other worker reads or writes; `None` when there are no more.
    fn next(&self) -> Option<LockedSlice<'_>> {
        let state = self.state;
        let mut queue = self.queue();
        loop {
            if self.interrupt.load(Relaxed) {
                return None;
            }
            let mut at = 0;
            while at < queue.len() {
                let (i, turn) = queue[at];
                let inputs = &self.visitor.moves.slices[i as usize].inputs[turn.index()];
                if !state.is_due((i, turn), self.visitor.moves) {
                    queue.remove(at);
                    (self.tell)(self.visitor.layout.slices[i as usize].bytes);
                } else if let Some(locked) = state.lock((i, turn), inputs) {
                    queue.remove(at);
                    return Some(locked);
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

/// A slice to be written, and what it reads.
struct LockedSlice<'h> {
    slice: usize,
    turn: Side,
    own: RwLockWriteGuard<'h, SliceState>,
    /// `None` for the slice itself.
    inputs: Vec<Option<RwLockReadGuard<'h, SliceState>>>,
}
