//! The neutral interface in C: `include/ldy_system.h` is generated from this module. All `unsafe` code of the C
//! interface is here and in the submodules.

#![allow(non_camel_case_types, reason = "the names of the C types")]
#![allow(non_snake_case, reason = "arguments have the names of the theory")]
#![allow(rustdoc::broken_intra_doc_links, reason = "brackets are those of C")]

pub(crate) mod arguments;
mod batch;
mod batch_strided;
pub mod bodies;
pub(crate) mod bulk;
mod bulk_world;
mod conflict;
mod constraint_data;
pub mod constraints;
mod derivatives;
mod errors;
mod factors;
pub(crate) mod files;
mod friction_curve;
mod gradient;
mod hunt_crossley;
pub mod inertia;
pub mod jacobian;
mod joints;
mod laws;
pub(crate) mod lists;
mod locdyn;
pub mod operators;
mod problem_file;
pub(crate) mod products;
mod rank;
pub mod results;
pub mod rows;
mod solution_set;
pub(crate) mod solve;
mod stability;
mod stabilization;
mod strided;
mod sync;
mod world;

use std::ffi::c_int;

use crate::ffi::handle::{self, Handle};

use super::System;
use arguments::entry;

/// The id of the ground, for a constraint that has a body on one side only.
pub const LDY_GROUND: i64 = -1;

/// A system: bodies, constraints between them, and the results of the last update, U = B + W R. One thread at a time may use it.
pub struct ldy_system(());

impl Handle for ldy_system {
    type Core = System;
}

/// Create a system without bodies.
///
/// - system: where to write it. Destroy it with ldy_system_destroy.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if system is NULL.
///
/// # Safety
/// system is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_create(system: *mut *mut ldy_system) -> c_int {
    entry!(system: place => system.put(handle::made("system", System::new())?))
}

/// Copy a system: bodies, constraints, and everything that was set, under the same ids. The copy has no results. After an update it
/// has bit-identical results.
///
/// - clone: where to write the copy. Destroy it with ldy_system_destroy.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or a body has an inverse callback, which
/// cannot be copied.
///
/// # Safety
/// system comes from ldy_system_create; clone is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_clone(system: *const ldy_system, clone: *mut *mut ldy_system) -> c_int {
    entry!(system: shared, clone: place => clone.put(handle::made("system", system.try_clone()?)?))
}

/// Destroy a system with all its bodies and constraints; NULL is allowed.
///
/// # Safety
/// system is NULL or comes from ldy_system_create, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_destroy(system: *mut ldy_system) {
    // SAFETY: the C program promises that the system comes from ldy_system_create and that it does not use it any more.
    unsafe { handle::destroy(system) };
}
