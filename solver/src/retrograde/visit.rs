//! One visit of a block: its values anew from the blocks that quiet moves lead to.
use super::floor::{NOTHING, first_value};
use super::half::Half;
use super::layout::{Layout, NONE, Slice};
use super::mechanics::squares;
use super::moves::{Moves, OuterMove, by_square};
use super::simd::{self, KILL, Row};
use jewel_engine::bits::{deposit, extract};
use jewel_tables::combination::rank;

/// Everything a visit needs to know of the class.
pub(crate) struct Visitor<'a, const N: usize> {
    pub(crate) layout: &'a Layout,
    pub(crate) moves: &'a Moves,
    /// `[sym]`: square to square, as look-up tables.
    perms: Vec<Row<N>>,
}

/// A worker's lists.
#[derive(Default)]
pub(crate) struct Work {
    /// Least values so far, rows of `N` bytes.
    best: Vec<u8>,
    tmp: Vec<u8>,
    pairs: Vec<(u32, u32)>,
    mids: Vec<Mid>,
    outs: Vec<(u32, u16)>,
}

/// A move of a mid piece: the block it leads to, and the squares concerned.
#[derive(Clone, Copy)]
struct Mid {
    block: u32,
    from: u8,
    to: u8,
    path: u64,
    /// See [`super::moves::GroupMove::guard`].
    guard: u64,
}

/// Where enemies that capture *en passant* may stand: the squares of the fixed ones, and all squares or none for row pieces
/// and the column piece.
#[derive(Clone, Copy, Default)]
struct Enemies {
    fixed: u64,
    row: u64,
    column: u64,
}

/// The halves that a visit may read: those of [`super::moves::Plan::near`], `None` for the half being written itself.
pub(crate) type Near<'h> = [Option<&'h Half>];

/// The value of a position that cannot come about: nobody wants to lead the opponent there.
const ILLEGAL: u8 = super::value::win(0);

/// Floors of positions without a legal move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    /// The royal piece is attacked.
    pub(crate) checkmate: u8,
    /// It is not.
    pub(crate) stalemate: u8,
}

/// What a pass over a half did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Count {
    /// Blocks recomputed.
    pub(crate) visits: u64,
    /// Blocks whose values changed.
    pub(crate) changes: u64,
}

impl<'a, const N: usize> Visitor<'a, N> {
    /// Prepares the tables.
    pub(crate) fn new(layout: &'a Layout, moves: &'a Moves) -> Self {
        let perm = |p: &[u8]| std::array::from_fn(|i| p.get(i).map_or(KILL, |&x| x));
        let perms = layout.syms.iter().map(|a| perm(&a.perm)).collect();
        Visitor { layout, moves, perms }
    }

    /// Recomputes every block of a half one of whose inputs changed since its last visit. Stamps from `clock` on are used,
    /// one a block.
    pub(crate) fn pass(
        &self,
        slice: usize,
        stm: usize,
        own: &mut Half,
        near: &Near<'_>,
        clock: u32,
        w: &mut Work,
    ) -> Count {
        let l = self.layout;
        let sl = &l.slices[slice];
        let plan = &self.moves.plans[slice];
        let mut count = Count::default();
        for b in 0..sl.blocks.len() {
            let last = own.seen[b];
            let bl = &sl.blocks[b];
            let size = l.row_count(bl.occ) * l.columns(bl.occ);
            if size == 0 {
                // The pieces that stand here leave the others no square: there is no position.
                continue;
            }
            let there = near[0].expect("the other side's half of the slice is another half");
            self.list_moves(sl, slice, b, stm, w);
            let newer = |half: &Half, block: u32| half.changed[block as usize] > last;
            let due = last == 0
                || there.changed[b] > last
                || w.mids.iter().any(|m| newer(there, m.block))
                || w.outs.iter().any(|&(to, o)| {
                    let o = &plan.outer[stm][o as usize];
                    newer(near[o.near as usize].unwrap_or(own), to)
                });
            if !due {
                continue;
            }
            own.seen[b] = clock + b as u32;
            count.visits += 1;
            for m in &w.mids {
                simd::prefetch(&there.value, sl.blocks[m.block as usize].off as usize, size);
            }
            for &(to, o) in &w.outs {
                let o = &plan.outer[stm][o as usize];
                let from = &near[o.near as usize].unwrap_or(own).value;
                simd::prefetch(from, l.slices[o.slice as usize].blocks[to as usize].off as usize, size);
            }
            self.gather(sl, b, stm, own, near, &plan.outer[stm], w);
            let (rows, cols) = (l.row_count(bl.occ), l.columns(bl.occ));
            let at = bl.off as usize;
            let (floor, value) = (&own.floor[at..], &mut own.value[at..]);
            if simd::settle::<N>(&w.best, rows, cols, floor, value, &mut w.tmp) {
                own.changed[b] = clock + b as u32;
                own.latest = clock + b as u32;
                count.changes += 1;
            }
        }
        count
    }

