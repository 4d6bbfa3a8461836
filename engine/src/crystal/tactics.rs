//! What search asks of a position. Nothing is captured: the one forcing move is the one that ends the race.

use super::{Crystal, Move};
use crate::bitboard::Square;
use crate::position::Position;
use crate::tactics::Tactics;
use crate::zobrist::KEYS;
use std::ops::ControlFlow::{self, Continue};

/// An odd number with no pattern (the golden ratio), to spread bits by multiplication.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

impl Tactics for Crystal {
    const ALTERNATES: bool = true;

    /// Whether the move wins.
    #[inline(always)]
    fn is_noisy(&self, mv: Move) -> bool {
        !mv.is_pass() && self.lattice.far(self.side).has(mv.to) && self.after(mv).is_home(self.side)
    }

    #[inline(always)]
    fn noisy_moves<B>(&self, mut visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        // Two electrons that are not home cannot arrive together; a full tier wants one arrival too.
        let far = self.lattice.far(self.side);
        let last = (self.pieces_of(self.side) & !far).is_single();
        let gap = self.lattice.full_tier && (far & !self.occupied()).is_single();
        if !last && !gap {
            return Continue(());
        }
        self.moves(|mv| if self.is_noisy(mv) { visit(mv) } else { Continue(()) })
    }

    #[inline]
    fn is_legal(&self, mv: Move) -> bool {
        if mv.is_pass() {
            return mv == Move::PASS
                && self.moves(|m| ControlFlow::Break(m.is_pass())) == ControlFlow::Break(true);
        }
        self.outcome().is_none()
            && self.pieces_of(self.side).has(mv.from)
            && self.destinations(mv.from).has(mv.to)
    }

    #[inline]
    fn pass(&self) -> Option<Self> {
        let mut next = *self;
        next.plies = next.plies.saturating_add(1);
        next.side = !next.side;
        next.key ^= KEYS.black;
        Some(next)
    }

    /// Near the end a move may have to give way.
    #[inline]
    fn is_zugzwang_prone(&self) -> bool {
        (self.pieces_of(self.side) & !self.lattice.far(self.side)).count() < 3
    }

    /// Who stands on the two outer tiers.
    #[inline]
    fn structure_hash(&self) -> u64 {
        let outer = self.lattice.far[0] | self.lattice.far[1];
        self.by_side
            .iter()
            .fold(0, |key, side| (key ^ (*side & outer).0).wrapping_mul(SPREAD).rotate_left(29))
    }

    #[inline(always)]
    fn encode(mv: Move) -> u32 {
        // The highest bit tells the pass from no move.
        1 << 31 | (mv.from.index() as u32) << 6 | mv.to.index() as u32
    }

    #[inline(always)]
    fn decode(&self, code: u32) -> Option<Move> {
        Some(Move { from: Square::wrap(code >> 6), to: Square::wrap(code) })
    }
}
