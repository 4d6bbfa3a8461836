//! Which tiles to give, and where to place the others.

use super::material::MaterialEvaluation;
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::crown_jewels::{AROUND, DealView, Gift, Placement, Rules, SetupView, Tile, TileSet};
use jewel_engine::random::Random;
use jewel_engine::value::Side;

/// How well a tile stands at the back, in the middle and in front of its side's home ranks.
struct RankPreference {
    back: f32,
    middle: f32,
    front: f32,
}

const JEWEL: RankPreference = RankPreference { back: 2.0, middle: 0.0, front: -2.5 };
const STRONG_JEWEL: RankPreference = RankPreference { back: 1.2, middle: 0.4, front: -1.0 };
const SPY: RankPreference = RankPreference { back: 0.2, middle: 0.8, front: 0.2 };
const BOMB: RankPreference = RankPreference { back: 0.3, middle: 0.6, front: 0.4 };
const STRONG: RankPreference = RankPreference { back: -0.6, middle: 0.6, front: 0.8 };
const WEAK: RankPreference = RankPreference { back: -0.2, middle: 0.2, front: 0.6 };

/// The least strength of a strong tile.
const STRONG_FROM: u8 = 8;

/// Where players place their tiles.
#[derive(Clone, Debug)]
struct PlacementModel {
    rules: &'static Rules,
}

impl PlacementModel {
    /// How well a tile of a side stands on a square.
    fn square_weight(&self, side: Side, square: Square, tile: Tile) -> f32 {
        let traits = self.rules.traits();
        let strong = tile.strength() >= STRONG_FROM;
        let preference = match (traits.is_jewel(tile), strong) {
            (true, false) => JEWEL,
            (true, true) => STRONG_JEWEL,
            _ if traits.is_spy(tile) => SPY,
            _ if traits.is_bomb(tile) => BOMB,
            (_, true) => STRONG,
            _ => WEAK,
        };
        let depth = self.depth(side, square);
        let towards = |from: f32, to: f32, part: f32| from + (to - from) * part;
        if depth < 0.5 {
            towards(preference.back, preference.middle, 2.0 * depth)
        } else {
            towards(preference.middle, preference.front, 2.0 * depth - 1.0)
        }
    }

    /// 0 on a side's rearmost home rank, 1 on the foremost and beyond.
    fn depth(&self, side: Side, square: Square) -> f32 {
        let ranks: Bitboard = self.rules.home(side);
        let rank = |square: Square| square.index() as f32 / 8.0;
        let (lowest, highest) = (rank(ranks.first()).floor(), rank(last(ranks)).floor());
        let from_south = (rank(square).floor() - lowest) / (highest - lowest).max(1.0);
        (if side == Side::White { from_south } else { 1.0 - from_south }).clamp(0.0, 1.0)
    }
}

fn last(set: Bitboard) -> Square {
    set.into_iter().last().unwrap_or(Square::new(0))
}

/// The value of each open square and of each own tile next to the weakest Jewel.
const OPEN_NEIGHBOUR: f32 = -0.5;
const GUARD: f32 = 0.2;

/// The size of the random part of the score, which keeps placements from being predictable.
const NOISE: f64 = 0.8;

/// Exchanges that are tried to improve a placement, and random placements of checkers to start from.
const EXCHANGES: u32 = 600;
const PATTERNS: u32 = 6;

/// Chooses gifts and placements by what the player knows.
#[derive(Clone, Debug)]
pub struct Chooser {
    evaluation: MaterialEvaluation,
    placement: PlacementModel,
}

impl Chooser {
    /// A chooser for some rules.
    pub fn new(rules: &'static Rules) -> Chooser {
        Chooser { evaluation: MaterialEvaluation::new(rules), placement: PlacementModel { rules } }
    }

    /// The gift that leaves the player farthest ahead, without knowing what the opponent gives; ties are broken at
    /// random.
    pub fn give(&self, view: &DealView, random: &mut Random) -> Gift {
        let hand: Vec<Tile> = view.hand().into_iter().collect();
        let count = view.rules().gift();
        let mut best: Option<(f32, TileSet)> = None;
        for number in 0..1u32 << hand.len() {
            if number.count_ones() != count {
                continue;
            }
            let given: TileSet = hand
                .iter()
                .enumerate()
                .filter(|&(n, _)| number >> n & 1 == 1)
                .map(|(_, &tile)| tile)
                .collect();
            let (own, other) = (view.hand() & !given, view.other_hand() | given);
            let balance = self.evaluation.balance(own, other);
            let balance = balance + 0.05 * random.unit() as f32;
            if best.is_none_or(|(most, _)| balance > most) {
                best = Some((balance, given));
            }
        }
        let chosen = best.and_then(|(_, given)| view.gift(given).ok());
        chosen.unwrap_or_else(|| view.random_gift(random))
    }

    /// A placement with Jewels out of reach: the best that exchanges of tiles lead to from a few random ones, with some
    /// noise.
    pub fn place(&self, view: &SetupView, random: &mut Random) -> Placement {
        let mut best: Option<(f32, Placement)> = None;
        for _ in 0..PATTERNS {
            let start = view.random_placement(random);
            let mut draft = Draft::new(self, view, &start, random);
            draft.improve(random);
            let score = draft.score();
            if best.as_ref().is_none_or(|(most, _)| score > *most)
                && let Ok(placement) = view.placement(draft.tiles(), start.checkers())
            {
                best = Some((score, placement));
            }
        }
        best.map_or_else(|| view.random_placement(random), |(_, placement)| placement)
    }
}

