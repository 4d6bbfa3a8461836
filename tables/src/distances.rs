//! Which distances a file holds, and as what numbers.

use crate::value::{DRAW, LOST};

/// Which distances a file holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Distances {
    /// None.
    None,
    /// Those of all positions.
    All,
    /// Those of lost positions. A reader that knows the rules finds a win a ply from a loss.
    Lost,
    /// Those of lost positions, two distances to a number: two plies of search tell which of the two it is. All losses must
    /// take an even number of plies.
    LostInPairs,
}

impl Distances {
    /// The distances of a file whose header has these bytes; `None` if they mean nothing.
    pub(crate) fn from_bytes(metric: u8, step: u8) -> Option<Distances> {
        let all = [Distances::None, Distances::All, Distances::Lost, Distances::LostInPairs];
        let none = metric == Distances::None.metric();
        all.into_iter().find(|d| d.metric() == metric && (none || d.step() == step))
    }

    /// The byte in the header that says which positions have distances.
    pub(crate) fn metric(self) -> u8 {
        match self {
            Distances::None => 0,
            Distances::All => 1,
            Distances::Lost | Distances::LostInPairs => 2,
        }
    }

    /// Whether there are any.
    pub(crate) fn any(self) -> bool {
        self != Distances::None
    }

    /// The plies that a stored number counts.
    pub(crate) fn step(self) -> u8 {
        if self == Distances::LostInPairs { 4 } else { 1 }
    }

    /// Whether positions with this symbol of a WDL block have a number.
    pub(crate) fn held_of(self, wdl: u8) -> bool {
        match self {
            Distances::None => false,
            Distances::All => wdl != DRAW,
            Distances::Lost | Distances::LostInPairs => wdl == LOST,
        }
    }
}
