//! The pieces that a game begins with.

use jewel_engine::bitboard::Bitboard;
use jewel_engine::chesslike::AnyChessLike;
use jewel_engine::tactics::Pieces;
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;

/// The start position of a game.
pub(super) struct Start<'a>(Option<AnyChessLike<'a>>);

impl<'a> Start<'a> {
    pub(super) fn of(rules: &'a Rules) -> Start<'a> {
        Start(AnyChessLike::from_fen(rules, &rules.start).ok())
    }

    /// The squares of a side's pieces of a type.
    pub(super) fn squares(&self, kind: u8, side: Side) -> Bitboard {
        self.0.as_ref().map_or(Bitboard::EMPTY, |start| start.pieces_of_kind(side, kind))
    }

    /// A side's pieces of a type, on the board and in hand.
    pub(super) fn count(&self, kind: u8, side: Side) -> u32 {
        let held = self.0.as_ref().map_or(0, |start| Pieces::in_hand(start, side, kind));
        self.squares(kind, side).count() + u32::from(held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_in_hand_are_counted_and_promoted_ones_are_not_what_they_were() {
        let text = "id = \"test\"\nname = \"Test\"\n[board]\nsize = \"4x4\"\nstart = \"k3/r1+r1/4/KRR1[RRr] w - - 0 1\"\n\
            [[piece]]\nletter = \"K\"\nmoves = \"K\"\nroyal = true\n[[piece]]\nletter = \"R\"\nmoves = \"R\"\n\
            promotion = { zone = { w = [\"rank 4\"], b = [\"rank 1\"] }, to = \"+R\", optional = true }\n\
            [[piece]]\nletter = \"+R\"\nmoves = \"KR\"\n[hand]\ncaptures = \"captor\"\n";
        let rules = Rules::parse(text).unwrap_or_else(|e| panic!("{e}"));
        let start = Start::of(&rules);
        let rook = rules.type_of('R').unwrap();
        assert_eq!(Side::BOTH.map(|side| start.squares(rook, side).count()), [2, 1]);
        assert_eq!(Side::BOTH.map(|side| start.count(rook, side)), [4, 2]);
    }
}
