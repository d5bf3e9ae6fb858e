//! The neutral face as C sees it: what `include/ldy_system.h` is generated from. All `unsafe` of this face is here and in the
//! parts of this module.

#![allow(non_camel_case_types, reason = "the names of the C types")]
#![allow(non_snake_case, reason = "arguments have the names of the theory")]
#![allow(rustdoc::broken_intra_doc_links, reason = "brackets are those of C")]

pub mod any_rows;
mod arguments;
pub mod bodies;
mod bulk;
pub mod constraints;
mod factors;
mod files;
pub mod jacobian;
mod kept;
mod locdyn;
mod products;
mod rank;
pub mod results;
mod solve;
mod stability;
mod strided;
mod world;

use std::ffi::{c_int, c_longlong};
use std::ptr;

use crate::boundary::errors::{Code, fail};
use crate::boundary::status;

use super::System;
use arguments::entry;

/// Stands for the ground where a constraint has a body on one side only.
pub const LDY_GROUND: c_longlong = -1;

/// Bodies, constraints between them, and what an update makes of them: U = B + W R. Used by one thread at a time.
pub struct ldy_system(System);

/// Make a system without bodies.
///
/// system: where to put it; it is to be destroyed by ldy_system_destroy. Returns 0, 1 (no memory) or 52 (NULL).
///
/// # Safety
/// system is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_create(system: *mut *mut ldy_system) -> c_int {
    entry!(system: place => {
        let mut room = Vec::new();
        room.try_reserve_exact(1).map_err(|_| fail!(Code::OutOfMemory, "system: out of memory"))?;
        room.push(ldy_system(System::new()));
        system.put(Box::into_raw(room.into_boxed_slice()).cast());
    })
}

/// Destroy a system with all that is in it; NULL is allowed.
///
/// # Safety
/// system is NULL or comes from ldy_system_create, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_destroy(system: *mut ldy_system) {
    status(|| {
        if !system.is_null() {
            // SAFETY: the C program promises that the system comes from ldy_system_create, where it came out of a box of one, and
            // that it does not use it any more.
            drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(system, 1)) });
        }
        Ok(())
    });
}
