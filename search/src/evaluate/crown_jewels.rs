//! The evaluation of a whole Crown Jewels position, by what tiles are worth in contests.

use super::{Evaluate, Tunable};
use crate::ismcts::crown_jewels::CrownJewelsInsight;
use crate::ismcts::insight::Insight;
use crate::score::Score;
use jewel_engine::crown_jewels::{CrownJewels, CrownJewelsGame, Move, Tile};
use jewel_engine::position::Position;
use jewel_engine::tactics::PieceValues;
use jewel_engine::value::Side;

/// The share of a point that a position promises, with all tiles seen, as centipawns. It follows from the rules.
#[derive(Clone, Debug)]
pub struct CrownJewelsEvaluation {
    insight: CrownJewelsInsight,
    exchange: PieceValues,
}

impl CrownJewelsEvaluation {
    /// The evaluation for a game with these parameters.
    pub fn new(game: &CrownJewelsGame) -> CrownJewelsEvaluation {
        let insight = CrownJewelsInsight::new(game.rules());
        let mut exchange = PieceValues::default();
        for tile in Tile::all() {
            exchange[tile.index()] = (100.0 * insight.tile_worth(tile)) as i32;
        }
        CrownJewelsEvaluation { insight, exchange }
    }
}

impl Evaluate<CrownJewels> for CrownJewelsEvaluation {
    type State = ();

    fn begin(&self, _: &CrownJewels) {}

    fn advance(&self, _: &CrownJewels, _: Move, (): &()) {}

    fn evaluate(&self, state: &CrownJewels, (): &()) -> i32 {
        let white = Score::from_expectation(self.insight.white_share(state)).raw();
        if state.side_to_move() == Side::White { white } else { -white }
    }

    fn exchange_values(&self) -> &PieceValues {
        &self.exchange
    }
}

/// Nothing is left to fit.
impl Tunable<CrownJewels> for CrownJewelsEvaluation {}
