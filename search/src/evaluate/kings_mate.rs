//! The evaluation of King's Mate: material, mobility, the shield of the king, advancing fools.

use super::listed::{Listed, Tunable, listed};
use super::{Evaluate, MAX_EVALUATION};
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::kings_mate::kind::{FOOL, KEEPER, KING, PRIEST, PRIESTESS, SWORDMASTER};
use jewel_engine::kings_mate::{CENTRE, KING_SQUARES, KingsMate, NEAR, RuleSet};
use jewel_engine::tactics::PieceValues;
use jewel_engine::value::Side;

/// Exchange values by type, in centipawns.
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

/// How much worse than equality a draw by repetition counts: in a game in which a defender can wait endlessly, the
/// attacker should not repeat moves.
const CONTEMPT: i32 = 50;
/// The number of pieces at the start.
const PIECES: i32 = 24;
/// A lead in material grows by one part in this many as the board empties: exchanges favour the side that is ahead.
const EXCHANGES: i32 = 2;
/// From this lead in material on, a king and its swordmasters should approach the enemy's king.
const HUNTING: i32 = 250;
/// An advantage shrinks to a half over this many plies without a capture or a fool's move; otherwise the winning side
/// would have no reason to make progress.
const PATIENCE: i32 = 160;

/// An advantage is divided by this where even a bare king can hardly be mated (solved:
/// `docs/results/crystal-and-kings-mate.md`).
const BARREN: i32 = 8;
/// An advantage is divided by this where one officer would have to win against a guarded king.
const ALONE: i32 = 4;

listed! {
    /// The weights of [`KingsMateEvaluation`].
    Weights {
        /// A keeper.
        keeper: 500, 60;
        /// A priest or priestess.
        priest: 320, 60;
        /// A fool.
        fool: 100, 40;
        /// The last swordmaster: without it the king can be attacked.
        guard: 750, 150;
        /// The second swordmaster.
        second_guard: 350, 150;
        /// Each square that a keeper reaches.
        keeper_mobility: 4, 3;
        /// Each square that a priest or priestess reaches.
        priest_mobility: 4, 3;
        /// Each square next to a guarded enemy king that a keeper, priest or priestess reaches.
        siege: 3, 5;
        /// The same next to a defenseless king.
        assault: 14, 10;
        /// A bond torn by an enemy's capture, which king and swordmasters must mend first.
        torn: -40, 30;
        /// A swordmaster that the enemy could capture.
        hunted: -35, 30;
        /// A guarded king on a central raised square, which opens all raised squares to its pieces.
        enthroned: 20, 20;
        /// A fool's step toward the last rank, if an officer waits to come back.
        step: 5, 5;
        /// A fool's step if no officer waits.
        idle_step: 1, 4;
        /// A fool on its own King Square in the expanded rules.
        gambit: 25, 25;
        /// A fool a step from the enemy's King Square, which wins there in the expanded rules.
        usurper: 120, 60;
        /// The same two steps away.
        usurper_at_two: 45, 30;
        /// The same three steps away.
        usurper_at_three: 15, 20;
        /// The right to defend the crown.
        crown: 10, 15;
        /// Each step of a defenseless king from the middle of the board.
        driven: -8, 10;
        /// Each step by which the enemy's king is nearer than eight to a defenseless king.
        chased: -4, 10;
        /// Each square next to a defenseless king that the enemy attacks.
        caged: -12, 10;
        /// Each step by which the kings are nearer than eight, for the side ahead in material.
        hunt: 6, 6;
        /// Each step of a bare king from the middle, counted along files and ranks.
        cornered: -40, 15;
        /// Each step, along files and ranks, by which the enemy's king is nearer than fourteen to a bare king.
        stalked: -40, 15;
        /// Each square that a bare king could reach step by step if no other piece moved.
        roaming: 8, 5;
        /// The right to move.
        tempo: 10, 10;
    }
}

