//! The floating-point mode of a thread: rounding, treatment of subnormal numbers, and which exceptions trap.

use std::ffi::c_int;

/// A mode, to be given to other threads.
#[derive(Clone, Copy)]
pub struct FloatMode(Environment);

/// C's `fenv_t`, which no system has longer or more aligned than this.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Environment([u8; 64]);

unsafe extern "C" {
    fn fegetenv(environment: *mut Environment) -> c_int;
    fn fesetenv(environment: *const Environment) -> c_int;
}

impl FloatMode {
    /// That of the calling thread.
    pub fn of_this_thread() -> Self {
        let mut environment = Environment([0; 64]);
        // SAFETY: the C library writes an environment where there is room for one.
        unsafe { fegetenv(&raw mut environment) };
        Self(environment)
    }

    /// Give it to the calling thread, a worker, with the record of exceptions: nobody reads the worker's.
    pub fn set(self) {
        // SAFETY: it is what the C library wrote; the worker computes what the thread it is of would have computed.
        unsafe { fesetenv(&raw const self.0) };
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
impl FloatMode {
    /// Where C libraries have MXCSR in the environment, behind that of the x87.
    const MXCSR: std::ops::Range<usize> = 28..32;

    /// With these control bits of MXCSR.
    pub fn of_bits(bits: u32) -> Self {
        let mut mode = Self::of_this_thread();
        mode.0.0[Self::MXCSR].copy_from_slice(&bits.to_le_bytes());
        mode
    }

    /// The control bits of MXCSR, without those that tell which exceptions there have been.
    pub fn bits(&self) -> [u8; 2] {
        let [low, high, ..] = self.0.0[Self::MXCSR] else { unreachable!("four bytes") };
        [low & 0xc0, high]
    }
}
