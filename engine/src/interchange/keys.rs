//! The keys of the format: what kind of value each holds, and which say something that cannot be said here.

/// The predefined pieces and how they move, in the notation of the format. The pawn's double step is a matter of
/// `doubleStep`.
const PREDEFINED: [(&str, &str); 37] = [
    ("pawn", "fmWfcF"),
    ("knight", "N"),
    ("bishop", "B"),
    ("rook", "R"),
    ("queen", "Q"),
    ("fers", "F"),
    ("alfil", "A"),
    ("fersAlfil", "FA"),
    ("silver", "FfW"),
    ("aiwok", "RNF"),
    ("bers", "RF"),
    ("archbishop", "BN"),
    ("chancellor", "RN"),
    ("amazon", "QN"),
    ("knibis", "mNcB"),
    ("biskni", "mBcN"),
    ("kniroo", "mNcR"),
    ("rookni", "mRcN"),
    ("shogiPawn", "fW"),
    ("lance", "fR"),
    ("shogiKnight", "fN"),
    ("gold", "WfF"),
    ("dragonHorse", "BW"),
    ("clobber", "cW"),
    ("breakthrough", "fmWfF"),
    ("immobile", ""),
    ("cannon", "mRcpR"),
    ("janggiCannon", "pR"),
    ("soldier", "fsW"),
    ("horse", "nN"),
    ("elephant", "nA"),
    ("janggiElephant", "nZ"),
    ("banner", "RcpRnN"),
    ("wazir", "W"),
    ("commoner", "K"),
    ("centaur", "KN"),
    ("king", "K"),
];

/// How a piece of this name moves if nothing else is said: `None` if the key is no piece.
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

/// What a value consists of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Holds {
    /// Letters of pieces, `*` or `-`.
    Pieces,
    /// Pairs of letters, such as `p:g s:g`.
    Map,
    /// Anything else.
    Other,
}

/// What a key's value consists of.
pub(super) fn holds(key: &str) -> Holds {
    const SETS: [&str; 10] = [
        "pawnTypes",
        "promotionPawnTypes",
        "promotionPieceTypes",
        "enPassantTypes",
        "nMoveRuleTypes",
        "extinctionPieceTypes",
        "flagPiece",
        "castlingKingPiece",
        "castlingRookPieces",
        "connectPieceTypes",
    ];
    let plain = key.strip_suffix("White").or_else(|| key.strip_suffix("Black")).unwrap_or(key);
    match plain {
        "promotedPieceType" => Holds::Map,
        _ if SETS.contains(&plain) => Holds::Pieces,
        _ => Holds::Other,
    }
}

/// Keys that set one thing for each side, and can set it for both.
const PER_SIDE: [&str; 9] = [
    "promotionPawnTypes",
    "promotionPieceTypes",
    "promotionRegion",
    "enPassantTypes",
    "enPassantRegion",
    "nMoveRuleTypes",
    "doubleStepRegion",
    "flagPiece",
    "flagRegion",
];

/// The special keys that a key sets.
pub(super) fn expansion(key: &str) -> Vec<String> {
    let both = |key: &str| [format!("{key}White"), format!("{key}Black")];
    match key {
        "pawnTypes" => ["promotionPawnTypes", "enPassantTypes", "nMoveRuleTypes"]
            .iter()
            .flat_map(|key| both(key))
            .collect(),
        _ if PER_SIDE.contains(&key) => both(key).to_vec(),
        _ => vec![key.to_string()],
    }
}

/// In which order the keys of one section count: the more special last.
pub(super) fn precedence(key: &str) -> u8 {
    match key {
        "pawnTypes" => 0,
        _ if PER_SIDE.contains(&key) => 1,
        _ => 2,
    }
}

/// When a key that cannot be expressed says nothing all the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Moot {
    /// Never.
    No,
    /// Without a royal piece.
    NoRoyal,
    /// Unless this key has other than its neutral value. That one is refused, or moot itself.
    Without(&'static str),
}

