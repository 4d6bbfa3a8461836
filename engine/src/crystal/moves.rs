//! Where an electron can go.

use super::Crystal;
use crate::bitboard::{Bitboard, Square};

impl Crystal {
    /// Where the electron of an atom can end: one path away, or by a chain of jumps (D2). It may pass its
    /// origin on the way, which counts as empty, but not end there.
    #[inline(always)]
    pub fn destinations(&self, from: Square) -> Bitboard {
        let occupied = self.occupied() & !from.bit();
        let steps = self.lattice.neighbours(from) & !occupied;
        (steps | self.jumped(from, occupied)) & !from.bit()
    }

    /// Every atom that a chain of jumps reaches, and its origin: a flood through the empty atoms. No
    /// atom need be landed on twice, for whatever follows could have followed the first time.
    #[inline(always)]
    fn jumped(&self, from: Square, occupied: Bitboard) -> Bitboard {
        let mut reached = from.bit();
        let mut front = reached;
        while front.any() {
            let atom = front.first();
            let new = self.landings(atom, occupied) & !reached;
            front = Bitboard(front.0 & (front.0 - 1)) | new;
            reached |= new;
        }
        reached
    }

    /// Where one jump from an atom lands.
    #[inline(always)]
    pub(super) fn landings(&self, from: Square, occupied: Bitboard) -> Bitboard {
        let jumps = &self.lattice.jumps[from.index()];
        let over = |n: usize| {
            if (jumps.over[n] & occupied).any() { jumps.landings[n] } else { Bitboard::EMPTY }
        };
        (over(0) | over(1) | over(2)) & !occupied
    }
}
