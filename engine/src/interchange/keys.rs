//! The keys of the format, one row each: what kind of value a key holds, and what becomes of it here.

use crate::value::Side;
use crate::variant::RulesSpec;

/// The predefined pieces and how they move, in the notation of the format. The pawn's double step is a matter of
/// `doubleStep`.
#[rustfmt::skip]
const PREDEFINED: [(&str, &str); 37] = [
    ("pawn", "fmWfcF"), ("knight", "N"), ("bishop", "B"), ("rook", "R"), ("queen", "Q"),
    ("fers", "F"), ("alfil", "A"), ("fersAlfil", "FA"), ("silver", "FfW"), ("aiwok", "RNF"),
    ("bers", "RF"), ("archbishop", "BN"), ("chancellor", "RN"), ("amazon", "QN"),
    ("knibis", "mNcB"), ("biskni", "mBcN"), ("kniroo", "mNcR"), ("rookni", "mRcN"),
    ("shogiPawn", "fW"), ("lance", "fR"), ("shogiKnight", "fN"), ("gold", "WfF"),
    ("dragonHorse", "BW"), ("clobber", "cW"), ("breakthrough", "fmWfF"), ("immobile", ""),
    ("cannon", "mRcpR"), ("janggiCannon", "pR"), ("soldier", "fsW"), ("horse", "nN"),
    ("elephant", "nA"), ("janggiElephant", "nZ"), ("banner", "RcpRnN"), ("wazir", "W"),
    ("commoner", "K"), ("centaur", "KN"), ("king", "K"),
];

/// How a piece of this name moves if nothing else is said: `None` if the key is not a piece.
pub(super) fn predefined(key: &str) -> Option<&'static str> {
    if let Some(number) = key.strip_prefix("customPiece") {
        return number.parse::<u8>().is_ok_and(|n| (1..=25).contains(&n)).then_some("");
    }
    PREDEFINED.iter().find(|(name, _)| *name == key).map(|(_, word)| *word)
}

/// The predefined piece that moves so, if there is one.
pub(super) fn predefined_pieces() -> impl Iterator<Item = (&'static str, &'static str)> {
    PREDEFINED.into_iter()
}

/// A key of the format.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) holds: Value,
    /// Whether it sets one thing for each side: the same name with `White` or `Black` behind it is a key as well,
    /// and the name alone means both.
    each_side: bool,
    pub(super) meaning: Meaning,
}

/// What a key's value consists of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value {
    /// Letters of pieces, `*` or `-`.
    Pieces,
    /// Pairs of letters, such as `p:g s:g`.
    Pairs,
    /// Anything else.
    Other,
}

/// What becomes of a key here.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning {
    /// It is translated, together with others.
    Translated,
    /// It is a flag of the rules, and so is a key of variant files.
    Flag { toml: &'static str, get: fn(&RulesSpec) -> bool },
    /// It says nothing about the rules: words and pictures for other programs, hints for its search.
    Ignored,
    /// It says something that these rules do not have.
    Refused {
        /// Values that say nothing beyond the rules here.
        neutral: &'static [&'static str],
        matters: Matters,
        /// What is missing.
        why: &'static str,
    },
}

/// When a key that cannot be expressed says anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Matters {
    Always,
    /// With a royal piece only.
    WithRoyal,
    /// If this key has another value than its neutral one. That value is refused, or does not matter itself.
    With(&'static str),
}

const fn key(name: &'static str) -> Key {
    Key { name, holds: Value::Other, each_side: false, meaning: Meaning::Translated }
}

const fn pieces(key: Key) -> Key {
    Key { holds: Value::Pieces, ..key }
}

const fn each_side(key: Key) -> Key {
    Key { each_side: true, ..key }
}

const fn flag(name: &'static str, toml: &'static str, get: fn(&RulesSpec) -> bool) -> Key {
    Key { meaning: Meaning::Flag { toml, get }, ..key(name) }
}

const fn ignored(name: &'static str) -> Key {
    Key { meaning: Meaning::Ignored, ..key(name) }
}

const fn refused(
    name: &'static str,
    neutral: &'static [&'static str],
    matters: Matters,
    why: &'static str,
) -> Key {
    Key { meaning: Meaning::Refused { neutral, matters, why }, ..key(name) }
}

use Matters::{Always, With, WithRoyal};

const OFF: &[&str] = &["false"];
const ZERO: &[&str] = &["0"];
const NONE: &[&str] = &["none", "-"];
const EMPTY: &[&str] = &["-", ""];
const DROPS: &str = "no drop depends on what stands around its square here";
const ROWS: &str = "pieces in a row win nothing here";
const WALLS: &str = "walls do not change in a game here";
const BLAST: &str = "a capture removes one piece here";
const JOINED: &str = "pieces that join regions win nothing here";
const STUCK: &str = "a side that cannot move ends the game here";
const PASS: &str = "a player must move here";

