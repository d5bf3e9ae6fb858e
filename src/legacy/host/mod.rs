//! The host's structures as the core wants them: raw pointers in, checked views out.

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
