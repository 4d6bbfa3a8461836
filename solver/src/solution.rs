//! What is known once a graph is solved: the value of every position, and the moves that keep it.

use crate::propagate::Word;
use crate::store::KeyStore;
use jewel_engine::ability::{Packed, PackedKey};
use jewel_engine::position::list_moves;
use jewel_engine::ranking::best_first;
use jewel_engine::value::Value;

/// The values of everything that can be reached from a root.
///
/// A play without end is a draw, and so is one that repeats a position: a value holds for its position
/// wherever it comes from.
#[derive(Debug)]
pub struct Solution<P, K> {
    pub(crate) root: P,
    pub(crate) positions: KeyStore<K>,
    pub(crate) values: Vec<Word>,
    edges: u64,
    counts: Counts,
}

/// How many positions are won, drawn and lost for the side to move in them.
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
    fn of(values: &[Word]) -> Counts {
        let mut counts = Counts::default();
        for word in values {
            match word.value() {
                Value::Win(n) => {
                    counts.wins += 1;
                    counts.longest_win = counts.longest_win.max(Some(n));
                }
                Value::Draw => counts.draws += 1,
                Value::Loss(_) => counts.losses += 1,
            }
        }
        counts
    }

    /// Positions in all.
    pub const fn positions(&self) -> u64 {
        self.wins + self.draws + self.losses
    }
}

/// A move and what it is worth to its mover.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Child<M> {
    /// The move.
    pub mv: M,
    /// Its value, counted from the position before it.
    pub value: Value,
}

impl<P: Packed, K: PackedKey> Solution<P, K> {
    pub(crate) fn new(root: P, positions: KeyStore<K>, values: Vec<Word>, edges: u64) -> Self {
        let counts = Counts::of(&values);
        Solution { root, positions, values, edges, counts }
    }

    /// The root.
    pub fn root(&self) -> &P {
        &self.root
    }

    /// How many positions there are of each value.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Moves in the graph.
    pub fn edges(&self) -> u64 {
        self.edges
    }

    /// The value of a position for its side to move; `None` if the root does not lead to it.
    pub fn value(&self, position: &P) -> Option<Value> {
        if position.packed_bits() > K::BITS {
            return None;
        }
        self.positions.find(position.pack()).map(|id| self.values[id as usize].value())
    }

    /// The value of the root.
    pub fn root_value(&self) -> Value {
        self.values[0].value()
    }

    /// A won position that takes longest to win, the first in breadth-first order.
    pub fn longest_win(&self) -> Option<P> {
        let longest = Value::Win(self.counts.longest_win?);
        let id = self.values.iter().position(|word| word.value() == longest)?;
        Some(self.position(id))
    }

    /// The moves from a position with their values, best first; equal ones in the order of
    /// [`moves`](jewel_engine::position::Position::moves). Empty where the game is over; `None` if the root does not lead there.
    pub fn children(&self, position: &P) -> Option<Vec<Child<P::Move>>> {
        self.value(position)?;
        if position.outcome().is_some() {
            return Some(Vec::new());
        }
        let mut children = Vec::new();
        for mv in list_moves(position) {
            let next = position.after(mv);
            let value = self.value(&next)?.before_ply(position.side_to_move(), next.side_to_move());
            children.push(Child { mv, value });
        }
        best_first(&mut children, |child| child.value.rank());
        Some(children)
    }

    pub(crate) fn position(&self, id: usize) -> P {
        self.root.unpack(self.positions.key(id as u32))
    }
}