/// All keys but those that define pieces and their mobility regions.
#[rustfmt::skip]
pub(super) const KEYS: &[Key] = &[
    key("maxRank"), key("maxFile"), key("startFen"), pieces(key("pawnTypes")),
    Key { holds: Value::Pairs, ..key("promotedPieceType") }, key("mandatoryPawnPromotion"),
    key("mandatoryPiecePromotion"), key("doubleStep"), key("castling"), key("castlingKingsideFile"),
    key("castlingQueensideFile"), key("castlingRank"), key("castlingKingFile"),
    pieces(key("castlingKingPiece")), key("castlingRookKingsideFile"), key("castlingRookQueensideFile"),
    pieces(key("castlingRookPieces")), key("nMoveRule"), key("nFoldRule"), key("stalemateValue"),
    key("checkmateValue"), key("extinctionValue"), pieces(key("extinctionPieceTypes")),
    key("extinctionPseudoRoyal"), key("extinctionPieceCount"), key("extinctionOpponentPieceCount"),
    key("extinctionClaim"), key("flagMove"), flag("mustCapture", "must-capture", |spec| spec.must_capture),
    ignored("variantTemplate"), ignored("pieceToCharTable"), ignored("pocketSize"), ignored("pieceValueMg"),
    ignored("pieceValueEg"), flag("chess960", "chess960", |spec| spec.chess960),
    key("pieceDrops"), key("capturesToHand"), key("dropLoop"), key("firstRankPawnDrops"),
    key("promotionZonePawnDrops"), each_side(key("dropRegion")), key("dropOppositeColoredBishop"),
    key("dropPromoted"), pieces(key("dropNoDoubled")), key("dropNoDoubledCount"), key("mustDrop"),
    key("mustDropType"), key("shogiPawnDropMateIllegal"), key("castlingDroppedPiece"),
    key("immobilityIllegal"), key("perpetualCheckIllegal"), key("piecePromotionOnCapture"),
    key("pieceDemotion"), key("nFoldValue"), key("nFoldValueAbsolute"), key("flagPieceSafe"),
    refused("twoBoards", OFF, Always, "there is one board here"),
    refused("enclosingDrop", NONE, With("pieceDrops"), DROPS),
    refused("enclosingDropStart", EMPTY, With("pieceDrops"), DROPS),
    refused("sittuyinRookDrop", OFF, With("pieceDrops"), "rooks are dropped where other pieces are here"),
    refused("dropChecks", &["true"], With("pieceDrops"), "a drop may give check here"),
    refused("checking", &["true"], WithRoyal, "giving check is always allowed here"),
    refused("checkCounting", OFF, WithRoyal, "checks are not counted here"),
    refused("moveRepetitionIllegal", OFF, Always, "repetition is a draw here, and always allowed"),
    refused("chasingRule", NONE, Always, "repetition is a draw here, no matter who chases"),
    refused("makpongRule", OFF, WithRoyal, "a royal piece may always step out of check here"),
    refused("flyingGeneral", OFF, WithRoyal, "royal pieces may face each other here"),
    refused("bikjangRule", OFF, WithRoyal, "royal pieces may face each other here"),
    refused("shatarMateRule", OFF, WithRoyal, "checkmate is the same whatever gives it here"),
    refused("blastOnCapture", OFF, Always, BLAST),
    refused("blastImmuneTypes", EMPTY, With("blastOnCapture"), BLAST),
    refused("petrifyBlastPieces", OFF, With("blastOnCapture"), BLAST),
    refused("petrifyOnCaptureTypes", EMPTY, Always, "a piece that captures stays here"),
    refused("mutuallyImmuneTypes", &["-", "", "none"], Always, "every enemy piece can be captured here"),
    refused("sittuyinPromotion", OFF, Always, "promotion happens on arrival in a zone here"),
    refused("promotionLimit", EMPTY, Always, "the number of promoted pieces is not limited here"),
    refused("tripleStepRegionWhite", EMPTY, Always, "a pawn has no triple step here"),
    refused("tripleStepRegionBlack", EMPTY, Always, "a pawn has no triple step here"),
    refused("oppositeCastling", OFF, With("castling"), "castling does not look at the opponent's here"),
    refused("castlingWins", EMPTY, With("castling"), "castling wins no game here"),
    refused("gating", OFF, Always, "no piece enters the board in a move here"),
    refused("seirawanGating", OFF, With("gating"), "no piece enters the board in a move here"),
    refused("cambodianMoves", OFF, With("gating"), "there are no such first moves here"),
    refused("wallingRule", NONE, Always, WALLS),
    refused("wallingRegionWhite", &[], With("wallingRule"), WALLS),
    refused("wallingRegionBlack", &[], With("wallingRule"), WALLS),
    refused("wallOrMove", OFF, With("wallingRule"), WALLS),
    refused("diagonalLines", EMPTY, Always, "a piece moves alike on all squares here"),
    refused("soldierPromotionRank", &["1"], Always, "a soldier moves alike on all ranks here"),
    refused("pass", OFF, Always, PASS),
    refused("passWhite", OFF, Always, PASS),
    refused("passBlack", OFF, Always, PASS),
    refused("passOnStalemate", OFF, Always, STUCK),
    refused("passOnStalemateWhite", OFF, Always, STUCK),
    refused("passOnStalemateBlack", OFF, Always, STUCK),
    refused("flipEnclosedPieces", NONE, Always, "pieces do not change sides here"),
    refused("stalematePieceCount", OFF, Always, "pieces are not counted when a side cannot move here"),
    refused("materialCounting", NONE, Always, "material is not counted at the end here"),
    refused("adjudicateFullBoard", OFF, With("materialCounting"), "material is not counted here"),
    refused("countingRule", NONE, Always, "moves are not counted by material here"),
    refused("dupleCheck", OFF, With("extinctionPseudoRoyal"), "there is one royal piece a side here"),
    refused("connectN", ZERO, Always, ROWS),
    refused("connectNxN", ZERO, Always, "pieces in a square win nothing here"),
    refused("collinearN", ZERO, Always, ROWS),
    pieces(refused("connectPieceTypes", &[], With("connectN"), ROWS)),
    refused("connectVertical", &[], With("connectN"), ROWS),
    refused("connectHorizontal", &[], With("connectN"), ROWS),
    refused("connectDiagonal", &[], With("connectN"), ROWS),
    refused("connectValue", &[], With("connectN"), ROWS),
    refused("connectRegion1White", EMPTY, Always, JOINED),
    refused("connectRegion2White", EMPTY, Always, JOINED),
    refused("connectRegion1Black", EMPTY, Always, JOINED),
    refused("connectRegion2Black", EMPTY, Always, JOINED),
    refused("flagPieceCount", &["1"], With("flagRegion"), "one piece on a goal is enough here"),
    refused("flagPieceBlockedWin", OFF, With("flagPieceCount"), "one piece on a goal is enough here"),
    each_side(pieces(key("promotionPawnTypes"))), each_side(pieces(key("promotionPieceTypes"))),
    each_side(key("promotionRegion")), each_side(pieces(key("enPassantTypes"))),
    each_side(key("enPassantRegion")), each_side(pieces(key("nMoveRuleTypes"))),
    each_side(key("doubleStepRegion")), each_side(pieces(key("flagPiece"))), each_side(key("flagRegion")),
];

