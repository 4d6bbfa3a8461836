//! Material classes: how many pieces of each type each side has.

use super::pieces::{BySide, MAX_TYPES, Pieces};
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;

/// How many pieces of each type, by side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Class(pub(crate) BySide<[u8; MAX_TYPES]>);

impl Class {
    /// The class of a position.
    pub(crate) fn from_pieces(m: &Pieces) -> Class {
        Class(BySide(m.0.map(|side| side.map(|set| set.count() as u8))))
    }

    /// The same with the sides exchanged.
    pub(crate) fn swapped(self) -> Class {
        Class(BySide::from_fn(|side| self.0[!side]))
    }

    /// The number of pieces of both sides.
    pub fn pieces(self) -> usize {
        self.pieces_of(Side::White) + self.pieces_of(Side::Black)
    }

    /// The number of pieces of one side.
    pub(crate) fn pieces_of(self, side: Side) -> usize {
        self.0[side].iter().map(|&c| usize::from(c)).sum()
    }

    /// The class with one piece less.
    pub(crate) fn without(mut self, side: Side, kind: usize) -> Class {
        self.0[side][kind] -= 1;
        self
    }

    /// The class with one piece more.
    pub(crate) fn with(mut self, side: Side, kind: usize) -> Class {
        self.0[side][kind] += 1;
        self
    }

    /// The name of the class, such as `NLvQQ`: White's pieces, a small v, Black's.
    pub fn name(self, rules: &Rules) -> String {
        let side = |side: Side| -> String {
            let kinds = rules.pieces.iter().zip(self.0[side]);
            kinds.map(|(names, count)| names.letter.to_string().repeat(usize::from(count))).collect()
        };
        format!("{}v{}", side(Side::White), side(Side::Black))
    }
}
