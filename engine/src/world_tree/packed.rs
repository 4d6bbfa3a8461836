//! Positions as numbers: which pieces there are, where they stand, and the rest.

use super::placement::PLACEMENTS;
use super::state::NOBODY;
use super::{Kind, WorldTree};
use crate::ability::{Packed, PackedKey};
use crate::bitboard::{Bitboard, Square};
use crate::value::Side;

/// Bits for which pieces there are: eight kinds and the number of cani, for each side.
const HEADER: u32 = 2 * (Kind::SINGLES as u32 + 2);
/// Bits for side to move, phase, quiet turns and markers, and for what has moved this turn.
const REST: [u32; 5] = [1, 1, 7, 4, 4];
/// Numbers of what has moved: nobody, one of the eight kinds, or some of the three cani.
const MOVED_CANI: u64 = 1 + Kind::SINGLES as u64;

impl WorldTree {
    fn piece_count(&self) -> u32 {
        let count = |side| Kind::ALL.map(|kind| self.pieces(side, kind).count()).iter().sum::<u32>();
        count(Side::White) + count(Side::Black)
    }

    fn moved_number(&self) -> u64 {
        match self.moved {
            NOBODY => 0,
            kind if kind == Kind::Cani as u32 => {
                let cani = self.cani[self.side.index()].into_iter().enumerate();
                let moved: u64 = cani.map(|(n, c)| u64::from(self.moved_cani.has(c)) << n).sum();
                MOVED_CANI + moved - 1
            }
            kind => 1 + u64::from(kind),
        }
    }

    fn set_moved_number(&mut self, number: u64) {
        if number >= MOVED_CANI {
            let set = number + 1 - MOVED_CANI;
            let cani = self.cani[self.side.index()].into_iter().enumerate();
            self.moved_cani = cani.filter(|(n, _)| set >> n & 1 != 0).map(|(_, c)| c).collect();
        }
        self.moved = match number {
            0 => NOBODY,
            n if n >= MOVED_CANI => Kind::Cani as u32,
            n => n as u32 - 1,
        };
    }
}

impl Packed for WorldTree {
    fn packed_bits(&self) -> u32 {
        let towns = 2;
        let pieces = if self.is_placing() { towns + u32::from(PLACEMENTS) } else { self.piece_count() };
        HEADER + 6 * pieces + REST.iter().sum::<u32>()
    }

    fn pack<K: PackedKey>(&self) -> K {
        let bits = self.packed_bits();
        assert!(bits <= K::BITS, "a position of {bits} bits in a key of {}", K::BITS);
        let rest = [
            self.side.index() as u64,
            u64::from(self.is_placing()),
            u64::from(self.quiet),
            u64::from(self.marks),
            self.moved_number(),
        ];
        let mut key = rest.iter().zip(REST).fold(K::ZERO, |key, (&value, bits)| key.push(value, bits));
        let mut header = 0;
        for side in Side::BOTH {
            for kind in Kind::ALL {
                let set = self.pieces(side, kind);
                key = set.into_iter().fold(key, |key, square| key.push(square.index() as u64, 6));
                let bits = if kind == Kind::Cani { 2 } else { 1 };
                header = header << bits | u64::from(set.count());
            }
        }
        key.push(header, HEADER)
    }

    fn unpack<K: PackedKey>(&self, key: K) -> WorldTree {
        let mut position = WorldTree::empty();
        let (mut key, mut header) = key.pop(HEADER);
        for side in Side::BOTH.into_iter().rev() {
            for kind in Kind::ALL.into_iter().rev() {
                let bits = if kind == Kind::Cani { 2 } else { 1 };
                let mut set = Bitboard::EMPTY;
                for _ in 0..header & ((1 << bits) - 1) {
                    let (rest, square) = key.pop(6);
                    key = rest;
                    set |= Square::wrap(square as u32).bit();
                }
                header >>= bits;
                set.into_iter().for_each(|square| position.put(kind, side, square));
            }
        }
        let mut rest = [0; REST.len()];
        for (value, bits) in rest.iter_mut().zip(REST).rev() {
            (key, *value) = key.pop(bits);
        }
        let [side, placing, quiet, marks, moved] = rest;
        position.side = if side == 0 { Side::White } else { Side::Black };
        position.quiet = quiet as u8;
        position.marks = marks as u8;
        if placing != 0 {
            position.placed = (position.piece_count() - 2) as u8;
        }
        position.set_moved_number(moved);
        position.key = position.zobrist();
        position
    }
}
