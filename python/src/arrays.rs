//! What NumPy stores row by row, as the library stores it column by column.

use ldy::math::{Block, Vector};
use ldy::system::Id;
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::PyResult;

/// Numbers, contiguous.
pub type Numbers<'py> = PyReadonlyArray1<'py, f64>;
/// Vectors, contiguous.
pub type Vectors<'py> = PyReadonlyArray2<'py, f64>;
/// Matrices, contiguous.
pub type Matrices<'py> = PyReadonlyArray3<'py, f64>;
/// Ids, contiguous; −1 is the ground.
pub type Ids<'py> = PyReadonlyArray1<'py, i64>;

/// Matrices 3 × 3.
pub fn blocks(matrices: &Matrices) -> PyResult<Vec<Block>> {
    Ok(matrices.as_slice()?.as_chunks().0.iter().map(by_columns_3).collect())
}

/// A matrix 3 × 3.
#[inline(always)]
pub fn by_columns_3(m: &[f64; 9]) -> Block {
    [m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]]
}

/// Vectors of three.
pub fn vectors<'a>(vectors: &'a Vectors) -> PyResult<&'a [Vector]> {
    Ok(vectors.as_slice()?.as_chunks().0)
}

/// An id; none below zero.
pub fn id(id: i64) -> Id {
    Id::try_from(id).unwrap_or(Id::MAX)
}

/// A body of a constraint.
pub fn body(body: i64) -> Option<Id> {
    (body != -1).then(|| id(body))
}

/// A matrix, column by column.
pub fn by_columns(matrix: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    (0..columns).flat_map(|j| (0..rows).map(move |i| matrix[columns * i + j])).collect()
}
