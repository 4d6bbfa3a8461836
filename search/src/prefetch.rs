//! A hint to the processor, and the only unsafe code of this crate.

/// Begins to load the cache line of a value that will be read soon. It does nothing where there is no such
/// instruction.
#[inline(always)]
#[allow(unsafe_code, reason = "the instruction has no safe form")]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch does not access memory as the language sees it and never faults; the address
        // is one of a living value besides.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