/// The row of a key.
pub(super) fn find(name: &str) -> Option<&'static Key> {
    let plain = name.strip_suffix("White").or_else(|| name.strip_suffix("Black"));
    let one = |key: &&Key| key.name == name || key.each_side && Some(key.name) == plain;
    KEYS.iter().find(one)
}

/// What a key's value consists of.
pub(super) fn holds(name: &str) -> Value {
    find(name).map_or(Value::Other, |key| key.holds)
}

/// The special keys that a key sets.
pub(super) fn expansion(name: &str) -> Vec<String> {
    let both = |name: &str| Side::BOTH.map(|side| per_side(name, side));
    match find(name) {
        Some(key) if key.each_side && key.name == name => both(name).to_vec(),
        Some(Key { name: "pawnTypes", .. }) => ["promotionPawnTypes", "enPassantTypes", "nMoveRuleTypes"]
            .iter()
            .flat_map(|key| both(key))
            .collect(),
        _ => vec![name.to_string()],
    }
}

/// In which order the keys of one section count: the more special last.
pub(super) fn precedence(name: &str) -> u8 {
    match find(name) {
        Some(Key { name: "pawnTypes", .. }) => 0,
        Some(key) if key.each_side && key.name == name => 1,
        _ => 2,
    }
}

/// The key for one side.
pub(super) fn per_side(name: &str, side: Side) -> String {
    format!("{name}{}", side_name(side))
}

const fn side_name(side: Side) -> &'static str {
    match side {
        Side::White => "White",
        Side::Black => "Black",
    }
}

/// The key that restricts where the pieces of a type may go, such as `mobilityRegionWhiteCustomPiece3`.
pub(super) fn region(piece: &str, side: Side) -> String {
    let (first, rest) = piece.split_at(1);
    format!("mobilityRegion{}{}{rest}", side_name(side), first.to_ascii_uppercase())
}

/// Whether a key is that of a piece's region.
fn is_region(name: &str) -> bool {
    let piece = |side| name.strip_prefix("mobilityRegion")?.strip_prefix(side_name(side));
    Side::BOTH.into_iter().filter_map(piece).any(|piece| {
        let mut letters = piece.chars();
        let first = letters.next().map(|c| c.to_ascii_lowercase());
        first.is_some_and(|first| predefined(&format!("{first}{}", letters.as_str())).is_some())
    })
}

/// Whether the format has this key.
pub(super) fn is_known(name: &str) -> bool {
    predefined(name).is_some() || find(name).is_some() || is_region(name)
}

/// All keys of the format, for guesses at what was meant.
pub(super) fn all() -> Vec<String> {
    let plain = KEYS.iter().filter(|key| !key.each_side).map(|key| key.name);
    let plain = plain.chain(PREDEFINED.iter().map(|piece| piece.0)).map(String::from);
    let sides = KEYS.iter().filter(|key| key.each_side);
    let sides = sides.flat_map(|key| ["", "White", "Black"].map(|side| format!("{}{side}", key.name)));
    plain.chain(sides).chain(["customPiece1".to_string()]).collect()
}
