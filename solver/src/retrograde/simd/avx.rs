//! The same operations on AVX2 registers.

use crate::retrograde::value::{DRAW, DRAWN, loss};
use std::arch::x86_64::*;

#[inline(always)]
pub(super) fn load(x: &[u8]) -> __m256i {
    let x: &[u8; 32] = x.first_chunk().expect("32 bytes");
    // SAFETY: avx2 is enabled for this build; the load covers exactly the array.
    unsafe { _mm256_loadu_si256(x.as_ptr().cast()) }
}

#[inline(always)]
pub(super) fn store(to: &mut [u8], v: __m256i) {
    let to: &mut [u8; 32] = to.first_chunk_mut().expect("32 bytes");
    // SAFETY: avx2 is enabled for this build; the store covers exactly the array.
    unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), v) }
}

/// The same 16 bytes in both halves.
#[inline(always)]
fn twice(x: &[u8; 16]) -> __m256i {
    // SAFETY: avx2 is enabled for this build; the load covers exactly the array.
    unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(x.as_ptr().cast())) }
}

/// A shuffle of 32 bytes, prepared from indices.
pub(super) struct Shuffle {
    low: __m256i,
    high: __m256i,
    kill: __m256i,
}
impl Shuffle {
    #[inline(always)]
    pub(super) fn new(idx: &[u8]) -> Self {
        let i = load(idx);
        // SAFETY: avx2 is enabled for this build; register operations only.
        unsafe {
            Shuffle {
                // A byte with its top bit set selects zero.
                low: _mm256_adds_epu8(i, _mm256_set1_epi8(0x70)),
                high: _mm256_sub_epi8(i, _mm256_set1_epi8(16)),
                kill: _mm256_cmpgt_epi8(_mm256_setzero_si256(), i),
            }
        }
    }
    #[inline(always)]
    pub(super) fn apply(&self, src: &[u8]) -> __m256i {
        let src: &[u8; 32] = src.first_chunk().expect("32 bytes");
        let (a, b) = (twice(src[..16].as_array().expect("16")), twice(src[16..].as_array().expect("16")));
        // SAFETY: avx2 is enabled for this build; register operations only.
        unsafe {
            let x = _mm256_or_si256(_mm256_shuffle_epi8(a, self.low), _mm256_shuffle_epi8(b, self.high));
            _mm256_or_si256(x, self.kill)
        }
    }
}

/// A shuffle of 64 bytes.
pub(super) struct WideShuffle {
    /// For each half of the result, what to take of each quarter of the source.
    quarters: [[__m256i; 4]; 2],
    kill: [__m256i; 2],
    /// Whether anything is taken of the last quarter; with up to 48 free squares nothing is.
    all: bool,
}
impl WideShuffle {
    #[inline(always)]
    pub(super) fn new(idx: &[u8]) -> Self {
        let halves = [load(idx), load(&idx[32..])];
        // SAFETY: avx2 is enabled for this build; register operations only.
        unsafe {
            let quarter = |i: __m256i, q: i8| {
                // A byte with its top bit set selects zero.
                _mm256_adds_epu8(_mm256_sub_epi8(i, _mm256_set1_epi8(16 * q)), _mm256_set1_epi8(0x70))
            };
            let quarters = halves.map(|i| [quarter(i, 0), quarter(i, 1), quarter(i, 2), quarter(i, 3)]);
            let last = _mm256_and_si256(quarters[0][3], quarters[1][3]);
            WideShuffle {
                quarters,
                kill: halves.map(|i| _mm256_cmpgt_epi8(_mm256_setzero_si256(), i)),
                all: _mm256_movemask_epi8(last) != -1,
            }
        }
    }
    #[inline(always)]
    pub(super) fn apply(&self, src: &[u8]) -> [__m256i; 2] {
        let src: &[u8; 64] = src.first_chunk().expect("64 bytes");
        let part = |q: usize| twice(src[16 * q..][..16].as_array().expect("16"));
        let (a, b, c) = (part(0), part(1), part(2));
        // SAFETY: avx2 is enabled for this build; register operations only.
        unsafe {
            let pick = |h: usize| {
                let q = &self.quarters[h];
                let low = _mm256_or_si256(_mm256_shuffle_epi8(a, q[0]), _mm256_shuffle_epi8(b, q[1]));
                _mm256_or_si256(_mm256_or_si256(low, _mm256_shuffle_epi8(c, q[2])), self.kill[h])
            };
            let mut out = [pick(0), pick(1)];
            if self.all {
                let d = part(3);
                for (out, q) in out.iter_mut().zip(&self.quarters) {
                    *out = _mm256_or_si256(*out, _mm256_shuffle_epi8(d, q[3]));
                }
            }
            out
        }
    }
}

