//! Positions and their cells.

use super::*;
use crate::retrograde::classes::{bounded, closure};
use crate::retrograde::pieces::{squares_of, swapped_if};
use jewel_engine::chesslike::AnyChessLike;
use jewel_engine::games;

impl Layout {
    /// Calls `f` with every stored position and its offset; cells that are not positions are skipped.
    pub(crate) fn for_each(&self, mut f: impl FnMut(&Pieces, usize)) {
        for slice in &self.slices {
            for (b, block) in slice.blocks.iter().enumerate() {
                let fixed = self.fixed(slice, b);
                let mut at = slice.base as usize + block.offset as usize;
                let row_squares = self.row_squares(block.occupied);
                for &ranks in self.rank_sets(row_squares) {
                    let rows = squares_of(ranks, row_squares.0);
                    for column in self.column_squares(block.occupied) {
                        if !rows.has(column) {
                            f(&self.position(&fixed, rows, column), at);
                        }
                        at += 1;
                    }
                }
            }
        }
    }
}

fn image(symmetry: &Symmetry, m: &Pieces) -> Pieces {
    let mut image = Pieces::default();
    for side in Side::BOTH {
        for kind in 0..MAX_TYPES {
            image[swapped_if(symmetry.swap, side)][kind] = symmetry.sets.apply(m[side][kind]);
        }
    }
    image
}

/// Index to position and back, on every class: a cell's position has that cell for its address, and each image of the
/// position has a cell whose position is an image of it.
#[test]
fn cells_and_positions_match() {
    for (id, pieces) in [("ambush", 4), ("duel", 2), ("crystal-of-doom", 3), ("star-lords", 3)] {
        let rules = games::find(id).unwrap().rules();
        let game = GameData::new(rules).unwrap();
        let classes = closure(&game, &bounded(&game, pieces).unwrap()).unwrap();
        assert!(!classes.is_empty());
        for class in classes {
            let l = Layout::new(&game, class).unwrap();
            let mut stored = vec![None; l.entries as usize];
            l.for_each(|m, at| {
                assert_eq!(Class::from_pieces(m), class);
                assert!(stored[at].replace(*m).is_none());
                if !l.split {
                    assert_eq!(l.address(m), (at, false), "{}", class.name(rules));
                }
            });
            // A sample of about a thousand, every image of each.
            for m in stored.iter().flatten().step_by(1 + stored.len() / 1000) {
                for a in &l.symmetries {
                    let image = image(a, m);
                    let (at, swap) = l.address(&image);
                    let there = stored[at].expect("a cell of a position");
                    let maps = l.symmetries.iter().filter(|a| a.swap == swap);
                    assert!(maps.into_iter().any(|a| self::image(a, &image) == there));
                }
            }
        }
    }
}

/// The drawing at the head of this module.
#[test]
fn the_worked_block_is_laid_out_as_drawn() {
    let rules = "name = 'Tiny'
        [board]\nsize = '3x3'\nstart = 'knr/3/NRK w - - 0 1'
        [[piece]]\nletter = 'K'\nmoves = 'K'\nroyal = true
        [[piece]]\nletter = 'N'\nmoves = 'N'
        [[piece]]\nletter = 'R'\nmoves = 'R'";
    let rules = jewel_engine::variant::Rules::parse(rules).unwrap();
    let game = GameData::new(&rules).unwrap();
    let layout = Layout::new(&game, Class::parse(&game, "KNvKR").unwrap()).unwrap();
    let role = |g: usize| (layout.groups[g].side, rules.pieces[layout.groups[g].kind].letter);
    let roles = [layout.outer[0], layout.middle[0], layout.row.unwrap(), layout.column].map(role);
    assert_eq!(roles, [(Side::White, 'N'), (Side::Black, 'R'), (Side::White, 'K'), (Side::Black, 'K')]);
    let slices: Vec<(u64, u64)> = layout.slices.iter().map(|s| (s.base, s.bytes)).collect();
    assert_eq!(slices, [(0, 392), (392, 392)]);
    let offsets: Vec<u32> = layout.slices[0].blocks.iter().map(|block| block.offset).collect();
    assert_eq!(offsets, [0, 49, 98, 147, 196, 245, 294, 343]);
    let block = &layout.slices[0].blocks[0];
    assert_eq!((layout.rows(block.occupied), layout.columns(block.occupied)), (7, 7));
    let address = |board: &str| {
        let position = AnyChessLike::from_fen(&rules, board).unwrap();
        layout.address(&game.pieces(&position))
    };
    assert_eq!(address("3/k1K/Nr1 w - - 0 1"), (22, false));
    assert_eq!(address("3/K1k/1rN w - - 0 1"), (22, false));
    assert_eq!(address("3/k1K/rN1 w - - 0 1").0 / 392, 1);
}
