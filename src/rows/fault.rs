//! What is wrong with block-sparse rows and what is given with them, and which of them.

use std::collections::TryReserveError;
use std::fmt;

/// What is wrong, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Error {
    /// The row, counted from 0; `None`: all of it.
    pub row: Option<usize>,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// Memory is exhausted.
    Memory,
    /// A value is not finite; which.
    NotFinite(&'static str),
    /// Something else is wrong; what.
    Invalid(&'static str),
    /// So many values were given where as many others are needed.
    Size {
        /// Of what.
        what: &'static str,
        /// As many as needed.
        expected: usize,
        /// As many as given.
        found: usize,
    },
    /// The matrix is not positive definite, or singular to working precision: the pivot of this row is not positive.
    NotPositive,
}

impl Error {
    pub(crate) fn of_rows(fault: Fault) -> Self {
        Self { row: None, fault }
    }
}

impl From<TryReserveError> for Error {
    fn from(_: TryReserveError) -> Self {
        Self::of_rows(Fault::Memory)
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.row {
            Some(row) => write!(f, "constraint of row {row}: {}", self.fault),
            None => self.fault.fmt(f),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("out of memory"),
            Self::NotFinite(what) => write!(f, "{what} is not finite"),
            Self::Invalid(what) => f.write_str(what),
            Self::Size { what, expected, found } => {
                write!(f, "{what}: {found} values where {expected} are needed")
            }
            Self::NotPositive => f.write_str("the pivot of W + mu 1 is not positive"),
        }
    }
}
