//! What is wrong with a problem, and with which of its constraints.

use std::collections::TryReserveError;
use std::fmt;

/// What is wrong, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Error {
    /// The constraint, counted from 0; `None`: the problem as a whole.
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
}

impl Error {
    pub(super) fn of_problem(fault: Fault) -> Self {
        Self { row: None, fault }
    }
}

impl From<TryReserveError> for Error {
    fn from(_: TryReserveError) -> Self {
        Self::of_problem(Fault::Memory)
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.row {
            Some(row) => write!(f, "constraint of row {row}: {}", self.fault),
            None => write!(f, "solve: {}", self.fault),
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
        }
    }
}
