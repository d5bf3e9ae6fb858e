//! Errors of the library as exceptions.

use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyMemoryError};

use ldy::system::{EntryError, Fault};

create_exception!(
    ldy,
    Error,
    PyException,
    "What the library refuses: which constraint, which bodies, what was wrong."
);

/// The exception of an error with this text.
pub fn refused(is_memory: bool, text: String) -> PyErr {
    if is_memory { PyMemoryError::new_err(text) } else { Error::new_err(text) }
}

/// The exception of an error.
pub fn raised(error: ldy::system::Error) -> PyErr {
    refused(error.fault == Fault::Memory, error.to_string())
}

/// The exception of an error in a call for `count` bodies or constraints. For a single one the text has no index.
pub fn raised_of(count: usize, EntryError { entry, error }: EntryError) -> PyErr {
    let entry = entry.filter(|_| count > 1);
    refused(error.fault == Fault::Memory, EntryError { entry, error }.to_string())
}
