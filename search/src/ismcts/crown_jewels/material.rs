//! An evaluation by the tiles that are left.

use jewel_engine::crown_jewels::{Contest, CrownJewels, Rules, Tile, TileSet};
use jewel_engine::value::Side;

/// Evaluates states by the tiles that are left and by whether they are known, wherever they stand.
///
/// The lead of a side is a weighted sum of [terms](MaterialEvaluation::terms), and a logistic curve makes an
/// expectation of it. What a tile can do is counted against the enemies that are left: a Spy is worth something as
/// long as there are Generals.
#[derive(Clone, Debug)]
pub struct MaterialEvaluation {
    jewels: TileSet,
    bombs: TileSet,
    /// By tile: the tiles that it takes by an attack and survives, those to which it falls alone when it attacks, and
    /// those that take it by an attack and survive.
    takes: [TileSet; Tile::COUNT],
    falls: [TileSet; Tile::COUNT],
    hunters: [TileSet; Tile::COUNT],
    /// By tile: the tiles whose attack removes it, with or without the attacker.
    perils: [TileSet; Tile::COUNT],
}

impl MaterialEvaluation {
    /// The number of terms.
    pub const TERMS: usize = 13;

    /// The weights of the terms in their order: a logistic regression on results of the program's games with
    /// itself (`docs/results/crown-jewels.md`).
    pub const WEIGHTS: [f32; MaterialEvaluation::TERMS] =
        [0.42, 0.27, 0.36, 0.40, -0.32, -0.24, -0.67, -0.23, 0.12, 0.25, 0.31, 0.30, 0.30];

    /// The evaluation of games under some rules.
    pub fn new(rules: &'static Rules) -> MaterialEvaluation {
        let traits = rules.traits();
        let set = |is: &dyn Fn(Tile) -> bool| Tile::all().filter(|&tile| is(tile)).collect::<TileSet>();
        let by_tile = |result: &dyn Fn(Tile, Tile) -> bool| {
            let mut sets = [TileSet::EMPTY; Tile::COUNT];
            Tile::all().for_each(|tile| sets[tile.index()] = set(&|other| result(tile, other)).without(tile));
            sets
        };
        MaterialEvaluation {
            jewels: set(&|tile| traits.is_jewel(tile)),
            bombs: set(&|tile| traits.is_bomb(tile)),
            takes: by_tile(&|tile, other| traits.contest(tile, other) == Contest::Win),
            falls: by_tile(&|tile, other| traits.contest(tile, other) == Contest::Lose),
            hunters: by_tile(&|tile, other| traits.contest(other, tile) == Contest::Win),
            perils: by_tile(&|tile, other| traits.contest(other, tile) != Contest::Lose),
        }
    }

    /// The share of a point that White may expect, from 0 to 1, in a game that is not over.
    ///
    /// A side that cannot lose expects at least half a point; if neither can lose, both expect exactly that.
    pub fn white_share(&self, world: &CrownJewels) -> f64 {
        let (white, black) = (tiles(world, Side::White), tiles(world, Side::Black));
        let lead = lead(difference(self.pieces_of(white, black.0), self.pieces_of(black, white.0)));
        let share = f64::from(1.0 / (1.0 + (-lead).exp()));
        match (self.cannot_lose(white.0, black.0), self.cannot_lose(black.0, white.0)) {
            (false, false) => share,
            (true, false) => 0.5 + 0.5 * share,
            (false, true) => 0.5 * share,
            (true, true) => 0.5,
        }
    }

    /// Whether one of the tiles of which a side must keep one is safe from every enemy. A side without other moves may
    /// have to attack with it, but that is too rare to count.
    #[inline(always)]
    fn cannot_lose(&self, own: TileSet, enemies: TileSet) -> bool {
        let jewels = own & self.jewels;
        let lives = if jewels.is_empty() { own } else { jewels };
        lives.into_iter().any(|tile| (self.perils[tile.index()] & enemies).is_empty())
    }

    /// The lead of a side with the tiles `own` over one with `other`, none of them known, as the logarithm of the odds.
    pub fn balance(&self, own: TileSet, other: TileSet) -> f32 {
        let nothing = TileSet::EMPTY;
        lead(difference(self.pieces_of((own, nothing), other), self.pieces_of((other, nothing), own)))
    }

    /// What White has more of than Black:
    /// 0. tiles;
    /// 1. tiles that the enemy does not know;
    /// 2. range: the sum over tiles of the mean result of an attack on an enemy, 1 if it takes the enemy, -1 if it
    ///    falls alone;
    /// 3. tiles that no enemy can take and survive;
    /// 4. Bombs, which are all of that kind;
    /// 5. hunters: the sum over Jewels of the share of the enemies that can take them;
    /// 6. to 12.: whether one, two, and so on to seven or more are left of the tiles of which a side must keep one:
    ///    its Jewels, or all its tiles if it began without Jewels.
    #[inline]
    pub fn terms(&self, world: &CrownJewels) -> [f32; MaterialEvaluation::TERMS] {
        let (white, black) = (tiles(world, Side::White), tiles(world, Side::Black));
        difference(self.pieces_of(white, black.0), self.pieces_of(black, white.0))
    }

