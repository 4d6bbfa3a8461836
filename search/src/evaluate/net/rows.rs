//! The loops over rows of weights.
//!
//! A program for any processor of an architecture may use only what all of them have. So on x86-64 these loops are there
//! again for AVX2 and for AVX-512, and what the processor has is found when the program runs. A program that is built for such a
//! processor has them once, inlined. All give the same numbers.

use super::{Accumulator, ONE, PART, Row};

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

/// What both sides see `after` one feature has come and another has gone. It is written in place: returned by a function that is
/// not inlined it would be copied.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
pub(super) fn exchange(
    parts: usize,
    after: &mut Accumulator,
    before: &Accumulator,
    to: [&Row; 2],
    from: [&Row; 2],
) {
    fastest!(exchange(parts, after, before, to, from))
}

/// Adds to what both sides see the rows of a feature, or takes them away.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
pub(super) fn change(parts: usize, sums: &mut Accumulator, rows: [&Row; 2], arrives: bool) {
    fastest!(change(parts, sums, rows, arrives))
}

/// What the rows of two viewers add to the output, each with its weights.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
pub(super) fn output(parts: usize, sums: [&Row; 2], weights: &[Row; 2]) -> i64 {
    fastest!(output(parts, sums, weights))
}

/// The loops compiled for AVX2.
#[cfg(all(target_arch = "x86_64", any(test, not(target_feature = "avx2"))))]
mod avx2 {
    use super::{Accumulator, Row, plain};

