//! A hint to the processor that a value in memory will be read soon.

/// Starts loading the first cache line of a value, and does not wait for it. Does nothing on processors without such an instruction.
///
/// A random read of a large table takes as long as hundreds of instructions. Prefetching lets other work go on meanwhile.
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
