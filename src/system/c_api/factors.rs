//! Factors of W + diag (mu) in C; part of `include/ldy_system.h`.

use std::ffi::c_int;

use crate::fault::check_size;
use crate::ffi::handle::{self, Handle};
use crate::rows::Cholesky;
use crate::system::extent;

use super::arguments::{self, entry};
use super::ldy_system;
use super::products::values_of;
use super::rows::ldy_rows;

/// A Cholesky factor of W + diag (mu), with memory that is used again. While the pattern of W is the same, the elimination order
/// is kept. The factor does not depend on the system or rows it was computed from. One thread at a time may use it.
pub struct ldy_factor(());

impl Handle for ldy_factor {
    type Core = Cholesky;
}

/// Create a factor. It is empty until ldy_factor_compute or ldy_factor_compute_rows succeeds.
///
/// - factor: where to write it. Destroy it with ldy_factor_destroy.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if factor is NULL.
///
/// # Safety
/// factor is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_factor_create(factor: *mut *mut ldy_factor) -> c_int {
    entry!(factor: place => factor.put(handle::made("factor", Cholesky::new())?))
}

/// Destroy a factor; NULL is allowed.
///
/// # Safety
/// factor is NULL or comes from ldy_factor_create, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_factor_destroy(factor: *mut ldy_factor) {
    // SAFETY: the C program promises that the factor comes from ldy_factor_create and that it does not use it any more.
    unsafe { handle::destroy(factor) };
}

/// Factor W + diag (mu) for the W of the last update of a system. Since that update only velocities may have changed.
///
/// - mu: in the units of W. It is added in addition to compliances and ldy_system_set_regularization.
/// - count: 0 (no mu), 1 (one value for all), the number of rows, or the number of scalar rows.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or
///
/// - LDY_ERROR_NOT_POSITIVE_DEFINITE if the matrix is not positive definite or is singular to working precision, which means a
///   pivot below 1e-13 of its diagonal entry. The text names the constraint of the first such pivot in the elimination order; see
///   ldy_rows_redundant.
/// - LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, mu is not finite, or there was no such update.
///
/// After an error the factor is empty.
///
/// # Safety
/// factor comes from ldy_factor_create, system from ldy_system_create; mu is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_factor_compute(
    factor: *mut ldy_factor,
    system: *const ldy_system,
    mu: *const f64,
    count: usize,
) -> c_int {
    entry!(factor: exclusive, system: shared, mu: values(count) => system.factorize(factor, mu)?)
}

/// Factor W + diag (mu) for any rows. W is symmetric; only its upper triangle is read.
///
/// - rows: size, rows, blocks, starts, columns, values, scalar_starts and value_starts are read, as ldy_system_results sets them.
///   The last two are both NULL or both not NULL.
/// - mu, count: as in ldy_factor_compute.
///
/// Returns the codes of ldy_factor_compute, and LDY_ERROR_INVALID_ARGUMENT also if the rows are ill-formed or not finite. The
/// text names the row. After an error the factor is empty.
///
/// # Safety
/// factor comes from ldy_factor_create; rows is NULL or valid and has the bytes that its size says, and its arrays have the
/// lengths that it says; mu is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_factor_compute_rows(
    factor: *mut ldy_factor,
    rows: *const ldy_rows,
    mu: *const f64,
    count: usize,
) -> c_int {
    entry!(factor: exclusive, rows: block_rows, mu: values(count) => factor.factorize(&rows, mu)?)
}

/// Replace each of several vectors x by (W + diag (mu))^-1 x.
///
/// - x: the vectors, one value for each scalar row; in and out.
/// - stride: bytes from the beginning of one vector to the next, a multiple of 8, at least 8 count. Not read for one vector.
/// - count: number of scalar rows.
/// - columns: number of vectors.
///
/// The result for a vector is bit-identical for any number of other vectors. Returns 0, LDY_ERROR_OUT_OF_MEMORY, or
/// LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, stride is too short, or the factor is empty. After an error
/// x has not changed.
///
/// # Safety
/// factor comes from ldy_factor_create; x has all values of its vectors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_factor_solve(
    factor: *mut ldy_factor,
    x: *mut f64,
    stride: usize,
    count: usize,
    columns: usize,
) -> c_int {
    let stride = values_of(("stride", stride), columns, count);
    entry!(factor: exclusive, x: values_mut(extent(columns, stride.unwrap_or(count), count)) => {
        check_size("x", factor.size()?, count)?;
        let stride = stride?;
        if count > 0 {
            x.chunks_mut(stride).try_for_each(|x| factor.solve(&mut x[..count]))?;
        }
    })
}

/// Return the natural logarithm of the determinant of W + diag (mu).
///
/// - value: where to write it.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or the factor is empty.
///
/// # Safety
/// factor comes from ldy_factor_create; value is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_factor_log_determinant(factor: *const ldy_factor, value: *mut f64) -> c_int {
    entry!(factor: shared, value: place => value.put(factor.log_determinant()?))
}