    /// Lists the blocks that moves of mid and outer pieces lead to from a block.
    #[inline(always)]
    fn list_moves(&self, sl: &Slice, slice: usize, b: usize, stm: usize, w: &mut Work) {
        let l = self.layout;
        let bl = &sl.blocks[b];
        w.mids.clear();
        for (k, &g) in l.mid.iter().enumerate() {
            if l.groups[g].side != stm {
                continue;
            }
            let id = bl.mids[k] as usize;
            let (local, stride) = (&sl.mid_local[k], sl.stride[k]);
            let raw = bl.raw - local[id] as u32 * stride;
            for m in &self.moves.group[g][id] {
                if m.clear & bl.occ == 0 {
                    let block = sl.block_of[(raw + local[m.to_id as usize] as u32 * stride) as usize];
                    w.mids.push(Mid { block, from: m.from, to: m.to, path: m.path, guard: m.guard });
                }
            }
        }
        w.outs.clear();
        for (k, o) in self.moves.plans[slice].outer[stm].iter().enumerate() {
            let to = o.block(l, sl, b);
            if to != NONE {
                w.outs.push((to, k as u16));
            }
        }
    }

    /// In games with a royal piece: finds the positions of a half without a legal move, and gives them the result of a
    /// checkmate or a stalemate. A move is illegal if it leads where the opponent would capture the royal piece; such a
    /// position has the value [`ILLEGAL`] and no other has, so that a position in which every quiet move and every capture
    /// leads to it has none. It is a checkmate if the same position with the other side to move is illegal too.
    pub(crate) fn find_mates(
        &self,
        slice: usize,
        stm: usize,
        own: &mut Half,
        near: &Near<'_>,
        ends: Ends,
        w: &mut Work,
    ) {
        let l = self.layout;
        let sl = &l.slices[slice];
        for (b, bl) in sl.blocks.iter().enumerate() {
            self.list_moves(sl, slice, b, stm, w);
            self.gather(sl, b, stm, own, near, &self.moves.plans[slice].outer[stm], w);
            let there = near[0].expect("the other side's half of the slice is another half");
            let (rows, cols) = (l.row_count(bl.occ), l.columns(bl.occ));
            for r in 0..rows {
                for c in 0..cols {
                    let at = bl.off as usize + r * cols + c;
                    let stuck = w.best[r * N + c] == ILLEGAL && own.floor[at] == NOTHING;
                    if stuck && own.value[at] != ILLEGAL {
                        let end = if there.value[at] == ILLEGAL { ends.checkmate } else { ends.stalemate };
                        own.floor[at] = end;
                        own.value[at] = first_value(end);
                    }
                }
            }
        }
    }

