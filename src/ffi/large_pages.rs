//! Large pages for large memory: with small pages, most scattered accesses would miss the TLB.

/// Smallest number of bytes for which large pages are requested.
#[cfg(target_os = "linux")]
const WORTH_IT: usize = 4 << 20;

/// Request large pages for memory that was just allocated and not yet written. The request is a hint without other effects.
#[cfg(target_os = "linux")]
pub fn ask_for<T>(first: *const T, count: usize) {
    const LARGE_PAGE: usize = 2 << 20;
    let size = size_of::<T>() * count;
    if size < WORTH_IT {
        return;
    }
    let skipped = first.addr().next_multiple_of(LARGE_PAGE) - first.addr();
    let length = (size - skipped) / LARGE_PAGE * LARGE_PAGE;
    // SAFETY: the call is a hint about whole pages, which moves and frees nothing. A refusal does no harm.
    unsafe {
        libc::madvise(first.wrapping_byte_add(skipped).cast_mut().cast(), length, libc::MADV_HUGEPAGE);
    }
}

/// Other systems choose pages by themselves.
#[cfg(not(target_os = "linux"))]
pub fn ask_for<T>(_: *const T, _: usize) {}
