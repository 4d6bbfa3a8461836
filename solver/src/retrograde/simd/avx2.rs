//! The operations on AVX2 registers.

use super::{KILL, Row, plain};
use crate::retrograde::value::{DRAW, DRAWN, loss};
use std::arch::x86_64::*;

/// Whether the processor has the instructions.
#[inline(always)]
pub(super) fn found() -> bool {
    is_x86_feature_detected!("avx2")
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn load(x: &[u8]) -> __m256i {
    let x: &[u8; 32] = x.first_chunk().expect("32 bytes");
    // SAFETY: the load covers exactly the array.
    unsafe { _mm256_loadu_si256(x.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn store(to: &mut [u8], v: __m256i) {
    let to: &mut [u8; 32] = to.first_chunk_mut().expect("32 bytes");
    // SAFETY: the store covers exactly the array.
    unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), v) }
}

/// The same 16 bytes in both halves.
#[inline]
#[target_feature(enable = "avx2")]
fn twice(x: &[u8; 16]) -> __m256i {
    // SAFETY: the load covers exactly the array.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(x.as_ptr().cast()) })
}

/// A shuffle of 32 bytes, prepared from indices.
struct Shuffle {
    low: __m256i,
    high: __m256i,
    kill: __m256i,
}

impl Shuffle {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new(idx: &[u8]) -> Self {
        let i = load(idx);
        Shuffle {
            // A byte with its top bit set selects zero.
            low: _mm256_adds_epu8(i, _mm256_set1_epi8(0x70)),
            high: _mm256_sub_epi8(i, _mm256_set1_epi8(16)),
            kill: _mm256_cmpgt_epi8(_mm256_setzero_si256(), i),
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn apply(&self, src: &[u8]) -> __m256i {
        let src: &[u8; 32] = src.first_chunk().expect("32 bytes");
        let (a, b) = (twice(src[..16].as_array().expect("16")), twice(src[16..].as_array().expect("16")));
        let x = _mm256_or_si256(_mm256_shuffle_epi8(a, self.low), _mm256_shuffle_epi8(b, self.high));
        _mm256_or_si256(x, self.kill)
    }
}

/// A shuffle of 64 bytes.
struct WideShuffle {
    /// For each half of the result, what to take of each quarter of the source.
    quarters: [[__m256i; 4]; 2],
    kill: [__m256i; 2],
    /// Whether anything is taken of the last quarter; with up to 48 free squares nothing is.
    all: bool,
}

impl WideShuffle {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new(idx: &[u8]) -> Self {
        let halves = [load(idx), load(&idx[32..])];
        // A byte with its top bit set selects zero.
        let top = _mm256_set1_epi8(0x70);
        let mut quarters = [[top; 4]; 2];
        let mut kill = [top; 2];
        for h in 0..2 {
            for (q, quarter) in quarters[h].iter_mut().enumerate() {
                let less = _mm256_sub_epi8(halves[h], _mm256_set1_epi8(16 * q as i8));
                *quarter = _mm256_adds_epu8(less, top);
            }
            kill[h] = _mm256_cmpgt_epi8(_mm256_setzero_si256(), halves[h]);
        }
        let last = _mm256_and_si256(quarters[0][3], quarters[1][3]);
        WideShuffle { quarters, kill, all: _mm256_movemask_epi8(last) != -1 }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn apply(&self, src: &[u8]) -> [__m256i; 2] {
        let src: &[u8; 64] = src.first_chunk().expect("64 bytes");
        let a = twice(src[..16].as_array().expect("16"));
        let b = twice(src[16..32].as_array().expect("16"));
        let c = twice(src[32..48].as_array().expect("16"));
        let mut out = self.kill;
        for (out, q) in out.iter_mut().zip(&self.quarters) {
            let low = _mm256_or_si256(_mm256_shuffle_epi8(a, q[0]), _mm256_shuffle_epi8(b, q[1]));
            *out = _mm256_or_si256(_mm256_or_si256(low, _mm256_shuffle_epi8(c, q[2])), *out);
        }
        if self.all {
            let d = twice(src[48..].as_array().expect("16"));
            for (out, q) in out.iter_mut().zip(&self.quarters) {
                *out = _mm256_or_si256(*out, _mm256_shuffle_epi8(d, q[3]));
            }
        }
        out
    }
}

/// Lowers a row of 32 bytes to another: the minimum of both, byte by byte.
#[inline]
#[target_feature(enable = "avx2")]
fn lower(d: &mut [u8], x: __m256i) {
    let y = _mm256_min_epu8(x, load(d));
    store(d, y);
}

/// [`lower`] for a row of 64 bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn lower_wide(d: &mut [u8], x: [__m256i; 2]) {
    let d: &mut [u8; 64] = d.first_chunk_mut().expect("64 bytes");
    let (first, second) = d.split_at_mut(32);
    lower(first, x[0]);
    lower(second, x[1]);
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn expand<const N: usize>(bits: u64) -> Row<N> {
    let mut out = [0; N];
    // Byte i gets the byte of the mask that holds bit i, then is tested for that bit.
    let ones = 0x0101_0101_0101_0101;
    let spread = _mm256_setr_epi64x(0, ones, 2 * ones, 3 * ones);
    let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201u64 as i64);
    for (h, out) in out.as_chunks_mut::<32>().0.iter_mut().enumerate() {
        let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32((bits >> (32 * h)) as i32), spread);
        store(out, _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit));
    }
    out
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn lookup<const N: usize>(table: &Row<N>, idx: &Row<N>) -> Row<N> {
    let mut out = [0; N];
    if N == 32 {
        store(&mut out, Shuffle::new(idx).apply(table));
    } else {
        let [low, high] = WideShuffle::new(idx).apply(table);
        store(&mut out, low);
        store(&mut out[32..], high);
    }
    out
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn fold<const N: usize>(out: &mut [u8], src: &[u8], pairs: &[(u32, u32)], idx: &Row<N>) {
    if N == 32 {
        let shuffle = Shuffle::new(idx);
        for &(o, s) in pairs {
            lower(&mut out[o as usize..], shuffle.apply(&src[s as usize..]));
        }
    } else {
        let shuffle = WideShuffle::new(idx);
        for &(o, s) in pairs {
            lower_wide(&mut out[o as usize..], shuffle.apply(&src[s as usize..]));
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn fold_single<const N: usize>(out: &mut [u8], src: &[u8], to: &[u8], cols: usize, idx: &Row<N>) {
    let rows = out.as_chunks_mut::<N>().0.iter_mut().zip(to);
    if N == 32 {
        let shuffle = Shuffle::new(idx);
        for (d, &s) in rows {
            if s < KILL {
                lower(d, shuffle.apply(&src[s as usize * cols..]));
            }
        }
    } else {
        let shuffle = WideShuffle::new(idx);
        for (d, &s) in rows {
            if s < KILL {
                lower_wide(d, shuffle.apply(&src[s as usize * cols..]));
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn fold_straight<const N: usize>(out: &mut [u8], src: &[u8], pairs: &[(u32, u32)], mask: &Row<N>) {
    if N == 32 {
        let m = load(mask);
        for &(o, s) in pairs {
            lower(&mut out[o as usize..], _mm256_or_si256(load(&src[s as usize..]), m));
        }
    } else {
        let m = [load(mask), load(&mask[32..])];
        for &(o, s) in pairs {
            let s = &src[s as usize..][..N];
            let x = [_mm256_or_si256(load(s), m[0]), _mm256_or_si256(load(&s[32..]), m[1])];
            lower_wide(&mut out[o as usize..], x);
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn settle(best: &[u8], bound: &[u8], value: &mut [u8]) -> bool {
    let mut changed = false;
    let mut at = 0;
    while at + 32 <= best.len() {
        let (x, bound) = (load(&best[at..]), load(&bound[at..]));
        let draw = _mm256_cmpeq_epi8(x, _mm256_set1_epi8(DRAW as i8));
        let high = _mm256_cmpgt_epi8(_mm256_setzero_si256(), x);
        // !v, one more at the draw, two more above it (`draw` is within `high`).
        let flip = _mm256_xor_si256(x, _mm256_set1_epi8(-1));
        let back = _mm256_add_epi8(_mm256_sub_epi8(_mm256_sub_epi8(flip, high), high), draw);
        let x = _mm256_max_epu8(back, bound);
        let lost = _mm256_cmpeq_epi8(bound, _mm256_setzero_si256());
        let drawn = _mm256_cmpeq_epi8(bound, _mm256_set1_epi8(DRAWN as i8));
        let x = _mm256_blendv_epi8(x, _mm256_set1_epi8(loss(0) as i8), lost);
        let x = _mm256_blendv_epi8(x, _mm256_set1_epi8(DRAW as i8), drawn);
        let v = &mut value[at..];
        if _mm256_movemask_epi8(_mm256_cmpeq_epi8(x, load(v))) != -1 {
            changed = true;
            store(v, x);
        }
        at += 32;
    }
    changed | plain::settle(&best[at..], &bound[at..], &mut value[at..])
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn transpose<const N: usize>(t: &mut [Row<N>; N]) {
    if N == 32 {
        quarter(t.as_flattened_mut());
        return;
    }
    // By quarters: each is transposed and goes to the place across.
    let mut quarters = [[[[0u8; 32]; 32]; 2]; 2];
    for (i, row) in t.iter().enumerate() {
        for h in 0..2 {
            quarters[i / 32][h][i % 32].copy_from_slice(&row[32 * h..][..32]);
        }
    }
    for q in quarters.as_flattened_mut() {
        quarter(q.as_flattened_mut());
    }
    for (i, row) in t.iter_mut().enumerate() {
        for h in 0..2 {
            row[32 * h..][..32].copy_from_slice(&quarters[h][i / 32][i % 32]);
        }
    }
}

/// Five perfect shuffles of the rows transpose 32 x 32 bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn quarter(t: &mut [u8]) {
    let mut v = [_mm256_setzero_si256(); 32];
    for (v, row) in v.iter_mut().zip(t.chunks_exact(32)) {
        *v = load(row);
    }
    for _ in 0..5 {
        let w = v;
        for i in 0..16 {
            let lo = _mm256_unpacklo_epi8(w[i], w[i + 16]);
            let hi = _mm256_unpackhi_epi8(w[i], w[i + 16]);
            v[2 * i] = _mm256_permute2x128_si256(lo, hi, 0x20);
            v[2 * i + 1] = _mm256_permute2x128_si256(lo, hi, 0x31);
        }
    }
    for (row, &x) in t.chunks_exact_mut(32).zip(&v) {
        store(row, x);
    }
}
