//! Errors of block-sparse rows and of the values given with them: a fault and its row.

use std::collections::TryReserveError;
use std::fmt;

pub use crate::fault::{Fault, check_size};

/// A fault and its row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Error {
    /// The row, counted from 0; `None`: the rows as a whole.
    pub row: Option<usize>,
    /// The fault.
    pub fault: Fault,
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

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.row {
            Some(row) => write!(f, "constraint of row {row}: {}", self.fault),
            None => self.fault.fmt(f),
        }
    }
}
