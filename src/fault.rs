//! The faults of block-sparse rows, of systems, and of the values given with them.
#![forbid(unsafe_code)]

use std::collections::TryReserveError;
use std::fmt;

use crate::inertia::FactorError;

/// A fault, without its row, body or constraint. A `u64` is the id of a body or constraint.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// Memory is exhausted.
    Memory,
    /// There is no body or constraint with this id.
    Unknown,
    /// A constraint refers to a body that does not exist.
    NoBody(u64),
    /// A body cannot be removed: a constraint acts on it.
    InUse(u64),
    /// A value is not finite; the text names it.
    NotFinite(&'static str),
    /// The block of W that couples a constraint with this one is not finite.
    NotFiniteBlock(u64),
    /// Another fault of an argument, described by the text.
    Invalid(&'static str),
    /// There is more of something than can be counted; the text names it.
    TooLarge(&'static str),
    /// An iteration did not converge; the text names its result.
    NotConverged(&'static str),
    /// The number of values is wrong.
    Size {
        /// The name of the values.
        what: &'static str,
        /// The number of values needed.
        expected: usize,
        /// The number of values given.
        found: usize,
    },
    /// A matrix or inverse cannot be used.
    Matrix(FactorError),
    /// The user's inverse callback returned this number.
    Solver(i32),
    /// A diagonal block is singular.
    Singular,
    /// W + μ 1 is not positive definite, or singular to working precision: the pivot of a row is not positive.
    NotPositive,
    /// There was no successful update since the last change, so the requested results do not exist.
    Stale,
}

/// Check the number of values of an array.
///
/// # Errors
/// If `found` is not `expected`.
pub fn check_size(what: &'static str, expected: usize, found: usize) -> Result<(), Fault> {
    if expected == found { Ok(()) } else { Err(Fault::Size { what, expected, found }) }
}

impl From<TryReserveError> for Fault {
    fn from(_: TryReserveError) -> Self {
        Self::Memory
    }
}

impl From<FactorError> for Fault {
    fn from(error: FactorError) -> Self {
        if error == FactorError::Memory { Self::Memory } else { Self::Matrix(error) }
    }
}

impl std::error::Error for Fault {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("out of memory"),
            Self::Unknown => f.write_str("there is no body or constraint with this id"),
            Self::NoBody(body) => write!(f, "there is no body {body}"),
            Self::InUse(constraint) => write!(f, "constraint {constraint} acts on it"),
            Self::NotFinite(what) => write!(f, "{what} is not finite"),
            Self::NotFiniteBlock(other) => write!(f, "its block of W with constraint {other} is not finite"),
            Self::Invalid(what) => f.write_str(what),
            Self::TooLarge(what) => write!(f, "{what} than an int can count"),
            Self::NotConverged(what) => write!(f, "{what} did not converge"),
            Self::Size { what, expected, found } => {
                write!(f, "{what}: {found} values where {expected} are needed")
            }
            Self::Matrix(error) => write!(f, "its matrix A: {error}"),
            Self::Solver(code) => write!(f, "its solver returned {code}"),
            Self::Singular => f.write_str("its diagonal block of W is singular"),
            Self::NotPositive => f.write_str("the pivot of W + mu 1 is not positive"),
            Self::Stale => f.write_str("no successful update since the last change"),
        }
    }
}
