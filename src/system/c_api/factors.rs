//! Factors of W + mu 1 as C sees them; part of `include/ldy_system.h`.

use std::ffi::c_int;

use crate::fault::check_size;
use crate::ffi::handle::{self, Handle};
use crate::rows::Cholesky;
use crate::system::extent;

use super::arguments::{self, entry};
use super::ldy_system;
use super::products::check_stride;
use super::rows::ldy_rows;

/// A Cholesky factor of W + mu 1 with its memory, which is used again: the order of elimination is kept as long as the pattern of W
/// stays. It has no tie to the system or the rows that it was made of. Used by one thread at a time.
pub struct ldy_factor(());

impl Handle for ldy_factor {
    type Core = Cholesky;
}

/// Make a factor, of nothing yet.
///
/// factor: where to put it; it is to be destroyed by ldy_factor_destroy. Returns 0, 1 (no memory) or 52 (NULL).
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

/// Factor W + diag (mu) of the last update of a system. Since then nothing but velocities may have changed.
///
/// mu: count values, in the units of W: one for all, or one for each row, or one for each scalar of the rows; count 0: zero. It
/// comes on top of compliances and of ldy_system_regularise.
///
/// Returns 0, 1 (no memory), 16 (not positive definite, or singular to working precision, with a pivot below 1e-13 of its diagonal
/// entry: the text names the constraint of the first such pivot in the order of elimination; see ldy_system_redundant) or 52 (NULL
/// argument, another count, mu is not finite, no such update). After an error there is no factor.
///
/// # Safety
/// factor comes from ldy_factor_create, system from ldy_system_create; mu is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_factor_system(
    factor: *mut ldy_factor,
    system: *const ldy_system,
    mu: *const f64,
    count: usize,
) -> c_int {
    entry!(factor: exclusive, system: shared, mu: values(count) => system.factorise(factor, mu)?)
}

/// Factor W + diag (mu) of any rows; those above the diagonal are read, since W is symmetric.
///
/// rows: its size, rows, blocks, starts, columns and values are read, and scalar_starts and value_starts, both NULL or not, as
/// ldy_system_rows tells them. mu, count: as in ldy_factor_system.
///
/// Returns what ldy_factor_system returns, and 52 if the rows are ill-formed or not finite; the text names the row.
///
/// # Safety
/// factor comes from ldy_factor_create; rows is NULL or valid, with as many bytes as its size says, and arrays as long as it says;
/// mu is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_factor_rows(
    factor: *mut ldy_factor,
    rows: *const ldy_rows,
    mu: *const f64,
    count: usize,
) -> c_int {
    entry!(factor: exclusive, rows: block_rows, mu: values(count) => factor.factorise(&rows, mu)?)
}

/// Replace vectors by (W + mu 1)^-1 times them.
///
/// x: columns vectors with a value for each scalar of the rows, count values each; each begins stride values behind the one before
/// it, at least count. A vector has the bits that it has alone. Returns 0, 1 (no memory) or 52 (NULL argument, another count, a
/// stride that is too short, no factor); after an error x is as it was.
///
/// # Safety
/// factor comes from ldy_factor_create; x has (columns - 1) * stride + count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_factor_solve(
    factor: *mut ldy_factor,
    columns: usize,
    x: *mut f64,
    stride: usize,
    count: usize,
) -> c_int {
    entry!(factor: exclusive, x: values_mut(extent(columns, stride, count)) => {
        check_size("x", factor.size()?, count)?;
        check_stride("stride", stride, count)?;
        if count > 0 {
            x.chunks_mut(stride).try_for_each(|x| factor.solve(&mut x[..count]))?;
        }
    })
}

/// Tell the natural logarithm of the determinant of W + mu 1.
///
/// Returns 0 or 52 (NULL argument, no factor).
///
/// # Safety
/// factor comes from ldy_factor_create; value is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_factor_log_determinant(factor: *const ldy_factor, value: *mut f64) -> c_int {
    entry!(factor: shared, value: place => value.put(factor.log_determinant()?))
}
