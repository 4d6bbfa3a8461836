//! Operations on rows of bytes: AVX-512 with VBMI or AVX2 where the processor has them, plain loops with the same result
//! elsewhere. Which it has is found when the program runs, or when it is built for one that has.
//!
//! All `unsafe` of the kernel is here. An index of [`KILL`] or more in a shuffle yields 255, the worst value for the side
//! that moved there, so that it is never the minimum.
#![allow(unsafe_code, reason = "functions for a feature of the processor")]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod plain;

use super::value::{DRAW, DRAWN, LOST, back, loss};
use jewel_engine::bitboard::Bitboard;

/// Calls the fastest version of an operation that the processor has.
macro_rules! fastest {
    ($operation:ident $(::<$n:ident>)? ($($argument:expr),*)) => {{
        #[cfg(target_arch = "x86_64")]
        {
            if avx512::found() {
                // SAFETY: the processor has the instructions.
                return unsafe { avx512::$operation $(::<$n>)? ($($argument),*) };
            }
            if avx2::found() {
                // SAFETY: the processor has the instructions.
                return unsafe { avx2::$operation $(::<$n>)? ($($argument),*) };
            }
        }
        plain::$operation $(::<$n>)? ($($argument),*)
    }};
}

/// The instructions that the operations use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Instructions {
    /// Those that every processor of its kind has.
    Plain,
    Avx2,
    Avx512,
}

/// The instructions that the operations use on this processor.
pub(crate) fn instructions() -> Instructions {
    #[cfg(target_arch = "x86_64")]
    {
        if avx512::found() {
            return Instructions::Avx512;
        }
        if avx2::found() {
            return Instructions::Avx2;
        }
    }
    Instructions::Plain
}

/// One row: a byte for each square or column. `N` is 32 (boards of at most 32 squares) or 64.
pub(crate) type Row<const N: usize> = [u8; N];

/// Indices from here on select nothing. (The largest index is 63, and adding 64 to `KILL` does not overflow.)
pub(crate) const KILL: u8 = 0xA0;

/// Bytes that must be readable after the last cell of any matrix handed to these functions.
pub(crate) const PAD: usize = 64;

/// For each byte of a mask eight small numbers, least significant first: the ranks of its bits, or the bits that are set.
const fn by_byte(rank: bool) -> [u64; 256] {
    let mut t = [0; 256];
    let mut v = 0;
    while v < 256 {
        let (mut x, mut n, mut i) = (0u64, 0, 0);
        while i < 8 {
            let set = v >> i & 1 != 0;
            if rank {
                x |= (if set { n } else { KILL as u64 }) << (8 * i);
            } else if set {
                x |= i << (8 * n);
            }
            n += set as u64;
            i += 1;
        }
        t[v] = x;
        v += 1;
    }
    t
}
static RANKS: [u64; 256] = by_byte(true);
static MEMBERS: [u64; 256] = by_byte(false);
const ONES: u64 = 0x0101_0101_0101_0101;

/// The rank in `set` of every square; [`KILL`] or more for squares outside.
#[inline(always)]
pub(crate) fn ranks<const N: usize>(set: Bitboard) -> Row<N> {
    let mut out = [KILL; N];
    let mut n = 0;
    for (k, o) in out.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let byte = (set.0 >> (8 * k)) as u8;
        *o = (RANKS[byte as usize] + n * ONES).to_le_bytes();
        n += byte.count_ones() as u64;
    }
    out
}

/// The squares of `set` in order, then [`KILL`].
#[inline(always)]
pub(crate) fn members<const N: usize>(set: Bitboard) -> Row<N> {
    let mut buf = [KILL; 72];
    let mut n = 0;
    for k in 0..N / 8 {
        let byte = (set.0 >> (8 * k)) as u8;
        buf[n..n + 8].copy_from_slice(&(MEMBERS[byte as usize] + k as u64 * 8 * ONES).to_le_bytes());
        n += byte.count_ones() as usize;
    }
    buf[n..].fill(KILL);
    *buf.first_chunk().expect("72 is more than 64")
}

/// The bytes of a mask: 255 where the bit is set, else 0.
#[inline(always)]
pub(crate) fn expand<const N: usize>(bits: u64) -> Row<N> {
    fastest!(expand::<N>(bits))
}

/// Where column `c` lies after a piece has moved: a square with `from` members below it joined the columns ([`KILL`]: none
/// did), and column `to` left them ([`KILL`]: none did).
#[inline(always)]
pub(crate) fn slide<const N: usize>(from: u8, to: u8) -> Row<N> {
    let mut out = [0; N];
    // A plain loop: `from_fn` is not compiled to vector instructions.
    for (i, x) in out.iter_mut().enumerate() {
        let c = i as u8;
        let y = c + (c >= from) as u8 - (c > to) as u8;
        *x = if c == to { KILL } else { y };
    }
    out
}

