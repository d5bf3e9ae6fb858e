//! The Lanczos iteration against dense eigenvalues.

use super::lanczos::largest_eigenvalue;
use super::*;
use nalgebra::{DVector, DVectorView, DVectorViewMut};

fn product<'a>(matrix: &'a DMatrix<f64>) -> impl FnMut(&[f64], &mut [f64]) + 'a {
    |x, y| {
        let n = x.len();
        DVectorViewMut::from_slice(y, n).gemv(1.0, matrix, &DVectorView::from_slice(x, n), 0.0);
    }
}

/// A symmetric matrix with these eigenvalues and irregular vectors.
fn with_eigenvalues(values: &[f64]) -> DMatrix<f64> {
    let n = values.len();
    let q = DMatrix::from_fn(n, n, |i, j| ((i * i * 7 + 3 * j * i + j * j * j) as f64).sin()).qr().q();
    let k = &q * DMatrix::from_diagonal(&DVector::from_column_slice(values)) * q.transpose();
    (&k + k.transpose()) * 0.5
}

/// The largest eigenvalue of Cᵀ K C, M⁻¹ = C Cᵀ.
fn reference(k: &DMatrix<f64>, inverse: &DMatrix<f64>) -> f64 {
    let c = inverse.clone().cholesky().expect("a positive matrix").l();
    (c.transpose() * k * c).symmetric_eigenvalues().max()
}

#[test]
fn eigenvalues_agree_with_dense_ones() {
    for n in [1, 2, 5, 40, 41, 90, 200] {
        let signs = DMatrix::from_fn(n, n, |i, j| ((i * j + i + j) as f64 * 0.7).cos());
        let k = &signs + signs.transpose();
        let masses: Vec<f64> = (0..n).map(|i| 1.0 + 9.0 * (i as f64 / n as f64)).collect();
        let inverse = with_eigenvalues(&masses);
        let pair = largest_eigenvalue(n, product(&k), product(&inverse), 1e-10, 10_000).unwrap();
        let expected = reference(&k, &inverse);
        assert!((pair.value - expected).abs() <= 1e-9 * expected.abs(), "{n}: {} {expected}", pair.value);
        let x = DVector::from_column_slice(&pair.vector);
        let force = &k * &x;
        assert!((x.dot(&force) - pair.value).abs() <= 1e-9 * expected.abs(), "{n}: not of unit length");
        // K x = ω² M x.
        assert!((&inverse * force - &x * pair.value).amax() < 1e-6 * expected.abs(), "{n}");
    }
}

/// The largest is wanted even if others are larger in magnitude, and if it is negative.
#[test]
fn the_largest_is_not_that_of_largest_magnitude() {
    for shift in [0.0, -20.0] {
        let values: Vec<f64> = (0..80).map(|k| shift + if k == 0 { 3.0 } else { -f64::from(k) }).collect();
        let k = with_eigenvalues(&values);
        let identity = DMatrix::identity(80, 80);
        let pair = largest_eigenvalue(80, product(&k), product(&identity), 1e-10, 10_000).unwrap();
        assert!((pair.value - (3.0 + shift)).abs() < 1e-8, "{}", pair.value);
    }
}

#[test]
fn no_stiffness_has_the_eigenvalue_zero() {
    let pair = largest_eigenvalue(50, |_, y| y.fill(0.0), |f, x| x.copy_from_slice(f), 1e-10, 10).unwrap();
    assert_eq!((pair.value, pair.products), (0.0, 1));
    assert_eq!(largest_eigenvalue(0, |_, _| (), |_, _| (), 1e-10, 10).unwrap().value, 0.0);
}

#[test]
fn bad_matrices_are_errors() {
    let k = with_eigenvalues(&(0..60).map(f64::from).collect::<Vec<_>>());
    let error = |inverse: fn(f64) -> f64, products| {
        let inverse = |f: &[f64], x: &mut [f64]| x.iter_mut().zip(f).for_each(|(x, f)| *x = inverse(*f));
        largest_eigenvalue(60, product(&k), inverse, 1e-10, products).unwrap_err()
    };
    assert_eq!(error(|f| f, 3), Error::NotConverged);
    assert_eq!(error(|f| -f, 100), Error::NotPositive);
    assert_eq!(error(|_| 0.0, 100), Error::NotPositive);
    assert_eq!(error(|_| f64::NAN, 100), Error::NotFinite);
}
