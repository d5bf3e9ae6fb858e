//! The inverse of a 3×3 block, symmetric or not.

use super::real::Real;
use super::{Block, Vector, mirrored, of_columns, symmetric};

/// A pivot may be rounding error if it is smaller than this times the diagonal entry from which it was computed.
const DOUBTFUL: f64 = 16.0 * f64::EPSILON;

/// The inverse of the symmetric block `b`, symmetric to the bit, without −0; `None` if a pivot is exactly zero.
///
/// Positive definite blocks are factored as L D Lᵀ, which needs no exchange of rows (Higham, Accuracy and Stability
/// of Numerical Algorithms, §10.1): relative to the norm, the error is a few ε times the condition number. Scaling
/// the axes by powers of two scales the result without rounding. If a pivot is not clearly positive, elimination
/// with pivoting replaces the factor (`inverse`).
#[inline(always)]
pub fn inverse_symmetric(b: &Block) -> Option<Block> {
    let inverse = inverse_positive_definite([b[0], b[1], b[2], b[4], b[5], b[8]]);
    inverse.map(symmetric).or_else(|| by_elimination(b))
}

/// The inverses of one block or of several in SIMD lanes, given and returned as the entries (0, 0), (1, 0), (2, 0), (1, 1), (2, 1),
/// (2, 2): L⁻ᵀ D⁻¹ L⁻¹ in closed form, without −0. `None` if a pivot of one of them is not clearly positive.
#[inline(always)]
pub fn inverse_positive_definite<R: Real>([b00, b10, b20, b11, b21, b22]: [R; 6]) -> Option<[R; 6]> {
    let e0 = reciprocal(b00, b00)?;
    let (l10, l20) = (b10 * e0, b20 * e0);
    let e1 = reciprocal(b11 - l10 * b10, b11)?;
    let below = b21 - l20 * b10;
    let l21 = below * e1;
    let e2 = reciprocal((b22 - l20 * b20) - l21 * below, b22)?;
    // The last row of L⁻¹ is (m, −l21, 1).
    let m = l21 * l10 - l20;
    let (x02, x12) = (m * e2, (l21 * -1.0) * e2);
    let (from_x11, x11) = (l10 * e1, e1 - l21 * x12);
    let (x01, x00) = (m * x12 - from_x11, e0 + l10 * from_x11 + m * x02);
    Some([x00, x01 + 0.0, x02 + 0.0, x11, x12 + 0.0, e2])
}

/// 1 / `pivot`, if the pivot is clearly positive relative to the diagonal entry `of` from which it was computed.
#[inline(always)]
fn reciprocal<R: Real>(pivot: R, of: R) -> Option<R> {
    (of * DOUBTFUL).all_below(pivot).then(|| pivot.reciprocal())
}

/// The inverse by elimination, with its lower triangle copied to the upper.
#[cold]
fn by_elimination(b: &Block) -> Option<Block> {
    inverse(b).map(|x| mirrored(&x).map(|entry| entry + 0.0))
}

/// The inverse of `b` by [`solve`], for badly conditioned blocks, too.
pub fn inverse(b: &Block) -> Option<Block> {
    solve(b, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).map(of_columns)
}

/// `b⁻¹ x` for each of the columns x, by Gaussian elimination with partial pivoting; `None` if a pivot is exactly zero.
pub fn solve<const N: usize>(b: &Block, mut columns: [Vector; N]) -> Option<[Vector; N]> {
    let mut a = *b;
    for k in 0..3 {
        let pivot =
            (k..3).fold(k, |best, i| if a[3 * k + i].abs() > a[3 * k + best].abs() { i } else { best });
        if a[3 * k + pivot] == 0.0 {
            return None;
        }
        (0..3).for_each(|j| a.swap(3 * j + k, 3 * j + pivot));
        columns.iter_mut().for_each(|x| x.swap(k, pivot));
        for i in k + 1..3 {
            let factor = a[3 * k + i] / a[3 * k + k];
            (0..3).for_each(|j| a[3 * j + i] -= factor * a[3 * j + k]);
            columns.iter_mut().for_each(|x| x[i] -= factor * x[k]);
        }
    }
    for x in &mut columns {
        for i in (0..3).rev() {
            let known: f64 = (i + 1..3).map(|j| a[3 * j + i] * x[j]).sum();
            x[i] = (x[i] - known) / a[3 * i + i];
        }
    }
    Some(columns)
}
