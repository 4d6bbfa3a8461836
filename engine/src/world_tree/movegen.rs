//! Which plies there are: piece moves, attacks where a turn begins, the end of a turn and the pass.

use super::board::{ABSENT, AROUND, DRY, FORDS, KNIGHT, RIVER, TOWN_STEPS};
use super::lines::{OBLIQUE, STRAIGHT};
use super::{Kind, Move, WorldTree};
use crate::bitboard::{Bitboard, Square};
use std::ops::ControlFlow::{self, Continue};

impl WorldTree {
    /// Where a piece can move that is no cani: a kind of which a player has one.
    #[inline(always)]
    pub(super) fn targets(&self, kind: Kind, from: Square) -> Bitboard {
        let empty = self.empty_squares();
        let (straight, oblique) = (|| STRAIGHT.reach(from, empty), || OBLIQUE.reach(from, empty));
        let i = from.index();
        match kind {
            Kind::Town => TOWN_STEPS[i] & empty,
            Kind::Gormoror => straight() & DRY,
            Kind::Khtsoyis => AROUND[i] & empty,
            Kind::Herethroy => (straight() | oblique()) & DRY,
            Kind::Orren if RIVER.has(from) => straight() | RIVER & empty,
            Kind::Orren => straight(),
            Kind::Rassimel => STRAIGHT.near_reach(from, empty & DRY) | FORDS[i] & empty,
            Kind::Sleeth => straight() | oblique(),
            Kind::ZiRi => KNIGHT[i],
            Kind::Cani => Bitboard::EMPTY,
        }
    }

    /// Where the piece of a kind of which there is one may go this turn.
    #[inline(always)]
    fn mobility_of(&self, kind: Kind) -> Bitboard {
        let square = self.square_of(self.side, kind);
        if square == ABSENT || self.moved == kind as u8 {
            return Bitboard::EMPTY;
        }
        self.targets(kind, Square::wrap(u32::from(square)))
    }

    /// Where the pieces of which there is one each may go this turn, by kind.
    #[inline(always)]
    pub(super) fn mobility(&self) -> [Bitboard; Kind::SINGLES] {
        [
            self.mobility_of(Kind::Town),
            self.mobility_of(Kind::Gormoror),
            self.mobility_of(Kind::Khtsoyis),
            self.mobility_of(Kind::Herethroy),
            self.mobility_of(Kind::Orren),
            self.mobility_of(Kind::Rassimel),
            self.mobility_of(Kind::Sleeth),
            self.mobility_of(Kind::ZiRi),
        ]
    }

    /// Every piece move, those of cani included.
    pub(super) fn piece_moves<B>(&self, visit: &mut impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        for (kind, targets) in Kind::ALL.into_iter().zip(self.mobility()) {
            let from = Square::wrap(u32::from(self.square_of(self.side, kind)));
            targets.into_iter().try_for_each(|to| visit(Move::step(kind, from, to)))?;
        }
        self.cani_moves(visit)
    }

    pub(super) fn count_piece_moves(&self) -> u64 {
        let count: u32 = self.mobility().iter().map(|set| set.count()).sum();
        u64::from(count) + self.count_cani_moves()
    }

    /// Whether there is any piece move. A pack that can move has a cani that can move alone: one destination
    /// at least is no origin.
    pub(super) fn can_move(&self) -> bool {
        self.mobility().iter().any(|set| set.any())
            || self.movable_cani().into_iter().any(|cani| self.lone_targets(cani).any())
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
