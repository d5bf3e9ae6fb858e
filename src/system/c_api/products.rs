//! Products with W and forces on bodies in C; part of `include/ldy_system.h`.

use std::ffi::{c_int, c_longlong};

use super::arguments::{self, body_id, entry};
use super::ldy_system;
use super::rows::ldy_rows;
use crate::fault::check_size;
use crate::ffi::errors::{Code, Result, fail};
use crate::rows::BlockRows;
use crate::rows::multiply::{Columns, extent, multiply};

/// Compute y = W x from the blocks of W. Since the last update only velocities may have changed.
///
/// - x, y: three values for each row; different arrays.
/// - count: number of values of each.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY (not if all constraints have three rows), or LDY_ERROR_INVALID_ARGUMENT if an argument is
/// NULL, count is wrong, or there was no such update.
///
/// # Safety
/// system comes from ldy_system_create; x and y have the sizes given and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_multiply(
    system: *const ldy_system,
    x: *const f64,
    y: *mut f64,
    count: usize,
) -> c_int {
    entry!(system: shared, x: values(count), y: values_mut(count) => system.multiply(x, y)?)
}

/// Compute y = W x as h H A^-1 H^T x + compliance x, body by body, without the blocks of W. Since the last update only velocities
/// may have changed.
///
/// - x, y: three values for each row; different arrays.
/// - count: number of values of each.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_SINGULAR if an inverse callback failed, or LDY_ERROR_INVALID_ARGUMENT if an
/// argument is NULL, count is wrong, or there was no such update. After LDY_ERROR_OUT_OF_MEMORY or LDY_ERROR_SINGULAR y is
/// unspecified.
///
/// # Safety
/// system comes from ldy_system_create; x and y have the sizes given and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_multiply_through_bodies(
    system: *const ldy_system,
    x: *const f64,
    y: *mut f64,
    count: usize,
) -> c_int {
    entry!(system: shared, x: values(count), y: values_mut(count) => system.multiply_through_bodies(x, y)?)
}

/// Compute y = W x for several vectors from the blocks of W. This is faster than a call of ldy_system_multiply for each vector, and
/// bit-identical. Since the last update only velocities may have changed.
///
/// - columns: number of vectors.
/// - x, y: the vectors, three values for each row; different arrays of (columns - 1) * stride + count values.
/// - x_stride, y_stride: number of values from the beginning of one vector to the next, at least count.
/// - count: number of values of a vector.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY (not if all constraints have three rows), or LDY_ERROR_INVALID_ARGUMENT if an argument is
/// NULL, count is wrong, a stride is too short, or there was no such update.
///
/// # Safety
/// system comes from ldy_system_create; x and y have the sizes given and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_multiply_columns(
    system: *const ldy_system,
    columns: usize,
    x: *const f64,
    x_stride: usize,
    y: *mut f64,
    y_stride: usize,
    count: usize,
) -> c_int {
    entry!(system: shared, x: values(extent(columns, x_stride, count)),
           y: values_mut(extent(columns, y_stride, count)) => {
        system.check_count(count)?;
        let (x, y) = (Columns { values: x, stride: x_stride }, Columns { values: y, stride: y_stride });
        system.multiply_columns(columns, x, y)?;
    })
}

/// Compute y = W x for several vectors body by body, without the blocks of W. An inverse callback is called once for each vector.
///
/// - columns, x, y, x_stride, y_stride, count: as in ldy_system_multiply_columns.
///
/// Returns the codes of ldy_system_multiply_columns, LDY_ERROR_OUT_OF_MEMORY for any rows, and LDY_ERROR_SINGULAR if an inverse
/// callback failed. After LDY_ERROR_OUT_OF_MEMORY or LDY_ERROR_SINGULAR y is unspecified.
///
/// # Safety
/// system comes from ldy_system_create; x and y have the sizes given and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_multiply_columns_through_bodies(
    system: *const ldy_system,
    columns: usize,
    x: *const f64,
    x_stride: usize,
    y: *mut f64,
    y_stride: usize,
    count: usize,
) -> c_int {
    entry!(system: shared, x: values(extent(columns, x_stride, count)),
           y: values_mut(extent(columns, y_stride, count)) => {
        system.check_count(count)?;
        let (x, y) = (Columns { values: x, stride: x_stride }, Columns { values: y, stride: y_stride });
        system.multiply_columns_through_bodies(columns, x, y)?;
    })
}

