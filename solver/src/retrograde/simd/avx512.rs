//! The operations on AVX-512 registers: a row of up to 64 bytes is one register, and VBMI permutes its bytes at once.
//!
//! Loops go by number: iterators and closures may become calls, each for a row.

use super::{KILL, Row, avx2, plain};
use crate::retrograde::value::{DRAW, DRAWN, LOST, loss};
use std::arch::x86_64::*;

/// Whether the processor has the instructions.
#[inline(always)]
pub(super) fn found() -> bool {
    is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx2")
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx2")]
fn load(x: &[u8]) -> __m512i {
    let x: &[u8; 64] = x.first_chunk().expect("64 bytes");
    // SAFETY: the load covers exactly the array.
    unsafe { _mm512_loadu_si512(x.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx2")]
fn store(to: &mut [u8], v: __m512i) {
    let to: &mut [u8; 64] = to.first_chunk_mut().expect("64 bytes");
    // SAFETY: the store covers exactly the array.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), v) }
}

/// A shuffle of 64 bytes: indices, and which of them select something.
#[derive(Clone, Copy)]
struct Shuffle(__m512i, __mmask64);

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx2")]
fn shuffle(idx: &[u8]) -> Shuffle {
    let i = load(idx);
    Shuffle(i, _mm512_cmplt_epu8_mask(i, _mm512_set1_epi8(KILL as i8)))
}

/// Lowers a row of 64 bytes to a shuffled one.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx2")]
fn lower(d: &mut [u8], src: &[u8], Shuffle(idx, some): Shuffle) {
    let (x, y) = (_mm512_permutexvar_epi8(idx, load(src)), load(d));
    store(d, _mm512_mask_min_epu8(y, some, y, x));
}

/// A shuffle of 32 bytes.
#[derive(Clone, Copy)]
struct HalfShuffle(__m256i, __mmask32);

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx2")]
fn half_shuffle(idx: &[u8]) -> HalfShuffle {
    let i = avx2::load(idx);
    HalfShuffle(i, _mm256_cmplt_epu8_mask(i, _mm256_set1_epi8(KILL as i8)))
}

/// Lowers a row of 32 bytes to a shuffled one.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx2")]
fn lower_half(d: &mut [u8], src: &[u8], HalfShuffle(idx, some): HalfShuffle) {
    let (x, y) = (_mm256_permutexvar_epi8(idx, avx2::load(src)), avx2::load(d));
    avx2::store(d, _mm256_mask_min_epu8(y, some, y, x));
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx2")]
pub(super) fn expand<const N: usize>(bits: u64) -> Row<N> {
    let mut out = [0; N];
    if N == 32 {
        avx2::store(&mut out, _mm256_movm_epi8(bits as u32));
    } else {
        store(&mut out, _mm512_movm_epi8(bits));
    }
    out
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx2")]
pub(super) fn lookup<const N: usize>(table: &Row<N>, idx: &Row<N>) -> Row<N> {
    let mut out = [0; N];
    if N == 32 {
        let HalfShuffle(idx, some) = half_shuffle(idx);
        let x = _mm256_mask_permutexvar_epi8(_mm256_set1_epi8(-1), some, idx, avx2::load(table));
        avx2::store(&mut out, x);
    } else {
        let Shuffle(idx, some) = shuffle(idx);
        store(&mut out, _mm512_mask_permutexvar_epi8(_mm512_set1_epi8(-1), some, idx, load(table)));
    }
    out
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx2")]
pub(super) fn fold<const N: usize>(out: &mut [u8], src: &[u8], pairs: &[(u32, u32)], idx: &Row<N>) {
    if N == 32 {
        let shuffle = half_shuffle(idx);
        for &(o, s) in pairs {
            lower_half(&mut out[o as usize..], &src[s as usize..], shuffle);
        }
    } else {
        let shuffle = shuffle(idx);
        for &(o, s) in pairs {
            lower(&mut out[o as usize..], &src[s as usize..], shuffle);
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx2")]
pub(super) fn fold_single<const N: usize>(out: &mut [u8], src: &[u8], to: &[u8], cols: usize, idx: &Row<N>) {
    let rows = out.as_chunks_mut::<N>().0;
    let rows = &mut rows[..to.len()];
    if N == 32 {
        let shuffle = half_shuffle(idx);
        for r in 0..rows.len() {
            if to[r] < KILL {
                lower_half(&mut rows[r], &src[to[r] as usize * cols..], shuffle);
            }
        }
    } else {
        let shuffle = shuffle(idx);
        for r in 0..rows.len() {
            if to[r] < KILL {
                lower(&mut rows[r], &src[to[r] as usize * cols..], shuffle);
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx2")]
pub(super) fn fold_barred<const N: usize>(
    out: &mut [u8],
    src: &[u8],
    pairs: &[(u32, u32)],
    idx: &Row<N>,
    barred: &[u64],
) {
    if N == 32 {
        let HalfShuffle(idx, some) = half_shuffle(idx);
        for i in 0..pairs.len() {
            let ((o, s), open) = (pairs[i], some & !(barred[i] as u32));
            lower_half(&mut out[o as usize..], &src[s as usize..], HalfShuffle(idx, open));
        }
    } else {
        let Shuffle(idx, some) = shuffle(idx);
        for i in 0..pairs.len() {
            let ((o, s), open) = (pairs[i], some & !barred[i]);
            lower(&mut out[o as usize..], &src[s as usize..], Shuffle(idx, open));
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx2")]
pub(super) fn fold_straight<const N: usize>(out: &mut [u8], src: &[u8], pairs: &[(u32, u32)]) {
    if N == 32 {
        return avx2::fold_straight::<N>(out, src, pairs);
    }
    for &(o, s) in pairs {
        let d = &mut out[o as usize..];
        store(d, _mm512_min_epu8(load(&src[s as usize..]), load(d)));
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx2")]
pub(super) fn fold_straight_barred<const N: usize>(
    out: &mut [u8],
    src: &[u8],
    pairs: &[(u32, u32)],
    barred: &[u64],
) {
    if N == 32 {
        return avx2::fold_straight_barred::<N>(out, src, pairs, barred);
    }
    for i in 0..pairs.len() {
        let (o, s) = pairs[i];
        let (d, x) = (&mut out[o as usize..], load(&src[s as usize..]));
        let y = load(d);
        store(d, _mm512_mask_min_epu8(y, !barred[i], y, x));
    }
}

/// The new values, for as many bytes as `best` has, and whether any changed.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx2")]
pub(super) fn settle(best: &[u8], bound: &[u8], value: &mut [u8]) -> bool {
    let mut changed = false;
    let mut at = 0;
    while at + 64 <= best.len() {
        let (x, bound) = (load(&best[at..]), load(&bound[at..]));
        // !v, two more above the draw, one more at it.
        let high = _mm512_movepi8_mask(x);
        let draw = _mm512_cmpeq_epu8_mask(x, _mm512_set1_epi8(DRAW as i8));
        let back = _mm512_xor_si512(x, _mm512_set1_epi8(-1));
        let back = _mm512_mask_add_epi8(back, high, back, _mm512_set1_epi8(2));
        let back = _mm512_mask_sub_epi8(back, draw, back, _mm512_set1_epi8(1));
        let x = _mm512_max_epu8(back, bound);
        let lost = _mm512_cmpeq_epu8_mask(bound, _mm512_set1_epi8(LOST as i8));
        let drawn = _mm512_cmpeq_epu8_mask(bound, _mm512_set1_epi8(DRAWN as i8));
        let x = _mm512_mask_blend_epi8(lost, x, _mm512_set1_epi8(loss(0) as i8));
        let x = _mm512_mask_blend_epi8(drawn, x, _mm512_set1_epi8(DRAW as i8));
        let v = &mut value[at..];
        if _mm512_cmpneq_epu8_mask(x, load(v)) != 0 {
            changed = true;
            store(v, x);
        }
        at += 64;
    }
    changed | plain::settle(&best[at..], &bound[at..], &mut value[at..])
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx2")]
pub(super) fn transpose<const N: usize>(t: &mut [Row<N>; N]) {
    avx2::transpose::<N>(t);
}
