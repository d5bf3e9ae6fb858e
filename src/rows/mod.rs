//! Direct methods for block-sparse symmetric rows of one to six scalars: Cholesky factors of W + μ 1, and which rows depend on
//! others. `docs/system.md` tells when W is singular.
//!
//! `rows` is what is given, `cholesky` the sparse factor, by [`crate::inertia`]'s; `rank` the dense elimination that finds out
//! which rows depend on others.
#![forbid(unsafe_code)]

pub(crate) mod any_rows;
pub(crate) mod block_rows;
mod cholesky;
pub(crate) mod fault;
pub(crate) mod multiply;
mod rank;

pub use any_rows::{AnyBlockRows, Extents};
pub use block_rows::BlockRows;
pub use cholesky::Cholesky;
pub use fault::{Error, Fault};
pub use rank::dependent_rows;

#[cfg(test)]
mod tests;
