//! Positions as numbers, and their symmetries.

use super::board::GEOMETRY;
use super::{KingsMate, RuleSet};
use crate::ability::{Packed, PackedKey, Symmetric};
use crate::bitboard::{Bitboard, Square};
use crate::symmetry::Symmetry;
use crate::value::Side;

/// Up to this number pieces are listed with their squares; more are marked on a map of the board. At this
/// number both take about the same room.
const LISTED: u32 = 10;
/// Bits of a piece: type and side, and with dice whether it has failed.
const PIECE: u32 = 4;
const COUNT_BITS: u32 = 6;
const SQUARE_BITS: u32 = 6;
const BOARD_BITS: u32 = 63;

impl<R: RuleSet> KingsMate<R> {
    const PIECE_BITS: u32 = if R::DICE { PIECE + 1 } else { PIECE };

    fn piece_code(&self, square: Square) -> u64 {
        let kind = u64::from(self.kind_on(square).unwrap_or(0));
        let side = u64::from(self.by_side[1].has(square));
        u64::from(self.failed.has(square)) << PIECE | side << 3 | kind
    }

    fn put_code(&mut self, square: Square, code: u64) {
        let side = if code >> 3 & 1 == 0 { Side::White } else { Side::Black };
        self.put(square, (code & 7) as u8, side);
        if code >> PIECE & 1 != 0 {
            self.failed |= square.bit();
        }
    }
}

impl<R: RuleSet> Packed for KingsMate<R> {
    fn packed_bits(&self) -> u32 {
        let pieces = self.occupied().count();
        let places = if pieces <= LISTED { pieces * SQUARE_BITS } else { BOARD_BITS };
        1 + 2 + COUNT_BITS + places + pieces * Self::PIECE_BITS
    }

    fn pack<K: PackedKey>(&self) -> K {
        let bits = self.packed_bits();
        assert!(bits <= K::BITS, "a position of {bits} bits in a key of {}", K::BITS);
        let occupied = self.occupied();
        let listed = occupied.count() <= LISTED;
        let mut key = K::ZERO;
        for square in occupied {
            key = key.push(self.piece_code(square), Self::PIECE_BITS);
            if listed {
                key = key.push(square.index() as u64, SQUARE_BITS);
            }
        }
        if !listed {
            key = key.push(occupied.0, BOARD_BITS);
        }
        key.push(u64::from(occupied.count()), COUNT_BITS)
            .push(u64::from(self.rights), 2)
            .push(self.side.index() as u64, 1)
    }

    fn unpack<K: PackedKey>(&self, key: K) -> Self {
        let mut position = KingsMate { stalemate: self.stalemate, special: self.special, ..Self::EMPTY };
        let (key, side) = key.pop(1);
        position.side = if side == 0 { Side::White } else { Side::Black };
        let (key, rights) = key.pop(2);
        position.rights = rights as u8;
        let (mut key, count) = key.pop(COUNT_BITS);
        if count as u32 <= LISTED {
            for _ in 0..count {
                let (rest, square) = key.pop(SQUARE_BITS);
                let (rest, code) = rest.pop(Self::PIECE_BITS);
                position.put_code(Square::wrap(square as u32), code);
                key = rest;
            }
        } else {
            let (mut key, mut left) = key.pop(BOARD_BITS);
            // The piece pushed last belongs to the highest square.
            while left != 0 {
                let square = Square::wrap(63 - left.leading_zeros());
                left &= !square.bit().0;
                let (rest, code) = key.pop(Self::PIECE_BITS);
                position.put_code(square, code);
                key = rest;
            }
        }
        position.key = position.zobrist();
        position
    }
}

/// West and east may be exchanged, and north and south together with the sides: raised squares, the way
/// of the fools and the lines of the crown all follow.
impl<R: RuleSet> Symmetric for KingsMate<R> {
    fn symmetries(&self) -> Vec<(Symmetry, bool)> {
        Symmetry::all(*GEOMETRY).map(|symmetry| (symmetry, symmetry.mirror_ranks)).collect()
    }

    #[inline(never)]
    fn transformed(&self, symmetry: Symmetry, exchange: bool) -> Option<Self> {
        let image = |set: Bitboard| symmetry.set(*GEOMETRY, set);
        let mut position = *self;
        position.by_kind = self.by_kind.map(image);
        position.by_side = self.by_side.map(image);
        position.failed = image(self.failed);
        if exchange {
            position.by_side.swap(0, 1);
            position.side = !self.side;
            position.rights = self.rights >> 1 | (self.rights & 1) << 1;
        }
        position.key = position.zobrist();
        Some(position)
    }
}
