//! Factors of W + μ 1 for Python.

use std::sync::{Mutex, MutexGuard};

use ldy::rows::Cholesky;
use numpy::PyReadwriteArray1;
use pyo3::prelude::*;

use crate::arrays::Numbers;
use crate::at_exit::without_gil;
use crate::errors::{raised, raised_of_rows};
use crate::in_use::exclusive;
use crate::system::System;

/// A Cholesky factor with its memory.
#[pyclass(frozen)]
#[derive(Default)]
pub struct Factor(Mutex<Cholesky>);

impl Factor {
    fn own(&self) -> PyResult<MutexGuard<'_, Cholesky>> {
        exclusive(&self.0, "the factor")
    }
}

#[pymethods]
impl Factor {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    fn compute(&self, py: Python, system: &System, mu: Numbers) -> PyResult<()> {
        let (mu, system, mut factor) = (mu.as_slice()?, system.read()?, self.own()?);
        let (system, factor) = (&system.system, &mut *factor);
        without_gil(py, || system.factorize(factor, mu)).map_err(raised)
    }

    /// Solve for contiguous vectors.
    fn solve(&self, py: Python, mut x: PyReadwriteArray1<f64>) -> PyResult<()> {
        let (x, mut factor) = (x.as_slice_mut()?, self.own()?);
        let factor = &mut *factor;
        let size = factor.size().map_err(raised_of_rows)?;
        without_gil(py, || x.chunks_mut(size.max(1)).try_for_each(|x| factor.solve(x)))
            .map_err(raised_of_rows)
    }

    fn size(&self) -> PyResult<usize> {
        self.own()?.size().map_err(raised_of_rows)
    }

    fn log_determinant(&self) -> PyResult<f64> {
        self.own()?.log_determinant().map_err(raised_of_rows)
    }
}
