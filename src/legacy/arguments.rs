//! What `entry.c` and `hooks.c` pass on, checked.

pub(super) use crate::boundary::arguments::entry;
pub use crate::boundary::arguments::place;

use super::errors::Code;
use super::layout::LOCDYN;
use super::rows::Module;

/// # Safety
/// As for [`Module::from_face`].
pub unsafe fn module<'a>(_: &str, ldy: *mut LOCDYN) -> Result<&'a mut Module, Code> {
    // SAFETY: the host promises a LOCDYN that nobody else uses meanwhile, as `from_face` asks for.
    unsafe { Module::from_face(ldy) }
}
