//! Joints as Python has them, and what a body that turns does by itself.

use ldy::stability::Carrier;
use ldy::system::Joint;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::{Matrices, Numbers, Vectors, blocks, by_columns_3, vectors};
use crate::errors::Error;

/// Joints of rows: their kinds as in `stability.py`, and lengths.
#[derive(FromPyObject)]
pub struct Joints<'py>(PyReadonlyArray1<'py, u8>, Numbers<'py>);

impl Joints<'_> {
    /// As the library has them.
    pub fn made(&self) -> PyResult<Vec<Joint>> {
        let Self(kinds, lengths) = self;
        let joint = |(row, (&kind, &length)): (usize, (&u8, &f64))| {
            Ok(match kind {
                0 => Joint::Link { length },
                1 => Joint::FixedPoint,
                2 => Joint::Contact(Carrier::Space),
                3 => Joint::Contact(Carrier::Master),
                4 => Joint::Contact(Carrier::Slave),
                5 => Joint::ConstantOperators,
                _ => return Err(PyValueError::new_err(format!("row {row}: {kind} is no kind of joint"))),
            })
        };
        kinds.as_slice()?.iter().zip(lengths.as_slice()?).enumerate().map(joint).collect()
    }
}

/// The changes of the spins of many bodies.
#[pyfunction]
pub fn gyroscopic_change<'py>(
    py: Python<'py>,
    inertia: Matrices,
    spin: Vectors,
    h: f64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (inertia, spin) = (blocks(&inertia)?, vectors(&spin)?);
    let changes = inertia.iter().zip(spin).enumerate().map(|(k, (inertia, one))| {
        let entry = if spin.len() > 1 { format!("entry {k}: ") } else { String::new() };
        let text = format!("{entry}inertia, spin or h is not finite or too large, or inertia singular");
        ldy::system::gyroscopic_change(inertia, one, h).ok_or_else(|| Error::new_err(text))
    });
    let changes = changes.collect::<PyResult<Vec<_>>>()?;
    Ok(PyArray1::from_slice(py, changes.as_flattened()))
}

/// The rotations of many bodies after a step, row by row.
#[pyfunction]
pub fn turned_rotation<'py>(
    py: Python<'py>,
    rotation: Matrices,
    before: Vectors,
    after: Vectors,
    h: f64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (rotation, before, after) = (blocks(&rotation)?, vectors(&before)?, vectors(&after)?);
    let turned = rotation.iter().enumerate().map(|(k, rotation)| {
        let entry = if before.len() > 1 { format!("entry {k}: ") } else { String::new() };
        let text = format!("{entry}rotation, spins or h are not finite");
        let turned = ldy::system::turned_rotation(rotation, &before[k], &after[k], h);
        turned.map(|turned| by_columns_3(&turned)).ok_or_else(|| Error::new_err(text))
    });
    let turned = turned.collect::<PyResult<Vec<_>>>()?;
    Ok(PyArray1::from_slice(py, turned.as_flattened()))
}
