//! Large pages for large memory: where it is read and written all over, most steps would miss the table of small ones.

/// Bytes from which on large pages are asked for.
const WORTH_IT: usize = 4 << 20;

/// Ask for large pages under memory that has just been allocated and not been written yet. It is a hint: nothing else changes.
pub fn ask_for<T>(first: *const T, count: usize) {
    const LARGE_PAGE: usize = 2 << 20;
    let size = size_of::<T>() * count;
    if size < WORTH_IT {
        return;
    }
    let skipped = first.addr().next_multiple_of(LARGE_PAGE) - first.addr();
    let length = (size - skipped) / LARGE_PAGE * LARGE_PAGE;
    #[cfg(target_os = "linux")]
    // SAFETY: a hint about whole pages, which moves and frees nothing; that it is not taken does no harm.
    unsafe {
        libc::madvise(first.wrapping_byte_add(skipped).cast_mut().cast(), length, libc::MADV_HUGEPAGE);
    }
}
