//! The operations on AVX2 registers.
#![expect(clippy::needless_range_loop, reason = "iterators and closures may become calls, each for a row")]

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

/// 16 bytes from each of two places.
#[inline]
#[target_feature(enable = "avx2")]
fn both(x: &[u8; 64], at: [usize; 2]) -> __m256i {
    let low: &[u8; 16] = x[at[0]..].first_chunk().expect("16 bytes");
    let high: &[u8; 16] = x[at[1]..].first_chunk().expect("16 bytes");
    // SAFETY: each load covers exactly an array.
    let (low, high) =
        unsafe { (_mm_loadu_si128(low.as_ptr().cast()), _mm_loadu_si128(high.as_ptr().cast())) };
    _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
}

/// The least of 16 bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn least(x: __m128i) -> u8 {
    let pairs = _mm_min_epu8(x, _mm_srli_epi16::<8>(x));
    _mm_cvtsi128_si32(_mm_minpos_epu16(pairs)) as u8
}

/// A shuffle of 64 bytes. Most moves bring neighbours to neighbours: then each 16 bytes of the result come from few
/// consecutive bytes of the source, one window or two of them.
struct WideShuffle {
    /// For each half of the result, what to take of each window, or of each quarter of the source.
    takes: [[__m256i; 4]; 2],
    kill: [__m256i; 2],
    /// Where the windows of the lanes of each half begin.
    windows: [[[usize; 2]; 2]; 2],
    source: Source,
}

/// What a [`WideShuffle`] takes its bytes from. With up to 48 free squares nothing is in the last quarter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    OneWindow,
    TwoWindows,
    ThreeQuarters,
    FourQuarters,
}

/// Where the last window of 64 bytes begins.
const LAST_WINDOW: u8 = 48;

/// Rows for which finding windows pays.
const MANY: usize = 4;

