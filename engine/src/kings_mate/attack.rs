//! Who could capture where (K4): by a piece's own moves, with raised squares and the bond, whatever
//! happens to its own king.

use super::board::{CENTRE, DIAGONAL, KING_SQUARES, NEAR, RAISED, bond_holds, diagonal, shifted, straight};
use super::kind::{FOOL, KEEPER, KING, PRIEST, PRIESTESS, SWORDMASTER};
use super::{KingsMate, RuleSet};
use crate::bitboard::{Bitboard, Square};
use crate::value::Side;

/// The raised squares that are closed to some pieces.
#[derive(Clone, Copy)]
pub(super) struct Closed {
    /// To keepers, priests and priestesses.
    pub(super) officers: Bitboard,
    pub(super) fools: Bitboard,
}

impl<R: RuleSet> KingsMate<R> {
    /// The raised squares closed to a side, if the pieces of `gone` were not there. All are open while the
    /// king stands on a central one (K1); to fools also while a fool stands on its own King Square.
    #[inline(always)]
    pub(super) fn closed(&self, side: Side, gone: Bitboard) -> Closed {
        let raised = |open: bool| if open { Bitboard::EMPTY } else { RAISED };
        let central = (self.pieces(side, KING) & CENTRE).any();
        let gambit = self.has_gambit() && (self.pieces(side, FOOL) & !gone).has(KING_SQUARES[side.index()]);
        Closed { officers: raised(central), fools: raised(central || gambit) }
    }

    /// The squares that a keeper, priest or priestess of a side reaches from a square, up to and with the
    /// first piece on each line, as far as raised squares allow; none for other types.
    #[inline]
    pub fn reach(&self, kind: u8, side: Side, from: Square) -> Bitboard {
        let closed = self.closed(side, Bitboard::EMPTY).officers;
        let blockers = self.occupied() | closed;
        let lines = match kind {
            KEEPER => straight(from, blockers),
            PRIEST | PRIESTESS => diagonal(from, blockers),
            _ => Bitboard::EMPTY,
        };
        lines & !closed
    }

    /// Whether a side could capture on a square by its own moves (K4).
    #[inline]
    pub fn is_attacked(&self, square: Square, by: Side) -> bool {
        self.attacked(square, by, self.occupied(), Bitboard::EMPTY)
    }

    /// Whether the bond of a side's king and swordmasters holds.
    #[inline]
    pub fn is_bound(&self, side: Side) -> bool {
        bond_holds(self.king(side), self.pieces(side, SWORDMASTER))
    }

    /// Whether a side has lost its swordmasters, so that its king can be attacked.
    #[inline(always)]
    pub fn is_defenseless(&self, side: Side) -> bool {
        self.pieces(side, SWORDMASTER).is_empty()
    }

    /// The king of the side to move as prey: its square if it is defenseless.
    #[inline(always)]
    pub(super) fn in_check(&self) -> bool {
        self.is_defenseless(self.side)
            && self.pieces(self.side, KING).any()
            && self.attacked(self.king(self.side), !self.side, self.occupied(), Bitboard::EMPTY)
    }

    /// Whether a side could capture a piece on a square, if `occupied` were the occupied squares and the
    /// pieces of `gone` were not there.
    #[inline(always)]
    pub(super) fn attacked(&self, square: Square, by: Side, occupied: Bitboard, gone: Bitboard) -> bool {
        let them = self.by_side[by.index()] & !gone;
        let closed = self.closed(by, gone);
        if !closed.officers.has(square) {
            let blockers = occupied | closed.officers;
            let priests = (self.by_kind[PRIEST as usize] | self.by_kind[PRIESTESS as usize]) & them;
            let keepers = self.by_kind[KEEPER as usize] & them;
            if keepers.any() && (straight(square, blockers) & keepers).any()
                || priests.any() && (diagonal(square, blockers) & priests).any()
            {
                return true;
            }
        }
        let fools = self.by_kind[FOOL as usize] & them;
        if !closed.fools.has(square) && DIAGONAL.iter().any(|&d| (shifted(square.bit(), d) & fools).any()) {
            return true;
        }
        let swordmasters = self.by_kind[SWORDMASTER as usize] & them;
        let king = self.king(by);
        if NEAR[king.index()].has(square) && bond_holds(square, swordmasters) {
            return true;
        }
        // A swordmaster that captures stays in the bond, so that it matters only near the king.
        swordmasters.any()
            && ((straight(square, occupied) | diagonal(square, occupied)) & swordmasters)
                .into_iter()
                .any(|from| bond_holds(king, swordmasters & !from.bit() | square.bit()))
    }

    /// The pieces of a side that could capture a piece on a square, in the same sense.
    pub(super) fn captors(&self, square: Square, by: Side, occupied: Bitboard, gone: Bitboard) -> Bitboard {
        let them = self.by_side[by.index()] & !gone;
        let closed = self.closed(by, gone);
        let of = |kind: u8| self.by_kind[kind as usize] & them;
        let mut set = Bitboard::EMPTY;
        if !closed.officers.has(square) {
            let blockers = occupied | closed.officers;
            set |= straight(square, blockers) & of(KEEPER);
            set |= diagonal(square, blockers) & (of(PRIEST) | of(PRIESTESS));
        }
        if !closed.fools.has(square) {
            set |= DIAGONAL.iter().fold(Bitboard::EMPTY, |s, &d| s | shifted(square.bit(), d)) & of(FOOL);
        }
        let (king, swordmasters) = (self.king(by), of(SWORDMASTER));
        if NEAR[king.index()].has(square) && bond_holds(square, swordmasters) {
            set |= king.bit() & them;
        }
        for from in (straight(square, occupied) | diagonal(square, occupied)) & swordmasters {
            if bond_holds(king, swordmasters & !from.bit() | square.bit()) {
                set |= from.bit();
            }
        }
        set
    }
}
