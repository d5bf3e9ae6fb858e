//! The C interface: what `include/ldy.h` and `include/ldy_host.h` are generated from.

pub mod additions;
pub mod module;
pub mod operators;
#[cfg(feature = "mpi")]
pub mod parallel;
