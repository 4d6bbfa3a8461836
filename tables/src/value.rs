//! The value that a table holds for one position and side to move.

use jewel_engine::value::{Outcome, Value};
use std::fmt;

/// The value of a position for the side to move, as the solver gives it to the writer: win, draw or loss with a distance in
/// plies, or [`ANY`](Cell::ANY) where no value is needed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Cell(u16);

/// The longest distance in plies that a table can hold.
pub const MAX_DISTANCE: u32 = 4095;

const WIN: u16 = 1 << 14;
const LOSS: u16 = 2 << 14;

impl Cell {
    /// A draw.
    pub const DRAW: Cell = Cell(0);

    /// A cell that is never looked up: it is not a position, or one that no game leads to.
    pub const ANY: Cell = Cell(u16::MAX);

    /// The side to move wins in `distance` plies.
    ///
    /// # Panics
    /// If the distance is above [`MAX_DISTANCE`].
    pub const fn win(distance: u32) -> Cell {
        assert!(distance <= MAX_DISTANCE);
        Cell(WIN | distance as u16)
    }

    /// The side to move loses in `distance` plies.
    ///
    /// # Panics
    /// If the distance is above [`MAX_DISTANCE`].
    pub const fn loss(distance: u32) -> Cell {
        assert!(distance <= MAX_DISTANCE);
        Cell(LOSS | distance as u16)
    }

    /// The cell of a value; `None` if its distance is above [`MAX_DISTANCE`].
    pub const fn from_value(value: Value) -> Option<Cell> {
        match value {
            Value::Draw => Some(Cell::DRAW),
            Value::Win(n) if n <= MAX_DISTANCE => Some(Cell::win(n)),
            Value::Loss(n) if n <= MAX_DISTANCE => Some(Cell::loss(n)),
            Value::Win(_) | Value::Loss(_) => None,
        }
    }

    /// The value; `None` for [`ANY`](Cell::ANY).
    pub const fn value(self) -> Option<Value> {
        let distance = (self.0 & 0xfff) as u32;
        match self.0 & !0xfff {
            0 => Some(Value::Draw),
            WIN => Some(Value::Win(distance)),
            LOSS => Some(Value::Loss(distance)),
            _ => None,
        }
    }

    /// The symbol of win, draw or loss in files; `None` for [`ANY`](Cell::ANY).
    #[inline]
    pub(crate) const fn wdl(self) -> Option<u8> {
        match self.0 >> 14 {
            0 => Some(DRAW),
            1 => Some(WON),
            2 => Some(LOST),
            _ => None,
        }
    }

    /// The distance; meaningful for wins and losses.
    #[inline]
    pub(crate) const fn distance(self) -> u16 {
        self.0 & 0xfff
    }
}

/// Symbols of the WDL blocks.
pub(crate) const LOST: u8 = 0;
pub(crate) const DRAW: u8 = 1;
pub(crate) const WON: u8 = 2;

/// The outcome of a symbol of a WDL block.
pub(crate) const fn outcome(symbol: u8) -> Outcome {
    match symbol {
        LOST => Outcome::Loss,
        WON => Outcome::Win,
        _ => Outcome::Draw,
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value() {
            Some(value) => write!(f, "{value:?}"),
            None => f.write_str("Any"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_keep_values() {
        for n in [0, 1, 1000, MAX_DISTANCE] {
            for value in [Value::Win(n), Value::Loss(n), Value::Draw] {
                let cell = Cell::from_value(value).unwrap();
                assert_eq!(cell.value(), Some(value));
                assert_eq!(outcome(cell.wdl().unwrap()), value.outcome());
            }
        }
        assert_eq!(Cell::from_value(Value::Win(MAX_DISTANCE + 1)), None);
        assert_eq!((Cell::ANY.value(), Cell::ANY.wdl()), (None, None));
    }
}
