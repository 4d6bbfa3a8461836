//! One child class of a class being solved: where the parent's pieces are in it, and minima over one of its blocks.

use super::layout::{BlockPlace, Layout, split};
use super::pieces::{MAX_TYPES, Pieces, rank_of, ranks_in, swapped_if};
use super::simd::{self, KILL, Row};
use super::solved::View;
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::value::Side;
use jewel_tables::combination::rank;

/// Which piece of the parent's block was captured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Captured {
    /// An outer or a middle piece.
    Fixed,
    Row,
    Column,
}

/// Where the row pieces or the column piece of the parent are in a child.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InChild {
    /// None is left.
    Gone,
    /// They are this group of the child, its row group or its column piece: a term of the offset.
    Inner(usize),
    /// The two row pieces are column and row piece of a child that splits a pair.
    SplitPair,
    /// They are outer or middle pieces: each of their placements has a block of its own.
    Fixed,
}

/// How the value after a capture is looked up in the child.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lookup {
    /// The offset in a block is the sum of a term of the row pieces and a term of the column piece.
    Terms(InChild, InChild),
    /// Row and column piece together are the child's row pair.
    Pair,
    /// One position after the other.
    Each,
}

/// A child that has a table.
pub(crate) struct ChildTable<'a, const N: usize> {
    pub(crate) view: View<'a>,
    /// For each [`Captured`].
    pub(crate) lookups: [Lookup; 3],
    /// By symmetry of the child: the parent's squares as its slices show them.
    pub(crate) squares: Vec<Row<N>>,
}

/// What is left of a class after a capture.
pub(crate) enum Child<'a, const N: usize> {
    /// The game is over.
    Over,
    Table(ChildTable<'a, N>),
}

/// Columns that a capture concerns.
#[derive(Clone, Copy)]
pub(crate) struct Columns {
    /// Squares of the column piece before the capture.
    pub(crate) from: Bitboard,
    /// Its square after it, if it was the column piece that captured.
    pub(crate) to: Option<Square>,
}

impl Columns {
    /// The column piece stays where it is.
    pub(crate) fn staying(from: Bitboard) -> Columns {
        Columns { from, to: None }
    }
}

/// The least values of a block so far.
pub(crate) struct Out<'o> {
    /// Rows of `N` bytes.
    pub(crate) cells: &'o mut [u8],
    /// The squares of the columns.
    pub(crate) columns: Bitboard,
}

impl Out<'_> {
    /// Lowers a cell: of the row that begins at `offset`, the column of a square.
    #[inline(always)]
    pub(crate) fn lower(&mut self, offset: u32, column: Square, value: u8) {
        let cell = &mut self.cells[(offset + rank_of(column, self.columns)) as usize];
        *cell = value.min(*cell);
    }
}

/// A block of a child.
pub(crate) struct ChildBlock<'k, const N: usize> {
    /// The values, from the cell at which both terms are 0.
    pub(crate) values: &'k [u8],
    pub(crate) place: BlockPlace,
    /// By square of the parent: the rank among the squares of the child's group that the row pieces are.
    pub(crate) row: Row<N>,
    /// The same for the column piece.
    pub(crate) column: Row<N>,
    /// What a rank counts in the offset.
    pub(crate) row_unit: u32,
    pub(crate) column_unit: u32,
}

