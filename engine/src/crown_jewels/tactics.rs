//! What search asks of the true state: contests apart from quiet moves. A move does not tell its tile, since not
//! everybody may know it; so all moves are of one kind.

use super::board::AROUND;
use super::contest::Contest;
use super::state::{CrownJewels, Move};
use crate::bitboard::{Bitboard, Square};
use crate::position::Position;
use crate::tactics::{PieceValues, Tactics};
use crate::value::{Outcome, Side};
use std::ops::ControlFlow::{self, Continue};

/// An odd number with no pattern (the golden ratio), to spread bits by multiplication.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

impl CrownJewels {
    #[inline(always)]
    fn steps_to<B>(
        &self,
        targets: Bitboard,
        visit: &mut impl FnMut(Move) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if self.board.decided().is_some() {
            return Continue(());
        }
        for from in self.pieces_of(self.board.side) {
            for to in AROUND[from.index()] & targets {
                visit(Move { from, to })?;
            }
        }
        Continue(())
    }

    /// What a side of which one tile attacks another gains.
    fn contest_gain(&self, attacker: u8, defender: u8, values: &PieceValues) -> i32 {
        let worth = |tile: u8| values[usize::from(tile) % values.len()];
        let row = self.board.rules.contests.get(usize::from(attacker));
        match row.and_then(|row| row.get(usize::from(defender))) {
            Some(Contest::Win) => worth(defender),
            Some(Contest::Lose) => -worth(attacker),
            Some(Contest::Both) => worth(defender) - worth(attacker),
            None => 0,
        }
    }

    /// What a side gains at most by attacking a tile on a square with one of its own next to it; 0 if no such attack
    /// gains.
    fn best_attack(&self, side: Side, square: Square, tile: u8, values: &PieceValues) -> i32 {
        let attackers = AROUND[square.index()] & self.pieces_of(side);
        let gain = |from: Square| self.contest_gain(self.board.tiles[from.index()], tile, values);
        attackers.into_iter().map(gain).max().unwrap_or(0).max(0)
    }
}

impl Tactics for CrownJewels {
    const KINDS: usize = super::tile::Tile::COUNT;
    const ALTERNATES: bool = true;

    #[inline(always)]
    fn decided(&self) -> Option<Outcome> {
        self.board.decided()
    }

    #[inline(always)]
    fn adjudicated(&self) -> bool {
        self.board.is_stale()
    }

    /// Whether the move is a contest.
    #[inline(always)]
    fn is_noisy(&self, mv: Move) -> bool {
        self.pieces_of(!self.board.side).has(mv.to) && !mv.is_skip()
    }

    #[inline]
    fn noisy_moves<B>(&self, mut visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.steps_to(self.pieces_of(!self.board.side), &mut visit)
    }

    #[inline]
    fn quiet_moves<B>(&self, mut visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        if !self.board.has_step() {
            return self.board.moves(visit);
        }
        self.steps_to(!(self.board.occupied() | self.board.closed), &mut visit)
    }

    #[inline]
    fn is_legal(&self, mv: Move) -> bool {
        if self.board.decided().is_some() {
            return false;
        }
        if mv.is_skip() {
            return mv == Move::SKIP && !self.board.has_step();
        }
        let side = self.board.side;
        self.pieces_of(side).has(mv.from) && (AROUND[mv.from.index()] & self.board.open_to(side)).has(mv.to)
    }

    /// The number of the tile that the move removes.
    #[inline(always)]
    fn victim(&self, mv: Move) -> Option<u8> {
        let removed = matches!(self.contest(mv), Some(Contest::Win | Contest::Both)) && !mv.is_skip();
        removed.then(|| self.board.tiles[mv.to.index()])
    }

    /// A contest removes a tile.
    #[inline(always)]
    fn is_irreversible(&self, mv: Move) -> bool {
        self.is_noisy(mv)
    }

    #[inline]
    fn pass(&self) -> Option<Self> {
        let mut next = *self;
        next.play(Move::SKIP);
        Some(next)
    }

    #[inline]
    fn is_zugzwang_prone(&self) -> bool {
        self.pieces_of(self.board.side).count() < 3
    }

    /// The contest, and the best answer to it on the same square.
    fn exchange_at_least(&self, mv: Move, threshold: i32, values: &PieceValues) -> bool {
        if mv.is_skip() {
            return threshold <= 0;
        }
        let stays = !matches!(self.contest(mv), Some(Contest::Lose | Contest::Both));
        let tile = self.board.tiles[mv.from.index()];
        let answer = if stays { self.best_attack(!self.board.side, mv.to, tile, values) } else { 0 };
        // The attacked tile, if there was one, is gone and attacks nobody: it is not next to its own square.
        self.gain(mv, values) - answer >= threshold
    }

    fn gain(&self, mv: Move, values: &PieceValues) -> i32 {
        if !self.is_noisy(mv) {
            return 0;
        }
        self.contest_gain(self.board.tiles[mv.from.index()], self.board.tiles[mv.to.index()], values)
    }

    /// How many tiles and Jewels each side has.
    #[inline]
    fn structure_hash(&self) -> u64 {
        Side::BOTH.into_iter().fold(0u64, |key, side| {
            let counts = u64::from(self.pieces_of(side).count() << 4 | self.jewels(side));
            (key ^ counts).wrapping_mul(SPREAD).rotate_left(29)
        })
    }

    #[inline(always)]
    fn encode(mv: Move) -> u32 {
        // The highest bit tells the skip from no move.
        1 << 31 | (mv.from.index() as u32) << 6 | mv.to.index() as u32
    }

    #[inline(always)]
    fn decode(&self, code: u32) -> Option<Move> {
        Some(Move { from: Square::wrap(code >> 6), to: Square::wrap(code) })
    }
}
