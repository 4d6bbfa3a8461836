//! The contract of a position, put together.

use super::board::ABSENT;
use super::state::PARTS;
use super::{Kind, Move, Ply, QUIET_LIMIT, WorldTree};
use crate::bitboard::{Bitboard, Square};
use crate::position::Position;
use crate::value::{Outcome, Side};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::ControlFlow::{self, Continue};

impl WorldTree {
    /// The result by the capture of a town, seen by the side to move.
    #[inline(always)]
    pub(super) fn taken_town(&self) -> Option<Outcome> {
        // One question first: nearly always neither is.
        if (self.square_of(self.side, Kind::Town) | self.square_of(!self.side, Kind::Town)) & ABSENT == 0 {
            None
        } else if self.square_of(self.side, Kind::Town) == ABSENT {
            Some(Outcome::Loss)
        } else {
            Some(Outcome::Win)
        }
    }

    /// Whether the limit of quiet turns draws the game (W5), the towns apart.
    #[inline(always)]
    pub(super) fn is_stale(&self) -> bool {
        u32::from(self.quiet) >= QUIET_LIMIT && !self.is_mid_turn()
    }

    #[inline(always)]
    fn play_step(&mut self, kind: Kind, from: Square, to: Square) {
        self.shift(kind, from, to);
        self.after_piece_move(kind, to.bit() & PARTS[kind as usize].cani);
    }

    /// Ends a piece move: the first one of a turn is remembered, the second one ends it.
    #[inline(always)]
    fn after_piece_move(&mut self, kind: Kind, cani: Bitboard) {
        if self.is_mid_turn() {
            self.end_turn(false);
        } else {
            self.note_moved(kind, cani);
        }
    }
}

impl Position for WorldTree {
    type Move = Move;

    const TURNS: bool = true;

    #[inline(always)]
    fn side_to_move(&self) -> Side {
        self.side
    }

    /// Never by repetition. The capture of a town goes before everything else.
    #[inline(always)]
    fn outcome(&self) -> Option<Outcome> {
        self.taken_town().or_else(|| self.is_stale().then_some(Outcome::Draw))
    }

    #[inline]
    fn moves<B>(&self, mut visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        if self.taken_town().is_some() {
            return Continue(());
        }
        if self.is_placing() { self.placements(visit) } else { self.turn_plies(&mut visit) }
    }

    #[inline]
    fn count_moves(&self) -> u64 {
        if self.taken_town().is_some() {
            return 0;
        }
        if self.is_placing() { self.hand().count() as u64 } else { self.count_turn_plies() }
    }

    #[inline]
    fn play(&mut self, mv: Move) {
        // Most plies are: one branch, foreseen more often than the way to each sort of ply.
        if let Some((kind, from, to)) = mv.as_step() {
            return self.play_step(kind, from, to);
        }
        match mv.ply() {
            Ply::Step { kind, from, to } => self.play_step(kind, from, to),
            Ply::Pack { from, to } => {
                self.shift_pack(from, to);
                self.after_piece_move(Kind::Cani, to);
            }
            Ply::Attack { kind, from, hits } => self.play_attack(kind, from, &hits),
            Ply::Place { kind, square } => self.play_placement(kind, square),
            Ply::Done | Ply::Pass => self.end_turn(false),
        }
    }

    #[inline(always)]
    fn zobrist_hash(&self) -> u64 {
        self.key
    }

    fn recomputed_hash(&self) -> u64 {
        self.zobrist()
    }

    #[inline]
    fn is_redundant(&self, first: Move, second: Move) -> bool {
        self.comes_earlier_swapped(first, second)
    }

    /// W5: a position counts at the start of a turn, whatever the count of quiet turns.
    #[inline(always)]
    fn repetition_hash(&self) -> Option<u64> {
        (!self.is_mid_turn()).then_some(self.key)
    }
}

impl Hash for WorldTree {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.key);
    }
}

impl fmt::Debug for WorldTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "world-tree \"{}\"", self.text())
    }
}
