//! Numbers of threads.

/// Those that updates are measured with.
pub const COUNTS: [usize; 2] = [1, 2];

/// Let BLAS of others, in this process and those that it starts, use one thread. Its idle threads would keep processors from the
/// library's: the idle threads of OpenBLAS look for work for a tenth of a second before they sleep.
///
/// # Safety
/// No other thread runs.
pub unsafe fn one_for_others() {
    for name in ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"] {
        // SAFETY: the caller promises that nobody reads the environment meanwhile.
        unsafe { std::env::set_var(name, "1") };
    }
}

/// Let later updates use `count` threads.
///
/// # Panics
/// If the library does not accept the number.
pub fn set(count: usize) {
    let status = ldy::legacy::c_api::additions::ldy_set_threads(count as std::ffi::c_int);
    assert_eq!(status, 0, "{count} threads");
}
