use proptest::prelude::*;

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
        let exact = one_norm(&full) * one_norm(&full.clone().try_inverse().unwrap());
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
