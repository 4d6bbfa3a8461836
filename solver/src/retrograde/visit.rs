//! One visit of a block: its values are computed anew from the blocks that quiet moves lead to.
//!
//! [`Visitor::gather`] takes, for every cell of the block, the least value after a quiet move of the side to move, in five
//! steps: moves of the middle pieces (to another block of the slice), of the outer pieces (to a block of another slice), of
//! the row pieces (from row to row of the block), of the column piece (within each row), and double steps that may be
//! answered *en passant*. Each step reads rows of values, shuffles them by a row of ranks (`idx`: for each column here the
//! column there, [`KILL`] if the move is barred) and lowers the rows of `best` to them.

use super::double_steps::DoubleStep;
use super::layout::{Layout, NONE, Slice};
use super::moves::{Moves, OuterMove, by_square};
use super::pieces::{rank, rank_of, ranks_in, squares_of};
use super::simd::{self, KILL, Row};
use super::slice_state::{SliceState, steps_of_block};
use super::value::{ILLEGAL, NOTHING, first_value};
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::value::Side;
use jewel_tables::combination;

/// Visits the blocks of a class.
pub(crate) struct Visitor<'a, const N: usize> {
    pub(crate) layout: &'a Layout,
    pub(crate) moves: &'a Moves,
    /// By symmetry: square to square, as look-up tables.
    symmetries: Vec<Row<N>>,
}

/// A worker's lists.
#[derive(Default)]
pub(crate) struct VisitBuffers {
    /// Least values so far, rows of `N` bytes.
    best: Vec<u8>,
    dense: Vec<u8>,
    /// Rows to read from and to lower: offset in `best`, offset in what is read.
    pairs: Vec<(u32, u32)>,
    /// The columns that each of these bars.
    barred: Vec<u64>,
    middle: Vec<MiddleMove>,
    /// The block that an outer move leads to, and its number in [`SliceMoves::outer`](super::moves::SliceMoves::outer).
    outer: Vec<(u32, u16)>,
}

/// A move of a middle piece: the block that it leads to, and the squares concerned.
#[derive(Clone, Copy)]
struct MiddleMove {
    block: u32,
    from: Square,
    to: Square,
    path: Bitboard,
    /// See [`super::moves::GroupMove::guard`].
    guard: Bitboard,
}

/// The block that is visited.
#[derive(Clone, Copy)]
struct Block<'v> {
    slice: &'v Slice,
    /// Its number in the slice.
    b: usize,
    turn: Side,
    /// The squares of the fixed pieces.
    occupied: Bitboard,
    /// The squares of the row pieces, and how many they are.
    row_squares: (Bitboard, usize),
    rows: usize,
    column_squares: Bitboard,
    columns: u32,
    enemies: Enemies,
}

/// Where enemies that capture *en passant* may stand: the squares of the fixed ones, and all squares or none for the row
/// pieces and the column piece.
#[derive(Clone, Copy, Default)]
struct Enemies {
    fixed: Bitboard,
    row: Bitboard,
    column: Bitboard,
}

/// The slices that a visit may read: those of [`SliceMoves::inputs`](super::moves::SliceMoves::inputs), `None` for the
/// slice that is written.
pub(crate) type Inputs<'h> = [Option<&'h SliceState>];

/// Lower bounds of positions without a legal move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MateBounds {
    /// The royal piece is attacked.
    pub(crate) checkmate: u8,
    /// It is not.
    pub(crate) stalemate: u8,
}

/// What a pass over a slice did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Count {
    /// Blocks recomputed.
    pub(crate) visits: u64,
    /// Blocks whose values changed.
    pub(crate) changes: u64,
}

impl<'a, const N: usize> Visitor<'a, N> {
    /// Prepares the look-up tables.
    pub(crate) fn new(layout: &'a Layout, moves: &'a Moves) -> Self {
        let row = |squares: &[u8]| std::array::from_fn(|i| squares.get(i).map_or(KILL, |&x| x));
        let symmetries = layout.symmetries.iter().map(|symmetry| row(&symmetry.squares)).collect();
        Visitor { layout, moves, symmetries }
    }

