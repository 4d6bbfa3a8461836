//! Playouts, evaluation and priors.

use super::material::MaterialEvaluation;
use super::move_weights::MoveWeights;
use crate::ismcts::insight::Insight;
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::crown_jewels::{AROUND, CrownJewels, Move, Rules, Tile};
use jewel_engine::playout::Step;
use jewel_engine::position::Position;
use jewel_engine::random::Random;
use jewel_engine::value::{Outcome, Side};

/// The least strength at which the trees treat a tile as strong.
const STRONG: u8 = 7;

/// The most tiles that a side can have.
const MAX_TILES: usize = 14;

/// Knowledge of Crown Jewels: in playouts both sides move as players would who know their own tiles and those that
/// contests have shown; after a few plies the evaluation decides.
#[derive(Clone, Debug)]
pub struct CrownJewelsInsight {
    weights: MoveWeights,
    /// The board.
    squares: Bitboard,
    evaluation: MaterialEvaluation,
}

impl CrownJewelsInsight {
    /// The knowledge for some rules.
    pub fn new(rules: &'static Rules) -> CrownJewelsInsight {
        let (files, ranks) = rules.size();
        let squares =
            (0..8 * ranks).filter(|square| square % 8 < files).map(|square| Square::new(square as u8));
        CrownJewelsInsight {
            weights: MoveWeights::new(rules),
            squares: squares.collect(),
            evaluation: MaterialEvaluation::new(rules),
        }
    }

    /// The worth of a tile by itself, in units of about half a General.
    pub fn tile_worth(&self, tile: Tile) -> f32 {
        self.weights.tile_worth(tile)
    }

    /// How likely the side to move is to play a move, relative to the others, by what it knows.
    #[inline(always)]
    fn weight(&self, world: &CrownJewels, mv: Move) -> u32 {
        let side = world.side_to_move();
        let Some(tile) = world.tile(mv.from).filter(|_| !mv.is_skip()) else { return 1 };
        if world.pieces_of(!side).has(mv.to) {
            let defender = world.tile(mv.to).filter(|_| world.known().has(mv.to));
            self.weights.attack(tile, defender)
        } else {
            self.weights.step(tile, side, mv.from, mv.to)
        }
    }

    /// The sum of the weights of all moves of a tile.
    #[inline(always)]
    fn weights(&self, world: &CrownJewels, side: Side, from: Square, targets: Bitboard) -> u32 {
        let Some(tile) = world.tile(from) else { return 0 };
        let contests = targets & world.pieces_of(!side);
        let steps = targets & !contests;
        let rank = from.index() as u32 & !7;
        let beside = Bitboard(0xff << rank);
        let north = Bitboard((!0 << rank) & !beside.0);
        let south = Bitboard((1 << rank) - 1);
        let (ahead, behind) = if side == Side::White { (north, south) } else { (south, north) };
        let [forwards, sideways, backwards] = *self.weights.steps(tile);
        let mut sum = u32::from(forwards) * (steps & ahead).count()
            + u32::from(sideways) * (steps & beside).count()
            + u32::from(backwards) * (steps & behind).count();
        for to in contests {
            sum += self.weights.attack(tile, world.tile(to).filter(|_| world.known().has(to)));
        }
        sum
    }
}

impl Insight<CrownJewels> for CrownJewelsInsight {
    fn white_share(&self, world: &CrownJewels) -> f64 {
        match world.outcome() {
            Some(Outcome::Draw) => 0.5,
            Some(outcome) => f64::from((outcome == Outcome::Win) == (world.side_to_move() == Side::White)),
            None => self.evaluation.white_share(world),
        }
    }

