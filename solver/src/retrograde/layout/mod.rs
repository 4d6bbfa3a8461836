//! Where every position of a class is stored.
//!
//! The pieces of a class form *groups* (like pieces of one side), and each group has a role:
//! - *outer* groups choose the slice; of the slices that symmetries take to one another, one is stored,
//! - *middle* groups choose the block within a slice,
//! - the *row* group and the *column* piece span a block: a dense matrix of bytes, one row for each set of squares of the
//!   row group and one column for each square of the column piece, among the squares that the outer and middle pieces leave
//!   free. Cells in which the column piece stands on a row piece are not positions and are wasted.
//!
//! A symmetry takes a block to a block, rows to rows and columns to columns (rows to columns if it exchanges the sides).
//! `docs/solver.md` says why blocks are made so.
//!
//! For example, king and knight against king and rook on a board of 3x3 (a test checks the numbers). The knight is the outer
//! piece: it stands on a corner or on an edge, up to symmetry, so that there are two slices. The rook is the middle piece, with
//! 8 squares in each slice. White's king gives the row and Black's king the column, with 7 squares each:
//!
//! ```text
//! values with White to move
//! +-- slice 0: N on a1 ----------------------+-- slice 1: N on b1 -----+
//! | block 0  block 1  block 2       block 7  |                         |
//! | R on b1  R on c1  R on a2  ...  R on c3  |          ...            |
//! 0          49       98            343      392                       784
//!
//! block 0: N on a1, R on b1       column: Black's king on
//!                                  c1  a2  b2  c2  a3  b3  c3
//! row: White's king on       c1     -   1   2   3   4   5   6
//!                            a2     7   -   9  10  11  12  13
//!                            b2    14  15   -  17  18  19  20
//!                            c2    21  22  23   -  25  26  27
//!                            a3    28  29  30  31   -  33  34
//!                            b3    35  36  37  38  39   -  41
//!                            c3    42  43  44  45  46  47   -
//! ```
//!
//! The kings on c2 and a2 are at offset 0 + 0 + 3 * 7 + 1 = 22, that of slice, block, row and column. The mirror image of the
//! position, with the knight on c1, is stored at the same place. A quiet move of White's king leads from row to row, one of
//! Black's king from column to column, one of the rook to another block and one of the knight to another slice, each in the
//! values with the other side to move.

mod roles;
mod slices;

use super::class::Class;
use super::game::GameData;
use super::pieces::{MAX_TYPES, Pieces, rank, rank_of};
use super::symmetry::Symmetry;
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::value::Side;
use jewel_engine::zobrist::splitmix64;
use jewel_tables::combination::{self, binomial};
use std::sync::OnceLock;

/// No slice, or no block.
pub(crate) const NONE: u32 = u32::MAX;
/// No set of a middle group.
const NO_SET: u16 = u16::MAX;
/// The most middle groups that a layout may have.
pub(crate) const MAX_MIDDLE: usize = 6;

/// Like pieces of one side.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) side: Side,
    /// The piece type.
    pub(crate) kind: usize,
    /// The number of pieces.
    pub(crate) count: usize,
    /// The squares on which they can stand.
    pub(crate) allowed: Bitboard,
    /// All sets of squares that they can have, by id.
    pub(crate) sets: Vec<Bitboard>,
}

/// The cells with the same outer and middle pieces.
#[derive(Debug)]
pub(crate) struct Block {
    /// The squares of the outer and middle pieces.
    pub(crate) occupied: Bitboard,
    /// Offset of the matrix in the slice.
    pub(crate) offset: u32,
    /// Its mixed-radix number (see [`Slice::block_of`]).
    pub(crate) number: u32,
    /// Ids of the middle groups' sets.
    pub(crate) middle: [u16; MAX_MIDDLE],
}

