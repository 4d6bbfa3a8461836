//! Retrograde propagation: from finished games backwards, one ply of distance at a time.

use crate::control::{Control, Progress, Stop, allocate};
use crate::predecessors::Predecessors;
use crate::successors::SuccessorLists;
use jewel_engine::value::{Outcome, Side, Value};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU16, AtomicU32, Ordering};

/// A value in four bytes. 0 is undecided and, in the end, a draw; the two highest bits say won and lost, the others are the
/// distance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PackedValue(pub(crate) u32);

const WIN: u32 = 1 << 31;
const LOSS: u32 = 1 << 30;
const UNDECIDED: u32 = 0;

impl PackedValue {
    #[inline(always)]
    pub(crate) fn value(self) -> Value {
        let distance = self.0 & (LOSS - 1);
        match self.0 & (WIN | LOSS) {
            0 => Value::Draw,
            LOSS => Value::Loss(distance),
            _ => Value::Win(distance),
        }
    }
}

/// Bytes for each position besides successors and predecessors: value, counter, queue.
pub(crate) const fn bytes_per_position() -> u64 {
    4 + 2 + 4
}

/// What all threads work on.
struct Propagation<'a> {
    values: &'a [AtomicU32],
    /// Moves that are not known to lose; the highest bit is the side to move.
    counters: &'a [AtomicU16],
    predecessors: &'a Predecessors,
}

const SIDE: u16 = 1 << 15;

/// The fewest decided positions of one distance for which several threads pay.
const PARALLEL: usize = 1 << 12;
/// Positions that a thread takes at a time.
const SHARE: usize = 1 << 9;

/// The value of every position of a complete graph; `progress` is the report at the beginning.
pub(crate) fn propagate(
    successors: &SuccessorLists,
    predecessors: &Predecessors,
    progress: Progress,
    control: &mut Control<'_>,
) -> Result<Vec<PackedValue>, Stop> {
    let positions = successors.meta.len();
    let mut values: Vec<AtomicU32> = allocate(positions)?;
    let mut counters: Vec<AtomicU16> = allocate(positions)?;
    // Positions in the order in which they are decided, which is by distance.
    let mut queue: Vec<u32> = allocate(positions)?;
    for (id, meta) in successors.meta.iter().enumerate() {
        let value = match meta.outcome() {
            Some(Outcome::Win) => WIN,
            Some(Outcome::Loss) => LOSS,
            // A finished draw has no successor that could decide it.
            Some(Outcome::Draw) | None => UNDECIDED,
        };
        if value != UNDECIDED {
            queue.push(id as u32);
        }
        values.push(AtomicU32::new(value));
        counters.push(AtomicU16::new((meta.side() as u16) << 15 | meta.degree() as u16));
    }
    let state = Propagation { values: &values, counters: &counters, predecessors };
    let mut start = 0;
    let mut distance = 0;
    let several = rayon::current_num_threads() > 1;
    while start < queue.len() {
        control.check_interrupt()?;
        control.report(Progress { done: queue.len() as u64, ..progress });
        distance += 1;
        if distance >= LOSS {
            return Err(Stop::Overflow);
        }
        let end = queue.len();
        if several && end - start >= PARALLEL {
            let found: Vec<Vec<u32>> = queue[start..end]
                .par_chunks(SHARE)
                .map(|share| {
                    let mut found = Vec::new();
                    for &id in share {
                        state.visit::<true>(id, distance, |decided| found.push(decided));
                    }
                    found
                })
                .collect();
            queue.extend(found.iter().flatten());
        } else {
            for at in start..end {
                state.visit::<false>(queue[at], distance, |decided| queue.push(decided));
            }
        }
        start = end;
    }
    Ok(values.into_iter().map(|value| PackedValue(value.into_inner())).collect())
}

impl Propagation<'_> {
    /// Updates the predecessors of a decided position, and calls `decided` with those that this decides, at `distance`.
    /// `SHARED` if other threads do the same at the same time.
    #[inline(always)]
    fn visit<const SHARED: bool>(&self, id: u32, distance: u32, mut decided: impl FnMut(u32)) {
        let mover = side(self.counters[id as usize].load(Ordering::Relaxed));
        let won = self.values[id as usize].load(Ordering::Relaxed) & WIN != 0;
        let winner = if won { mover } else { !mover };
        for &before in self.predecessors.of(id) {
            let value = &self.values[before as usize];
            if value.load(Ordering::Relaxed) != UNDECIDED {
                continue;
            }
            let counter = &self.counters[before as usize];
            // The same side may move twice: a turn may have several plies.
            if side(counter.load(Ordering::Relaxed)) == winner {
                if set::<SHARED>(value, WIN | distance) {
                    decided(before);
                }
            } else if decrement::<SHARED>(counter) & !SIDE == 0 && set::<SHARED>(value, LOSS | distance) {
                // The successor that is decided last holds out longest.
                decided(before);
            }
        }
    }
}

#[inline(always)]
fn side(counter: u16) -> Side {
    if counter & SIDE == 0 { Side::White } else { Side::Black }
}

/// Writes a value unless there is one already; returns whether it did.
#[inline(always)]
fn set<const SHARED: bool>(value: &AtomicU32, to: u32) -> bool {
    if SHARED {
        value.compare_exchange(UNDECIDED, to, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    } else {
        value.store(to, Ordering::Relaxed);
        true
    }
}

/// Decrements a counter that is not zero and returns the rest. A locked instruction waits for its cache line, so that a single
/// thread does without it.
#[inline(always)]
fn decrement<const SHARED: bool>(counter: &AtomicU16) -> u16 {
    if SHARED {
        counter.fetch_sub(1, Ordering::Relaxed) - 1
    } else {
        let left = counter.load(Ordering::Relaxed) - 1;
        counter.store(left, Ordering::Relaxed);
        left
    }
}
