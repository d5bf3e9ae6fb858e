//! Shared by the programs that measure and by the tests: scenes, a small host, and systems made of them.
#![allow(missing_docs, reason = "nothing else uses it")]
#![allow(clippy::not_unsafe_ptr_arg_deref, reason = "rows and blocks come from a host that is alive")]

pub mod agreement;
pub mod blocks;
pub mod c_system;
pub mod feet;
pub mod host;
pub mod matrices;
pub mod neutral;
pub mod operators;
pub mod peer;
pub mod scenes;
pub mod threads;
pub mod turns;

/// The upper median of some times.
///
/// # Panics
/// If there is none, or one is NaN.
pub fn median<T: PartialOrd + Copy>(times: &[T]) -> T {
    let mut times = times.to_vec();
    times.sort_by(|a, b| a.partial_cmp(b).expect("no NaN"));
    times[times.len() / 2]
}

/// The processor time of this thread in milliseconds: what other programs do changes it less than the time that passes.
pub fn thread_milliseconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` lives as long as the call that writes it.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    1e3 * time.tv_sec as f64 + 1e-6 * time.tv_nsec as f64
}

/// The largest absolute value.
pub fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, value| value.abs().max(largest))
}

/// The largest difference, NaN if one is NaN.
pub fn apart(expected: &[f64], found: &[f64]) -> f64 {
    let differences = expected.iter().zip(found).map(|(expected, found)| (expected - found).abs());
    // f64::max would drop NaN.
    differences.fold(0.0, |worst, difference| if difference <= worst { worst } else { difference })
}

/// An error as its text.
pub fn said<T, E: std::fmt::Display>(result: Result<T, E>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}
