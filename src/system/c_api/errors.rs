//! The last error of a thread as numbers, in C; part of `include/ldy_system.h`.

use std::ffi::c_int;

use crate::ffi::errors::last_place;
use crate::ffi::sized::caller_sized;

use super::arguments::{self, entry};

/// The last error of a thread as numbers; ldy_last_error has its text.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ldy_error_info {
    /// sizeof (ldy_error_info), set by the caller before the call.
    pub size: usize,
    /// The code, one of LDY_ERROR_*; 0: there was no error.
    pub code: i32,
    /// The id of the constraint, or -1. A constraint that was to be inserted has the id that it would have had.
    pub constraint: i64,
    /// The id of the body, or -1.
    pub body: i64,
    /// The index of the entry in a call for many bodies or constraints, from 0, or -1.
    pub entry: i64,
    /// The index of the row of an ldy_rows, from 0, or -1.
    pub row: i64,
}

caller_sized!(ldy_error_info, constraint);

/// Write which constraint, body, entry and row the calling thread's last error concerns. The call is not an error itself.
///
/// - info: where to write it; set its size.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if info is NULL or its size is wrong.
///
/// # Safety
/// info is NULL or valid and has the bytes that its size says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_last_error_info(info: *mut ldy_error_info) -> c_int {
    let (code, place) = last_place();
    entry!(info: sized => {
        info.fill(&ldy_error_info {
            size: size_of::<ldy_error_info>(),
            code,
            constraint: place.constraint,
            body: place.body,
            entry: place.entry,
            row: place.row,
        });
    })
}
