//! The C interface: the source of the generated headers `include/ldy.h` and `include/ldy_host.h`.

#![allow(rustdoc::broken_intra_doc_links, reason = "in the headers brackets are indices")]

pub mod additions;
pub mod entry_points;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod operators;
pub mod types;
