//! Where every position of a class is stored.
//!
//! A class is a list of *groups* (like pieces of one side). Each group gets a role:
//! - *outer* groups choose the slice; only one slice of each orbit under the automorphisms is kept,
//! - *mid* groups choose the block within a slice,
//! - the *row* group and the single *column* piece span a block: a dense `rows x columns` matrix of bytes (squares
//!   free of outer and mid pieces; cells in which the column piece stands on a row piece are waste).
//!
//! A map of the board takes a block to a block, rows to rows and columns to columns (with exchange of sides: rows to
//! columns). `docs/solver.md` says why.
use super::class::Class;
use super::mechanics::{Automorphism, MAX_TYPES, Masks, Mechanics, squares};
use super::permutation::Permutation;
use jewel_engine::zobrist::splitmix64;
use jewel_tables::combination::{binomial, rank, sets};
use std::cmp::Reverse;
use std::sync::OnceLock;

/// No slice, or no block.
pub(crate) const NONE: u32 = u32::MAX;
/// No set of a mid group.
const NO_SET: u16 = u16::MAX;
/// Most mid groups a layout may have.
pub(crate) const MAX_MID: usize = 6;
/// Most placements of the outer groups that are worth listing, and most that are listed where it cannot be done with fewer.
const MAX_OUTER: [usize; 2] = [500_000, 4_000_000];
/// Most sets of squares that a group may have, and most that a mid group may have.
const MAX_SETS: u64 = 4_000_000;
const MAX_MID_SETS: usize = NO_SET as usize;
/// Most cells of a slice for one side to move.
const MAX_SLICE: u64 = u32::MAX as u64 - 1;
/// What an outer piece's move costs, compared with another's (measured: the look-ups of an automorphism, a colder cache).
const OUTER: f64 = 1.5;

#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) side: usize,
    pub(crate) ty: usize,
    pub(crate) count: usize,
    pub(crate) allowed: u64,
    /// All sets of squares, by id.
    pub(crate) configs: Vec<u64>,
}

#[derive(Debug)]
pub(crate) struct Block {
    /// Squares of outer and mid pieces.
    pub(crate) occ: u64,
    /// Offset of the value matrix in the slice.
    pub(crate) off: u32,
    /// Its mixed-radix number (see [`Slice::block_of`]).
    pub(crate) raw: u32,
    /// Ids of the mid groups' sets.
    pub(crate) mids: [u16; MAX_MID],
}

#[derive(Debug)]
pub(crate) struct Slice {
    /// Ids of the outer groups' sets.
    pub(crate) outer: Vec<u32>,
    pub(crate) occ: u64,
    /// For each mid group: id to local number.
    pub(crate) mid_local: Vec<Vec<u16>>,
    pub(crate) stride: Vec<u32>,
    /// Mixed-radix number of the mid groups to block.
    pub(crate) block_of: Vec<u32>,
    pub(crate) blocks: Vec<Block>,
    /// Offset of the slice in the values of one side to move.
    pub(crate) base: u64,
    pub(crate) bytes: u64,
}

#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) class: Class,
    pub(crate) groups: Vec<Group>,
    pub(crate) outer: Vec<usize>,
    pub(crate) mid: Vec<usize>,
    pub(crate) row: Option<usize>,
    pub(crate) column: usize,
    /// The column piece was taken out of a group of several (every position then occurs `count` times).
    pub(crate) split: bool,
    pub(crate) syms: Vec<Automorphism>,
    pub(crate) luts: Vec<Permutation>,
    /// `[sym][group]`: the group it becomes.
    pub(crate) image: Vec<Vec<usize>>,
    /// `[sym][group][id]`: the id it becomes.
    pub(crate) id_map: Vec<Vec<Vec<u32>>>,
    /// Raw outer number to slice and the automorphism that leads there.
    pub(crate) orbit: Vec<(u32, u8)>,
    pub(crate) slices: Vec<Slice>,
    /// Bytes for one side to move.
    pub(crate) entries: u64,
    rank_sets: Vec<OnceLock<Vec<u64>>>,
}

