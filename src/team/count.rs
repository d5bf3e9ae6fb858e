//! The number of threads that the host has requested.

use std::ffi::CStr;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// Most threads of a team.
pub const MOST: usize = 1024;

/// The id of the process that made the request in the upper half, the number of threads in the lower half; 0 before the first request.
/// One word holds both, since a child may fork at any time.
static ASKED: AtomicU64 = AtomicU64::new(0);

/// Request a number of threads, from 1 to [`MOST`]. The next team has that number.
pub fn ask(count: usize) {
    ASKED.store(u64::from(process::id()) << 32 | count.clamp(1, MOST) as u64, Ordering::Relaxed);
}

/// The number of threads requested. In a forked child only the child's own request counts; without one the number is 1.
pub fn asked() -> usize {
    let asked = ASKED.load(Ordering::Relaxed);
    match asked >> 32 {
        0 => {
            let count = by_environment();
            ask(count);
            count
        }
        process if process == u64::from(process::id()) => (asked & u64::from(u32::MAX)) as usize,
        _ => 1,
    }
}

/// The number in LDY_NUM_THREADS; 1 if there is none. `std::env::var` would allocate, and abort if memory is exhausted.
fn by_environment() -> usize {
    // SAFETY: the host does not change the environment while one of its threads is in this library. The value is a C string, and
    // this function uses it before the host continues.
    let value = unsafe {
        let value = libc::getenv(c"LDY_NUM_THREADS".as_ptr());
        if value.is_null() { c"" } else { CStr::from_ptr(value) }
    };
    let count = value.to_str().ok().and_then(|text| text.trim().parse().ok());
    count.unwrap_or(1usize).clamp(1, MOST)
}
