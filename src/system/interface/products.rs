//! Products with W and forces on bodies as C sees them; part of `include/ldy_system.h`.

use std::ffi::{c_int, c_longlong};

use crate::boundary::status;

use super::arguments::{body_id, coded, exclusive, null, put, shared, values, values_mut};
use super::ldy_system;

/// y = W x, of the blocks.
///
/// x, y: three values a row, count values each, different arrays. Since the last update nothing but velocities may have changed.
/// Returns 0 or 52 (NULL argument, another count, no such update).
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
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = shared(system)?;
        let (x, y) = (values("x", x, count)?, values_mut("y", y, count)?);
        system.times(x, y).map_err(|error| coded(&error))
    })
}

/// y = W x as h H A^-1 H^T x + compliance, body by body, without the blocks.
///
/// x, y: three values a row, count values each, different arrays. Since the last update nothing but velocities may have changed.
/// Returns 0, 1 (no memory), 15 (a user's solver failed) or 52 (NULL argument, another count, no such update). After 1 or 15 y is unspecified.
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
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = shared(system)?;
        let (x, y) = (values("x", x, count)?, values_mut("y", y, count)?);
        system.times_through_bodies(x, y).map_err(|error| coded(&error))
    })
}

/// Add the generalised force H^T R of all constraints on a body.
///
/// R: three values a row, count values. force: n values, added to; force_count: n. Since the last update nothing but velocities
/// may have changed.
/// Returns 0 or 52 (NULL argument, no such body, another count, no such update).
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
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = shared(system)?;
        let id = body_id(body)?;
        let (R, force) = (values("R", R, count)?, values_mut("force", force, force_count)?);
        system.add_force(id, R, force).map_err(|error| coded(&error))
    })
}

/// Add h A^-1 H^T R to the free velocity of every body, theory (50): the velocity at the end of the step.
///
/// R: three values a row, count values. Since the last update nothing but velocities may have changed. Rows have to be updated after it.
/// Returns 0, 1 (no memory), 15 (a user's solver failed) or 52 (NULL argument, another count, no such update, R or a velocity with it not finite).
/// After an error no velocity has changed.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_reactions(
    system: *mut ldy_system,
    R: *const f64,
    count: usize,
) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let R = values("R", R, count)?;
        system.add_reactions(R).map_err(|error| coded(&error))
    })
}

/// Estimate the largest eigenvalue of W, compliance included, by the method of Lanczos on its blocks.
///
/// tolerance: it ends when the residual is below this times the value, for instance 1e-3. most_products: or after so many products
/// with W, at least one. value: never above the largest eigenvalue but for rounding. residual: an eigenvalue lies no farther than this from the
/// value, and unless the first vector, a fixed pseudo-random one, is almost free of its eigenvector that is the largest; the error
/// is then about residual^2 / distance to the next. NULL: not wanted.
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
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = shared(system)?;
        if value.is_null() {
            return Err(null("value"));
        }
        let most = usize::try_from(most_products).unwrap_or_default();
        let estimate = system.largest_eigenvalue(tolerance, most).map_err(|error| coded(&error))?;
        if !residual.is_null() {
            put("residual", residual, estimate.residual)?;
        }
        put("value", value, estimate.value)
    })
}
