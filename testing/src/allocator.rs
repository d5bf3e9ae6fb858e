//! An allocator that counts, and fails where a test wants it to. A program that uses it has
//! `#[global_allocator] static ALLOCATOR: Allocator = Allocator;`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// The system's allocator, counted. Allocations of C are not seen.
pub struct Allocator;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static LIVE_BYTES: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static OWN: Cell<Own> = const { Cell::new(Own { allocations: 0, bytes: 0, successes: usize::MAX, all: false }) };
}

/// The counts of a thread, and its next failure.
#[derive(Clone, Copy)]
struct Own {
    allocations: usize,
    bytes: usize,
    /// Allocations before the next failure.
    successes: usize,
    /// Whether all allocations after the first failure fail, too.
    all: bool,
}

/// Allocations and reallocations of all threads so far.
pub fn allocations() -> u64 {
    ALLOCATIONS.load(Relaxed)
}

/// Bytes that all threads allocated and did not free.
pub fn live_bytes() -> usize {
    LIVE_BYTES.load(Relaxed)
}

/// Allocations and reallocations of this thread so far.
pub fn own_allocations() -> usize {
    OWN.get().allocations
}

/// Bytes that this thread allocated and did not free. It wraps around where others' memory is freed.
pub fn own_bytes() -> usize {
    OWN.get().bytes
}

/// Let one allocation of this thread fail: the one with this number, counted from 1. 0: none. Returns whether a failure that was
/// asked for before had not come yet.
pub fn fail_at(number: usize) -> bool {
    fail(number, false)
}

/// Let the allocation of this thread with this number and all later ones fail, until [`fail_at`] or this function is called with 0.
pub fn fail_from(number: usize) {
    fail(number, true);
}

fn fail(number: usize, all: bool) -> bool {
    let own = OWN.get();
    OWN.set(Own { successes: number.wrapping_sub(1), all, ..own });
    own.successes != usize::MAX
}

/// Count an allocation that adds and removes bytes. Returns whether it is to fail.
fn refuses(added: usize, removed: usize) -> bool {
    let mut own = OWN.get();
    own.allocations += 1;
    let refuses = own.successes == 0;
    if own.successes != usize::MAX && !(refuses && own.all) {
        own.successes = own.successes.wrapping_sub(1);
    }
    if !refuses {
        own.bytes = own.bytes.wrapping_add(added).wrapping_sub(removed);
        ALLOCATIONS.fetch_add(1, Relaxed);
        LIVE_BYTES.fetch_add(added.wrapping_sub(removed), Relaxed);
    }
    OWN.set(own);
    refuses
}

// SAFETY: the system's allocator does everything; a null pointer reports what is refused.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if refuses(layout.size(), 0) {
            return ptr::null_mut();
        }
        // SAFETY: the caller promises a layout of nonzero size.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if refuses(layout.size(), 0) {
            return ptr::null_mut();
        }
        // SAFETY: the caller promises a layout of nonzero size.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if refuses(size, layout.size()) {
            return ptr::null_mut();
        }
        // SAFETY: the caller promises memory from here with this layout, so from the system's allocator, and a nonzero size.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        let own = OWN.get();
        OWN.set(Own { bytes: own.bytes.wrapping_sub(layout.size()), ..own });
        LIVE_BYTES.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller promises memory from here with this layout, so from the system's allocator.
        unsafe { System.dealloc(memory, layout) }
    }
}
