//! The operations as plain loops: what the vector instructions must give too.

use super::{KILL, Row, settled};

#[inline(always)]
pub(super) fn expand<const N: usize>(bits: u64) -> Row<N> {
    std::array::from_fn(|i| if bits >> i & 1 != 0 { 255 } else { 0 })
}

#[inline(always)]
pub(super) fn lookup<const N: usize>(table: &Row<N>, idx: &Row<N>) -> Row<N> {
    std::array::from_fn(|i| if idx[i] < KILL { table[idx[i] as usize & (N - 1)] } else { 255 })
}

#[inline(always)]
pub(super) fn fold<const N: usize>(out: &mut [u8], src: &[u8], pairs: &[(u32, u32)], idx: &Row<N>) {
    for &(o, s) in pairs {
        let (d, s) = (&mut out[o as usize..][..N], &src[s as usize..][..N]);
        for (d, &i) in d.iter_mut().zip(idx) {
            if i < KILL {
                *d = (*d).min(s[i as usize & (N - 1)]);
            }
        }
    }
}

#[inline(always)]
pub(super) fn fold_single<const N: usize>(out: &mut [u8], src: &[u8], to: &[u8], cols: usize, idx: &Row<N>) {
    for (r, &s) in to.iter().enumerate().filter(|x| *x.1 < KILL) {
        fold::<N>(out, src, &[((r * N) as u32, s as u32 * cols as u32)], idx);
    }
}

#[inline(always)]
pub(super) fn fold_barred<const N: usize>(
    out: &mut [u8],
    src: &[u8],
    pairs: &[(u32, u32)],
    idx: &Row<N>,
    barred: &[u64],
) {
    for (pair, &barred) in pairs.iter().zip(barred) {
        let open = std::array::from_fn(|c| if barred >> c & 1 != 0 { KILL } else { idx[c] });
        fold::<N>(out, src, std::slice::from_ref(pair), &open);
    }
}

#[inline(always)]
pub(super) fn fold_straight<const N: usize>(out: &mut [u8], src: &[u8], pairs: &[(u32, u32)]) {
    for &(o, s) in pairs {
        let (d, s) = (&mut out[o as usize..][..N], &src[s as usize..][..N]);
        d.iter_mut().zip(s).for_each(|(d, &s)| *d = (*d).min(s));
    }
}

#[inline(always)]
pub(super) fn fold_straight_barred<const N: usize>(
    out: &mut [u8],
    src: &[u8],
    pairs: &[(u32, u32)],
    barred: &[u64],
) {
    fold_barred::<N>(out, src, pairs, &std::array::from_fn(|c| c as u8), barred);
}

/// The new values, for as many bytes as `best` has, and whether any changed.
#[inline(always)]
pub(super) fn settle(best: &[u8], bound: &[u8], value: &mut [u8]) -> bool {
    let mut changed = false;
    for ((&best, &bound), value) in best.iter().zip(bound).zip(value) {
        let x = settled(best, bound);
        changed |= x != *value;
        *value = x;
    }
    changed
}

#[inline(always)]
pub(super) fn transpose<const N: usize>(t: &mut [Row<N>; N]) {
    for i in 0..N {
        for j in 0..i {
            let x = t[i][j];
            t[i][j] = t[j][i];
            t[j][i] = x;
        }
    }
}
