//! Block-sparse rows of W, the one type of them, and what is computed from them alone. `docs/how-to/redundancy.md` explains when W is singular.
//!
//! `layout` has the heights of rows, `pattern` checks starts and columns, `block_rows` is the type. `multiply` makes products,
//! `cholesky` sparse factors of W + μ 1 by [`crate::inertia`], `elimination` dense ones with null vectors, by which `rank` finds dependent rows, `files` writes
//! W, and `fault` is the error of all of them.
#![forbid(unsafe_code)]

mod block_rows;
mod cholesky;
pub(crate) mod elimination;
pub(crate) mod fault;
pub(crate) mod files;
pub(crate) mod layout;
pub(crate) mod multiply;
pub(crate) mod pattern;
pub(crate) mod rank;

pub(crate) use block_rows::NOT_FINITE;
pub use block_rows::{BlockRows, Bsr3};
pub use cholesky::Cholesky;
pub use fault::{Error, Fault};
pub use layout::{Layout, RowLayout, RowLayoutBuf, Threes};
pub use rank::dependent_rows;

#[cfg(test)]
mod tests;
