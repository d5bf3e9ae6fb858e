//! Products with W and forces on bodies in C; part of `include/ldy_system.h`.

use std::ffi::c_int;

use super::arguments::{self, body_id, entry};
use super::ldy_system;
use super::rows::ldy_rows;
use crate::fault::check_size;
use crate::ffi::errors::{Result, invalid};
use crate::rows::multiply::{Columns, extent, multiply};

/// A flag of ldy_system_multiply: compute h H A^-1 H^T x + compliance x body by body, without the blocks of W.
pub const LDY_MULTIPLY_THROUGH_BODIES: i32 = 1;

/// Compute y = W x for one or several vectors. Since the last update only velocities may have changed.
///
/// - x, y: the vectors, one value for each scalar row; they do not overlap.
/// - x_stride, y_stride: bytes from the beginning of one vector to the next, a multiple of 8, at least 8 count. Not read for one
///   vector.
/// - count: number of scalar rows.
/// - columns: number of vectors.
/// - flags: 0: from the blocks of W; one call for several vectors is faster than a call for each, and bit-identical.
///   LDY_MULTIPLY_THROUGH_BODIES: body by body; an inverse callback is called once for each vector.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY (not if all constraints have three rows and flags is 0), LDY_ERROR_SINGULAR if an inverse
/// callback failed, LDY_ERROR_STALE_RESULTS if there was no such update, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL,
/// count or flags is wrong, or a stride is too short. After LDY_ERROR_OUT_OF_MEMORY or LDY_ERROR_SINGULAR y is unspecified.
///
/// # Safety
/// system comes from ldy_system_create; x and y have the sizes given and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_multiply(
    system: *const ldy_system,
    x: *const f64,
    x_stride: usize,
    y: *mut f64,
    y_stride: usize,
    count: usize,
    columns: usize,
    flags: i32,
) -> c_int {
    let strides = Strides::new([x_stride, y_stride], columns, count);
    let [x_extent, y_extent] = strides.extents();
    entry!(system: shared, x: values(x_extent), y: values_mut(y_extent) => {
        system.check_count(count)?;
        let (x, y) = strides.columns(x, y)?;
        match flags {
            0 => system.multiply_columns(columns, x, y)?,
            LDY_MULTIPLY_THROUGH_BODIES => system.multiply_columns_through_bodies(columns, x, y)?,
            other => return Err(invalid!("flags is {other}; expected 0 or LDY_MULTIPLY_THROUGH_BODIES")),
        }
    })
}

/// Compute y = W x for any rows, one or several vectors. For the rows of a system in which all constraints have three rows, the
/// result is bit-identical with ldy_system_multiply.
///
/// - rows: size, rows, blocks, starts, columns, values, scalar_starts and value_starts are read, as ldy_system_results sets them.
///   The last two are both NULL or both not NULL. W need not be symmetric. External blocks have no part in the product.
/// - x, y, x_stride, y_stride, count, columns: as in ldy_system_multiply.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, a stride is too short, or the rows are
/// ill-formed; the text names the row. After an error nothing is written.
///
/// # Safety
/// rows is NULL or valid and has the bytes that its size says, and its arrays have the lengths that it says; x and y have the
/// sizes given and overlap nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_rows_multiply(
    rows: *const ldy_rows,
    x: *const f64,
    x_stride: usize,
    y: *mut f64,
    y_stride: usize,
    count: usize,
    columns: usize,
) -> c_int {
    let strides = Strides::new([x_stride, y_stride], columns, count);
    let [x_extent, y_extent] = strides.extents();
    entry!(rows: own_columns, x: values(x_extent), y: values_mut(y_extent) => {
        check_size("x and y", rows.scalar_count(), count)?;
        let (x, y) = strides.columns(x, y)?;
        multiply(&rows, columns, x, y);
    })
}

/// The strides of the vectors x and y, which are errors only after the number of values has been checked.
struct Strides {
    strides: [Result<usize>; 2],
    columns: usize,
    count: usize,
}