impl<const N: usize> ChildTable<'_, N> {
    /// Where the row pieces, or the column piece, are in the child.
    fn roles(&self, captured: Captured) -> (InChild, InChild) {
        match self.lookups[captured as usize] {
            Lookup::Terms(row, column) => (row, column),
            _ => (InChild::Gone, InChild::Gone),
        }
    }

    /// The child's block for the fixed pieces `fixed`, with `turn` to move.
    pub(crate) fn block(&self, captured: Captured, turn: Side, fixed: &Pieces) -> ChildBlock<'_, N> {
        let layout = &self.view.table.layout;
        let swapped = self.view.swap.is_some();
        let mut sets = [Bitboard::EMPTY; 2 * MAX_TYPES + 1];
        for (i, g) in layout.groups.iter().enumerate() {
            let set = fixed[swapped_if(swapped, g.side)][g.kind];
            sets[i] = match &self.view.swap {
                Some(symmetry) if !symmetry.sets.identity => symmetry.sets.apply(set),
                _ => set,
            };
        }
        if layout.split {
            // The pair is either all here or all in the terms.
            (sets[0], sets[1]) = split(sets[0]);
        }
        let place = layout.place(&sets);
        let mut at = place.offset as usize;
        for g in layout.row.into_iter().chain([layout.column]) {
            if sets[g].any() {
                at += layout.inner_offset(&place, g, sets[g]);
            }
        }
        let turn = swapped_if(swapped ^ place.swap, turn);
        let values = &self.view.slice(place.slice as usize, turn)[at..];
        let squares = &self.squares[place.symmetry as usize];
        let term = |g: usize| {
            let to = layout.image[place.symmetry as usize][g];
            let ranks = simd::ranks::<N>(layout.groups[to].allowed & !place.occupied);
            (simd::lookup(&ranks, squares), if to == layout.column { 1 } else { place.columns as u32 })
        };
        let none = ([0; N], 0);
        let (mut row, mut column) = (none, none);
        let roles = self.roles(captured);
        match roles.0 {
            InChild::Inner(g) => row = term(g),
            InChild::SplitPair => (row, column) = (term(layout.row.expect("rows")), term(layout.column)),
            _ => {}
        }
        if let InChild::Inner(g) = roles.1 {
            column = term(g);
        }
        ChildBlock { values, place, row: row.0, column: column.0, row_unit: row.1, column_unit: column.1 }
    }
}

impl<const N: usize> ChildBlock<'_, N> {
    /// What a set of row pieces adds to the offset.
    #[inline]
    pub(crate) fn row_term(&self, role: InChild, rows: Bitboard) -> u32 {
        let first = |set: u64| u32::from(self.row[set.trailing_zeros() as usize & (N - 1)]);
        let set = rows.0;
        match role {
            InChild::Gone | InChild::Fixed => 0,
            InChild::SplitPair => {
                let low = set.trailing_zeros() as usize;
                u32::from(self.column[low]) * self.column_unit + first(set & (set - 1)) * self.row_unit
            }
            InChild::Inner(_) => match set.count_ones() {
                1 => first(set) * self.row_unit,
                2 => {
                    let (i, j) = (first(set), first(set & (set - 1)));
                    let (low, high) = (i.min(j), i.max(j));
                    (high * (high.wrapping_sub(1)) / 2 + low) * self.row_unit
                }
                _ => {
                    let ranks = rows.into_iter().fold(0u64, |x, s| x | 1 << self.row[s.index()]);
                    rank(ranks, !0) as u32 * self.row_unit
                }
            },
        }
    }

    /// Lowers `out` for `pairs` (row here, row term there) and the columns.
    pub(crate) fn lower(
        &self,
        pairs: &[(u32, u32)],
        columns: Columns,
        captured: Captured,
        out: &mut Out<'_>,
    ) {
        let Columns { from, to } = columns;
        if from.is_empty() {
            return;
        }
        if captured == Captured::Column || from.is_single() {
            self.lower_column(pairs, columns, captured, out);
            return;
        }
        let keep: Row<N> = simd::expand(!ranks_in(from, out.columns));
        if let Some(to) = to {
            // One square there for all columns: its value goes to every square that the column piece may come from.
            let term = usize::from(self.column[to.index()]) * self.column_unit as usize;
            for &(o, r) in pairs {
                let value = self.values[term + r as usize];
                let row = &mut out.cells[o as usize..][..N];
                for (cell, keep) in row.iter_mut().zip(&keep) {
                    *cell = (*cell).min(value | keep);
                }
            }
            return;
        }
        let list = simd::members::<N>(out.columns);
        let mut idx = simd::lookup(&self.column, &list);
        for (i, keep) in idx.iter_mut().zip(&keep) {
            *i |= keep;
        }
        if self.column_unit <= 1 {
            simd::fold::<N>(out.cells, self.values, pairs, &idx);
        } else {
            self.lower_transposed(pairs, &idx, out);
        }
    }

    /// [`lower`](Self::lower) where a single column is concerned.
    #[inline(always)]
    fn lower_column(&self, pairs: &[(u32, u32)], columns: Columns, captured: Captured, out: &mut Out<'_>) {
        let square = columns.from.first();
        let c = rank_of(square, out.columns) as usize;
        let gone = captured == Captured::Column;
        let rank = if gone { 0 } else { self.column[columns.to.unwrap_or(square).index()] };
        if rank >= KILL {
            return;
        }
        let term = usize::from(rank) * self.column_unit as usize;
        for &(o, r) in pairs {
            // A row piece on the column piece's square (no position) may have no place there.
            let value = self.values.get(term + r as usize).map_or(255, |&v| v);
            let cell = &mut out.cells[o as usize + c];
            *cell = value.min(*cell);
        }
    }

    /// [`lower`](Self::lower) where the columns here are rows there: `idx` has their ranks.
    #[inline(always)]
    fn lower_transposed(&self, pairs: &[(u32, u32)], idx: &Row<N>, out: &mut Out<'_>) {
        let unit = self.column_unit as usize;
        if pairs.len() <= 3 {
            for &(o, r) in pairs {
                for (c, &i) in idx.iter().enumerate().take(out.columns.count() as usize) {
                    if i < KILL {
                        let cell = &mut out.cells[o as usize + c];
                        *cell = (*cell).min(self.values[r as usize + usize::from(i) * unit]);
                    }
                }
            }
            return;
        }
        let mut matrix = [[255u8; N]; N];
        for (row, &i) in matrix.iter_mut().zip(idx) {
            if i < KILL {
                row.copy_from_slice(&self.values[usize::from(i) * unit..][..N]);
            }
        }
        simd::transpose(&mut matrix);
        for &(o, r) in pairs {
            // A row here is a column there: its term is its rank.
            let row = &mut out.cells[o as usize..][..N];
            for (cell, value) in row.iter_mut().zip(&matrix[r as usize & (N - 1)]) {
                *cell = (*cell).min(*value);
            }
        }
    }
}