/// The evaluation of King's Mate. It keeps no state from move to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KingsMateEvaluation {
    weights: Weights,
}

/// With weights set by hand, which beat random and greedy play.
impl Default for KingsMateEvaluation {
    fn default() -> KingsMateEvaluation {
        KingsMateEvaluation { weights: Weights::FIRST }
    }
}

/// The distances of two squares along files and along ranks.
fn apart(one: Square, other: Square) -> [i32; 2] {
    let (a, b) = (one.index() as i32, other.index() as i32);
    [(a % 7 - b % 7).abs(), (a / 7 - b / 7).abs()]
}

/// Steps of a king from one square to another.
fn distance(one: Square, other: Square) -> i32 {
    let [files, ranks] = apart(one, other);
    files.max(ranks)
}

/// Steps from one square to another along files and ranks only.
fn walk(one: Square, other: Square) -> i32 {
    let [files, ranks] = apart(one, other);
    files + ranks
}

/// The number of squares that a bare king could reach step by step if no other piece moved.
fn room<R: RuleSet>(position: &KingsMate<R>, side: Side, king: Square) -> i32 {
    let (mut seen, mut new) = (king.bit(), king.bit());
    let mut room = 0;
    while new.any() {
        let from = new.first();
        new &= !from.bit();
        for to in NEAR[from.index()] & !seen {
            seen |= to.bit();
            if !position.is_attacked(to, !side) {
                room += 1;
                new |= to.bit();
            }
        }
    }
    room
}

/// The divisor of an advantage for a side that lacks the pieces to win. A keeper can mate a bare king, and so can a
/// priest or priestess with both swordmasters; a fool may become any of them.
fn shortage<R: RuleSet>(position: &KingsMate<R>, side: Side) -> i32 {
    let count = |side: Side, kind: u8| position.pieces(side, kind).count();
    if count(side, FOOL) > 0 {
        return 1;
    }
    let keepers = count(side, KEEPER);
    let officers = keepers + count(side, PRIEST) + count(side, PRIESTESS);
    if keepers == 0 && (officers == 0 || count(side, SWORDMASTER) < 2) {
        BARREN
    } else if officers == 1 && count(!side, SWORDMASTER) > 0 {
        ALONE
    } else {
        1
    }
}

impl Weights {
    fn material<R: RuleSet>(&self, position: &KingsMate<R>, side: Side) -> i32 {
        let count = |kind: u8| position.pieces(side, kind).count() as i32;
        let shield = [0, self.guard, self.guard + self.second_guard];
        shield[count(SWORDMASTER).clamp(0, 2) as usize]
            + self.keeper * count(KEEPER)
            + self.priest * (count(PRIEST) + count(PRIESTESS))
            + self.fool * count(FOOL)
    }

    /// Mobility, and pressure on the enemy's king.
    fn activity<R: RuleSet>(&self, position: &KingsMate<R>, side: Side) -> i32 {
        let own = position.pieces_of(side);
        let target = position.pieces(!side, KING).first();
        let ring = NEAR[target.index()] | target.bit();
        let siege = if position.is_defenseless(!side) { self.assault } else { self.siege };
        let mut score = 0;
        for (kind, mobility) in [
            (KEEPER, self.keeper_mobility),
            (PRIEST, self.priest_mobility),
            (PRIESTESS, self.priest_mobility),
        ] {
            for from in position.pieces(side, kind) {
                let reach = position.reach(kind, side, from);
                score += mobility * (reach & !own).count() as i32 + siege * (reach & ring).count() as i32;
            }
        }
        score
    }