impl Strides {
    fn new([x, y]: [usize; 2], columns: usize, count: usize) -> Self {
        let strides = [("x_stride", x), ("y_stride", y)].map(|stride| values_of(stride, columns, count));
        Self { strides, columns, count }
    }

    /// The number of values that the vectors span.
    fn extents(&self) -> [usize; 2] {
        self.strides.map(|stride| extent(self.columns, stride.unwrap_or(self.count), self.count))
    }

    fn columns<X, Y>(&self, x: X, y: Y) -> Result<(Columns<X>, Columns<Y>)> {
        let [x_stride, y_stride] = self.strides;
        Ok((Columns { values: x, stride: x_stride? }, Columns { values: y, stride: y_stride? }))
    }
}

/// A stride in bytes as a number of values; vectors of `count` values must not overlap. One vector needs no stride.
pub(super) fn values_of((name, stride): (&str, usize), columns: usize, count: usize) -> Result<usize> {
    const VALUE: usize = size_of::<f64>();
    if columns <= 1 {
        return Ok(count);
    }
    let wrong = |why| invalid!("{name} is {stride} bytes: {why}");
    ensure!(stride.is_multiple_of(VALUE), wrong(format_args!("no multiple of {VALUE}")));
    ensure!(stride / VALUE >= count, wrong(format_args!("less than the {count} values of a vector")));
    Ok(stride / VALUE)
}

/// Compute the generalized force H^T R of all constraints on a body. Since the last update only velocities may have changed.
///
/// - R: count values, one for each scalar row.
/// - force: where to write it, force_count values.
/// - force_count: number of generalized velocities of the body.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if there is no such body,
/// LDY_ERROR_STALE_RESULTS if there was no such update, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or a count is wrong.
///
/// # Safety
/// system comes from ldy_system_create; R and force have the sizes given and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_constraint_force(
    system: *const ldy_system,
    body: i64,
    R: *const f64,
    count: usize,
    force: *mut f64,
    force_count: usize,
) -> c_int {
    entry!(system: shared, R: values(count), force: values_mut(force_count) => {
        system.constraint_force(body_id(body)?, R, force)?;
    })
}

/// Compute the generalized forces of many bodies, as ldy_system_constraint_force computes one, and faster than one by one.
///
/// - bodies: an id each.
/// - R: R_count values, one for each scalar row.
/// - forces: where to write n values each.
/// - n: number of generalized velocities, the same for all of these bodies.
///
/// Returns the codes of ldy_system_constraint_force, or LDY_ERROR_INVALID_ARGUMENT if a stride is not a multiple of 8 or less than an
/// entry that is written. After an error nothing is written.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes and strides given, and forces overlaps nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_constraint_forces(
    system: *const ldy_system,
    bodies: *const i64,
    bodies_stride: usize,
    R: *const f64,
    R_count: usize,
    forces: *mut f64,
    forces_stride: usize,
    n: usize,
    count: usize,
) -> c_int {
    entry!(system: shared, bodies: ids((count, bodies_stride, "body")), R: values(R_count),
           forces: strided_mut((count, forces_stride, n)) => {
        system.constraint_forces(count, n, |k| bodies.id(k), R, |k, force| forces.put(k, force))?;
    })
}

/// Add h A^-1 H^T R to the free velocity of each body, theory (50). The result is the velocity at the end of the step.
///
/// Since the last update only velocities may have changed. The rows need another update after it.
///
/// - R: count values, three for each row.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_SINGULAR if an inverse callback failed, LDY_ERROR_STALE_RESULTS if there was no
/// such update, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, or R or a resulting velocity is not finite.
/// After an error no velocity has changed.
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
/// - max_products: limit for the number of products with W. One product is always made.
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
    max_products: i32,
    value: *mut f64,
    residual: *mut f64,
) -> c_int {
    entry!(system: shared, value: place, residual: wanted => {
        let most = usize::try_from(max_products).unwrap_or_default();
        let estimate = system.spectral_radius(tolerance, most)?;
        value.put(estimate.value);
        residual.put(estimate.residual);
    })
}
