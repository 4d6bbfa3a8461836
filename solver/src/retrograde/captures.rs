//! The best capture of every position of a block, read from the child classes block by block.
//!
//! With outer and middle pieces fixed, one capture takes (some rows) x (some columns) of the block to one block of the child
//! class, where the offset is a row term plus a column term: find the child's block once, then take minima of shuffled rows.

use super::child::{Captured, Child, ChildTable, Columns, InChild, Lookup, Out, lookup};
use super::game::GameData;
use super::layout::{Group, Layout, Slice};
use super::pieces::{BySide, MAX_TYPES, Pieces, rank, squares_of};
use super::simd::{self, KILL};
use super::solved::SolvedValues;
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::value::Side;

/// Squares from which a piece captures on a square, with the squares that must be empty on the way.
type Origins = Vec<(Square, Bitboard)>;

/// Captures of one class.
pub(crate) struct Captures<'a, const N: usize> {
    game: &'a GameData<'a>,
    layout: &'a Layout,
    /// By the piece that is captured.
    children: BySide<[Option<Child<'a, N>>; MAX_TYPES]>,
    /// `[side][type][target]`.
    origins: BySide<Vec<Vec<Origins>>>,
}

/// A worker's lists.
#[derive(Default)]
pub(crate) struct CaptureBuffers {
    /// The rows of the block: where they begin in the output, and the squares of their pieces.
    all: Vec<(u32, Bitboard)>,
    /// The rows that a capture concerns, with the pieces after it.
    rows: Vec<(u32, Bitboard)>,
    pairs: Vec<(u32, u32)>,
    /// The fixed pieces of the block.
    fixed: Vec<(Side, usize, Square)>,
}

/// The block whose captures are looked up.
struct Visit<'b> {
    turn: Side,
    /// The squares of the fixed pieces, and of those of the side to move.
    occupied: Bitboard,
    own: Bitboard,
    fixed: Pieces,
    row: Option<&'b Group>,
    column: &'b Group,
}

/// A capture in some rows and columns of a block.
struct Capture<'f> {
    /// The type of the captured piece, and its role in the block.
    victim: usize,
    captured: Captured,
    /// The fixed pieces after it.
    fixed: &'f Pieces,
    columns: Columns,
}

impl<'a, const N: usize> Captures<'a, N> {
    /// Finds the children of a class and the roles of its pieces there.
    ///
    /// # Panics
    /// If a child has not been solved.
    pub(crate) fn new(solved: SolvedValues<'a>, layout: &'a Layout) -> Self {
        let game = solved.game;
        let child = |side: Side, kind: usize| {
            if layout.class.0[side][kind] == 0 || game.royal == Some(kind) {
                return None;
            }
            let class = layout.class.without(side, kind);
            if game.terminal(class) {
                return Some(Child::Over);
            }
            let view = solved.view(class);
            let lookups =
                [Captured::Fixed, Captured::Row, Captured::Column].map(|x| lookup(layout, &view, x));
            let symmetries = view.table.layout.symmetries.iter();
            let squares = symmetries.map(|symmetry| {
                std::array::from_fn(|q| match &view.swap {
                    _ if q >= game.squares => KILL,
                    Some(swap) => symmetry.squares[usize::from(swap.squares[q])],
                    None => symmetry.squares[q],
                })
            });
            let squares = squares.collect();
            Some(Child::Table(ChildTable { view, lookups, squares }))
        };
        let origins = |side| {
            let by_target = |kind: &super::kind::Kind| {
                let mut list = vec![vec![]; game.squares];
                for from in kind.allowed {
                    for step in &kind.capture[from.index()] {
                        list[step.to.index()].push((from, step.path));
                    }
                }
                list
            };
            game.kinds[side].iter().map(by_target).collect()
        };
        let children = BySide::from_fn(|side| std::array::from_fn(|kind| child(side, kind)));
        Captures { game, layout, children, origins: BySide::from_fn(origins) }
    }

