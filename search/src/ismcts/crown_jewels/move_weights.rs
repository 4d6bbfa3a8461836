//! How likely players are to make a move, by the worth they give to tiles.

use jewel_engine::bitboard::Square;
use jewel_engine::crown_jewels::{Contest, Rules, Tile};
use jewel_engine::value::Side;

/// Stands for a defender that the attacker does not know.
pub(super) const UNKNOWN: usize = Tile::COUNT;

/// The worth of a tile without strength, and of each point of strength.
const BASE: f32 = 0.5;
const PER_POINT: f32 = 0.1;
/// What traits add to it.
const SPY: f32 = 0.5;
const BOMB: f32 = 0.3;
const GENERAL: f32 = 0.1;
/// The weight of an ordinary step; no move has less than 1.
const STEP: f32 = 16.0;
/// What the weight of a step forwards, sideways and backwards is multiplied by.
const DIRECTIONS: [f32; 3] = [1.0, 0.4, 0.3];
/// The steps of Jewels weaker than this are multiplied by [`TIMID`]: they tend to stay where they are.
const BOLD_STRENGTH: u8 = 9;
const TIMID: f32 = 0.2;
/// A contest that gains 1 in worth is `e` to this power times as likely as a step.
const KEENNESS: f32 = 1.5;
/// The greatest weight.
const MAX: f32 = 4000.0;

/// Weights that say how likely players are to make a move. They are made from the worth of tiles, in units of about half
/// a General; how good a position is, [`MaterialEvaluation`](super::MaterialEvaluation) says.
#[derive(Clone, Debug)]
pub(super) struct MoveWeights {
    rules: &'static Rules,
    tile_worth: [f32; Tile::COUNT],
    /// By attacker and defender, or [`UNKNOWN`].
    attack: [[u16; Tile::COUNT + 1]; Tile::COUNT],
    /// By tile and direction: forwards, sideways, backwards.
    step: [[u16; 3]; Tile::COUNT],
}

impl MoveWeights {
    /// The weights under some rules.
    pub(super) fn new(rules: &'static Rules) -> MoveWeights {
        let mut weights = MoveWeights {
            rules,
            tile_worth: [0.0; Tile::COUNT],
            attack: [[1; UNKNOWN + 1]; Tile::COUNT],
            step: [[1; 3]; Tile::COUNT],
        };
        for tile in Tile::all() {
            weights.tile_worth[tile.index()] = worth(rules, tile);
        }
        for attacker in Tile::all() {
            let enemies = rules.tiles().without(attacker);
            let row = &mut [1; UNKNOWN + 1];
            let mut sum = 0.0;
            for defender in enemies {
                let gain = weights.gain(attacker, defender);
                sum += gain;
                row[defender.index()] = weight(STEP * (KEENNESS * gain).exp());
            }
            let mean = sum / enemies.count().max(1) as f32;
            row[UNKNOWN] = weight(STEP * (KEENNESS * mean).exp());
            weights.attack[attacker.index()] = *row;
            let timid = rules.traits().is_jewel(attacker) && attacker.strength() < BOLD_STRENGTH;
            let bold = if timid { TIMID } else { 1.0 };
            weights.step[attacker.index()] = DIRECTIONS.map(|direction| weight(STEP * direction * bold));
        }
        weights
    }

    /// The rules that the weights are for.
    pub(super) fn rules(&self) -> &'static Rules {
        self.rules
    }

    /// The worth of a tile by itself.
    pub(super) fn tile_worth(&self, tile: Tile) -> f32 {
        self.tile_worth[tile.index()]
    }

    /// What an attacker who knows the defender gains.
    fn gain(&self, attacker: Tile, defender: Tile) -> f32 {
        let jewel = if self.rules.traits().is_jewel(defender) { 1.0 } else { 0.0 };
        let own = if self.rules.traits().is_jewel(attacker) { 1.0 } else { 0.0 };
        let (won, lost) =
            (self.tile_worth[defender.index()] + jewel, self.tile_worth[attacker.index()] + own);
        match self.rules.traits().contest(attacker, defender) {
            Contest::Win => won,
            Contest::Lose => -lost,
            Contest::Both => won - lost,
        }
    }

    /// The weight of an attack; the defender is `None` where the attacker does not know it.
    #[inline(always)]
    pub(super) fn attack(&self, attacker: Tile, defender: Option<Tile>) -> u32 {
        let defender = defender.map_or(UNKNOWN, Tile::index);
        u32::from(self.attack[attacker.index()][defender])
    }

    /// The weights of a tile's step forwards, sideways and backwards.
    #[inline(always)]
    pub(super) fn steps(&self, tile: Tile) -> &[u16; 3] {
        &self.step[tile.index()]
    }

    /// The weight of a step.
    #[inline(always)]
    pub(super) fn step(&self, tile: Tile, side: Side, from: Square, to: Square) -> u32 {
        let (from, to) = (from.index() >> 3, to.index() >> 3);
        let direction = match (from == to, (to > from) == (side == Side::White)) {
            (true, _) => 1,
            (false, true) => 0,
            (false, false) => 2,
        };
        u32::from(self.step[tile.index()][direction])
    }
}

fn weight(weight: f32) -> u16 {
    weight.clamp(1.0, MAX) as u16
}

fn worth(rules: &Rules, tile: Tile) -> f32 {
    let traits = rules.traits();
    let mut worth = BASE + PER_POINT * f32::from(tile.strength());
    for (has, bonus) in
        [(traits.is_spy(tile), SPY), (traits.is_bomb(tile), BOMB), (traits.is_general(tile), GENERAL)]
    {
        if has {
            worth += bonus;
        }
    }
    worth
}
