//! The hint to the processor that something in memory will be read soon.

/// Begins to load the first cache line of a value. It does nothing where there is no such instruction.
///
/// A table that is read at random answers late: whoever has other work to do before asks first.
#[inline(always)]
#[allow(unsafe_code, reason = "the instruction has no safe form")]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch has no effect but on the cache, and the address is that of a living value.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
