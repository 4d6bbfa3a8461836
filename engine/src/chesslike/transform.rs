//! Positions seen through a symmetry of the rules.

use super::{ChessLike, Hands, RuleSubset};
use crate::ability::Symmetric;
use crate::symmetry::Symmetry;
use crate::value::Side;
use crate::variant::Castle;

impl<S: RuleSubset, const N: usize> Symmetric for ChessLike<'_, S, N> {
    fn symmetries(&self) -> Vec<(Symmetry, bool)> {
        self.rules.symmetries().to_vec()
    }

    #[inline(never)]
    fn transformed(&self, symmetry: Symmetry, exchange: bool) -> Option<Self> {
        let geometry = self.rules.geometry;
        let image = |square| symmetry.square(geometry, square);
        let owner = |side: Side| if exchange { !side } else { side };
        let mut position = Self::empty(self.rules);
        for square in self.occupied() {
            let (kind, side) = self.piece_on(square)?;
            position.put(image(square), kind, owner(side));
        }
        for (_, castle) in self.rules.castles.iter().enumerate().filter(|(n, _)| self.castling >> n & 1 != 0)
        {
            let twin = |c: &&Castle| {
                c.side == owner(castle.side)
                    && c.king == castle.king.map(image)
                    && c.rook == castle.rook.map(image)
                    && c.rook_kind == castle.rook_kind
            };
            let number = self.rules.castles.iter().position(|c| twin(&c))?;
            position.castling |= 1 << number;
        }
        if let Some(square) = self.en_passant() {
            position.en_passant = image(square).index() as u8;
        }
        for (side, kind, count) in self.hands() {
            position.hands.set(owner(side), kind, count);
        }
        position.side = owner(self.side);
        position.clock = self.clock;
        position.move_number = self.move_number;
        position.key = position.zobrist();
        Some(position)
    }

    fn sides_are_alike(&self) -> bool {
        let counts = |side: Side| self.by_type.map(|kind| (kind & self.pieces_of(side)).count());
        counts(Side::White) == counts(Side::Black)
    }
}