/// A placement that is being improved.
struct Draft<'a> {
    chooser: &'a Chooser,
    rules: &'static Rules,
    side: Side,
    /// Squares that may have tiles, and the tiles on them.
    squares: Vec<(Square, Option<Tile>)>,
    checkers: Bitboard,
    noise: Vec<[f32; Tile::COUNT]>,
}

impl Draft<'_> {
    fn new<'a>(chooser: &'a Chooser, view: &SetupView, start: &Placement, random: &mut Random) -> Draft<'a> {
        let free = view.rules().home(view.viewer()) & !start.checkers();
        let tile_on = |square| start.tiles().iter().find(|(at, _)| *at == square).map(|&(_, tile)| tile);
        let squares: Vec<_> = free.into_iter().map(|square| (square, tile_on(square))).collect();
        let noise =
            squares.iter().map(|_| [(); Tile::COUNT].map(|()| (NOISE * random.unit()) as f32)).collect();
        Draft {
            chooser,
            rules: view.rules(),
            side: view.viewer(),
            squares,
            checkers: start.checkers(),
            noise,
        }
    }

    fn tiles(&self) -> impl Iterator<Item = (Square, Tile)> + '_ {
        self.squares.iter().filter_map(|&(square, tile)| Some((square, tile?)))
    }

    fn score(&self) -> f32 {
        let taken: Bitboard = self.tiles().map(|(square, _)| square).collect();
        let (files, ranks) = self.rules.size();
        let board =
            |square: Square| (square.index() as u32 % 8) < files && (square.index() as u32 / 8) < ranks;
        let mut score = 0.0;
        for (&(square, tile), noise) in self.squares.iter().zip(&self.noise) {
            let Some(tile) = tile else { continue };
            score += self.chooser.placement.square_weight(self.side, square, tile) + noise[tile.index()];
            if self.rules.traits().is_jewel(tile) {
                let need = 1.2 - f32::from(tile.strength()) / 15.0;
                for near in AROUND[square.index()].into_iter().filter(|&near| board(near)) {
                    score += match (self.checkers.has(near), taken.has(near)) {
                        (true, _) => 0.0,
                        (_, true) => GUARD * need,
                        _ => OPEN_NEIGHBOUR * need,
                    };
                }
            }
        }
        score
    }

    /// Exchanges the contents of two squares wherever that does not lower the score.
    fn improve(&mut self, random: &mut Random) {
        let mut score = self.score();
        let count = self.squares.len() as u32;
        for _ in 0..EXCHANGES {
            let [one, other] = [(); 2].map(|()| random.below(count) as usize);
            if self.squares[one].1 == self.squares[other].1 {
                continue;
            }
            self.exchange(one, other);
            let next = self.score();
            if next < score {
                self.exchange(one, other);
            } else {
                score = next;
            }
        }
    }

    fn exchange(&mut self, one: usize, other: usize) {
        let tile = self.squares[one].1;
        self.squares[one].1 = self.squares[other].1;
        self.squares[other].1 = tile;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::crown_jewels::{CrownJewelsGame, Deal};

    #[test]
    fn gifts_and_placements_are_legal_in_games_of_every_size() {
        let mut random = Random::new(2);
        for parameters in ["", "tiles=6,files=4,ranks=6", "tiles=3,files=3,ranks=4", "spy=blank,thief=on"] {
            let game = CrownJewelsGame::with_parameters(parameters).unwrap();
            let chooser = Chooser::new(game.rules());
            for _ in 0..5 {
                let deal = Deal::random(game.rules(), &mut random);
                let gifts = Side::BOTH.map(|side| chooser.give(&deal.view(side), &mut random));
                let setup = deal.give(gifts).unwrap();
                let placements = Side::BOTH.map(|side| chooser.place(&setup.view(side), &mut random));
                let [white, black] = &placements;
                setup.play([white, black], Side::White).unwrap();
            }
        }
    }

    #[test]
    fn weak_jewels_stand_behind_and_placements_differ() {
        let game = CrownJewelsGame::new();
        let chooser = Chooser::new(game.rules());
        let mut random = Random::new(4);
        let setup = Deal::random(game.rules(), &mut random);
        let setup = setup.give(Side::BOTH.map(|side| setup.view(side).random_gift(&mut random))).unwrap();
        let placements: Vec<_> =
            (0..10).map(|_| chooser.place(&setup.view(Side::Black), &mut random)).collect();
        assert!(placements.windows(2).all(|pair| pair[0] != pair[1]));
        let weak = |tile: Tile| tile.has(5) && tile.strength() < STRONG_FROM;
        for (square, tile) in placements.iter().flat_map(|placement| placement.tiles()) {
            // Rank 6 is in front.
            assert!(!weak(*tile) || square.index() / 8 > 5, "{tile} in front");
        }
    }

    #[test]
    fn a_gift_is_what_the_player_can_spare() {
        let game = CrownJewelsGame::new();
        let tiles = |text: &str| text.split(' ').filter_map(Tile::parse).collect::<TileSet>();
        let hand = tiles("02 03 22 23 44 45 46 55 56 66 36 26 16 06");
        let deal = Deal::from_hand(game.rules(), hand).unwrap();
        let gift = Chooser::new(game.rules()).give(&deal.view(Side::White), &mut Random::new(1));
        assert!(!gift.tiles().has(Tile::parse("66").unwrap()));
        assert!(gift.tiles().has(Tile::parse("22").unwrap()));
    }
}
