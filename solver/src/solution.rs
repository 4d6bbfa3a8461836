//! A solved graph: the value of every position, and the moves that keep it.

use crate::keyed::{AnyKey, AnyWidth, Keyed};
use crate::positions::Positions;
use crate::propagate::Far;
use crate::width::{ByWidth, by_width, map_width};
use crate::word::Word;
use jewel_engine::ability::{Packed, PackedKey, Probe};
use jewel_engine::parallel;
use jewel_engine::position::list_moves;
use jewel_engine::ranking::best_first;
use jewel_engine::value::{Outcome, Value};

/// The values of all positions that can be reached from a root.
///
/// Play without end is a draw, and so is play that repeats a position, so that the value of a position does not depend on the
/// moves before it.
#[derive(Debug)]
pub struct Solution<P> {
    pub(crate) game: Keyed<P>,
    pub(crate) solved: AnySolved,
}

/// The values of keys of any width.
pub(crate) type AnySolved = ByWidth<Solved<u64>, Solved<u128>, Solved<[u64; 4]>>;

/// The values of all positions by their keys.
#[derive(Debug)]
pub(crate) struct Solved<K> {
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

impl<K: PackedKey> Solved<K> {
    pub(crate) fn new(positions: Positions<K>, far: Far<K>, edges: u64) -> Self {
        let mut solved = Solved { positions, far, edges, counts: Counts::default() };
        solved.counts = solved.counted(|_| 1);
        solved
    }

    /// The numbers of positions, each counted as often as `times` says.
    fn counted(&self, times: impl Fn(K) -> u64 + Sync) -> Counts {
        let in_part = |part| {
            let mut counts = Counts::default();
            for (_, key, word) in self.positions.of_part(part) {
                counts.add(self.value_of(key, word), times(key));
            }
            counts
        };
        parallel::map(self.positions.parts(), in_part).into_iter().fold(Counts::default(), Counts::and)
    }

    pub(crate) fn value_of(&self, key: K, word: Word) -> Value {
        word.value(|| self.far.get(&key).copied().unwrap_or(u32::MAX))
    }

    /// The value of a position; `None` if it is not there.
    fn value(&self, key: K) -> Option<Value> {
        self.positions.find(key).map(|slot| self.value_of(key, self.positions.word(slot)))
    }

    /// The keys of a part with their values.
    fn part(&self, number: usize) -> impl Iterator<Item = (K, Value)> + '_ {
        self.positions.of_part(number).map(|(_, key, word)| (key, self.value_of(key, word)))
    }

    /// The lowest key of the won positions that take longest to win.
    fn longest_win(&self) -> Option<K> {
        let longest = Value::Win(self.counts.longest_win?);
        let lowest = |part| {
            let longest = self.part(part).filter(|&(_, value)| value == longest);
            longest.map(|(key, _)| key).min()
        };
        parallel::map(self.positions.parts(), lowest).into_iter().flatten().min()
    }
}

impl AnySolved {
    fn unfolded_counts(&self, game: &dyn AnyWidth) -> Counts {
        by_width!(self, solved => solved.counted(|key| game.orbit(key)))
    }

    fn longest_win(&self) -> Option<AnyKey> {
        Some(map_width!(self, solved => solved.longest_win()?))
    }
}

impl<P: Packed> Solution<P> {
    /// The position from which everything else is reached.
    pub fn root(&self) -> &P {
        &self.game.root
    }

    /// Whether it is that of a [folded](crate::graph::Graph::folded) graph: then positions are orbits.
    pub fn is_folded(&self) -> bool {
        self.game.is_folded()
    }

    /// The numbers of won, drawn and lost positions, each counted with all its images if the graph was folded: those that the root
    /// or one of its images leads to. It makes the images of all positions.
    pub fn unfolded_counts(&self) -> Counts {
        if self.is_folded() { self.solved.unfolded_counts(&self.game) } else { self.counts() }
    }

    /// The numbers of won, drawn and lost positions.
    pub fn counts(&self) -> Counts {
        by_width!(&self.solved, solved => solved.counts)
    }

    /// The number of moves in the graph.
    pub fn edges(&self) -> u64 {
        by_width!(&self.solved, solved => solved.edges)
    }

    /// The value of a position for its side to move; `None` if the root does not lead to it.
    pub fn value(&self, position: &P) -> Option<Value> {
        if position.packed_bits() > self.game.root.packed_bits() {
            return None;
        }
        by_width!(&self.solved, solved => solved.value(self.game.key(position)))
    }

    /// The number of parts that the positions are kept in.
    pub fn parts(&self) -> usize {
        by_width!(&self.solved, solved => solved.positions.parts())
    }

    /// The positions of a part with their values, in no order that means anything; the same one every time. Every position is
    /// in one part.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn part(&self, number: usize) -> Box<dyn Iterator<Item = (P, Value)> + '_> {
        let root = &self.game.root;
        by_width!(&self.solved, solved => {
            Box::new(solved.part(number).map(|(key, value)| (root.unpack(key), value)))
        })
    }

    /// The value of the root.
    pub fn root_value(&self) -> Value {
        self.value(&self.game.root).unwrap_or(Value::Draw)
    }

    /// The won position that takes longest to win; of several, the one with the lowest key.
    pub fn longest_win(&self) -> Option<P> {
        Some(by_width!(self.solved.longest_win()?, key => self.game.root.unpack(key)))
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
impl<P: Packed> Probe<P> for Solution<P> {
    fn probe_wdl(&self, position: &P) -> Option<Outcome> {
        self.value(position).map(Value::outcome)
    }

    fn probe(&self, position: &P) -> Option<Value> {
        self.value(position)
    }
}
