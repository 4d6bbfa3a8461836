//! The worth of Crystal Draughts positions: how far it is for each player.

use super::Evaluate;
use super::listed::{Listed, Tunable, listed};
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::crystal::{Crystal, Lattice, Move};
use jewel_engine::position::Position;
use jewel_engine::value::Side;

/// No evaluation exceeds this.
const MAX: i32 = 19_999;

listed! {
    /// The weights of [`Distance`].
    Weights {
        /// For each path that is still to go.
        path: -20, 10;
        /// For the square of each electron's way: those left behind find nobody to jump over.
        straggler: -2, 2;
        /// For each enemy on the tier that a player makes for: there is no place for all while he stays.
        blockade: -12, 10;
        /// For an electron that no path leads on.
        stuck: -4, 8;
        /// For the turn.
        tempo: 10, 10;
    }
}

/// The evaluation of a race through one crystal.
///
/// Where every atom of the far tier must be filled, the paths to go are a lower bound of the assignment of
/// electrons to atoms: measured to the atoms deepest in the tier, less what those nearer the edge are short of
/// that. Any potential that changes by at most one along a path gives such a bound (the dual of the
/// assignment); this one makes an electron that arrives make way for the next.
#[derive(Clone, Debug)]
pub struct Distance {
    /// By player and atom.
    paths: [[i32; 64]; 2],
    /// What the sum of paths is when all are home.
    home: i32,
    weights: Weights,
}

/// Paths from each atom to the nearest of some atoms.
fn paths_to(crystal: &Lattice, goal: Bitboard) -> [i32; 64] {
    let mut paths = [0; 64];
    let (mut reached, mut front, mut length) = (goal, goal, 0);
    while front != Bitboard::EMPTY {
        front.into_iter().for_each(|atom: Square| paths[atom.index()] = length);
        let next = front.into_iter().fold(Bitboard::EMPTY, |set, atom| set | crystal.neighbours(atom));
        front = next & !reached;
        reached |= front;
        length += 1;
    }
    paths
}

impl Distance {
    /// The evaluation of games on this crystal.
    pub fn new(crystal: &Lattice) -> Distance {
        let full = crystal.tokens() == 4 * crystal.molecules();
        let paths = Side::BOTH.map(|side| {
            let far = crystal.far(side);
            // The atoms of the tier that no path enters from outside.
            let deep = far.into_iter().filter(|&atom| (crystal.neighbours(atom) & !far).is_empty()).collect();
            paths_to(crystal, if full { deep } else { far })
        });
        let home =
            if full { crystal.far(Side::White).into_iter().map(|a| paths[0][a.index()]).sum() } else { 0 };
        Distance { paths, home, weights: Weights::FIRST }
    }

    /// How good it looks for one player, whoever is to move.
    fn of(&self, position: &Crystal, side: Side) -> i32 {
        let crystal = position.lattice();
        let Distance { weights, paths, home, .. } = self;
        let paths = &paths[side.index()];
        let empty = !position.occupied();
        let mut score = -weights.path * home;
        for atom in position.pieces_of(side) {
            let way = paths[atom.index()];
            score += weights.path * way + weights.straggler * way * way;
            if way > 1 && (crystal.neighbours(atom) & empty).is_empty() {
                score += weights.stuck;
            }
        }
        let far = crystal.far(side);
        score + weights.blockade * (position.pieces_of(!side) & far).count() as i32
    }
}

impl Evaluate<Crystal> for Distance {
    type State = ();

    fn begin(&self, _: &Crystal) {}

    #[inline(always)]
    fn advance(&self, _: &Crystal, _: Move, (): &()) {}

    #[inline]
    fn evaluate(&self, position: &Crystal, (): &()) -> i32 {
        let us = position.side_to_move();
        (self.of(position, us) - self.of(position, !us) + self.weights.tempo).clamp(-MAX, MAX)
    }
}

impl Tunable<Crystal> for Distance {
    fn weights(&self) -> Vec<Listed> {
        self.weights.list()
    }

    fn with_values(&self, values: &[i32]) -> Distance {
        Distance { weights: self.weights.with(values), ..self.clone() }
    }
}
