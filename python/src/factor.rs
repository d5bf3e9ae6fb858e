//! Factors of W + μ 1 for Python.

use ldy::rows::Cholesky;
use numpy::PyReadwriteArray1;
use pyo3::prelude::*;

use crate::arrays::Numbers;
use crate::at_exit::without_gil;
use crate::errors::{raised, refused};
use crate::system::System;

/// A Cholesky factor with its memory.
#[pyclass]
#[derive(Default)]
pub struct Factor(Cholesky);

#[pymethods]
impl Factor {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    fn make(&mut self, py: Python, system: &System, mu: Numbers) -> PyResult<()> {
        let (mu, system) = (mu.as_slice()?, system.inner());
        without_gil(py, || system.factorize(&mut self.0, mu)).map_err(raised)
    }

    /// Solve for contiguous vectors.
    fn solve(&mut self, py: Python, mut x: PyReadwriteArray1<f64>) -> PyResult<()> {
        let (x, factor) = (x.as_slice_mut()?, &mut self.0);
        let size = factor.size().map_err(failed)?;
        without_gil(py, || x.chunks_mut(size.max(1)).try_for_each(|x| factor.solve(x))).map_err(failed)
    }

    fn size(&self) -> PyResult<usize> {
        self.0.size().map_err(failed)
    }

    fn log_determinant(&self) -> PyResult<f64> {
        self.0.log_determinant().map_err(failed)
    }
}

fn failed(error: ldy::rows::Error) -> PyErr {
    refused(error.fault == ldy::rows::Fault::Memory, error.to_string())
}
