mod blocks;
mod eigenvalue;
mod exact;
mod symmetric_inverse;

use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;
use testing::matrices::block;

use super::*;

fn entries() -> impl Strategy<Value = Block> {
    prop::array::uniform9(-1.0..1.0_f64)
}

/// A symmetric block with the given eigenvalues in axes that depend on `seed`.
fn with_eigenvalues(eigenvalues: [f64; 3], seed: Block) -> Matrix3<f64> {
    let q = Matrix3::from_column_slice(&seed).qr().q();
    let b = q * Matrix3::from_diagonal(&Vector3::from(eigenvalues)) * q.transpose();
    0.5 * (b + b.transpose())
}

proptest! {
    #[test]
    fn products_agree_with_nalgebra(a in entries(), b in entries(), x in prop::array::uniform3(-1.0..1.0_f64)) {
        let (m, n, v) = (Matrix3::from_column_slice(&a), Matrix3::from_column_slice(&b), Vector3::from(x));
        prop_assert!((Vector3::from(times(&a, &x)) - m * v).amax() < 1e-15);
        prop_assert!((Vector3::from(transposed_times(&a, &x)) - m.transpose() * v).amax() < 1e-15);
        prop_assert!((Matrix3::from_column_slice(&transposed_product(&a, &b)) - m.transpose() * n).amax() < 1e-15);
        prop_assert!((quadratic_form(&a, &x) - v.dot(&(m * v))).abs() < 1e-15);
        prop_assert_eq!(Matrix3::from_column_slice(&transposed(&a)), m.transpose());
        prop_assert!((Vector3::from(cross(&x, &[a[0], a[1], a[2]])) - v.cross(&m.column(0))).amax() < 1e-15);
    }

    #[test]
    fn inverse_times_block_is_identity(
        eigenvalues in prop::array::uniform3(1e-3..1.0_f64), seed in entries(), scale in -200..200_i32,
    ) {
        let b = with_eigenvalues(eigenvalues, seed) * f64::powi(2.0, scale);
        let x = Matrix3::from_column_slice(&inverse(&block(&b)).unwrap());
        prop_assert!((x * b - Matrix3::identity()).amax() < 1e-11);
    }

    #[test]
    fn inverse_of_unsymmetric_blocks(a in entries()) {
        let m = Matrix3::from_column_slice(&a);
        prop_assume!(m.determinant().abs() > 1e-3);
        let x = Matrix3::from_column_slice(&inverse(&a).unwrap());
        prop_assert!((m * x - Matrix3::identity()).amax() < 1e-11);
    }
}

#[test]
fn a_zero_pivot_is_singular() {
    assert_eq!(inverse(&[0.0; 9]), None);
    assert_eq!(inverse(&[1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 0.0, 0.0, 1.0]), None);
    // Needs the exchange of rows.
    assert_eq!(
        inverse(&[0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0]),
        Some([0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.5])
    );
}
