//! Products with W and forces on bodies as C sees them; part of `include/ldy_system.h`.

use std::ffi::{c_int, c_longlong};

use super::arguments::{self, body_id, entry};
use super::ldy_system;
use super::rows::ldy_rows;
use crate::fault::check_size;
use crate::ffi::errors::{Code, Result, fail};
use crate::rows::BlockRows;
use crate::rows::multiply::{Columns, extent, multiply};

/// y = W x, of the blocks.
///
/// x, y: three values a row, count values each, different arrays. Since the last update nothing but velocities may have
/// changed. Returns 0, 1 (no memory, of which rows of three need none) or 52 (NULL argument, another count, no such update).
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
    entry!(system: shared, x: values(count), y: values_mut(count) => system.times(x, y)?)
}

/// y = W x as h H A^-1 H^T x + compliance, body by body, without the blocks.
///
/// x, y: three values a row, count values each, different arrays. Since the last update nothing but velocities may have
/// changed. Returns 0, 1 (no memory), 15 (a user's solver failed) or 52 (NULL argument, another count, no such update). After 1
/// or 15 y is unspecified.
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
    entry!(system: shared, x: values(count), y: values_mut(count) => system.times_through_bodies(x, y)?)
}

/// y = W x of several vectors at once, of the blocks: quicker than one after the other, with the same bits.
///
/// x, y: columns vectors of three values a row, count values each; each begins x_stride or y_stride values behind the one before
/// it, at least count. They are (columns - 1) * stride + count values, of different arrays. Since the last update nothing but
/// velocities may have changed. Returns 0, 1 (no memory, of which rows of three need none) or 52 (NULL argument, another count, a
/// stride that is too short, no such update).
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
        system.times_columns(columns, x, y)?;
    })
}

/// As ldy_system_multiply_columns, body by body, without the blocks; a user's solver is called once for each vector.
///
/// Returns what that returns, 1 (no memory), or 15 (a user's solver failed). After 1 or 15 y is unspecified.
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
        system.times_columns_through_bodies(columns, x, y)?;
    })
}

/// y = W x of any rows, with the bits of ldy_system_multiply where these are rows of three of a system.
///
/// rows: its size, rows, blocks, starts, columns and values are read, and scalar_starts and value_starts, both NULL or not, as
/// ldy_system_rows tells them; W need not be symmetric. x, y: three values a row, count values each, different arrays.
///
/// Returns 0 or 52 (NULL argument, another count, ill-formed rows: the text names the row); then nothing is written.
///
/// # Safety
/// rows is NULL or valid, with as many bytes as its size says, and arrays as long as it says; x and y have the sizes given and
/// overlap nothing.
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

/// y = W x of any rows and several vectors at once, each with the bits that it has alone.
///
/// rows: as in ldy_rows_multiply. columns, x, y with their strides, count: as in ldy_system_multiply_columns. Returns what
/// ldy_rows_multiply returns, and 52 if a stride is too short.
///
/// # Safety
/// As ldy_rows_multiply.
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

/// Add the generalised force H^T R of all constraints on a body.
///
/// R: three values a row, count values. force: n values, added to; force_count: n. Since the last update nothing but velocities
/// may have changed.
/// Returns 0, 1 (no memory, of which rows of three need none) or 52 (NULL argument, no such body, another count, no such update).
///
/// # Safety
/// system comes from ldy_system_create; R and force have the sizes given and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_force(
    system: *const ldy_system,
    body: c_longlong,
    R: *const f64,
    count: usize,
    force: *mut f64,
    force_count: usize,
) -> c_int {
    entry!(system: shared, R: values(count), force: values_mut(force_count) => {
        system.add_force(body_id(body)?, R, force)?;
    })
}

/// Add h A^-1 H^T R to the free velocity of every body, theory (50): the velocity at the end of the step.
///
/// R: three values a row, count values. Since the last update nothing but velocities may have changed. Rows have to be updated
/// after it. Returns 0, 1 (no memory), 15 (a user's solver failed) or 52 (NULL argument, another count, no such update, R or a
/// velocity with it not finite). After an error no velocity has changed.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_reactions(
    system: *mut ldy_system,
    R: *const f64,
    count: usize,
) -> c_int {
    entry!(system: exclusive, R: values(count) => system.add_reactions(R)?)
}

/// Estimate the largest eigenvalue of W, compliance included, by the method of Lanczos on its blocks.
///
/// tolerance: it ends when the residual is below this times the value, for instance 1e-3. most_products: or after so many
/// products with W, at least one. value: never above the largest eigenvalue but for rounding. residual: an eigenvalue lies no
/// farther than this from the value, and unless the first vector, a fixed pseudo-random one, is almost free of its eigenvector
/// that is the largest; the error is then about residual^2 / distance to the next. NULL: not wanted.
///
/// Returns 0, 1 (no memory) or 52 (NULL argument, tolerance not a number, W has changed since the last update, a product with W
/// not finite).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_largest_eigenvalue(
    system: *const ldy_system,
    tolerance: f64,
    most_products: c_int,
    value: *mut f64,
    residual: *mut f64,
) -> c_int {
    entry!(system: shared, value: place, residual: wanted => {
        let most = usize::try_from(most_products).unwrap_or_default();
        let estimate = system.largest_eigenvalue(tolerance, most)?;
        value.put(estimate.value);
        residual.put(estimate.residual);
    })
}