/// A block of values as found from a position, in the stored frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) slice: u32,
    pub(crate) sym: u8,
    pub(crate) flip: bool,
    /// Offset of the block in the values of one side to move.
    pub(crate) base: usize,
    /// Offset of the block in its slice.
    pub(crate) off: u32,
    pub(crate) occ: u64,
    pub(crate) columns: usize,
}

/// A class that cannot be laid out: the pieces of one kind, or those of a slice, have too many placements.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("class {0} has more placements of like pieces than tables are made for")]
pub struct TooLarge(pub(crate) String);

impl Layout {
    /// Chooses roles for the groups of a class, and lists slices and blocks. The material of the game's start keeps the
    /// choice alike in all classes, whatever they are part of.
    ///
    /// # Errors
    /// If a group or a slice has more placements than this way of laying out is made for.
    pub(crate) fn new(game: &Mechanics<'_>, class: Class) -> Result<Layout, TooLarge> {
        let too_large = || TooLarge(class.name(game.rules));
        let mut groups = vec![];
        for s in 0..2 {
            for (t, k) in game.kinds[s].iter().enumerate() {
                if class.0[s][t] > 0 {
                    groups.push((s, t, class.0[s][t] as usize, k.allowed));
                }
            }
        }
        groups.sort_by_key(|&(s, t, _, a)| {
            (game.start.0[0][t].max(game.start.0[1][t]), Reverse(a.count_ones()), t, Reverse(s))
        });
        let first = groups.iter().position(|g| g.2 == 1).unwrap_or(0);
        let mut b = groups.remove(first);
        let split = b.2 > 1;
        if split {
            groups.insert(0, (b.0, b.1, b.2 - 1, b.3));
            b.2 = 1;
        }
        groups.insert(0, b);
        if groups.iter().any(|g| binomial(g.3.count_ones(), g.2 as u32) > MAX_SETS) {
            return Err(too_large());
        }
        let groups: Vec<Group> = groups
            .into_iter()
            .map(|(side, ty, count, allowed)| {
                let configs = sets(allowed, count as u32);
                Group { side, ty, count, allowed, configs }
            })
            .collect();
        let n = groups.len();
        let column = 0;
        let swappable = !split && class == class.swapped();
        let image_of = |swap: bool, g: usize| {
            if !swap {
                return g;
            }
            groups.iter().position(|o| o.side != groups[g].side && o.ty == groups[g].ty).unwrap_or(g)
        };
        let mut row = (n > 1).then_some(1);
        let rest: Vec<usize> = (2..n).collect();
        let mut outer = vec![];
        let mut swap_ok = false;
        if rest.is_empty() {
            outer.extend(row.take());
        } else {
            swap_ok = swappable && image_of(true, 0) == 1;
            let moves = |g: usize| {
                let k = &game.kinds[groups[g].side][groups[g].ty];
                let s: usize = squares(k.allowed).map(|s| k.quiet[s].len()).sum();
                groups[g].count as f64 * s as f64 / k.allowed.count_ones() as f64
            };
            // Where few placements do not do, more have to.
            for most in MAX_OUTER {
                let mut best = f64::MAX;
                for set in 1u32..1 << rest.len() {
                    let sub: Vec<usize> = rest.iter().copied().filter(|g| set >> (g - 2) & 1 != 0).collect();
                    if swap_ok && sub.iter().any(|&g| !sub.contains(&image_of(true, g))) {
                        continue;
                    }
                    let raw: usize = sub.iter().map(|&g| groups[g].configs.len()).product();
                    let mut inner_rest = rest.iter().filter(|g| !sub.contains(g));
                    let crowded = inner_rest.any(|&g| groups[g].configs.len() > MAX_MID_SETS);
                    if raw > most || rest.len() - sub.len() > MAX_MID || crowded {
                        continue;
                    }
                    let syms: Vec<&Automorphism> =
                        game.automorphisms.iter().filter(|a| !a.swap || swap_ok).collect();
                    let (orbits, valid) = count_orbits(&groups, &sub, &syms, &image_of);
                    let waste = orbits as f64 * syms.len() as f64 / valid as f64;
                    let blocks: f64 = rest
                        .iter()
                        .filter(|g| !sub.contains(g))
                        .map(|&g| groups[g].configs.len() as f64 * 0.6)
                        .product();
                    let inner: f64 = (0..n).filter(|g| !sub.contains(g)).map(moves).sum();
                    let out: f64 = sub.iter().map(|&g| moves(g)).sum();
                    let cost = waste * (inner + OUTER * out + 10.0 + 60.0 / blocks);
                    if cost < best {
                        best = cost;
                        outer = sub;
                    }
                }
                if !outer.is_empty() {
                    break;
                }
            }
        }
        let mid: Vec<usize> = rest.into_iter().filter(|g| !outer.contains(g)).collect();
        if mid.len() > MAX_MID || outer.is_empty() {
            return Err(too_large());
        }
        let syms: Vec<Automorphism> =
            game.automorphisms.iter().filter(|a| !a.swap || swap_ok).cloned().collect();
        let image: Vec<Vec<usize>> =
            syms.iter().map(|a| (0..n).map(|g| image_of(a.swap, g)).collect()).collect();
        let luts: Vec<Permutation> = syms.iter().map(|a| Permutation::of(&a.perm)).collect();
        let id_map = (0..syms.len())
            .map(|s| {
                (0..n)
                    .map(|g| {
                        let to = &groups[image[s][g]];
                        groups[g].configs.iter().map(|&m| rank(luts[s].apply(m), to.allowed) as u32).collect()
                    })
                    .collect()
            })
            .collect();
        let mut l = Layout {
            class,
            groups,
            outer,
            mid,
            row,
            column,
            split,
            syms,
            luts,
            image,
            id_map,
            orbit: vec![],
            slices: vec![],
            entries: 0,
            rank_sets: (0..65).map(|_| Default::default()).collect(),
        };
        l.make_slices().ok_or_else(too_large)?;
        Ok(l)
    }

