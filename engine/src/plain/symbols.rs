//! Positions as rows of small numbers: encoding 0 of `docs/proof-format.md`.

use super::board::piece;
use super::{Board, Plain};
use crate::value::Side;
use thiserror::Error;

/// Why a row of symbols is not a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum SymbolError {
    /// The row is too short or too long.
    #[error("it has {0} symbols")]
    Length(usize),
    /// There is no such piece.
    #[error("no piece has the number {0}")]
    Piece(u8),
    /// A royal side needs exactly one king.
    #[error("a side has not exactly one royal piece")]
    Royal,
    /// Castling rights that the rules do not have, or whose king and rook stand elsewhere.
    #[error("its castling rights are not possible")]
    Rights,
    /// Nobody can capture on the passed square.
    #[error("nothing can capture on the passed square")]
    Passed,
    /// The counter is beyond its limit.
    #[error("its counter of moves is {0}")]
    Clock(u16),
}

impl Plain {
    fn has_passed(&self) -> bool {
        self.rules.pieces.iter().any(|piece| piece.en_passant)
    }

    /// Symbols of a position.
    pub fn symbols(&self) -> usize {
        self.rules.area()
            + usize::from(!self.rules.castles.is_empty())
            + usize::from(self.has_passed())
            + if self.rules.move_rule.is_some() { 2 } else { 0 }
    }

    /// Bits of a symbol.
    pub fn symbol_bits(&self) -> u32 {
        let pieces = 2 * self.rules.pieces.len();
        let rights = (1 << self.rules.castles.len()) - 1;
        let passed = if self.has_passed() { self.rules.area() } else { 0 };
        let largest = if self.rules.move_rule.is_some() { 255 } else { pieces.max(rights).max(passed) };
        usize::BITS - largest.leading_zeros()
    }

    /// Appends the symbols of a position.
    pub fn encode(&self, board: &Board, out: &mut Vec<u8>) {
        out.extend(&board.cells[..self.rules.area()]);
        if !self.rules.castles.is_empty() {
            out.push(board.rights);
        }
        if self.has_passed() {
            out.push(board.passed.map_or(0, |cell| cell + 1));
        }
        if let Some(limit) = self.rules.move_rule {
            out.extend(board.clock.min(limit).to_be_bytes());
        }
    }

    /// The position of a row of symbols, with this side to move.
    ///
    /// # Errors
    /// If it is not a position. It need not be one that can come about in a game.
    pub fn decode(&self, symbols: &[u8], side: Side) -> Result<Board, SymbolError> {
        if symbols.len() != self.symbols() {
            return Err(SymbolError::Length(symbols.len()));
        }
        let mut board = Board { cells: [0; 64], side, rights: 0, passed: None, clock: 0, number: 1 };
        let (cells, rest) = symbols.split_at(self.rules.area());
        board.cells[..cells.len()].copy_from_slice(cells);
        let known = 2 * self.rules.pieces.len();
        if let Some(&cell) = cells.iter().find(|&&cell| usize::from(cell) > known) {
            return Err(SymbolError::Piece(cell));
        }
        if let Some(royal) = self.rules.royal {
            let kings = |side: Side| cells.iter().filter(|&&cell| piece(cell) == Some((royal, side))).count();
            if kings(Side::White) != 1 || kings(Side::Black) != 1 {
                return Err(SymbolError::Royal);
            }
        }
        let mut rest = rest.iter().copied();
        let mut next = || rest.next().unwrap_or(0);
        if !self.rules.castles.is_empty() {
            board.rights = next();
            let wrong = |n: &usize| {
                board.rights >> n & 1 != 0
                    && (*n >= self.rules.castles.len() || !self.castles_at_home(&board, *n))
            };
            if (0..8).any(|n| wrong(&n)) {
                return Err(SymbolError::Rights);
            }
        }
        if self.has_passed() {
            let passed = next();
            if usize::from(passed) > self.rules.area() {
                return Err(SymbolError::Passed);
            }
            board.passed = passed.checked_sub(1);
            self.forget_passed(&mut board);
            if passed != 0 && board.passed.is_none() {
                return Err(SymbolError::Passed);
            }
        }
        if let Some(limit) = self.rules.move_rule {
            board.clock = u16::from_be_bytes([next(), next()]);
            if board.clock > limit {
                return Err(SymbolError::Clock(board.clock));
            }
        }
        Ok(board)
    }
}
