//! Tests that set the number of threads, which belongs to the whole process: one at a time.

mod products;
mod solve;
mod system;

use std::sync::{Mutex, MutexGuard, PoisonError};

use ldy::legacy::c_api::additions::{ldy_set_threads, ldy_shutdown};
use testing::allocator::Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// The right to set the number of threads, until it is dropped.
struct Threads(#[expect(dead_code, reason = "it is held")] MutexGuard<'static, ()>);

impl Threads {
    fn new() -> Self {
        static ONE: Mutex<()> = Mutex::new(());
        Self(ONE.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn set(&self, count: i32) {
        assert_eq!(ldy_set_threads(count), 0);
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        ldy_set_threads(1);
        ldy_shutdown();
    }
}
