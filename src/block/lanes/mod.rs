//! Columns of three rows in four lanes, which is one vector register: the fourth lane never counts.

use super::{Block, Vector};

/// Three values and one that does not count.
pub type Lanes = [f64; 4];

/// Columns k = 0, 1, 2 of bᵀ.
#[inline(always)]
pub fn transposed_columns(b: &Block) -> [Lanes; 3] {
    [[b[0], b[3], b[6], 0.0], [b[1], b[4], b[7], 0.0], [b[2], b[5], b[8], 0.0]]
}

/// The columns of b.
#[inline(always)]
pub fn columns(b: &Block) -> [Lanes; 3] {
    [[b[0], b[1], b[2], 0.0], [b[3], b[4], b[5], 0.0], [b[6], b[7], b[8], 0.0]]
}

/// Write the columns `c` to b, column-major.
#[inline(always)]
pub fn write(b: &mut Block, c: &[Lanes; 3]) {
    *b = [c[0][0], c[0][1], c[0][2], c[1][0], c[1][1], c[1][2], c[2][0], c[2][1], c[2][2]];
}

/// Write the transpose of the columns `c` to b, column-major.
#[inline(always)]
pub fn write_transposed(b: &mut Block, c: &[Lanes; 3]) {
    *b = [c[0][0], c[1][0], c[2][0], c[0][1], c[1][1], c[2][1], c[0][2], c[1][2], c[2][2]];
}

/// `s a`.
#[inline(always)]
pub fn scaled(a: &Lanes, s: f64) -> Lanes {
    [s * a[0], s * a[1], s * a[2], s * a[3]]
}

/// `a += s b`.
#[inline(always)]
pub fn add_scaled(a: &mut Lanes, b: &Lanes, s: f64) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += s * b);
}

/// `a += b`, column by column.
#[inline(always)]
pub fn add<const N: usize>(a: &mut [Lanes; N], b: &[Lanes; N]) {
    a.iter_mut().zip(b).for_each(|(a, b)| a.iter_mut().zip(b).for_each(|(a, b)| *a += b));
}

/// Σ_k x_k c_k of columns c_k.
///
/// # Panics
/// If there are fewer values than columns.
#[inline(always)]
pub fn combination<const N: usize>(columns: &[Lanes; N], x: &[f64]) -> Lanes {
    let mut sum = [0.0; 4];
    columns.iter().zip(&x[..N]).for_each(|(column, x)| add_scaled(&mut sum, column, *x));
    sum
}

/// Columns side by side, without their fourth lanes: 3 × N, column-major.
///
/// # Panics
/// If `LENGTH` is not 3 N.
#[inline(always)]
pub fn packed<const N: usize, const LENGTH: usize>(columns: &[Lanes; N]) -> [f64; LENGTH] {
    assert!(LENGTH == 3 * N);
    let mut values = [0.0; LENGTH];
    for (values, column) in values.chunks_exact_mut(3).zip(columns) {
        values.copy_from_slice(&column[..3]);
    }
    values
}

/// The first three lanes.
#[inline(always)]
pub fn vector(a: &Lanes) -> Vector {
    [a[0], a[1], a[2]]
}
