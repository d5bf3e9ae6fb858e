//! Codes of the C functions that call MPI, as errors.

use std::ffi::{CStr, c_char, c_int};

use super::errors::{Code, Result, fail};

unsafe extern "C" {
    fn ldy_mpi_error_text(code: c_int, text: *mut c_char, size: c_int);
}

/// Memory is exhausted; MPI has the other codes.
const MEMORY: c_int = -1;

/// The error of a code, with MPI's text; none if it is zero.
pub fn check(code: c_int) -> Result {
    if code == 0 {
        return Ok(());
    }
    let mut text = [0 as c_char; 256];
    // SAFETY: C writes at most the size passed, including a zero.
    let text = unsafe {
        ldy_mpi_error_text(code, text.as_mut_ptr(), text.len() as c_int);
        CStr::from_ptr(text.as_ptr())
    };
    let kind = if code == MEMORY { Code::OutOfMemory } else { Code::InvalidArgument };
    Err(fail!(kind, "MPI: {}", text.to_str().unwrap_or("unknown error")))
}