impl WideShuffle {
    /// A shuffle for a number of rows.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new(idx: &[u8], rows: usize) -> Self {
        let halves = [load(idx), load(&idx[32..])];
        let zero = _mm256_setzero_si256();
        let kill = [_mm256_cmpgt_epi8(zero, halves[0]), _mm256_cmpgt_epi8(zero, halves[1])];
        let (windows, widest) =
            if rows < MANY { ([[[0; 2]; 2]; 2], usize::MAX) } else { Self::windows(halves, kill) };
        // A byte with its top bit set selects zero.
        let top = _mm256_set1_epi8(0x70);
        let mut takes = [[top; 4]; 2];
        if widest < 32 {
            for h in 0..2 {
                for w in 0..2 {
                    let [low, high] = windows[h][w];
                    let begin = _mm256_setr_m128i(_mm_set1_epi8(low as i8), _mm_set1_epi8(high as i8));
                    let less = _mm256_sub_epi8(halves[h], begin);
                    takes[h][w] = _mm256_adds_epu8(less, top);
                }
            }
            let source = if widest < 16 { Source::OneWindow } else { Source::TwoWindows };
            return WideShuffle { takes, kill, windows, source };
        }
        for h in 0..2 {
            for q in 0..4 {
                let less = _mm256_sub_epi8(halves[h], _mm256_set1_epi8(16 * q as i8));
                takes[h][q] = _mm256_adds_epu8(less, top);
            }
        }
        let last = _mm256_and_si256(takes[0][3], takes[1][3]);
        let none = _mm256_movemask_epi8(last) == -1;
        let source = if none { Source::ThreeQuarters } else { Source::FourQuarters };
        WideShuffle { takes, kill, windows, source }
    }

    /// Where two windows of each lane begin, and how far beyond the beginning of the first a lane reaches at most.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn windows(halves: [__m256i; 2], kill: [__m256i; 2]) -> ([[[usize; 2]; 2]; 2], usize) {
        let (mut windows, mut widest) = ([[[0; 2]; 2]; 2], 0);
        for h in 0..2 {
            // Bytes that select nothing count as 0.
            let flipped = _mm256_xor_si256(_mm256_andnot_si256(kill[h], halves[h]), _mm256_set1_epi8(-1));
            let lanes = [_mm256_castsi256_si128(halves[h]), _mm256_extracti128_si256::<1>(halves[h])];
            let flipped = [_mm256_castsi256_si128(flipped), _mm256_extracti128_si256::<1>(flipped)];
            for l in 0..2 {
                let first = least(lanes[l]).min(LAST_WINDOW);
                let beyond = (!least(flipped[l])).saturating_sub(first);
                widest = widest.max(beyond.into());
                windows[h][0][l] = first.into();
                windows[h][1][l] = (first + 16).min(LAST_WINDOW).into();
            }
        }
        (windows, widest)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn apply(&self, src: &[u8]) -> [__m256i; 2] {
        let src: &[u8; 64] = src.first_chunk().expect("64 bytes");
        let mut out = self.kill;
        if self.source <= Source::TwoWindows {
            for h in 0..2 {
                let x = both(src, self.windows[h][0]);
                out[h] = _mm256_or_si256(out[h], _mm256_shuffle_epi8(x, self.takes[h][0]));
            }
            if self.source == Source::TwoWindows {
                for h in 0..2 {
                    let x = both(src, self.windows[h][1]);
                    out[h] = _mm256_or_si256(out[h], _mm256_shuffle_epi8(x, self.takes[h][1]));
                }
            }
            return out;
        }
        let a = twice(src[..16].as_array().expect("16"));
        let b = twice(src[16..32].as_array().expect("16"));
        let c = twice(src[32..48].as_array().expect("16"));
        for h in 0..2 {
            let q = &self.takes[h];
            let low = _mm256_or_si256(_mm256_shuffle_epi8(a, q[0]), _mm256_shuffle_epi8(b, q[1]));
            out[h] = _mm256_or_si256(_mm256_or_si256(low, _mm256_shuffle_epi8(c, q[2])), out[h]);
        }
        if self.source == Source::FourQuarters {
            let d = twice(src[48..].as_array().expect("16"));
            for h in 0..2 {
                out[h] = _mm256_or_si256(out[h], _mm256_shuffle_epi8(d, self.takes[h][3]));
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

/// 255 where the bit is set, else 0.
#[inline]
#[target_feature(enable = "avx2")]
fn mask(bits: u32) -> __m256i {
    // Byte i gets the byte of the mask that holds bit i, then is tested for that bit.
    let ones = 0x0101_0101_0101_0101;
    let spread = _mm256_setr_epi64x(0, ones, 2 * ones, 3 * ones);
    let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201u64 as i64);
    let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(bits as i32), spread);
    _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn expand<const N: usize>(bits: u64) -> Row<N> {
    let mut out = [0; N];
    for h in 0..N / 32 {
        store(&mut out[32 * h..], mask((bits >> (32 * h)) as u32));
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
        let [low, high] = WideShuffle::new(idx, 1).apply(table);
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
        let shuffle = WideShuffle::new(idx, pairs.len());
        for &(o, s) in pairs {
            lower_wide(&mut out[o as usize..], shuffle.apply(&src[s as usize..]));
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn fold_single<const N: usize>(out: &mut [u8], src: &[u8], to: &[u8], cols: usize, idx: &Row<N>) {
    let rows = out.as_chunks_mut::<N>().0;
    let rows = &mut rows[..to.len()];
    if N == 32 {
        let shuffle = Shuffle::new(idx);
        for r in 0..rows.len() {
            if to[r] < KILL {
                lower(&mut rows[r], shuffle.apply(&src[to[r] as usize * cols..]));
            }
        }
    } else {
        let shuffle = WideShuffle::new(idx, rows.len());
        for r in 0..rows.len() {
            if to[r] < KILL {
                lower_wide(&mut rows[r], shuffle.apply(&src[to[r] as usize * cols..]));
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn fold_barred<const N: usize>(
    out: &mut [u8],
    src: &[u8],
    pairs: &[(u32, u32)],
    idx: &Row<N>,
    barred: &[u64],
) {
    if N == 32 {
        let shuffle = Shuffle::new(idx);
        for i in 0..pairs.len() {
            let (o, s) = pairs[i];
            let x = _mm256_or_si256(shuffle.apply(&src[s as usize..]), mask(barred[i] as u32));
            lower(&mut out[o as usize..], x);
        }
    } else {
        let shuffle = WideShuffle::new(idx, pairs.len());
        for i in 0..pairs.len() {
            let (o, s) = pairs[i];
            let [low, high] = shuffle.apply(&src[s as usize..]);
            let [shut, shut_high] = [mask(barred[i] as u32), mask((barred[i] >> 32) as u32)];
            let x = [_mm256_or_si256(low, shut), _mm256_or_si256(high, shut_high)];
            lower_wide(&mut out[o as usize..], x);
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn fold_straight<const N: usize>(out: &mut [u8], src: &[u8], pairs: &[(u32, u32)]) {
    for &(o, s) in pairs {
        let s = &src[s as usize..][..N];
        if N == 32 {
            lower(&mut out[o as usize..], load(s));
        } else {
            lower_wide(&mut out[o as usize..], [load(s), load(&s[32..])]);
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn fold_straight_barred<const N: usize>(
    out: &mut [u8],
    src: &[u8],
    pairs: &[(u32, u32)],
    barred: &[u64],
) {
    for i in 0..pairs.len() {
        let (o, s) = pairs[i];
        let s = &src[s as usize..][..N];
        let low = _mm256_or_si256(load(s), mask(barred[i] as u32));
        if N == 32 {
            lower(&mut out[o as usize..], low);
        } else {
            let high = _mm256_or_si256(load(&s[32..]), mask((barred[i] >> 32) as u32));
            lower_wide(&mut out[o as usize..], [low, high]);
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
    for i in 0..32 {
        v[i] = load(&t[32 * i..]);
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
    for i in 0..32 {
        store(&mut t[32 * i..], v[i]);
    }
}
