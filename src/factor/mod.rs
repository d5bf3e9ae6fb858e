//! Factors of sparse matrices: a matrix A is factored once, and A⁻¹ is applied by solves.
//!
//! `minimum_degree` orders the rows. `tree` and `supernodes` find the pattern of the Cholesky factor, `elimination` computes it, and
//! `triangles` solves with it. `lu` is for general matrices.
#![forbid(unsafe_code)]

mod adjacency;
mod boxed;
mod condition;
mod elimination;
mod error;
mod factored;
mod factors;
mod lu;
mod matrix_copy;
mod minimum_degree;
mod supernodes;
#[cfg(test)]
mod tests;
mod tree;
mod triangles;
mod workspace;

pub use boxed::Boxed;
pub use error::{FactorError, FactorResult};
pub use factored::{FactorStatus, Factored, SLOTS_AT_ONCE, Structure};
pub use matrix_copy::{MatrixCopy, check};
pub use tree::{NONE, postorder};
pub use workspace::Workspace;

use core::fmt;

use crate::math::is_finite;

/// A defect in the description of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// The sizes do not fit each other.
    Size,
    /// Starts of blocks or columns do not ascend from zero to the number of values.
    Starts,
    /// A row index is outside the matrix.
    Row,
    /// A block is not square.
    Block,
    /// A column of a lower triangle does not begin with its diagonal, or its rows do not ascend.
    Triangle,
    /// A column has a row twice.
    Duplicate,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Size => "sizes do not fit each other",
            Self::Starts => "starts do not ascend from 0 to the number of values",
            Self::Row => "a row index lies outside the matrix",
            Self::Block => "a diagonal block is not square",
            Self::Triangle => "a column of a lower triangle is not its diagonal and ascending rows",
            Self::Duplicate => "a column holds a row twice",
        })
    }
}

/// Whether `starts` ascends from zero to `end`.
#[inline]
pub fn ascends(starts: &[i32], end: usize) -> bool {
    starts.first() == Some(&0)
        && starts.last().is_some_and(|&last| usize::try_from(last) == Ok(end))
        && starts.is_sorted()
}