    /// Lowers `out` (rows of `N` bytes, 255 at first) to the least value, for the opponent, that a capture leads to.
    pub(crate) fn block(
        &self,
        slice: &Slice,
        b: usize,
        turn: Side,
        buffers: &mut CaptureBuffers,
        out: &mut [u8],
    ) {
        let layout = self.layout;
        let fixed = layout.fixed(slice, b);
        let occupied = slice.blocks[b].occupied;
        let visit = Visit {
            turn,
            occupied,
            own: fixed.occupied_by(turn),
            fixed,
            row: layout.row.map(|g| &layout.groups[g]),
            column: &layout.groups[layout.column],
        };
        let mut pieces = std::mem::take(&mut buffers.fixed);
        pieces.clear();
        for side in Side::BOTH {
            for (kind, &set) in fixed[side].iter().enumerate() {
                pieces.extend(set.into_iter().map(|s| (side, kind, s)));
            }
        }
        buffers.list_rows::<N>(layout, occupied);
        let out = &mut Out { cells: out, columns: layout.column_squares(occupied) };
        self.fixed_pieces_capture(&visit, &pieces, buffers, out);
        if visit.row.is_some_and(|row| row.side == turn) {
            self.row_pieces_capture(&visit, &pieces, buffers, out);
        }
        if visit.column.side == turn {
            self.column_piece_captures(&visit, &pieces, buffers, out);
        }
        buffers.fixed = pieces;
    }

    /// Outer and middle pieces capture: fixed pieces, row pieces and the column piece.
    #[inline(always)]
    fn fixed_pieces_capture(
        &self,
        v: &Visit<'_>,
        pieces: &[(Side, usize, Square)],
        buffers: &mut CaptureBuffers,
        out: &mut Out<'_>,
    ) {
        for &(side, kind, from) in pieces {
            if side != v.turn {
                continue;
            }
            for step in &self.game.kinds[side][kind].capture[from.index()] {
                let (to, path) = (step.to, step.path);
                if (path & v.occupied).any() || v.own.has(to) {
                    continue;
                }
                let mut fixed = v.fixed;
                fixed[side][kind] ^= from.bit() | to.bit();
                let clear = Columns::staying(out.columns & !path);
                if v.occupied.has(to) {
                    let victim = pieces.iter().find(|p| p.2 == to).map_or(0, |p| p.1);
                    fixed[!side][victim] ^= to.bit();
                    buffers.select(|rows| (rows & path).is_empty(), Bitboard::EMPTY);
                    let captured = Captured::Fixed;
                    self.look_up(
                        v.turn,
                        &Capture { victim, captured, fixed: &fixed, columns: clear },
                        buffers,
                        out,
                    );
                    continue;
                }
                if let Some(row) = v.row
                    && row.side != side
                    && row.allowed.has(to)
                {
                    if row.count == 1 {
                        let r = rank(to.bit(), row.allowed & !v.occupied) as usize * N;
                        buffers.rows.clear();
                        buffers.rows.push((r as u32, Bitboard::EMPTY));
                    } else {
                        buffers.select(|rows| rows.has(to) && (rows & path).is_empty(), to.bit());
                    }
                    let (victim, captured) = (row.kind, Captured::Row);
                    self.look_up(
                        v.turn,
                        &Capture { victim, captured, fixed: &fixed, columns: clear },
                        buffers,
                        out,
                    );
                }
                if v.column.side != side && v.column.allowed.has(to) {
                    buffers.select(|rows| (rows & (path | to.bit())).is_empty(), Bitboard::EMPTY);
                    let (victim, captured) = (v.column.kind, Captured::Column);
                    let columns = Columns::staying(to.bit());
                    self.look_up(v.turn, &Capture { victim, captured, fixed: &fixed, columns }, buffers, out);
                }
            }
        }
    }

