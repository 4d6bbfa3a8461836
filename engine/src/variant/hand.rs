//! Pieces in hand: what a variant file says about captures, hands and drops.

use super::error::VariantError;
use super::file::{self, VariantFile};
use super::read::{Reader, Result};
use super::spec::{Captures, Drop, HandRule, Mark, PieceSpec};
use crate::bitboard::Bitboard;
use crate::geometry::shorten;

impl Reader<'_> {
    /// The `[hand]` table.
    pub(super) fn hand(&self, file: &VariantFile) -> Result<Option<HandRule>> {
        let Some(place) = &file.hand else {
            for piece in &file.piece {
                let piece = piece.get_ref();
                if let Some(text) = &piece.in_hand {
                    return Err(self.at(text, "piece.in-hand", NEEDS_HAND));
                }
                if let Some(drop) = &piece.drop {
                    return Err(self.at(drop, "piece.drop", NEEDS_HAND));
                }
            }
            return Ok(None);
        };
        let hand = place.get_ref();
        let captures = match &hand.captures {
            None => Captures::Captor,
            Some(text) => match text.get_ref().as_str() {
                "captor" => Captures::Captor,
                "owner" => Captures::Owner,
                "nobody" => Captures::Nobody,
                other => {
                    let found = shorten(other);
                    let problem = format!("expected \"captor\", \"owner\" or \"nobody\", found \"{found}\"");
                    return Err(self.at(text, "hand.captures", problem));
                }
            },
        };
        if hand.castling && file.castling.is_empty() {
            return Err(self.at(place, "hand.castling", "needs [[castling]]"));
        }
        let (compulsory, castling, beside_own) = (hand.compulsory, hand.castling, hand.beside_own);
        Ok(Some(HandRule { captures, compulsory, castling, beside_own }))
    }

    /// What each type is in a hand, and where it is dropped: the last step of reading pieces, since it refers from one
    /// to others.
    pub(super) fn drops(&self, file: &VariantFile, pieces: &mut [PieceSpec]) -> Result<()> {
        if file.hand.is_none() {
            return Ok(());
        }
        for (kind, place) in file.piece.iter().enumerate() {
            let piece = place.get_ref();
            let royal = piece.royal != file::Royal::Is(false);
            let base = match &piece.in_hand {
                Some(text) if royal => {
                    return Err(self.at(
                        text,
                        "piece.in-hand",
                        "a royal piece that is captured ends the game",
                    ));
                }
                Some(text) if text.get_ref() == "-" => None,
                Some(text) => Some(self.kind(text, "piece.in-hand")?),
                None if royal => None,
                None => Some(self.base(kind)?),
            };
            pieces[kind].in_hand = base;
        }
        for (kind, place) in file.piece.iter().enumerate() {
            let base = pieces[kind].in_hand;
            if let (Some(base), Some(text)) = (base, &place.get_ref().in_hand)
                && pieces[usize::from(base)].in_hand != Some(base)
            {
                let problem = format!("a {} in hand is something else again", self.symbol(base.into()));
                return Err(self.at(text, "piece.in-hand", problem));
            }
            pieces[kind].drop = self.drop(kind, place.get_ref(), pieces)?;
        }
        Ok(())
    }

    /// The unmarked type of the same letter, which a marked one is in hand.
    fn base(&self, kind: usize) -> Result<u8> {
        let (letter, mark) = self.symbols[kind];
        let base = self.symbols.iter().position(|symbol| *symbol == (letter, Mark::None));
        match base {
            _ if mark == Mark::None => Ok(kind as u8),
            Some(base) if mark == Mark::Plus => Ok(base as u8),
            _ => Err(VariantError::missing(
                "piece.in-hand",
                format!("{} needs in-hand, the letter that it has in a hand, or \"-\"", self.symbol(kind)),
            )),
        }
    }

    /// How a type is dropped: a type that is itself in hand anywhere on the board, unless the file says more.
    fn drop(&self, kind: usize, piece: &file::Piece, pieces: &[PieceSpec]) -> Result<Option<Drop>> {
        let royal = piece.royal != file::Royal::Is(false);
        let itself = pieces[kind].in_hand == Some(kind as u8);
        let territory = pieces[kind].territory;
        let Some(place) = &piece.drop else {
            let plain = Drop { zone: territory, per_file: None, mate: true, balanced: false };
            return Ok(itself.then_some(plain));
        };
        let drop = place.get_ref();
        if pieces[kind].in_hand.is_none() && !royal {
            return Err(self.at(place, "piece.drop", "a piece with in-hand = \"-\" is never in a hand"));
        }
        let zone = match &drop.zone {
            Some(zone) => self.zones(zone, "piece.drop.zone")?,
            None => territory,
        };
        for side in [0, 1] {
            let outside: Bitboard = zone[side] & !territory[side];
            if outside.any() && piece.territory.is_some() {
                let square = self.geometry.name(outside.first());
                let problem = format!("{square} is outside the territory of the piece");
                return Err(self.at(place, "piece.drop.zone", problem));
            }
        }
        let mate = drop.mate.unwrap_or(true);
        if !mate && !file_has_royal(self, piece) {
            return Err(self.at(
                place,
                "piece.drop.mate",
                "needs a royal piece: nothing is checkmate without one",
            ));
        }
        let per_file = drop.per_file.as_ref().map(|count| *count.get_ref());
        Ok(Some(Drop { zone, per_file, mate, balanced: drop.balanced }))
    }
}

/// Whether some type is royal, so that there is checkmate.
fn file_has_royal(reader: &Reader<'_>, piece: &file::Piece) -> bool {
    piece.royal == file::Royal::Is(true) || reader.royal.is_some()
}

const NEEDS_HAND: &str = "needs a [hand] table: without it a game has no pieces in hand";
