//! A solved graph: the value of every position, and the moves that keep it.

use crate::propagate::Far;
use crate::store::{NONE, PARTS, Slot, Store, local};
use crate::word::Word;
use jewel_engine::ability::{Packed, PackedKey, Probe};
use jewel_engine::position::list_moves;
use jewel_engine::ranking::best_first;
use jewel_engine::value::{Outcome, Value};
use rayon::prelude::*;
use std::collections::VecDeque;
use std::sync::atomic::Ordering;

/// The values of all positions that can be reached from a root.
///
/// Play without end is a draw, and so is play that repeats a position, so that the value of a position does not depend on the
/// moves before it.
#[derive(Debug)]
pub struct Solution<P, K> {
    pub(crate) root: P,
    pub(crate) store: Store<K>,
    pub(crate) far: Far<K>,
    edges: u64,
    counts: Counts,
}

/// The numbers of positions that are won, drawn and lost for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Won positions.
    pub wins: u64,
    /// Drawn positions.
    pub draws: u64,
    /// Lost positions.
    pub losses: u64,
    /// Plies of the longest win under best play; `None` if no position is won.
    pub longest_win: Option<u32>,
}

impl Counts {
    fn add(&mut self, value: Value) {
        match value {
            Value::Win(n) => {
                self.wins += 1;
                self.longest_win = self.longest_win.max(Some(n));
            }
            Value::Draw => self.draws += 1,
            Value::Loss(_) => self.losses += 1,
        }
    }

    fn and(self, other: Counts) -> Counts {
        Counts {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
            longest_win: self.longest_win.max(other.longest_win),
        }
    }

    /// The number of positions.
    pub const fn positions(&self) -> u64 {
        self.wins + self.draws + self.losses
    }
}

/// A move and its value for the side that makes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ValuedMove<M> {
    /// The move.
    pub mv: M,
    /// The value, with the distance counted from the position before the move.
    pub value: Value,
}

impl<P: Packed, K: PackedKey> Solution<P, K> {
    pub(crate) fn new(root: P, store: Store<K>, far: Far<K>, edges: u64) -> Self {
        let mut solution = Solution { root, store, far, edges, counts: Counts::default() };
        let in_part = |part| {
            let mut counts = Counts::default();
            for (_, key, word) in solution.store.part_positions(part) {
                counts.add(solution.value_of(key, word));
            }
            counts
        };
        solution.counts = (0..PARTS).into_par_iter().map(in_part).reduce(Counts::default, Counts::and);
        solution
    }

    pub(crate) fn value_of(&self, key: K, word: Word) -> Value {
        word.value(|| self.far.get(&key).copied().unwrap_or(u32::MAX))
    }

    /// The value of a slot's position.
    pub(crate) fn value_at(&self, slot: Slot) -> Value {
        let word = Word(self.store.word(slot).load(Ordering::Relaxed));
        word.value(|| self.far.get(&self.store.key(slot)).copied().unwrap_or(u32::MAX))
    }

    /// The position from which everything else is reached.
    pub fn root(&self) -> &P {
        &self.root
    }

    /// The numbers of won, drawn and lost positions.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The number of moves in the graph.
    pub fn edges(&self) -> u64 {
        self.edges
    }

    /// The value of a position for its side to move; `None` if the root does not lead to it.
    pub fn value(&self, position: &P) -> Option<Value> {
        if position.packed_bits() > K::BITS {
            return None;
        }
        self.store.find(position.pack()).map(|slot| self.value_at(slot))
    }

    /// The number of parts that the positions are kept in.
    pub fn parts(&self) -> usize {
        PARTS
    }

    /// The positions of a part with their values, in no order that means anything; the same one every time. Every position is
    /// in one part.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn part(&self, number: usize) -> impl Iterator<Item = (P, Value)> + '_ {
        let positions = self.store.part_positions(number);
        positions.map(|(_, key, word)| (self.root.unpack(key), self.value_of(key, word)))
    }

    /// The value of the root.
    pub fn root_value(&self) -> Value {
        self.value(&self.root).unwrap_or(Value::Draw)
    }

    /// The won position that takes longest to win; of several, the first in breadth-first order.
    ///
    /// The store knows no order, so that this walks through the graph on one thread until it gets there.
    pub fn longest_win(&self) -> Option<P> {
        let longest = Value::Win(self.counts.longest_win?);
        let mut seen: Vec<Vec<bool>> =
            self.store.parts().iter().map(|part| vec![false; part.slots()]).collect();
        let mut queue = VecDeque::new();
        let mut keys = vec![self.root.pack()];
        loop {
            self.store.find_all(&keys, |_, slot| {
                let (part, at) = local(slot);
                if slot != NONE && !std::mem::replace(&mut seen[part][at], true) {
                    queue.push_back(slot);
                }
            });
            let slot = queue.pop_front()?;
            let key = self.store.key(slot);
            if self.value_at(slot) == longest {
                return Some(self.root.unpack(key));
            }
            keys.clear();
            self.root.expand(key, |key| keys.push(key));
        }
    }

    /// The moves from a position with their values, best first; equal ones in the order of
    /// [`moves`](jewel_engine::position::Position::moves). Empty if the game is over; `None` if the root does not lead there.
    pub fn moves(&self, position: &P) -> Option<Vec<ValuedMove<P::Move>>> {
        self.value(position)?;
        if position.outcome().is_some() {
            return Some(Vec::new());
        }
        let mut moves = Vec::new();
        for mv in list_moves(position) {
            let next = position.after(mv);
            let value = self.value(&next)?.before_ply(position.side_to_move(), next.side_to_move());
            moves.push(ValuedMove { mv, value });
        }
        best_first(&mut moves, |mv| mv.value.rank());
        Some(moves)
    }
}

/// The values of play without a history, for searchers; `None` where the root does not lead.
impl<P: Packed, K: PackedKey> Probe<P> for Solution<P, K> {
    fn probe_wdl(&self, position: &P) -> Option<Outcome> {
        self.value(position).map(Value::outcome)
    }

    fn probe(&self, position: &P) -> Option<Value> {
        self.value(position)
    }
}
