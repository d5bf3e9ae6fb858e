//! Local coordinates of a point of an element by Newton's method.

use super::element::{Corners, Shape, interpolate};
use crate::block::{Vector, difference};

/// Steps within which the iteration has to end.
const STEPS: usize = 63;

/// Length of the step that ends the iteration.
const LAST_STEP: f64 = 1e-9;

/// ξ with Σ N_a(ξ) x_a = `point`, not clamped.
///
/// Newton's method from ξ = 0; the step that is no longer than 1e-9 is taken and is the last.
///
/// `None` if 63 steps are not enough, the Jacobian has an exactly zero pivot (the element is flat), or a value is not finite.
pub fn local_coordinates(shape: Shape, corners: &Corners, point: &Vector) -> Option<Vector> {
    let mut xi = [0.0; 3];
    for _ in 0..STEPS {
        let residual = difference(point, &interpolate(&shape.functions(&xi), corners));
        let step = solve(jacobian(shape, corners, &xi), residual)?;
        xi.iter_mut().zip(step).for_each(|(xi, step)| *xi += step);
        let length = (step[0] * step[0] + step[1] * step[1] + step[2] * step[2]).sqrt();
        if !length.is_finite() {
            return None;
        }
        if length <= LAST_STEP {
            return Some(xi);
        }
    }
    None
}

/// Rows of the matrix Σ x_a (∂N_a/∂ξ)ᵀ.
fn jacobian(shape: Shape, corners: &Corners, xi: &Vector) -> [Vector; 3] {
    let mut rows = [[0.0; 3]; 3];
    for (derivative, corner) in shape.derivatives(xi).iter().zip(corners) {
        for (row, x) in rows.iter_mut().zip(corner) {
            row.iter_mut().zip(derivative).for_each(|(entry, d)| *entry += x * d);
        }
    }
    rows
}

/// Solve the 3×3 system by Gaussian elimination with partial pivoting; `None` if a pivot is exactly zero.
fn solve(mut rows: [Vector; 3], mut right: Vector) -> Option<Vector> {
    for k in 0..3 {
        let pivot = (k..3).fold(k, |best, i| if rows[i][k].abs() > rows[best][k].abs() { i } else { best });
        if rows[pivot][k] == 0.0 {
            return None;
        }
        rows.swap(k, pivot);
        right.swap(k, pivot);
        let (pivot_row, pivot_right) = (rows[k], right[k]);
        for (row, right) in rows.iter_mut().zip(&mut right).skip(k + 1) {
            let factor = row[k] / pivot_row[k];
            row.iter_mut().zip(pivot_row).for_each(|(entry, pivot)| *entry -= factor * pivot);
            *right -= factor * pivot_right;
        }
    }
    for k in (0..3).rev() {
        let known: f64 = (k + 1..3).map(|j| rows[k][j] * right[j]).sum();
        right[k] = (right[k] - known) / rows[k][k];
    }
    Some(right)
}
