//! The loops over rows of weights.
//!
//! A program for any processor of an architecture may use only what all of them have. So on x86-64 these loops are there
//! again for AVX2 and for AVX-512, and what the processor has is found when the program runs. A program that is built for such a
//! processor has them once, inlined. All give the same numbers.

use super::{ONE, Part};

/// Calls the version of a loop for the instructions that the processor has, if the program is not built for them anyway.
macro_rules! fastest {
    ($operation:ident($($argument:expr),*)) => {{
        #[cfg(all(target_arch = "x86_64", not(target_feature = "avx2")))]
        if is_x86_feature_detected!("avx512bw") {
            // SAFETY: the processor has the instructions.
            #[allow(unsafe_code, reason = "functions for a feature of the processor")]
            return unsafe { avx512::$operation($($argument),*) };
        } else if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has the instructions.
            #[allow(unsafe_code, reason = "functions for a feature of the processor")]
            return unsafe { avx2::$operation($($argument),*) };
        }
        plain::$operation($($argument),*)
    }};
}

// For WebAssembly these functions are not inlined: they are then compiled here, for speed and with vector instructions, where
// the callers are compiled for size. Elsewhere a call would cost a twentieth of a search.

/// What a side sees `after` one feature has come and another has gone. It is written in place: returned by a function that is
/// not inlined it would be copied.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
pub(super) fn exchange(after: &mut [Part], before: &[Part], to: &[Part], from: &[Part]) {
    fastest!(exchange(after, before, to, from))
}

/// Adds to what a side sees the row of a feature, or takes it away.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
pub(super) fn change(sums: &mut [Part], row: &[Part], arrives: bool) {
    fastest!(change(sums, row, arrives))
}

/// What the sums of two viewers add to the output, each with its weights.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
pub(super) fn output(sums: [&[Part]; 2], weights: [&[Part]; 2]) -> i64 {
    fastest!(output(sums, weights))
}

/// The loops compiled for AVX2.
#[cfg(all(target_arch = "x86_64", any(test, not(target_feature = "avx2"))))]
mod avx2 {
    use super::{Part, plain};

    #[target_feature(enable = "avx2")]
    pub(super) fn exchange(after: &mut [Part], before: &[Part], to: &[Part], from: &[Part]) {
        plain::exchange(after, before, to, from);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn change(sums: &mut [Part], row: &[Part], arrives: bool) {
        plain::change(sums, row, arrives);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn output(sums: [&[Part]; 2], weights: [&[Part]; 2]) -> i64 {
        plain::output(sums, weights)
    }
}

/// The loops for AVX-512.
#[cfg(all(target_arch = "x86_64", any(test, not(target_feature = "avx2"))))]
mod avx512 {
    use super::super::{PART, WIDTH};
    use super::{ONE, Part, plain};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx512bw")]
    pub(super) fn exchange(after: &mut [Part], before: &[Part], to: &[Part], from: &[Part]) {
        plain::exchange(after, before, to, from);
    }

    #[target_feature(enable = "avx512bw")]
    pub(super) fn change(sums: &mut [Part], row: &[Part], arrives: bool) {
        plain::change(sums, row, arrives);
    }

    const _: () = assert!(WIDTH <= 256 && PART == 64);

    /// The compiler makes vectors of half the size of the plain loop where it does not know the processor: 24 ns instead of 14.
    #[target_feature(enable = "avx512bw")]
    pub(super) fn output(sums: [&[Part]; 2], weights: [&[Part]; 2]) -> i64 {
        let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(ONE as i16));
        // Two sums, so that neither waits for the other; each is of WIDTH numbers, at most 256 · 255² · 127 < 2^31.
        let mut pair = [zero; 2];
        for (sums, weights) in sums.into_iter().zip(weights) {
            for (sums, weights) in sums.iter().zip(weights) {
                for (half, sum) in pair.iter_mut().enumerate() {
                    let clipped = _mm512_min_epi16(_mm512_max_epi16(vector(sums, half), zero), one);
                    let weighted = _mm512_mullo_epi16(clipped, vector(weights, half));
                    *sum = _mm512_add_epi32(*sum, _mm512_madd_epi16(weighted, clipped));
                }
            }
        }
        pair.into_iter().map(|sum| i64::from(_mm512_reduce_add_epi32(sum))).sum()
    }

    /// One half of 64 numbers.
    #[target_feature(enable = "avx512bw")]
    #[inline]
    fn vector(numbers: &Part, half: usize) -> __m512i {
        let half: &[i16; 32] = &numbers.as_chunks().0[half];
        // SAFETY: 32 numbers of 16 bits are the 64 bytes that are read, at any address.
        #[allow(unsafe_code, reason = "reads an array as a vector")]
        unsafe {
            _mm512_loadu_si512(half.as_ptr().cast())
        }
    }
}

mod plain {
    use super::{ONE, Part};

    #[inline(always)]
    pub(super) fn exchange(after: &mut [Part], before: &[Part], to: &[Part], from: &[Part]) {
        for (((sums, before), to), from) in after.iter_mut().zip(before).zip(to).zip(from) {
            for (((sum, before), to), from) in sums.iter_mut().zip(before).zip(to).zip(from) {
                *sum = before.wrapping_add(*to).wrapping_sub(*from);
            }
        }
    }