    /// Recomputes every block of a slice that can move to a block that has changed since its last visit. Stamps from `clock`
    /// on are used, one for each block.
    pub(crate) fn pass(
        &self,
        slice: usize,
        turn: Side,
        own: &mut SliceState,
        inputs: &Inputs<'_>,
        clock: u32,
        w: &mut VisitBuffers,
    ) -> Count {
        let layout = self.layout;
        let sl = &layout.slices[slice];
        let outer = &self.moves.slices[slice].outer[turn.index()];
        let there = inputs[0].expect("the same slice with the other side to move is another one");
        let mut count = Count::default();
        for b in 0..sl.blocks.len() {
            let last = own.seen[b];
            let occupied = sl.blocks[b].occupied;
            if layout.rows(occupied) * layout.columns(occupied) == 0 {
                // The fixed pieces leave no square to the others: there are no positions.
                continue;
            }
            self.list_moves(sl, b, turn, outer, w);
            let newer = |state: &SliceState, block: u32| state.changed[block as usize] > last;
            let due = last == 0
                || there.changed[b] > last
                || own.arrived_since(b, last)
                || w.middle.iter().any(|m| newer(there, m.block))
                || w.outer.iter().any(|&(to, o)| match inputs[outer[o as usize].input as usize] {
                    Some(input) => newer(input, to),
                    // A move and an exchange of sides may lead back to the block: its last change came after it was read.
                    None => newer(own, to) || to as usize == b && own.changed[b] == last,
                });
            if !due {
                continue;
            }
            own.seen[b] = clock + b as u32;
            count.visits += 1;
            let block = self.block(sl, b, turn);
            self.prefetch(&block, own, inputs, outer, w);
            self.gather(&block, own, inputs, outer, w);
            let at = sl.blocks[b].offset as usize;
            let (bound, value) = (&own.bound[at..], &mut own.value[at..]);
            if simd::settle::<N>(&w.best, block.rows, block.columns as usize, bound, value, &mut w.dense) {
                own.changed[b] = clock + b as u32;
                own.latest = clock + b as u32;
                count.changes += 1;
            }
        }
        count
    }

