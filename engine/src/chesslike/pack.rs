//! Positions as numbers: the occupied squares, then side and type of each piece, then the same of pieces in hand, then
//! the rest. A drop or a capture thus leaves the number of bits as it is.

use super::{ChessLike, Hands, NO_SQUARE, RuleSubset};
use crate::ability::{Packed, PackedKey};
use crate::bitboard::Bitboard;
use crate::value::Side;

/// The bits of the number of pieces in hand.
const HAND_BITS: u32 = 8;

/// The bits that are needed to number `count` things.
const fn bits_for(count: usize) -> u32 {
    usize::BITS - count.saturating_sub(1).leading_zeros()
}

impl<S: RuleSubset, const N: usize> ChessLike<'_, S, N> {
    fn kind_bits(&self) -> u32 {
        bits_for(self.rules.type_count())
    }

    /// Bits of everything but the pieces: side to move, castling rights, en passant, clock.
    fn rest_bits(&self) -> [u32; 4] {
        let rules = self.rules;
        let clock = rules.move_rule.map_or(0, |limit| bits_for(limit as usize + 1));
        [1, rules.castles.len() as u32, if rules.tables.en_passant != 0 { 7 } else { 0 }, clock]
    }
}

impl<S: RuleSubset, const N: usize> Packed for ChessLike<'_, S, N> {
    fn packed_bits(&self) -> u32 {
        let pieces =
            self.occupied().count() + self.hands().map(|(_, _, count)| u32::from(count)).sum::<u32>();
        let hands = if S::hands(self.rules) { HAND_BITS } else { 0 };
        u32::from(self.rules.geometry.area())
            + hands
            + pieces * (1 + self.kind_bits())
            + self.rest_bits().iter().sum::<u32>()
    }

    fn pack<K: PackedKey>(&self) -> K {
        assert!(
            self.packed_bits() <= K::BITS,
            "a position of {} bits in a key of {}",
            self.packed_bits(),
            K::BITS
        );
        let [side, castling, en_passant, clock] = self.rest_bits();
        let mut key = K::ZERO
            .push(self.side.index() as u64, side)
            .push(u64::from(self.castling), castling)
            .push(u64::from(self.en_passant), en_passant)
            .push(u64::from(self.counted_clock()), clock);
        let kind_bits = self.kind_bits();
        if S::hands(self.rules) {
            let mut held = 0;
            for (side, kind, count) in self.hands() {
                for _ in 0..count {
                    key = key.push((side.index() as u64) << kind_bits | u64::from(kind), 1 + kind_bits);
                    held += 1;
                }
            }
            key = key.push(held, HAND_BITS);
        }
        for square in self.occupied() {
            let kind = u64::from(self.type_on(square).unwrap_or(0));
            let side = u64::from(self.by_side[1].has(square));
            key = key.push(side << kind_bits | kind, 1 + kind_bits);
        }
        key.push(self.occupied().0, u32::from(self.rules.geometry.area()))
    }

    fn unpack<K: PackedKey>(&self, key: K) -> Self {
        let mut position = Self::empty(self.rules);
        let (mut key, occupied) = key.pop(u32::from(self.rules.geometry.area()));
        let kind_bits = self.kind_bits();
        // The piece pushed last belongs to the highest square.
        let mut left = Bitboard(occupied);
        while left.any() {
            let square = crate::bitboard::Square::new(63 - left.0.leading_zeros() as u8);
            left &= !square.bit();
            let (rest, piece) = key.pop(1 + kind_bits);
            let side = if piece >> kind_bits & 1 == 0 { Side::White } else { Side::Black };
            position.put(square, (piece & ((1 << kind_bits) - 1)) as u8, side);
            key = rest;
        }
        if S::hands(self.rules) {
            let (rest, held) = key.pop(HAND_BITS);
            key = rest;
            for _ in 0..held {
                let (rest, piece) = key.pop(1 + kind_bits);
                let side = if piece >> kind_bits & 1 == 0 { Side::White } else { Side::Black };
                let kind = (piece & ((1 << kind_bits) - 1)) as u8;
                position.hands.set(side, kind, position.hands.count(side, kind).saturating_add(1));
                key = rest;
            }
        }
        let [side, castling, en_passant, clock] = self.rest_bits();
        let (key, value) = key.pop(clock);
        position.clock = value as u16;
        let (key, value) = key.pop(en_passant);
        position.en_passant = if en_passant == 0 { NO_SQUARE } else { value as u8 };
        let (key, value) = key.pop(castling);
        position.castling = value as u8;
        let (_, value) = key.pop(side);
        position.side = if value == 0 { Side::White } else { Side::Black };
        position.key = position.zobrist();
        position
    }
}
