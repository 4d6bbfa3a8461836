//! The symmetries: the board looks the same from both banks and from both ends of the river.

use super::board::geometry;
use super::{Kind, WorldTree};
use crate::ability::Symmetric;
use crate::symmetry::Symmetry;
use crate::value::Side;

/// The mirror in the river, which exchanges the banks.
const IN_THE_RIVER: Symmetry = Symmetry { transpose: true, mirror_files: false, mirror_ranks: false };
/// The mirror in the diagonal of the towns' corners, which leaves each bank where it is.
const IN_THE_TOWNS: Symmetry = Symmetry { transpose: true, mirror_files: true, mirror_ranks: true };
/// Both: half a turn.
const TURNED: Symmetry = Symmetry { transpose: false, mirror_files: true, mirror_ranks: true };

impl Symmetric for WorldTree {
    /// The rules of moving know no direction but the river's. The placement phase has no symmetry: its cells
    /// are numbered (W1), and the first player begins it and moves after it.
    fn symmetries(&self) -> Vec<(Symmetry, bool)> {
        vec![(Symmetry::IDENTITY, false), (IN_THE_RIVER, true), (IN_THE_TOWNS, false), (TURNED, true)]
    }

    fn transformed(&self, symmetry: Symmetry, exchange: bool) -> Option<WorldTree> {
        if self.is_placing() {
            return (symmetry == Symmetry::IDENTITY && !exchange).then_some(*self);
        }
        let seen = |side: Side| if exchange { !side } else { side };
        let mut image = WorldTree::empty();
        for side in Side::BOTH {
            for kind in Kind::ALL {
                for square in self.pieces(side, kind) {
                    image.put(kind, seen(side), symmetry.square(geometry(), square));
                }
                if self.is_marked(side, kind) {
                    image.set_mark(seen(side), kind, true);
                }
            }
        }
        image.moved = self.moved;
        image.moved_cani = symmetry.set(geometry(), self.moved_cani);
        image.quiet = self.quiet;
        image.side = seen(self.side);
        image.key = image.zobrist();
        Some(image)
    }
}
