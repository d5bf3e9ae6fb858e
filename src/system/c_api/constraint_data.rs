//! The data that are kept with constraints, as C sees them; part of `include/ldy_system.h`.

use std::ffi::{c_int, c_longlong, c_ulonglong};

use super::arguments::{self, constraint_id, entry};
use super::ldy_system;

/// Set the regularisation of all constraints that are there: W + diag (mu) takes the place of W from the next update on,
/// everywhere.
///
/// mu: count values, in the units of W, none negative: one for all, or one for each row, or three for each row; a 0 ends it. It
/// comes on top of compliances and takes the place of the last regularisation. A constraint that is inserted later has none.
///
/// Returns 0 or 52 (NULL argument, another count, negative, not finite); then nothing has changed.
///
/// # Safety
/// system comes from ldy_system_create; mu is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_regularise(
    system: *mut ldy_system,
    mu: *const f64,
    count: usize,
) -> c_int {
    entry!(system: exclusive, mu: values(count) => system.regularise(mu)?)
}

/// Set the tag of a constraint: any number by which the program finds it again. It is 0 at first, and stays with the constraint
/// until that is removed. No results depend on it.
///
/// Returns 0 or 52 (NULL, no such constraint).
///
/// # Safety
/// system comes from ldy_system_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_tag(
    system: *mut ldy_system,
    constraint: c_longlong,
    tag: c_ulonglong,
) -> c_int {
    entry!(system: exclusive => system.set_tag(constraint_id(constraint)?, tag)?)
}

/// Tell the tags of all constraints, in the order of rows. No update is needed.
///
/// tags: count values, one for each constraint. Returns 0 or 52 (NULL argument, another count).
///
/// # Safety
/// system comes from ldy_system_create; tags is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_tags(
    system: *const ldy_system,
    tags: *mut c_ulonglong,
    count: usize,
) -> c_int {
    entry!(system: shared, tags: values_mut(count) => system.write_tags(tags)?)
}

/// Keep reactions with the constraints: each stays with its own when others are inserted, removed or moved, and comes back from
/// ldy_system_reactions in the order that rows have then, so that a solver begins with the forces of the last step. No update is
/// needed, and no results depend on it.
///
/// R: three values for each constraint in the order of rows, count values. Returns 0 or 52 (NULL argument, another count, not
/// finite); then nothing has changed.
///
/// # Safety
/// system comes from ldy_system_create; R is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_reactions(
    system: *mut ldy_system,
    R: *const f64,
    count: usize,
) -> c_int {
    entry!(system: exclusive, R: values(count) => system.set_reactions(R)?)
}

/// Tell the reactions that are kept with the constraints; those of new ones are zero.
///
/// R: three values for each constraint in the order of rows, count values. Returns 0 or 52 (NULL argument, another count).
///
/// # Safety
/// system comes from ldy_system_create; R is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_reactions(system: *const ldy_system, R: *mut f64, count: usize) -> c_int {
    entry!(system: shared, R: values_mut(count) => system.write_reactions(R)?)
}