/// A key that says something this engine's rules do not have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foreign {
    pub(super) key: &'static str,
    /// Values that say nothing beyond the rules here.
    pub(super) neutral: &'static [&'static str],
    pub(super) moot: Moot,
    /// What is missing.
    pub(super) why: &'static str,
}

const fn foreign(
    key: &'static str,
    neutral: &'static [&'static str],
    moot: Moot,
    why: &'static str,
) -> Foreign {
    Foreign { key, neutral, moot, why }
}

const OFF: &[&str] = &["false"];
const ZERO: &[&str] = &["0"];
const NONE: &[&str] = &["none", "-"];
const EMPTY: &[&str] = &["-", ""];
const WITH_DROPS: Moot = Moot::Without("pieceDrops");
const DROPS: &str = "pieces that are dropped onto the board do not exist here";

/// Every key that cannot be expressed, unless its value is neutral.
pub(super) const FOREIGN: &[Foreign] = &[
    foreign("pieceDrops", OFF, Moot::No, DROPS),
    foreign("twoBoards", OFF, Moot::No, "there is one board here"),
    foreign("capturesToHand", OFF, WITH_DROPS, DROPS),
    foreign("dropLoop", OFF, WITH_DROPS, DROPS),
    foreign("firstRankPawnDrops", OFF, WITH_DROPS, DROPS),
    foreign("promotionZonePawnDrops", OFF, WITH_DROPS, DROPS),
    foreign("enclosingDrop", NONE, WITH_DROPS, DROPS),
    foreign("enclosingDropStart", EMPTY, WITH_DROPS, DROPS),
    foreign("dropRegionWhite", &[], WITH_DROPS, DROPS),
    foreign("dropRegionBlack", &[], WITH_DROPS, DROPS),
    foreign("sittuyinRookDrop", OFF, WITH_DROPS, DROPS),
    foreign("dropOppositeColoredBishop", OFF, WITH_DROPS, DROPS),
    foreign("dropPromoted", OFF, WITH_DROPS, DROPS),
    foreign("dropNoDoubled", EMPTY, WITH_DROPS, DROPS),
    foreign("dropNoDoubledCount", &[], WITH_DROPS, DROPS),
    foreign("dropChecks", &["true"], WITH_DROPS, DROPS),
    foreign("mustDrop", OFF, WITH_DROPS, DROPS),
    foreign("mustDropType", &[], WITH_DROPS, DROPS),
    foreign("shogiPawnDropMateIllegal", OFF, WITH_DROPS, DROPS),
    foreign("castlingDroppedPiece", OFF, WITH_DROPS, DROPS),
    foreign(
        "immobilityIllegal",
        OFF,
        Moot::No,
        "a move to a square without further moves is always allowed here",
    ),
    foreign("checking", &["true"], Moot::NoRoyal, "giving check is always allowed here"),
    foreign("checkCounting", OFF, Moot::NoRoyal, "checks are not counted here"),
    foreign("perpetualCheckIllegal", OFF, Moot::NoRoyal, "repetition is a draw here, whoever gives check"),
    foreign("moveRepetitionIllegal", OFF, Moot::No, "repetition is a draw here, and always allowed"),
    foreign("chasingRule", NONE, Moot::No, "repetition is a draw here, whoever chases"),
    foreign("makpongRule", OFF, Moot::NoRoyal, "a royal piece may always step out of check here"),
    foreign("flyingGeneral", OFF, Moot::NoRoyal, "royal pieces may face each other here"),
    foreign("bikjangRule", OFF, Moot::NoRoyal, "royal pieces may face each other here"),
    foreign("shatarMateRule", OFF, Moot::NoRoyal, "checkmate is the same whatever gives it here"),
    foreign("blastOnCapture", OFF, Moot::No, "a capture removes one piece here"),
    foreign("blastImmuneTypes", EMPTY, Moot::Without("blastOnCapture"), "a capture removes one piece here"),
    foreign("petrifyBlastPieces", OFF, Moot::Without("blastOnCapture"), "a capture removes one piece here"),
    foreign("petrifyOnCaptureTypes", EMPTY, Moot::No, "a piece that captures stays here"),
    foreign("mutuallyImmuneTypes", &["-", "", "none"], Moot::No, "every enemy piece can be captured here"),
    foreign("sittuyinPromotion", OFF, Moot::No, "promotion happens on arrival in a zone here"),
    foreign("promotionLimit", EMPTY, Moot::No, "the number of promoted pieces is not limited here"),
    foreign(
        "piecePromotionOnCapture",
        OFF,
        Moot::Without("promotedPieceType"),
        "promotion does not ask for a capture here",
    ),
    foreign(
        "pieceDemotion",
        OFF,
        Moot::Without("promotedPieceType"),
        "a promoted piece does not turn back here",
    ),
    foreign("tripleStepRegionWhite", EMPTY, Moot::No, "a pawn has no triple step here"),
    foreign("tripleStepRegionBlack", EMPTY, Moot::No, "a pawn has no triple step here"),
    foreign(
        "oppositeCastling",
        OFF,
        Moot::Without("castling"),
        "castling does not look at the opponent's here",
    ),
    foreign("castlingWins", EMPTY, Moot::Without("castling"), "castling wins no game here"),
    foreign("gating", OFF, Moot::No, "no piece enters the board in a move here"),
    foreign("seirawanGating", OFF, Moot::Without("gating"), "no piece enters the board in a move here"),
    foreign("cambodianMoves", OFF, Moot::Without("gating"), "there are no such first moves here"),
    foreign("wallingRule", NONE, Moot::No, "walls do not change in a game here"),
    foreign("wallingRegionWhite", &[], Moot::Without("wallingRule"), "walls do not change in a game here"),
    foreign("wallingRegionBlack", &[], Moot::Without("wallingRule"), "walls do not change in a game here"),
    foreign("wallOrMove", OFF, Moot::Without("wallingRule"), "walls do not change in a game here"),
    foreign("diagonalLines", EMPTY, Moot::No, "a piece moves alike on all squares here"),
    foreign("soldierPromotionRank", &["1"], Moot::No, "a soldier moves alike on all ranks here"),
    foreign("pass", OFF, Moot::No, "a player must move here"),
    foreign("passWhite", OFF, Moot::No, "a player must move here"),
    foreign("passBlack", OFF, Moot::No, "a player must move here"),
    foreign("passOnStalemate", OFF, Moot::No, "a side that cannot move ends the game here"),
    foreign("passOnStalemateWhite", OFF, Moot::No, "a side that cannot move ends the game here"),
    foreign("passOnStalemateBlack", OFF, Moot::No, "a side that cannot move ends the game here"),
    foreign("flipEnclosedPieces", NONE, Moot::No, "pieces do not change sides here"),
    foreign("nFoldValue", &["draw"], Moot::Without("nFoldRule"), "repetition is a draw here"),
    foreign("nFoldValueAbsolute", OFF, Moot::Without("nFoldValue"), "repetition is a draw here"),
    foreign("stalematePieceCount", OFF, Moot::No, "pieces are not counted when a side cannot move here"),
    foreign("materialCounting", NONE, Moot::No, "material is not counted at the end here"),
    foreign("adjudicateFullBoard", OFF, Moot::Without("materialCounting"), "material is not counted here"),
    foreign("countingRule", NONE, Moot::No, "there is no counting of moves by material here"),
    foreign(
        "dupleCheck",
        OFF,
        Moot::Without("extinctionPseudoRoyal"),
        "there is one royal piece a side here",
    ),
    foreign("connectN", ZERO, Moot::No, "pieces in a row win nothing here"),
    foreign("connectNxN", ZERO, Moot::No, "pieces in a square win nothing here"),
    foreign("collinearN", ZERO, Moot::No, "pieces in a row win nothing here"),
    foreign("connectPieceTypes", &[], Moot::Without("connectN"), "pieces in a row win nothing here"),
    foreign("connectVertical", &[], Moot::Without("connectN"), "pieces in a row win nothing here"),
    foreign("connectHorizontal", &[], Moot::Without("connectN"), "pieces in a row win nothing here"),
    foreign("connectDiagonal", &[], Moot::Without("connectN"), "pieces in a row win nothing here"),
    foreign("connectValue", &[], Moot::Without("connectN"), "pieces in a row win nothing here"),
    foreign("connectRegion1White", EMPTY, Moot::No, "pieces that join regions win nothing here"),
    foreign("connectRegion2White", EMPTY, Moot::No, "pieces that join regions win nothing here"),
    foreign("connectRegion1Black", EMPTY, Moot::No, "pieces that join regions win nothing here"),
    foreign("connectRegion2Black", EMPTY, Moot::No, "pieces that join regions win nothing here"),
    foreign(
        "flagPieceSafe",
        OFF,
        Moot::Without("flagRegion"),
        "a goal does not ask at once whether its piece is attacked here",
    ),
    foreign("flagPieceCount", &["1"], Moot::Without("flagRegion"), "one piece on a goal is enough here"),
    foreign(
        "flagPieceBlockedWin",
        OFF,
        Moot::Without("flagPieceCount"),
        "one piece on a goal is enough here",
    ),
];

