//! Subsets of the rules that variant files can express, known at compile time.

use super::hands::{Counts, Hands, NoHands};
use crate::variant::Rules;
use crate::variant::tables::Class;
use std::fmt::Debug;
use std::hash::Hash;

/// Whether the games of a subset can have a feature, by its constant. Asked in a `const` block, so that code for what they lack
/// is left out before it is compiled: the optimizer would drop it only after it has compiled what it calls.
pub(super) const fn can_have(feature: Option<bool>) -> bool {
    !matches!(feature, Some(false))
}

/// A subset of the rules that variant files can express. Each constant is `Some` where all games of the subset have
/// (or lack) a feature, so that the code for it is compiled in or left out, and `None` where the rules are asked at
/// run time.
pub trait RuleSubset: Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// What positions with up to `N` piece types keep of hands: nothing, or a count for each type and side.
    type Hands<const N: usize>: Hands;
    /// Whether there is a royal piece.
    const ROYAL: Option<bool> = None;
    /// Whether there are sliding pieces.
    const RIDERS: Option<bool> = None;
    /// Whether there are pieces that are moved by shifts, such as pawns.
    const STEPPERS: Option<bool> = None;
    /// Whether there are pieces of no simpler class.
    const GENERAL: Option<bool> = None;
    /// Whether pieces promote.
    const PROMOTION: Option<bool> = None;
    /// Whether there is en passant.
    const EN_PASSANT: Option<bool> = None;
    /// Whether there is castling.
    const CASTLING: Option<bool> = None;
    /// Whether there are key squares.
    const KEY: Option<bool> = None;
    /// Whether captures are compulsory.
    const MUST_CAPTURE: Option<bool> = None;
    /// Whether pieces are held in hand and dropped.
    const HANDS: Option<bool> = Some(false);
    /// Whether a promotion may ask for more than a move that ends in its zone.
    const SPECIAL_PROMOTION: Option<bool> = Some(false);

    /// Whether there are moves that do more than move and capture.
    const TAGS: bool = !matches!(
        (Self::PROMOTION, Self::EN_PASSANT, Self::CASTLING, Self::HANDS),
        (Some(false), Some(false), Some(false), Some(false))
    );

    /// Whether these rules are in the subset.
    fn fits(rules: &Rules) -> bool {
        let agrees = |known: Option<bool>, actual: bool| known.is_none_or(|k| k == actual);
        let has = |class| rules.tables.types.iter().any(|t| t.class == class);
        // A subset that may have a feature can do without it: only `Some(false)` excludes it.
        let may = |known: Option<bool>, actual: bool| can_have(known) || !actual;
        agrees(Self::ROYAL, rules.royal.is_some())
            && may(Self::RIDERS, has(Class::Rider))
            && may(Self::STEPPERS, has(Class::Stepper))
            && may(Self::GENERAL, has(Class::General))
            && may(Self::PROMOTION, rules.pieces.iter().any(|p| p.promotion.iter().any(Option::is_some)))
            && agrees(Self::EN_PASSANT, rules.tables.en_passant != 0)
            && may(Self::CASTLING, !rules.castles.is_empty())
            && agrees(Self::KEY, rules.key.is_some())
            && may(Self::MUST_CAPTURE, rules.must_capture)
            && agrees(Self::HANDS, rules.hand.is_some())
            && may(Self::SPECIAL_PROMOTION, special_promotion(rules))
    }

    /// Whether there is a royal piece.
    #[inline(always)]
    fn royal(rules: &Rules) -> bool {
        Self::ROYAL.unwrap_or_else(|| rules.royal.is_some())
    }

    /// Whether pieces are held in hand and dropped.
    #[inline(always)]
    fn hands(rules: &Rules) -> bool {
        Self::HANDS.unwrap_or_else(|| rules.hand.is_some())
    }

    /// Whether there is a key square.
    #[inline(always)]
    fn key(rules: &Rules) -> bool {
        Self::KEY.unwrap_or_else(|| rules.key.is_some())
    }

    /// Whether captures are compulsory.
    #[inline(always)]
    fn must_capture(rules: &Rules) -> bool {
        Self::MUST_CAPTURE.unwrap_or(rules.must_capture)
    }

    /// Whether there is en passant.
    #[inline(always)]
    fn en_passant(rules: &Rules) -> bool {
        Self::EN_PASSANT.unwrap_or(rules.tables.en_passant != 0)
    }
}

/// Whether a type promotes as it leaves its zone, or by captures alone.
fn special_promotion(rules: &Rules) -> bool {
    let promotions = rules.pieces.iter().flat_map(|piece| piece.promotion.iter().flatten());
    promotions.into_iter().any(|promotion| promotion.leaving.any() || promotion.on_capture)
}

/// Anything that a variant file can say.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct General;

impl RuleSubset for General {
    type Hands<const N: usize> = Counts<N>;

    const HANDS: Option<bool> = None;
    const SPECIAL_PROMOTION: Option<bool> = None;
}

/// Games of check and checkmate with pieces in hand: crazyhouse, minishogi.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Drops;

impl RuleSubset for Drops {
    type Hands<const N: usize> = Counts<N>;

    const ROYAL: Option<bool> = Some(true);
    const MUST_CAPTURE: Option<bool> = Some(false);
    const HANDS: Option<bool> = Some(true);
    const SPECIAL_PROMOTION: Option<bool> = None;
}

/// Key games whose pieces all leap: Duel, Ambush.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Leapers;

impl RuleSubset for Leapers {
    type Hands<const N: usize> = NoHands;

    const ROYAL: Option<bool> = Some(false);
    const RIDERS: Option<bool> = Some(false);
    const STEPPERS: Option<bool> = Some(false);
    const GENERAL: Option<bool> = Some(false);
    const PROMOTION: Option<bool> = Some(false);
    const EN_PASSANT: Option<bool> = Some(false);
    const CASTLING: Option<bool> = Some(false);
    const KEY: Option<bool> = Some(true);
    const MUST_CAPTURE: Option<bool> = Some(false);
}

/// Key games with sliders and pawns: DiamondQi, Crystal of Doom, Star-Lords.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct KeyGames;

impl RuleSubset for KeyGames {
    type Hands<const N: usize> = NoHands;

    const ROYAL: Option<bool> = Some(false);
    const GENERAL: Option<bool> = Some(false);
    const EN_PASSANT: Option<bool> = Some(false);
    const CASTLING: Option<bool> = Some(false);
    const KEY: Option<bool> = Some(true);
    const MUST_CAPTURE: Option<bool> = Some(false);
}

/// Games of check and checkmate with the usual kinds of pieces: DiamondQuest, DiamondChess, chess.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Chess;

impl RuleSubset for Chess {
    type Hands<const N: usize> = NoHands;

    const ROYAL: Option<bool> = Some(true);
    const GENERAL: Option<bool> = Some(false);
    const KEY: Option<bool> = Some(false);
    const MUST_CAPTURE: Option<bool> = Some(false);
}
