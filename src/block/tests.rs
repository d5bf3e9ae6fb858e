use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;

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

fn block(m: &Matrix3<f64>) -> Block {
    m.as_slice().try_into().unwrap()
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
    fn inverse_times_block_is_identity(eigenvalues in prop::array::uniform3(1e-3..1.0_f64), seed in entries(), scale in -200..200_i32) {
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

    #[test]
    fn largest_eigenvalue_is_found(
        eigenvalues in prop::array::uniform3(prop_oneof![0.5..1.0_f64, 1e-12..1e-9_f64, Just(0.75)]),
        seed in entries(),
        scale in -300..300_i32,
    ) {
        let largest = eigenvalues.into_iter().fold(0.0, f64::max) * f64::powi(2.0, scale);
        let b = with_eigenvalues(eigenvalues, seed) * f64::powi(2.0, scale);
        let found = largest_eigenvalue(&block(&b)).unwrap();
        prop_assert!((found - largest).abs() <= 4e-15 * largest, "{found} {largest}");
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

#[test]
fn eigenvalues_of_exact_blocks() {
    assert_eq!(largest_eigenvalue(&[3.0, 0.0, 0.0, 0.0, -7.0, 0.0, 0.0, 0.0, 5.0]), Some(5.0));
    assert_eq!(largest_eigenvalue(&[0.0; 9]), Some(0.0));
    let ones = largest_eigenvalue(&[1.0; 9]).unwrap();
    assert!((ones - 3.0).abs() < 1e-15);
    assert_eq!(largest_eigenvalue(&[f64::NAN; 9]), None);
}
