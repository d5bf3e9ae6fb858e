//! Arrays of NumPy, row-major, for the library, which stores matrices column by column.

use ldy::math::{Block, Vector};
use ldy::system::Id;
use numpy::{Element, PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;

use crate::errors::{Thing, no_such};

/// Numbers, contiguous.
pub type Numbers<'py> = PyReadonlyArray1<'py, f64>;
/// Vectors, contiguous.
pub type Vectors<'py> = PyReadonlyArray2<'py, f64>;
/// Matrices, contiguous.
pub type Matrices<'py> = PyReadonlyArray3<'py, f64>;
/// Ids, contiguous; −1 is the ground.
pub type Ids<'py> = PyReadonlyArray1<'py, i64>;
/// Places in sparse matrices, contiguous.
pub type Indices<'py> = PyReadonlyArray1<'py, i32>;
/// An array for Python.
pub type Array<'py, T = f64> = Bound<'py, PyArray1<T>>;

/// A copy for Python.
pub fn array<'py, T: Element + Copy>(py: Python<'py>, values: &[T]) -> Array<'py, T> {
    PyArray1::from_slice(py, values)
}

/// Matrices 3 × 3.
pub fn blocks(matrices: &Matrices) -> PyResult<Vec<Block>> {
    Ok(matrices.as_slice()?.as_chunks().0.iter().map(by_columns_3).collect())
}

/// A matrix 3 × 3.
#[inline(always)]
pub fn by_columns_3(m: &[f64; 9]) -> Block {
    [m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]]
}

/// A matrix, column by column.
pub fn by_columns(matrix: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    (0..columns).flat_map(|j| (0..rows).map(move |i| matrix[columns * i + j])).collect()
}

/// Vectors of three.
pub fn vectors<'a>(vectors: &'a Vectors) -> PyResult<&'a [Vector]> {
    Ok(vectors.as_slice()?.as_chunks().0)
}

/// An id, which is not negative.
pub fn id(thing: Thing, id: i64) -> PyResult<Id> {
    Id::try_from(id).map_err(|_| no_such(thing, id, None))
}

/// Ids, none of them negative.
pub fn ids<'a>(thing: Thing, ids: &'a Ids) -> PyResult<Checked<'a>> {
    checked(thing, ids, 0)
}

/// Bodies of constraints: ids, or −1 for the ground.
pub fn sides<'a>(ids: &'a Ids) -> PyResult<Checked<'a>> {
    checked(Thing::Body, ids, -1)
}

fn checked<'a>(thing: Thing, ids: &'a Ids, least: i64) -> PyResult<Checked<'a>> {
    let ids = ids.as_slice()?;
    match ids.iter().position(|&id| id < least) {
        Some(k) => Err(no_such(thing, ids[k], (ids.len() > 1).then_some(k))),
        None => Ok(Checked(ids)),
    }
}

/// Ids without impossible ones.
#[derive(Clone, Copy)]
pub struct Checked<'a>(&'a [i64]);

impl Checked<'_> {
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// The id of an entry that is not the ground.
    pub fn at(self, entry: usize) -> Id {
        self.0[entry] as Id
    }

    /// The body of an entry; `None` is the ground.
    pub fn side(self, entry: usize) -> Option<Id> {
        Id::try_from(self.0[entry]).ok()
    }
}

impl<'a> Checked<'a> {
    /// All ids.
    pub fn iter(self) -> impl ExactSizeIterator<Item = Id> + Clone + 'a {
        self.0.iter().map(|&id| id as Id)
    }
}
