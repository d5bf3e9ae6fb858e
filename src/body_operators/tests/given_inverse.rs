//! Random inverses A⁻¹, and panels that get them in each form in which A can be known.

use nalgebra::DMatrix;
use testing::matrices::{inverse_of, nonzero};

use crate::body_operators::Panel;
use crate::inertia::{BlockDiagonal, Dense, InertiaRef, Inverse, Matrix, Sparse, Structure, Workspace};

/// The form in which A is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Known {
    Dense,
    Diagonal,
    Sparse,
    Matrix,
    Callback,
}

impl Known {
    /// A positive definite inverse of dofs² random values that can be known in this form.
    pub fn inverse(self, dofs: usize, values: Vec<f64>) -> DMatrix<f64> {
        let root = DMatrix::from_vec(dofs, dofs, values);
        let mut inverse = &root * root.transpose() / dofs as f64 + DMatrix::identity(dofs, dofs);
        inverse.fill_upper_triangle_with_lower_triangle();
        let width = match self {
            Self::Diagonal => 0,
            Self::Sparse => 2,
            _ => dofs,
        };
        let entry = |i: usize, j: usize| if i.abs_diff(j) <= width { inverse[(i, j)] } else { 0.0 };
        DMatrix::from_fn(dofs, dofs, entry)
    }

    /// Apply an inverse to a panel. Returns false if the test has to do it, as a callback does.
    pub fn apply(self, panel: &mut Panel, step: f64, inverse: &DMatrix<f64>) -> bool {
        let dofs = inverse.nrows();
        let mut apply = |inertia| panel.apply(step, &inertia, &mut Workspace::default()).unwrap();
        match self {
            Self::Dense => {
                apply(InertiaRef::Inverse(Inverse::Dense(Dense::new(dofs, inverse.as_slice()).unwrap())));
            }
            Self::Diagonal => {
                let ends: Vec<i32> = (0..=dofs as i32).collect();
                let values = inverse.diagonal();
                let diagonal = BlockDiagonal::new(&ends, &ends, values.as_slice()).unwrap();
                apply(InertiaRef::Inverse(Inverse::BlockDiagonal(diagonal)));
            }
            Self::Sparse => {
                let (starts, rows, values) = nonzero(inverse, |_, _| true);
                apply(InertiaRef::Inverse(Inverse::Sparse(Sparse::new(&starts, &rows, &values).unwrap())));
            }
            Self::Matrix => {
                let (starts, rows, values) = nonzero(&inverse_of(inverse), |i, j| i >= j);
                let (starts, rows, values) = (&starts[..], &rows[..], &values[..]);
                let structure = Structure::PositiveDefinite;
                apply(InertiaRef::Matrix(Matrix { structure, starts, rows, values }));
            }
            Self::Callback => return false,
        }
        true
    }
}
