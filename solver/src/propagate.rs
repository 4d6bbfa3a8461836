//! Retrograde propagation: from finished games backwards, one ply of distance at a time.

use crate::blocks::{Blocks, Run};
use crate::control::{Control, Progress, Stop};
use crate::keyed::Game;
use crate::predecessors::{Lists, Predecessors};
use crate::sorted::Sorted;
use crate::store::{PARTS, Slot, Store, slot};
use crate::sweeps;
use crate::word::Word;
use ahash::AHashMap;
use jewel_engine::ability::PackedKey;
use jewel_engine::parallel;
use jewel_engine::value::Side;
use std::ops::Range;
use std::sync::atomic::{AtomicU16, Ordering};

/// Distances too long for a word, by key.
pub(crate) type Far<K> = AHashMap<K, u32>;

/// How far the values are known: wave `n` decides the positions whose game ends in `n` plies.
#[derive(Debug)]
pub(crate) struct Waves<K> {
    /// Waves that are done, so that all values of shorter distances are known.
    pub(crate) done: u32,
    /// The positions of the last wave. Not known for a state that was read from a file.
    last: Option<Last<K>>,
    /// Positions decided so far.
    pub(crate) decided: u64,
    pub(crate) far: Far<K>,
}

/// The positions of a wave.
#[derive(Debug)]
enum Last<K> {
    Slots(Vec<Vec<Slot>>),
    /// The runs that they are in, and their number.
    Runs(Vec<Run<K>>, u64),
}

impl<K> Last<K> {
    fn count(&self) -> u64 {
        match self {
            Last::Slots(slots) => count(slots),
            Last::Runs(_, count) => *count,
        }
    }
}

/// Where waves run.
pub(crate) enum Ground<'a, K> {
    Hashed(&'a Store<K>, Predecessors<'a, K>),
    Blocks(&'a Blocks<K>, Game<'a, K>),
}

/// The fewest decided positions of one distance for which several threads pay.
const MANY: usize = 1 << 12;
/// Positions of a share.
const SHARE: usize = 1 << 9;
/// Shares that a thread takes back at a time.
const BLOCK: usize = 1 << 4;
/// Shares for each thread that are taken back before their predecessors are updated.
const BATCH: usize = 1 << 7;
/// Parts of the store that a thread updates at a time.
const PARTS_SHARE: usize = PARTS / 32;
/// Bytes of an entry of [`Far`], about.
const FAR_BYTES: u64 = 48;

