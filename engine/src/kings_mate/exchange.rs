//! Static exchange evaluation. A guarded king takes last, since nothing can take it.

use super::kind::KING;
use super::{KingsMate, Move, RuleSet};
use crate::bitboard::Bitboard;
use crate::tactics::PieceValues;
use crate::value::Side;

impl<R: RuleSet> KingsMate<R> {
    /// The cheapest piece of a side that could capture on a square, with its type.
    fn cheapest_captor(
        &self,
        square: Bitboard,
        by: Side,
        occupied: Bitboard,
        gone: Bitboard,
        values: &PieceValues,
    ) -> Option<(u8, Bitboard)> {
        let captors = self.captors(square.first(), by, occupied, gone);
        if captors.is_empty() {
            return None;
        }
        let kinds = (0..super::kind::COUNT as u8).map(|kind| (kind, self.by_kind[kind as usize] & captors));
        let (kind, pieces) =
            kinds.filter(|(_, pieces)| pieces.any()).min_by_key(|(kind, _)| values[*kind as usize])?;
        Some((kind, pieces.first().bit()))
    }

    /// See [`Tactics::exchange_at_least`](crate::tactics::Tactics::exchange_at_least). With dice every
    /// attack is taken to hit.
    pub(super) fn exchange(&self, mv: Move, threshold: i32, values: &PieceValues) -> bool {
        let us = self.side;
        let worth = |kind: u8| values[kind as usize & 31];
        let victim = self.victim_of(mv).map_or(0, worth);
        // By how much the side that stands on the square is ahead of what it needs.
        let mut lead = victim + worth(mv.becomes) - worth(mv.kind) - threshold;
        if lead < 0 {
            return false;
        }
        if mv.kind == KING {
            return true;
        }
        // A side captures only if that puts it ahead. A tie is enough for the mover only.
        lead = worth(mv.becomes) - lead - 1;
        if lead < 0 {
            return true;
        }
        let square = mv.to.bit();
        let mut gone = mv.from.bit() | square;
        let mut occupied = self.occupied() & !mv.from.bit() | square;
        let mut side = !us;
        loop {
            let Some((kind, piece)) = self.cheapest_captor(square, side, occupied, gone, values) else {
                return side != us;
            };
            gone |= piece;
            occupied &= !piece;
            if kind == KING {
                let answered = self.is_defenseless(side) && self.captors(mv.to, !side, occupied, gone).any();
                return answered == (side != us);
            }
            side = !side;
            lead = worth(kind) - lead - 1;
            if lead < 0 {
                return side != us;
            }
        }
    }
}
