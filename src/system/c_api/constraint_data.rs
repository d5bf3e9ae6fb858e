//! Tags, reactions and regularization, which are kept with constraints, in C; part of `include/ldy_system.h`.

use std::ffi::c_int;

use super::arguments::{self, entry};
use super::ldy_system;

/// Set the regularization mu of all constraints that exist now: from the next update on, all functions use W + diag (mu) instead
/// of W.
///
/// - mu: in the units of W, none negative. 0 removes the regularization.
/// - count: 1 (one value for all), the number of constraints, or the number of scalar rows.
///
/// mu is added to W in addition to compliances, and replaces the previous regularization. A constraint that is inserted later has
/// none.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, or a value is negative or not finite. After
/// an error nothing has changed.
///
/// # Safety
/// system comes from ldy_system_create; mu is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_regularization(
    system: *mut ldy_system,
    mu: *const f64,
    count: usize,
) -> c_int {
    entry!(system: exclusive, mu: values(count) => system.set_regularization(mu)?)
}

/// Return the regularization of all constraints.
///
/// - mu: where to write a value for each scalar row, in the order of rows.
/// - count: number of scalar rows.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count is wrong.
///
/// # Safety
/// system comes from ldy_system_create; mu is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_regularization(
    system: *const ldy_system,
    mu: *mut f64,
    count: usize,
) -> c_int {
    entry!(system: shared, mu: values_mut(count) => system.regularization(mu)?)
}

/// Return the tags of all constraints. No update is needed.
///
/// - tags: where to write them, in the order of rows.
/// - count: number of constraints.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count is wrong.
///
/// # Safety
/// system comes from ldy_system_create; tags is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_tags(system: *const ldy_system, tags: *mut u64, count: usize) -> c_int {
    entry!(system: shared, tags: values_mut(count) => system.tags(tags)?)
}

/// Store the reactions of all constraints for a warm start.
///
/// Each reaction remains with its constraint when other constraints are inserted, removed or moved. ldy_system_stored_reactions
/// returns them in the order that rows have then: an initial guess for the contact solver. No update is needed, and results do
/// not depend on stored reactions.
///
/// - R: three values for each constraint, in the order of rows.
/// - count: number of values.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, or a value is not finite. After an error
/// nothing has changed.
///
/// # Safety
/// system comes from ldy_system_create; R is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_store_reactions(
    system: *mut ldy_system,
    R: *const f64,
    count: usize,
) -> c_int {
    entry!(system: exclusive, R: values(count) => system.store_reactions(R)?)
}

/// Return the stored reactions of all constraints; they are zero for a new constraint.
///
/// - R: where to write three values for each constraint, in the order of rows.
/// - count: number of values.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count is wrong.
///
/// # Safety
/// system comes from ldy_system_create; R is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_stored_reactions(
    system: *const ldy_system,
    R: *mut f64,
    count: usize,
) -> c_int {
    entry!(system: shared, R: values_mut(count) => system.stored_reactions(R)?)
}
