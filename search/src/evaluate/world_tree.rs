//! The evaluation of Diamond Chess of the World Tree.

use super::Evaluate;
use super::listed::{Listed, Tunable, listed};
use jewel_engine::bitboard::Bitboard;
use jewel_engine::position::Position;
use jewel_engine::tactics::PieceValues;
use jewel_engine::value::Side;
use jewel_engine::world_tree::{Kind, Move, WorldTree};
use jewel_engine::zobrist::MAX_TYPES;

/// Exchange values by the number of the kind. The town is worth the game.
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
    /// The weights of [`WorldTreeEvaluation`].
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
        /// Each step by which a piece is nearer to the enemy's town than the far corner.
        near: 4, 4;
        /// A piece next to the enemy's town.
        siege: 30, 20;
        /// A piece two steps away from it.
        siege_at_two: 24, 20;
        /// A piece three steps away from it.
        siege_at_three: 12, 20;
        /// An own piece within two steps of the town.
        warden: 10, 10;
        /// A marker that is used up.
        marked: -60, 30;
        /// The right to move.
        tempo: 24, 20;
        /// The rest of a turn after a move.
        half_tempo: 8, 15;
    }
}

/// The evaluation of the World Tree: material, distance to the enemy's town, guards around the own town. It keeps no
/// state from move to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WorldTreeEvaluation {
    weights: Weights,
}

/// With weights set by hand.
impl Default for WorldTreeEvaluation {
    fn default() -> WorldTreeEvaluation {
        WorldTreeEvaluation { weights: Weights::FIRST }
    }
}

/// By square and distance in king's steps: the squares within that distance.
static BALLS: [[Bitboard; 8]; 64] = {
    let mut balls = [[Bitboard::EMPTY; 8]; 64];
    let mut pair: usize = 0;
    while pair < 64 * 64 {
        let (from, to) = (pair / 64, pair % 64);
        let (files, ranks) = ((from % 8).abs_diff(to % 8), (from / 8).abs_diff(to / 8));
        let mut steps = if files > ranks { files } else { ranks };
        while steps < 8 {
            balls[from][steps].0 |= 1 << to;
            steps += 1;
        }
        pair += 1;
    }
    balls
};

impl Weights {
    /// The worth of the kinds by number, without the town.
    #[inline(always)]
    const fn material(&self) -> [i32; Kind::COUNT - 1] {
        let &Weights { gormoror, khtsoyis, herethroy, orren, rassimel, sleeth, zi_ri, cani, .. } = self;
        [gormoror, khtsoyis, herethroy, orren, rassimel, sleeth, zi_ri, cani]
    }

    /// The score of one side.
    fn side(&self, position: &WorldTree, side: Side) -> i32 {
        let towns = Side::BOTH.map(|side| position.pieces(side, Kind::Town));
        let [own, enemy] = [towns[side.index()], towns[(!side).index()]];
        let siege = [0, self.siege, self.siege_at_two, self.siege_at_three];
        let (mut worth, mut others) = (0, Bitboard::EMPTY);
        for (&kind, material) in Kind::ALL[1..].iter().zip(self.material()) {
            let pieces = position.pieces(side, kind);
            worth += material * pieces.count() as i32;
            // A zi ri may share a square.
            others |= if kind == Kind::ZiRi { Bitboard::EMPTY } else { pieces };
        }
        let zi_ri = position.pieces(side, Kind::ZiRi);
        let count = |within: Bitboard| ((others & within).count() + (zi_ri & within).count()) as i32;
        if enemy.any() {
            let mut nearer = 0;
            // A piece `n` steps away is in all balls but the `n` smallest.
            for (steps, &ball) in BALLS[enemy.first().index()][..7].iter().enumerate() {
                let within = count(ball);
                worth += self.near * within + siege.get(steps).copied().unwrap_or(0) * (within - nearer);
                nearer = within;
            }
        }
        if own.any() {
            worth += self.warden * count(BALLS[own.first().index()][2]);
        }
        let marked =
            [Kind::Gormoror, Kind::Rassimel].into_iter().filter(|&kind| position.is_marked(side, kind));
        worth + self.marked * marked.filter(|&kind| position.pieces(side, kind).any()).count() as i32
    }
}

impl Evaluate<WorldTree> for WorldTreeEvaluation {
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

impl Tunable<WorldTree> for WorldTreeEvaluation {
    fn weights(&self) -> Vec<Listed> {
        self.weights.list()
    }

    fn with_values(&self, values: &[i32]) -> WorldTreeEvaluation {
        WorldTreeEvaluation { weights: self.weights.with(values) }
    }
}
