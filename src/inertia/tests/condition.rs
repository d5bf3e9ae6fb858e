use proptest::prelude::*;
use testing::matrices::inverse_of;

use super::matrices::{Columns, matrix};
use crate::inertia::{Factored, Structure, Workspace};

fn one_norm(m: &nalgebra::DMatrix<f64>) -> f64 {
    m.column_iter().map(|column| column.lp_norm(1)).fold(0.0, f64::max)
}

proptest! {
    #[test]
    fn the_estimate_is_a_close_lower_bound((structure, full) in matrix(1)) {
        let (mut factor, mut work) = (Factored::default(), Workspace::default());
        Columns::of(structure, &full).factor(&mut factor, &mut work).unwrap();
        let exact = one_norm(&full) * one_norm(&inverse_of(&full));
        let estimate = factor.condition(&mut work).unwrap();
        prop_assert!(estimate <= exact * (1.0 + 1e-12) && estimate > exact / 3.0, "{estimate} {exact}");
    }
}

#[test]
fn condition_numbers_of_diagonal_matrices_are_exact() {
    let (mut factor, mut work) = (Factored::default(), Workspace::default());
    for structure in [Structure::PositiveDefinite, Structure::General] {
        for small in [0.5, 1e-12] {
            factor.update(structure, &[0, 1, 2, 3], &[0, 1, 2], &[2.0, small, 4.0], &mut work).unwrap();
            let condition = factor.condition(&mut work).unwrap();
            assert!((condition * small / 4.0 - 1.0).abs() < 1e-12, "{condition}");
        }
        factor.update(structure, &[0, 1], &[0], &[7.0], &mut work).unwrap();
        assert!((factor.condition(&mut work).unwrap() - 1.0).abs() < 1e-15);
    }
}

/// A = (2 1; 1 3), A⁻¹ = (3 −1; −1 2) / 5: κ₁ = 4 · 4/5.
#[test]
fn both_triangles_of_a_symmetric_matrix_count() {
    let (mut factor, mut work) = (Factored::default(), Workspace::default());
    let spd = Structure::PositiveDefinite;
    factor.update(spd, &[0, 2, 3], &[0, 1, 1], &[2.0, 1.0, 3.0], &mut work).unwrap();
    assert!((factor.condition(&mut work).unwrap() - 3.2).abs() < 1e-14);
    let general = Structure::General;
    factor.update(general, &[0, 2, 4], &[0, 1, 0, 1], &[2.0, 1.0, 1.0, 3.0], &mut work).unwrap();
    assert!((factor.condition(&mut work).unwrap() - 3.2).abs() < 1e-14);
}

/// A = I + K e₁e₃ᵀ, A⁻¹ = I − K e₁e₃ᵀ: the search finds the third column by the slope, that is with A⁻ᵀ.
#[test]
fn the_slope_is_that_of_the_transpose() {
    let (mut factor, mut work) = (Factored::default(), Workspace::default());
    let values = [1.0, 1.0, 1e6, 1.0];
    factor.update(Structure::General, &[0, 1, 2, 4], &[0, 1, 0, 2], &values, &mut work).unwrap();
    let condition = factor.condition(&mut work).unwrap();
    assert!((condition / (1.0 + 1e6_f64).powi(2) - 1.0).abs() < 1e-14, "{condition}");
}