    /// Fills `w.best` with the least value after a quiet move.
    #[allow(clippy::too_many_arguments)]
    #[inline(always)]
    fn gather(
        &self,
        sl: &Slice,
        b: usize,
        stm: usize,
        own: &Half,
        near: &Near<'_>,
        outer: &[OuterMove],
        w: &mut Work,
    ) {
        let l = self.layout;
        let occ = sl.blocks[b].occ;
        let there = near[0].expect("the other side's half of the slice is another half");
        let free = l.groups[l.column].allowed & !occ;
        let (allowed, k) = l.row.map_or((0, 0), |g| (l.groups[g].allowed, l.groups[g].count));
        let row_free = allowed & !occ;
        let rows = l.row_count(occ);
        let cols = free.count_ones();
        w.best.clear();
        w.best.resize(rows * N, 255);
        let enemies = self.enemies(sl, b, stm);

        // Mid pieces: a square joins rows and columns, another leaves.
        for m in &w.mids {
            if m.guard & enemies.fixed != 0 {
                continue;
            }
            let mut idx = slid::<N>(free, l.groups[l.column].allowed, m);
            let mut single = slid::<N>(row_free, allowed, m);
            if m.path != 0 {
                bar(&mut idx, extract(m.path & free, free));
                bar(&mut single, extract(m.path & row_free, row_free));
                bar(&mut idx, extract(m.guard & free & enemies.column, free));
                bar(&mut single, extract(m.guard & row_free & enemies.row, row_free));
            }
            let to = &sl.blocks[m.block as usize];
            let src = &there.value[to.off as usize..];
            let cols = l.columns(to.occ);
            if k == 1 {
                simd::fold_single::<N>(&mut w.best, src, &single[..rows], cols, &idx);
            } else {
                row_pairs::<N>(l, k, rows, row_free, &single, cols as u32, &mut w.pairs);
                simd::fold::<N>(&mut w.best, src, &w.pairs, &idx);
            }
        }

        // Outer pieces: another slice, seen through an automorphism.
        let columns = simd::members::<N>(free);
        let row_squares = simd::members::<N>(row_free);
        for &(to, o) in &w.outs {
            let o = &outer[o as usize];
            if o.guard & enemies.fixed != 0 {
                continue;
            }
            let bl = &l.slices[o.slice as usize].blocks[to as usize];
            let sym = o.sym as usize;
            let src = &near[o.near as usize].unwrap_or(own).value[bl.off as usize..];
            let perm = &self.perms[sym];
            let ranks = |g: usize| simd::ranks::<N>(l.groups[l.image[sym][g]].allowed & !bl.occ);
            let open = !o.clear;
            let to_cols = l.columns(bl.occ) as u32;
            // Ranks there of our columns, and of our row squares.
            let column = &l.groups[l.column];
            let mut idx = simd::lookup(&simd::lookup(&ranks(l.column), perm), &columns);
            if o.clear & column.allowed != 0 {
                bar(&mut idx, extract(!open & free, free));
            }
            bar(&mut idx, extract(o.guard & free & enemies.column, free));
            let mut single = [KILL; N];
            if let Some(g) = l.row {
                single = simd::lookup(&simd::lookup(&ranks(g), perm), &row_squares);
                bar(&mut single, extract(!open & row_free, row_free));
                bar(&mut single, extract(o.guard & row_free & enemies.row, row_free));
            }
            if !l.syms[sym].swap && k == 1 {
                simd::fold_single::<N>(&mut w.best, src, &single[..rows], to_cols as usize, &idx);
                continue;
            }
            if !l.syms[sym].swap {
                row_pairs::<N>(l, k, rows, row_free, &single, to_cols, &mut w.pairs);
                simd::fold::<N>(&mut w.best, src, &w.pairs, &idx);
                continue;
            }
            // Exchange of sides: our columns are rows there.
            let mut t = [[255u8; N]; N];
            for (x, &i) in t.iter_mut().zip(&idx[..cols as usize]) {
                if i < KILL {
                    x.copy_from_slice(&src[(i as u32 * to_cols) as usize..][..N]);
                }
            }
            simd::transpose(&mut t);
            w.pairs.clear();
            for (r, &c) in single[..rows].iter().enumerate() {
                if c < KILL {
                    w.pairs.push(((r * N) as u32, c as u32 * N as u32));
                }
            }
            simd::fold_straight::<N>(&mut w.best, t.as_flattened(), &w.pairs, &[0; N]);
        }

        let at = sl.blocks[b].off as usize;
        let here = &there.value[at..];
        // Row pieces: from row to row.
        if let Some(g) = l.row
            && l.groups[g].side == stm
        {
            self.row_moves(k, occ, &enemies, here, w);
        }
        // The column piece: within each row.
        if l.groups[l.column].side == stm {
            let ranks = simd::ranks::<N>(free);
            w.pairs.clear();
            w.pairs.extend((0..rows as u32).map(|r| (r * N as u32, r * cols)));
            for s in &self.moves.column {
                let open = s.open(!occ);
                let open = open & !s.answered(open, enemies.fixed);
                if open & free == 0 {
                    continue;
                }
                let mut idx = simd::lookup(&ranks, &simd::lookup(by_square::<N>(&s.to), &columns));
                if s.path.is_empty() {
                    simd::fold::<N>(&mut w.best, here, &w.pairs, &idx);
                    continue;
                }
                bar(&mut idx, extract(free & !open, free));
                let plain = idx;
                let sets = l.rank_sets(row_free.count_ones() as usize, k);
                for r in 0..rows {
                    // Row pieces on the path stand in the way.
                    let m = if k == 0 { 0 } else { deposit(sets[r], row_free) };
                    let shut = squares(m).fold(0, |x, q| x | s.through[q]);
                    let shut = shut | s.answered(open & free, m & enemies.row);
                    idx = plain;
                    bar(&mut idx, extract(shut & free, free));
                    simd::fold::<N>(&mut w.best, here, &w.pairs[r..r + 1], &idx);
                }
            }
        }
        // Double steps that may be answered en passant.
        for step in own.answered(b) {
            let value = near[step.near as usize].unwrap_or(own).value[step.at as usize];
            let best = &mut w.best[step.cell as usize];
            *best = (*best).min(step.value(value));
        }
    }

    /// Enemies of the side to move that capture *en passant*.
    #[inline(always)]
    fn enemies(&self, sl: &Slice, b: usize, stm: usize) -> Enemies {
        let l = self.layout;
        let captors = self.moves.captors;
        if captors == 0 {
            return Enemies::default();
        }
        let hostile = |g: usize| l.groups[g].side != stm && captors >> l.groups[g].ty & 1 != 0;
        let fixed = l.fixed(sl, b)[1 - stm];
        Enemies {
            fixed: fixed.iter().enumerate().filter(|x| captors >> x.0 & 1 != 0).fold(0, |set, x| set | x.1),
            row: if l.row.is_some_and(hostile) { !0 } else { 0 },
            column: if hostile(l.column) { !0 } else { 0 },
        }
    }

