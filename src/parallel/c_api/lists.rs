//! Own bodies and constraints in C; part of `include/ldy_parallel.h`.

use std::ffi::c_int;

use crate::system::c_api::arguments::{self, entry};
use crate::system::c_api::lists::put_ids;

use super::handles::ldy_parallel;

/// Return the number of bodies that this process owns; 0 if parallel is NULL.
///
/// # Safety
/// parallel comes from ldy_parallel_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_parallel_body_count(parallel: *const ldy_parallel) -> usize {
    // SAFETY: the C program promises a system, or NULL.
    unsafe { arguments::shared("parallel", parallel) }.map_or(0, |parallel| parallel.own_bodies().count())
}

/// Return the ids of the bodies that this process owns, ascending, for instance after ldy_parallel_migrate.
///
/// - bodies: where to write them.
/// - count: ldy_parallel_body_count.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count is wrong.
///
/// # Safety
/// parallel comes from ldy_parallel_create; bodies is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_parallel_bodies(
    parallel: *const ldy_parallel,
    bodies: *mut i64,
    count: usize,
) -> c_int {
    entry!(parallel: shared, bodies: values_mut(count) => {
        put_ids("bodies", parallel.own_bodies(), parallel.own_bodies().count(), bodies)?;
    })
}

/// Return the ids of the constraints of this process, without its halo, ascending.
///
/// - constraints: where to write them.
/// - count: ldy_parallel_constraint_count.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count is wrong.
///
/// # Safety
/// parallel comes from ldy_parallel_create; constraints is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_parallel_constraints(
    parallel: *const ldy_parallel,
    constraints: *mut i64,
    count: usize,
) -> c_int {
    entry!(parallel: shared, constraints: values_mut(count) => {
        put_ids("constraints", parallel.own_constraints().map(|(id, _)| id), parallel.own_count(), constraints)?;
    })
}