/// Compute y = W x for any rows. For the rows of a system in which all constraints have three rows, the result is bit-identical
/// with ldy_system_multiply.
///
/// - rows: size, rows, blocks, starts, columns, values, scalar_starts and value_starts are read, as ldy_system_results sets them.
///   The last two are both NULL or both not NULL. W need not be symmetric.
/// - x, y: three values for each row; different arrays.
/// - count: number of values of each.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, or the rows are ill-formed; the text names the
/// row. After an error nothing is written.
///
/// # Safety
/// rows is NULL or valid and has the bytes that its size says, and its arrays have the lengths that it says; x and y have the sizes
/// given and overlap nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_rows_multiply(
    rows: *const ldy_rows,
    x: *const f64,
    y: *mut f64,
    count: usize,
) -> c_int {
    entry!(rows: block_rows, x: values(count), y: values_mut(count) => {
        times(&rows, 1, Columns { values: x, stride: count }, Columns { values: y, stride: count }, count)?;
    })
}

/// Compute y = W x for any rows and several vectors. The result for a vector is bit-identical for any number of other vectors.
///
/// - rows: as in ldy_rows_multiply.
/// - columns, x, y, x_stride, y_stride, count: as in ldy_system_multiply_columns.
///
/// Returns the codes of ldy_rows_multiply, and LDY_ERROR_INVALID_ARGUMENT also if a stride is too short.
///
/// # Safety
/// The conditions of ldy_rows_multiply.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_rows_multiply_columns(
    rows: *const ldy_rows,
    columns: usize,
    x: *const f64,
    x_stride: usize,
    y: *mut f64,
    y_stride: usize,
    count: usize,
) -> c_int {
    entry!(rows: block_rows, x: values(extent(columns, x_stride, count)),
           y: values_mut(extent(columns, y_stride, count)) => {
        let (x, y) = (Columns { values: x, stride: x_stride }, Columns { values: y, stride: y_stride });
        times(&rows, columns, x, y, count)?;
    })
}

fn times(
    rows: &BlockRows,
    columns: usize,
    x: Columns<&[f64]>,
    y: Columns<&mut [f64]>,
    count: usize,
) -> Result {
    check_size("x and y", rows.scalar_count(), count)?;
    for (name, stride) in [("x_stride", x.stride), ("y_stride", y.stride)] {
        check_stride(name, stride, count)?;
    }
    multiply(rows, columns, x, y);
    Ok(())
}

/// Check that vectors of `count` values do not overlap.
pub(super) fn check_stride(name: &str, stride: usize, count: usize) -> Result {
    let failed = || fail!(Code::BugFound, "{name} is {stride}: less than the {count} values of a vector");
    if stride < count { Err(failed()) } else { Ok(()) }
}

/// Add the generalized force H^T R of all constraints on a body to force. Since the last update only velocities may have changed.
///
/// - R: count values, three for each row.
/// - force: in and out, force_count values.
/// - force_count: number of generalized velocities of the body.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY (not if all constraints have three rows), or LDY_ERROR_INVALID_ARGUMENT if an argument is
/// NULL, there is no such body, a count is wrong, or there was no such update.
///
/// # Safety
/// system comes from ldy_system_create; R and force have the sizes given and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_constraint_force(
    system: *const ldy_system,
    body: c_longlong,
    R: *const f64,
    count: usize,
    force: *mut f64,
    force_count: usize,
) -> c_int {
    entry!(system: shared, R: values(count), force: values_mut(force_count) => {
        system.constraint_force(body_id(body)?, R, force)?;
    })
}

/// Add h A^-1 H^T R to the free velocity of each body, theory (50). The result is the velocity at the end of the step.
///
/// Since the last update only velocities may have changed. The rows need another update after it.
///
/// - R: count values, three for each row.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_SINGULAR if an inverse callback failed, or LDY_ERROR_INVALID_ARGUMENT if an
/// argument is NULL, count is wrong, there was no such update, or R or a resulting velocity is not finite. After an error no
/// velocity has changed.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_apply_reactions(
    system: *mut ldy_system,
    R: *const f64,
    count: usize,
) -> c_int {
    entry!(system: exclusive, R: values(count) => system.apply_reactions(R)?)
}

/// Estimate the largest eigenvalue of W, with compliances, by the Lanczos method on the blocks of W.
///
/// - tolerance: the iteration ends when the residual is below tolerance times the value; for instance 1e-3.
/// - most_products: limit for the number of products with W. One product is always made.
/// - value: where to write the estimate. It never exceeds the largest eigenvalue, except by rounding.
/// - residual: where to write the residual; NULL: not wanted.
///
/// W has an eigenvalue within residual of value. It is the largest one, unless the start vector (fixed, pseudo-random) is almost
/// orthogonal to its eigenvector. The error of value is then about residual^2 / distance to the next eigenvalue.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, tolerance is not a number, W has
/// changed since the last update, or a product with W is not finite.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_spectral_radius(
    system: *const ldy_system,
    tolerance: f64,
    most_products: c_int,
    value: *mut f64,
    residual: *mut f64,
) -> c_int {
    entry!(system: shared, value: place, residual: wanted => {
        let most = usize::try_from(most_products).unwrap_or_default();
        let estimate = system.spectral_radius(tolerance, most)?;
        value.put(estimate.value);
        residual.put(estimate.residual);
    })
}