impl<K: PackedKey> Waves<K> {
    pub(crate) fn new() -> Waves<K> {
        Waves { done: 0, last: None, decided: 0, far: Far::new() }
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> u64 {
        let last = match &self.last {
            Some(Last::Slots(slots)) => count(slots) * size_of::<Slot>() as u64,
            // Blocks count their lists.
            Some(Last::Runs(..)) | None => 0,
        };
        last + self.far.len() as u64 * FAR_BYTES
    }

    /// Bytes for this number of positions, at most: each is in one wave.
    pub(crate) fn bytes_for(positions: u64) -> u64 {
        positions * size_of::<Slot>() as u64
    }

    /// Decides all positions that can be decided; `progress` is the report at the beginning. When it is stopped, a wave is
    /// done or not begun.
    pub(crate) fn run(
        &mut self,
        ground: &Ground<'_, K>,
        progress: Progress,
        control: &mut Control<'_>,
    ) -> Result<(), Stop> {
        control.check_interrupt()?;
        let mut last = match self.last.take() {
            Some(last) => last,
            None => {
                let last = self.find_last(ground);
                self.done = self.done.max(1);
                self.decided = self.decided.max(last.count());
                last
            }
        };
        while last.count() > 0 {
            control.report(Progress { done: self.decided, ..progress });
            if let Err(stop) = control.check_interrupt() {
                self.last = Some(last);
                return Err(stop);
            }
            last = self.wave(ground, &last);
            self.done += 1;
            self.decided += last.count();
        }
        self.last = Some(last);
        Ok(())
    }

    /// The positions of the last wave: at the beginning the finished games that somebody has won.
    fn find_last(&self, ground: &Ground<'_, K>) -> Last<K> {
        let distance = self.done.saturating_sub(1);
        let store = match *ground {
            Ground::Hashed(store, _) => store,
            Ground::Blocks(blocks, _) => {
                let found = sweeps::decided_at(blocks, distance, &self.far);
                return Last::Runs(found.runs, found.positions);
            }
        };
        let in_part = |part| {
            let of_wave = |key: &K, word: Word| {
                let found = if word.is_far() { self.far.get(key).copied() } else { Some(word.moves()) };
                word.winner().is_some() && found == Some(distance)
            };
            let positions = store.part_positions(part);
            positions.filter(|(_, key, word)| of_wave(key, *word)).map(|(slot, ..)| slot).collect()
        };
        Last::Slots(parallel::map(PARTS, in_part))
    }

    /// The positions that are decided at the next distance, from those of the last.
    fn wave(&mut self, ground: &Ground<'_, K>, last: &Last<K>) -> Last<K> {
        match (ground, last) {
            (Ground::Hashed(store, predecessors), Last::Slots(last)) => {
                let found = wave(store, predecessors, last, self.done);
                if self.done > Word::LONGEST {
                    self.far.extend(found.iter().flatten().map(|&slot| (store.key(slot), self.done)));
                }
                Last::Slots(found)
            }
            (Ground::Blocks(blocks, game), Last::Runs(last, _)) => {
                let found = sweeps::wave(blocks, *game, last, self.done, &self.far);
                self.far.extend(found.far.into_iter().map(|key| (key, self.done)));
                Last::Runs(found.runs, found.positions)
            }
            _ => unreachable!("the last wave ran on the same ground"),
        }
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
    let many = count(last) >= MANY as u64;
    match *predecessors {
        Predecessors::Lists(lists) if many && rayon::current_num_threads() > 1 => {
            let of = |n: usize| by_lists::<K, true>(store, lists, shares[n], distance);
            parallel::map(shares.len(), of).into_iter().filter(|found| !found.is_empty()).collect()
        }
        Predecessors::Lists(lists) => {
            let found = shares.into_iter().map(|share| by_lists::<K, false>(store, lists, share, distance));
            found.filter(|found| !found.is_empty()).collect()
        }
        Predecessors::Unmoves(game) => {
            let update = |keys: &[[Sorted<K>; 2]], parts| update_parts(store, parts, keys, distance);
            if !many {
                let keys = [taken_back(store, game, &shares)];
                let found = update(&keys, 0..PARTS);
                return if found.is_empty() { Vec::new() } else { vec![found] };
            }
            let batches = shares.chunks(BATCH * rayon::current_num_threads()).flat_map(|shares| {
                let blocks: Vec<&[&[Slot]]> = shares.chunks(BLOCK).collect();
                let keys: Vec<[Sorted<K>; 2]> =
                    parallel::map(blocks.len(), |n| taken_back(store, game, blocks[n]));
                let parts = |n: usize| n * PARTS_SHARE..(n + 1) * PARTS_SHARE;
                let found = parallel::map(PARTS / PARTS_SHARE, |n| update(&keys, parts(n)));
                found.into_iter().filter(|found| !found.is_empty()).collect::<Vec<_>>()
            });
            batches.collect()
        }
    }
}

/// Updates the predecessors of some positions, and returns those that this decides. `SHARED` if other threads do the same at
/// the same time.
fn by_lists<K: PackedKey, const SHARED: bool>(
    store: &Store<K>,
    lists: &Lists,
    last: &[Slot],
    distance: u32,
) -> Vec<Slot> {
    let mut found = Vec::new();
    for &slot in last {
        let Some(winner) = winner(store, slot) else { continue };
        for before in lists.of(slot) {
            if update::<SHARED>(store.word(before), winner, distance) {
                found.push(before);
            }
        }
    }
    found.shrink_to_fit();
    found
}

fn winner<K: PackedKey>(store: &Store<K>, slot: Slot) -> Option<Side> {
    Word(store.word(slot).load(Ordering::Relaxed)).winner()
}

/// The keys of the predecessors of some positions, those of the positions that White wins first.
fn taken_back<K: PackedKey>(store: &Store<K>, game: Game<'_, K>, block: &[&[Slot]]) -> [Sorted<K>; 2] {
    // Reading the keys first lets the processor wait for several at a time.
    let known: Vec<(K, Option<Side>)> =
        block.iter().copied().flatten().map(|&slot| (store.key(slot), winner(store, slot))).collect();
    let mut keys = [const { Vec::new() }; 2];
    for (key, winner) in known {
        if let Some(winner) = winner {
            game.unmoves(key, winner, &mut keys);
        }
    }
    keys.map(|keys| Sorted::new(&keys))
}

/// Updates the positions of some parts, and returns those that this decides.
fn update_parts<K: PackedKey>(
    store: &Store<K>,
    parts: Range<usize>,
    keys: &[[Sorted<K>; 2]],
    distance: u32,
) -> Vec<Slot> {
    let mut found = Vec::new();
    for (number, part) in parts.clone().zip(&store.parts()[parts]) {
        for of_sides in keys {
            for (keys, winner) in of_sides.iter().zip(Side::BOTH) {
                part.words_of(keys.of_part(number), |local, word| {
                    if update::<false>(word, winner, distance) {
                        found.push(slot(number, local));
                    }
                });
            }
        }
    }
    found.shrink_to_fit();
    found
}

/// What is known of a position once one of its moves is known to lead to a win of `winner`, and whether this decides it, at
/// `distance`; `None` if it changes nothing.
#[inline(always)]
pub(crate) fn told(known: Word, winner: Side, distance: u32) -> Option<(Word, bool)> {
    if known.is_decided() || known.moves() == 0 {
        return None;
    }
    // The same side may move twice: a turn may have several plies.
    Some(if known.side() == winner {
        (known.decided(true, distance), true)
    } else {
        match known.one_less() {
            Some(open) => (open, false),
            // The successor that is decided last holds out longest.
            None => (known.decided(false, distance), true),
        }
    })
}

/// Tells a position that one of its moves leads to a win of `winner`; returns whether this decides it, at `distance`. `SHARED`
/// if other threads may tell it something at the same time.
#[inline(always)]
pub(crate) fn update<const SHARED: bool>(word: &AtomicU16, winner: Side, distance: u32) -> bool {
    let mut known = Word(word.load(Ordering::Relaxed));
    loop {
        let Some((next, decides)) = told(known, winner, distance) else { return false };
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
