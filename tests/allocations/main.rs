//! Tests that count allocations or let them fail, in a program with an allocator of its own. It counts each thread, so that tests
//! can run next to each other.

mod factors;
mod gradient;
mod solve;
mod solve_system;
mod stability;
mod sync;
mod system_reuse;

use testing::allocator::Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;
