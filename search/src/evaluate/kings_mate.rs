//! The worth of King's Mate positions: material, mobility, the shield of the king, fools on their way.

use super::Evaluate;
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::kings_mate::kind::{FOOL, KEEPER, KING, PRIEST, PRIESTESS, SWORDMASTER};
use jewel_engine::kings_mate::{CENTRE, KING_SQUARES, KingsMate, NEAR, RuleSet};
use jewel_engine::tactics::PieceValues;
use jewel_engine::value::Side;

/// In exchanges, by type, in centipawns.
const VALUES: PieceValues = {
    let mut values = [0; 32];
    values[KING as usize] = 20_000;
    values[SWORDMASTER as usize] = 550;
    values[KEEPER as usize] = 500;
    values[PRIEST as usize] = 320;
    values[PRIESTESS as usize] = 320;
    values[FOOL as usize] = 100;
    values
};

/// By the number of swordmasters: without the last one the king can be attacked.
const SHIELD: [i32; 3] = [0, 750, 1100];
/// For each square that a keeper, priest or priestess reaches.
const MOBILITY: i32 = 4;
/// For each such line into the squares around a king that cannot be attacked yet, and one that can.
const SIEGE: [i32; 2] = [3, 14];
/// A bond that an enemy's capture has torn: king and swordmasters must mend it before they do anything else.
const TORN: i32 = -40;
/// A swordmaster that the enemy could capture.
const HUNTED: i32 = -35;
/// The king on a central raised square while he is guarded: every raised square is open to his pieces.
const ENTHRONED: i32 = 20;
/// A fool's step toward the last rank, if an officer waits to come back; else its way is just as long.
const STEP: [i32; 2] = [1, 5];
/// A fool on his own King Square in the expanded rules.
const GAMBIT: i32 = 25;
/// By its steps from the enemy's King Square: a fool that threatens to win there.
const USURPER: [i32; 4] = [0, 120, 45, 15];
/// For the right to defend the crown.
const CROWN: i32 = 10;
/// For driving a defenseless king from the middle, by his distance from it.
const DRIVEN: i32 = 8;
/// For the turn.
const TEMPO: i32 = 10;
/// No evaluation exceeds this.
const MOST: i32 = 19_999;

/// The evaluation of King's Mate, by hand; the weights are guesses that beat random and greedy play.
///
/// It looks at positions afresh: nothing is carried along.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bonded;

/// Steps of a king from one square to another.
fn distance(one: Square, other: Square) -> i32 {
    let (a, b) = (one.index() as i32, other.index() as i32);
    (a % 7 - b % 7).abs().max((a / 7 - b / 7).abs())
}

fn material<R: RuleSet>(position: &KingsMate<R>, side: Side) -> i32 {
    let of = |kind: u8| VALUES[kind as usize] * position.pieces(side, kind).count() as i32;
    let swordmasters = position.pieces(side, SWORDMASTER).count() as usize;
    SHIELD[swordmasters.min(2)] + of(KEEPER) + of(PRIEST) + of(PRIESTESS) + of(FOOL)
}

/// Mobility, and pressure on the enemy's king.
fn activity<R: RuleSet>(position: &KingsMate<R>, side: Side) -> i32 {
    let own = position.of_side(side);
    let target = position.pieces(!side, KING).first();
    let ring = NEAR[target.index()] | target.bit();
    let siege = SIEGE[usize::from(position.is_defenseless(!side))];
    let mut score = 0;
    for kind in [KEEPER, PRIEST, PRIESTESS] {
        for from in position.pieces(side, kind) {
            let reach = position.reach(kind, side, from);
            score += MOBILITY * (reach & !own).count() as i32 + siege * (reach & ring).count() as i32;
        }
    }
    score
}

/// The king and those who guard him.
fn shield<R: RuleSet>(position: &KingsMate<R>, side: Side) -> i32 {
    let king = position.pieces(side, KING).first();
    if position.is_defenseless(side) {
        let hunter = position.pieces(!side, KING).first();
        let middle = Square::new(31);
        return -DRIVEN * distance(king, middle) - DRIVEN / 2 * (8 - distance(king, hunter));
    }
    let mut score = 0;
    if CENTRE.has(king) {
        score += ENTHRONED;
    }
    if !position.is_bound(side) {
        score += TORN;
    }
    if position.may_defend_crown(side) {
        score += CROWN;
    }
    let swordmasters = position.pieces(side, SWORDMASTER).into_iter();
    score + HUNTED * swordmasters.filter(|&square| position.is_attacked(square, !side)).count() as i32
}

fn fools<R: RuleSet>(position: &KingsMate<R>, side: Side) -> i32 {
    let fools = position.pieces(side, FOOL);
    let officers = [(KEEPER, 2), (PRIEST, 1), (PRIESTESS, 1)];
    let waiting = officers.iter().any(|&(kind, all)| position.pieces(side, kind).count() < all);
    let goal = KING_SQUARES[(!side).index()];
    let mut score = 0;
    for square in fools {
        let rank = square.index() as i32 / 7;
        let steps = if side == Side::White { rank } else { 8 - rank };
        score += STEP[usize::from(waiting)] * steps;
        if R::EXPANDED {
            let near = distance(square, goal) as usize;
            score += USURPER.get(near).copied().unwrap_or(0);
        }
    }
    if R::EXPANDED && fools.has(KING_SQUARES[side.index()]) {
        score += GAMBIT;
    }
    score
}

fn side_score<R: RuleSet>(position: &KingsMate<R>, side: Side) -> i32 {
    if position.pieces(side, KING) == Bitboard::EMPTY {
        return -MOST;
    }
    material(position, side) + activity(position, side) + shield(position, side) + fools(position, side)
}

impl<R: RuleSet> Evaluate<KingsMate<R>> for Bonded {
    type State = ();

    fn begin(&self, _: &KingsMate<R>) {}

    #[inline(always)]
    fn advance(&self, _: &KingsMate<R>, _: jewel_engine::kings_mate::Move, (): &()) {}

    #[inline]
    fn evaluate(&self, position: &KingsMate<R>, (): &()) -> i32 {
        use jewel_engine::position::Position;
        let us = position.side_to_move();
        let score = side_score(position, us) - side_score(position, !us) + TEMPO;
        score.clamp(-MOST, MOST)
    }

    #[inline(always)]
    fn exchange_values(&self) -> &PieceValues {
        &VALUES
    }
}
