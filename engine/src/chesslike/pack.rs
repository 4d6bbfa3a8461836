//! Positions as numbers: the occupied squares, then side and type of each piece, then the same of pieces in hand, then
//! the rest. A drop or a capture thus leaves the number of bits as it is.

use super::{ChessLike, Hands, NO_SQUARE, RuleSubset};
use crate::ability::{Packed, PackedKey};
use crate::bitboard::{Bitboard, Square};
use crate::position::Position;
use crate::value::{Outcome, Side};
use std::ops::ControlFlow;

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

    #[inline(never)]
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

    #[inline(never)]
    fn unpack<K: PackedKey>(&self, key: K) -> Self {
        let mut position = self.unpacked(key);
        position.key = position.zobrist();
        position
    }

    fn expand<K: PackedKey>(&self, key: K, mut visit: impl FnMut(K)) -> (Side, Option<Outcome>) {
        let position = self.unpacked(key);
        if let Some(outcome) = position.decided() {
            return (position.side, Some(outcome));
        }
        if position.dead() {
            return (position.side, position.result());
        }
        let mut any = false;
        let word = self.has_word_keys().then(|| self.word_key(key));
        let _ = position.hand_on_undecided(&mut |moves| {
            any = true;
            if let Some(word) = &word {
                let us = u64::from(position.side == Side::Black) << word.kind_bits;
                // The moves of a piece follow each other.
                for moves in moves.chunk_by(|one, next| one.from == next.from) {
                    let Some(first) = moves.first() else { continue };
                    let left = word.without(first.from);
                    moves.iter().for_each(|mv| visit(left.with(mv.to, us | u64::from(mv.becomes())).key()));
                }
            } else {
                moves.iter().for_each(|mv| visit(position.after(*mv).pack()));
            }
            ControlFlow::Continue(())
        });
        (position.side, if any { None } else { Some(position.without_moves()) })
    }

    fn set_bits(&self) -> u32 {
        // A drop would bring more pieces onto the board.
        if S::hands(self.rules) { 0 } else { u32::from(self.rules.geometry.area()) }
    }

    fn has_unmoves(&self) -> bool {
        self.can_unmove()
    }

    fn unmoves<K: PackedKey>(&self, key: K, visit: impl FnMut(K)) {
        self.visit_unmoves(key, visit);
    }
}

impl<S: RuleSubset, const N: usize> ChessLike<'_, S, N> {
    /// The position of a key, without its Zobrist hash.
    #[inline(always)]
    pub(super) fn unpacked<K: PackedKey>(&self, key: K) -> Self {
        let mut position = Self::empty(self.rules);
        let (mut key, occupied) = key.pop(u32::from(self.rules.geometry.area()));
        let kind_bits = self.kind_bits();
        // The piece pushed last belongs to the highest square.
        let mut left = Bitboard(occupied);
        while left.any() {
            let square = Square::wrap(63 - left.0.leading_zeros());
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
        position
    }

    /// Whether keys are a word of pieces on the board and side to move and nothing else, so that [`WordKey`] can change them. `self` is the
    /// root.
    #[inline(always)]
    pub(super) fn has_word_keys(&self) -> bool {
        !S::hands(self.rules) && self.rest_bits() == [1, 0, 0, 0] && self.packed_bits() <= 64
    }

    /// The parts of a key, if [they are a word](Self::has_word_keys).
    #[inline(always)]
    pub(super) fn word_key<K: PackedKey>(&self, key: K) -> WordKey {
        let (_, word) = key.pop(64);
        let area = u32::from(self.rules.geometry.area());
        let occupied = word & (u64::MAX >> (64 - area));
        let count = occupied.count_ones();
        let kind_bits = self.kind_bits();
        // The board may fill the word.
        let rest = word.unbounded_shr(area);
        let below = count * (1 + kind_bits);
        let pieces = rest & !(u64::MAX << below);
        WordKey { occupied, pieces, count, side: rest >> below & 1, area, kind_bits }
    }
}

/// A key taken apart: a move takes a piece out of the list and puts it in elsewhere, which is many times faster than packing.
#[derive(Clone, Copy)]
pub(super) struct WordKey {
    pub(super) occupied: u64,
    /// Side and type of each piece, that of the highest square in the lowest bits.
    pieces: u64,
    count: u32,
    side: u64,
    area: u32,
    pub(super) kind_bits: u32,
}

impl WordKey {
    /// Where the piece of a square is in the list, or would be.
    #[inline(always)]
    fn place(&self, square: Square) -> u32 {
        (self.occupied >> square.index() >> 1).count_ones() * (1 + self.kind_bits)
    }

    /// Without the piece of a square.
    #[inline(always)]
    #[must_use]
    pub(super) fn without(mut self, square: Square) -> WordKey {
        let place = self.place(square);
        let low = self.pieces & !(u64::MAX << place);
        self.pieces = low | self.pieces >> place >> (1 + self.kind_bits) << place;
        self.occupied &= !square.bit().0;
        self.count -= 1;
        self
    }

    /// With a piece on a square, in the place of what stands there.
    #[inline(always)]
    #[must_use]
    pub(super) fn with(mut self, square: Square, piece: u64) -> WordKey {
        let place = self.place(square);
        let low = self.pieces & !(u64::MAX << place);
        let there = self.occupied & square.bit().0 != 0;
        let high = self.pieces >> place >> if there { 1 + self.kind_bits } else { 0 };
        self.pieces = low | piece << place | high << place << (1 + self.kind_bits);
        self.count += u32::from(!there);
        self.occupied |= square.bit().0;
        self
    }

    /// The key, with the other side to move.
    #[inline(always)]
    pub(super) fn key<K: PackedKey>(self) -> K {
        let rest = (1 - self.side) << (self.count * (1 + self.kind_bits)) | self.pieces;
        K::ZERO.push(rest.unbounded_shl(self.area) | self.occupied, 64)
    }
}