    /// The terms of a side that has these tiles, some of them shown.
    #[inline(always)]
    fn pieces_of(
        &self,
        (all, shown): (TileSet, TileSet),
        enemies: TileSet,
    ) -> [f32; MaterialEvaluation::TERMS] {
        let (mut range, mut hunters, mut safe) = (0, 0, 0);
        for tile in all {
            let number = tile.index();
            range += (self.takes[number] & enemies).count() as i32;
            range -= (self.falls[number] & enemies).count() as i32;
            let these = (self.hunters[number] & enemies).count();
            safe += u32::from(these == 0);
            hunters += if self.jewels.has(tile) { these } else { 0 };
        }
        let per_enemy = 1.0 / enemies.count().max(1) as f32;
        let mut terms = [0.0; MaterialEvaluation::TERMS];
        terms[0] = all.count() as f32;
        terms[1] = (all.count() - shown.count()) as f32;
        terms[2] = per_enemy * range as f32;
        terms[3] = safe as f32;
        terms[4] = (all & self.bombs).count() as f32;
        terms[5] = per_enemy * hunters as f32;
        let jewels = (all & self.jewels).count();
        // A side without Jewels that has not lost began without.
        let lives = if jewels > 0 { jewels } else { all.count() };
        terms[5 + lives.clamp(1, 7) as usize] = 1.0;
        terms
    }
}

/// The tiles of a side, and those of them that the enemy knows.
#[inline(always)]
fn tiles(world: &CrownJewels, side: Side) -> (TileSet, TileSet) {
    let (mut all, mut shown) = (TileSet::EMPTY, TileSet::EMPTY);
    for square in world.pieces_of(side) {
        let Some(tile) = world.tile(square) else { continue };
        all = all.with(tile);
        if world.known().has(square) {
            shown = shown.with(tile);
        }
    }
    (all, shown)
}

type Terms = [f32; MaterialEvaluation::TERMS];

fn difference(own: Terms, other: Terms) -> Terms {
    std::array::from_fn(|term| own[term] - other[term])
}

fn lead(terms: Terms) -> f32 {
    terms.iter().zip(MaterialEvaluation::WEIGHTS).map(|(term, weight)| term * weight).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::ability::Game;
    use jewel_engine::crown_jewels::CrownJewelsGame;

    fn white_share(text: &str) -> f64 {
        let game = CrownJewelsGame::new();
        MaterialEvaluation::new(game.rules()).white_share(&game.parse_position(text).unwrap())
    }

    #[test]
    fn what_is_good_for_one_is_bad_for_the_other() {
        let one = white_share("b35,7/b16!,7/8/8/8/8/w66,7/w05,w24!,6 w wb 0");
        let other = white_share("w35,7/w16!,7/8/8/8/8/b66,7/b05,b24!,6 w wb 0");
        assert!((one + other - 1.0).abs() < 1e-6 && (one - 0.5).abs() > 0.01);
    }

    #[test]
    fn a_side_with_a_jewel_that_nothing_takes_cannot_lose() {
        let against = |last: &str| white_share(&format!("b55,b45,b44,b34,{last},3/8/8/8/8/8/8/w56,7 w wb 0"));
        // Black has five tiles to one, but the 56 falls to none of them.
        let strong = against("b33");
        assert!((0.5..1.0).contains(&strong), "{strong}");
        // A Bomb takes it along, a Spy takes it.
        let [bomb, spy] = ["b04", "b12"].map(against);
        assert!(bomb < 0.4 && spy < 0.4, "{bomb} {spy}");
    }

    #[test]
    fn terms_of_a_position_are_what_they_say() {
        let game = CrownJewelsGame::new();
        let state = game.parse_position("b25,7/b16!,7/8/8/8/8/w46,w34,6/w05,w35!,6 w wb 0").unwrap();
        let terms = MaterialEvaluation::new(game.rules()).terms(&state);
        assert_eq!(terms[..2], [4.0 - 2.0, 3.0 - 1.0]);
        // 46 takes 25 and falls to 16, so does 34, where the attacker wins a tie unless the defender alone is a General;
        // 05 goes with either; 35 takes both. 25 falls to 46 and 35, 16 to 35 alone.
        assert_eq!(terms[2], 2.0 / 2.0 - (-1.0 + 1.0) / 4.0);
        assert_eq!(terms[3], 2.0);
        assert_eq!(terms[4], 1.0);
        assert_eq!(terms[5], 0.0 - 3.0 / 4.0);
        assert_eq!(terms[6..], [-1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn a_spy_is_worth_more_while_there_are_generals() {
        let with =
            |enemy: &str, own: &str| white_share(&format!("b35,{enemy},6/8/8/8/8/8/8/w55,{own},6 w wb 0"));
        let gain = |enemy: &str| with(enemy, "w13") - with(enemy, "w04");
        assert!(gain("b46") > gain("b44") + 0.01);
    }
}
