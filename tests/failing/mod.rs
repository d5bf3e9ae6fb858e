//! The allocator of programs in which each allocation fails in turn: it belongs to a whole program.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr;

struct Failing;

thread_local! {
    static UNTIL: Cell<usize> = const { Cell::new(0) };
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// Let the allocation with this number, from now on, fail in this thread; 0: none. Returns whether one was still to fail.
#[allow(dead_code, reason = "one of the programs only counts")]
pub fn fail_at(number: usize) -> bool {
    UNTIL.replace(number) > 0
}

/// How many allocations this thread has asked for.
#[allow(dead_code, reason = "one of the programs counts")]
pub fn allocations() -> usize {
    COUNT.get()
}

// SAFETY: every call is handed on to the system's allocator unchanged, or fails with a null pointer.
unsafe impl GlobalAlloc for Failing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        let until = UNTIL.get();
        UNTIL.set(until.saturating_sub(1));
        if until == 1 {
            return ptr::null_mut();
        }
        // SAFETY: the caller promises a layout of non-zero size, as the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller promises that the pointer is from `alloc` with this layout, so from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Failing = Failing;