/// How a child is looked up after a capture.
pub(crate) fn lookup(parent: &Layout, view: &View<'_>, captured: Captured) -> Lookup {
    let child = &view.table.layout;
    let swapped = view.swap.is_some();
    let row_left = parent.row.map_or(0, |g| parent.groups[g].count - usize::from(captured == Captured::Row));
    let column_left = usize::from(captured != Captured::Column);
    // The child's group of the pieces of a group.
    let find = |g: usize| {
        let g = &parent.groups[g];
        child.groups.iter().position(|x| (swapped_if(swapped, x.side), x.kind) == (g.side, g.kind))
    };
    if parent.split && row_left > 0 && column_left > 0 {
        let Some(g) = find(parent.column) else { return Lookup::Each };
        if child.split && g == child.column && child.groups[1].count == row_left {
            return Lookup::Terms(InChild::Inner(1), InChild::Inner(0));
        }
        let pair = child.row == Some(g) && row_left == 1 && !child.split;
        return if pair { Lookup::Pair } else { Lookup::Each };
    }
    let role = |g: Option<usize>, left: usize| -> Option<InChild> {
        let Some(g) = g.filter(|_| left > 0) else { return Some(InChild::Gone) };
        // A type that is gone: this piece cannot be the one that the child lacks.
        let g = find(g)?;
        if child.split && g == child.column {
            return (left == 2 && child.groups[1].count == 1).then_some(InChild::SplitPair);
        }
        if child.groups[g].count != left {
            return None;
        }
        let inner = g == child.column || Some(g) == child.row;
        Some(if inner { InChild::Inner(g) } else { InChild::Fixed })
    };
    match (role(parent.row, row_left), role(Some(parent.column), column_left)) {
        (Some(row), Some(column)) => Lookup::Terms(row, column),
        _ => Lookup::Each,
    }
}