/// `out[i] = table[idx[i]]`, 255 (which is above [`KILL`]) where the index is [`KILL`] or more.
#[inline(always)]
pub(crate) fn lookup<const N: usize>(table: &Row<N>, idx: &Row<N>) -> Row<N> {
    fastest!(lookup::<N>(table, idx))
}

/// `out[o + c] = min(out[o + c], src[s + idx[c]])` for every pair `(o, s)` and every column `c < N`.
///
/// # Panics
/// If a row of `N` bytes from an offset does not lie in its slice.
#[inline(always)]
pub(crate) fn fold<const N: usize>(out: &mut [u8], src: &[u8], pairs: &[(u32, u32)], idx: &Row<N>) {
    fastest!(fold::<N>(out, src, pairs, idx))
}

/// [`fold`] where each pair bars some columns: a bit for each.
///
/// # Panics
/// As [`fold`], and if there are not as many sets as pairs.
#[inline(always)]
pub(crate) fn fold_barred<const N: usize>(
    out: &mut [u8],
    src: &[u8],
    pairs: &[(u32, u32)],
    idx: &Row<N>,
    barred: &[u64],
) {
    assert_eq!(pairs.len(), barred.len());
    fastest!(fold_barred::<N>(out, src, pairs, idx, barred))
}

/// [`fold`] for rows of one piece: row `r` of `out` (rows of `N` bytes) with row `to[r]` of `src` (rows of `cols`), if
/// `to[r]` is less than [`KILL`].
///
/// # Panics
/// As [`fold`].
#[inline(always)]
pub(crate) fn fold_single<const N: usize>(out: &mut [u8], src: &[u8], to: &[u8], cols: usize, idx: &Row<N>) {
    fastest!(fold_single::<N>(out, src, to, cols, idx))
}

/// Hints that bytes will be read soon; any range is allowed.
#[inline(always)]
pub(crate) fn prefetch(src: &[u8], at: usize, len: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(s) = src.get(at..at + len) {
        for line in s.chunks(64) {
            // SAFETY: a prefetch has no effect but on the cache, and the address is within a slice.
            unsafe {
                std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(line.as_ptr().cast())
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (src, at, len);
}

/// [`fold`] of each column with the same column.
///
/// # Panics
/// As [`fold`].
#[inline(always)]
pub(crate) fn fold_straight<const N: usize>(out: &mut [u8], src: &[u8], pairs: &[(u32, u32)]) {
    fastest!(fold_straight::<N>(out, src, pairs))
}

/// [`fold_straight`] where each pair bars some columns: a bit for each.
///
/// # Panics
/// As [`fold_barred`].
#[inline(always)]
pub(crate) fn fold_straight_barred<const N: usize>(
    out: &mut [u8],
    src: &[u8],
    pairs: &[(u32, u32)],
    barred: &[u64],
) {
    assert_eq!(pairs.len(), barred.len());
    fastest!(fold_straight_barred::<N>(out, src, pairs, barred))
}

/// Writes the new values of a block to `value`, and tells whether any changed: `best` holds the least value after a quiet
/// move (rows of `N` bytes), `bound` the lower bounds. These and `value` are dense rows of `cols`. `tmp` is a buffer.
pub(crate) fn settle<const N: usize>(
    best: &[u8],
    rows: usize,
    cols: usize,
    bound: &[u8],
    value: &mut [u8],
    tmp: &mut Vec<u8>,
) -> bool {
    let n = rows * cols;
    if tmp.len() < n + 2 * N {
        tmp.resize(n + 2 * N, 0);
    }
    // Rows of `N` bytes become dense: each one runs over into the next, which is then written over it.
    for r in 0..rows {
        let (to, from) = (&mut tmp[r * cols..][..N], &best[r * N..][..N]);
        to.copy_from_slice(from);
    }
    fastest!(settle(&tmp[..n], bound, value))
}

#[inline(always)]
fn settled(best: u8, bound: u8) -> u8 {
    match bound {
        LOST => loss(0),
        DRAWN => DRAW,
        _ => back(best).max(bound),
    }
}

/// Transposes `N` rows of `N` bytes.
#[inline(always)]
pub(crate) fn transpose<const N: usize>(t: &mut [Row<N>; N]) {
    fastest!(transpose::<N>(t))
}

#[cfg(test)]
mod tests;
