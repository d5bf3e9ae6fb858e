//! Updates of a system and their results as C sees them; part of `include/ldy_system.h`.

use std::ffi::{c_int, c_longlong};
use std::mem::offset_of;

use super::arguments::{self, constraint_id, entry};
use super::ldy_system;
use super::rows::ldy_rows;

/// Assemble W = h H A^-1 H^T + compliance, B, V, the diagonal and its inverse, theory (62)-(69), for the step h.
///
/// It does again only what has changed since the last successful update, which the functions of this header record; the results
/// have the bits of a system that is made anew. Everything is done again for another h and after an error. A user's solver is
/// called in each update.
///
/// h: positive and finite. Returns 0, 1 (no memory), 15 (a user's solver failed), 16 (a matrix A is not positive definite), or
/// 52 (NULL; h is not positive and finite; V, B or a block of W is not finite, because numbers are too large or a solver's;
/// more constraints or blocks than an int can count). Of a block between two constraints the text names both.
///
/// If system is NULL or h is refused, nothing has changed, and the results of the last update are still there. After any other
/// error there are no results. Bodies and constraints are as before; they can be changed and updated again, and the results are
/// then those of a system that has met no error, bit for bit.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_update(system: *mut ldy_system, h: f64) -> c_int {
    entry!(system: exclusive => system.update(h)?)
}

/// Tell the results of the last update; see ldy_rows.
///
/// rows: where to write it, its size set. Returns 0 or 52 (NULL argument, rows->size is wrong, or too small for starts of scalars
/// where constraints have other than three rows; no successful update since the last change).
///
/// # Safety
/// system comes from ldy_system_create; rows is NULL or valid, with as many bytes as its size says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_rows(system: *const ldy_system, rows: *mut ldy_rows) -> c_int {
    entry!(system: shared, rows: sized => {
        let results = system.rows()?;
        if results.w.layout().is_some() && !rows.reaches(offset_of!(ldy_rows, scalars)) {
            // If the caller's structure has no fields for other rows, the error names the constraint that has such rows.
            system.constraints().try_for_each(|(id, _)| system.check_regular(id))?;
        }
        rows.fill(&ldy_rows::of(&results));
    })
}

/// Tell whether every diagonal block has an inverse.
///
/// Returns 0, 15 (one is singular: ldy_last_error names the first) or 52 (NULL, no successful update since the last change).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_check_inverses(system: *const ldy_system) -> c_int {
    entry!(system: shared => system.check_inverses()?)
}

/// Tell the row of a constraint, counted from 0.
///
/// Returns 0 or 52 (NULL argument, no such constraint, no update since a constraint or a body was inserted or removed).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_row(
    system: *const ldy_system,
    constraint: c_longlong,
    row: *mut c_int,
) -> c_int {
    entry!(system: shared, row: place => row.put(system.row(constraint_id(constraint)?)? as c_int))
}
