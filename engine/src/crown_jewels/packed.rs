//! Positions as numbers, and their symmetries.
//!
//! Checkers, and who began with Jewels, are the same in all that can be reached from a root: they are not packed.

use super::state::{Board, CrownJewels, NOTHING};
use super::tile::Tile;
use crate::ability::{Packed, PackedKey, Symmetric};
use crate::bitboard::{Bitboard, Square};
use crate::symmetry::Symmetry;
use crate::value::Side;

const COUNT_BITS: u32 = 5;
/// Whether all tiles are known, and whose turn it is.
const FLAGS: u32 = 2;
const QUIET_BITS: u32 = 7;

/// Bits for a number below `count`.
const fn bits_below(count: u32) -> u32 {
    u32::BITS - (count - 1).leading_zeros()
}

impl Board {
    fn square_bits(&self) -> u32 {
        bits_below(self.rules.squares.count())
    }

    fn tile_bits(&self) -> u32 {
        bits_below(self.rules.set.count())
    }

    fn quiet_bits(&self) -> u32 {
        if self.rules.quiet == 0 { 0 } else { QUIET_BITS }
    }

    /// Whether both players know all tiles, which stays so.
    fn is_open(&self) -> bool {
        self.known == self.occupied()
    }

    /// How many squares of the board lie before one.
    fn square_number(&self, square: Square) -> u64 {
        u64::from((self.rules.squares & Bitboard(square.bit().0 - 1)).count())
    }

    fn tile_number(&self, square: Square) -> u64 {
        let tile = usize::from(self.tiles[square.index()]);
        self.rules.set.into_iter().take_while(|other| other.index() < tile).count() as u64
    }
}

impl Packed for CrownJewels {
    fn packed_bits(&self) -> u32 {
        let board = &self.board;
        let each = 1 + u32::from(!board.is_open()) + board.square_bits() + board.tile_bits();
        COUNT_BITS + FLAGS + board.quiet_bits() + board.occupied().count() * each
    }

    fn pack<K: PackedKey>(&self) -> K {
        let bits = self.packed_bits();
        assert!(bits <= K::BITS, "a position of {bits} bits in a key of {}", K::BITS);
        let board = &self.board;
        let open = board.is_open();
        let mut key = K::ZERO;
        for square in board.occupied() {
            if !open {
                key = key.push(u64::from(board.known.has(square)), 1);
            }
            key = key
                .push(u64::from(board.pieces_of(Side::Black).has(square)), 1)
                .push(board.square_number(square), board.square_bits())
                .push(board.tile_number(square), board.tile_bits());
        }
        key.push(u64::from(board.quiet), board.quiet_bits())
            .push(u64::from(board.occupied().count()), COUNT_BITS)
            .push(u64::from(open), 1)
            .push(board.side.index() as u64, 1)
    }

    fn unpack<K: PackedKey>(&self, key: K) -> CrownJewels {
        let mut board = self.board;
        (board.tiles, board.by_side, board.known) = ([NOTHING; 64], [Bitboard::EMPTY; 2], Bitboard::EMPTY);
        let squares: Vec<Square> = board.rules.squares.into_iter().collect();
        let set: Vec<Tile> = board.rules.set.into_iter().collect();
        let (key, side) = key.pop(1);
        board.side = if side == 0 { Side::White } else { Side::Black };
        let (key, open) = key.pop(1);
        let (key, count) = key.pop(COUNT_BITS);
        let (mut key, quiet) = key.pop(board.quiet_bits());
        board.quiet = quiet as u8;
        for _ in 0..count {
            let (rest, tile) = key.pop(board.tile_bits());
            let (rest, square) = rest.pop(board.square_bits());
            let (rest, black) = rest.pop(1);
            let (rest, known) = if open == 1 { (rest, 1) } else { rest.pop(1) };
            let square = squares[square as usize % squares.len()];
            board.tiles[square.index()] = set[tile as usize % set.len()].index() as u8;
            board.by_side[black as usize] |= square.bit();
            if known == 1 {
                board.known |= square.bit();
            }
            key = rest;
        }
        CrownJewels::from_board(board)
    }
}

/// Tiles step in all directions alike: the board may be mirrored either way, and the sides exchanged.
impl Symmetric for CrownJewels {
    fn symmetries(&self) -> Vec<(Symmetry, bool)> {
        let mirrored =
            |n: u32| Symmetry { transpose: false, mirror_files: n & 1 != 0, mirror_ranks: n & 2 != 0 };
        (0..4).flat_map(|n| [(mirrored(n), false), (mirrored(n), true)]).collect()
    }

    fn transformed(&self, symmetry: Symmetry, exchange: bool) -> Option<CrownJewels> {
        let (files, ranks) = self.board.rules.size();
        let image = |square: Square| {
            let (file, rank) = (square.index() as u32 % 8, square.index() as u32 / 8);
            let file = if symmetry.mirror_files { files - 1 - file } else { file };
            let rank = if symmetry.mirror_ranks { ranks - 1 - rank } else { rank };
            Square::new((8 * rank + file) as u8)
        };
        let set = |set: Bitboard| set.into_iter().map(image).collect::<Bitboard>();
        let mut board = Board::empty(self.board.rules);
        for square in self.board.occupied() {
            board.tiles[image(square).index()] = self.board.tiles[square.index()];
        }
        board.closed |= set(self.board.checkers());
        board.known = set(self.board.known);
        board.by_side = self.board.by_side.map(set);
        (board.side, board.began, board.quiet) = (self.board.side, self.board.began, self.board.quiet);
        if exchange {
            board.by_side.swap(0, 1);
            board.began.swap(0, 1);
            board.side = !board.side;
        }
        Some(CrownJewels::from_board(board))
    }
}
