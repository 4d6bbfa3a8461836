//! The evaluation of Crystal Draughts: how far each player has to go.

use super::listed::{Listed, Tunable, listed};
use super::{Evaluate, MAX_EVALUATION};
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::crystal::{Crystal, Lattice, Move};
use jewel_engine::position::Position;
use jewel_engine::value::Side;

listed! {
    /// The weights of [`CrystalEvaluation`].
    Weights {
        /// For each path still to go.
        path: -20, 10;
        /// For the squared distance of each electron: those left behind have no pieces to jump over.
        straggler: -2, 2;
        /// For each enemy on the player's goal tier: while it stays, the tier lacks a place.
        blockade: -12, 10;
        /// For an electron without an empty neighbour.
        stuck: -4, 8;
        /// For the right to move.
        tempo: 10, 10;
    }
}

/// The evaluation of a race through one crystal.
///
/// Where every atom of the far tier must be filled, the number of paths to go is a lower bound of the best assignment
/// of electrons to atoms: distances are measured to the atoms deepest in the tier, less the sum of those distances
/// when all electrons are home. Any potential that changes by at most one along a path gives such a bound (the dual
/// of the assignment); with this one an electron that has arrived makes way for the next.
#[derive(Clone, Debug)]
pub struct CrystalEvaluation {
    /// By player and atom: paths to the goal.
    paths: [[i32; 64]; 2],
    /// The sum of these paths when all electrons are home.
    home: i32,
    weights: Weights,
}

/// The number of paths from each atom to the nearest atom of a set.
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

impl CrystalEvaluation {
    /// The evaluation of games on this crystal.
    pub fn new(crystal: &Lattice) -> CrystalEvaluation {
        let full = crystal.tokens() == 4 * crystal.molecules();
        let paths = Side::BOTH.map(|side| {
            let far = crystal.far(side);
            // The atoms of the tier that no path enters from outside.
            let deep = far.into_iter().filter(|&atom| (crystal.neighbours(atom) & !far).is_empty()).collect();
            paths_to(crystal, if full { deep } else { far })
        });
        let home =
            if full { crystal.far(Side::White).into_iter().map(|a| paths[0][a.index()]).sum() } else { 0 };
        CrystalEvaluation { paths, home, weights: Weights::FIRST }
    }

    /// One player's score, without regard to the side to move.
    fn side(&self, position: &Crystal, side: Side) -> i32 {
        let crystal = position.lattice();
        let CrystalEvaluation { weights, paths, home, .. } = self;
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

impl Evaluate<Crystal> for CrystalEvaluation {
    type State = ();

    fn begin(&self, _: &Crystal) {}

    #[inline(always)]
    fn advance(&self, _: &Crystal, _: Move, (): &()) {}

    #[inline]
    fn evaluate(&self, position: &Crystal, (): &()) -> i32 {
        let us = position.side_to_move();
        (self.side(position, us) - self.side(position, !us) + self.weights.tempo)
            .clamp(-MAX_EVALUATION, MAX_EVALUATION)
    }
}

impl Tunable<Crystal> for CrystalEvaluation {
    fn weights(&self) -> Vec<Listed> {
        self.weights.list()
    }

    fn with_values(&self, values: &[i32]) -> CrystalEvaluation {
        CrystalEvaluation { weights: self.weights.with(values), ..self.clone() }
    }
}