    /// Row pieces capture: fixed pieces, and the column piece.
    #[inline(always)]
    fn row_pieces_capture(
        &self,
        v: &Visit<'_>,
        pieces: &[(Side, usize, Square)],
        buffers: &mut CaptureBuffers,
        out: &mut Out<'_>,
    ) {
        let row = v.row.expect("rows");
        for &(side, victim, to) in pieces {
            if side == v.turn {
                continue;
            }
            let mut fixed = v.fixed;
            fixed[side][victim] ^= to.bit();
            let capture = |columns| Capture { victim, captured: Captured::Fixed, fixed: &fixed, columns };
            // Leaps from all squares at once; other steps one by one, without the columns on their paths.
            let mut leaps = std::mem::take(&mut buffers.rows);
            leaps.clear();
            for &(from, path) in &self.origins[v.turn][row.kind][to.index()] {
                if ((path | from.bit()) & v.occupied).any() {
                    continue;
                }
                let hits = buffers.all.iter().filter(|r| r.1.has(from) && (r.1 & path).is_empty());
                let hits = hits.map(|r| (r.0, r.1 ^ (from.bit() | to.bit())));
                if path.is_empty() {
                    leaps.extend(hits);
                } else {
                    buffers.rows = hits.collect();
                    self.look_up(v.turn, &capture(Columns::staying(out.columns & !path)), buffers, out);
                }
            }
            buffers.rows = leaps;
            self.look_up(v.turn, &capture(Columns::staying(out.columns)), buffers, out);
        }
        if v.column.side != v.turn {
            self.row_captures_column(v, buffers, out);
        }
    }

    /// The column piece captures: fixed pieces, and row pieces.
    #[inline(always)]
    fn column_piece_captures(
        &self,
        v: &Visit<'_>,
        pieces: &[(Side, usize, Square)],
        buffers: &mut CaptureBuffers,
        out: &mut Out<'_>,
    ) {
        for &(side, victim, to) in pieces {
            if side == v.turn {
                continue;
            }
            let mut fixed = v.fixed;
            fixed[side][victim] ^= to.bit();
            let capture = |from| {
                let columns = Columns { from, to: Some(to) };
                Capture { victim, captured: Captured::Fixed, fixed: &fixed, columns }
            };
            // Leaps from all squares at once; other steps one by one, without the rows on their paths.
            let mut leaps = Bitboard::EMPTY;
            for &(from, path) in &self.origins[v.turn][v.column.kind][to.index()] {
                if ((path | from.bit()) & v.occupied).any() {
                    continue;
                }
                if path.is_empty() {
                    leaps |= from.bit();
                } else {
                    buffers.select(|rows| (rows & path).is_empty(), Bitboard::EMPTY);
                    self.look_up(v.turn, &capture(out.columns & from.bit()), buffers, out);
                }
            }
            let leaps = leaps & out.columns;
            if leaps.any() {
                buffers.select(|_| true, Bitboard::EMPTY);
                self.look_up(v.turn, &capture(leaps), buffers, out);
            }
        }
        if v.row.is_some_and(|row| row.side != v.turn) {
            self.column_captures_row(v, buffers, out);
        }
    }

    /// Row pieces capture the column piece: the child has the row pieces with one on the target, from wherever it came.
    fn row_captures_column(&self, v: &Visit<'_>, buffers: &mut CaptureBuffers, out: &mut Out<'_>) {
        let row = v.row.expect("rows");
        let all = std::mem::take(&mut buffers.all);
        // Where all these captures lead to one block, it is found once.
        let block = match &self.children[!v.turn][v.column.kind] {
            Some(Child::Table(table)) => match table.lookups[Captured::Column as usize] {
                Lookup::Terms(role @ (InChild::Inner(_) | InChild::SplitPair), _) => {
                    Some((table.block(Captured::Column, !v.turn, &v.fixed), role))
                }
                _ => None,
            },
            _ => None,
        };
        let columns = simd::ranks::<N>(out.columns);
        for &(offset, rows) in &all {
            for from in rows {
                for step in &self.game.kinds[v.turn][row.kind].capture[from.index()] {
                    let to = step.to;
                    if !out.columns.has(to) || (step.path & (v.occupied | rows) | rows & to.bit()).any() {
                        continue;
                    }
                    let after = rows ^ (from.bit() | to.bit());
                    if let Some((block, role)) = &block {
                        let value = block.values[block.row_term(*role, after) as usize];
                        let cell =
                            &mut out.cells[offset as usize + usize::from(columns[to.index() & (N - 1)])];
                        *cell = value.min(*cell);
                        continue;
                    }
                    buffers.rows.clear();
                    buffers.rows.push((offset, after));
                    let (victim, captured) = (v.column.kind, Captured::Column);
                    let columns = Columns::staying(to.bit());
                    self.look_up(
                        v.turn,
                        &Capture { victim, captured, fixed: &v.fixed, columns },
                        buffers,
                        out,
                    );
                }
            }
        }
        buffers.all = all;
    }

