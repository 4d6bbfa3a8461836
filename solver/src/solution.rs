//! A solved graph: the value of every position, and the moves that keep it.

use crate::propagate::PackedValue;
use crate::store::KeyStore;
use jewel_engine::ability::{Packed, PackedKey};
use jewel_engine::position::list_moves;
use jewel_engine::ranking::best_first;
use jewel_engine::value::Value;

/// The values of all positions that can be reached from a root.
///
/// Play without end is a draw, and so is play that repeats a position, so that the value of a position does not depend on the
/// moves before it.
#[derive(Debug)]
pub struct Solution<P, K> {
    pub(crate) root: P,
    pub(crate) positions: KeyStore<K>,
    pub(crate) values: Vec<PackedValue>,
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
    fn from_values(values: &[PackedValue]) -> Counts {
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
    pub(crate) fn new(root: P, positions: KeyStore<K>, values: Vec<PackedValue>, edges: u64) -> Self {
        let counts = Counts::from_values(&values);
        Solution { root, positions, values, edges, counts }
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
        self.positions.find(position.pack()).map(|id| self.values[id as usize].value())
    }

    /// The value of the root.
    pub fn root_value(&self) -> Value {
        self.values[0].value()
    }

    /// The won position that takes longest to win; of several, the first in breadth-first order.
    pub fn longest_win(&self) -> Option<P> {
        let longest = Value::Win(self.counts.longest_win?);
        let id = self.values.iter().position(|word| word.value() == longest)?;
        Some(self.position(id))
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

    pub(crate) fn position(&self, id: usize) -> P {
        self.root.unpack(self.positions.key(id as u32))
    }
}
