//! The errors of factorizations and solves.

use core::{fmt, result};
use std::collections::TryReserveError;

use super::Defect;

/// The result of a function that may fail; `T` defaults to `()`.
pub type FactorResult<T = (), E = FactorError> = result::Result<T, E>;

/// The reason why a factorization or a solve failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactorError {
    /// The columns do not describe a matrix, or a matrix of another size than required.
    Matrix(Defect),
    /// A value of A or of its factor is not finite.
    NotFinite,
    /// A is not positive definite: the pivot of this row is not positive.
    NotPositiveDefinite {
        /// The row, in A's own order.
        row: usize,
    },
    /// A is singular: a pivot is exactly zero.
    Singular,
    /// Memory is exhausted.
    Memory,
    /// There is no factor, since no update succeeded.
    Missing,
}

impl From<TryReserveError> for FactorError {
    fn from(_: TryReserveError) -> Self {
        Self::Memory
    }
}

impl fmt::Display for FactorError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Matrix(defect) => defect.fmt(f),
            Self::NotFinite => f.write_str("non-finite value"),
            Self::NotPositiveDefinite { row } => write!(f, "not positive definite in row {row}"),
            Self::Singular => f.write_str("singular"),
            Self::Memory => f.write_str("out of memory"),
            Self::Missing => f.write_str("not factored"),
        }
    }
}
