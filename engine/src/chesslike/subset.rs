//! What a family of rules contains, known at compile time.

use crate::variant::Rules;
use crate::variant::tables::Class;
use std::fmt::Debug;
use std::hash::Hash;

/// A family of rules. Each constant is `Some` where the whole family has (or lacks) a feature, so that the
/// code for it is compiled in or left out, and `None` where the rules are asked at run time.
pub trait RuleSubset: Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// A royal piece.
    const ROYAL: Option<bool> = None;
    /// Sliding pieces.
    const RIDERS: Option<bool> = None;
    /// Pieces that are moved by shifts, such as pawns.
    const STEPPERS: Option<bool> = None;
    /// Pieces of no simpler class.
    const GENERAL: Option<bool> = None;
    /// Promotion.
    const PROMOTION: Option<bool> = None;
    /// En passant.
    const EN_PASSANT: Option<bool> = None;
    /// Castling.
    const CASTLING: Option<bool> = None;
    /// Key squares.
    const KEY: Option<bool> = None;
    /// Compulsory captures.
    const MUST_CAPTURE: Option<bool> = None;

    /// Whether these rules are of the family.
    fn fits(rules: &Rules) -> bool {
        let agrees = |known: Option<bool>, actual: bool| known.is_none_or(|k| k == actual);
        let has = |class| rules.tables.types.iter().any(|t| t.class == class);
        // A family that may have a feature can do without: only `Some(false)` excludes it.
        let may = |known: Option<bool>, actual: bool| known != Some(false) || !actual;
        agrees(Self::ROYAL, rules.royal.is_some())
            && may(Self::RIDERS, has(Class::Rider))
            && may(Self::STEPPERS, has(Class::Stepper))
            && may(Self::GENERAL, has(Class::General))
            && may(Self::PROMOTION, rules.pieces.iter().any(|p| p.promotion.iter().any(Option::is_some)))
            && agrees(Self::EN_PASSANT, rules.tables.en_passant)
            && may(Self::CASTLING, !rules.castles.is_empty())
            && agrees(Self::KEY, rules.key.is_some())
            && may(Self::MUST_CAPTURE, rules.must_capture)
    }

    /// Whether there is a royal piece.
    #[inline(always)]
    fn royal(rules: &Rules) -> bool {
        Self::ROYAL.unwrap_or_else(|| rules.royal.is_some())
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
        Self::EN_PASSANT.unwrap_or(rules.tables.en_passant)
    }
}

/// Anything that a variant file can say.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct General;

impl RuleSubset for General {}

/// Key games of leapers: Duel, Ambush.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Leapers;

impl RuleSubset for Leapers {
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
    const ROYAL: Option<bool> = Some(true);
    const GENERAL: Option<bool> = Some(false);
    const KEY: Option<bool> = Some(false);
    const MUST_CAPTURE: Option<bool> = Some(false);
}
