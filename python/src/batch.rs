//! Many systems at once for Python.

use std::sync::{Mutex, MutexGuard};

use ldy::solve::LawChange;
use ldy::system::{Batch as Core, ByResults};
use numpy::{PyArray1, PyReadwriteArray1};
use pyo3::prelude::*;

use crate::arrays::{Array, Indices, Numbers};
use crate::at_exit::without_gil;
use crate::derivatives::numbers_of;
use crate::errors::raised_of;
use crate::in_use::exclusive;
use crate::solve::{Choices, status_of};
use crate::system::System;

/// The memory for many systems.
#[pyclass(frozen)]
pub struct Batch(Mutex<Core>);

impl Batch {
    fn own(&self) -> PyResult<MutexGuard<'_, Core>> {
        exclusive(&self.0, "the batch")
    }
}

fn places(starts: &Indices) -> PyResult<Vec<usize>> {
    Ok(starts.as_slice()?.iter().map(|&start| start as usize).collect())
}

#[pymethods]
impl Batch {
    #[new]
    fn new() -> Self {
        Self(Mutex::default())
    }

    fn update(&self, py: Python, systems: Vec<PyRef<System>>, h: f64) -> PyResult<()> {
        let mut own = self.own()?;
        let own = &mut *own;
        let mut inner = systems.iter().map(|system| system.write()).collect::<PyResult<Vec<_>>>()?;
        let updated = {
            let mut systems: Vec<_> = inner.iter_mut().map(|inner| &mut inner.system).collect();
            let systems = &mut systems[..];
            without_gil(py, || own.update(systems, h))
        };
        updated.map_err(|error| match error.entry.and_then(|entry| inner[entry].exception()) {
            Some(exception) => exception,
            None => raised_of(systems.len(), error),
        })
    }

    /// Replace the forces by those that were found; statuses and residuals.
    fn solve<'py>(
        &self,
        py: Python<'py>,
        systems: Vec<PyRef<System>>,
        options: Choices,
        mut forces: PyReadwriteArray1<f64>,
        starts: Indices,
    ) -> PyResult<(Vec<&'static str>, Array<'py>)> {
        let mut own = self.own()?;
        let own = &mut *own;
        let options = options.made()?;
        let inner = systems.iter().map(|system| system.read()).collect::<PyResult<Vec<_>>>()?;
        let (all, starts) = (inner.iter().map(|inner| &inner.system).collect::<Vec<_>>(), places(&starts)?);
        let (forces, all) = (forces.as_slice_mut()?, &all[..]);
        let (mut statuses, mut residuals) = (Vec::new(), Vec::new());
        let solved = without_gil(py, || {
            own.solve(all, &options, forces, &starts, |_, report| {
                statuses.push(status_of(report.status));
                residuals.push(report.residual.by(options.measure));
            })
        });
        solved.map_err(|error| raised_of(all.len(), error))?;
        Ok((statuses, PyArray1::from_vec(py, residuals)))
    }

    /// The products of W of each system with its part of `x`.
    fn multiply<'py>(
        &self,
        py: Python<'py>,
        systems: Vec<PyRef<System>>,
        x: Numbers,
        starts: Indices,
    ) -> PyResult<Array<'py>> {
        let mut own = self.own()?;
        let own = &mut *own;
        let inner = systems.iter().map(|system| system.read()).collect::<PyResult<Vec<_>>>()?;
        let (all, starts) = (inner.iter().map(|inner| &inner.system).collect::<Vec<_>>(), places(&starts)?);
        let (x, all) = (x.as_slice()?, &all[..]);
        let mut y = vec![0.0; x.len()];
        without_gil(py, || own.multiply(all, x, &mut y, &starts))
            .map_err(|error| raised_of(all.len(), error))?;
        Ok(PyArray1::from_vec(py, y))
    }

    /// Derivatives by B, and by the numbers of the laws of all rows; whether equations are singular, the shares outside of them, whether
    /// forces are solutions.
    #[allow(clippy::type_complexity, reason = "a tuple of lists")]
    fn adjoint<'py>(
        &self,
        py: Python<'py>,
        systems: Vec<PyRef<System>>,
        forces: Numbers,
        by_forces: Numbers,
        by_velocities: Numbers,
        starts: Indices,
    ) -> PyResult<(Array<'py>, Array<'py>, (Vec<bool>, Vec<f64>, Vec<bool>))> {
        let mut own = self.own()?;
        let own = &mut *own;
        let inner = systems.iter().map(|system| system.read()).collect::<PyResult<Vec<_>>>()?;
        let (all, starts) = (inner.iter().map(|inner| &inner.system).collect::<Vec<_>>(), places(&starts)?);
        let by = ByResults {
            forces: forces.as_slice()?,
            by_forces: by_forces.as_slice()?,
            by_velocities: by_velocities.as_slice()?,
        };
        let (all, mut by_b) = (&all[..], vec![0.0; by.forces.len()]);
        let mut by_laws = vec![LawChange::default(); all.iter().map(|system| system.row_count()).sum()];
        let mut fits = (Vec::new(), Vec::new(), Vec::new());
        let found = without_gil(py, || {
            own.adjoint(all, by, &mut by_b, Some(&mut by_laws), &starts, |_, fit, is_solution| {
                fits.0.push(fit.is_singular);
                fits.1.push(fit.outside);
                fits.2.push(is_solution);
            })
        });
        found.map_err(|error| raised_of(all.len(), error))?;
        let numbers = by_laws.iter().flat_map(numbers_of).collect();
        Ok((PyArray1::from_vec(py, by_b), PyArray1::from_vec(py, numbers), fits))
    }
}
