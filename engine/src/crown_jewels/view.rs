//! What one player knows: all squares, the player's own tiles, those that contests have shown, and which other
//! tiles there are, but not where they stand.

use super::rules::Rules;
use super::state::{Board, CrownJewels, HIDDEN, Move};
use super::tile::{Tile, TileSet};
use crate::bitboard::{Bitboard, Square};
use crate::hidden::{Hidden, InformationState};
use crate::position::Position;
use crate::random::Random;
use crate::value::{Outcome, Side};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;

/// One player's information state in the play phase.
///
/// Since all tiles are dealt, each player knows which tiles the other holds, and since every contest shows both
/// tiles, which are left: only which of them stands on which of the squares not yet shown is hidden.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct CrownJewelsView {
    pub(super) board: Board,
    pub(super) viewer: Side,
    /// The tiles on the hidden squares.
    pub(super) hidden: TileSet,
}

impl CrownJewelsView {
    /// The rules of the game.
    pub fn rules(&self) -> &'static Rules {
        self.board.rules
    }

    /// The squares of a side's tiles.
    pub fn pieces_of(&self, side: Side) -> Bitboard {
        self.board.pieces_of(side)
    }

    /// The squares of the checkers.
    pub fn checkers(&self) -> Bitboard {
        self.board.checkers()
    }

    /// The squares of tiles that both players know.
    pub fn known(&self) -> Bitboard {
        self.board.known
    }

    /// The tile on a square, if the viewer knows it.
    pub fn tile(&self, square: Square) -> Option<Tile> {
        self.board.tile(square)
    }

    /// The enemy tiles whose squares the viewer does not know.
    pub fn hidden_tiles(&self) -> TileSet {
        self.hidden
    }

    /// The squares on which they stand.
    pub fn hidden_squares(&self) -> Bitboard {
        self.board.pieces_of(!self.viewer) & !self.board.known
    }

    /// The tiles that a side has left; the viewer knows those of both sides.
    pub fn tiles_of(&self, side: Side) -> TileSet {
        let shown = self.board.tiles_of(side);
        if side == self.viewer { shown } else { shown | self.hidden }
    }

    /// Plies since the last contest.
    pub fn quiet(&self) -> u32 {
        u32::from(self.board.quiet)
    }

    /// The result by rule, seen by the side to move, which both players know.
    pub fn outcome(&self) -> Option<Outcome> {
        self.board.outcome()
    }

    /// A view of a board whose hidden squares are marked: who has lost is found out here.
    pub(super) fn from_board(board: Board, viewer: Side, hidden: TileSet) -> CrownJewelsView {
        let mut view = CrownJewelsView { board, viewer, hidden };
        view.board.lost = Side::BOTH.map(|side| {
            let jewels = view.tiles_of(side) & board.rules.jewels;
            board.has_lost(side, jewels.count())
        });
        view
    }

    /// The true state in which the hidden tiles stand, in the order of this list, on the hidden squares from the
    /// lowest up. The belief of a searcher draws such lists in its own way; [`world`](InformationState::world)
    /// draws each with the same probability.
    ///
    /// `None` if the list is not an order of the [hidden tiles](CrownJewelsView::hidden_tiles).
    pub fn world_of(&self, tiles: &[Tile]) -> Option<CrownJewels> {
        let set: TileSet = tiles.iter().copied().collect();
        let fits = set == self.hidden && tiles.len() == self.hidden.count() as usize;
        fits.then(|| self.filled(tiles))
    }

    fn filled(&self, tiles: &[Tile]) -> CrownJewels {
        let mut board = self.board;
        for (square, tile) in self.hidden_squares().into_iter().zip(tiles) {
            board.tiles[square.index()] = tile.index() as u8;
        }
        CrownJewels::from_board(board)
    }
}

impl Hash for CrownJewelsView {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.board.tiles, self.board.known.0, self.board.by_side, self.viewer).hash(state);
        (self.board.side, self.board.quiet, self.hidden).hash(state);
    }
}

impl fmt::Debug for CrownJewelsView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} \"{}\"", self.board.rules.id, self.text())
    }
}

impl InformationState for CrownJewelsView {
    type World = CrownJewels;

    fn viewer(&self) -> Side {
        self.viewer
    }

    fn side_to_move(&self) -> Side {
        self.board.side
    }

    /// Tiles do not bear on where they can go, so that the viewer knows the moves of both sides.
    fn moves<B>(&self, visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.board.moves(visit)
    }

    fn repeats(&self, earlier: &CrownJewelsView) -> bool {
        let mut same = *earlier;
        same.board.quiet = self.board.quiet;
        *self == same
    }

    /// Fisher and Yates's shuffle of the hidden tiles over the hidden squares.
    fn world(&self, random: &mut Random) -> CrownJewels {
        let mut tiles = [Tile::new(0); Tile::COUNT];
        let count = self.hidden.count() as usize;
        for (place, tile) in tiles.iter_mut().zip(self.hidden) {
            *place = tile;
        }
        for last in (1..count).rev() {
            tiles.swap(last, random.below(last as u32 + 1) as usize);
        }
        self.filled(&tiles[..count])
    }

    /// Every order of the hidden tiles is a world.
    fn log_worlds(&self) -> f64 {
        (1..=self.hidden.count()).map(|n| f64::from(n).ln()).sum()
    }
}

impl Hidden for CrownJewels {
    type View = CrownJewelsView;

    fn view(&self, viewer: Side) -> CrownJewelsView {
        let mut board = self.board;
        let squares = board.pieces_of(!viewer) & !board.known;
        let hidden = squares.into_iter().filter_map(|square| board.tile(square)).collect();
        for square in squares {
            board.tiles[square.index()] = HIDDEN;
        }
        CrownJewelsView { board, viewer, hidden }
    }

    /// From where to where, and in a contest both tiles: the same for both players, since the owner of a tile
    /// knows what it is.
    #[inline]
    fn observation(&self, mv: Move, _: Side) -> u64 {
        let seen = mv.from.index() as u64 | (mv.to.index() as u64) << 6;
        if !self.pieces_of(!self.side_to_move()).has(mv.to) {
            return seen;
        }
        let tile = |square: Square| u64::from(self.board.tiles[square.index()]);
        seen | 1 << 12 | tile(mv.from) << 13 | tile(mv.to) << 18
    }
}