/// The cells with the same outer pieces.
#[derive(Debug)]
pub(crate) struct Slice {
    /// Ids of the outer groups' sets.
    pub(crate) outer: Vec<u32>,
    /// The squares of the outer pieces.
    pub(crate) occupied: Bitboard,
    /// For each middle group: by id of a set, its number among those that keep clear of the outer pieces.
    pub(crate) local: Vec<Vec<u16>>,
    /// For each middle group: what such a number counts in the number of a block.
    pub(crate) stride: Vec<u32>,
    /// By mixed-radix number of the middle groups' sets: the block.
    pub(crate) block_of: Vec<u32>,
    pub(crate) blocks: Vec<Block>,
    /// Offset of the slice in the values of one side to move.
    pub(crate) base: u64,
    /// Bytes of the slice for one side to move.
    pub(crate) bytes: u64,
}

impl Slice {
    /// Bytes of the list of its blocks, about.
    fn index_bytes(&self) -> u64 {
        (self.block_of.len() * 4 + self.blocks.len() * size_of::<Block>()) as u64
    }
}

/// Where the positions of a class are stored.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) class: Class,
    pub(crate) groups: Vec<Group>,
    pub(crate) outer: Vec<usize>,
    pub(crate) middle: Vec<usize>,
    pub(crate) row: Option<usize>,
    pub(crate) column: usize,
    /// The column piece was taken out of a group of several: every position then occurs `count` times.
    pub(crate) split: bool,
    pub(crate) symmetries: Vec<Symmetry>,
    /// `[symmetry][group]`: the group that it becomes.
    pub(crate) image: Vec<Vec<usize>>,
    /// `[symmetry][group][id]`: the id that it becomes.
    pub(crate) id_map: Vec<Vec<Vec<u32>>>,
    /// By number of a placement of the outer groups: its slice and the symmetry that leads there.
    pub(crate) orbit: Vec<(u32, u8)>,
    pub(crate) slices: Vec<Slice>,
    /// Bytes for one side to move.
    pub(crate) entries: u64,
    rank_sets: Vec<OnceLock<Vec<u64>>>,
}

/// The block of a position, as the symmetry that leads to its slice shows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockPlace {
    pub(crate) slice: u32,
    pub(crate) symmetry: u8,
    /// Whether the symmetry exchanges the sides.
    pub(crate) swap: bool,
    /// Offset of the block in the values of one side to move.
    pub(crate) base: usize,
    /// Offset of the block in its slice.
    pub(crate) offset: u32,
    pub(crate) occupied: Bitboard,
    pub(crate) columns: usize,
}

/// A class that cannot be laid out: the pieces of one type, or those of a slice, have too many placements.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("class {0} has more placements of like pieces than tables are made for")]
pub struct TooLarge(pub(crate) String);

/// What laying a class out may take.
#[derive(Clone, Copy)]
pub(crate) struct Effort<'a> {
    /// Bytes for the lists of slices and blocks.
    pub(crate) memory: u64,
    /// Asked now and then; `false` gives it up.
    pub(crate) goes_on: &'a (dyn Fn() -> bool + Sync),
}

/// The most bytes for slices and blocks: a class with so many has a hundred billion cells.
const MAX_INDEX: u64 = 4 << 30;

impl Layout {
    /// Lays a class out: groups, their roles, what the symmetries do to them, and the slices.
    ///
    /// # Errors
    /// If a group or a slice has more placements than this way of laying out is made for.
    pub(crate) fn new(game: &GameData<'_>, class: Class) -> Result<Layout, TooLarge> {
        Layout::within(game, class, Effort { memory: MAX_INDEX, goes_on: &|| true })
    }

    /// [`new`](Layout::new), as far as the effort allows.
    ///
    /// # Errors
    /// As `new`, or if it takes more.
    pub(crate) fn within(game: &GameData<'_>, class: Class, effort: Effort<'_>) -> Result<Layout, TooLarge> {
        Layout::try_new(game, class, effort).ok_or_else(|| TooLarge(class.name(game.rules)))
    }

