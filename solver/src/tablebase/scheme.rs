//! How the file format lays out a class, and how its cells are read from the kernel's.

use crate::retrograde::game::GameData;
use crate::retrograde::layout::Layout;
use crate::retrograde::pieces::{MAX_TYPES, Pieces, squares_of, swapped_if};
use crate::retrograde::solved::Table;
use crate::retrograde::value;
use jewel_engine::bitboard::Bitboard;
use jewel_engine::value::{Side, Value};
use jewel_tables::combination::sets;
use jewel_tables::index::Plane;
use jewel_tables::scheme::{Group, Map, Scheme};
use jewel_tables::value::Cell;
use jewel_tables::writer::Values;

/// The layout of a class in its file: outer groups leading, since the symmetries act on slices, then middle groups, then rows
/// and columns, since single pieces in the end compress best.
pub(super) fn scheme(game: &GameData<'_>, layout: &Layout) -> Scheme {
    let order = order(layout);
    let groups = order.iter().map(|members| {
        let g = &layout.groups[members[0]];
        Group {
            side: g.side,
            letter: game.rules.pieces[g.kind].letter as u8,
            count: members.iter().map(|&g| layout.groups[g].count as u8).sum(),
            allowed: g.allowed.0,
        }
    });
    // A class that is its own exchange of sides but is not laid out so does without: it has the positions of either side.
    let exchange = layout.class != layout.class.swapped() || layout.symmetries.iter().any(|s| s.swap);
    let maps = game.symmetries.of(layout.class).filter(|s| exchange || !s.swap);
    Scheme {
        width: game.rules.geometry.width(),
        height: game.rules.geometry.height(),
        groups: groups.collect(),
        leading: layout.outer.len(),
        symmetries: maps.map(|s| Map { exchange: s.swap, squares: s.squares.clone() }).collect(),
    }
}

/// The kernel's groups that make each group of the file, in its order: two where like pieces are split.
fn order(layout: &Layout) -> Vec<Vec<usize>> {
    let mut order: Vec<Vec<usize>> =
        layout.outer.iter().chain(layout.middle.iter().rev()).map(|&g| vec![g]).collect();
    match layout.row {
        Some(row) if layout.split => order.push(vec![layout.column, row]),
        row => order.extend(row.into_iter().chain([layout.column]).map(|g| vec![g])),
    }
    order
}

/// A solved class as the writer reads it.
pub(super) struct Cells<'a> {
    table: &'a Table,
    /// The cell of each value byte.
    meaning: [Cell; 256],
    order: Vec<Vec<usize>>,
}

impl<'a> Cells<'a> {
    pub(super) fn new(game: &GameData<'_>, table: &'a Table) -> Self {
        let royal = game.royal.is_some();
        let meaning = std::array::from_fn(|byte| match value::decode(byte as u8) {
            // Illegal: never looked up.
            Value::Win(0) if royal => Cell::ANY,
            Value::Win(n) => Cell::win(n),
            Value::Draw => Cell::DRAW,
            Value::Loss(n) => Cell::loss(n),
        });
        Cells { table, meaning, order: order(&table.layout) }
    }

    /// The value at a place, from all windows.
    fn cell(&self, at: usize) -> Cell {
        let values = &self.table.values;
        match self.meaning[usize::from(values.bytes(0)[at])] {
            Cell::DRAW if values.windows() > 1 => Cell::from_value(values.exact(at, values.windows() - 1))
                .expect("longer games have been refused"),
            cell => cell,
        }
    }

    /// Fills a plane of a class with split like pieces, cell by cell.
    fn fill_split(&self, plane: &Plane, turn: Side, cells: &mut [Cell]) {
        let layout = &self.table.layout;
        let group = |g: usize| &layout.groups[self.order[g][0]];
        let mut fixed = Pieces::default();
        for (g, &set) in plane.sets.iter().enumerate() {
            fixed[group(g).side][group(g).kind] |= Bitboard(set);
        }
        let count = |g: usize| self.order[g].iter().map(|&g| layout.groups[g].count as u32).sum::<u32>();
        let column = plane.column_group.expect("a split pair is not a leading group");
        let rows = match plane.row_group {
            Some(g) => sets(plane.row_free, count(g)),
            None => vec![0],
        };
        let columns = sets((!0u64).unbounded_shr(64 - plane.column_free.count_ones()), count(column));
        for (row, rank) in rows.into_iter().zip(0..) {
            let free = plane.column_free & !row;
            let within = columns.iter().filter(|&&set| set.unbounded_shr(free.count_ones()) == 0);
            for (&set, at) in within.zip(rank * plane.columns as usize..) {
                let mut m = fixed;
                if let Some(g) = plane.row_group {
                    m[group(g).side][group(g).kind] |= Bitboard(row);
                }
                m[group(column).side][group(column).kind] |= squares_of(set, Bitboard(free));
                let (offset, swap) = layout.address(&m);
                cells[at] = self.cell(self.table.place(swapped_if(swap, turn), offset));
            }
        }
    }
}

impl Values for Cells<'_> {
    fn fill(&self, plane: &Plane, turn: Side, cells: &mut [Cell]) {
        let layout = &self.table.layout;
        if layout.split {
            return self.fill_split(plane, turn, cells);
        }
        let mut sets_of = [Bitboard::EMPTY; 2 * MAX_TYPES + 1];
        for (set, members) in plane.sets.iter().zip(&self.order) {
            sets_of[members[0]] = Bitboard(*set);
        }
        // A plane fixes the same groups as a block, so that it is one, perhaps as a symmetry shows it: the offset of a cell
        // is a row's term plus a column's.
        let place = layout.place(&sets_of);
        let start = self.table.place(swapped_if(place.swap, turn), place.base);
        let values = &self.table.values.bytes(0)[start..];
        let one_window = self.table.values.windows() == 1;
        let mut column_term = [0u32; 64];
        for s in Bitboard(plane.column_free) {
            column_term[s.index()] = layout.inner_offset(&place, layout.column, s.bit()) as u32;
        }
        let row_free = Bitboard(plane.row_free);
        let rows = match layout.row {
            Some(g) => layout.rank_sets((row_free, layout.groups[g].count)),
            None => &[0],
        };
        for (row, cells) in rows.iter().zip(cells.chunks_mut(plane.columns as usize)) {
            let row = squares_of(*row, row_free);
            let term = layout.row.map_or(0, |g| layout.inner_offset(&place, g, row));
            for (cell, s) in cells.iter_mut().zip(Bitboard(plane.column_free) & !row) {
                let at = term + column_term[s.index()] as usize;
                *cell =
                    if one_window { self.meaning[usize::from(values[at])] } else { self.cell(start + at) };
            }
        }
    }
}