/// Keys that say nothing about the rules: words and pictures for other programs, hints for its search.
pub(super) const COSMETIC: &[&str] =
    &["variantTemplate", "pieceToCharTable", "pocketSize", "pieceValueMg", "pieceValueEg", "chess960"];

/// Keys that are translated.
const TRANSLATED: &[&str] = &[
    "maxRank",
    "maxFile",
    "startFen",
    "pawnTypes",
    "promotedPieceType",
    "mandatoryPawnPromotion",
    "mandatoryPiecePromotion",
    "doubleStep",
    "castling",
    "castlingKingsideFile",
    "castlingQueensideFile",
    "castlingRank",
    "castlingKingFile",
    "castlingKingPiece",
    "castlingRookKingsideFile",
    "castlingRookQueensideFile",
    "castlingRookPieces",
    "nMoveRule",
    "nFoldRule",
    "stalemateValue",
    "checkmateValue",
    "extinctionValue",
    "extinctionPieceTypes",
    "extinctionPseudoRoyal",
    "extinctionPieceCount",
    "extinctionOpponentPieceCount",
    "extinctionClaim",
    "flagMove",
    "mustCapture",
];

/// Whether the format has this key.
pub(super) fn is_known(key: &str) -> bool {
    let plain = key.strip_suffix("White").or_else(|| key.strip_suffix("Black"));
    predefined(key).is_some()
        || TRANSLATED.contains(&key)
        || COSMETIC.contains(&key)
        || PER_SIDE.contains(&key)
        || plain.is_some_and(|plain| PER_SIDE.contains(&plain))
        || FOREIGN.iter().any(|foreign| foreign.key == key)
        || region(key).is_some()
}

/// The side (0 White, 1 Black) and the piece of a key such as `mobilityRegionWhiteCustomPiece3`.
pub(super) fn region(key: &str) -> Option<(usize, String)> {
    let rest = key.strip_prefix("mobilityRegion")?;
    let (side, name) = match (rest.strip_prefix("White"), rest.strip_prefix("Black")) {
        (Some(name), _) => (0, name),
        (_, Some(name)) => (1, name),
        _ => return None,
    };
    let first = name.chars().next()?;
    let name = format!("{}{}", first.to_ascii_lowercase(), &name[first.len_utf8()..]);
    predefined(&name).is_some().then_some((side, name))
}

/// All keys of the format, for guesses at what was meant.
pub(super) fn all() -> Vec<String> {
    let sides = PER_SIDE.iter().flat_map(|key| ["", "White", "Black"].map(|side| format!("{key}{side}")));
    let plain = TRANSLATED.iter().chain(COSMETIC).copied();
    let plain = plain.chain(FOREIGN.iter().map(|f| f.key)).chain(PREDEFINED.iter().map(|p| p.0));
    plain.map(String::from).chain(sides).chain(["customPiece1".to_string()]).collect()
}
