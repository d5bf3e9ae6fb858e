//! The neutral interface in C: `include/ldy_system.h` is generated from this module. All `unsafe` code of the C
//! interface is here and in the submodules.

#![allow(non_camel_case_types, reason = "the names of the C types")]
#![allow(non_snake_case, reason = "arguments have the names of the theory")]
#![allow(rustdoc::broken_intra_doc_links, reason = "brackets are those of C")]

pub mod any_rows;
mod arguments;
pub mod bodies;
mod bulk;
mod constraint_data;
pub mod constraints;
mod factors;
mod files;
pub mod jacobian;
mod laws;
mod locdyn;
mod products;
mod rank;
pub mod results;
pub mod rows;
mod solve;
mod stability;
mod strided;
mod sync;
mod world;

use std::ffi::{c_int, c_longlong};

use crate::ffi::handle::{self, Handle};

use super::System;
use arguments::entry;

/// Stands for the ground where a constraint has a body on one side only.
pub const LDY_GROUND: c_longlong = -1;

/// Bodies, constraints between them, and what an update makes of them: U = B + W R. Used by one thread at a time.
pub struct ldy_system(());

impl Handle for ldy_system {
    type Core = System;
}

/// Make a system without bodies.
///
/// system: where to put it; it is to be destroyed by ldy_system_destroy. Returns 0, 1 (no memory) or 52 (NULL).
///
/// # Safety
/// system is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_create(system: *mut *mut ldy_system) -> c_int {
    entry!(system: place => system.put(handle::made("system", System::new())?))
}

/// Destroy a system with all that is in it; NULL is allowed.
///
/// # Safety
/// system is NULL or comes from ldy_system_create, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_destroy(system: *mut ldy_system) {
    // SAFETY: the C program promises that the system comes from ldy_system_create and that it does not use it any more.
    unsafe { handle::destroy(system) };
}
