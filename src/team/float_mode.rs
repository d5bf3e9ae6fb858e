//! The floating-point mode of a thread: rounding, treatment of subnormal numbers, and the exceptions that trap.

use std::ffi::c_int;

/// The mode of one thread, which other threads can take over.
#[derive(Clone, Copy)]
pub struct FloatMode(Environment);

/// C's `fenv_t`. No system has a larger or more aligned one.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Environment([u8; 64]);

unsafe extern "C" {
    fn fegetenv(environment: *mut Environment) -> c_int;
    fn fesetenv(environment: *const Environment) -> c_int;
}

impl FloatMode {
    /// The mode of the calling thread.
    pub fn of_this_thread() -> Self {
        let mut environment = Environment([0; 64]);
        // SAFETY: the C library writes one environment, and there is memory for one.
        unsafe { fegetenv(&raw mut environment) };
        Self(environment)
    }

    /// Set the mode of the calling thread, a worker. The record of raised exceptions is copied too; nobody reads a worker's record.
    pub fn set(self) {
        // SAFETY: the C library wrote this environment. The worker then computes as the thread with this mode would.
        unsafe { fesetenv(&raw const self.0) };
    }
}

#[cfg(all(test, target_arch = "x86_64", target_os = "linux"))]
impl FloatMode {
    /// The bytes of MXCSR in the environments of C libraries on Linux, after the x87 environment.
    const MXCSR: std::ops::Range<usize> = 28..32;

    /// The mode of the calling thread, but with these control bits of MXCSR.
    pub fn of_bits(bits: u32) -> Self {
        let mut mode = Self::of_this_thread();
        mode.0.0[Self::MXCSR].copy_from_slice(&bits.to_le_bytes());
        mode
    }

    /// The control bits of MXCSR, without the flags of raised exceptions.
    pub fn bits(&self) -> [u8; 2] {
        let [low, high, ..] = self.0.0[Self::MXCSR] else { unreachable!("four bytes") };
        [low & 0xc0, high]
    }
}
