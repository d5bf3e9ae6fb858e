//! The directions that constraints leave free.

use super::{Error, zeros};
use faer::MatRef;
use faer::linalg::solvers::ColPivQr;

/// L: an orthonormal basis, row by row, of the directions in which no constraint opens, L Jᵀ = 0, L Lᵀ = 1. Lᵀ L is
/// the projection P onto them. From the QR factors of Jᵀ, dense: for examination, not for large systems.
///
/// `jacobian` is J = ∂ψ/∂q, `constraints` × `freedoms`, column-major; its rows may depend on each other. L has
/// freedoms − rank rows, `freedoms` columns, column-major.
///
/// # Errors
/// [`Error::NotFinite`], [`Error::OutOfMemory`].
///
/// # Panics
/// If `jacobian` is not of that size.
pub fn transversal_basis(jacobian: &[f64], constraints: usize, freedoms: usize) -> Result<Vec<f64>, Error> {
    assert_eq!(jacobian.len(), constraints * freedoms);
    if !crate::block::is_finite(jacobian) {
        return Err(Error::NotFinite);
    }
    let factors = ColPivQr::new(MatRef::from_column_major_slice(jacobian, constraints, freedoms).transpose());
    let (q, r) = (factors.compute_Q(), factors.R());
    let pivot = |k: usize| r[(k, k)].abs();
    let most = constraints.min(freedoms);
    let least = if most == 0 { 0.0 } else { pivot(0) * f64::EPSILON * constraints.max(freedoms) as f64 };
    let rank = (0..most).take_while(|k| pivot(*k) > least).count();
    let rows = freedoms - rank;
    let mut basis = zeros(rows * freedoms)?;
    for column in 0..freedoms {
        for row in 0..rows {
            basis[rows * column + row] = q[(column, rank + row)];
        }
    }
    Ok(basis)
}
