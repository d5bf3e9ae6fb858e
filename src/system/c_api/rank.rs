//! Redundant rows of W in C; part of `include/ldy_system.h`.

use std::ffi::c_int;

use crate::fault::check_size;
use crate::rows::dependent_rows;

use super::arguments::{self, entry};
use super::rows::ldy_rows;

/// Find the scalar rows of a symmetric W that depend on earlier ones. There forces are not unique, and a constraint is redundant
/// if all its scalar rows are dependent. W includes compliances and regularization.
///
/// - rows: for instance the results of a system. size, rows, blocks, starts, columns, values, scalar_starts and value_starts are
///   read, as ldy_system_results sets them; scalar_starts and value_starts are both NULL or both not NULL.
/// - tolerance: a row is dependent if the squared sine of the angle between its row of H and the span of other rows, in the
///   metric of A^-1, is below this value. 0: 1e-10.
/// - redundant: where to write count flags: 1 for a dependent scalar row, else 0.
/// - count: number of scalar rows, ldy_rows.scalars.
/// - dimension: where to write the number of dependent scalar rows, the dimension of the null space of W. NULL: not wanted.
///
/// If several rows are nearly dependent, rounding decides which of them are reported, but not how many. If a squared sine is near
/// the tolerance, the result is approximate: the function reports the last row whose coefficient in the dependence is above 1e-5
/// times the largest.
///
/// Rows that are connected through bodies are one dense problem: n^3 operations and up to 8 n^2 bytes for n scalar rows.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_POSITIVE_DEFINITE if W is indefinite, or LDY_ERROR_INVALID_ARGUMENT if an
/// argument is NULL, count is wrong, the tolerance is not between 0 and 1, or the rows are ill-formed or not finite. The text
/// names the row.
///
/// # Safety
/// rows is NULL or valid and has the bytes that its size says, and its arrays have the lengths that it says; redundant is NULL or
/// has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_rows_redundant(
    rows: *const ldy_rows,
    tolerance: f64,
    redundant: *mut i32,
    count: usize,
    dimension: *mut i32,
) -> c_int {
    entry!(rows: block_rows, redundant: values_mut(count), dimension: wanted => {
        check_size("redundant", rows.scalar_count(), count)?;
        let dependent = dependent_rows(&rows, tolerance)?;
        redundant.iter_mut().zip(dependent).for_each(|(to, flag)| *to = i32::from(flag));
        dimension.put(redundant.iter().sum());
    })
}