    fn try_new(game: &GameData<'_>, class: Class, effort: Effort<'_>) -> Option<Layout> {
        let (groups, split) = roles::groups(game, class)?;
        let roles = roles::choose(game, class, &groups, split, effort.goes_on)?;
        let symmetries: Vec<Symmetry> =
            game.symmetries.of(class).filter(|s| !s.swap || roles.swap).cloned().collect();
        let image: Vec<Vec<usize>> = symmetries
            .iter()
            .map(|s| (0..groups.len()).map(|g| roles::image(&groups, s.swap, g)).collect())
            .collect();
        let ids = |s: usize, g: usize| {
            let to = &groups[image[s][g]];
            groups[g].sets.iter().map(|&set| rank(symmetries[s].sets.apply(set), to.allowed) as u32).collect()
        };
        let id_map = (0..symmetries.len()).map(|s| (0..groups.len()).map(|g| ids(s, g)).collect()).collect();
        let mut layout = Layout {
            class,
            groups,
            outer: roles.outer,
            middle: roles.middle,
            row: roles.row,
            column: 0,
            split,
            symmetries,
            image,
            id_map,
            orbit: vec![],
            slices: vec![],
            entries: 0,
            rank_sets: (0..65).map(|_| Default::default()).collect(),
        };
        layout.make_slices(effort)?;
        Some(layout)
    }

    /// Bytes that the layout takes, about.
    pub(crate) fn index_bytes(&self) -> u64 {
        self.orbit.len() as u64 * 8 + self.slices.iter().map(Slice::index_bytes).sum::<u64>()
    }

    /// An upper bound on the slices that a slice reads: one, and one for each quiet move of the outer pieces of a side.
    pub(crate) fn max_slices_read(&self, game: &GameData<'_>) -> usize {
        let moves =
            |g: &Group| g.count * game.kinds[g.side][g.kind].quiet.iter().map(Vec::len).max().unwrap_or(0);
        let of = |side: Side| -> usize {
            let outer = self.outer.iter().map(|&g| &self.groups[g]);
            outer.filter(|g| g.side == side).map(moves).sum()
        };
        1 + of(Side::White).max(of(Side::Black))
    }

    /// A number that differs for layouts that put cells elsewhere.
    pub(crate) fn signature(&self) -> u64 {
        let mut hash = 0;
        let mut add = |word: u64| hash = splitmix64(hash ^ word).1;
        for g in &self.groups {
            add((g.side.index() << 16 | g.kind << 8 | g.count) as u64);
            add(g.allowed.0);
        }
        for &g in self.outer.iter().chain(&[99]).chain(&self.middle).chain(&[99]).chain(&self.row) {
            add(g as u64);
        }
        for symmetry in &self.symmetries {
            add(u64::from(symmetry.swap));
            symmetry.squares.iter().for_each(|&s| add(u64::from(s)));
        }
        add(self.entries);
        hash
    }

    /// The outer and middle pieces of a block: those that are the same in all its positions.
    pub(crate) fn fixed(&self, slice: &Slice, b: usize) -> Pieces {
        let mut m = Pieces::default();
        let outer = self.outer.iter().zip(&slice.outer).map(|(&g, &id)| (g, id as usize));
        let middle = self.middle.iter().zip(&slice.blocks[b].middle).map(|(&g, &id)| (g, usize::from(id)));
        for (g, id) in outer.chain(middle) {
            m[self.groups[g].side][self.groups[g].kind] |= self.groups[g].sets[id];
        }
        m
    }

    /// A position of a block with the fixed pieces `fixed`: row pieces on `rows`, the column piece on `column`.
    pub(crate) fn position(&self, fixed: &Pieces, rows: Bitboard, column: Square) -> Pieces {
        let mut m = *fixed;
        if let Some(g) = self.row {
            m[self.groups[g].side][self.groups[g].kind] |= rows;
        }
        let g = &self.groups[self.column];
        m[g.side][g.kind] |= column.bit();
        m
    }

    /// The squares of the row pieces in a block whose fixed pieces are on `occupied`, and how many pieces they are.
    #[inline]
    pub(crate) fn row_squares(&self, occupied: Bitboard) -> (Bitboard, usize) {
        self.row.map_or((Bitboard::EMPTY, 0), |g| (self.groups[g].allowed & !occupied, self.groups[g].count))
    }

