//! The best capture of every position of a block, read from the child classes block against block.
//!
//! With outer and mid pieces fixed, one capture maps (some rows) x (some columns) of the block to one block of the child
//! class, where the offset is a row term plus a column term: find the block once, then take minima of shuffled rows.
use super::child::{Child, Columns, Kid, Out, Role, Taken, Way, way};
use super::layout::{Layout, Slice};
use super::mechanics::{MAX_TYPES, Masks, Mechanics, squares};
use super::simd::{self, KILL};
use super::solved::Known;
use jewel_engine::bits::deposit;
use jewel_tables::combination::rank;

/// Squares from which a piece captures on a square, with the squares that must be empty on the way.
type Captors = Vec<(u8, u64)>;

/// Captures of one class.
pub(crate) struct Captures<'a, const N: usize> {
    game: &'a Mechanics<'a>,
    layout: &'a Layout,
    kids: [[Option<Child<'a, N>>; MAX_TYPES]; 2],
    /// `[side][type][target]`.
    attackers: [Vec<Vec<Captors>>; 2],
}

/// A worker's lists.
#[derive(Default)]
pub(crate) struct Scratch {
    all: Vec<(u32, u64)>,
    rows: Vec<(u32, u64)>,
    pairs: Vec<(u32, u32)>,
    fixed: Vec<(usize, usize, usize)>,
}

impl<'a, const N: usize> Captures<'a, N> {
    /// Finds the children of a class and the roles of its pieces there.
    ///
    /// # Panics
    /// If a child has not been solved.
    pub(crate) fn new(known: Known<'a>, layout: &'a Layout) -> Self {
        let game = known.game;
        let mut kids: [[Option<Child<'_, N>>; MAX_TYPES]; 2] = Default::default();
        let c = layout.class;
        for s in 0..2 {
            for t in 0..MAX_TYPES {
                if c.0[s][t] == 0 || game.royal == Some(t) {
                    continue;
                }
                let k = c.without(s, t);
                if game.terminal(k) {
                    kids[s][t] = Some(Child::Over);
                    continue;
                }
                let view = known.view(k);
                let cl = &view.table.layout;
                let ways = [Taken::Neither, Taken::Row, Taken::Column].map(|x| way(layout, &view, x));
                let perms = cl
                    .syms
                    .iter()
                    .map(|a| {
                        std::array::from_fn(|q| match &view.swap {
                            _ if q >= game.squares => KILL,
                            Some((p, _)) => a.perm[p[q] as usize],
                            None => a.perm[q],
                        })
                    })
                    .collect();
                kids[s][t] = Some(Child::Table(Kid { view, ways, perms }));
            }
        }
        let attackers = [0, 1].map(|s| {
            game.kinds[s]
                .iter()
                .map(|k| {
                    let mut v = vec![vec![]; game.squares];
                    for from in squares(k.allowed) {
                        for st in &k.capture[from] {
                            v[st.to as usize].push((from as u8, st.path));
                        }
                    }
                    v
                })
                .collect()
        });
        Captures { game, layout, kids, attackers }
    }

    /// Lowers `out` (rows of `N` bytes, 255 at first) to the least value, for the opponent, that a capture leads to.
    pub(crate) fn block(&self, sl: &Slice, b: usize, stm: usize, sc: &mut Scratch, out: &mut [u8]) {
        let l = self.layout;
        let bl = &sl.blocks[b];
        let occ = bl.occ;
        let foe = 1 - stm;
        let base = l.fixed(sl, b);
        let mut fixed = std::mem::take(&mut sc.fixed);
        fixed.clear();
        for (side, kinds) in base.iter().enumerate() {
            for (ty, &set) in kinds.iter().enumerate() {
                fixed.extend(squares(set).map(|s| (side, ty, s)));
            }
        }
        let row = l.row.map(|g| &l.groups[g]);
        let column = &l.groups[l.column];
        sc.all.clear();
        match row {
            None => sc.all.push((0, 0)),
            Some(g) if g.count == 1 => {
                sc.all
                    .extend(squares(g.allowed & !occ).enumerate().map(|(i, s)| ((i * N) as u32, 1u64 << s)));
            }
            Some(g) => {
                let free = g.allowed & !occ;
                let sets = l.rank_sets(free.count_ones() as usize, g.count);
                sc.all.extend(sets.iter().enumerate().map(|(i, &r)| ((i * N) as u32, deposit(r, free))));
            }
        }
        let free = column.allowed & !occ;
        let mut out = Out { cells: out, free };
        let out = &mut out;
        let every = Columns { from: free, to: None };
        let foe_occ: u64 = base[foe].iter().fold(0, |a, &x| a | x);
        let own_occ: u64 = base[stm].iter().fold(0, |a, &x| a | x);

        // Fixed pieces capture.
        for &(side, ty, s) in &fixed {
            if side != stm {
                continue;
            }
            for st in &self.game.kinds[stm][ty].capture[s] {
                let (t, path) = (st.to, st.path);
                if path & occ != 0 || own_occ >> t & 1 != 0 {
                    continue;
                }
                let mut f = base;
                f[stm][ty] ^= 1 << s | 1 << t;
                let clear = Columns { from: free & !path, to: None };
                if foe_occ >> t & 1 != 0 {
                    let vt = fixed.iter().find(|p| p.2 == t as usize).map_or(0, |p| p.1);
                    f[foe][vt] ^= 1 << t;
                    sc.select(|m| m & path == 0, 0);
                    self.emit(foe, vt, Taken::Neither, &f, clear, sc, out);
                    continue;
                }
                if let Some(g) = row
                    && g.side == foe
                    && g.allowed >> t & 1 != 0
                {
                    if g.count == 1 {
                        let r = rank(1 << t, g.allowed & !occ) as usize * N;
                        sc.rows.clear();
                        sc.rows.push((r as u32, 0));
                    } else {
                        sc.select(|m| m >> t & 1 != 0 && m & path == 0, 1 << t);
                    }
                    self.emit(foe, g.ty, Taken::Row, &f, clear, sc, out);
                }
                if column.side == foe && column.allowed >> t & 1 != 0 {
                    sc.select(|m| m & (path | 1 << t) == 0, 0);
                    self.emit(foe, column.ty, Taken::Column, &f, Columns { from: 1 << t, to: None }, sc, out);
                }
            }
        }
        // The row pieces capture.
        if let Some(g) = row
            && g.side == stm
        {
            for &(side, vt, t) in &fixed {
                if side != foe {
                    continue;
                }
                let mut f = base;
                f[foe][vt] ^= 1 << t;
                let mut plain = std::mem::take(&mut sc.rows);
                plain.clear();
                for &(s, path) in &self.attackers[stm][g.ty][t] {
                    if (path | 1 << s) & occ != 0 {
                        continue;
                    }
                    let hits = sc.all.iter().filter(|r| r.1 >> s & 1 != 0 && r.1 & path == 0);
                    let hits = hits.map(|r| (r.0, r.1 ^ (1 << s | 1 << t)));
                    if path == 0 {
                        plain.extend(hits);
                    } else {
                        sc.rows = hits.collect();
                        self.emit(
                            foe,
                            vt,
                            Taken::Neither,
                            &f,
                            Columns { from: free & !path, to: None },
                            sc,
                            out,
                        );
                    }
                }
                sc.rows = plain;
                self.emit(foe, vt, Taken::Neither, &f, every, sc, out);
            }
            if column.side == foe {
                self.row_takes_column(occ, stm, &base, sc, out);
            }
        }
        // The column piece captures.
        if column.side == stm {
            for &(side, vt, t) in &fixed {
                if side != foe {
                    continue;
                }
                let mut f = base;
                f[foe][vt] ^= 1 << t;
                let to = Some(t as u8);
                let mut plain = 0;
                for &(s, path) in &self.attackers[stm][column.ty][t] {
                    if (path | 1 << s) & occ != 0 {
                        continue;
                    }
                    if path == 0 {
                        plain |= 1 << s;
                    } else {
                        sc.select(|m| m & path == 0, 0);
                        self.emit(foe, vt, Taken::Neither, &f, Columns { from: free & 1 << s, to }, sc, out);
                    }
                }
                if plain & free != 0 {
                    sc.select(|_| true, 0);
                    self.emit(foe, vt, Taken::Neither, &f, Columns { from: plain & free, to }, sc, out);
                }
            }
            if row.is_some_and(|g| g.side == foe) {
                self.column_takes_row(occ, stm, &base, sc, out);
            }
        }
        sc.fixed = fixed;
    }

    /// Row pieces capture the column piece: the child has the row pieces with one on the target, whatever square it came from.
    fn row_takes_column(&self, occ: u64, stm: usize, base: &Masks, sc: &mut Scratch, out: &mut Out<'_>) {
        let l = self.layout;
        let (column, row) = (&l.groups[l.column], &l.groups[l.row.expect("rows")]);
        let foe = 1 - stm;
        let all = std::mem::take(&mut sc.all);
        let single = matches!(
            self.kids[foe][column.ty],
            Some(Child::Table(Kid { ways: [_, _, Way::Terms(Role::Inner(_) | Role::Halves, _)], .. }))
        );
        if single {
            let Some(Child::Table(kid)) = &self.kids[foe][column.ty] else { unreachable!() };
            let f = kid.frame(Taken::Column, foe, base);
            let role = kid.role(Taken::Column, true);
            let cols = simd::ranks::<N>(out.free);
            for &(off, r) in &all {
                for s in squares(r) {
                    for st in &self.game.kinds[stm][row.ty].capture[s] {
                        let t = st.to;
                        if out.free >> t & 1 != 0 && (st.path & (occ | r) | r & 1 << t) == 0 {
                            let v = f.src[f.row_term(role, r ^ (1 << s | 1 << t)) as usize];
                            let d = &mut out.cells[off as usize + cols[t as usize] as usize];
                            *d = v.min(*d);
                        }
                    }
                }
            }
        } else {
            for &(off, r) in &all {
                for s in squares(r) {
                    for st in &self.game.kinds[stm][row.ty].capture[s] {
                        let t = st.to;
                        if out.free >> t & 1 != 0 && (st.path & (occ | r) | r & 1 << t) == 0 {
                            sc.rows.clear();
                            sc.rows.push((off, r ^ (1 << s | 1 << t)));
                            self.emit(
                                foe,
                                column.ty,
                                Taken::Column,
                                base,
                                Columns { from: 1 << t, to: None },
                                sc,
                                out,
                            );
                        }
                    }
                }
            }
        }
        sc.all = all;
    }

    /// The column piece captures a row piece: the child has the column piece on the target, whatever square it came from.
    fn column_takes_row(&self, occ: u64, stm: usize, base: &Masks, sc: &mut Scratch, out: &mut Out<'_>) {
        let l = self.layout;
        let (column, row) = (&l.groups[l.column], &l.groups[l.row.expect("rows")]);
        let foe = 1 - stm;
        let all = std::mem::take(&mut sc.all);
        for &(off, r) in &all {
            for t in squares(r) {
                let mut plain = 0;
                for &(s, path) in &self.attackers[stm][column.ty][t] {
                    if path & (occ | r) == 0 && (occ | r) >> s & 1 == 0 && out.free >> s & 1 != 0 {
                        plain |= 1 << s;
                    }
                }
                if plain != 0 {
                    sc.rows.clear();
                    sc.rows.push((off, r ^ 1 << t));
                    self.emit(
                        foe,
                        row.ty,
                        Taken::Row,
                        base,
                        Columns { from: plain, to: Some(t as u8) },
                        sc,
                        out,
                    );
                }
            }
        }
        sc.all = all;
    }

    /// Lowers the selected cells to the child's values. `f`: the fixed pieces after the capture; `sc.rows`: offset of each
    /// row here and its pieces after the capture.
    #[allow(clippy::too_many_arguments)]
    fn emit(
        &self,
        foe: usize,
        vt: usize,
        taken: Taken,
        f: &Masks,
        cols: Columns,
        sc: &mut Scratch,
        out: &mut Out<'_>,
    ) {
        // A royal piece is never captured: the position before is illegal.
        if sc.rows.is_empty() || cols.from == 0 || self.game.royal == Some(vt) {
            return;
        }
        let l = self.layout;
        let kid = self.kids[foe][vt].as_ref().expect("victim exists");
        let Child::Table(kid) = kid else {
            let all = std::mem::take(&mut sc.rows);
            self.each(&all, cols, taken, f, out, |m| self.game.over(m, foe));
            sc.rows = all;
            return;
        };
        match kid.ways[taken as usize] {
            Way::Single => {
                let all = std::mem::take(&mut sc.rows);
                self.each(&all, cols, taken, f, out, |m| kid.view.get(m, foe));
                sc.rows = all;
            }
            Way::Pair => self.emit_pair(kid, taken, foe, f, cols, sc, out),
            Way::Terms(Role::Deep, Role::Deep) => {
                let all = std::mem::take(&mut sc.rows);
                self.each(&all, cols, taken, f, out, |m| kid.view.get(m, foe));
                sc.rows = all;
            }
            Way::Terms(Role::Deep, _) => {
                let g = &l.groups[l.row.expect("rows")];
                let all = std::mem::take(&mut sc.rows);
                for &(off, r) in &all {
                    if f.iter().flatten().all(|x| x & r == 0) {
                        let mut m = *f;
                        m[g.side][g.ty] |= r;
                        let fr = kid.frame(taken, foe, &m);
                        sc.pairs.clear();
                        sc.pairs.push((off, 0));
                        // A column on a row piece is no position, and has no place there.
                        let clash = if taken == Taken::Column { 0 } else { r };
                        let cols = Columns { from: cols.from & !clash, ..cols };
                        fr.lower(&sc.pairs, cols, taken == Taken::Column, out);
                    }
                }
                sc.rows = all;
            }
            Way::Terms(role, Role::Deep) => {
                let g = &l.groups[l.column];
                for s in squares(cols.from) {
                    let to = cols.to.map_or(s, |t| t as usize);
                    // The captor may have taken a row piece there: no position.
                    if f.iter().flatten().any(|x| x >> to & 1 != 0) {
                        continue;
                    }
                    let mut m = *f;
                    m[g.side][g.ty] |= 1 << to;
                    let fr = kid.frame(taken, foe, &m);
                    let c = (out.free & ((1 << s) - 1)).count_ones();
                    for &(off, r) in &sc.rows {
                        if r >> to & 1 == 0 {
                            let v = fr.src[fr.row_term(role, r) as usize];
                            let d = &mut out.cells[(off + c) as usize];
                            *d = v.min(*d);
                        }
                    }
                }
            }
            Way::Terms(role, _) => {
                let fr = kid.frame(taken, foe, f);
                sc.pairs.clear();
                if role == Role::Absent {
                    sc.pairs.extend(sc.rows.iter().map(|r| (r.0, 0)));
                } else if let Role::Inner(_) = role
                    && sc.rows[0].1.is_power_of_two()
                {
                    let t = &fr.row;
                    let u = fr.row_unit;
                    sc.pairs.extend(
                        sc.rows.iter().map(|r| (r.0, t[r.1.trailing_zeros() as usize & (N - 1)] as u32 * u)),
                    );
                } else {
                    sc.pairs.extend(sc.rows.iter().map(|r| (r.0, fr.row_term(role, r.1))));
                }
                fr.lower(&sc.pairs, cols, taken == Taken::Column, out);
            }
        }
    }

    /// Row and column piece are a pair there: found by the smaller and the larger of two ranks.
    #[allow(clippy::too_many_arguments)]
    fn emit_pair<'s>(
        &'s self,
        kid: &Kid<'a, N>,
        taken: Taken,
        foe: usize,
        f: &Masks,
        cols: Columns,
        sc: &mut Scratch,
        out: &mut Out<'_>,
    ) {
        let fr = kid.frame(taken, foe, f);
        let cl = &kid.view.table.layout;
        let g = cl.image[fr.place.sym as usize][cl.row.expect("rows")];
        let ranks = simd::ranks::<N>(cl.groups[g].allowed & !fr.place.occ);
        let rank = simd::lookup(&ranks, &kid.perms[fr.place.sym as usize]);
        for &(off, r) in &sc.rows {
            let i = rank[r.trailing_zeros() as usize] as usize;
            for s in squares(cols.from) {
                let to = cols.to.map_or(s, |t| t as usize);
                let j = rank[to] as usize;
                if i != j {
                    let (lo, hi) = (i.min(j), i.max(j));
                    let v = fr.src[(hi * (hi - 1) / 2 + lo) * fr.place.columns];
                    let c = (out.free & ((1 << s) - 1)).count_ones();
                    let d = &mut out.cells[(off + c) as usize];
                    *d = v.min(*d);
                }
            }
        }
    }

    /// A position at a time.
    fn each(
        &self,
        rows: &[(u32, u64)],
        cols: Columns,
        taken: Taken,
        f: &Masks,
        out: &mut Out<'_>,
        value: impl Fn(&Masks) -> u8,
    ) {
        let l = self.layout;
        let column = &l.groups[l.column];
        let occ = f.iter().flatten().fold(0, |a, &x| a | x);
        for &(off, r) in rows {
            for s in squares(cols.from) {
                let b = if taken == Taken::Column { 0 } else { 1u64 << cols.to.map_or(s, |t| t as usize) };
                if r & b | (r | b) & occ != 0 {
                    continue;
                }
                let mut m = *f;
                if let Some(g) = l.row {
                    m[l.groups[g].side][l.groups[g].ty] |= r;
                }
                m[column.side][column.ty] |= b;
                let c = (out.free & ((1 << s) - 1)).count_ones();
                let d = &mut out.cells[(off + c) as usize];
                *d = (*d).min(value(&m));
            }
        }
    }
}

impl Scratch {
    /// Selects rows, with the squares `flip` taken off.
    fn select(&mut self, keep: impl Fn(u64) -> bool, flip: u64) {
        self.rows.clear();
        self.rows.extend(self.all.iter().filter(|r| keep(r.1)).map(|r| (r.0, r.1 ^ flip)));
    }
}
