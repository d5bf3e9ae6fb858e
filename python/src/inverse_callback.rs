//! Functions of Python that apply A⁻¹.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use ldy::system::Solve;
use numpy::{PyArray2, PyArrayMethods, PyReadonlyArrayDyn};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

use crate::at_exit::with_gil;

/// The first exception of a system's functions that has not been raised yet.
pub type Thrown = Arc<Mutex<Option<PyErr>>>;

/// The functions of a system, of which the library owns those that are in use: Python's garbage collector has to know them, since they
/// often belong to what owns the system.
#[derive(Default)]
pub struct Functions {
    all: Vec<Weak<Py<PyAny>>>,
    pub thrown: Thrown,
}

impl Functions {
    /// One more.
    pub fn add(&mut self, function: Py<PyAny>) -> Function {
        if self.all.len() == self.all.capacity() {
            self.all.retain(|one| one.strong_count() > 0);
        }
        let function = Arc::new(function);
        self.all.push(Arc::downgrade(&function));
        Function { function, thrown: self.thrown.clone() }
    }

    /// Show the functions in use to the garbage collector.
    pub fn visit(&self, visit: &PyVisit) -> Result<(), PyTraverseError> {
        self.all.iter().filter_map(Weak::upgrade).try_for_each(|one| visit.call(&*one))
    }
}

/// `function (x)` returns A⁻¹ x for x with n rows.
pub struct Function {
    function: Arc<Py<PyAny>>,
    thrown: Thrown,
}

impl Solve for Function {
    fn solve(&self, size: usize, x: &mut [f64]) -> i32 {
        let called = with_gil(|py| {
            // Contiguous columns are rows here: the function gets the transpose.
            let columns = PyArray2::zeros(py, [x.len() / size, size], false);
            columns.readwrite().as_slice_mut()?.copy_from_slice(x);
            let solved = self.function.call1(py, (columns.call_method0("transpose")?,))?;
            let numpy = py.import("numpy")?;
            let solved = numpy.call_method1("asarray", (solved, "float64"))?;
            let (count, shape) = (x.len() / size, solved.getattr("shape")?.extract::<Vec<usize>>()?);
            if shape != [size, count] && (shape != [size] || count != 1) {
                let shape = solved.getattr("shape")?;
                let text = format!("a solver returned shape {shape} where ({size}, {count}) is needed");
                return Err(PyValueError::new_err(text));
            }
            let solved = numpy.call_method1("ascontiguousarray", (solved.call_method0("transpose")?,))?;
            let solved: PyReadonlyArrayDyn<f64> = solved.extract()?;
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