    #[inline(always)]
    pub(super) fn change(sums: &mut [Part], row: &[Part], arrives: bool) {
        for (sums, row) in sums.iter_mut().zip(row) {
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum = if arrives { sum.wrapping_add(*weight) } else { sum.wrapping_sub(*weight) };
            }
        }
    }

    #[inline(always)]
    pub(super) fn output(sums: [&[Part]; 2], weights: [&[Part]; 2]) -> i64 {
        let mut sum = 0;
        for (sums, weights) in sums.into_iter().zip(weights) {
            for (sums, weights) in sums.iter().zip(weights) {
                sum += i64::from(weighted(sums, weights));
            }
        }
        sum
    }

    /// The sum of squares of the clipped numbers, weighted: at most 64 · 255² · 127 < 2^31.
    #[inline(always)]
    fn weighted(sums: &Part, weights: &Part) -> i32 {
        let mut sum = 0;
        for (&number, &weight) in sums.iter().zip(weights) {
            let clipped = number.clamp(0, ONE as i16);
            // Below 2^15: this order needs no wider numbers than the product of two of 16 bits.
            sum += i32::from(clipped.wrapping_mul(weight)) * i32::from(clipped);
        }
        sum
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::evaluate::net::{MAX_IN_OUTPUTS, MAX_IN_ROWS, PART, WIDTH};
    use jewel_engine::random::Random;

    /// The results of all loops of a version that the processor has, for a row that comes and one that goes.
    macro_rules! all_of {
        ($version:ident, $before:expr, $to:expr, $from:expr, $weights:expr) => {{
            let mut changed = $before.to_vec();
            let mut after = vec![[0; PART]; changed.len()];
            // SAFETY: the processor has the instructions.
            let sum = unsafe {
                $version::change(&mut changed, $to, true);
                $version::change(&mut changed, $from, false);
                $version::exchange(&mut after, $before, $to, $from);
                $version::output([&after, $before], $weights)
            };
            (after, changed, sum)
        }};
    }

    #[test]
    #[allow(unsafe_code, reason = "functions for a feature of the processor")]
    fn all_versions_give_the_same_numbers() {
        let mut random = Random::new(37);
        for parts in 1..=WIDTH / PART {
            let mut row = |most: i16| -> Vec<Part> {
                let mut weight = || random.below(2 * most as u32 + 1) as i16 - most;
                (0..parts).map(|_| std::array::from_fn(|_| weight())).collect()
            };
            for _ in 0..100 {
                let (before, to, from) = (&row(2000)[..], &row(MAX_IN_ROWS)[..], &row(MAX_IN_ROWS)[..]);
                let weights = [&row(MAX_IN_OUTPUTS)[..], &row(MAX_IN_OUTPUTS)[..]];
                let mut after = vec![[0; PART]; parts];
                exchange(&mut after, before, to, from);
                let mut changed = before.to_vec();
                change(&mut changed, to, true);
                change(&mut changed, from, false);
                let sum = output([&after, before], weights);
                let all = |row: &[Part]| -> Vec<i16> { row.iter().flatten().copied().collect() };
                let expected: Vec<i16> =
                    (0..parts * PART).map(|n| all(before)[n] + all(to)[n] - all(from)[n]).collect();
                assert_eq!([all(&after), all(&changed)], [expected.clone(), expected]);
                let squared = |(&number, &weight): (&i16, &i16)| {
                    let clipped = i64::from(number.clamp(0, ONE as i16));
                    clipped * clipped * i64::from(weight)
                };
                let side = |sums: &[Part], weights: &[Part]| -> i64 {
                    all(sums).iter().zip(&all(weights)).map(squared).sum()
                };
                assert_eq!(sum, side(&after, weights[0]) + side(before, weights[1]));
                if is_x86_feature_detected!("avx2") {
                    assert_eq!(
                        all_of!(avx2, before, to, from, weights),
                        (after.clone(), changed.clone(), sum)
                    );
                }
                if is_x86_feature_detected!("avx512bw") {
                    assert_eq!(all_of!(avx512, before, to, from, weights), (after, changed, sum));
                }
            }
        }
    }

    #[test]
    #[allow(unsafe_code, reason = "functions for a feature of the processor")]
    fn the_largest_sums_fit() {
        let sums = [[2000; PART]; WIDTH / PART];
        for weight in [MAX_IN_OUTPUTS, -MAX_IN_OUTPUTS] {
            let weights = [[weight; PART]; WIDTH / PART];
            for parts in 1..=WIDTH / PART {
                let (sums, weights) = ([&sums[..parts]; 2], [&weights[..parts]; 2]);
                let expected = (2 * parts * PART) as i64 * i64::from(ONE * ONE) * i64::from(weight);
                assert_eq!(output(sums, weights), expected);
                // SAFETY: the processor has the instructions.
                unsafe {
                    if is_x86_feature_detected!("avx2") {
                        assert_eq!(avx2::output(sums, weights), expected);
                    }
                    if is_x86_feature_detected!("avx512bw") {
                        assert_eq!(avx512::output(sums, weights), expected);
                    }
                }
            }
        }
    }
}
