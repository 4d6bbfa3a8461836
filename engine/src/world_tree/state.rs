//! What a position keeps, and the few ways in which it changes: each keeps the hash right.

use super::board::{ABSENT, bit};
use super::hash::KEYS;
use super::packs::squares_of_cani;
use super::placement::PLACEMENTS;
use super::{Kind, QUIET_LIMIT};
use crate::bitboard::{Bitboard, Square};
use crate::value::Side;

/// What [`WorldTree::moved`] says at the start of a turn.
pub(super) const NOBODY: u32 = Kind::COUNT as u32;

/// A position of the World Tree game, possibly in the middle of a turn.
///
/// Positions are equal if everything that a position string tells is equal, the count of quiet turns (W5)
/// included; the [`key`](crate::position::Position::zobrist_hash) leaves that count out, as repetition does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct WorldTree {
    /// Where the pieces are of which a player has one, by side, in the byte of their kind; `ABSENT` if off the
    /// board. Words, because bytes written one by one and read together wait for each other.
    pub(super) squares: [u64; 2],
    /// By side.
    pub(super) cani: [Bitboard; 2],
    /// The squares of all pieces but zi ri, by side.
    pub(super) solid: [Bitboard; 2],
    /// The cani that moved already this turn.
    pub(super) moved_cani: Bitboard,
    pub(super) key: u64,
    pub(super) side: Side,
    /// The kind that moved already this turn; `NOBODY` at its start. A word: of a byte the compiler may read more
    /// than was written, which waits for the writing.
    pub(super) moved: u32,
    /// How many pieces have been put down; `PLACEMENTS` once all have, and the placement phase is over.
    pub(super) placed: u8,
    /// Bit `2 * side` for a marked gormoror, the next one for a marked rassimel.
    pub(super) marks: u8,
    /// Turns since a capture or placement, up to the limit at which the game is drawn.
    pub(super) quiet: u8,
}

/// What of a position the square of a piece is kept in.
pub(super) struct Part {
    /// The lowest bit of its byte in the word of squares, if it has one.
    byte: u64,
    /// All squares, if it is a cani.
    pub(super) cani: Bitboard,
    /// All squares, if it is not a zi ri.
    solid: Bitboard,
}

/// By kind. Looked up, since which piece moves is hard to guess: a branch would be wrong too often.
pub(super) static PARTS: [Part; Kind::COUNT] = {
    let mut parts = [const { Part { byte: 0, cani: Bitboard::EMPTY, solid: Bitboard::ALL } }; Kind::COUNT];
    let mut kind = 0;
    while kind < Kind::SINGLES {
        parts[kind].byte = 1 << (8 * kind);
        kind += 1;
    }
    parts[Kind::Cani as usize].cani = Bitboard::ALL;
    parts[Kind::ZiRi as usize].solid = Bitboard::EMPTY;
    parts
};

/// The keys of the cani that moved, three at most: without a loop, whose length would be a guess.
#[inline(always)]
fn key_of_moved(cani: Bitboard) -> u64 {
    squares_of_cani(cani).iter().fold(0, |key, &square| key ^ KEYS.moved_cani[usize::from(square).min(64)])
}

impl WorldTree {
    /// A board without pieces, in the moving phase.
    pub(super) fn empty() -> WorldTree {
        WorldTree {
            squares: [u64::from_le_bytes([ABSENT; Kind::SINGLES]); 2],
            cani: [Bitboard::EMPTY; 2],
            solid: [Bitboard::EMPTY; 2],
            moved_cani: Bitboard::EMPTY,
            key: 0,
            side: Side::White,
            moved: NOBODY,
            placed: PLACEMENTS,
            marks: 0,
            quiet: 0,
        }
    }

    /// Where a piece is of which a player has one: a square number, or `ABSENT`.
    #[inline(always)]
    pub(super) const fn square_of(&self, side: Side, kind: Kind) -> u8 {
        (self.squares[side.index()] >> (8 * (kind as u32 % Kind::SINGLES as u32))) as u8
    }

    /// The square of a side's zi ri, if it has one.
    #[inline(always)]
    pub(super) const fn zi_ri(&self, side: Side) -> Bitboard {
        bit(self.square_of(side, Kind::ZiRi))
    }

    /// The squares of all zi ri.
    #[inline(always)]
    pub(super) fn all_zi_ri(&self) -> Bitboard {
        // In the order of the turn: the words are at hand, and loading both at once waits for the last write.
        self.zi_ri(self.side) | self.zi_ri(!self.side)
    }

    /// The squares with nothing on them.
    #[inline(always)]
    pub(super) fn empty_squares(&self) -> Bitboard {
        !(self.solid[0] | self.solid[1] | self.all_zi_ri())
    }

    /// Whether pieces are still being put down.
    #[inline(always)]
    pub fn is_placing(&self) -> bool {
        self.placed < PLACEMENTS
    }

    /// Whether the side to move has made one piece move of this turn.
    #[inline(always)]
    pub fn is_mid_turn(&self) -> bool {
        self.moved != NOBODY
    }

    /// Turns since the last capture or placement, at most [`QUIET_LIMIT`].
    pub fn quiet_turns(&self) -> u32 {
        u32::from(self.quiet)
    }

    /// The squares of a side's pieces of a kind.
    #[inline]
    pub fn pieces(&self, side: Side, kind: Kind) -> Bitboard {
        match kind {
            Kind::Cani => self.cani[side.index()],
            _ => bit(self.square_of(side, kind)),
        }
    }

    /// The piece on a square that is not a zi ri.
    #[inline]
    pub fn solid_on(&self, square: Square) -> Option<(Kind, Side)> {
        let side = *Side::BOTH.iter().find(|side| self.solid[side.index()].has(square))?;
        Some((self.kind_on(side, square), side))
    }