    fn raw_outer(&self, ids: &[u32]) -> usize {
        // `ids` by group
        self.outer.iter().fold(0, |r, &g| r * self.groups[g].configs.len() + ids[g] as usize)
    }

    fn make_slices(&mut self) -> Option<()> {
        let total: usize = self.outer.iter().map(|&g| self.groups[g].configs.len()).product();
        self.orbit = vec![(NONE, 0); total];
        let mut ids = vec![0u32; self.groups.len()];
        for raw in 0..total {
            if self.orbit[raw].0 != NONE {
                continue;
            }
            let mut r = raw;
            let (mut occ, mut clash) = (0, false);
            for &g in self.outer.iter().rev() {
                let n = self.groups[g].configs.len();
                ids[g] = (r % n) as u32;
                r /= n;
                let m = self.groups[g].configs[ids[g] as usize];
                clash |= occ & m != 0;
                occ |= m;
            }
            if clash {
                continue;
            }
            let slice = self.slices.len() as u32;
            // Whoever is mapped here by `s` is found by the inverse's images; walk the images and store the inverse.
            for s in 0..self.syms.len() {
                let mut im = ids.clone();
                for &g in &self.outer {
                    im[self.image[s][g]] = self.id_map[s][g][ids[g] as usize];
                }
                let there = self.raw_outer(&im);
                if self.orbit[there].0 == NONE {
                    self.orbit[there] = (slice, self.inverse(s) as u8);
                }
            }
            let sl = self.make_slice(self.outer.iter().map(|&g| ids[g]).collect(), occ)?;
            self.entries += sl.bytes;
            self.slices.push(sl);
        }
        Some(())
    }

    fn inverse(&self, s: usize) -> usize {
        let p = &self.syms[s];
        (0..self.syms.len())
            .find(|&i| {
                self.syms[i].swap == p.swap
                    && p.perm.iter().enumerate().all(|(a, &b)| self.syms[i].perm[b as usize] as usize == a)
            })
            .expect("automorphisms form a group")
    }

