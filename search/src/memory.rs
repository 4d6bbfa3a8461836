//! Memory for the transposition table. Its unsafe code is cache lines in large pages.

use std::sync::atomic::AtomicU64;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub(crate) use heap::Lines;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub(crate) use mapped::Lines;

/// A cache line of words in pairs.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(crate) struct Line(pub(crate) [[AtomicU64; 2]; 4]);

const _: () = assert!(size_of::<Line>() == 64);

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
mod mapped {
    use super::Line;
    use memmap2::MmapMut;

    /// Cache lines, at first all zeros, in large pages where the system has them: a table of many mebibytes is read at
    /// random, and with pages of 4 KiB most reads would miss the translation buffer.
    #[derive(Debug)]
    pub(crate) struct Lines(MmapMut);

    impl Lines {
        /// This many lines; `None` if the memory is not available.
        pub(crate) fn zeroed(count: usize) -> Option<Lines> {
            let map = MmapMut::map_anon(count.checked_mul(size_of::<Line>())?).ok()?;
            // A hint: without large pages it is slower, and that is all.
            #[cfg(target_os = "linux")]
            let _ = map.advise(memmap2::Advice::HugePage);
            assert!(map.as_ptr().cast::<Line>().is_aligned() && map.len() / size_of::<Line>() == count);
            Some(Lines(map))
        }

        /// All lines.
        #[inline(always)]
        #[allow(unsafe_code, reason = "bytes of a mapping become atomic words")]
        pub(crate) fn all(&self) -> &[Line] {
            // SAFETY: the mapping is private to this value, lives as long, begins at a line's boundary (checked when it
            // was made) and has all of these lines; any bits are words, and nothing but these words is ever read or
            // written.
            unsafe {
                std::slice::from_raw_parts(self.0.as_ptr().cast::<Line>(), self.0.len() / size_of::<Line>())
            }
        }
    }
}

/// Where no system maps memory: WebAssembly has one memory, and no pages that could be large.
#[cfg(any(test, all(target_family = "wasm", target_os = "unknown")))]
mod heap {
    use super::Line;

    /// Cache lines, at first all zeros.
    #[derive(Debug)]
    pub(crate) struct Lines(Vec<Line>);

    impl Lines {
        /// This many lines; `None` if the memory is not available.
        pub(crate) fn zeroed(count: usize) -> Option<Lines> {
            let mut lines = Vec::new();
            lines.try_reserve_exact(count).ok()?;
            lines.resize_with(count, Line::default);
            Some(Lines(lines))
        }

        /// All lines.
        #[inline(always)]
        pub(crate) fn all(&self) -> &[Line] {
            &self.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    fn are_zeros_until_they_are_written(lines: &[Line]) {
        let words = || lines.iter().flat_map(|line| &line.0).flatten();
        assert_eq!(words().count(), 800_000);
        assert!(words().all(|word| word.load(Relaxed) == 0));
        words().zip(1..).for_each(|(word, n)| word.store(n, Relaxed));
        assert!(words().zip(1..).all(|(word, n)| word.load(Relaxed) == n));
    }

    #[test]
    fn lines_are_zeros_until_they_are_written() {
        are_zeros_until_they_are_written(Lines::zeroed(100_000).unwrap().all());
        assert!(Lines::zeroed(usize::MAX).is_none() && Lines::zeroed(usize::MAX / 64).is_none());
        are_zeros_until_they_are_written(heap::Lines::zeroed(100_000).unwrap().all());
        assert!(heap::Lines::zeroed(usize::MAX).is_none() && heap::Lines::zeroed(usize::MAX / 64).is_none());
    }
}
