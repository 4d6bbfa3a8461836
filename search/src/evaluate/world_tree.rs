//! What positions of Diamond Chess of the World Tree are worth.

use super::Evaluate;
use jewel_engine::bitboard::Square;
use jewel_engine::tactics::PieceValues;
use jewel_engine::value::Side;
use jewel_engine::world_tree::{Kind, Move, WorldTree};
use jewel_engine::zobrist::MAX_TYPES;

/// The worth of the kinds, by number. The town is worth the game.
const VALUES: [i32; Kind::COUNT] = [10_000, 260, 320, 330, 220, 300, 380, 340, 110];
/// For each step that a piece is nearer to the enemy's town than the far corner.
const NEAR: i32 = 4;
/// The same where it can strike there: within three steps.
const SIEGE: [i32; 4] = [0, 30, 24, 12];
/// For an own piece that guards the squares around the town.
const GUARD: i32 = 10;
/// For a marker that is used up.
const MARKED: i32 = -60;
/// For the turn, and for what is left of it.
const TEMPO: [i32; 2] = [24, 8];

static EXCHANGE: PieceValues = {
    let mut values = [0; MAX_TYPES];
    let mut n = 0;
    while n < Kind::COUNT {
        values[n] = VALUES[n];
        n += 1;
    }
    values
};

/// An evaluation by hand: material, the way to the enemy's town, guards around one's own. The weights are
/// guesses. Positions are looked at afresh.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Grove;

fn distance(one: Square, other: Square) -> i32 {
    let (a, b) = (one.index() as i32, other.index() as i32);
    (a % 8 - b % 8).abs().max((a / 8 - b / 8).abs())
}

/// What a side has.
fn side_worth(position: &WorldTree, side: Side) -> i32 {
    let towns = Side::BOTH.map(|side| position.pieces(side, Kind::Town));
    let [own, enemy] = [towns[side.index()], towns[(!side).index()]];
    let mut worth = 0;
    for kind in &Kind::ALL[1..] {
        for square in position.pieces(side, *kind) {
            worth += VALUES[*kind as usize];
            if enemy.any() {
                let steps = distance(square, enemy.first());
                worth += NEAR * (7 - steps) + SIEGE.get(steps as usize).copied().unwrap_or(0);
            }
            if own.any() && distance(square, own.first()) <= 2 {
                worth += GUARD;
            }
        }
    }
    let marked = [Kind::Gormoror, Kind::Rassimel].into_iter().filter(|kind| position.is_marked(side, *kind));
    worth + MARKED * marked.filter(|kind| position.pieces(side, *kind).any()).count() as i32
}

impl Evaluate<WorldTree> for Grove {
    type State = ();

    fn begin(&self, _: &WorldTree) {}

    #[inline(always)]
    fn advance(&self, _: &WorldTree, _: Move, (): &()) {}

    fn evaluate(&self, position: &WorldTree, (): &()) -> i32 {
        let us = jewel_engine::position::Position::side_to_move(position);
        let tempo = TEMPO[usize::from(position.is_mid_turn())];
        side_worth(position, us) - side_worth(position, !us) + tempo
    }

    #[inline(always)]
    fn exchange_values(&self) -> &PieceValues {
        &EXCHANGE
    }
}
