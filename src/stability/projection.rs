//! The directions that constraints leave free.

use super::{Error, zeros};
use crate::block::{is_finite, largest};
use crate::eigen::dot;

/// L: an orthonormal basis, row by row, of the directions in which no constraint opens, L Jᵀ = 0, L Lᵀ = 1. Lᵀ L is
/// the projection P onto them. From the QR factors of Jᵀ, dense: for examination, not for large systems.
///
/// `jacobian` is J = ∂ψ/∂q, `constraints` × `dofs`, column-major; its rows may depend on each other. L has
/// dofs − rank rows, `dofs` columns, column-major.
///
/// # Errors
/// [`Error::NotFinite`], [`Error::OutOfMemory`].
///
/// # Panics
/// If `jacobian` is not of that size.
pub fn transversal_basis(jacobian: &[f64], constraints: usize, dofs: usize) -> Result<Vec<f64>, Error> {
    assert_eq!(jacobian.len(), constraints * dofs);
    ensure!(is_finite(jacobian), Error::NotFinite);
    let mut columns = zeros(jacobian.len())?;
    // No square overflows in a matrix whose largest entry is 1.
    let largest = largest(jacobian);
    if largest > 0.0 {
        for (k, column) in columns.chunks_exact_mut(dofs).enumerate() {
            let row = jacobian[k..].iter().step_by(constraints);
            column.iter_mut().zip(row).for_each(|(to, from)| *to = from / largest);
        }
    }
    let rank = factorise(&mut columns, dofs);
    let rows = dofs - rank;
    let (mut basis, mut direction) = (zeros(rows * dofs)?, zeros(dofs)?);
    for row in 0..rows {
        direction.fill(0.0);
        direction[rank + row] = 1.0;
        for (k, column) in columns.chunks_exact(dofs.max(1)).take(rank).enumerate().rev() {
            reflect(&column[k..], &mut direction[k..]);
        }
        for (column, value) in direction.iter().enumerate() {
            basis[rows * column + row] = *value;
        }
    }
    Ok(basis)
}

/// QR factors by Householder reflections 1 − v vᵀ, |v|² = 2, the column with the longest rest first. Column k becomes v of
/// reflection k, from its entry k on. Returns the rank: rests that are rounding, relative to the first, count as zero.
fn factorise(columns: &mut [f64], rows: usize) -> usize {
    let count = columns.len().checked_div(rows).unwrap_or(0);
    let mut least = 0.0;
    for k in 0..count.min(rows) {
        let longest = (k..count).map(|column| {
            let rest = &columns[rows * column + k..rows * (column + 1)];
            (column, dot(rest, rest).sqrt())
        });
        let Some((pivot, length)) = longest.reduce(|a, b| if b.1 > a.1 { b } else { a }) else { return k };
        if k == 0 {
            least = length * f64::EPSILON * count.max(rows) as f64;
        }
        if length <= least {
            return k;
        }
        let (done, others) = columns.split_at_mut(rows * (k + 1));
        let column = &mut done[rows * k..];
        if pivot != k {
            column.swap_with_slice(&mut others[rows * (pivot - k - 1)..][..rows]);
        }
        let v = &mut column[k..];
        // The sign that does not cancel; then |v|² = 2 length (length + |v₀|).
        let first = v[0].abs();
        v[0] += length.copysign(v[0]);
        let by = 1.0 / (length * (length + first)).sqrt();
        v.iter_mut().for_each(|v| *v *= by);
        others.chunks_exact_mut(rows).for_each(|other| reflect(v, &mut other[k..]));
    }
    count.min(rows)
}

/// x −= v (vᵀ x).
fn reflect(v: &[f64], x: &mut [f64]) {
    let along = dot(v, x);
    x.iter_mut().zip(v).for_each(|(x, v)| *x -= along * v);
}
