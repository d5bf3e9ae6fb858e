//! The face of the legacy module.
//!
//! `entry.c` and `hooks.c` contain the C entry points, the weak references to the host and the raising of errors. They call the
//! status-returning functions of [`entry`], `update` and other modules. The modules: [`layout`] (memory layout of structures),
//! `host` (checked views of the host's bodies and constraints), `rows` (the linked rows and their memory), `update` (the rows
//! as a scene), `non_finite` (diagnosis of values that are not finite), `shadow` (a mirror of another module's rows),
//! `cohesion`, `export` (W as text), `csr` (copies of the rows for the neutral face), `memory_stats`, `display` (names in error
//! texts), `report`, `operators`, `matrix`, `mpi` (exchanges with other processes).

mod arguments;
pub mod c_api;
mod cohesion;
pub(crate) mod csr;
mod display;
pub mod entry;
mod export;
mod external_blocks;
mod hooks;
mod host;
pub mod layout;
mod matrix;
mod memory_stats;
#[cfg(feature = "mpi")]
mod mpi;
mod non_finite;
mod operators;
mod options;
mod report;
mod rows;
mod shadow;
mod update;

use crate::ffi::file;
pub use crate::ffi::{self, errors};
