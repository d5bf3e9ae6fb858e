//! Opaque handles: boxed values of this library that C callers own.

use super::arguments::null;
use super::errors::{Code, Result, fail};
use super::status;
use crate::inertia::Boxed;

/// A type of which C knows the name only.
pub trait Handle {
    /// The type of the value at its address.
    type Core;
}

/// Box a value for C. If memory is exhausted, the error names the argument `name`.
pub fn made<H: Handle>(name: &str, core: H::Core) -> Result<*mut H> {
    let core = Boxed::new(core).map_err(|_| fail!(Code::OutOfMemory, "{name}: out of memory"))?;
    Ok(Box::into_raw(core.into_box()).cast())
}

/// Drop the value of a handle; NULL does nothing.
///
/// # Safety
/// `handle` is NULL or comes from [`made`], and is not used afterwards.
pub unsafe fn destroy<H: Handle>(handle: *mut H) {
    status(|| {
        if !handle.is_null() {
            // SAFETY: the caller promises that the handle comes from `made`, which boxed an array of one, and that nobody uses
            // it any more.
            drop(unsafe { Box::from_raw(handle.cast::<[H::Core; 1]>()) });
        }
        Ok(())
    });
}

/// The value of a handle, for writing.
///
/// # Safety
/// `handle` is NULL or comes from [`made`], and is used by nobody else meanwhile.
pub unsafe fn exclusive<'a, H: Handle>(name: &str, handle: *mut H) -> Result<&'a mut H::Core> {
    // SAFETY: the caller promises a handle that nobody else uses.
    unsafe { handle.cast::<H::Core>().as_mut() }.ok_or_else(|| null(name))
}

/// The value of a handle, for reading.
///
/// # Safety
/// `handle` is NULL or comes from [`made`], and is changed by nobody meanwhile.
pub unsafe fn shared<'a, H: Handle>(name: &str, handle: *const H) -> Result<&'a H::Core> {
    // SAFETY: the caller promises a handle whose value nobody changes.
    unsafe { handle.cast::<H::Core>().as_ref() }.ok_or_else(|| null(name))
}
