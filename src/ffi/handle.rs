//! What C has pointers to and does not look into: values of this library, each in a box of its own.

use super::arguments::null;
use super::errors::{Code, Result, fail};
use super::status;
use crate::inertia::Boxed;

/// A type that C knows by its name alone.
pub trait Handle {
    /// What lies where its pointers lead to.
    type Core;
}

/// Move a value to where C has it; the argument `name` is told if there is no memory.
pub fn made<H: Handle>(name: &str, core: H::Core) -> Result<*mut H> {
    let core = Boxed::new(core).map_err(|_| fail!(Code::OutOfMemory, "{name}: out of memory"))?;
    Ok(Box::into_raw(core.into_box()).cast())
}

/// Drop a value that C has; NULL: there is none.
///
/// # Safety
/// `handle` is NULL or comes from [`made`], and is not used afterwards.
pub unsafe fn destroy<H: Handle>(handle: *mut H) {
    status(|| {
        if !handle.is_null() {
            // SAFETY: the caller promises that the handle comes from `made`, where it came out of a box of one, and that nobody
            // uses it any more.
            drop(unsafe { Box::from_raw(handle.cast::<[H::Core; 1]>()) });
        }
        Ok(())
    });
}

/// What C has, to be changed.
///
/// # Safety
/// `handle` is NULL or comes from [`made`], and is used by nobody else meanwhile.
pub unsafe fn exclusive<'a, H: Handle>(name: &str, handle: *mut H) -> Result<&'a mut H::Core> {
    // SAFETY: the C program promises that what it has is there and its own, as this function asks for.
    unsafe { handle.cast::<H::Core>().as_mut() }.ok_or_else(|| null(name))
}

/// What C has, to be read.
///
/// # Safety
/// `handle` is NULL or comes from [`made`], and is changed by nobody meanwhile.
pub unsafe fn shared<'a, H: Handle>(name: &str, handle: *const H) -> Result<&'a H::Core> {
    // SAFETY: the C program promises that what it has is there and stays as it is, as this function asks for.
    unsafe { handle.cast::<H::Core>().as_ref() }.ok_or_else(|| null(name))
}
