//! Static evaluations: the value of a position without looking ahead.

mod crown_jewels;
mod crystal;
mod derive;
mod evaluation;
mod files;
mod general;
pub mod general_net;
mod hand;
mod kings_mate;
mod layout;
mod listed;
pub mod net;
mod royal_safety;
mod start;
mod taper;
mod weights;
mod world_tree;

pub use crown_jewels::CrownJewelsEvaluation;
pub use crystal::CrystalEvaluation;
pub use derive::{Constant, Constants};
pub use evaluation::{Evaluation, EvaluationState};
pub(crate) use hand::EvaluationParts;
pub use hand::{HandcraftedEvaluation, PieceSquareState};
pub use kings_mate::KingsMateEvaluation;
pub use listed::{Listed, Tunable, WeightList};
pub use weights::{AttackUnits, GeneralWeights, KeyWeights, Pair, PieceWeights, Term, Weights, WeightsError};
pub use world_tree::WorldTreeEvaluation;

use jewel_engine::position::Position;
use jewel_engine::tactics::PieceValues;
use jewel_engine::zobrist::MAX_TYPES;
use std::cell::OnceCell;

/// No evaluation has a greater magnitude.
const MAX_EVALUATION: i32 = 19_999;

/// A static evaluation. The simplest one is a function of the position, such as `|_: &P| 0` or a `fn(&P) -> i32`.
/// Others keep a `State` that is updated from move to move; searches have one for each position of the path.
pub trait Evaluate<P: Position>: Clone + Send + Sync {
    /// The state that is updated from move to move.
    type State: Copy + Send;

    /// The state of a position, computed from scratch.
    fn begin(&self, position: &P) -> Self::State;

    /// The state after a move from a position with this state: equal to what
    /// [`begin`](Evaluate::begin) gives there.
    fn advance(&self, before: &P, mv: P::Move, state: &Self::State) -> Self::State;

    /// Fills an empty cell with the state after a move. An evaluation whose states are large, but not in every game, saves
    /// copies by its own.
    #[inline]
    fn advance_into(&self, before: &P, mv: P::Move, state: &Self::State, cell: &OnceCell<Self::State>) {
        let _ = cell.set(self.advance(before, mv, state));
    }

    /// The worth of a position for the side to move, in centipawns; the magnitude is below 20000.
    fn evaluate(&self, position: &P, state: &Self::State) -> i32;

    /// The values of pieces in exchanges; zeros unless overridden, which is right for games without captures.
    #[inline(always)]
    fn exchange_values(&self) -> &PieceValues {
        &[0; MAX_TYPES]
    }

    /// How much worse than equality a draw by repetition counts for the side that searches, in centipawns; not
    /// negative.
    #[inline(always)]
    fn contempt(&self) -> i32 {
        0
    }

    /// The worth of a single position: for callers that do not follow a line.
    fn evaluate_afresh(&self, position: &P) -> i32 {
        self.evaluate(position, &self.begin(position))
    }

    /// The worth of a single position in outline, in less time: for callers to whom a pawn more or less makes no difference, such as a
    /// proof search. It is [`evaluate_afresh`](Evaluate::evaluate_afresh) unless overridden.
    fn outline(&self, position: &P) -> i32 {
        self.evaluate_afresh(position)
    }
}

/// A function is an evaluation that keeps nothing up to date: the centipawns of a position for the side to move.
impl<P: Position, F: Fn(&P) -> i32 + Clone + Send + Sync> Evaluate<P> for F {
    type State = ();

    #[inline(always)]
    fn begin(&self, _: &P) {}

    #[inline(always)]
    fn advance(&self, _: &P, _: P::Move, (): &()) {}

    #[inline(always)]
    fn evaluate(&self, position: &P, (): &()) -> i32 {
        self(position)
    }
}

impl<P: Position, F: Fn(&P) -> i32 + Clone + Send + Sync> Tunable<P> for F {}
