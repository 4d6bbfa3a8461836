//! The shape of a variant file, before any of it is understood. `docs/variant-files.md` explains each key.

use serde::Deserialize;
use toml::Spanned;

/// Text with its place in the file.
pub(super) type Text = Spanned<String>;
/// Sets of squares, to be united: `["c3", "rank 2", "a1-b2"]`.
pub(super) type SquareList = Vec<Text>;

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct VariantFile {
    pub(super) id: Option<Text>,
    pub(super) name: Text,
    #[serde(default)]
    pub(super) summary: String,
    pub(super) sides: Option<Each<String>>,
    #[serde(default)]
    pub(super) must_capture: bool,
    pub(super) chess960: Option<Spanned<bool>>,
    pub(super) board: Board,
    pub(super) piece: Vec<Spanned<Piece>>,
    pub(super) hand: Option<Spanned<Hand>>,
    pub(super) key: Option<Spanned<Key>>,
    #[serde(default)]
    pub(super) castling: Vec<Spanned<Castling>>,
    #[serde(default)]
    pub(super) end: End,
    #[serde(default)]
    pub(super) draw: Draw,
}

/// A value for each side.
#[derive(Deserialize, Debug, Clone)]
#[serde(deny_unknown_fields)]
pub(super) struct Each<T> {
    pub(super) w: T,
    pub(super) b: T,
}

/// A text that is the same for both sides, or one for each.
#[derive(Deserialize, Debug, Clone)]
#[serde(untagged, expecting = "expected a text, or one for each side: { w = \"…\", b = \"…\" }")]
pub(super) enum Names {
    Both(String),
    Each(Each<String>),
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Board {
    pub(super) size: Text,
    pub(super) start: Text,
    #[serde(default)]
    pub(super) blocking: SquareList,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Piece {
    pub(super) letter: Text,
    pub(super) moves: Text,
    pub(super) name: Option<Names>,
    pub(super) abbreviation: Option<Names>,
    pub(super) promoted_name: Option<Names>,
    pub(super) promoted_abbreviation: Option<Names>,
    #[serde(default)]
    pub(super) royal: Royal,
    pub(super) value: Option<Spanned<i32>>,
    #[serde(default)]
    pub(super) rotated: bool,
    pub(super) in_hand: Option<Text>,
    pub(super) drop: Option<Spanned<Drop>>,
    pub(super) initial: Option<Each<SquareList>>,
    pub(super) territory: Option<Each<SquareList>>,
    pub(super) promotion: Option<Promotion>,
    #[serde(default)]
    pub(super) en_passant: bool,
    pub(super) resets_clock: Option<bool>,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Promotion {
    pub(super) zone: Each<SquareList>,
    pub(super) to: Spanned<Kinds>,
    #[serde(default)]
    pub(super) optional: bool,
    pub(super) forced: Option<Each<SquareList>>,
    #[serde(default)]
    pub(super) leaving: bool,
    #[serde(default)]
    pub(super) on_capture: bool,
}

/// Letters of types, the same for both sides or for each.
#[derive(Deserialize, Debug)]
#[serde(untagged, expecting = "expected piece letters, or some for each side: { w = \"…\", b = \"…\" }")]
pub(super) enum Kinds {
    Both(String),
    Each(Each<String>),
}

impl Promotion {
    /// The letters of what a side's piece becomes, by the index of the side.
    pub(super) fn to(&self, side: usize) -> Text {
        let text = match self.to.get_ref() {
            Kinds::Both(text) => text,
            Kinds::Each(each) => [&each.w, &each.b][side],
        };
        Spanned::new(self.to.span(), text.clone())
    }
}

/// Whether a type is royal, and how it is lost.
#[derive(Deserialize, Debug, Clone, PartialEq, Eq)]
#[serde(untagged, expecting = "expected true, false or \"capture\"")]
pub(super) enum Royal {
    Is(bool),
    Falls(RoyalFalls),
}

#[derive(Deserialize, Debug, Clone, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RoyalFalls {
    Capture,
}

impl Default for Royal {
    fn default() -> Royal {
        Royal::Is(false)
    }
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Hand {
    pub(super) captures: Option<Text>,
    #[serde(default)]
    pub(super) compulsory: bool,
    #[serde(default)]
    pub(super) castling: bool,
    #[serde(default)]
    pub(super) beside_own: bool,
}

#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Drop {
    pub(super) zone: Option<Each<SquareList>>,
    pub(super) per_file: Option<Spanned<u8>>,
    pub(super) mate: Option<bool>,
    #[serde(default)]
    pub(super) balanced: bool,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Key {
    pub(super) squares: Option<SquareList>,
    pub(super) goals: Option<Each<SquareList>>,
    pub(super) objective: Text,
    pub(super) eligible: Option<Text>,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Castling {
    pub(super) right: Text,
    pub(super) king: [Text; 2],
    pub(super) rook: [Text; 2],
    pub(super) rook_piece: Text,
    pub(super) king_piece: Option<Text>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct End {
    pub(super) checkmate: Option<Text>,
    pub(super) stalemate: Option<Text>,
    pub(super) bare: Option<Text>,
    pub(super) extinction: Option<Extinction>,
    pub(super) repetition: Option<Text>,
    pub(super) perpetual_check: Option<Text>,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Extinction {
    pub(super) pieces: Text,
    pub(super) result: Text,
}

#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Draw {
    pub(super) repetition: Option<Spanned<u32>>,
    pub(super) n_move: Option<Spanned<u32>>,
    #[serde(default)]
    pub(super) insufficient: Vec<Text>,
    pub(super) insufficient_same_colour: Option<Text>,
}
