//! The boundary to C, shared by both faces. Functions return status codes and no panic crosses. The modules hold arguments,
//! error codes, the details of a thread's last error, structures that callers allocate, opaque handles, text files, large pages
//! and the build's description.

pub(crate) mod arguments;
pub mod build_info;
pub mod codes;
pub mod errors;
pub(crate) mod file;
mod file_system;
pub(crate) mod handle;
pub(crate) mod large_pages;
#[cfg(feature = "mpi")]
pub(crate) mod mpi_errors;
mod replacement;
pub(crate) mod sized;

use std::any::Any;
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

use errors::{Code, Result, invalid};

/// Run `function` and return 0 or its error code; a panic becomes [`Code::InvalidArgument`].
///
/// Unwind safety is asserted: functions change shared structures only after every step that can fail.
pub fn status(function: impl FnOnce() -> Result) -> c_int {
    caught(function).map_or_else(|code| code as c_int, |()| 0)
}

/// Run `function`; a panic becomes [`Code::InvalidArgument`].
pub fn caught<T>(function: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(function)).unwrap_or_else(|panic| Err(bug(panic)))
}

/// Not generic, so that it is compiled once.
#[cold]
fn bug(panic: Box<dyn Any + Send>) -> Code {
    invalid!("internal error: {}", message(&*panic))
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("panic")
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;
    use crate::ffi::errors::{fail, last_text};

    fn text() -> String {
        // SAFETY: the text is a C string of this thread, and no error happens while it is read.
        unsafe { CStr::from_ptr(last_text()) }.to_str().unwrap().to_owned()
    }

    #[test]
    fn results_become_codes() {
        assert_eq!(status(|| Ok(())), 0);
        assert_eq!(status(|| Err(fail!(Code::InvalidFormat, "body {}: no inverse", 7))), 20);
        assert_eq!(text(), "body 7: no inverse");
    }

    #[test]
    fn panics_stay_inside() {
        assert_eq!(status(|| panic!("constraint {} went astray", 3)), 52);
        assert_eq!(text(), "internal error: constraint 3 went astray");
        assert_eq!(status(|| panic!("plainly")), 52);
        assert_eq!(text(), "internal error: plainly");
    }
}