    #[inline(always)]
    fn block<'v>(&self, slice: &'v Slice, b: usize, turn: Side) -> Block<'v> {
        let layout = self.layout;
        let occupied = slice.blocks[b].occupied;
        let column_squares = layout.column_squares(occupied);
        Block {
            slice,
            b,
            turn,
            occupied,
            row_squares: layout.row_squares(occupied),
            rows: layout.rows(occupied),
            column_squares,
            columns: column_squares.count(),
            enemies: self.enemies(slice, b, turn),
        }
    }

    /// Asks for the blocks that will be read.
    #[inline(always)]
    fn prefetch(
        &self,
        block: &Block<'_>,
        own: &SliceState,
        inputs: &Inputs<'_>,
        outer: &[OuterMove],
        w: &VisitBuffers,
    ) {
        let size = block.rows * block.columns as usize;
        let there = inputs[0].expect("the same slice with the other side to move is another one");
        for m in &w.middle {
            simd::prefetch(&there.value, block.slice.blocks[m.block as usize].offset as usize, size);
        }
        for &(to, o) in &w.outer {
            let o = &outer[o as usize];
            let from = &inputs[o.input as usize].unwrap_or(own).value;
            let blocks = &self.layout.slices[o.slice as usize].blocks;
            simd::prefetch(from, blocks[to as usize].offset as usize, size);
        }
    }

    /// Lists the blocks that moves of middle and outer pieces lead to from a block.
    #[inline(always)]
    fn list_moves(&self, slice: &Slice, b: usize, turn: Side, outer: &[OuterMove], w: &mut VisitBuffers) {
        let layout = self.layout;
        let block = &slice.blocks[b];
        w.middle.clear();
        for (k, &g) in layout.middle.iter().enumerate() {
            if layout.groups[g].side != turn {
                continue;
            }
            let id = usize::from(block.middle[k]);
            let (local, stride) = (&slice.local[k], slice.stride[k]);
            let rest = block.number - u32::from(local[id]) * stride;
            for m in &self.moves.group[g][id] {
                if (m.clear & block.occupied).is_empty() {
                    let number = rest + u32::from(local[m.to_id as usize]) * stride;
                    let block = slice.block_of[number as usize];
                    w.middle.push(MiddleMove { block, from: m.from, to: m.to, path: m.path, guard: m.guard });
                }
            }
        }
        w.outer.clear();
        for (k, o) in outer.iter().enumerate() {
            let to = o.block(layout, slice, b);
            if to != NONE {
                w.outer.push((to, k as u16));
            }
        }
    }

    /// In games with a royal piece: finds the positions of a slice without a legal move, and gives them the result of a
    /// checkmate or a stalemate. Blocks with such positions get the stamp `clock`.
    ///
    /// A move is illegal if it leads where the opponent would capture the royal piece. Such a position, and no other, has the
    /// value [`ILLEGAL`], so that a position has no legal move if every quiet move and every capture leads to it. It is a
    /// checkmate if the same position with the other side to move is illegal too.
    pub(crate) fn find_mates(
        &self,
        slice: usize,
        turn: Side,
        own: &mut SliceState,
        inputs: &Inputs<'_>,
        (bounds, clock): (MateBounds, u32),
        w: &mut VisitBuffers,
    ) {
        let sl = &self.layout.slices[slice];
        let outer = &self.moves.slices[slice].outer[turn.index()];
        let there = inputs[0].expect("the same slice with the other side to move is another one");
        for b in 0..sl.blocks.len() {
            let block = self.block(sl, b, turn);
            if block.rows * block.columns as usize == 0 {
                // As in `pass`: there are no positions.
                continue;
            }
            self.list_moves(sl, b, turn, outer, w);
            self.gather(&block, own, inputs, outer, w);
            for r in 0..block.rows {
                for c in 0..block.columns as usize {
                    let at = sl.blocks[b].offset as usize + r * block.columns as usize + c;
                    let stuck = w.best[r * N + c] == ILLEGAL && own.bound[at] == NOTHING;
                    if stuck && own.value[at] != ILLEGAL {
                        let attacked = there.value[at] == ILLEGAL;
                        own.bound[at] = if attacked { bounds.checkmate } else { bounds.stalemate };
                        own.value[at] = first_value(own.bound[at]);
                        (own.changed[b], own.latest) = (clock, clock);
                    }
                }
            }
        }
    }

    /// Fills `w.best` with the least value after a quiet move.
    #[inline(always)]
    fn gather(
        &self,
        block: &Block<'_>,
        own: &SliceState,
        inputs: &Inputs<'_>,
        outer: &[OuterMove],
        w: &mut VisitBuffers,
    ) {
        let there = inputs[0].expect("the same slice with the other side to move is another one");
        w.best.clear();
        w.best.resize(block.rows * N, 255);
        self.middle_moves(block, &there.value, w);
        self.outer_moves(block, own, inputs, outer, w);
        self.minima(block, own, w);
        let here = &there.value[block.slice.blocks[block.b].offset as usize..];
        if self.layout.row.is_some_and(|g| self.layout.groups[g].side == block.turn) {
            self.row_moves(block, here, w);
        }
        if self.layout.groups[self.layout.column].side == block.turn {
            self.column_moves(block, here, w);
        }
        double_steps(own.double_steps(block.b), own, inputs, &mut w.best);
    }

    /// Of a slice of another rank with one side to move: finds the least value after any of the outer moves into slices that
    /// are kept here, block by block. Calls `found` with each block for which there are such moves and one of the blocks that
    /// they lead to has changed since `since`: its number, how many of the moves lead to such blocks, and the values, dense
    /// rows.
    pub(crate) fn lend(
        &self,
        slice: usize,
        turn: Side,
        (inputs, steps): (&Inputs<'_>, &[DoubleStep]),
        since: u32,
        w: &mut VisitBuffers,
        mut found: impl FnMut(u32, usize, &[u8]),
    ) {
        let sl = &self.layout.slices[slice];
        let outer = &self.moves.slices[slice].outer[turn.index()];
        // The slice itself is another rank's, so that it is none of the inputs.
        let Some(&any) = inputs.iter().flatten().next() else { return };
        for b in 0..sl.blocks.len() {
            let block = self.block(sl, b, turn);
            let columns = block.columns as usize;
            if block.rows * columns == 0 {
                continue;
            }
            self.list_moves(sl, b, turn, outer, w);
            let newer = |&(to, o): &(u32, u16)| {
                let input = inputs[outer[o as usize].input as usize].unwrap_or(any);
                input.changed[to as usize] > since
            };
            let news = w.outer.iter().filter(|&x| newer(x)).count();
            if news == 0 {
                continue;
            }
            w.best.clear();
            w.best.resize(block.rows * N, 255);
            self.outer_moves(&block, any, inputs, outer, w);
            double_steps(steps_of_block(steps, b), any, inputs, &mut w.best);
            w.dense.clear();
            for row in w.best.chunks_exact(N) {
                w.dense.extend_from_slice(&row[..columns]);
            }
            found(b as u32, news, &w.dense);
        }
    }

    /// What other ranks have found with [`lend`](Visitor::lend).
    #[inline(always)]
    fn minima(&self, block: &Block<'_>, own: &SliceState, w: &mut VisitBuffers) {
        if own.minima.is_empty() {
            return;
        }
        w.pairs.clear();
        w.pairs.extend((0..block.rows as u32).map(|r| (r * N as u32, r * block.columns)));
        for minima in &own.minima {
            let values = &minima.value[block.slice.blocks[block.b].offset as usize..];
            simd::fold_straight::<N>(&mut w.best, values, &w.pairs);
        }
    }

    /// Middle pieces move to another block of the slice: a square joins the rows and columns, another leaves them.
    #[inline(always)]
    fn middle_moves(&self, block: &Block<'_>, values: &[u8], w: &mut VisitBuffers) {
        let layout = self.layout;
        let (free, enemies) = (block.column_squares, block.enemies);
        let (row_free, count) = block.row_squares;
        let row_allowed = layout.row.map_or(Bitboard::EMPTY, |g| layout.groups[g].allowed);
        for m in &w.middle {
            if (m.guard & enemies.fixed).any() {
                continue;
            }
            let mut idx = slid::<N>(free, layout.groups[layout.column].allowed, m);
            let mut single = slid::<N>(row_free, row_allowed, m);
            if m.path.any() {
                bar(&mut idx, ranks_in(m.path & free, free));
                bar(&mut single, ranks_in(m.path & row_free, row_free));
                bar(&mut idx, ranks_in(m.guard & free & enemies.column, free));
                bar(&mut single, ranks_in(m.guard & row_free & enemies.row, row_free));
            }
            let to = &block.slice.blocks[m.block as usize];
            let values = &values[to.offset as usize..];
            let columns = layout.columns(to.occupied);
            if count == 1 {
                simd::fold_single::<N>(&mut w.best, values, &single[..block.rows], columns, &idx);
            } else {
                row_pairs::<N>(layout, block, &single, columns as u32, &mut w.pairs);
                simd::fold::<N>(&mut w.best, values, &w.pairs, &idx);
            }
        }
    }

    /// Outer pieces move to a block of another slice, as a symmetry shows it.
    #[inline(always)]
    fn outer_moves(
        &self,
        block: &Block<'_>,
        own: &SliceState,
        inputs: &Inputs<'_>,
        outer: &[OuterMove],
        w: &mut VisitBuffers,
    ) {
        let layout = self.layout;
        let (free, enemies) = (block.column_squares, block.enemies);
        let (row_free, count) = block.row_squares;
        let columns = simd::members::<N>(free);
        let rows = simd::members::<N>(row_free);
        for &(to, o) in &w.outer {
            let o = &outer[o as usize];
            if (o.guard & enemies.fixed).any() {
                continue;
            }
            let there = &layout.slices[o.slice as usize].blocks[to as usize];
            let s = o.symmetry as usize;
            let values = &inputs[o.input as usize].unwrap_or(own).value[there.offset as usize..];
            let squares = &self.symmetries[s];
            // By square here: the rank there among the squares of what a group becomes.
            let ranks = |g: usize| {
                let group = &layout.groups[layout.image[s][g]];
                simd::lookup(&simd::ranks::<N>(group.allowed & !there.occupied), squares)
            };
            let open = !o.clear;
            let to_columns = layout.columns(there.occupied) as u32;
            let mut idx = simd::lookup(&ranks(layout.column), &columns);
            if (o.clear & layout.groups[layout.column].allowed).any() {
                bar(&mut idx, ranks_in(!open & free, free));
            }
            bar(&mut idx, ranks_in(o.guard & free & enemies.column, free));
            let mut single = [KILL; N];
            if let Some(g) = layout.row {
                single = simd::lookup(&ranks(g), &rows);
                bar(&mut single, ranks_in(!open & row_free, row_free));
                bar(&mut single, ranks_in(o.guard & row_free & enemies.row, row_free));
            }
            if layout.symmetries[s].swap {
                fold_transposed::<N>(block, values, to_columns, &idx, &single, &mut w.best, &mut w.pairs);
            } else if count == 1 {
                simd::fold_single::<N>(&mut w.best, values, &single[..block.rows], to_columns as usize, &idx);
            } else {
                row_pairs::<N>(layout, block, &single, to_columns, &mut w.pairs);
                simd::fold::<N>(&mut w.best, values, &w.pairs, &idx);
            }
        }
    }

    /// Row pieces move: from row to row of the same block.
    fn row_moves(&self, block: &Block<'_>, here: &[u8], w: &mut VisitBuffers) {
        let layout = self.layout;
        let (free, columns, enemies) = (block.column_squares, block.columns, block.enemies);
        let (row_free, count) = block.row_squares;
        let ranks = simd::ranks::<N>(row_free);
        for shift in &self.moves.row {
            let open = shift.open(!block.occupied);
            let open = open & !shift.answered(open, enemies.fixed);
            w.pairs.clear();
            if count == 1 {
                for from in open & row_free {
                    let to = ranks[usize::from(shift.to[from.index()])];
                    w.pairs.push((u32::from(ranks[from.index()]) * N as u32, u32::from(to) * columns));
                }
            } else if count == 2 {
                let (mut targets, mut ways) = ([KILL; N], [0; N]);
                for from in open & row_free {
                    let rank = usize::from(ranks[from.index()]) & (N - 1);
                    targets[rank] = ranks[usize::from(shift.to[from.index()])];
                    ways[rank] = ranks_in(shift.way(from) & row_free, row_free);
                }
                shifted_pairs(&targets, &ways, row_free.count() as usize, columns, &mut w.pairs);
            } else {
                for (r, &set) in layout.rank_sets(block.row_squares).iter().enumerate() {
                    let m = squares_of(set, row_free);
                    for from in m & open {
                        let q = from.index();
                        let to = 1u64 << shift.to[q];
                        if m.0 & to == 0 && shift.path.iter().all(|&p| m.0 >> (q as i32 + p) & 1 == 0) {
                            let n = rank(Bitboard(m.0 ^ (1 << q | to)), row_free);
                            w.pairs.push(((r * N) as u32, n as u32 * columns));
                        }
                    }
                }
            }
            if shift.path.is_empty() {
                simd::fold_straight::<N>(&mut w.best, here, &w.pairs);
                continue;
            }
            // The column piece on the path bars the move: a set of columns for each origin.
            let mut barred = [0; N];
            for from in open & row_free {
                let path = shift.way(from) | shift.guard[from.index()] & enemies.column;
                barred[usize::from(ranks[from.index()]) & (N - 1)] = ranks_in(path & free, free);
            }
            let sets = layout.rank_sets(block.row_squares);
            w.barred.clear();
            w.barred.extend(w.pairs.iter().map(|pair| {
                let from = sets[pair.0 as usize / N];
                let to = sets[(pair.1 / columns) as usize];
                barred[(from & !to).trailing_zeros() as usize & (N - 1)]
            }));
            simd::fold_straight_barred::<N>(&mut w.best, here, &w.pairs, &w.barred);
        }
    }

    /// The column piece moves: within each row.
    #[inline(always)]
    fn column_moves(&self, block: &Block<'_>, here: &[u8], w: &mut VisitBuffers) {
        let layout = self.layout;
        let (free, enemies) = (block.column_squares, block.enemies);
        let ranks = simd::ranks::<N>(free);
        let squares = simd::members::<N>(free);
        w.pairs.clear();
        w.pairs.extend((0..block.rows as u32).map(|r| (r * N as u32, r * block.columns)));
        for shift in &self.moves.column {
            let open = shift.open(!block.occupied);
            let open = open & !shift.answered(open, enemies.fixed);
            if (open & free).is_empty() {
                continue;
            }
            let mut idx = simd::lookup(&ranks, &simd::lookup(by_square::<N>(&shift.to), &squares));
            if shift.path.is_empty() {
                simd::fold::<N>(&mut w.best, here, &w.pairs, &idx);
                continue;
            }
            bar(&mut idx, ranks_in(free & !open, free));
            // Row pieces on the path bar the move, row by row.
            let row_free = block.row_squares.0;
            let mut through = [0; N];
            for (columns, q) in through.iter_mut().zip(row_free) {
                *columns = ranks_in(shift.through[q.index()] & free, free);
            }
            let sets = layout.rank_sets(block.row_squares);
            w.barred.clear();
            w.barred.extend(sets[..block.rows].iter().map(|&set| {
                let shut = Bitboard(set).into_iter().fold(0, |x, rank| x | through[rank.index() & (N - 1)]);
                if enemies.row.is_empty() {
                    return shut;
                }
                let answered = shift.answered(open & free, squares_of(set, row_free) & enemies.row);
                shut | ranks_in(answered & free, free)
            }));
            simd::fold_barred::<N>(&mut w.best, here, &w.pairs, &idx, &w.barred);
        }
    }

    /// Enemies of the side to move that capture *en passant*.
    #[inline(always)]
    fn enemies(&self, slice: &Slice, b: usize, turn: Side) -> Enemies {
        let layout = self.layout;
        let captors = self.moves.captors;
        if captors == 0 {
            return Enemies::default();
        }
        let all_if = |hostile| if hostile { Bitboard::ALL } else { Bitboard::EMPTY };
        let hostile = |g: usize| layout.groups[g].side != turn && captors >> layout.groups[g].kind & 1 != 0;
        let fixed = layout.fixed(slice, b)[!turn];
        let captors = fixed.iter().enumerate().filter(|x| captors >> x.0 & 1 != 0);
        Enemies {
            fixed: captors.fold(Bitboard::EMPTY, |all, x| all | *x.1),
            row: all_if(layout.row.is_some_and(hostile)),
            column: all_if(hostile(layout.column)),
        }
    }
}

