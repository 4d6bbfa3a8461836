//! The true state, and what it shares with a player's view of it: the board.

use super::board::{AROUND, spread};
use super::contest::Contest;
use super::hash::KEYS;
use super::rules::Rules;
use super::tile::{Tile, TileSet};
use crate::bitboard::{Bitboard, Square};
use crate::value::{Outcome, Side};
use std::hash::{Hash, Hasher};
use std::ops::ControlFlow::{self, Continue};

/// On a square of a view: a tile that the viewer does not know.
pub(super) const HIDDEN: u8 = Tile::COUNT as u8;
/// On a square without a tile.
pub(super) const NOTHING: u8 = HIDDEN + 1;

/// A move: a step of a tile. The `skip` has square a1 for both.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move {
    /// Where the tile comes from.
    pub from: Square,
    /// Where it goes, or what it attacks.
    pub to: Square,
}

impl Move {
    /// The move of a player who has no other move.
    pub const SKIP: Move = Move { from: Square::new(0), to: Square::new(0) };

    /// Whether this is the skip.
    #[inline(always)]
    pub fn is_skip(self) -> bool {
        self.from == self.to
    }
}

/// What stands where, whose turn it is, and what else both players see.
#[derive(Clone, Copy)]
pub(super) struct Board {
    pub(super) rules: &'static Rules,
    /// By square the number of its tile, [`HIDDEN`] or [`NOTHING`].
    pub(super) tiles: [u8; 64],
    pub(super) by_side: [Bitboard; 2],
    /// The tiles that both players know.
    pub(super) known: Bitboard,
    /// Checkers, and what is off the board.
    pub(super) closed: Bitboard,
    pub(super) side: Side,
    /// Whether each side began play with Jewels.
    pub(super) began: [bool; 2],
    /// Whether each side has lost.
    pub(super) lost: [bool; 2],
    /// Plies since the last contest.
    pub(super) quiet: u8,
}

impl Board {
    /// A board without checkers and tiles, White to move.
    pub(super) fn empty(rules: &'static Rules) -> Board {
        Board {
            rules,
            tiles: [NOTHING; 64],
            by_side: [Bitboard::EMPTY; 2],
            known: Bitboard::EMPTY,
            closed: !rules.squares,
            side: Side::White,
            began: [true; 2],
            lost: [false; 2],
            quiet: 0,
        }
    }

    #[inline(always)]
    pub(super) fn pieces_of(&self, side: Side) -> Bitboard {
        self.by_side[side.index()]
    }

    #[inline(always)]
    pub(super) fn occupied(&self) -> Bitboard {
        self.by_side[0] | self.by_side[1]
    }

    pub(super) fn checkers(&self) -> Bitboard {
        self.closed & self.rules.squares
    }

    /// Where the tiles of a side can go, if they stand next to it.
    #[inline(always)]
    pub(super) fn open_to(&self, side: Side) -> Bitboard {
        !(self.pieces_of(side) | self.closed)
    }

    /// The tile on a square, if there is one and it is not hidden.
    #[inline(always)]
    pub(super) fn tile(&self, square: Square) -> Option<Tile> {
        let number = self.tiles[square.index()];
        (number < HIDDEN).then(|| Tile::new(number))
    }

    /// The tiles of a side that are not hidden.
    pub(super) fn tiles_of(&self, side: Side) -> TileSet {
        self.pieces_of(side).into_iter().filter_map(|square| self.tile(square)).collect()
    }

    /// Whether a side that still has these Jewels has lost: it began with some and has none left, or began
    /// without and has no tile left.
    #[inline(always)]
    pub(super) fn has_lost(&self, side: Side, jewels: u32) -> bool {
        if self.began[side.index()] { jewels == 0 } else { self.pieces_of(side).is_empty() }
    }

    /// The result by the loss of tiles, seen by the side to move.
    #[inline(always)]
    pub(super) fn decided(&self) -> Option<Outcome> {
        match [self.lost[self.side.index()], self.lost[(!self.side).index()]] {
            [false, false] => None,
            [true, false] => Some(Outcome::Loss),
            [false, true] => Some(Outcome::Win),
            [true, true] => Some(Outcome::Draw),
        }
    }

