//! Playouts, evaluation and priors.

use super::worth::Worths;
use crate::ismcts::insight::Insight;
use jewel_engine::crown_jewels::{CrownJewels, Move, Rules};
use jewel_engine::playout::Step;
use jewel_engine::position::Position;
use jewel_engine::random::Random;
use jewel_engine::value::{Outcome, Side};
use std::ops::ControlFlow;

/// The lead in worth at which a player expects about three quarters of the points.
const SCALE: f32 = 2.5;

/// Strength from which a tile is strong to the trees.
const STRONG: u8 = 7;

/// Most moves that a side has: 14 tiles, eight steps each.
const MOST_MOVES: usize = 14 * 8;

/// Knowledge of Crown Jewels: in playouts players prefer what a player would who knows his own tiles and those
/// that contests have shown; the rest is decided by what is left after a few plies.
#[derive(Clone, Debug)]
pub struct CrownJewelsInsight {
    worths: Worths,
}

impl CrownJewelsInsight {
    /// The knowledge for some rules.
    pub fn new(rules: &'static Rules) -> CrownJewelsInsight {
        CrownJewelsInsight { worths: Worths::new(rules) }
    }

    /// What tiles are worth.
    pub fn worths(&self) -> &Worths {
        &self.worths
    }

    /// How likely the side to move is to play a move, relative to others, by what it knows.
    #[inline(always)]
    fn weight(&self, world: &CrownJewels, mv: Move) -> u32 {
        let side = world.side_to_move();
        let Some(tile) = world.tile(mv.from).filter(|_| !mv.is_skip()) else { return 1 };
        if world.of_side(!side).has(mv.to) {
            let defender = world.tile(mv.to).filter(|_| world.known().has(mv.to));
            self.worths.attack(tile, defender)
        } else {
            self.worths.step(tile, side, mv.from, mv.to)
        }
    }

    /// What a side has, in worth.
    fn holdings(&self, world: &CrownJewels, side: Side) -> f32 {
        let known = world.known();
        let tiles = world.of_side(side);
        let mut worth = 0.0;
        for square in tiles {
            if let Some(tile) = world.tile(square) {
                worth += self.worths.of_tile(tile, known.has(square));
            }
        }
        // A side without Jewels that has not lost began without.
        let lives = if world.jewels(side) > 0 { world.jewels(side) } else { tiles.count() };
        worth + self.worths.of_lives(lives)
    }
}

impl Insight<CrownJewels> for CrownJewelsInsight {
    fn white_share(&self, world: &CrownJewels) -> f64 {
        match world.outcome() {
            Some(Outcome::Draw) => 0.5,
            Some(outcome) => f64::from((outcome == Outcome::Win) == (world.side_to_move() == Side::White)),
            None => {
                let lead = self.holdings(world, Side::White) - self.holdings(world, Side::Black);
                f64::from(1.0 / (1.0 + (-lead / SCALE * 1.1).exp()))
            }
        }
    }

    #[inline]
    fn step(&self, world: &CrownJewels, random: &mut Random) -> Step<Move> {
        if let Some(outcome) = world.outcome() {
            return Step::Over(outcome);
        }
        let mut moves = [(Move::SKIP, 0u32); MOST_MOVES];
        let (mut count, mut sum) = (0, 0);
        let _: ControlFlow<()> = world.moves(|mv| {
            sum += self.weight(world, mv);
            moves[count] = (mv, sum);
            count += 1;
            if count < MOST_MOVES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        let drawn = random.below(sum);
        let place = moves[..count].partition_point(|&(_, up_to)| up_to <= drawn);
        Step::Move(moves[place.min(count.saturating_sub(1))].0)
    }

    /// What sort of tile it is that moves: for a contest with a known tile what comes of it, else how strong it is
    /// and whether it is a Jewel. Every tile by itself would be known too rarely.
    #[inline]
    fn secret(&self, world: &CrownJewels, mv: Move) -> u64 {
        let Some(tile) = world.tile(mv.from).filter(|_| !mv.is_skip()) else { return 0 };
        if world.known().has(mv.to)
            && let Some(contest) = world.contest(mv)
        {
            return 8 + contest as u64;
        }
        let traits = self.worths.rules().traits();
        u64::from(tile.strength() >= STRONG) + 2 * u64::from(traits.is_jewel(tile))
    }

    #[inline]
    fn prior(&self, world: &CrownJewels, mv: Move) -> f32 {
        self.weight(world, mv) as f32
    }
}
