//! The pieces and attacks that an evaluation looks at.

use super::subset::can_have;
use super::{ChessLike, Move, MoveTag, RuleSubset};
use crate::bitboard::{Bitboard, Square};
use crate::tactics::{Pieces, Tactics};
use crate::value::Side;
use crate::variant::Rules;

impl<S: RuleSubset, const N: usize> Pieces for ChessLike<'_, S, N> {
    #[inline(always)]
    fn rules(&self) -> &Rules {
        self.rules
    }

    #[inline(always)]
    fn pieces_of(&self, side: Side) -> Bitboard {
        ChessLike::pieces_of(self, side)
    }

    #[inline(always)]
    fn pieces_of_kind(&self, side: Side, kind: u8) -> Bitboard {
        self.kind_set(kind) & self.by_side[side.index()]
    }

    #[inline(always)]
    fn in_hand(&self, side: Side, kind: u8) -> u8 {
        ChessLike::in_hand(self, side, kind)
    }

    #[inline(always)]
    fn castling_squares(&self, side: Side) -> Bitboard {
        let rights = Bitboard(u64::from(self.castling & self.rules.tables.castling.of[side.index()]));
        let castles = rights.into_iter().filter_map(|right| self.rules.castles.get(right.index()));
        castles.map(|castle| castle.king[1]).collect()
    }

    #[inline(always)]
    fn attacks(&self, kind: u8, side: Side, from: Square) -> Bitboard {
        let Some(tables) = self.rules.tables.types.get(kind as usize) else { return Bitboard::EMPTY };
        let s = side.index();
        let mut set = tables.capture[s][from.index()];
        if const { can_have(S::RIDERS) } || const { can_have(S::GENERAL) } {
            let occupied = self.occupied();
            for &number in &tables.capture_riders[s] {
                if let Some(rider) = self.rules.tables.riders.get(number as usize) {
                    set |= rider.attacks(from, occupied);
                }
            }
            if const { can_have(S::GENERAL) } && tables.captures_lame {
                set |= self.rules.lame_attacks(kind, side, from, occupied);
            }
        }
        set
    }

    #[inline(always)]
    fn stepper_attacks(&self, side: Side) -> Bitboard {
        if S::STEPPERS == Some(false) {
            return Bitboard::EMPTY;
        }
        let mut set = Bitboard::EMPTY;
        for table in &self.rules.tables.classes.steppers {
            let pieces = self.kind_set(table.kind) & self.by_side[side.index()];
            for step in table.steps[side.index()].iter().filter(|step| step.capture) {
                set |= (pieces & step.from).shifted(step.delta);
            }
        }
        set
    }

    #[inline(always)]
    fn attackers(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.attackers_at(square, occupied)
    }

    #[inline(always)]
    fn line_attackers(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.line_attackers_at(square, occupied) & occupied
    }

    #[inline(always)]
    fn changes(&self, mv: Move, mut each: impl FnMut(u8, Side, Square, bool)) {
        let us = self.side;
        if let Some(kind) = self.victim(mv) {
            let square = if mv.tag == Move::EN_PASSANT { self.passed_victim(mv.to) } else { mv.to };
            each(kind, !us, square, false);
        }
        if S::HANDS == Some(false) || mv.tag != Move::DROP {
            each(mv.kind, us, mv.from, false);
        }
        each(mv.becomes(), us, mv.to, true);
        if let MoveTag::Castle(number) = mv.tag()
            && let Some(castle) = self.rules.castles.get(number as usize)
        {
            each(castle.rook_kind, us, castle.rook[0], false);
            each(castle.rook_kind, us, castle.rook[1], true);
        }
    }

    #[inline(always)]
    fn hand_changes(&self, mv: Move, mut each: impl FnMut(u8, Side, u8, bool)) {
        if !S::hands(self.rules) {
            return;
        }
        let us = self.side;
        if mv.tag == Move::DROP {
            let held = self.held_for(mv.kind);
            each(held, us, self.in_hand(us, held).saturating_sub(1), false);
        } else if let Some((side, held)) = self.victim(mv).and_then(|kind| self.keeper(kind, !us)) {
            each(held, side, self.in_hand(side, held), true);
        }
    }
}
