//! Readers of the arguments that `entry.c` and `hooks.c` pass on.

pub(super) use crate::ffi::arguments::entry;
pub use crate::ffi::arguments::{place, string};

use super::errors::Result;
use super::layout::LOCDYN;
use super::rows::LocalDynamics;

/// # Safety
/// As for [`LocalDynamics::from_public`].
pub unsafe fn dynamics<'a>(_: &str, ldy: *mut LOCDYN) -> Result<&'a mut LocalDynamics> {
    // SAFETY: the host promises a LOCDYN that nobody else uses meanwhile.
    unsafe { LocalDynamics::from_public(ldy) }
}