    /// C3: whether the game is drawn because there was no contest for too long.
    #[inline(always)]
    pub(super) fn is_stale(&self) -> bool {
        let limit = self.rules.quiet;
        limit > 0 && u32::from(self.quiet) >= limit
    }

    #[inline(always)]
    pub(super) fn outcome(&self) -> Option<Outcome> {
        self.decided().or_else(|| self.is_stale().then_some(Outcome::Draw))
    }

    #[inline(always)]
    pub(super) fn has_step(&self) -> bool {
        (spread(self.pieces_of(self.side)) & self.open_to(self.side)).any()
    }

    #[inline]
    pub(super) fn moves<B>(&self, mut visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        if self.decided().is_some() {
            return Continue(());
        }
        if !self.has_step() {
            return visit(Move::SKIP);
        }
        let open = self.open_to(self.side);
        for from in self.pieces_of(self.side) {
            for to in AROUND[from.index()] & open {
                visit(Move { from, to })?;
            }
        }
        Continue(())
    }

    /// A ply without a contest: the turn goes to the other side.
    #[inline(always)]
    pub(super) fn pass_turn(&mut self) {
        self.quiet = (u32::from(self.quiet) + 1).min(self.rules.quiet) as u8;
        self.side = !self.side;
    }
}

impl PartialEq for Board {
    fn eq(&self, other: &Board) -> bool {
        self.tiles == other.tiles
            && (self.by_side, self.known, self.closed) == (other.by_side, other.known, other.closed)
            && (self.side, self.began, self.quiet) == (other.side, other.began, other.quiet)
            && std::ptr::eq(self.rules, other.rules)
    }
}

impl Eq for Board {}

/// A true state of the play phase: all tiles, and which of them both players know.
///
/// No player is ever given it, but only a [`view`](crate::hidden::Hidden::view) of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct CrownJewels {
    pub(super) board: Board,
    /// The squares of all Jewels.
    pub(super) jewels: Bitboard,
    pub(super) key: u64,
}

impl CrownJewels {
    /// The state of a board without hidden tiles: who has lost is found out here.
    pub(super) fn from_board(mut board: Board) -> CrownJewels {
        let is_jewel = |square: &Square| board.tile(*square).is_some_and(|tile| board.rules.jewels.has(tile));
        let jewels: Bitboard = board.occupied().into_iter().filter(is_jewel).collect();
        board.lost = Side::BOTH.map(|side| board.has_lost(side, (jewels & board.pieces_of(side)).count()));
        let mut state = CrownJewels { board, jewels, key: 0 };
        state.key = state.zobrist();
        state
    }

