//! Two operations on words that some processors have as one instruction.
//!
//! Which way to take is known when the program is built for a processor that has the instructions; otherwise it is found
//! when the program runs, so that one program runs everywhere and is fast where it can be.
#![allow(unsafe_code, reason = "instructions that the processor may lack")]

/// The bits of `word` that `mask` selects, packed at the low end.
///
/// Attacks of sliders and numbers of sets rest on it; see `docs/results/perft.md` for the gain over the loop.
///
/// ```
/// assert_eq!(jewel_engine::bits::extract(0b1010, 0b1110), 0b101);
/// ```
#[inline(always)]
pub fn extract(word: u64, mask: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if instructions::found() {
        // SAFETY: the processor has the instruction.
        return unsafe { instructions::extract(word, mask) };
    }
    extract_by_loop(word, mask)
}

/// The low bits of `word` spread over the bits of `mask`: undoes [`extract`].
///
/// ```
/// assert_eq!(jewel_engine::bits::deposit(0b101, 0b1110), 0b1010);
/// ```
#[inline(always)]
pub fn deposit(word: u64, mask: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if instructions::found() {
        // SAFETY: the processor has the instruction.
        return unsafe { instructions::deposit(word, mask) };
    }
    deposit_by_loop(word, mask)
}

/// Whether [`extract`] and [`deposit`] are one instruction each on this machine.
#[inline(always)]
pub(crate) fn are_instructions() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        instructions::found()
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

/// The instructions of BMI2.
#[cfg(target_arch = "x86_64")]
mod instructions {
    use std::arch::asm;

    /// Whether the processor has them: a constant where the program is built for one that does, else a load and a test.
    #[inline(always)]
    pub(super) fn found() -> bool {
        std::arch::is_x86_feature_detected!("bmi2")
    }

    /// A function that is compiled for BMI2 alone cannot be inlined into others, and a call takes longer than the instruction:
    /// hence assembly.
    ///
    /// # Safety
    /// The instructions were [`found`].
    #[inline(always)]
    pub(super) unsafe fn extract(word: u64, mask: u64) -> u64 {
        let out;
        // SAFETY: the processor has the instruction, which works on registers alone.
        unsafe {
            asm!("pext {}, {}, {}", out(reg) out, in(reg) word, in(reg) mask, options(pure, nomem, nostack, preserves_flags));
        }
        out
    }

    /// As [`extract`].
    ///
    /// # Safety
    /// The instructions were [`found`].
    #[inline(always)]
    pub(super) unsafe fn deposit(word: u64, mask: u64) -> u64 {
        let out;
        // SAFETY: the processor has the instruction, which works on registers alone.
        unsafe {
            asm!("pdep {}, {}, {}", out(reg) out, in(reg) word, in(reg) mask, options(pure, nomem, nostack, preserves_flags));
        }
        out
    }
}

// Rare where there are instructions, and long: not worth a copy at every place.
#[cfg_attr(target_arch = "x86_64", cold)]
fn extract_by_loop(word: u64, mut mask: u64) -> u64 {
    let (mut out, mut n) = (0, 0);
    while mask != 0 {
        out |= (word >> mask.trailing_zeros() & 1) << n;
        n += 1;
        mask &= mask - 1;
    }
    out
}

#[cfg_attr(target_arch = "x86_64", cold)]
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
