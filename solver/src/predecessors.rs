//! The predecessors of positions: by taking moves back, or from lists.

use crate::control::{Control, Stop, check};
use crate::keyed::Game;
use crate::memory::allocate;
use crate::store::{NONE, PARTS, Slot, Store, local};
use jewel_engine::ability::PackedKey;
use jewel_engine::parallel;
use std::sync::atomic::{AtomicU32, Ordering};

/// Where the predecessors of a position come from.
pub(crate) enum Predecessors<'a, K> {
    /// The game can take moves back.
    Unmoves(Game<'a, K>),
    /// All moves were made once more, and their origins kept.
    Lists(&'a Lists),
}

/// The slots of the predecessors of every slot, one for each move.
#[derive(Debug)]
pub(crate) struct Lists {
    /// For each part, where the list of each slot ends.
    ends: Vec<Vec<AtomicU32>>,
    /// For each part, its lists.
    predecessors: Vec<Vec<AtomicU32>>,
}

/// Keys that are looked up together.
const KEYS: usize = 1 << 12;

impl Lists {
    /// Bytes for this number of slots and moves.
    pub(crate) fn bytes(slots: u64, edges: u64) -> u64 {
        4 * slots + 4 * edges
    }

    /// Makes the moves of all positions, once to count and once to keep.
    pub(crate) fn new<K: PackedKey>(
        store: &Store<K>,
        game: Game<'_, K>,
        control: &Control<'_>,
    ) -> Result<Lists, Stop> {
        let mut ends = Vec::with_capacity(PARTS);
        for part in store.parts() {
            ends.push(zeros(part.slots())?);
        }
        for_each_move(store, game, control, |_, to| {
            let (part, at) = local(to);
            // 2^32 moves to one part, which has fewer slots, are more than any computer has room for.
            ends[part][at].fetch_add(1, Ordering::Relaxed);
        })?;
        // Counts become the places where lists begin.
        let mut predecessors = Vec::with_capacity(PARTS);
        for ends in &mut ends {
            let mut start = 0_u32;
            for end in ends {
                let count = std::mem::replace(end.get_mut(), start);
                start = start.checked_add(count).ok_or(Stop::Overflow)?;
            }
            predecessors.push(zeros(start as usize)?);
        }
        // Filling a list moves the place of its slot from the beginning to the end of the list.
        for_each_move(store, game, control, |from, to| {
            let (part, at) = local(to);
            let place = ends[part][at].fetch_add(1, Ordering::Relaxed);
            predecessors[part][place as usize].store(from, Ordering::Relaxed);
        })?;
        Ok(Lists { ends, predecessors })
    }

    /// The predecessors of a slot.
    #[inline(always)]
    pub(crate) fn of(&self, slot: Slot) -> impl Iterator<Item = Slot> + '_ {
        let (part, at) = local(slot);
        let ends = &self.ends[part];
        let start = if at == 0 { 0 } else { ends[at - 1].load(Ordering::Relaxed) };
        let range = start as usize..ends[at].load(Ordering::Relaxed) as usize;
        self.predecessors[part][range].iter().map(|slot| slot.load(Ordering::Relaxed))
    }
}

fn zeros(len: usize) -> Result<Vec<AtomicU32>, Stop> {
    let mut zeros = allocate(len)?;
    zeros.resize_with(len, AtomicU32::default);
    Ok(zeros)
}

/// Calls `each` with the slots before and after every move.
fn for_each_move<K: PackedKey>(
    store: &Store<K>,
    game: Game<'_, K>,
    control: &Control<'_>,
    each: impl Fn(Slot, Slot) + Sync,
) -> Result<(), Stop> {
    let interrupt = control.interrupt();
    parallel::try_each(PARTS, |part| {
        check(interrupt)?;
        let mut from: Vec<Slot> = Vec::new();
        let mut keys: Vec<K> = Vec::new();
        let look_up = |keys: &mut Vec<K>, from: &mut Vec<Slot>| {
            store.find_all(keys, |n, to| {
                if to != NONE {
                    each(from[n], to);
                }
            });
            keys.clear();
            from.clear();
        };
        for (slot, key, _) in store.part_positions(part) {
            game.expand(key, &mut keys);
            from.resize(keys.len(), slot);
            if keys.len() >= KEYS {
                check(interrupt)?;
                look_up(&mut keys, &mut from);
            }
        }
        look_up(&mut keys, &mut from);
        Ok(())
    })
}
