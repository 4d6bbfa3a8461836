//! One child class of a class being solved: where the parent's pieces are in it, and minima over one of its blocks.
use super::layout::{Layout, Place};
use super::mechanics::{MAX_TYPES, Masks, squares};
use super::simd::{self, KILL, Row};
use super::solved::View;
use jewel_engine::bits::extract;
use jewel_tables::combination::rank;

/// Which of the varying pieces was captured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    Neither,
    Row,
    Column,
}

/// Where the row pieces or the column piece of the parent live in a child layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// None left.
    Absent,
    /// They are the child's row or column group: a term of the offset.
    Inner(usize),
    /// Two row pieces are column and row piece of a child that splits a pair.
    Halves,
    /// Elsewhere: the block must be found anew for each of their placements.
    Deep,
}

/// How a capture is read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    /// Row term and column term.
    Terms(Role, Role),
    /// Row and column piece together are the child's row pair.
    Pair,
    /// A position at a time.
    Single,
}

pub(crate) struct Kid<'a, const N: usize> {
    pub(crate) view: View<'a>,
    /// For each [`Taken`].
    pub(crate) ways: [Way; 3],
    /// `[sym]`: our square to the child's stored frame.
    pub(crate) perms: Vec<Row<N>>,
}

pub(crate) enum Child<'a, const N: usize> {
    /// The game is over with what is left.
    Over,
    Table(Kid<'a, N>),
}

/// Columns that a capture concerns.
#[derive(Clone, Copy)]
pub(crate) struct Columns {
    /// Squares of the column piece before the capture.
    pub(crate) from: u64,
    /// Its square after it, if it was the column piece that captured.
    pub(crate) to: Option<u8>,
}

/// Least values of a block, rows of `N` bytes.
pub(crate) struct Out<'o> {
    /// The rows.
    pub(crate) cells: &'o mut [u8],
    /// Squares of the columns.
    pub(crate) free: u64,
}

/// A block of a child.
pub(crate) struct Frame<'k, const N: usize> {
    pub(crate) src: &'k [u8],
    pub(crate) place: Place,
    /// By square of ours: rank among the row or column squares there.
    pub(crate) row: Row<N>,
    pub(crate) column: Row<N>,
    /// What a unit of these ranks is worth.
    pub(crate) row_unit: u32,
    pub(crate) column_unit: u32,
}

impl<const N: usize> Kid<'_, N> {
    /// The role of the row pieces, or of the column piece, in the child.
    pub(crate) fn role(&self, taken: Taken, row: bool) -> Role {
        match self.ways[taken as usize] {
            Way::Terms(r, b) => {
                if row {
                    r
                } else {
                    b
                }
            }
            _ => Role::Absent,
        }
    }

    /// The child block for the fixed pieces `f`.
    pub(crate) fn frame(&self, taken: Taken, foe: usize, f: &Masks) -> Frame<'_, N> {
        let cl = &self.view.table.layout;
        let swapped = self.view.swap.is_some();
        let mut sets = [0; 2 * MAX_TYPES + 1];
        for (i, g) in cl.groups.iter().enumerate() {
            let x = f[g.side ^ swapped as usize][g.ty];
            sets[i] = match &self.view.swap {
                Some((_, p)) if !p.identity => p.apply(x),
                _ => x,
            };
        }
        let roles = [self.role(taken, true), self.role(taken, false)];
        if cl.split {
            // The pair is either all here or all in the terms.
            let all = sets[0];
            sets[0] = all & all.wrapping_neg();
            sets[1] = all & all.wrapping_sub(1);
        }
        let place = cl.place(&sets);
        let mut at = place.off as usize;
        for g in cl.row.into_iter().chain([cl.column]) {
            if sets[g] != 0 {
                at += cl.inner_offset(&place, g, sets[g]);
            }
        }
        let stm = foe ^ (swapped ^ place.flip) as usize;
        let src = &self.view.slice(place.slice as usize, stm)[at..];
        let perm = &self.perms[place.sym as usize];
        let term = |g: usize| {
            let to = cl.image[place.sym as usize][g];
            let ranks = simd::ranks::<N>(cl.groups[to].allowed & !place.occ);
            (simd::lookup(&ranks, perm), if to == cl.column { 1 } else { place.columns as u32 })
        };
        let none = ([0; N], 0);
        let (mut row, mut column) = (none, none);
        match roles[0] {
            Role::Inner(g) => row = term(g),
            Role::Halves => (row, column) = (term(cl.row.expect("rows")), term(cl.column)),
            _ => {}
        }
        if let Role::Inner(g) = roles[1] {
            column = term(g);
        }
        Frame { src, place, row: row.0, column: column.0, row_unit: row.1, column_unit: column.1 }
    }
}

