//! Joints as Python has them, bodies that turn by themselves, and frames.

use ldy::stability::Carrier;
use ldy::system::Joint;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::arrays::{Array, Matrices, Numbers, Vectors, array, blocks, by_columns_3, vectors};
use crate::errors::invalid;

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
                _ => return Err(invalid(Some(row), &format!("{kind} is no kind of joint"))),
            })
        };
        kinds.as_slice()?.iter().zip(lengths.as_slice()?).enumerate().map(joint).collect()
    }
}

/// The changes of the angular velocities of many bodies.
#[pyfunction]
pub fn gyroscopic_change<'py>(
    py: Python<'py>,
    inertia: Matrices,
    angular_velocity: Vectors,
    h: f64,
) -> PyResult<Array<'py>> {
    let (inertia, spins) = (blocks(&inertia)?, vectors(&angular_velocity)?);
    let text = "inertia, angular velocity or h is not finite or too large, or the inertia is singular";
    let change = |(k, (inertia, spin))| {
        let change = ldy::system::gyroscopic_change(inertia, spin, h);
        change.ok_or_else(|| invalid((spins.len() > 1).then_some(k), text))
    };
    let changes = inertia.iter().zip(spins).enumerate().map(change).collect::<PyResult<Vec<_>>>()?;
    Ok(array(py, changes.as_flattened()))
}

/// The rotations of many bodies after a step, row by row.
#[pyfunction]
pub fn advance_rotation<'py>(
    py: Python<'py>,
    rotation: Matrices,
    before: Vectors,
    after: Vectors,
    h: f64,
) -> PyResult<Array<'py>> {
    let (rotation, before, after) = (blocks(&rotation)?, vectors(&before)?, vectors(&after)?);
    let text = "the rotation, an angular velocity or h is not finite";
    let advanced = |(k, rotation)| {
        let advanced = ldy::system::advance_rotation(rotation, &before[k], &after[k], h);
        let advanced = advanced.map(|advanced| by_columns_3(&advanced));
        advanced.ok_or_else(|| invalid((before.len() > 1).then_some(k), text))
    };
    let advanced = rotation.iter().enumerate().map(advanced).collect::<PyResult<Vec<_>>>()?;
    Ok(array(py, advanced.as_flattened()))
}

/// Frames with these normals, row by row.
#[pyfunction]
pub fn frame_from_normal<'py>(py: Python<'py>, normal: Vectors) -> PyResult<Array<'py>> {
    let normals = vectors(&normal)?;
    let frame = |(k, normal)| {
        let frame = ldy::math::frame_from_normal(normal).map(|frame| by_columns_3(&frame));
        frame.ok_or_else(|| invalid((normals.len() > 1).then_some(k), "the normal is zero or not finite"))
    };
    let frames = normals.iter().enumerate().map(frame).collect::<PyResult<Vec<_>>>()?;
    Ok(array(py, frames.as_flattened()))
}
