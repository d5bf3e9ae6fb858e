//! Local coordinates of a point of an element by Newton's method.

use super::element::{Corners, ElementShape, interpolate};
use crate::math::{Block, Vector, difference, dot, solve};

/// The iteration limit.
const STEPS: usize = 63;

/// The iteration ends after a step of at most this length.
const LAST_STEP: f64 = 1e-9;

/// ξ with Σ N_a(ξ) x_a = `point`, not clamped.
///
/// Newton's method with the initial guess ξ = 0. The first step not longer than 1e-9 is the last one.
///
/// `None` if 63 steps are not enough, the Jacobian has an exactly zero pivot (the element is flat), or a value is not finite.
pub fn local_coordinates(shape: ElementShape, corners: &Corners, point: &Vector) -> Option<Vector> {
    let mut xi = [0.0; 3];
    for _ in 0..STEPS {
        let residual = difference(point, &interpolate(&shape.functions(&xi), corners));
        let [step] = solve(&jacobian(shape, corners, &xi), [residual])?;
        xi.iter_mut().zip(step).for_each(|(xi, step)| *xi += step);
        let length = dot(&step, &step).sqrt();
        if !length.is_finite() {
            return None;
        }
        if length <= LAST_STEP {
            return Some(xi);
        }
    }
    None
}

/// The matrix Σ x_a (∂N_a/∂ξ)ᵀ.
fn jacobian(shape: ElementShape, corners: &Corners, xi: &Vector) -> Block {
    let mut sum = [0.0; 9];
    for (derivative, corner) in shape.derivatives(xi).iter().zip(corners) {
        for (column, d) in sum.chunks_exact_mut(3).zip(derivative) {
            column.iter_mut().zip(corner).for_each(|(entry, x)| *entry += x * d);
        }
    }
    sum
}