/// Ranks among the free squares after the move `m` of a middle piece, by rank before it.
#[inline(always)]
fn slid<const N: usize>(free: Bitboard, allowed: Bitboard, m: &MiddleMove) -> Row<N> {
    let rank = |square: Square| if allowed.has(square) { rank_of(square, free) as u8 } else { KILL };
    simd::slide(rank(m.from), rank(m.to))
}

/// Lowers `best` to what double steps lead to that may be answered.
#[inline(always)]
fn double_steps(steps: &[DoubleStep], own: &SliceState, inputs: &Inputs<'_>, best: &mut [u8]) {
    for step in steps {
        let value = inputs[step.input as usize].unwrap_or(own).value[step.at as usize];
        let best = &mut best[step.cell as usize];
        *best = (*best).min(step.value(value));
    }
}

/// Bars the entries of a set.
#[inline(always)]
fn bar<const N: usize>(idx: &mut Row<N>, mut set: u64) {
    while set != 0 {
        idx[set.trailing_zeros() as usize & (N - 1)] = KILL;
        set &= set - 1;
    }
}

/// Lowers `best` to a block in which the sides are exchanged: the columns here (ranks there in `idx`) are its rows, and
/// the rows here (ranks there in `single`) its columns.
#[inline(always)]
fn fold_transposed<const N: usize>(
    block: &Block<'_>,
    values: &[u8],
    to_columns: u32,
    idx: &Row<N>,
    single: &Row<N>,
    best: &mut [u8],
    pairs: &mut Vec<(u32, u32)>,
) {
    let mut matrix = [[255u8; N]; N];
    for (row, &i) in matrix.iter_mut().zip(&idx[..block.columns as usize]) {
        if i < KILL {
            row.copy_from_slice(&values[(u32::from(i) * to_columns) as usize..][..N]);
        }
    }
    simd::transpose(&mut matrix);
    pairs.clear();
    for (r, &c) in single[..block.rows].iter().enumerate() {
        if c < KILL {
            pairs.push(((r * N) as u32, u32::from(c) * N as u32));
        }
    }
    simd::fold_straight::<N>(best, matrix.as_flattened(), pairs);
}