    /// The squares of the column piece in a block whose fixed pieces are on `occupied`.
    #[inline]
    pub(crate) fn column_squares(&self, occupied: Bitboard) -> Bitboard {
        self.groups[self.column].allowed & !occupied
    }

    /// Rows of a block whose fixed pieces are on `occupied`.
    pub(crate) fn rows(&self, occupied: Bitboard) -> usize {
        let (free, count) = self.row_squares(occupied);
        binomial(free.count(), count as u32) as usize
    }

    /// Columns of a block whose fixed pieces are on `occupied`.
    pub(crate) fn columns(&self, occupied: Bitboard) -> usize {
        self.column_squares(occupied).count() as usize
    }

    /// The rows of a block with these row squares and that many row pieces: of each the ranks of its pieces, a bit each.
    pub(crate) fn rank_sets(&self, (free, count): (Bitboard, usize)) -> &[u64] {
        let n = free.count();
        let all = (!0u64).unbounded_shr(64 - n);
        self.rank_sets[n as usize].get_or_init(|| combination::sets(all, count as u32))
    }

    /// Finds the block of a position, given the sets of its outer and middle groups (by group).
    #[inline]
    pub(crate) fn place(&self, sets: &[Bitboard]) -> BlockPlace {
        let mut number = 0;
        for &g in &self.outer {
            let group = &self.groups[g];
            number = number * group.sets.len() + rank(sets[g], group.allowed) as usize;
        }
        let (slice, symmetry) = self.orbit[number];
        let s = usize::from(symmetry);
        let sl = &self.slices[slice as usize];
        let mut number = 0;
        for &g in &self.middle {
            let id = rank(sets[g], self.groups[g].allowed) as usize;
            let (to, id) = (self.image[s][g], self.id_map[s][g][id]);
            let m = self.middle.iter().position(|&x| x == to).unwrap_or(0);
            number += u32::from(sl.local[m][id as usize]) * sl.stride[m];
        }
        let block = &sl.blocks[sl.block_of[number as usize] as usize];
        BlockPlace {
            slice,
            symmetry,
            swap: self.symmetries[s].swap,
            base: (sl.base + u64::from(block.offset)) as usize,
            offset: block.offset,
            occupied: block.occupied,
            columns: self.columns(block.occupied),
        }
    }

    /// What the row or column group `g` on `set` (both before the symmetry) adds to the offset within the block.
    #[inline]
    pub(crate) fn inner_offset(&self, place: &BlockPlace, g: usize, set: Bitboard) -> usize {
        let s = usize::from(place.symmetry);
        let to = self.image[s][g];
        let free = self.groups[to].allowed & !place.occupied;
        let rank = if set.0 & set.0.wrapping_sub(1) == 0 {
            if set.is_empty() {
                return 0;
            }
            let image = self.symmetries[s].squares[set.first().index()];
            rank_of(Square::new(image), free) as usize
        } else {
            rank(self.symmetries[s].sets.apply(set), free) as usize
        };
        if to == self.column { rank } else { rank * place.columns }
    }

    /// Offset of a whole position among the values of a side to move; `true`: with the other side to move.
    pub(crate) fn address(&self, m: &Pieces) -> (usize, bool) {
        let mut sets = [Bitboard::EMPTY; 2 * MAX_TYPES + 1];
        for (i, g) in self.groups.iter().enumerate() {
            sets[i] = m[g.side][g.kind];
        }
        if self.split {
            (sets[0], sets[1]) = split(sets[0]);
        }
        let place = self.place(&sets);
        let mut at = place.base + self.inner_offset(&place, self.column, sets[self.column]);
        if let Some(g) = self.row {
            at += self.inner_offset(&place, g, sets[g]);
        }
        (at, place.swap)
    }
}

/// The squares of a split group shared out: one for the column piece, the others for the row group. Any choice is right.
#[inline]
pub(crate) fn split(all: Bitboard) -> (Bitboard, Bitboard) {
    let first = Bitboard(all.0 & all.0.wrapping_neg());
    (first, all ^ first)
}

#[cfg(test)]
mod tests;