    /// One slice; `None` if it is too large.
    fn make_slice(&self, outer: Vec<u32>, occ: u64) -> Option<Slice> {
        let mut lists: Vec<Vec<u16>> = vec![];
        let mut mid_local = vec![];
        let mut stride = vec![];
        let mut size = 1u32;
        for &g in &self.mid {
            let mut local = vec![NO_SET; self.groups[g].configs.len()];
            let mut list = vec![];
            for (id, &m) in self.groups[g].configs.iter().enumerate() {
                if m & occ == 0 {
                    local[id] = list.len() as u16;
                    list.push(id as u16);
                }
            }
            stride.push(size);
            size = size.checked_mul(list.len() as u32)?;
            lists.push(list);
            mid_local.push(local);
        }
        let mut block_of = vec![NONE; size as usize];
        let mut blocks = vec![];
        let mut off = 0u64;
        for (raw, slot) in block_of.iter_mut().enumerate() {
            let mut r = raw;
            let mut o = occ;
            let mut mids = [0; MAX_MID];
            let mut clash = false;
            for (i, &g) in self.mid.iter().enumerate() {
                let id = lists[i][r % lists[i].len()];
                r /= lists[i].len();
                let m = self.groups[g].configs[id as usize];
                clash |= o & m != 0;
                o |= m;
                mids[i] = id;
            }
            if clash {
                continue;
            }
            *slot = blocks.len() as u32;
            blocks.push(Block { occ: o, off: off as u32, raw: raw as u32, mids });
            off += (self.row_count(o) * self.columns(o)) as u64;
            if off > MAX_SLICE {
                return None;
            }
        }
        Some(Slice { outer, occ, mid_local, stride, block_of, blocks, base: self.entries, bytes: off })
    }

    /// Bytes that the layout takes, about.
    pub(crate) fn index_bytes(&self) -> u64 {
        let slice = |s: &Slice| (s.block_of.len() * 4 + s.blocks.len() * size_of::<Block>()) as u64;
        self.orbit.len() as u64 * 8 + self.slices.iter().map(slice).sum::<u64>()
    }

    /// Most quiet moves that outer pieces of one side have, and one: the slices that a slice reads.
    pub(crate) fn most_outer_moves(&self, game: &Mechanics<'_>) -> usize {
        let of = |side: usize| -> usize {
            let outer = self.outer.iter().map(|&g| &self.groups[g]).filter(|g| g.side == side);
            outer
                .map(|g| g.count * game.kinds[side][g.ty].quiet.iter().map(Vec::len).max().unwrap_or(0))
                .sum()
        };
        1 + of(0).max(of(1))
    }

    /// A number that differs for layouts that put cells elsewhere.
    pub(crate) fn signature(&self) -> u64 {
        let mut hash = 0;
        let mut add = |word: u64| hash = splitmix64(hash ^ word).1;
        for g in &self.groups {
            add((g.side << 16 | g.ty << 8 | g.count) as u64);
            add(g.allowed);
        }
        for &g in self.outer.iter().chain(&[99]).chain(&self.mid).chain(&[99]).chain(&self.row) {
            add(g as u64);
        }
        for a in &self.syms {
            add(u64::from(a.swap));
            a.perm.iter().for_each(|&s| add(u64::from(s)));
        }
        add(self.entries);
        hash
    }

    /// Where the outer and mid pieces of a block stand.
    pub(crate) fn fixed(&self, sl: &Slice, b: usize) -> Masks {
        let mut m = Masks::default();
        let outer = self.outer.iter().zip(&sl.outer).map(|(&g, &id)| (g, id as usize));
        let mid = self.mid.iter().zip(&sl.blocks[b].mids).map(|(&g, &id)| (g, usize::from(id)));
        for (g, id) in outer.chain(mid) {
            m[self.groups[g].side][self.groups[g].ty] |= self.groups[g].configs[id];
        }
        m
    }

