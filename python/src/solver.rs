//! Functions of Python that apply A⁻¹.

use std::sync::{Arc, Mutex, PoisonError};

use ldy::system::Solve;
use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The first exception of a system's functions that has not been raised yet.
pub type Thrown = Arc<Mutex<Option<PyErr>>>;

/// `function (x)` returns A⁻¹ x for x with n rows.
pub struct Function {
    pub function: Py<PyAny>,
    pub thrown: Thrown,
}

impl Solve for Function {
    fn solve(&self, size: usize, x: &mut [f64]) -> i32 {
        let called = Python::with_gil(|py| {
            // Columns one behind the other are rows here: the function gets the transpose.
            let columns = PyArray2::zeros(py, [x.len() / size, size], false);
            columns.readwrite().as_slice_mut()?.copy_from_slice(x);
            let solved = self.function.call1(py, (columns.call_method0("transpose")?,))?;
            let solved = solved.bind(py).call_method1("__array__", ())?;
            let solved = solved.call_method0("transpose")?;
            let solved = py.import("numpy")?.call_method1("ascontiguousarray", (solved, "float64"))?;
            let solved: PyReadonlyArray2<f64> = solved.extract()?;
            if solved.as_slice()?.len() != x.len() {
                return Err(PyValueError::new_err("a solver has to return as many values as it gets"));
            }
            x.copy_from_slice(solved.as_slice()?);
            Ok(())
        });
        match called {
            Ok(()) => 0,
            Err(error) => {
                self.thrown.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                1
            }
        }
    }
}
