//! Memory that is read at random. Its unsafe code is a hint to the system.

use crate::control::Stop;

/// An empty vector with room for exactly `len` items, which are to be read at random: in large pages where the system has them. With
/// pages of 4 KiB most reads of hundreds of mebibytes miss the translation buffer.
pub(crate) fn allocate<T>(len: usize) -> Result<Vec<T>, Stop> {
    let mut list = Vec::new();
    list.try_reserve_exact(len).map_err(|_| Stop::Allocation { bytes: (len * size_of::<T>()) as u64 })?;
    prefer_large_pages(&mut list);
    Ok(list)
}

/// The smallest page that is larger than usual, in bytes.
#[cfg(target_os = "linux")]
const LARGE_PAGE: usize = 2 << 20;

/// Asks for large pages where nothing has been written yet.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "the system call has no safe form")]
pub(crate) fn prefer_large_pages<T>(list: &mut Vec<T>) {
    let free = list.spare_capacity_mut().as_mut_ptr_range();
    let start = free.start.cast::<u8>();
    let skipped = start.align_offset(LARGE_PAGE);
    let bytes = size_of_val(list.spare_capacity_mut()).saturating_sub(skipped) / LARGE_PAGE * LARGE_PAGE;
    if bytes == 0 {
        return;
    }
    // SAFETY: whole pages that this vector owns alone. The advice changes neither what is in them nor whether they may be read; where
    // it fails, reading is slower, and that is all.
    let _ = unsafe { libc::madvise(start.wrapping_add(skipped).cast(), bytes, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn prefer_large_pages<T>(_: &mut Vec<T>) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_of_any_size_is_free_to_use() {
        for len in [0, 1, 4096, 1 << 18, (1 << 20) + 1] {
            let mut list = allocate::<u64>(len).unwrap();
            assert!(list.is_empty() && list.capacity() == len);
            list.extend(0..len as u64);
            assert!(list.iter().zip(0..).all(|(&item, n)| item == n));
        }
        assert!(matches!(allocate::<u64>(usize::MAX / 16), Err(Stop::Allocation { .. })));
    }
}