/// Lowers a row of 64 bytes to another: the minimum of both, byte by byte.
#[inline(always)]
pub(super) fn lower(d: &mut [u8], x: [__m256i; 2]) {
    let d: &mut [u8; 64] = d.first_chunk_mut().expect("64 bytes");
    let (first, second) = d.split_at_mut(32);
    store(first, min(x[0], load(first)));
    store(second, min(x[1], load(second)));
}

/// 255 where the bit is set, else 0.
#[inline(always)]
pub(super) fn expand(bits: u32) -> __m256i {
    // SAFETY: avx2 is enabled for this build; register operations only.
    unsafe {
        let one = |k: i64| 0x0101_0101_0101_0101 * k;
        // Byte i gets the byte of the mask that holds bit i, then is tested for that bit.
        let bytes = _mm256_shuffle_epi8(
            _mm256_set1_epi32(bits as i32),
            _mm256_setr_epi64x(0, one(1), one(2), one(3)),
        );
        let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201u64 as i64);
        _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit)
    }
}

#[inline(always)]
pub(super) fn min(a: __m256i, b: __m256i) -> __m256i {
    // SAFETY: avx2 is enabled for this build; register operations only.
    unsafe { _mm256_min_epu8(a, b) }
}

#[inline(always)]
pub(super) fn or(a: __m256i, b: __m256i) -> __m256i {
    // SAFETY: avx2 is enabled for this build; register operations only.
    unsafe { _mm256_or_si256(a, b) }
}

/// `max(bound, back(best))`, and lost or drawn where the bound is [`LOST`](crate::retrograde::value::LOST) or [`DRAWN`].
#[inline(always)]
pub(super) fn settle(best: __m256i, bound: __m256i) -> __m256i {
    // SAFETY: avx2 is enabled for this build; register operations only.
    unsafe {
        let ones = _mm256_set1_epi8(-1);
        let draw = _mm256_cmpeq_epi8(best, _mm256_set1_epi8(-128));
        let high = _mm256_cmpgt_epi8(_mm256_setzero_si256(), best);
        // !v, one more at the draw, two more above it (`draw` is within `high`).
        let flip = _mm256_xor_si256(best, ones);
        let back = _mm256_add_epi8(_mm256_sub_epi8(_mm256_sub_epi8(flip, high), high), draw);
        let x = _mm256_max_epu8(back, bound);
        let lost = _mm256_cmpeq_epi8(bound, _mm256_setzero_si256());
        let drawn = _mm256_cmpeq_epi8(bound, _mm256_set1_epi8(DRAWN as i8));
        let x = _mm256_blendv_epi8(x, _mm256_set1_epi8(loss(0) as i8), lost);
        _mm256_blendv_epi8(x, _mm256_set1_epi8(DRAW as i8), drawn)
    }
}

#[inline(always)]
pub(super) fn differ(a: __m256i, b: __m256i) -> bool {
    // SAFETY: avx2 is enabled for this build; register operations only.
    unsafe { _mm256_movemask_epi8(_mm256_cmpeq_epi8(a, b)) != -1 }
}

/// Five perfect shuffles of the rows transpose 32 x 32 bytes.
#[inline(always)]
pub(super) fn transpose(t: &mut [[u8; 32]]) {
    let t: &mut [[u8; 32]; 32] = t.try_into().expect("32 rows");
    let mut v: [__m256i; 32] = std::array::from_fn(|i| load(&t[i]));
    for _ in 0..5 {
        let w = v;
        for i in 0..16 {
            // SAFETY: avx2 is enabled for this build; register operations only.
            unsafe {
                let lo = _mm256_unpacklo_epi8(w[i], w[i + 16]);
                let hi = _mm256_unpackhi_epi8(w[i], w[i + 16]);
                v[2 * i] = _mm256_permute2x128_si256(lo, hi, 0x20);
                v[2 * i + 1] = _mm256_permute2x128_si256(lo, hi, 0x31);
            }
        }
    }
    for (r, &x) in t.iter_mut().zip(&v) {
        store(r, x);
    }
}
