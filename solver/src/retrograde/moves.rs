//! Quiet moves within a class, prepared: of groups of like pieces, of outer pieces from slice to slice, and of the row and
//! column pieces as translations.
use super::layout::{Layout, NONE, Slice};
use super::mechanics::{Mechanics, Step, squares};
use super::simd::{KILL, Row};
use jewel_tables::combination::rank;

/// A quiet move of one of a group of like pieces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupMove {
    /// Id of the group's set after it.
    pub(crate) to_id: u32,
    /// The squares it goes from and to.
    pub(crate) from: u8,
    pub(crate) to: u8,
    /// Squares between.
    pub(crate) path: u64,
    /// Squares that must be empty: the path and the target.
    pub(crate) clear: u64,
    /// Squares of enemies that capture *en passant*, if one of which stands there the move is not made by whole blocks: see
    /// [`super::en_passant`]. 0 in classes without such enemies.
    pub(crate) guard: u64,
}

/// All quiet steps of a type that are translates of one another.
#[derive(Debug)]
pub(crate) struct Shift {
    /// Target less origin.
    pub(crate) delta: i32,
    /// Offsets from the origin of squares that must be empty.
    pub(crate) path: Vec<i32>,
    /// Where it exists.
    pub(crate) from: u64,
    /// `[square]`: the target, as a table for look-ups.
    pub(crate) to: Vec<u8>,
    /// For each square: the origins whose path it is on.
    pub(crate) through: Vec<u64>,
    /// By origin, as in [`GroupMove`]; `guarded`: the origins where there is one.
    pub(crate) guard: Vec<u64>,
    pub(crate) guarded: u64,
}
impl Shift {
    /// Origins from which path and target are within `free`.
    #[inline]
    pub(crate) fn open(&self, free: u64) -> u64 {
        let pull = |d: i32| if d >= 0 { free >> d } else { free << -d };
        self.path.iter().fold(self.from & free & pull(self.delta), |x, &p| x & pull(p))
    }

    /// The origins among some that enemies on these squares guard.
    #[inline]
    pub(crate) fn answered(&self, origins: u64, enemies: u64) -> u64 {
        let hit = |&q: &usize| self.guard[q] & enemies != 0;
        squares(origins & self.guarded).filter(hit).fold(0, |set, q| set | 1 << q)
    }
}

/// A move of an outer piece: to another slice, seen through an automorphism.
#[derive(Debug)]
pub(crate) struct OuterMove {
    /// The slice it leads to, and as a position in [`Plan::near`].
    pub(crate) slice: u32,
    pub(crate) near: u8,
    pub(crate) sym: u8,
    /// Squares that must be empty.
    pub(crate) clear: u64,
    /// As in [`GroupMove`].
    pub(crate) guard: u64,
    /// For each mid group: id to its part of the block number there.
    parts: Vec<Vec<u32>>,
}

/// The outer moves of a slice, by side to move.
#[derive(Default, Debug)]
pub(crate) struct Plan {
    pub(crate) outer: [Vec<OuterMove>; 2],
    /// Halves that the side to move reads: slice and side to move there.
    pub(crate) near: [Vec<(u32, u8)>; 2],
}

/// The moves of a class.
#[derive(Debug)]
pub(crate) struct Moves {
    /// `[group][id]`.
    pub(crate) group: Vec<Vec<Vec<GroupMove>>>,
    /// Of the column piece, and of each row piece.
    pub(crate) column: Vec<Shift>,
    pub(crate) row: Vec<Shift>,
    /// By slice.
    pub(crate) plans: Vec<Plan>,
    /// By side to move: the types of the enemies that may answer it *en passant*, a bit each; 0 where none can.
    pub(crate) captors: u32,
}

