//! Updates of a system and their results in C; part of `include/ldy_system.h`.

use std::ffi::c_int;
use std::mem::offset_of;

use super::arguments::{self, constraint_id, entry};
use super::ldy_system;
use super::rows::ldy_rows;

/// Assemble W = h H A^-1 H^T + compliance, B, V, the diagonal blocks and their inverses, theory (62)-(69).
///
/// - h: the time step, positive and finite.
///
/// The function computes only what has changed since the last successful update; the functions of this header record changes. The
/// results are bit-identical to the results of a new system. After an error, or with another h, everything is computed. Inverse
/// callbacks are called in each update.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or
///
/// - LDY_ERROR_SINGULAR if an inverse callback failed;
/// - LDY_ERROR_NOT_POSITIVE_DEFINITE if a matrix A is not positive definite;
/// - LDY_ERROR_INVALID_ARGUMENT if system is NULL, h is not positive and finite, an int cannot hold the number of constraints or
///   blocks, or V, B or a block of W is not finite, because numbers are too large or an inverse callback returned them. For a
///   block between two constraints the text names both.
///
/// If system is NULL or h is refused, nothing changes, and the results of the last update remain. After any other error there are
/// no results, and bodies and constraints have not changed. You can change them and update again; the results are then
/// bit-identical to the results of a system that had no error.
///
/// # Safety
/// system comes from ldy_system_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_update(system: *mut ldy_system, h: f64) -> c_int {
    entry!(system: exclusive => system.update(h)?)
}

/// Return the results of the last update.
///
/// - rows: where to write them; set its size. See ldy_rows.
///
/// Returns 0, LDY_ERROR_STALE_RESULTS if there was no successful update since the last change, or LDY_ERROR_INVALID_ARGUMENT if
/// an argument is NULL or rows->size is wrong (or too small for scalar_starts if a constraint has other than three rows).
///
/// # Safety
/// system comes from ldy_system_create; rows is NULL or valid, and has the bytes that its size says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_results(system: *const ldy_system, rows: *mut ldy_rows) -> c_int {
    entry!(system: shared, rows: sized => {
        let results = system.results()?;
        if results.w.layout().is_some() && !rows.reaches(offset_of!(ldy_rows, scalars)) {
            // If the caller's structure has no fields for other rows, the error names the constraint that has such rows.
            system.constraints().try_for_each(|(id, _)| system.check_regular(id))?;
        }
        rows.fill(&ldy_rows::of(&results));
    })
}

/// Check that each diagonal block has an inverse.
///
/// Returns 0, LDY_ERROR_SINGULAR if one is singular (ldy_last_error names the first), LDY_ERROR_STALE_RESULTS if there was no
/// successful update since the last change, or LDY_ERROR_INVALID_ARGUMENT if system is NULL.
///
/// # Safety
/// system comes from ldy_system_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_check_inverses(system: *const ldy_system) -> c_int {
    entry!(system: shared => system.check_inverses()?)
}

/// Return the row of a constraint.
///
/// - row: where to write its index, from 0.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, LDY_ERROR_STALE_RESULTS if there was no update since a
/// constraint or a body was inserted or removed, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_row_of(
    system: *const ldy_system,
    constraint: i64,
    row: *mut i32,
) -> c_int {
    entry!(system: shared, row: place => row.put(system.row_of(constraint_id(constraint)?)? as i32))
}
