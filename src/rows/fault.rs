//! Faults of block-sparse rows and of the values given with them, with the row that has the fault.

use std::collections::TryReserveError;
use std::fmt;

/// A fault and its row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Error {
    /// The row, counted from 0; `None`: the rows as a whole.
    pub row: Option<usize>,
    /// The fault.
    pub fault: Fault,
}

/// A fault of values or of their number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// Memory is exhausted.
    Memory,
    /// A value is not finite; its name.
    NotFinite(&'static str),
    /// Another fault; its description.
    Invalid(&'static str),
    /// An array has the wrong number of values.
    Size {
        /// The array.
        what: &'static str,
        /// The number needed.
        expected: usize,
        /// The number given.
        found: usize,
    },
    /// The matrix is not positive definite, or singular to working precision: the pivot of this row is not positive.
    NotPositive,
}

/// Check the number of values of an array.
///
/// # Errors
/// If `found` is not `expected`.
pub fn check_size(what: &'static str, expected: usize, found: usize) -> Result<(), Fault> {
    if expected == found { Ok(()) } else { Err(Fault::Size { what, expected, found }) }
}

impl Error {
    /// A fault of one row.
    pub(crate) fn of_row(row: usize, fault: Fault) -> Self {
        Self { row: Some(row), fault }
    }

    /// A fault of the rows as a whole.
    pub(crate) fn of_rows(fault: Fault) -> Self {
        Self { row: None, fault }
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::of_rows(fault)
    }
}

impl From<TryReserveError> for Error {
    fn from(_: TryReserveError) -> Self {
        Self::of_rows(Fault::Memory)
    }
}

impl From<TryReserveError> for Fault {
    fn from(_: TryReserveError) -> Self {
        Self::Memory
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
