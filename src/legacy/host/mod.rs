//! Checked views of the host's structures, made from raw pointers.

pub mod adjacency;
pub mod body;
pub mod body_point;
pub mod constraint;
pub mod domain;
pub mod finite_element;
#[cfg(feature = "mpi")]
pub mod map;
pub mod mesh;
pub mod set;
