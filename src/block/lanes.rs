//! Columns of three rows in four lanes, which is one vector register: the fourth lane never counts.

use super::{Block, Vector};

/// Three values and one that does not count.
pub type Lanes = [f64; 4];

/// Columns k = 0, 1, 2 of bᵀ.
#[inline(always)]
pub fn transposed_columns(b: &Block) -> [Lanes; 3] {
    [[b[0], b[3], b[6], 0.0], [b[1], b[4], b[7], 0.0], [b[2], b[5], b[8], 0.0]]
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

/// `b x` of the columns of b.
#[inline(always)]
pub fn times(b: &[Lanes; 3], x: &Vector) -> Lanes {
    let mut sum = scaled(&b[0], x[0]);
    add_scaled(&mut sum, &b[1], x[1]);
    add_scaled(&mut sum, &b[2], x[2]);
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
