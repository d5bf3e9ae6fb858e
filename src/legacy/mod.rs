//! The face of the legacy module: the one place that talks to C.
//!
//! `entry.c` and `hooks.c` hold the C entry points, the weak references to the host and the raising of errors;
//! [`entry`] and `update` the status-returning functions that they call. Behind those, each a file: [`layout`] (structures as they
//! lie in memory), `host` (the host's bodies and constraints as the core wants them), `rows` (the linked rows and
//! their memory), `update` (these as a scene), `culprit` (what is not finite), `shadow`
//! (another module's rows once more),
//! `cohesion`, `export` (W as text), `copied_rows` (the rows for the neutral face), `report`, `operators`, `matrix`.

mod arguments;
pub mod c_api;
mod cohesion;
pub(crate) mod csr;
mod display;
pub mod entry;
mod export;
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
