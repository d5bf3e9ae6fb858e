//! All solutions with the velocities of a known one for Python.

use std::sync::{Mutex, MutexGuard};

use ldy::solve::SolutionSet as Core;
use numpy::PyReadwriteArray1;
use pyo3::prelude::*;

use crate::arrays::{Array, Indices, Numbers, array};
use crate::at_exit::without_gil;
use crate::errors::{raised, raised_of_rows};
use crate::in_use::exclusive;
use crate::solve::{Laws, Rows};
use crate::system::{System, given_or_kept};

/// A solution set.
#[pyclass(frozen)]
pub struct SolutionSet(Mutex<Core>);

impl SolutionSet {
    fn own(&self) -> PyResult<MutexGuard<'_, Core>> {
        exclusive(&self.0, "the solution set")
    }
}

#[pymethods]
impl SolutionSet {
    /// The solutions of a system's rows; without laws with those that are kept.
    #[staticmethod]
    fn of_system(
        py: Python,
        system: &System,
        laws: Option<Laws>,
        reactions: Numbers,
        tolerance: f64,
    ) -> PyResult<Self> {
        let inner = system.read()?;
        let system = &inner.system;
        let (laws, reactions) = (given_or_kept(system, laws)?, reactions.as_slice()?);
        let set = without_gil(py, || system.solution_set(&laws, reactions, tolerance)).map_err(raised)?;
        Ok(Self(Mutex::new(set)))
    }

    /// The solutions for the rows of any W.
    #[staticmethod]
    fn of_rows(
        py: Python,
        rows: Rows,
        normal_first: bool,
        laws: Laws,
        reactions: Numbers,
        tolerance: f64,
    ) -> PyResult<Self> {
        let problem = rows.problem(normal_first)?;
        let laws = laws.made((0..problem.w.len()).map(|row| problem.w.height(row)))?;
        let reactions = reactions.as_slice()?;
        let set =
            without_gil(py, || Core::new(&problem, &laws, reactions, tolerance)).map_err(raised_of_rows)?;
        Ok(Self(Mutex::new(set)))
    }

    fn determined<'py>(&self, py: Python<'py>) -> PyResult<Array<'py, bool>> {
        Ok(array(py, &self.own()?.determined().collect::<Vec<_>>()))
    }

    /// Least and greatest forces of rows, in pairs.
    fn intervals<'py>(&self, py: Python<'py>, rows: Indices) -> PyResult<Array<'py>> {
        let rows: Vec<usize> =
            rows.as_slice()?.iter().map(|&row| usize::try_from(row).unwrap_or(usize::MAX)).collect();
        let mut set = self.own()?;
        let set = &mut *set;
        let intervals = without_gil(py, || set.intervals(&rows)).map_err(raised_of_rows)?;
        Ok(array(py, intervals.as_flattened()))
    }

    fn causes(&self, row: usize, component: usize) -> PyResult<Vec<usize>> {
        self.own()?.causes(row, component).map_err(raised_of_rows)
    }

    fn canonical(&self, py: Python, mut reactions: PyReadwriteArray1<f64>) -> PyResult<()> {
        let (reactions, mut set) = (reactions.as_slice_mut()?, self.own()?);
        let set = &mut *set;
        without_gil(py, || set.canonical(reactions)).map_err(raised_of_rows)
    }

    fn scalar_count(&self) -> PyResult<usize> {
        Ok(self.own()?.scalar_count())
    }
}
