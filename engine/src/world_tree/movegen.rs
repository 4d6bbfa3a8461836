//! Which plies there are: piece moves, attacks where a turn begins, the end of a turn and the pass.

use super::board::ABSENT;
use super::{Kind, Move, WorldTree};
use crate::bitboard::{Bitboard, Square};
use std::ops::ControlFlow::{self, Continue};

impl WorldTree {
    /// Where a piece can move that is not a cani: a kind of which a player has one.
    #[inline]
    pub(super) fn targets(&self, kind: Kind, from: Square) -> Bitboard {
        let open = if kind == Kind::ZiRi { Bitboard::ALL } else { self.empty_squares() };
        self.reached(kind, from.index() as u8) & open
    }

    /// Calls `each` with the pieces of the side to move that may still move this turn and of which there is
    /// one each.
    #[inline(always)]
    fn movers<B>(&self, mut each: impl FnMut(Kind, Square) -> ControlFlow<B>) -> ControlFlow<B> {
        let squares = self.squares[self.side.index()].to_le_bytes();
        for (kind, square) in Kind::ALL.into_iter().zip(squares) {
            if square != ABSENT && self.moved != kind as u32 {
                each(kind, Square::wrap(u32::from(square)))?;
            }
        }
        Continue(())
    }

    /// Every piece move, those of cani included.
    pub(super) fn piece_moves<B>(&self, visit: &mut impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.movers(|kind, from| {
            self.targets(kind, from).into_iter().try_for_each(|to| visit(Move::step(kind, from, to)))
        })?;
        self.cani_moves(visit)
    }

    pub(super) fn count_piece_moves(&self) -> u64 {
        let mut count = 0;
        let _: ControlFlow<()> = self.movers(|kind, from| {
            count += u64::from(self.targets(kind, from).count());
            Continue(())
        });
        count + self.count_cani_moves()
    }

    /// Whether there is any piece move. A pack that can move has a cani that can move alone: one destination
    /// at least is not an origin.
    pub(super) fn can_move(&self) -> bool {
        let single = self.movers(|kind, from| match self.targets(kind, from).any() {
            true => ControlFlow::Break(()),
            false => Continue(()),
        });
        single.is_break() || self.movable_cani().into_iter().any(|c| self.lone_targets(c).any())
    }

    /// The plies of a position that is not decided, in the moving phase.
    pub(super) fn turn_plies<B>(&self, visit: &mut impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        if self.is_mid_turn() {
            self.piece_moves(visit)?;
            return visit(Move::DONE);
        }
        let mut none = true;
        let mut count = |mv| {
            none = false;
            visit(mv)
        };
        self.piece_moves(&mut count)?;
        self.attacks(&mut count)?;
        if none { visit(Move::PASS) } else { Continue(()) }
    }

    pub(super) fn count_turn_plies(&self) -> u64 {
        let moves = self.count_piece_moves();
        if self.is_mid_turn() { moves + 1 } else { (moves + self.count_attacks()).max(1) }
    }
}
