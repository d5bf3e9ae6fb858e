//! An allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// The system's allocator, counted.
pub struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static LIVE_BYTES: AtomicUsize = AtomicUsize::new(0);

/// Allocations and reallocations so far.
pub fn allocations() -> u64 {
    ALLOCATIONS.load(Relaxed)
}

/// Bytes allocated and not freed, not counting those allocated in C.
pub fn live_bytes() -> usize {
    LIVE_BYTES.load(Relaxed)
}

fn count(bytes: usize) {
    ALLOCATIONS.fetch_add(1, Relaxed);
    LIVE_BYTES.fetch_add(bytes, Relaxed);
}

// SAFETY: every call goes to the system's allocator as it comes.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: promised by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: promised by the caller.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        LIVE_BYTES.fetch_sub(layout.size(), Relaxed);
        // SAFETY: promised by the caller.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE_BYTES.fetch_sub(layout.size(), Relaxed);
        // SAFETY: promised by the caller.
        unsafe { System.dealloc(memory, layout) }
    }
}
