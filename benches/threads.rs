//! Numbers of threads.

/// Those that updates are measured with.
pub const COUNTS: [usize; 2] = [1, 2];

/// Let later updates use so many threads.
///
/// # Panics
/// If the library does not accept the number.
pub fn set(count: usize) {
    let status = ldy::legacy::interface::additions::ldy_set_threads(count as std::ffi::c_int);
    assert_eq!(status, 0, "{count} threads");
}
