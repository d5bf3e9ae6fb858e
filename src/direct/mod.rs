//! Direct methods for block-sparse symmetric rows of one to six scalars: Cholesky factors of W + μ 1, and which rows depend on
//! others. `docs/system.md` tells when W is singular.
//!
//! `rows` is what is given, `cholesky` the sparse factor, by [`crate::inertia`]'s; `rank` the dense elimination that finds out
//! which rows depend on others.
#![forbid(unsafe_code)]

mod cholesky;
mod rank;

pub use crate::any_rows::{AnyBlockRows, Extents};
pub use crate::block_rows::BlockRows;
pub use crate::row_error::{Error, Fault};
pub use cholesky::Cholesky;
pub use rank::dependent_rows;

#[cfg(test)]
mod tests;
