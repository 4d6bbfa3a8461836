//! Retrograde propagation: from finished games backwards, one ply of distance at a time.

use crate::control::{Control, Progress, Stop};
use crate::predecessors::Predecessors;
use crate::store::{NONE, PARTS, Slot, Store};
use crate::word::Word;
use ahash::AHashMap;
use jewel_engine::ability::PackedKey;
use jewel_engine::value::Side;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU16, Ordering};

/// Distances too long for a word, by key.
pub(crate) type Far<K> = AHashMap<K, u32>;

/// How far the values are known: wave `n` decides the positions whose game ends in `n` plies.
#[derive(Debug)]
pub(crate) struct Waves<K> {
    /// Waves that are done, so that all values of shorter distances are known.
    pub(crate) done: u32,
    /// The positions of the last wave. Not known for a state that was read from a file.
    last: Option<Vec<Vec<Slot>>>,
    /// Positions decided so far.
    pub(crate) decided: u64,
    pub(crate) far: Far<K>,
}

/// The fewest decided positions of one distance for which several threads pay.
const PARALLEL: usize = 1 << 12;
/// Positions that a thread takes at a time.
const SHARE: usize = 1 << 9;
/// Bytes of an entry of [`Far`], about.
const FAR_BYTES: u64 = 48;

impl<K: PackedKey> Waves<K> {
    pub(crate) fn new() -> Waves<K> {
        Waves { done: 0, last: None, decided: 0, far: Far::new() }
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> u64 {
        let last = self.last.iter().flatten().map(|slots| slots.len() as u64 * size_of::<Slot>() as u64);
        last.sum::<u64>() + self.far.len() as u64 * FAR_BYTES
    }

    /// Bytes for this number of positions, at most: each is in one wave.
    pub(crate) fn bytes_for(positions: u64) -> u64 {
        positions * size_of::<Slot>() as u64
    }

    /// Decides all positions that can be decided; `progress` is the report at the beginning. When it is stopped, a wave is
    /// done or not begun.
    pub(crate) fn run(
        &mut self,
        store: &Store<K>,
        predecessors: &Predecessors<'_, K>,
        progress: Progress,
        control: &mut Control<'_>,
    ) -> Result<(), Stop> {
        control.check_interrupt()?;
        let mut last = match self.last.take() {
            Some(last) => last,
            None => {
                let last = self.find_last(store);
                self.done = self.done.max(1);
                self.decided = self.decided.max(count(&last));
                last
            }
        };
        while count(&last) > 0 {
            control.report(Progress { done: self.decided, ..progress });
            if let Err(stop) = control.check_interrupt() {
                self.last = Some(last);
                return Err(stop);
            }
            let found = wave(store, predecessors, &last, self.done);
            if self.done > Word::LONGEST {
                self.far.extend(found.iter().flatten().map(|&slot| (store.key(slot), self.done)));
            }
            self.done += 1;
            self.decided += count(&found);
            last = found;
        }
        self.last = Some(last);
        Ok(())
    }

    /// The positions of the last wave: at the beginning the finished games that somebody has won.
    fn find_last(&self, store: &Store<K>) -> Vec<Vec<Slot>> {
        let distance = self.done.saturating_sub(1);
        let in_part = |part| {
            let of_wave = |key: &K, word: Word| {
                let found = if word.is_far() { self.far.get(key).copied() } else { Some(word.moves()) };
                word.winner().is_some() && found == Some(distance)
            };
            let positions = store.part_positions(part);
            positions.filter(|(_, key, word)| of_wave(key, *word)).map(|(slot, ..)| slot).collect()
        };
        (0..PARTS).into_par_iter().map(in_part).collect()
    }
}

fn count(slots: &[Vec<Slot>]) -> u64 {
    slots.iter().map(|slots| slots.len() as u64).sum()
}

/// Updates the predecessors of the positions of the last wave, and returns those that this decides, at `distance`.
fn wave<K: PackedKey>(
    store: &Store<K>,
    predecessors: &Predecessors<'_, K>,
    last: &[Vec<Slot>],
    distance: u32,
) -> Vec<Vec<Slot>> {
    let shares: Vec<&[Slot]> = last.iter().flat_map(|slots| slots.chunks(SHARE)).collect();
    let work = Wave { store, predecessors, distance };
    if rayon::current_num_threads() > 1 && count(last) >= PARALLEL as u64 {
        shares
            .into_par_iter()
            .map(|share| work.before::<true>(share))
            .filter(|found| !found.is_empty())
            .collect()
    } else {
        shares
            .into_iter()
            .map(|share| work.before::<false>(share))
            .filter(|found| !found.is_empty())
            .collect()
    }
}

/// What all threads work on.
struct Wave<'a, K> {
    store: &'a Store<K>,
    predecessors: &'a Predecessors<'a, K>,
    distance: u32,
}

impl<K: PackedKey> Wave<'_, K> {
    /// Updates the predecessors of some positions, and returns those that this decides. `SHARED` if other threads do the same
    /// at the same time.
    fn before<const SHARED: bool>(&self, last: &[Slot]) -> Vec<Slot> {
        let Wave { store, distance, .. } = *self;
        let mut found = Vec::new();
        let winner = |slot| Word(store.word(slot).load(Ordering::Relaxed)).winner();
        match self.predecessors {
            Predecessors::Lists(lists) => {
                for &slot in last {
                    let Some(winner) = winner(slot) else { continue };
                    for before in lists.of(slot) {
                        if update::<SHARED>(store.word(before), winner, distance) {
                            found.push(before);
                        }
                    }
                }
            }
            Predecessors::Unmoves(unmoves) => {
                // Reading the keys first lets the processor wait for several at a time.
                let known: Vec<(K, Option<Side>)> =
                    last.iter().map(|&slot| (store.key(slot), winner(slot))).collect();
                let mut keys = Vec::with_capacity(8 * last.len());
                for side in Side::BOTH {
                    keys.clear();
                    for &(key, _) in known.iter().filter(|(_, winner)| *winner == Some(side)) {
                        unmoves(key, &mut keys);
                    }
                    store.find_all(&keys, |_, before| {
                        if before != NONE && update::<SHARED>(store.word(before), side, distance) {
                            found.push(before);
                        }
                    });
                }
            }
        }
        found.shrink_to_fit();
        found
    }
}

/// Tells a position that one of its moves leads to a win of `winner`; returns whether this decides it, at `distance`.
#[inline(always)]
fn update<const SHARED: bool>(word: &AtomicU16, winner: Side, distance: u32) -> bool {
    let mut known = Word(word.load(Ordering::Relaxed));
    loop {
        if known.is_decided() || known.moves() == 0 {
            return false;
        }
        // The same side may move twice: a turn may have several plies.
        let (next, decides) = if known.side() == winner {
            (known.decided(true, distance), true)
        } else {
            match known.one_less() {
                Some(open) => (open, false),
                // The successor that is decided last holds out longest.
                None => (known.decided(false, distance), true),
            }
        };
        // A locked instruction waits for its cache line, so that a single thread does without it.
        if !SHARED {
            word.store(next.0, Ordering::Relaxed);
            return decides;
        }
        match word.compare_exchange_weak(known.0, next.0, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return decides,
            Err(now) => known = Word(now),
        }
    }
}