    /// The column piece captures a row piece: the child has the column piece on the target, from wherever it came.
    fn column_captures_row(&self, v: &Visit<'_>, buffers: &mut CaptureBuffers, out: &mut Out<'_>) {
        let row = v.row.expect("rows");
        let all = std::mem::take(&mut buffers.all);
        for &(offset, rows) in &all {
            let taken = v.occupied | rows;
            for to in rows {
                let mut from = Bitboard::EMPTY;
                for &(origin, path) in &self.origins[v.turn][v.column.kind][to.index()] {
                    if (path & taken).is_empty() && !taken.has(origin) && out.columns.has(origin) {
                        from |= origin.bit();
                    }
                }
                if from.any() {
                    buffers.rows.clear();
                    buffers.rows.push((offset, rows ^ to.bit()));
                    let (victim, captured) = (row.kind, Captured::Row);
                    let columns = Columns { from, to: Some(to) };
                    self.look_up(
                        v.turn,
                        &Capture { victim, captured, fixed: &v.fixed, columns },
                        buffers,
                        out,
                    );
                }
            }
        }
        buffers.all = all;
    }

    /// Lowers the cells of a capture, in the selected rows and its columns, to the child's values.
    fn look_up(&self, turn: Side, capture: &Capture<'_>, buffers: &mut CaptureBuffers, out: &mut Out<'_>) {
        let &Capture { victim, captured, fixed, columns } = capture;
        // A royal piece is never captured: the position before is illegal.
        if buffers.rows.is_empty() || columns.from.is_empty() || self.game.royal == Some(victim) {
            return;
        }
        let foe = !turn;
        let CaptureBuffers { rows, pairs, .. } = buffers;
        let table = match self.children[foe][victim].as_ref().expect("the class has the captured piece") {
            Child::Over => return self.each(rows, capture, out, |m| self.game.over(m, foe)),
            Child::Table(table) => table,
        };
        match table.lookups[captured as usize] {
            Lookup::Each | Lookup::Terms(InChild::Fixed, InChild::Fixed) => {
                self.each(rows, capture, out, |m| table.view.get(m, foe));
            }
            Lookup::Pair => self.pair(table, foe, rows, capture, out),
            // A block for each row.
            Lookup::Terms(InChild::Fixed, _) => {
                let group = &self.layout.groups[self.layout.row.expect("rows")];
                for &(offset, row) in rows.iter() {
                    if (fixed.occupied() & row).is_empty() {
                        let mut m = *fixed;
                        m[group.side][group.kind] |= row;
                        let block = table.block(captured, foe, &m);
                        // A column on a row piece is not a position and has no place there.
                        let clash = if captured == Captured::Column { Bitboard::EMPTY } else { row };
                        let columns = Columns { from: columns.from & !clash, ..columns };
                        block.lower(&[(offset, 0)], columns, captured, out);
                    }
                }
            }
            // A block for each column.
            Lookup::Terms(role, InChild::Fixed) => {
                let group = &self.layout.groups[self.layout.column];
                for from in columns.from {
                    let to = columns.to.unwrap_or(from);
                    // The captor may have taken a row piece there: no position.
                    if fixed.occupied().has(to) {
                        continue;
                    }
                    let mut m = *fixed;
                    m[group.side][group.kind] |= to.bit();
                    let block = table.block(captured, foe, &m);
                    for &(offset, row) in rows.iter() {
                        if !row.has(to) {
                            out.lower(offset, from, block.values[block.row_term(role, row) as usize]);
                        }
                    }
                }
            }
            // One block for all.
            Lookup::Terms(role, _) => {
                let block = table.block(captured, foe, fixed);
                pairs.clear();
                if role == InChild::Gone {
                    pairs.extend(rows.iter().map(|r| (r.0, 0)));
                } else if let InChild::Inner(_) = role
                    && rows[0].1.is_single()
                {
                    let (ranks, unit) = (&block.row, block.row_unit);
                    let term = |row: Bitboard| u32::from(ranks[row.first().index() & (N - 1)]) * unit;
                    pairs.extend(rows.iter().map(|r| (r.0, term(r.1))));
                } else {
                    pairs.extend(rows.iter().map(|r| (r.0, block.row_term(role, r.1))));
                }
                block.lower(pairs, columns, captured, out);
            }
        }
    }

