//! The memory layout of the structures of the host and of the legacy module, with their enumerators.
//!
//! All of it is generated from the tables `layout.tsv` and `enumerations.tsv` in this folder, for a serial host or, with the
//! feature `mpi`, for a host compiled with `-DMPI`. Offset and size of every field and the size of every structure are asserted
//! at compile time. The C headers in `include/` have the same names.

#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals, reason = "the names of the C headers")]
#![allow(clippy::upper_case_acronyms, reason = "the names of the C headers")]

use std::ffi::{c_char, c_double, c_int, c_long, c_short, c_uchar, c_uint, c_void};
use std::mem::offset_of;

/// The size of the field that a projection selects; for the assertions only.
const fn size_of_field<Whole, Part>(_field: fn(&Whole) -> &Part) -> usize {
    size_of::<Part>()
}

include!(concat!(env!("OUT_DIR"), "/layout.rs"));