    /// The rules of the game.
    #[inline(always)]
    pub fn rules(&self) -> &'static Rules {
        self.board.rules
    }

    /// The squares of a side's tiles.
    #[inline(always)]
    pub fn pieces_of(&self, side: Side) -> Bitboard {
        self.board.pieces_of(side)
    }

    /// The squares of tiles that both players know.
    #[inline(always)]
    pub fn known(&self) -> Bitboard {
        self.board.known
    }

    /// The squares of the checkers.
    pub fn checkers(&self) -> Bitboard {
        self.board.checkers()
    }

    /// The tile on a square.
    #[inline(always)]
    pub fn tile(&self, square: Square) -> Option<Tile> {
        self.board.tile(square)
    }

    /// How many Jewels a side has.
    #[inline(always)]
    pub fn jewels(&self, side: Side) -> u32 {
        (self.jewels & self.pieces_of(side)).count()
    }

    /// Plies since the last contest.
    pub fn quiet(&self) -> u32 {
        u32::from(self.board.quiet)
    }

    /// The result of a legal move that is a contest; `None` for any other move.
    #[inline(always)]
    pub fn contest(&self, mv: Move) -> Option<Contest> {
        let board = &self.board;
        if !board.pieces_of(!board.side).has(mv.to) {
            return None;
        }
        let (attacker, defender) = (board.tiles[mv.from.index()], board.tiles[mv.to.index()]);
        let row = board.rules.contests.get(usize::from(attacker))?;
        row.get(usize::from(defender)).copied()
    }

    /// The key of the tile on a square, of a side, known or not.
    #[inline(always)]
    fn tile_hash(&self, tile: u8, side: Side, square: Square) -> u64 {
        KEYS.tile[usize::from(tile) % Tile::COUNT][side.index()][square.index()]
    }

    #[inline(always)]
    pub(super) fn step(&mut self, mv: Move) {
        let board = &mut self.board;
        let (from, to) = (mv.from, mv.to);
        let tile = board.tiles[from.index()];
        board.tiles[from.index()] = NOTHING;
        board.tiles[to.index()] = tile;
        let both = from.bit() ^ to.bit();
        board.by_side[board.side.index()] ^= both;
        // All bits if the tile is known.
        let known = 0u64.wrapping_sub(board.known.0 >> from.index() & 1);
        board.known.0 ^= both.0 & known;
        self.jewels.0 ^= both.0 & 0u64.wrapping_sub(self.jewels.0 >> from.index() & 1);
        let side = board.side;
        board.pass_turn();
        self.key ^= self.tile_hash(tile, side, from)
            ^ self.tile_hash(tile, side, to)
            ^ (KEYS.known[from.index()] ^ KEYS.known[to.index()]) & known
            ^ KEYS.black;
    }

    /// Takes a tile off the board.
    #[inline(always)]
    fn lift(&mut self, side: Side, square: Square) {
        let tile = self.board.tiles[square.index()];
        self.key ^= self.tile_hash(tile, side, square);
        if self.board.known.has(square) {
            self.key ^= KEYS.known[square.index()];
        }
        self.board.tiles[square.index()] = NOTHING;
        self.board.by_side[side.index()] &= !square.bit();
        self.board.known &= !square.bit();
        self.jewels &= !square.bit();
    }

    /// Puts a tile, known to both, onto an empty square.
    #[inline(always)]
    fn reveal(&mut self, tile: u8, jewel: bool, side: Side, square: Square) {
        self.jewels |= if jewel { square.bit() } else { Bitboard::EMPTY };
        self.key ^= self.tile_hash(tile, side, square) ^ KEYS.known[square.index()];
        self.board.tiles[square.index()] = tile;
        self.board.by_side[side.index()] |= square.bit();
        self.board.known |= square.bit();
    }

    /// Plays a contest: the tile that is left, if any, stays there face up.
    #[inline]
    pub(super) fn fight(&mut self, mv: Move, result: Contest) {
        let (us, them) = (self.board.side, !self.board.side);
        let (attacker, defender) = (self.board.tiles[mv.from.index()], self.board.tiles[mv.to.index()]);
        let (ours, theirs) = (self.jewels.has(mv.from), self.jewels.has(mv.to));
        self.lift(us, mv.from);
        self.lift(them, mv.to);
        match result {
            Contest::Win => self.reveal(attacker, ours, us, mv.to),
            Contest::Lose => self.reveal(defender, theirs, them, mv.to),
            Contest::Both => {}
        }
        for side in Side::BOTH {
            self.board.lost[side.index()] = self.board.has_lost(side, self.jewels(side));
        }
        self.board.quiet = 0;
        self.board.side = them;
        self.key ^= KEYS.black;
    }

    /// The hash computed from nothing but the board.
    pub(super) fn zobrist(&self) -> u64 {
        let board = &self.board;
        let mut key = if board.side == Side::Black { KEYS.black } else { 0 };
        for side in Side::BOTH {
            for square in board.pieces_of(side) {
                key ^= self.tile_hash(board.tiles[square.index()], side, square);
            }
            key ^= if board.began[side.index()] { KEYS.began[side.index()] } else { 0 };
        }
        for square in board.known {
            key ^= KEYS.known[square.index()];
        }
        board.checkers().into_iter().fold(key, |key, square| key ^ KEYS.checker[square.index()])
    }
}

impl Hash for CrownJewels {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.key);
    }
}