impl<const N: usize> Frame<'_, N> {
    /// Offset of a set of row pieces.
    #[inline]
    pub(crate) fn row_term(&self, role: Role, m: u64) -> u32 {
        let place = |m: u64| self.row[m.trailing_zeros() as usize & (N - 1)] as u32;
        match role {
            Role::Absent | Role::Deep => 0,
            Role::Halves => {
                let low = m.trailing_zeros() as usize;
                self.column[low] as u32 * self.column_unit + place(m & (m - 1)) * self.row_unit
            }
            Role::Inner(_) => match m.count_ones() {
                1 => place(m) * self.row_unit,
                2 => {
                    let (i, j) = (place(m), place(m & (m - 1)));
                    let (lo, hi) = (i.min(j), i.max(j));
                    (hi * (hi.wrapping_sub(1)) / 2 + lo) * self.row_unit
                }
                _ => {
                    let set = squares(m).fold(0u64, |x, s| x | 1 << self.row[s]);
                    rank(set, !0) as u32 * self.row_unit
                }
            },
        }
    }

    /// Minima over `pairs` (row here, row term there) and the columns.
    pub(crate) fn lower(&self, pairs: &[(u32, u32)], cols: Columns, column_taken: bool, out: &mut Out<'_>) {
        let Columns { from, to } = cols;
        if from == 0 {
            return;
        }
        if column_taken || from & (from - 1) == 0 {
            // One column.
            let s = from.trailing_zeros() as usize;
            let c = (out.free & ((1 << s) - 1)).count_ones() as usize;
            let rank = if column_taken { 0 } else { self.column[to.map_or(s, |t| t as usize)] };
            if rank >= KILL {
                return;
            }
            let term = rank as usize * self.column_unit as usize;
            for &(o, r) in pairs {
                // A row piece on the column piece's square (no position) may have no place there.
                let v = self.src.get(term + r as usize).map_or(255, |&v| v);
                let d = &mut out.cells[o as usize + c];
                *d = v.min(*d);
            }
            return;
        }
        let keep: Row<N> = simd::expand(!extract(from, out.free));
        if let Some(t) = to {
            // One square there for all columns: its value goes wherever the column piece came from.
            let term = self.column[t as usize] as usize * self.column_unit as usize;
            for &(o, r) in pairs {
                let v = self.src[term + r as usize];
                let d = &mut out.cells[o as usize..][..N];
                for (d, k) in d.iter_mut().zip(&keep) {
                    *d = (*d).min(v | k);
                }
            }
            return;
        }
        let list = simd::members::<N>(out.free);
        let mut idx = simd::lookup(&self.column, &list);
        for (i, k) in idx.iter_mut().zip(&keep) {
            *i |= k;
        }
        if self.column_unit <= 1 {
            simd::fold::<N>(out.cells, self.src, pairs, &idx);
            return;
        }
        // Our columns are rows there.
        let unit = self.column_unit as usize;
        if pairs.len() <= 3 {
            for &(o, r) in pairs {
                for (c, &i) in idx.iter().enumerate().take(out.free.count_ones() as usize) {
                    if i < KILL {
                        let d = &mut out.cells[o as usize + c];
                        *d = (*d).min(self.src[r as usize + i as usize * unit]);
                    }
                }
            }
            return;
        }
        let mut t = [[255u8; N]; N];
        for (x, &i) in t.iter_mut().zip(&idx) {
            if i < KILL {
                x.copy_from_slice(&self.src[i as usize * unit..][..N]);
            }
        }
        simd::transpose(&mut t);
        for &(o, r) in pairs {
            // A row of ours is a column there: its term is its rank.
            let d = &mut out.cells[o as usize..][..N];
            for (d, x) in d.iter_mut().zip(&t[r as usize & (N - 1)]) {
                *d = (*d).min(*x);
            }
        }
    }
}

/// How a child is read after a capture.
pub(crate) fn way(l: &Layout, view: &View<'_>, taken: Taken) -> Way {
    let cl = &view.table.layout;
    let flip = view.swap.is_some() as usize;
    let kind = |g: usize| (l.groups[g].side, l.groups[g].ty);
    let row_left = l.row.map_or(0, |g| l.groups[g].count) - (taken == Taken::Row && l.row.is_some()) as usize;
    let column_left = 1 - (taken == Taken::Column) as usize;
    let find = |k: (usize, usize)| cl.groups.iter().position(|x| (x.side ^ flip, x.ty) == k);
    let is_inner = |cg: usize| cl.column == cg || cl.row == Some(cg);
    if l.split && row_left > 0 && column_left > 0 {
        let Some(cg) = find(kind(l.column)) else { return Way::Single };
        if cl.split && cg == cl.column && cl.groups[1].count == row_left {
            return Way::Terms(Role::Inner(1), Role::Inner(0));
        }
        return if cl.row == Some(cg) && row_left == 1 && !cl.split { Way::Pair } else { Way::Single };
    }
    let role = |g: Option<usize>, left: usize| -> Option<Role> {
        let Some(g) = g.filter(|_| left > 0) else { return Some(Role::Absent) };
        // A kind that is gone: this piece cannot be the one that this child lacks.
        let cg = find(kind(g))?;
        if cl.split && cg == cl.column {
            let all = 1 + cl.groups[1].count;
            return (left == 2 && all == 2).then_some(Role::Halves);
        }
        if cl.groups[cg].count != left {
            return None;
        }
        Some(if is_inner(cg) { Role::Inner(cg) } else { Role::Deep })
    };
    match (role(l.row, row_left), role(Some(l.column), column_left)) {
        (Some(r), Some(b)) => Way::Terms(r, b),
        _ => Way::Single,
    }
}
