//! What positions of Diamond Chess of the World Tree are worth.

use super::Evaluate;
use super::listed::{Listed, Tunable, listed};
use jewel_engine::bitboard::Square;
use jewel_engine::position::Position;
use jewel_engine::tactics::PieceValues;
use jewel_engine::value::Side;
use jewel_engine::world_tree::{Kind, Move, WorldTree};
use jewel_engine::zobrist::MAX_TYPES;

/// The worth of the kinds in exchanges, by number. The town is worth the game.
const VALUES: [i32; Kind::COUNT] = [10_000, 260, 320, 330, 220, 300, 380, 340, 110];

static EXCHANGE: PieceValues = {
    let mut values = [0; MAX_TYPES];
    let mut n = 0;
    while n < Kind::COUNT {
        values[n] = VALUES[n];
        n += 1;
    }
    values
};

listed! {
    /// The weights of [`Grove`].
    Weights {
        /// The gormoror.
        gormoror: 260, 60;
        /// The khtsoyis.
        khtsoyis: 320, 60;
        /// The herethroy.
        herethroy: 330, 60;
        /// The orren.
        orren: 220, 60;
        /// The rassimel.
        rassimel: 300, 60;
        /// The sleeth.
        sleeth: 380, 60;
        /// The zi ri.
        zi_ri: 340, 60;
        /// A cani.
        cani: 110, 40;
        /// For each step that a piece is nearer to the enemy's town than the far corner.
        near: 4, 4;
        /// A piece next to the enemy's town, besides.
        siege: 30, 20;
        /// The same two steps away.
        siege_at_two: 24, 20;
        /// The same three steps away.
        siege_at_three: 12, 20;
        /// For an own piece within two steps of the town.
        warden: 10, 10;
        /// For a marker that is used up.
        marked: -60, 30;
        /// For the turn.
        tempo: 24, 20;
        /// For what is left of a turn after a move.
        half_tempo: 8, 15;
    }
}

/// The evaluation of the World Tree: material, the way to the enemy's town, guards around one's own. Positions
/// are looked at afresh.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grove {
    weights: Weights,
}

/// With weights by hand.
impl Default for Grove {
    fn default() -> Grove {
        Grove { weights: Weights::FIRST }
    }
}

fn distance(one: Square, other: Square) -> i32 {
    let (a, b) = (one.index() as i32, other.index() as i32);
    (a % 8 - b % 8).abs().max((a / 8 - b / 8).abs())
}

impl Weights {
    /// By the number of the kind, the town's left out.
    #[inline(always)]
    const fn material(&self) -> [i32; Kind::COUNT - 1] {
        let &Weights { gormoror, khtsoyis, herethroy, orren, rassimel, sleeth, zi_ri, cani, .. } = self;
        [gormoror, khtsoyis, herethroy, orren, rassimel, sleeth, zi_ri, cani]
    }

    /// What a side has.
    fn side(&self, position: &WorldTree, side: Side) -> i32 {
        let towns = Side::BOTH.map(|side| position.pieces(side, Kind::Town));
        let [own, enemy] = [towns[side.index()], towns[(!side).index()]];
        let siege = [0, self.siege, self.siege_at_two, self.siege_at_three];
        let mut worth = 0;
        for (kind, material) in Kind::ALL[1..].iter().zip(self.material()) {
            for square in position.pieces(side, *kind) {
                worth += material;
                if enemy.any() {
                    let steps = distance(square, enemy.first());
                    worth += self.near * (7 - steps) + siege.get(steps as usize).copied().unwrap_or(0);
                }
                if own.any() && distance(square, own.first()) <= 2 {
                    worth += self.warden;
                }
            }
        }
        let marked =
            [Kind::Gormoror, Kind::Rassimel].into_iter().filter(|&kind| position.is_marked(side, kind));
        worth + self.marked * marked.filter(|&kind| position.pieces(side, kind).any()).count() as i32
    }
}

impl Evaluate<WorldTree> for Grove {
    type State = ();

    fn begin(&self, _: &WorldTree) {}

    #[inline(always)]
    fn advance(&self, _: &WorldTree, _: Move, (): &()) {}

    fn evaluate(&self, position: &WorldTree, (): &()) -> i32 {
        let us = position.side_to_move();
        let tempo = if position.is_mid_turn() { self.weights.half_tempo } else { self.weights.tempo };
        self.weights.side(position, us) - self.weights.side(position, !us) + tempo
    }

    #[inline(always)]
    fn exchange_values(&self) -> &PieceValues {
        &EXCHANGE
    }
}

impl Tunable<WorldTree> for Grove {
    fn weights(&self) -> Vec<Listed> {
        self.weights.list()
    }

    fn with_values(&self, values: &[i32]) -> Grove {
        Grove { weights: self.weights.with(values) }
    }
}