    #[inline]
    fn step(&self, world: &CrownJewels, random: &mut Random) -> Step<Move> {
        if let Some(outcome) = world.outcome() {
            return Step::Over(outcome);
        }
        // First draw the tile by the sum of its moves' weights, then one of its moves.
        let side = world.side_to_move();
        let own = world.pieces_of(side);
        let open = self.squares & !(own | world.checkers());
        let mut tiles = [(Square::new(0), 0u32); MAX_TILES];
        let (mut count, mut sum) = (0, 0);
        for from in own {
            let targets = AROUND[from.index()] & open;
            if targets.any() && count < MAX_TILES {
                sum += self.weights(world, side, from, targets);
                tiles[count] = (from, sum);
                count += 1;
            }
        }
        if sum == 0 {
            return Step::Move(Move::SKIP);
        }
        let mut left = random.below(sum);
        let place = tiles[..count].iter().position(|&(_, up_to)| left < up_to).unwrap_or(count - 1);
        let (from, _) = tiles[place];
        left -= if place > 0 { tiles[place - 1].1 } else { 0 };
        let mut mv = Move::SKIP;
        for to in AROUND[from.index()] & open {
            mv = Move { from, to };
            let weight = self.weight(world, mv);
            if left < weight {
                break;
            }
            left -= weight;
        }
        Step::Move(mv)
    }

    /// More plies the fewer tiles are left: they are farther from each other, and a ply costs less.
    #[inline]
    fn playout_plies(&self, world: &CrownJewels, plies: u32) -> u32 {
        let left = (world.pieces_of(Side::White) | world.pieces_of(Side::Black)).count();
        plies * (2 * MAX_TILES as u32) / left.max(1)
    }

    /// The sort of tile that moves: for a contest with a known tile its result, otherwise whether the tile is strong
    /// and whether it is a Jewel. Each tile by itself would be met too rarely.
    #[inline]
    fn secret(&self, world: &CrownJewels, mv: Move) -> u64 {
        let Some(tile) = world.tile(mv.from).filter(|_| !mv.is_skip()) else { return 0 };
        if world.known().has(mv.to)
            && let Some(contest) = world.contest(mv)
        {
            return 8 + contest as u64;
        }
        let traits = self.weights.rules().traits();
        u64::from(tile.strength() >= STRONG) + 2 * u64::from(traits.is_jewel(tile))
    }

    #[inline]
    fn prior(&self, world: &CrownJewels, mv: Move) -> f32 {
        self.weight(world, mv) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::ability::Game;
    use jewel_engine::crown_jewels::CrownJewelsGame;
    use jewel_engine::position::list_moves;
    use std::collections::HashMap;

    #[test]
    fn playouts_draw_moves_by_their_weights() {
        let game = CrownJewelsGame::with_parameters("tiles=6,files=4,ranks=6").unwrap();
        let insight = CrownJewelsInsight::new(game.rules());
        let mut random = Random::new(3);
        let mut state = game.start();
        for _ in 0..12 {
            let moves = list_moves(&state);
            let weights: Vec<u32> = moves.iter().map(|&mv| insight.weight(&state, mv)).collect();
            let sum = f64::from(weights.iter().sum::<u32>());
            const DRAWS: usize = 4000;
            let mut seen: HashMap<Move, f64> = HashMap::new();
            for _ in 0..DRAWS {
                let Step::Move(mv) = insight.step(&state, &mut random) else {
                    panic!("the game is not over")
                };
                *seen.entry(mv).or_default() += 1.0;
            }
            assert!(seen.keys().all(|mv| moves.contains(mv)), "{state:?}");
            for (mv, weight) in moves.iter().zip(weights) {
                let expected = DRAWS as f64 * f64::from(weight) / sum;
                let drawn = seen.get(mv).copied().unwrap_or(0.0);
                // Five standard deviations.
                assert!(
                    (drawn - expected).abs() < 5.0 * expected.sqrt() + 3.0,
                    "{mv:?}: {drawn}, {expected}"
                );
            }
            state.play(moves[random.below(moves.len() as u32) as usize]);
            if state.outcome().is_some() {
                state = game.start();
            }
        }
    }

    #[test]
    fn who_cannot_move_skips() {
        let game = CrownJewelsGame::with_parameters("files=1,ranks=8,home=3,tiles=1,checkers=2").unwrap();
        let state = game.parse_position("b35/#/1/1/1/#/w46/# w b 0").unwrap();
        let step = CrownJewelsInsight::new(game.rules()).step(&state, &mut Random::new(1));
        assert!(matches!(step, Step::Move(mv) if mv.is_skip()));
    }
}