/// Lists (row offset here, row offset there) for moves from row to row, where each row has two pieces: by rank where a shift
/// leads ([`KILL`]: nowhere), and the ranks that must be empty on its way.
#[inline(always)]
fn shifted_pairs<const N: usize>(
    targets: &Row<N>,
    ways: &[u64; N],
    squares: usize,
    columns: u32,
    out: &mut Vec<(u32, u32)>,
) {
    // No branches: a pair that is not a move is overwritten by the next one.
    out.resize(squares * squares.saturating_sub(1) + 1, (0, 0));
    let (mut n, mut r) = (0, 0);
    for j in 1..squares {
        for i in 0..j {
            for (mover, other) in [(i, j), (j, i)] {
                let (to, stays) = (u32::from(targets[mover]), other as u32);
                let (low, high) = (to.min(stays), to.max(stays));
                out[n] = (r, (high * high.wrapping_sub(1) / 2 + low) * columns);
                let open = ways[mover] >> other & 1 == 0;
                n += usize::from(open & (to < u32::from(KILL)) & (to != stays));
            }
            r += N as u32;
        }
    }
    out.truncate(n);
}

/// Lists (row offset here, row offset there) for the rows all of whose pieces have a rank there (`single`, by rank here);
/// `columns` is the length of a row there.
#[inline(always)]
fn row_pairs<const N: usize>(
    layout: &Layout,
    block: &Block<'_>,
    single: &Row<N>,
    columns: u32,
    out: &mut Vec<(u32, u32)>,
) {
    let (row_free, count) = block.row_squares;
    out.clear();
    match count {
        0 => out.push((0, 0)),
        2 => {
            // Written without a branch: the next pair overwrites one that is barred.
            out.resize(block.rows + 1, (0, 0));
            let (mut n, mut r) = (0, 0u32);
            for j in 1..row_free.count() as usize {
                let y = u32::from(single[j]);
                for &x in &single[..j] {
                    let x = u32::from(x);
                    let (low, high) = (x.min(y), x.max(y));
                    out[n] = (r, (high * high.wrapping_sub(1) / 2 + low) * columns);
                    n += usize::from(high < u32::from(KILL));
                    r += N as u32;
                }
            }
            out.truncate(n);
        }
        _ => {
            for (r, &set) in layout.rank_sets(block.row_squares).iter().enumerate() {
                let ranks = Bitboard(set).into_iter().map(|i| single[i.index()]);
                if ranks.clone().all(|there| there < KILL) {
                    let there = ranks.fold(0u64, |x, there| x | 1 << there);
                    out.push(((r * N) as u32, combination::rank(there, !0) as u32 * columns));
                }
            }
        }
    }
}
