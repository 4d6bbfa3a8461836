//! Positions as numbers, and the symmetries of the crystal.

use super::Crystal;
use crate::ability::{Packed, PackedKey, Symmetric};
use crate::bitboard::{Bitboard, Square};
use crate::bits::{deposit, extract};
use crate::position::Position;
use crate::symmetry::Symmetry;
use crate::value::{Outcome, Side};

impl Packed for Crystal {
    fn packed_bits(&self) -> u32 {
        1 + self.lattice.atoms() + 2 * self.lattice.tokens
    }

    /// Whose turn it is, whose the charged atoms are, and which atoms are charged.
    fn pack<K: PackedKey>(&self) -> K {
        let bits = self.packed_bits();
        assert!(bits <= K::BITS, "a position of {bits} bits in a key of {}", K::BITS);
        let occupied = self.occupied().0;
        K::ZERO
            .push(self.side.index() as u64, 1)
            .push(extract(self.by_side[0].0, occupied), 2 * self.lattice.tokens)
            .push(occupied, self.lattice.atoms())
    }

    fn unpack<K: PackedKey>(&self, key: K) -> Self {
        let mut position = self.unpacked(key);
        position.key = position.zobrist();
        position
    }

    fn expand<K: PackedKey>(&self, key: K, mut visit: impl FnMut(K)) -> (Side, Option<Outcome>) {
        let position = self.unpacked(key);
        let outcome = position.outcome();
        if outcome.is_none() {
            let mut next = Crystal { side: !position.side, ..position };
            let us = position.side.index();
            let own = position.by_side[us];
            let mut none = true;
            for from in own {
                for to in position.destinations(from) {
                    none = false;
                    next.by_side[us] = own & !from.bit() | to.bit();
                    visit(next.pack());
                }
            }
            if none {
                next.by_side[us] = own;
                visit(next.pack());
            }
        }
        (position.side, outcome)
    }

    fn set_bits(&self) -> u32 {
        self.lattice.atoms()
    }

    /// A step and a chain of jumps lead back the way they came, and the electron of the move is in nobody's way.
    fn has_unmoves(&self) -> bool {
        true
    }

    fn unmoves<K: PackedKey>(&self, key: K, mut visit: impl FnMut(K)) {
        let mut position = self.unpacked(key);
        position.side = !position.side;
        let us = position.side.index();
        let own = position.by_side[us];
        let mut stuck = true;
        for to in own {
            for from in position.destinations(to) {
                stuck = false;
                position.by_side[us] = own & !to.bit() | from.bit();
                visit(position.pack());
                position.by_side[us] = own;
            }
        }
        // Only a player who has no other move passes.
        if stuck {
            visit(position.pack());
        }
    }
}

impl Crystal {
    /// The position of a key, without its Zobrist hash.
    #[inline(always)]
    fn unpacked<K: PackedKey>(&self, key: K) -> Crystal {
        let (key, occupied) = key.pop(self.lattice.atoms());
        let (key, first) = key.pop(2 * self.lattice.tokens);
        let (_, side) = key.pop(1);
        let first = deposit(first, occupied);
        Crystal {
            lattice: self.lattice,
            by_side: [Bitboard(first), Bitboard(occupied & !first)],
            key: 0,
            plies: 0,
            side: if side == 0 { Side::White } else { Side::Black },
        }
    }

    /// The position with every electron taken elsewhere by a symmetry of the crystal.
    fn moved(&self, image: impl Fn(Square) -> Square, exchange: bool) -> Crystal {
        let mut position = *self;
        position.by_side = self.by_side.map(|set| set.into_iter().map(&image).collect());
        if exchange {
            position.by_side.swap(0, 1);
            position.side = !self.side;
        }
        position.key = position.zobrist();
        position
    }

    /// The position turned about the axis of the crystal by a number of molecules. It has the same value.
    pub fn turned(&self, molecules: u32) -> Crystal {
        self.moved(|atom| self.lattice.turned(atom, molecules), false)
    }

    /// Every image of the position under the symmetries of the crystal, itself first: turns, and the mirror
    /// that exchanges left and right, each also upside down with the players exchanged. All have the same
    /// value. There are four times as many as molecules in a tier.
    pub fn images(&self) -> impl Iterator<Item = Crystal> {
        let mirror = |position: Crystal| position.moved(|atom| position.lattice.mirrored(atom), false);
        let flip = |position: Crystal| position.moved(|atom| position.lattice.opposite(atom), true);
        let upright = [*self, mirror(*self)];
        let all = [upright[0], upright[1], flip(upright[0]), flip(upright[1])];
        all.into_iter().flat_map(|p| (0..p.lattice.molecules).map(move |molecules| p.turned(molecules)))
    }
}

/// As symmetries of a board those that undo themselves: left and right exchanged, and the players' sides
/// exchanged. The images are all that there are.
impl Symmetric for Crystal {
    fn symmetries(&self) -> Vec<(Symmetry, bool)> {
        let mirror = Symmetry { mirror_files: true, ..Symmetry::IDENTITY };
        let flip = Symmetry { mirror_ranks: true, ..Symmetry::IDENTITY };
        vec![(Symmetry::IDENTITY, false), (mirror, false), (flip, true)]
    }

    fn transformed(&self, symmetry: Symmetry, exchange: bool) -> Option<Self> {
        let image = |atom| {
            let atom = if symmetry.mirror_files { self.lattice.mirrored(atom) } else { atom };
            if symmetry.mirror_ranks { self.lattice.opposite(atom) } else { atom }
        };
        Some(self.moved(image, exchange))
    }

    fn images(&self) -> Vec<(Self, bool)> {
        Crystal::images(self).map(|image| (image, image.side != self.side)).collect()
    }
}
