//! The host's structures as the core wants them: raw pointers in, checked views out.

pub mod body;
pub mod constraint;
pub mod domain;
pub mod inverse;
pub mod set;
