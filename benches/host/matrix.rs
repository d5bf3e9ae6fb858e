//! Inverse inertia as hosts store it.

use std::ffi::c_int;
use std::ptr;

use ldy::legacy::layout::*;

use super::array::Array;

/// A matrix with its arrays.
pub struct Matrix {
    /// The structure that the body points to.
    pub face: Array<MX>,
    /// The values.
    pub values: Array<f64>,
    _starts: Array<c_int>,
    _rows: Array<c_int>,
}

impl Matrix {
    /// 3×3 blocks that are diagonal themselves.
    pub fn blocks(diagonals: &[[f64; 3]]) -> Self {
        let count = diagonals.len() as c_int;
        let values = diagonals.iter().flat_map(|&[a, b, c]| [a, 0.0, 0.0, 0.0, b, 0.0, 0.0, 0.0, c]);
        let starts = (0..=count).map(|block| 9 * block).collect();
        let rows = (0..=count).map(|block| 3 * block).collect();
        Self::new(MXBD, 0, [3 * count, count], [starts, rows], values.collect())
    }

    /// A diagonal matrix in compressed columns.
    pub fn diagonal(values: Vec<f64>) -> Self {
        let count = values.len() as c_int;
        Self::new(MXCSC, 0, [count; 2], [(0..=count).collect(), (0..count).collect()], values)
    }

    /// The lower triangle of a positive definite matrix that is to be factored.
    pub fn to_factor(starts: Vec<c_int>, rows: Vec<c_int>, values: Vec<f64>) -> Self {
        let count = starts.len() as c_int - 1;
        Self::new(MXCSC, MXIFAC | MXSPD, [count; 2], [starts, rows], values)
    }

    fn new(
        kind: c_int,
        flags: c_int,
        [m, n]: [c_int; 2],
        [starts, rows]: [Vec<c_int>; 2],
        values: Vec<f64>,
    ) -> Self {
        let nzmax = values.len() as c_int;
        let (starts, rows, values) = (Array::new(starts), Array::new(rows), Array::new(values));
        let face = Array::new([MX {
            kind,
            flags,
            nzmax,
            m,
            n,
            p: starts.first(),
            i: rows.first(),
            nz: if kind == MXCSC { -1 } else { nzmax },
            x: values.first(),
            sym: ptr::null_mut(),
            num: ptr::null_mut(),
        }]);
        Self { face, values, _starts: starts, _rows: rows }
    }
}