    /// Row pieces move: row to row of the same block.
    fn row_moves(&self, k: usize, occ: u64, enemies: &Enemies, here: &[u8], w: &mut Work) {
        let l = self.layout;
        let row_free = l.groups[l.row.expect("rows")].allowed & !occ;
        let free = l.groups[l.column].allowed & !occ;
        let cols = free.count_ones();
        let ranks = simd::ranks::<N>(row_free);
        for s in &self.moves.row {
            let open = s.open(!occ);
            let open = open & !s.answered(open, enemies.fixed);
            w.pairs.clear();
            if k == 1 {
                for q in squares(open & row_free) {
                    w.pairs.push((ranks[q] as u32 * N as u32, ranks[s.to[q] as usize] as u32 * cols));
                }
                if s.path.is_empty() {
                    simd::fold_straight::<N>(&mut w.best, here, &w.pairs, &[0; N]);
                    continue;
                }
            } else {
                let sets = l.rank_sets(row_free.count_ones() as usize, k);
                for (r, &set) in sets.iter().enumerate() {
                    let m = deposit(set, row_free);
                    for q in squares(m & open) {
                        let to = 1u64 << s.to[q];
                        if m & to == 0 && s.path.iter().all(|&p| m >> (q as i32 + p) & 1 == 0) {
                            let n = rank(m ^ (1 << q | to), row_free);
                            w.pairs.push(((r * N) as u32, n as u32 * cols));
                        }
                    }
                }
                if s.path.is_empty() {
                    simd::fold_straight::<N>(&mut w.best, here, &w.pairs, &[0; N]);
                    continue;
                }
            }
            // The column piece on the path stands in the way: a mask for each origin.
            let pairs = std::mem::take(&mut w.pairs);
            let list = simd::members::<N>(row_free);
            let sets = l.rank_sets(row_free.count_ones() as usize, k);
            for p in &pairs {
                let from = sets[p.0 as usize / N];
                let to = sets[(p.1 / cols) as usize];
                let q = list[(from & !to).trailing_zeros() as usize] as i32;
                let path = s.path.iter().fold(0u64, |x, &d| x | 1 << (q + d));
                let path = path | s.guard[q as usize] & enemies.column;
                let mask = simd::expand::<N>(extract(path & free, free));
                simd::fold_straight::<N>(&mut w.best, here, &[*p], &mask);
            }
            w.pairs = pairs;
        }
    }
}

/// Ranks among the free squares after the move `m` of a mid piece, by rank before it.
#[inline(always)]
fn slid<const N: usize>(free: u64, allowed: u64, m: &Mid) -> Row<N> {
    let below = |s: u8| (free & ((1 << s) - 1)).count_ones() as u8;
    let from = if allowed >> m.from & 1 != 0 { below(m.from) } else { KILL };
    let to = if allowed >> m.to & 1 != 0 { below(m.to) } else { KILL };
    simd::slide(from, to)
}

/// Takes out the entries of a set.
#[inline(always)]
fn bar<const N: usize>(idx: &mut Row<N>, mut set: u64) {
    while set != 0 {
        idx[set.trailing_zeros() as usize & (N - 1)] = KILL;
        set &= set - 1;
    }
}

/// Lists (row offset here, row offset there) for rows all of whose pieces have a rank there.
#[inline(always)]
fn row_pairs<const N: usize>(
    l: &Layout,
    k: usize,
    rows: usize,
    row_free: u64,
    single: &Row<N>,
    cols: u32,
    out: &mut Vec<(u32, u32)>,
) {
    out.clear();
    match k {
        0 => out.push((0, 0)),
        2 => {
            out.resize(rows + 1, (0, 0));
            let (mut n, mut r) = (0, 0u32);
            for j in 1..row_free.count_ones() as usize {
                let y = single[j] as u32;
                for &x in &single[..j] {
                    let x = x as u32;
                    let (lo, hi) = (x.min(y), x.max(y));
                    out[n] = (r, (hi * hi.wrapping_sub(1) / 2 + lo) * cols);
                    n += (hi < KILL as u32) as usize;
                    r += N as u32;
                }
            }
            out.truncate(n);
        }
        _ => {
            for (r, &set) in l.rank_sets(row_free.count_ones() as usize, k).iter().enumerate() {
                if squares(set).all(|i| single[i] < KILL) {
                    let to = squares(set).fold(0u64, |x, i| x | 1 << single[i]);
                    out.push(((r * N) as u32, rank(to, !0) as u32 * cols));
                }
            }
        }
    }
}