    /// Row and column piece are a pair there: found by the smaller and the larger of two ranks.
    fn pair(
        &self,
        table: &ChildTable<'a, N>,
        foe: Side,
        rows: &[(u32, Bitboard)],
        capture: &Capture<'_>,
        out: &mut Out<'_>,
    ) {
        let block = table.block(capture.captured, foe, capture.fixed);
        let layout = &table.view.table.layout;
        let symmetry = block.place.symmetry as usize;
        let group = layout.image[symmetry][layout.row.expect("rows")];
        let ranks = simd::ranks::<N>(layout.groups[group].allowed & !block.place.occupied);
        let ranks = simd::lookup(&ranks, &table.squares[symmetry]);
        for &(offset, row) in rows {
            let i = usize::from(ranks[row.first().index() & (N - 1)]);
            for from in capture.columns.from {
                let to = capture.columns.to.unwrap_or(from);
                let j = usize::from(ranks[to.index() & (N - 1)]);
                if i != j {
                    let (low, high) = (i.min(j), i.max(j));
                    let at = (high * (high - 1) / 2 + low) * block.place.columns;
                    out.lower(offset, from, block.values[at]);
                }
            }
        }
    }

    /// One position after the other.
    fn each(
        &self,
        rows: &[(u32, Bitboard)],
        capture: &Capture<'_>,
        out: &mut Out<'_>,
        value: impl Fn(&Pieces) -> u8,
    ) {
        let layout = self.layout;
        let column = &layout.groups[layout.column];
        let occupied = capture.fixed.occupied();
        for &(offset, row) in rows {
            for from in capture.columns.from {
                let to = match capture.captured {
                    Captured::Column => Bitboard::EMPTY,
                    _ => capture.columns.to.unwrap_or(from).bit(),
                };
                if (row & to | (row | to) & occupied).any() {
                    continue;
                }
                let mut m = *capture.fixed;
                if let Some(g) = layout.row {
                    m[layout.groups[g].side][layout.groups[g].kind] |= row;
                }
                m[column.side][column.kind] |= to;
                out.lower(offset, from, value(&m));
            }
        }
    }
}

impl CaptureBuffers {
    /// Lists the rows of a block whose fixed pieces are on `occupied`, in rows of `N` bytes.
    #[inline(always)]
    fn list_rows<const N: usize>(&mut self, layout: &Layout, occupied: Bitboard) {
        self.all.clear();
        let row_squares = layout.row_squares(occupied);
        let offset = |r: usize| (r * N) as u32;
        match row_squares {
            (free, 1) => self.all.extend(free.into_iter().enumerate().map(|(r, s)| (offset(r), s.bit()))),
            (free, _) => {
                let rows = layout.rank_sets(row_squares).iter().enumerate();
                self.all.extend(rows.map(|(r, &ranks)| (offset(r), squares_of(ranks, free))));
            }
        }
    }

    /// Selects rows, with the squares `flip` taken off.
    #[inline(always)]
    fn select(&mut self, keep: impl Fn(Bitboard) -> bool, flip: Bitboard) {
        self.rows.clear();
        self.rows.extend(self.all.iter().filter(|r| keep(r.1)).map(|r| (r.0, r.1 ^ flip)));
    }
}
