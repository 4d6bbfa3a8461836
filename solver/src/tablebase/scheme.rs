//! Tables of a class as the file format lays them out, and their cells as the kernel has them.

use crate::retrograde::layout::Layout;
use crate::retrograde::mechanics::{MAX_TYPES, Masks, Mechanics};
use crate::retrograde::solved::Table;
use crate::retrograde::value;
use jewel_engine::bits::deposit;
use jewel_engine::value::{Side, Value};
use jewel_tables::combination::sets;
use jewel_tables::index::Plane;
use jewel_tables::scheme::{Group, Map, Scheme};
use jewel_tables::value::Cell;
use jewel_tables::writer::Values;

/// How the file of a class is laid out: outer groups leading, then mid groups, then rows and columns, since compression
/// likes single pieces last and slices are what the symmetries act on.
pub(super) fn scheme(game: &Mechanics<'_>, layout: &Layout) -> Scheme {
    let order = order(layout);
    let groups = order.iter().map(|members| {
        let g = &layout.groups[members[0]];
        Group {
            side: Side::BOTH[g.side],
            letter: game.rules.pieces[g.ty].letter as u8,
            count: members.iter().map(|&g| layout.groups[g].count as u8).sum(),
            allowed: g.allowed,
        }
    });
    // A class that is its own exchange, but not laid out so, does without: either side's positions are in it anyway.
    let exchange = layout.class != layout.class.swapped() || layout.syms.iter().any(|a| a.swap);
    let maps = game.automorphisms.iter().filter(|a| exchange || !a.swap);
    Scheme {
        width: game.rules.geometry.width(),
        height: game.rules.geometry.height(),
        groups: groups.collect(),
        leading: layout.outer.len(),
        symmetries: maps.map(|a| Map { exchange: a.swap, squares: a.perm.clone() }).collect(),
    }
}

/// The kernel's groups that make each group of the file, in its order: two where like pieces are split.
fn order(layout: &Layout) -> Vec<Vec<usize>> {
    let mut order: Vec<Vec<usize>> =
        layout.outer.iter().chain(layout.mid.iter().rev()).map(|&g| vec![g]).collect();
    match layout.row {
        Some(row) if layout.split => order.push(vec![layout.column, row]),
        row => order.extend(row.into_iter().chain([layout.column]).map(|g| vec![g])),
    }
    order
}

/// A solved class as the writer reads it.
pub(super) struct Cells<'a> {
    table: &'a Table,
    /// By byte.
    meaning: [Cell; 256],
    order: Vec<Vec<usize>>,
}

impl<'a> Cells<'a> {
    pub(super) fn new(game: &Mechanics<'_>, table: &'a Table) -> Self {
        let royal = game.royal.is_some();
        let meaning = std::array::from_fn(|byte| match value::decode(byte as u8) {
            // Illegal: nobody asks.
            Value::Win(0) if royal => Cell::ANY,
            Value::Win(n) => Cell::win(n),
            Value::Draw => Cell::DRAW,
            Value::Loss(n) => Cell::loss(n),
        });
        Cells { table, meaning, order: order(&table.layout) }
    }

    /// The value at a place, whatever its window.
    fn cell(&self, at: usize) -> Cell {
        let values = &self.table.values;
        match self.meaning[usize::from(values.bytes(0)[at])] {
            Cell::DRAW if values.windows() > 1 => {
                Cell::of(values.exact(at, values.windows() - 1)).expect("longer games have been refused")
            }
            cell => cell,
        }
    }

    /// Cell by cell: like pieces that the kernel has split.
    fn fill_split(&self, plane: &Plane, turn: Side, cells: &mut [Cell]) {
        let l = &self.table.layout;
        let mut base = Masks::default();
        for (set, members) in plane.sets.iter().zip(&self.order) {
            let g = &l.groups[members[0]];
            base[g.side][g.ty] |= set;
        }
        let count = |g: usize| self.order[g].iter().map(|&g| l.groups[g].count as u32).sum::<u32>();
        let kind = |g: usize| (l.groups[self.order[g][0]].side, l.groups[self.order[g][0]].ty);
        let column = plane.column_group.expect("a split pair is no leading group");
        let rows = match plane.row_group {
            Some(g) => sets(plane.row_free, count(g)),
            None => vec![0],
        };
        let columns = sets((!0u64).unbounded_shr(64 - plane.column_free.count_ones()), count(column));
        for (row, rank) in rows.into_iter().zip(0..) {
            let free = plane.column_free & !row;
            let within = columns.iter().filter(|&&set| set.unbounded_shr(free.count_ones()) == 0);
            for (&set, at) in within.zip(rank * plane.columns as usize..) {
                let mut m = base;
                if let Some(g) = plane.row_group {
                    m[kind(g).0][kind(g).1] |= row;
                }
                m[kind(column).0][kind(column).1] |= deposit(set, free);
                let (offset, flip) = l.address(&m);
                cells[at] = self.cell(self.table.place(turn.index() ^ usize::from(flip), offset));
            }
        }
    }
}

impl Values for Cells<'_> {
    fn fill(&self, plane: &Plane, turn: Side, cells: &mut [Cell]) {
        let l = &self.table.layout;
        if l.split {
            return self.fill_split(plane, turn, cells);
        }
        let mut sets_of = [0u64; 2 * MAX_TYPES + 1];
        for (set, members) in plane.sets.iter().zip(&self.order) {
            sets_of[members[0]] = *set;
        }
        // A plane fixes what a block fixes, so that it is one, perhaps seen through a map: a cell is at a row's term plus
        // a column's.
        let place = l.place(&sets_of);
        let start = self.table.place(turn.index() ^ usize::from(place.flip), place.base);
        let values = &self.table.values.bytes(0)[start..];
        let one_window = self.table.values.windows() == 1;
        let mut column_term = [0u32; 64];
        for s in crate::retrograde::mechanics::squares(plane.column_free) {
            column_term[s] = l.inner_offset(&place, l.column, 1 << s) as u32;
        }
        let rows: &[u64] = match l.row {
            Some(g) => l.rank_sets(plane.row_free.count_ones() as usize, l.groups[g].count),
            None => &[0],
        };
        for (row, cells) in rows.iter().zip(cells.chunks_mut(plane.columns as usize)) {
            let row = deposit(*row, plane.row_free);
            let term = l.row.map_or(0, |g| l.inner_offset(&place, g, row));
            let columns = crate::retrograde::mechanics::squares(plane.column_free & !row);
            for (cell, s) in cells.iter_mut().zip(columns) {
                let at = term + column_term[s] as usize;
                *cell =
                    if one_window { self.meaning[usize::from(values[at])] } else { self.cell(start + at) };
            }
        }
    }
}