    /// A position of a block with the fixed pieces `base`: row pieces on `rows`, the column piece on `column`.
    pub(crate) fn position(&self, base: &Masks, rows: u64, column: usize) -> Masks {
        let mut m = *base;
        if let Some(g) = self.row {
            m[self.groups[g].side][self.groups[g].ty] |= rows;
        }
        let g = &self.groups[self.column];
        m[g.side][g.ty] |= 1 << column;
        m
    }

    /// Rows of the value matrix of a block whose fixed pieces are `occ`.
    pub(crate) fn row_count(&self, occ: u64) -> usize {
        self.row.map_or(1, |g| {
            let free = (self.groups[g].allowed & !occ).count_ones();
            binomial(free, self.groups[g].count as u32) as usize
        })
    }
    /// Columns of the value matrix of a block whose fixed pieces are `occ`.
    pub(crate) fn columns(&self, occ: u64) -> usize {
        (self.groups[self.column].allowed & !occ).count_ones() as usize
    }
    /// All sets of `k` (the count of the row group) of `n` ranks, in order.
    pub(crate) fn rank_sets(&self, n: usize, k: usize) -> &[u64] {
        self.rank_sets[n].get_or_init(|| sets((!0u64).unbounded_shr(64 - n as u32), k as u32))
    }
    /// Finds the block of a position given the sets of its outer and mid groups (by group).
    #[inline]
    pub(crate) fn place(&self, sets: &[u64]) -> Place {
        let mut raw = 0;
        for &g in &self.outer {
            let gr = &self.groups[g];
            raw = raw * gr.configs.len() + rank(sets[g], gr.allowed) as usize;
        }
        let (slice, sym) = self.orbit[raw];
        let sl = &self.slices[slice as usize];
        let mut b = 0;
        for &g in &self.mid {
            let id = rank(sets[g], self.groups[g].allowed) as usize;
            let to = self.image[sym as usize][g];
            let id = self.id_map[sym as usize][g][id];
            let m = self.mid.iter().position(|&x| x == to).unwrap_or(0);
            b += sl.mid_local[m][id as usize] as u32 * sl.stride[m];
        }
        let number = sl.block_of[b as usize];
        let bl = &sl.blocks[number as usize];
        Place {
            slice,
            sym,
            flip: self.syms[sym as usize].swap,
            base: (sl.base + bl.off as u64) as usize,
            off: bl.off,
            occ: bl.occ,
            columns: self.columns(bl.occ),
        }
    }
    /// Contribution of the row or column group `g` with set `m` (both before the map) to the offset within the block.
    #[inline]
    pub(crate) fn inner_offset(&self, p: &Place, g: usize, m: u64) -> usize {
        let to = self.image[p.sym as usize][g];
        if m & m.wrapping_sub(1) == 0 {
            if m == 0 {
                return 0;
            }
            let s = self.syms[p.sym as usize].perm[m.trailing_zeros() as usize];
            let r = (self.groups[to].allowed & !p.occ & ((1 << s) - 1)).count_ones() as usize;
            return if to == self.column { r } else { r * p.columns };
        }
        let m = self.luts[p.sym as usize].apply(m);
        let r = rank(m, self.groups[to].allowed & !p.occ) as usize;
        if to == self.column { r } else { r * p.columns }
    }
    /// Offset of a whole position among the values of a side to move; `true`: the other side to move.
    pub(crate) fn address(&self, m: &Masks) -> (usize, bool) {
        let mut sets = [0u64; 2 * MAX_TYPES + 1];
        for (i, g) in self.groups.iter().enumerate() {
            sets[i] = m[g.side][g.ty];
        }
        if self.split {
            // Group 0 is the column piece, group 1 the rest of its kind: any choice is right.
            let all = sets[0];
            sets[0] = all & all.wrapping_neg();
            sets[1] = all & (all - 1);
        }
        let p = self.place(&sets);
        let mut a = p.base + self.inner_offset(&p, self.column, sets[self.column]);
        if let Some(g) = self.row {
            a += self.inner_offset(&p, g, sets[g]);
        }
        (a, p.flip)
    }
}

