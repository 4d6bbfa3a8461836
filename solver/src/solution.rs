//! A solved graph: the value of every position, and the moves that keep it.

use crate::fold::Fold;
use crate::positions::Positions;
use crate::propagate::Far;
use crate::store::Slot;
use crate::word::Word;
use jewel_engine::ability::{Packed, PackedKey, Probe};
use jewel_engine::position::list_moves;
use jewel_engine::ranking::best_first;
use jewel_engine::value::{Outcome, Value};
use rayon::prelude::*;

/// The values of all positions that can be reached from a root.
///
/// Play without end is a draw, and so is play that repeats a position, so that the value of a position does not depend on the
/// moves before it.
#[derive(Debug)]
pub struct Solution<P, K> {
    pub(crate) root: P,
    pub(crate) fold: Fold<P, K>,
    pub(crate) positions: Positions<K>,
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
    fn add(&mut self, value: Value, positions: u64) {
        match value {
            Value::Win(n) => {
                self.wins += positions;
                self.longest_win = self.longest_win.max(Some(n));
            }
            Value::Draw => self.draws += positions,
            Value::Loss(_) => self.losses += positions,
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
    pub(crate) fn new(root: P, fold: Fold<P, K>, positions: Positions<K>, far: Far<K>, edges: u64) -> Self {
        let mut solution = Solution { root, fold, positions, far, edges, counts: Counts::default() };
        let in_part = |part| {
            let mut counts = Counts::default();
            for (_, key, word) in solution.positions.of_part(part) {
                counts.add(solution.value_of(key, word), 1);
            }
            counts
        };
        let parts = 0..solution.positions.parts();
        solution.counts = parts.into_par_iter().map(in_part).reduce(Counts::default, Counts::and);
        solution
    }

    pub(crate) fn value_of(&self, key: K, word: Word) -> Value {
        word.value(|| self.far.get(&key).copied().unwrap_or(u32::MAX))
    }

    fn word(&self, slot: Slot) -> Word {
        self.positions.word(slot)
    }

    /// The position from which everything else is reached.
    pub fn root(&self) -> &P {
        &self.root
    }

    /// Whether it is that of a [folded](crate::graph::Graph::folded) graph: then positions are orbits.
    pub fn is_folded(&self) -> bool {
        self.fold.is_some()
    }

    /// The numbers of won, drawn and lost positions, each counted with all its images if the graph was folded: those that the root
    /// or one of its images leads to. It makes the images of all positions.
    pub fn unfolded_counts(&self) -> Counts {
        if !self.is_folded() {
            return self.counts;
        }
        let in_part = |part| {
            let mut counts = Counts::default();
            for (_, key, word) in self.positions.of_part(part) {
                counts.add(self.value_of(key, word), self.fold.orbit(&self.root, key));
            }
            counts
        };
        (0..self.positions.parts()).into_par_iter().map(in_part).reduce(Counts::default, Counts::and)
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
        let key = self.fold.key(position);
        self.positions.find(key).map(|slot| self.value_of(key, self.word(slot)))
    }

    /// The number of parts that the positions are kept in.
    pub fn parts(&self) -> usize {
        self.positions.parts()
    }

    /// The positions of a part with their values, in no order that means anything; the same one every time. Every position is
    /// in one part.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn part(&self, number: usize) -> impl Iterator<Item = (P, Value)> + '_ {
        self.positions.of_part(number).map(|(_, key, word)| (self.root.unpack(key), self.value_of(key, word)))
    }

    /// The value of the root.
    pub fn root_value(&self) -> Value {
        self.value(&self.root).unwrap_or(Value::Draw)
    }

    /// The won position that takes longest to win; of several, the one with the lowest key.
    pub fn longest_win(&self) -> Option<P> {
        let longest = Value::Win(self.counts.longest_win?);
        let lowest = |part| {
            let positions = self.positions.of_part(part);
            let longest = positions.filter(|&(_, key, word)| self.value_of(key, word) == longest);
            longest.map(|(_, key, _)| key).min()
        };
        let lowest = (0..self.positions.parts()).into_par_iter().filter_map(lowest).min()?;
        Some(self.root.unpack(lowest))
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
