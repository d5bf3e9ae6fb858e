//! Many systems at once for Python.

use std::sync::{Mutex, MutexGuard};

use ldy::solve::LawChange;
use ldy::system::{Batch as Core, ByResults};
use numpy::ndarray::Axis;
use numpy::{PyArray1, PyReadonlyArray2, PyReadwriteArray1, PyReadwriteArray2};
use pyo3::prelude::*;

use crate::arrays::{Array, Indices, Numbers};
use crate::at_exit::without_gil;
use crate::derivatives::numbers_of;
use crate::errors::{invalid, raised_of};
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
            let mut systems: Vec<_> = inner.iter_mut().map(|inner| &mut *inner.system).collect();
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
        mut forces: VectorsMut,
        starts: Indices,
    ) -> PyResult<(Vec<&'static str>, Array<'py>)> {
        let mut own = self.own()?;
        let own = &mut *own;
        let options = options.made()?;
        let inner = systems.iter().map(|system| system.read()).collect::<PyResult<Vec<_>>>()?;
        let (all, starts) = (inner.iter().map(|inner| &*inner.system).collect::<Vec<_>>(), places(&starts)?);
        let (mut forces, all) = (forces.cut(&starts)?, &all[..]);
        let (mut statuses, mut residuals) = (Vec::new(), Vec::new());
        let solved = without_gil(py, || {
            own.solve_each(all, &options, &mut forces, |_, report| {
                statuses.push(status_of(report.status));
                residuals.push(report.residual.by(options.measure));
            })
        });
        solved.map_err(|error| raised_of(all.len(), error))?;
        Ok((statuses, PyArray1::from_vec(py, residuals)))
    }

    /// Write the products of W of each system with its vector in `x`.
    fn multiply(
        &self,
        py: Python,
        systems: Vec<PyRef<System>>,
        x: Vectors,
        mut y: VectorsMut,
        starts: Indices,
    ) -> PyResult<()> {
        let mut own = self.own()?;
        let own = &mut *own;
        let inner = systems.iter().map(|system| system.read()).collect::<PyResult<Vec<_>>>()?;
        let (all, starts) = (inner.iter().map(|inner| &*inner.system).collect::<Vec<_>>(), places(&starts)?);
        let (x, mut y, all) = (x.cut(&starts)?, y.cut(&starts)?, &all[..]);
        without_gil(py, || own.multiply_each(all, |place| x[place], &mut y))
            .map_err(|error| raised_of(all.len(), error))
    }

    /// Write derivatives by B; those by the numbers of the laws of all rows, whether equations are singular, the shares outside of them,
    /// whether forces are solutions.
    #[allow(clippy::type_complexity, reason = "a tuple of lists")]
    #[allow(clippy::too_many_arguments, reason = "one for each array")]
    fn adjoint<'py>(
        &self,
        py: Python<'py>,
        systems: Vec<PyRef<System>>,
        forces: Vectors,
        by_forces: Vectors,
        by_velocities: Vectors,
        mut by_b: VectorsMut,
        starts: Indices,
    ) -> PyResult<(Array<'py>, (Vec<bool>, Vec<f64>, Vec<bool>))> {
        let mut own = self.own()?;
        let own = &mut *own;
        let inner = systems.iter().map(|system| system.read()).collect::<PyResult<Vec<_>>>()?;
        let (all, starts) = (inner.iter().map(|inner| &*inner.system).collect::<Vec<_>>(), places(&starts)?);
        let (forces, by_forces) = (forces.cut(&starts)?, by_forces.cut(&starts)?);
        let (by_velocities, mut by_b, all) = (by_velocities.cut(&starts)?, by_b.cut(&starts)?, &all[..]);
        let by = |place: usize| ByResults {
            forces: forces[place],
            by_forces: by_forces[place],
            by_velocities: by_velocities[place],
        };
        let mut by_laws: Vec<_> =
            all.iter().map(|system| vec![LawChange::default(); system.row_count()]).collect();
        let mut laws: Vec<&mut [LawChange]> = by_laws.iter_mut().map(|own| &mut own[..]).collect();
        let mut fits = (Vec::new(), Vec::new(), Vec::new());
        let found = without_gil(py, || {
            own.adjoint_each(all, by, &mut by_b, Some(&mut laws), |_, fit, is_solution| {
                fits.0.push(fit.is_singular);
                fits.1.push(fit.outside);
                fits.2.push(is_solution);
            })
        });
        found.map_err(|error| raised_of(all.len(), error))?;
        let numbers = by_laws.iter().flatten().flat_map(numbers_of).collect();
        Ok((PyArray1::from_vec(py, numbers), fits))
    }
}

/// Vectors of all systems: contiguous, or a row for each system that begins with its values. Rows may be anywhere.
#[derive(FromPyObject)]
enum Vectors<'py> {
    Flat(Numbers<'py>),
    Rows(PyReadonlyArray2<'py, f64>),
}

impl Vectors<'_> {
    /// The vector of each system.
    fn cut(&self, starts: &[usize]) -> PyResult<Vec<&[f64]>> {
        let parts = starts.windows(2);
        match self {
            Self::Flat(values) => {
                let values = values.as_slice()?;
                parts.map(|pair| values.get(pair[0]..pair[1]).ok_or_else(wrong)).collect()
            }
            Self::Rows(rows) => {
                let rows = rows.as_array();
                ensure_rows(rows.nrows(), starts)?;
                let vector = |(place, pair): (usize, &[usize])| {
                    let row = rows.index_axis_move(Axis(0), place).to_slice();
                    row.and_then(|row| row.get(..pair[1] - pair[0])).ok_or_else(wrong)
                };
                parts.enumerate().map(vector).collect()
            }
        }
    }
}

/// Vectors as [`Vectors`], which are written.
#[derive(FromPyObject)]
enum VectorsMut<'py> {
    Flat(PyReadwriteArray1<'py, f64>),
    Rows(PyReadwriteArray2<'py, f64>),
}

impl VectorsMut<'_> {
    /// The vector of each system.
    fn cut(&mut self, starts: &[usize]) -> PyResult<Vec<&mut [f64]>> {
        let sizes = starts.windows(2).map(|pair| pair[1] - pair[0]);
        match self {
            Self::Flat(values) => {
                let mut rest = values.as_slice_mut()?;
                let cut = |size: usize| {
                    let (own, others) =
                        std::mem::take(&mut rest).split_at_mut_checked(size).ok_or_else(wrong)?;
                    rest = others;
                    Ok(own)
                };
                sizes.map(cut).collect()
            }
            Self::Rows(rows) => {
                let mut rest = rows.as_array_mut();
                ensure_rows(rest.nrows(), starts)?;
                let mut vectors = Vec::with_capacity(starts.len());
                for size in sizes {
                    let (row, others) = rest.split_at(Axis(0), 1);
                    vectors.push(row.into_slice().and_then(|row| row.get_mut(..size)).ok_or_else(wrong)?);
                    rest = others;
                }
                Ok(vectors)
            }
        }
    }
}

fn ensure_rows(found: usize, starts: &[usize]) -> PyResult<()> {
    if found + 1 == starts.len() { Ok(()) } else { Err(wrong()) }
}

/// The exception of arrays that the package does not pass.
fn wrong() -> PyErr {
    invalid(None, "vectors: the shape is not that of the systems")
}
