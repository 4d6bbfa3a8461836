//! Moves that promote: rare enough to be looked at one by one.

use super::layout::{Layout, Slice};
use super::mechanics::{Kind, MAX_TYPES, Masks, squares};
use super::solved::Known;
use jewel_engine::bits::deposit;

/// The promotions of a class.
pub(crate) struct Promotions<'a, const N: usize> {
    known: Known<'a>,
    layout: &'a Layout,
    /// `[side][type]`: squares from which a piece that the class has may promote.
    from: [[u64; MAX_TYPES]; 2],
}

impl<'a, const N: usize> Promotions<'a, N> {
    /// Finds where pieces of a class promote.
    pub(crate) fn new(known: Known<'a>, layout: &'a Layout) -> Self {
        let mut from = [[0; MAX_TYPES]; 2];
        for s in 0..2 {
            for (t, kind) in known.game.kinds[s].iter().enumerate().filter(|(t, _)| layout.class.0[s][*t] > 0)
            {
                from[s][t] = ready(kind);
            }
        }
        Promotions { known, layout, from }
    }

    /// Lowers `out` (rows of `N` bytes) to the least value, for the opponent, that a promotion leads to.
    pub(crate) fn block(&self, sl: &Slice, b: usize, turn: usize, out: &mut [u8]) {
        let from = &self.from[turn];
        if from.iter().all(|&set| set == 0) {
            return;
        }
        let l = self.layout;
        let base = l.fixed(sl, b);
        let fixed_ready = base[turn].iter().zip(from).any(|(m, f)| m & f != 0);
        let ready_in = |g: usize| if l.groups[g].side == turn { from[l.groups[g].ty] } else { 0 };
        let occ = sl.blocks[b].occ;
        let (row_from, column_from) = (l.row.map_or(0, ready_in), ready_in(l.column));
        let row_free = l.row.map_or(0, |g| l.groups[g].allowed & !occ);
        let count = l.row.map_or(0, |g| l.groups[g].count);
        let free = l.groups[l.column].allowed & !occ;
        for (r, &set) in l.rank_sets(row_free.count_ones() as usize, count).iter().enumerate() {
            let m = deposit(set, row_free);
            let row_ready = fixed_ready || m & row_from != 0;
            for (c, s) in squares(free).enumerate() {
                if m >> s & 1 == 0 && (row_ready || column_from >> s & 1 != 0) {
                    let cell = &mut out[r * N + c];
                    *cell = (*cell).min(self.best(&l.position(&base, m, s), turn));
                }
            }
        }
    }

    /// The least value for the opponent after a promotion; 255 if there is none.
    fn best(&self, m: &Masks, turn: usize) -> u8 {
        let prey = m[1 - turn].iter().fold(0, |a, &x| a | x);
        let occupied = m[turn].iter().fold(prey, |a, &x| a | x);
        let mut best = 255;
        for (t, kind) in self.known.game.kinds[turn].iter().enumerate() {
            for s in squares(m[turn][t] & self.from[turn][t]) {
                for p in &kind.promoting[s] {
                    let to = 1u64 << p.step.to;
                    let open = p.quiet && occupied & to == 0 || p.capture && prey & to != 0;
                    // Nobody takes a royal piece: the position before is illegal.
                    let regicide = self.known.game.royal.is_some_and(|royal| m[1 - turn][royal] & to != 0);
                    if !open || regicide || p.step.path & occupied != 0 {
                        continue;
                    }
                    let mut next = *m;
                    next[turn][t] ^= 1 << s;
                    next[turn][usize::from(p.becomes)] |= to;
                    next[1 - turn].iter_mut().for_each(|set| *set &= !to);
                    best = best.min(self.known.probe(&next, 1 - turn));
                }
            }
        }
        best
    }
}

/// Squares from which a piece may promote.
fn ready(kind: &Kind) -> u64 {
    let squares = kind.promoting.iter().enumerate().filter(|(_, list)| !list.is_empty());
    squares.fold(0, |set, (s, _)| set | 1 << s)
}
