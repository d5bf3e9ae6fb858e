//! Errors of the library as exceptions.

use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyMemoryError};

use ldy::system::Fault;

create_exception!(
    ldy,
    Error,
    PyException,
    "What the library refuses: which constraint, which bodies, what was wrong."
);

/// The exception of an error.
pub fn raised(error: ldy::system::Error) -> PyErr {
    match error.fault {
        Fault::Memory => PyMemoryError::new_err(error.to_string()),
        _ => Error::new_err(error.to_string()),
    }
}

/// The exception of an error in a call for many things.
pub fn raised_at(index: usize, error: ldy::system::Error) -> PyErr {
    match error.fault {
        Fault::Memory => PyMemoryError::new_err(error.to_string()),
        _ => Error::new_err(format!("entry {index}: {error}")),
    }
}
