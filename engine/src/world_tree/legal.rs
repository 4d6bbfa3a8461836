//! Whether a ply from anywhere is legal here, and whether a second ply of a turn is worth a look.

use super::{Kind, Move, Ply, WorldTree};
use crate::bitboard::Square;
use crate::position::Position;
use std::ops::ControlFlow;

impl WorldTree {
    /// Whether the ply is one of the legal ones, without listing them.
    pub(super) fn allows(&self, mv: Move) -> bool {
        if self.taken_town().is_some() {
            return false;
        }
        match mv.ply() {
            Ply::Place { kind, square } => {
                self.is_placing() && square == self.next_cell() && self.in_hand(kind) > 0
            }
            _ if self.is_placing() => false,
            Ply::Step { kind, from, to } => self.step_is_legal(kind, from, to),
            Ply::Pack { from, to } => self.pack_can_go(from, to),
            Ply::Attack { kind, from, hits } => {
                !self.is_mid_turn() && self.attack_is_legal(kind, from, &hits)
            }
            Ply::Done => self.is_mid_turn(),
            Ply::Pass => !self.is_mid_turn() && !self.can_move() && !self.can_attack(),
        }
    }

    pub(super) fn step_is_legal(&self, kind: Kind, from: Square, to: Square) -> bool {
        match kind {
            Kind::Cani => self.movable_cani().has(from) && self.lone_targets(from).has(to),
            _ => {
                let free = self.moved != kind as u32 && self.pieces(self.side, kind).has(from);
                free && self.targets(kind, from).has(to)
            }
        }
    }

    /// Whether there is any attack, were this the start of a turn of the side to move.
    pub(super) fn can_attack(&self) -> bool {
        self.attacks(&mut |_| ControlFlow::Break(())).is_break()
    }

    /// Whether two piece moves of one turn, made here in this order, lead to what the other order leads to
    /// too, and the other order is the one to keep: that whose first ply has the lower code.
    ///
    /// Each unordered pair of plies that can be made both ways is so kept once, and a pair that can be made
    /// one way only is kept as it is: the positions after the turns stay the same.
    pub(super) fn comes_earlier_swapped(&self, first: Move, second: Move) -> bool {
        second < first
            && first.is_piece_move()
            && second.is_piece_move()
            && self.allows(second)
            && self.after(second).allows(first)
    }
}
