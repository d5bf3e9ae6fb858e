//! Redundant rows of W in C; part of `include/ldy_system.h`.

use std::ffi::c_int;

use crate::fault::check_size;
use crate::ffi::arguments::Out;
use crate::rows::dependent_rows;

use super::arguments::{self, entry};
use super::ldy_system;
use super::rows::ldy_rows;

/// Find the scalar rows of W that depend on earlier ones. There forces are not unique, and a constraint is redundant if all its
/// scalar rows are dependent. W is the matrix of the last update, with compliances and regularization. Since that update only
/// velocities may have changed.
///
/// - tolerance: a row is dependent if the squared sine of the angle between its row of H and the span of other rows, in the metric
///   of A^-1, is below this value. 0: 1e-10.
/// - redundant: where to write count flags: 1 for a dependent scalar row, else 0.
/// - count: number of scalar rows, ldy_rows.scalars.
/// - dimension: where to write the number of dependent scalar rows, the dimension of the null space of W. NULL: not wanted.
///
/// If several rows are nearly dependent, rounding decides which of them are reported, but not how many. If a squared sine is near
/// the tolerance, the result is approximate: the function reports the last row whose coefficient in the dependence is above 1e-5 of
/// the largest one.
///
/// Rows that are connected through bodies are one dense problem: n^3 operations and up to 8 n^2 bytes for n scalar rows.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_POSITIVE_DEFINITE if W is indefinite (the text names the constraint), or
/// LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, the tolerance is not between 0 and 1, or there was no such
/// update.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_redundant(
    system: *const ldy_system,
    tolerance: f64,
    redundant: *mut c_int,
    count: usize,
    dimension: *mut c_int,
) -> c_int {
    entry!(system: shared, redundant: values_mut(count), dimension: wanted => {
        system.check_count(count)?;
        put(&system.redundant(tolerance)?, redundant, dimension);
    })
}

/// Find the scalar rows of any symmetric W that depend on earlier ones, as ldy_system_redundant does.
///
/// - rows: size, rows, blocks, starts, columns, values, scalar_starts and value_starts are read, as ldy_system_results sets them.
///   The last two are both NULL or both not NULL.
/// - tolerance, redundant, count, dimension: as in ldy_system_redundant.
///
/// Returns the codes of ldy_system_redundant, and LDY_ERROR_INVALID_ARGUMENT also if the rows are ill-formed or not finite. The
/// text names the row.
///
/// # Safety
/// rows is NULL or valid and has the bytes that its size says, and its arrays have the lengths that it says; redundant is NULL or
/// has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_rows_redundant(
    rows: *const ldy_rows,
    tolerance: f64,
    redundant: *mut c_int,
    count: usize,
    dimension: *mut c_int,
) -> c_int {
    entry!(rows: block_rows, redundant: values_mut(count), dimension: wanted => {
        check_size("redundant", rows.scalar_count(), count)?;
        put(&dependent_rows(&rows, tolerance)?, redundant, dimension);
    })
}

fn put(dependent: &[bool], redundant: &mut [c_int], dimension: Out<c_int>) {
    redundant.iter_mut().zip(dependent).for_each(|(to, flag)| *to = c_int::from(*flag));
    dimension.put(redundant.iter().sum());
}