    #[target_feature(enable = "avx2")]
    pub(super) fn exchange(
        parts: usize,
        after: &mut Accumulator,
        before: &Accumulator,
        to: [&Row; 2],
        from: [&Row; 2],
    ) {
        plain::exchange(parts, after, before, to, from);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn change(parts: usize, sums: &mut Accumulator, rows: [&Row; 2], arrives: bool) {
        plain::change(parts, sums, rows, arrives);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn output(parts: usize, sums: [&Row; 2], weights: &[Row; 2]) -> i64 {
        plain::output(parts, sums, weights)
    }
}

/// The loops for AVX-512.
#[cfg(all(target_arch = "x86_64", any(test, not(target_feature = "avx2"))))]
mod avx512 {
    use super::super::WIDTH;
    use super::{Accumulator, ONE, PART, Row, plain};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx512bw")]
    pub(super) fn exchange(
        parts: usize,
        after: &mut Accumulator,
        before: &Accumulator,
        to: [&Row; 2],
        from: [&Row; 2],
    ) {
        plain::exchange(parts, after, before, to, from);
    }

    #[target_feature(enable = "avx512bw")]
    pub(super) fn change(parts: usize, sums: &mut Accumulator, rows: [&Row; 2], arrives: bool) {
        plain::change(parts, sums, rows, arrives);
    }

    const _: () = assert!(WIDTH <= 256);

    /// The compiler makes vectors of half the size of the plain loop where it does not know the processor: 24 ns instead of 14.
    #[target_feature(enable = "avx512bw")]
    pub(super) fn output(parts: usize, sums: [&Row; 2], weights: &[Row; 2]) -> i64 {
        let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(ONE as i16));
        // Two sums, so that neither waits for the other; each is of WIDTH numbers, at most 256 · 255² · 127 < 2^31.
        let mut pair = [zero; 2];
        for viewer in 0..2 {
            let (sums, _) = sums[viewer].as_chunks::<64>();
            let (weights, _) = weights[viewer].as_chunks::<64>();
            for (sums, weights) in sums.iter().zip(weights).take(parts * PART / 64) {
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
    fn vector(numbers: &[i16; 64], half: usize) -> __m512i {
        let half: &[i16; 32] = &numbers.as_chunks().0[half];
        // SAFETY: 32 numbers of 16 bits are the 64 bytes that are read, at any address.
        #[allow(unsafe_code, reason = "reads an array as a vector")]
        unsafe {
            _mm512_loadu_si512(half.as_ptr().cast())
        }
    }
}

mod plain {
    use super::{Accumulator, ONE, PART, Row};

    #[inline(always)]
    pub(super) fn exchange(
        parts: usize,
        after: &mut Accumulator,
        before: &Accumulator,
        to: [&Row; 2],
        from: [&Row; 2],
    ) {
        for viewer in 0..2 {
            for part in 0..parts {
                let sums = part_mut(&mut after.0[viewer], part);
                let before = part_of(&before.0[viewer], part);
                let (to, from) = (part_of(to[viewer], part), part_of(from[viewer], part));
                for n in 0..PART {
                    sums[n] = before[n].wrapping_add(to[n]).wrapping_sub(from[n]);
                }
            }
        }
    }

    #[inline(always)]
    pub(super) fn change(parts: usize, sums: &mut Accumulator, rows: [&Row; 2], arrives: bool) {
        for (sums, row) in sums.0.iter_mut().zip(rows) {
            for part in 0..parts {
                let (sums, row) = (part_mut(sums, part), part_of(row, part));
                for n in 0..PART {
                    sums[n] =
                        if arrives { sums[n].wrapping_add(row[n]) } else { sums[n].wrapping_sub(row[n]) };
                }
            }
        }
    }

    #[inline(always)]
    pub(super) fn output(parts: usize, sums: [&Row; 2], weights: &[Row; 2]) -> i64 {
        let mut sum = 0;
        for viewer in 0..2 {
            for part in 0..parts {
                sum += i64::from(weighted(part_of(sums[viewer], part), part_of(&weights[viewer], part)));
            }
        }
        sum
    }

    /// A part of a row.
    #[inline(always)]
    fn part_of(row: &Row, part: usize) -> &[i16; PART] {
        &row.as_chunks().0[part]
    }

    #[inline(always)]
    fn part_mut(row: &mut Row, part: usize) -> &mut [i16; PART] {
        &mut row.as_chunks_mut().0[part]
    }

    /// The sum of squares of the clipped numbers, weighted: at most 128 · 255² · 127 < 2^31.
    #[inline(always)]
    fn weighted(sums: &[i16; PART], weights: &[i16; PART]) -> i32 {
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
    use crate::evaluate::net::{MAX_IN_OUTPUTS, MAX_IN_ROWS, WIDTH};
    use jewel_engine::random::Random;

    /// The results of all loops of a version that the processor has.
    macro_rules! all_of {
        ($version:ident, $parts:expr, $before:expr, $to:expr, $from:expr, $weights:expr) => {{
            let mut changed = $before;
            let mut after = Accumulator([[0; WIDTH]; 2]);
            // SAFETY: the processor has the instructions.
            let sum = unsafe {
                $version::change($parts, &mut changed, $to, true);
                $version::change($parts, &mut changed, $from, false);
                $version::exchange($parts, &mut after, &$before, $to, $from);
                $version::output($parts, [&after.0[1], &after.0[0]], &$weights)
            };
            (after, changed, sum)
        }};
    }

    #[test]
    #[allow(unsafe_code, reason = "functions for a feature of the processor")]
    fn all_versions_give_the_same_numbers() {
        let mut random = Random::new(37);
        let mut row =
            |most: i16| -> Row { std::array::from_fn(|_| random.below(2 * most as u32 + 1) as i16 - most) };
        for parts in 1..=WIDTH / PART {
            for _ in 0..100 {
                let before = Accumulator([row(2000), row(2000)]);
                let [to, from] = [[row(MAX_IN_ROWS), row(MAX_IN_ROWS)], [row(MAX_IN_ROWS), row(MAX_IN_ROWS)]];
                let (to, from) = ([&to[0], &to[1]], [&from[0], &from[1]]);
                let weights = [row(MAX_IN_OUTPUTS), row(MAX_IN_OUTPUTS)];
                let mut after = Accumulator([[0; WIDTH]; 2]);
                exchange(parts, &mut after, &before, to, from);
                let mut changed = before;
                change(parts, &mut changed, to, true);
                change(parts, &mut changed, from, false);
                let sum = output(parts, [&after.0[1], &after.0[0]], &weights);
                for viewer in 0..2 {
                    for n in 0..parts * PART {
                        let expected = before.0[viewer][n] + to[viewer][n] - from[viewer][n];
                        assert_eq!([after.0[viewer][n], changed.0[viewer][n]], [expected; 2]);
                    }
                }
                let squared = |(&number, &weight): (&i16, &i16)| {
                    let clipped = i64::from(number.clamp(0, ONE as i16));
                    clipped * clipped * i64::from(weight)
                };
                let side = |sums: &Row, weights: &Row| -> i64 {
                    sums.iter().zip(weights).take(parts * PART).map(squared).sum()
                };
                assert_eq!(sum, side(&after.0[1], &weights[0]) + side(&after.0[0], &weights[1]));
                if is_x86_feature_detected!("avx2") {
                    assert_eq!(all_of!(avx2, parts, before, to, from, weights), (after, changed, sum));
                }
                if is_x86_feature_detected!("avx512bw") {
                    assert_eq!(all_of!(avx512, parts, before, to, from, weights), (after, changed, sum));
                }
            }
        }
    }

    #[test]
    #[allow(unsafe_code, reason = "functions for a feature of the processor")]
    fn the_largest_sums_fit() {
        let sums = [[2000; WIDTH]; 2];
        for weight in [MAX_IN_OUTPUTS, -MAX_IN_OUTPUTS] {
            let (sums, weights) = ([&sums[0], &sums[1]], [[weight; WIDTH]; 2]);
            for parts in 1..=WIDTH / PART {
                let expected = (2 * parts * PART) as i64 * i64::from(ONE * ONE) * i64::from(weight);
                assert_eq!(output(parts, sums, &weights), expected);
                // SAFETY: the processor has the instructions.
                unsafe {
                    if is_x86_feature_detected!("avx2") {
                        assert_eq!(avx2::output(parts, sums, &weights), expected);
                    }
                    if is_x86_feature_detected!("avx512bw") {
                        assert_eq!(avx512::output(parts, sums, &weights), expected);
                    }
                }
            }
        }
    }
}