/// Orbits and valid placements of the chosen outer groups.
fn count_orbits(
    groups: &[Group],
    sub: &[usize],
    syms: &[&Automorphism],
    image_of: &dyn Fn(bool, usize) -> usize,
) -> (usize, usize) {
    let luts: Vec<Permutation> = syms.iter().map(|a| Permutation::of(&a.perm)).collect();
    let total: usize = sub.iter().map(|&g| groups[g].configs.len()).product();
    let mut seen = vec![false; total];
    let (mut orbits, mut valid) = (0, 0);
    for raw in 0..total {
        let mut sets = vec![0u64; groups.len()];
        let (mut r, mut occ, mut clash) = (raw, 0, false);
        for &g in sub.iter().rev() {
            sets[g] = groups[g].configs[r % groups[g].configs.len()];
            r /= groups[g].configs.len();
            clash |= occ & sets[g] != 0;
            occ |= sets[g];
        }
        if clash {
            continue;
        }
        valid += 1;
        if seen[raw] {
            continue;
        }
        orbits += 1;
        for (a, lut) in syms.iter().zip(&luts) {
            let mut im = vec![0u64; groups.len()];
            for &g in sub {
                im[image_of(a.swap, g)] = lut.apply(sets[g]);
            }
            let there = sub
                .iter()
                .fold(0, |r, &g| r * groups[g].configs.len() + rank(im[g], groups[g].allowed) as usize);
            seen[there] = true;
        }
    }
    (orbits, valid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retrograde::class::{bounded, closure};
    use jewel_engine::games;

    impl Layout {
        /// Calls `f` with every stored position (sets by side and type) and its offset; overlapping ones are skipped.
        pub(crate) fn for_each(&self, mut f: impl FnMut(&Masks, usize)) {
            for sl in &self.slices {
                for (n, b) in sl.blocks.iter().enumerate() {
                    let fixed = self.fixed(sl, n);
                    let bg = &self.groups[self.column];
                    let mut at = (sl.base + b.off as u64) as usize;
                    let rows = self.row.map_or(vec![0], |g| {
                        sets(self.groups[g].allowed & !b.occ, self.groups[g].count as u32)
                    });
                    for rm in rows {
                        for s in squares(bg.allowed & !b.occ) {
                            if rm >> s & 1 == 0 {
                                let mut m = fixed;
                                if let Some(g) = self.row {
                                    m[self.groups[g].side][self.groups[g].ty] |= rm;
                                }
                                m[bg.side][bg.ty] |= 1 << s;
                                f(&m, at);
                            }
                            at += 1;
                        }
                    }
                }
            }
        }
    }

    fn image(a: &Automorphism, m: &Masks) -> Masks {
        let mut image = Masks::default();
        for s in 0..2 {
            for t in 0..MAX_TYPES {
                let there = &mut image[if a.swap { 1 - s } else { s }][t];
                squares(m[s][t]).for_each(|s| *there |= 1 << a.perm[s]);
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
            let game = Mechanics::new(rules).unwrap();
            let classes = closure(&game, &bounded(&game, pieces).unwrap()).unwrap();
            assert!(!classes.is_empty());
            for class in classes {
                let l = Layout::new(&game, class).unwrap();
                let mut stored = vec![None; l.entries as usize];
                l.for_each(|m, at| {
                    assert_eq!(Class::of(m), class);
                    assert!(stored[at].replace(*m).is_none());
                    if !l.split {
                        assert_eq!(l.address(m), (at, false), "{}", class.name(rules));
                    }
                });
                // A sample of about a thousand, every image of each.
                for m in stored.iter().flatten().step_by(1 + stored.len() / 1000) {
                    for a in &l.syms {
                        let image = image(a, m);
                        let (at, flip) = l.address(&image);
                        let there = stored[at].expect("a cell of a position");
                        let maps = l.syms.iter().filter(|a| a.swap == flip);
                        assert!(maps.into_iter().any(|a| self::image(a, &image) == there));
                    }
                }
            }
        }
    }
}
