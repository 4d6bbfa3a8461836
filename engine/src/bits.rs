//! Two operations on words that some processors have as one instruction.

/// The bits of `word` that `mask` selects, packed at the low end.
///
/// Attacks of sliders and numbers of sets rest on it; see `docs/results/perft.md` for the gain over the loop.
///
/// ```
/// assert_eq!(jewel_engine::bits::extract(0b1010, 0b1110), 0b101);
/// ```
#[inline(always)]
pub fn extract(word: u64, mask: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    {
        // SAFETY: compiled only where every function may use BMI2.
        unsafe { std::arch::x86_64::_pext_u64(word, mask) }
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    {
        extract_by_loop(word, mask)
    }
}

/// The low bits of `word` spread over the bits of `mask`: undoes [`extract`].
///
/// ```
/// assert_eq!(jewel_engine::bits::deposit(0b101, 0b1110), 0b1010);
/// ```
#[inline(always)]
pub fn deposit(word: u64, mask: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    {
        // SAFETY: compiled only where every function may use BMI2.
        unsafe { std::arch::x86_64::_pdep_u64(word, mask) }
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    {
        deposit_by_loop(word, mask)
    }
}

#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "bmi2"))))]
fn extract_by_loop(word: u64, mut mask: u64) -> u64 {
    let (mut out, mut n) = (0, 0);
    while mask != 0 {
        out |= (word >> mask.trailing_zeros() & 1) << n;
        n += 1;
        mask &= mask - 1;
    }
    out
}

#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "bmi2"))))]
fn deposit_by_loop(word: u64, mut mask: u64) -> u64 {
    let (mut out, mut n) = (0, 0);
    while mask != 0 {
        out |= (word >> n & 1) << mask.trailing_zeros();
        n += 1;
        mask &= mask - 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zobrist::splitmix64;

    #[test]
    fn instructions_and_loops_agree() {
        let mut state = 1;
        for _ in 0..2000 {
            let (a, word) = splitmix64(state);
            let (b, mask) = splitmix64(a);
            state = b;
            for mask in [mask, 0, !0, mask & mask >> 7] {
                assert_eq!(extract(word, mask), extract_by_loop(word, mask));
                assert_eq!(deposit(word, mask), deposit_by_loop(word, mask));
                assert_eq!(deposit(extract(word, mask), mask), word & mask);
            }
        }
    }
}
