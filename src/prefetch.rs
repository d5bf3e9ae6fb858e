//! Prefetches: requests for memory before it is needed.

use crate::math::Block;

/// Prefetch all cache lines of a value at an address, which need not be valid.
#[inline(always)]
pub fn fetch<T>(place: *const T) {
    for offset in (0..size_of::<T>()).step_by(CACHE_LINE) {
        fetch_line(place.wrapping_byte_add(offset).cast());
    }
}

/// Prefetch the memory two pages after a block of a contiguous sequence. Processors prefetch such a sequence themselves, but only to
/// the end of a page.
#[inline(always)]
pub fn fetch_beyond(block: *const Block) {
    fetch(block.wrapping_add(AHEAD));
}

/// The number of blocks in two pages.
const AHEAD: usize = 128;

const CACHE_LINE: usize = 64;

#[inline(always)]
fn fetch_line(place: *const i8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint, which does nothing at invalid addresses; every x86-64 has it.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(place);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