    /// The kind of the piece, no zi ri, that a side has on a square where it has one.
    #[inline(always)]
    pub(super) fn kind_on(&self, side: Side, square: Square) -> Kind {
        if self.cani[side.index()].has(square) {
            return Kind::Cani;
        }
        // The lowest byte of the word that equals the square; the zi ri, the last, is left to itself.
        let differing = self.squares[side.index()] ^ (0x0101_0101_0101_0101 * square.index() as u64);
        let zero = differing.wrapping_sub(0x0101_0101_0101_0101) & !differing & 0x8080_8080_8080_8080;
        Kind::from_number(zero.trailing_zeros() / 8 % Kind::COUNT as u32)
    }

    const fn mark_bit(side: Side, kind: Kind) -> Option<u8> {
        match kind {
            Kind::Gormoror => Some(2 * side as u8),
            Kind::Rassimel => Some(2 * side as u8 + 1),
            _ => None,
        }
    }

    /// Whether a side's piece of this kind has survived an attack.
    #[inline(always)]
    pub fn is_marked(&self, side: Side, kind: Kind) -> bool {
        Self::mark_bit(side, kind).is_some_and(|bit| self.marks >> bit & 1 != 0)
    }

    /// Puts the marker on a piece or takes it off; the piece can have one.
    pub(super) fn set_mark(&mut self, side: Side, kind: Kind, marked: bool) {
        if self.is_marked(side, kind) != marked
            && let Some(bit) = Self::mark_bit(side, kind)
        {
            self.marks ^= 1 << bit;
            self.key ^= KEYS.mark[usize::from(bit)];
        }
    }

    /// Puts a piece onto a square where there is room for it.
    pub(super) fn put(&mut self, kind: Kind, side: Side, square: Square) {
        let s = side.index();
        self.key ^= KEYS.piece[kind as usize][s][square.index()];
        match kind {
            Kind::Cani => self.cani[s] |= square.bit(),
            _ => self.relocate(kind, side, ABSENT, square.index() as u8),
        }
        if kind != Kind::ZiRi {
            self.solid[s] |= square.bit();
        }
    }

    /// Takes a piece off the board.
    pub(super) fn lift(&mut self, kind: Kind, side: Side, square: Square) {
        let s = side.index();
        self.key ^= KEYS.piece[kind as usize][s][square.index()];
        match kind {
            Kind::Cani => self.cani[s] &= !square.bit(),
            _ => self.relocate(kind, side, square.index() as u8, ABSENT),
        }
        if kind != Kind::ZiRi {
            self.solid[s] &= !square.bit();
        }
        self.set_mark(side, kind, false);
    }

    /// Moves a piece of the side to move.
    #[inline(always)]
    pub(super) fn shift(&mut self, kind: Kind, from: Square, to: Square) {
        let s = self.side.index();
        let keys = &KEYS.piece[kind as usize][s];
        self.key ^= keys[from.index()] ^ keys[to.index()];
        let both = from.bit() ^ to.bit();
        let part = &PARTS[kind as usize];
        self.relocate(kind, self.side, from.index() as u8, to.index() as u8);
        self.cani[s] ^= both & part.cani;
        self.solid[s] ^= both & part.solid;
    }

    /// Changes the square of a piece of which a player has one; nothing for cani, which are beyond the word.
    #[inline(always)]
    fn relocate(&mut self, kind: Kind, side: Side, from: u8, to: u8) {
        self.squares[side.index()] ^= u64::from(from ^ to) * PARTS[kind as usize].byte;
    }

    /// Moves cani of the side to move from some squares to as many others.
    pub(super) fn shift_pack(&mut self, from: Bitboard, to: Bitboard) {
        let s = self.side.index();
        let keys = &KEYS.piece[Kind::Cani as usize][s];
        for square in from {
            self.key ^= keys[square.index()];
        }
        for square in to {
            self.key ^= keys[square.index()];
        }
        self.cani[s] = self.cani[s] & !from | to;
        self.solid[s] = self.solid[s] & !from | to;
    }

    /// Remembers what moved in the first ply of the turn.
    #[inline(always)]
    pub(super) fn note_moved(&mut self, kind: Kind, cani: Bitboard) {
        self.moved = kind as u32;
        self.key ^= KEYS.moved[kind as usize];
        self.moved_cani = cani;
        self.key ^= key_of_moved(cani);
    }

    /// Gives the turn to the other side.
    #[inline(always)]
    pub(super) fn end_turn(&mut self, captured: bool) {
        self.key ^= KEYS.moved[self.moved.min(NOBODY) as usize] ^ KEYS.black;
        self.moved = NOBODY;
        self.key ^= key_of_moved(self.moved_cani);
        self.moved_cani = Bitboard::EMPTY;
        self.quiet = if captured { 0 } else { (self.quiet + 1).min(QUIET_LIMIT as u8) };
        self.side = !self.side;
    }

    /// The hash computed from nothing but the rest.
    pub(super) fn zobrist(&self) -> u64 {
        let mut key = KEYS.moved[self.moved.min(NOBODY) as usize];
        for side in Side::BOTH {
            for kind in Kind::ALL {
                for square in self.pieces(side, kind) {
                    key ^= KEYS.piece[kind as usize][side.index()][square.index()];
                }
            }
        }
        for (bit, mark) in KEYS.mark.iter().enumerate() {
            key ^= if self.marks >> bit & 1 != 0 { *mark } else { 0 };
        }
        for square in self.moved_cani {
            key ^= KEYS.moved_cani[square.index()];
        }
        key ^= if self.is_placing() { KEYS.placing } else { 0 };
        key ^ if self.side == Side::Black { KEYS.black } else { 0 }
    }
}
