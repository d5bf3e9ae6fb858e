//! The floating-point mode of a thread: rounding, treatment of subnormal numbers, and which exceptions trap.

/// A mode, to be given to other threads. On processors other than x86-64 and AArch64 nothing is taken and nothing given.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FloatMode(Control);

#[cfg(target_arch = "x86_64")]
type Control = u32;
#[cfg(target_arch = "aarch64")]
type Control = u64;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
type Control = ();

/// Bits of MXCSR that tell which exceptions there have been.
#[cfg(target_arch = "x86_64")]
const STATUS: u32 = 0x3f;

impl FloatMode {
    /// That of the calling thread.
    pub fn of_this_thread() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let mut control = 0u32;
            // SAFETY: the instruction writes four bytes to the address, which is that of `control`.
            unsafe {
                std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut control, options(nostack, preserves_flags))
            };
            Self(control & !STATUS)
        }
        #[cfg(target_arch = "aarch64")]
        {
            let control;
            // SAFETY: the instruction reads FPCR, which every program may.
            unsafe {
                std::arch::asm!("mrs {}, fpcr", out(reg) control, options(nomem, nostack, preserves_flags))
            };
            Self(control)
        }
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        Self(())
    }

    /// Give it to the calling thread, a worker. On x86-64 the worker's record of exceptions begins anew: nobody reads it.
    pub fn set(self) {
        // SAFETY: the value was read from the same register of another thread, so no reserved bit is set; the worker
        // computes what that thread would have computed in this mode.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const self.0, options(nostack, preserves_flags));
        }
        // SAFETY: the value was read from the same register of another thread, so no reserved bit is set; the
        // worker computes what that thread would have computed in this mode.
        #[cfg(target_arch = "aarch64")]
        unsafe {
            std::arch::asm!("msr fpcr, {}", in(reg) self.0, options(nostack, preserves_flags));
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
impl FloatMode {
    /// With these control bits of MXCSR.
    pub fn of_bits(bits: u32) -> Self {
        Self(bits)
    }
}