impl Moves {
    /// Prepares the moves of a class.
    pub(crate) fn new(game: &Mechanics<'_>, l: &Layout) -> Moves {
        let captors = if l.class.may_capture_en_passant(game) { game.captors } else { 0 };
        let guard = |st: &Step| if captors != 0 { st.guard } else { 0 };
        let group = l
            .groups
            .iter()
            .map(|g| {
                let k = &game.kinds[g.side][g.ty];
                let of = |m: u64| {
                    let open = |st: &&Step| m & (st.path | 1 << st.to) == 0 && g.allowed >> st.to & 1 != 0;
                    let steps =
                        squares(m).flat_map(|s| k.quiet[s].iter().filter(open).map(move |st| (s, st)));
                    steps
                        .map(|(s, st)| GroupMove {
                            to_id: rank(m ^ (1 << s | 1 << st.to), g.allowed) as u32,
                            from: s as u8,
                            to: st.to,
                            path: st.path,
                            clear: st.path | 1 << st.to,
                            guard: guard(st),
                        })
                        .collect()
                };
                g.configs.iter().map(|&m| of(m)).collect()
            })
            .collect();
        let shifts = |g: usize| {
            let g = &l.groups[g];
            shifts(&game.kinds[g.side][g.ty].quiet, g.allowed, guard)
        };
        let row = l.row.map_or(vec![], shifts);
        let mut m = Moves { group, column: shifts(l.column), row, plans: vec![], captors };
        m.plans = (0..l.slices.len()).map(|i| m.plan(l, i)).collect();
        m
    }

    fn plan(&self, l: &Layout, i: usize) -> Plan {
        let sl = &l.slices[i];
        let mut plan = Plan::default();
        for stm in 0..2 {
            plan.near[stm].push((i as u32, 1 - stm as u8));
        }
        for (k, &g) in l.outer.iter().enumerate() {
            let stm = l.groups[g].side;
            for m in &self.group[g][sl.outer[k] as usize] {
                if m.clear & sl.occ != 0 {
                    continue;
                }
                let mut ids = sl.outer.clone();
                ids[k] = m.to_id;
                let raw = l
                    .outer
                    .iter()
                    .zip(&ids)
                    .fold(0, |r, (&g, &id)| r * l.groups[g].configs.len() + id as usize);
                let (slice, sym) = l.orbit[raw];
                let to = &l.slices[slice as usize];
                let half = (slice, (1 - stm as u8) ^ l.syms[sym as usize].swap as u8);
                let near = plan.near[stm].iter().position(|&x| x == half).unwrap_or_else(|| {
                    plan.near[stm].push(half);
                    plan.near[stm].len() - 1
                });
                let parts = l
                    .mid
                    .iter()
                    .map(|&g| {
                        let j = l
                            .mid
                            .iter()
                            .position(|&x| x == l.image[sym as usize][g])
                            .expect("mid maps to mid");
                        let map = &l.id_map[sym as usize][g];
                        map.iter()
                            .map(|&id| (to.mid_local[j][id as usize] as u32).wrapping_mul(to.stride[j]))
                            .collect()
                    })
                    .collect();
                let (near, clear, guard) = (near as u8, m.clear, m.guard);
                plan.outer[stm].push(OuterMove { slice, near, sym, clear, guard, parts });
            }
        }
        plan
    }
}

impl OuterMove {
    /// Number of the block that it leads to from block `b`, or [`NONE`].
    #[inline]
    pub(crate) fn block(&self, l: &Layout, sl: &Slice, b: usize) -> u32 {
        let bl = &sl.blocks[b];
        if self.clear & bl.occ != 0 {
            return NONE;
        }
        let n = self.parts.iter().zip(&bl.mids).fold(0, |n, (part, &id)| n + part[id as usize]);
        l.slices[self.slice as usize].block_of[n as usize]
    }
}

/// Steps grouped by translation and path.
fn shifts(steps: &[Vec<Step>], allowed: u64, guard: impl Fn(&Step) -> u64) -> Vec<Shift> {
    let mut v: Vec<Shift> = vec![];
    for s in squares(allowed) {
        for st in steps[s].iter().filter(|st| allowed >> st.to & 1 != 0) {
            let delta = st.to as i32 - s as i32;
            let path: Vec<i32> = squares(st.path).map(|p| p as i32 - s as i32).collect();
            let k = v.iter().position(|x| x.delta == delta && x.path == path).unwrap_or_else(|| {
                v.push(Shift {
                    delta,
                    path,
                    from: 0,
                    to: vec![KILL; 64],
                    through: vec![0; 64],
                    guard: vec![0; 64],
                    guarded: 0,
                });
                v.len() - 1
            });
            v[k].from |= 1 << s;
            v[k].to[s] = st.to;
            v[k].guard[s] = guard(st);
            v[k].guarded |= u64::from(guard(st) != 0) << s;
            for p in squares(st.path) {
                v[k].through[p] |= 1 << s;
            }
        }
    }
    v
}

/// The first `N` entries of a table by square.
#[inline(always)]
pub(crate) fn by_square<const N: usize>(t: &[u8]) -> &Row<N> {
    t.first_chunk().expect("tables by square have 64 entries")
}