    /// The king and the pieces that guard it.
    fn shield<R: RuleSet>(&self, position: &KingsMate<R>, side: Side) -> i32 {
        let king = position.pieces(side, KING).first();
        if position.is_defenseless(side) {
            let hunter = position.pieces(!side, KING).first();
            let middle = Square::new(31);
            if position.pieces_of(side) == king.bit() {
                return self.cornered * walk(king, middle)
                    + self.stalked * (14 - walk(king, hunter))
                    + self.roaming * room(position, side, king);
            }
            let around = NEAR[king.index()] & !position.pieces_of(side);
            let caged = around.into_iter().filter(|&square| position.is_attacked(square, !side)).count();
            return self.driven * distance(king, middle)
                + self.chased * (8 - distance(king, hunter))
                + self.caged * caged as i32;
        }
        let mut score = 0;
        if CENTRE.has(king) {
            score += self.enthroned;
        }
        if !position.is_bound(side) {
            score += self.torn;
        }
        if position.may_defend_crown(side) {
            score += self.crown;
        }
        let swordmasters = position.pieces(side, SWORDMASTER).into_iter();
        let hunted = swordmasters.filter(|&square| position.is_attacked(square, !side)).count();
        score + self.hunted * hunted as i32
    }

    fn fools<R: RuleSet>(&self, position: &KingsMate<R>, side: Side) -> i32 {
        let fools = position.pieces(side, FOOL);
        let officers = [(KEEPER, 2), (PRIEST, 1), (PRIESTESS, 1)];
        let waiting = officers.iter().any(|&(kind, all)| position.pieces(side, kind).count() < all);
        let step = if waiting { self.step } else { self.idle_step };
        let usurper = [0, self.usurper, self.usurper_at_two, self.usurper_at_three];
        let goal = KING_SQUARES[(!side).index()];
        let mut score = 0;
        for square in fools {
            let rank = square.index() as i32 / 7;
            score += step * if side == Side::White { rank } else { 8 - rank };
            if position.has_gambit() {
                score += usurper.get(distance(square, goal) as usize).copied().unwrap_or(0);
            }
        }
        if position.has_gambit() && fools.has(KING_SQUARES[side.index()]) {
            score += self.gambit;
        }
        score
    }

    fn side<R: RuleSet>(&self, position: &KingsMate<R>, side: Side) -> i32 {
        if position.pieces(side, KING) == Bitboard::EMPTY {
            return -MAX_EVALUATION;
        }
        self.activity(position, side) + self.shield(position, side) + self.fools(position, side)
    }
}

impl<R: RuleSet> Evaluate<KingsMate<R>> for KingsMateEvaluation {
    type State = ();

    fn begin(&self, _: &KingsMate<R>) {}

    #[inline(always)]
    fn advance(&self, _: &KingsMate<R>, _: jewel_engine::kings_mate::Move, (): &()) {}

    #[inline]
    fn evaluate(&self, position: &KingsMate<R>, (): &()) -> i32 {
        use jewel_engine::position::Position;
        let us = position.side_to_move();
        let weights = &self.weights;
        let lead = weights.material(position, us) - weights.material(position, !us);
        let gone = PIECES - position.occupied().count() as i32;
        let mut score = lead + lead * gone / (EXCHANGES * PIECES);
        score += weights.side(position, us) - weights.side(position, !us);
        if lead.abs() > HUNTING {
            let [one, other] = [us, !us].map(|side| position.pieces(side, KING).first());
            score += lead.signum() * weights.hunt * (8 - distance(one, other));
        }
        score /= shortage(position, if score > 0 { us } else { !us });
        let waited = i32::from(position.clock()).min(PATIENCE);
        (score - score * waited / (2 * PATIENCE) + self.weights.tempo).clamp(-MAX_EVALUATION, MAX_EVALUATION)
    }

    #[inline(always)]
    fn exchange_values(&self) -> &PieceValues {
        &VALUES
    }

    #[inline(always)]
    fn contempt(&self) -> i32 {
        CONTEMPT
    }
}

impl<R: RuleSet> Tunable<KingsMate<R>> for KingsMateEvaluation {
    fn weights(&self) -> Vec<Listed> {
        self.weights.list()
    }

    fn with_values(&self, values: &[i32]) -> KingsMateEvaluation {
        KingsMateEvaluation { weights: self.weights.with(values) }
    }
}
