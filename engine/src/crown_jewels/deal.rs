//! Before play: the deal, and what the players give each other without seeing the other's choice.

use super::rules::Rules;
use super::tile::{Tile, TileSet};
use crate::geometry::shorten;
use crate::random::Random;
use crate::value::Side;
use std::fmt;
use thiserror::Error;

/// What is wrong with a gift.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum GiftError {
    /// A text that is not a gift.
    #[error("\"{0}\" is not a gift; write give and the tiles, such as \"give 01 12 23 24\"")]
    Form(String),
    /// Something that is not a tile.
    #[error("\"{0}\" is not a tile; write its two numbers of pips, the lower first, such as \"05\"")]
    Tile(String),
    /// A tile given twice.
    #[error("the tile {0} is given twice")]
    Twice(Tile),
    /// A tile that is not in hand.
    #[error("the tile {tile} is not in hand; in hand are {hand}")]
    NotInHand {
        /// The tile.
        tile: Tile,
        /// The tiles in hand.
        hand: TileSet,
    },
    /// Too few or too many tiles.
    #[error("a player gives {expected} tiles, found {found}")]
    Count {
        /// How many are given.
        expected: u32,
        /// How many there are.
        found: u32,
    },
}

/// Draws `count` tiles of a set, each choice as likely as the others.
fn draw(set: TileSet, count: u32, random: &mut Random) -> TileSet {
    let mut left = set;
    let mut drawn = TileSet::EMPTY;
    for _ in 0..count.min(set.count()) {
        let number = random.below(left.count()) as usize;
        if let Some(tile) = left.into_iter().nth(number) {
            left = left.without(tile);
            drawn = drawn.with(tile);
        }
    }
    drawn
}

/// The true state after the deal: who holds what, before the players give.
#[derive(Clone, Copy, Debug)]
pub struct Deal {
    rules: &'static Rules,
    hands: [TileSet; 2],
}

impl Deal {
    /// Deals at random, each deal as likely as the others.
    pub fn random(rules: &'static Rules, random: &mut Random) -> Deal {
        let white = draw(rules.set, rules.tiles, random);
        Deal { rules, hands: [white, rules.set & !white] }
    }

    /// The deal in which White holds these tiles; `None` unless they are half of the game's.
    pub fn from_hand(rules: &'static Rules, white: TileSet) -> Option<Deal> {
        let fits = white & rules.set == white && white.count() == rules.tiles;
        fits.then(|| Deal { rules, hands: [white, rules.set & !white] })
    }

    /// What one player knows of this state.
    pub fn view(&self, side: Side) -> DealView {
        DealView { rules: self.rules, side, hand: self.hands[side.index()] }
    }

    /// What the players hold after both gave, the gift of White first.
    ///
    /// # Errors
    /// If a gift is not one that its giver can make. The deal stays as it is.
    pub fn give(&self, gifts: [Gift; 2]) -> Result<Setup, GiftError> {
        for side in Side::BOTH {
            self.view(side).check(gifts[side.index()].0)?;
        }
        let [white, black] = gifts.map(|gift| gift.0);
        let hands = [self.hands[0] & !white | black, self.hands[1] & !black | white];
        Ok(Setup { rules: self.rules, hands, gifts })
    }
}

/// What one player knows while giving: the player's own tiles, and therefore those of the other player too.
#[derive(Clone, Copy, Debug)]
pub struct DealView {
    rules: &'static Rules,
    side: Side,
    hand: TileSet,
}

impl DealView {
    /// The rules of the game.
    pub fn rules(&self) -> &'static Rules {
        self.rules
    }

    /// The side whose view it is.
    pub fn viewer(&self) -> Side {
        self.side
    }

    /// The player's tiles.
    pub fn hand(&self) -> TileSet {
        self.hand
    }

    /// The other player's tiles.
    pub fn other_hand(&self) -> TileSet {
        self.rules.set & !self.hand
    }

    /// A gift of these tiles.
    ///
    /// # Errors
    /// If their number is not that of a gift, or one is not in hand.
    pub fn gift(&self, tiles: TileSet) -> Result<Gift, GiftError> {
        self.check(tiles).map(|()| Gift(tiles))
    }

    fn check(&self, tiles: TileSet) -> Result<(), GiftError> {
        if let Some(tile) = (tiles & !self.hand).into_iter().next() {
            return Err(GiftError::NotInHand { tile, hand: self.hand });
        }
        let (expected, found) = (self.rules.give, tiles.count());
        if found == expected { Ok(()) } else { Err(GiftError::Count { expected, found }) }
    }

    /// Reads the text of a gift, such as `give 01 12 23 24`.
    ///
    /// # Errors
    /// If the text is not a gift, or not one that this player can make.
    pub fn parse_gift(&self, text: &str) -> Result<Gift, GiftError> {
        let mut words = text.split_whitespace();
        if words.next() != Some("give") {
            return Err(GiftError::Form(shorten(text)));
        }
        let mut tiles = TileSet::EMPTY;
        for word in words {
            let tile = Tile::parse(word).ok_or_else(|| GiftError::Tile(shorten(word)))?;
            if tiles.has(tile) {
                return Err(GiftError::Twice(tile));
            }
            tiles = tiles.with(tile);
        }
        self.gift(tiles)
    }

    /// Any gift, each as likely as the others.
    pub fn random_gift(&self, random: &mut Random) -> Gift {
        Gift(draw(self.hand, self.rules.give, random))
    }
}

/// Tiles that a player gives to the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gift(TileSet);

impl Gift {
    /// The tiles of the gift.
    pub fn tiles(self) -> TileSet {
        self.0
    }
}

/// The text that [`DealView::parse_gift`] reads.
impl fmt::Display for Gift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("give")?;
        self.0.into_iter().try_for_each(|tile| write!(f, " {tile}"))
    }
}

/// The true state after both players gave: who holds what, before they place.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    pub(super) rules: &'static Rules,
    pub(super) hands: [TileSet; 2],
    gifts: [Gift; 2],
}

impl Setup {
    /// What one player knows of this state.
    pub fn view(&self, side: Side) -> SetupView {
        let (given, received) = (self.gifts[side.index()].0, self.gifts[(!side).index()].0);
        SetupView { rules: self.rules, side, hand: self.hands[side.index()], given, received }
    }
}

/// What one player knows while placing: both players' tiles, and who gave what.
#[derive(Clone, Copy, Debug)]
pub struct SetupView {
    pub(super) rules: &'static Rules,
    pub(super) side: Side,
    pub(super) hand: TileSet,
    given: TileSet,
    received: TileSet,
}

impl SetupView {
    /// The rules of the game.
    pub fn rules(&self) -> &'static Rules {
        self.rules
    }

    /// The side whose view it is.
    pub fn viewer(&self) -> Side {
        self.side
    }

    /// The tiles that the player places.
    pub fn hand(&self) -> TileSet {
        self.hand
    }

    /// The tiles that the other player places.
    pub fn other_hand(&self) -> TileSet {
        self.rules.set & !self.hand
    }

    /// What the player gave away.
    pub fn given(&self) -> TileSet {
        self.given
    }

    /// What the player got.
    pub fn received(&self) -> TileSet {
        self.received
    }
}
