//! The Lanczos iteration against dense eigenvalues.

use std::convert::Infallible;

use nalgebra::{DMatrix, DVector, DVectorView, DVectorViewMut};

use super::*;

fn product(matrix: &DMatrix<f64>, x: &[f64], y: &mut [f64]) {
    DVectorViewMut::from_slice(y, y.len()).gemv(1.0, matrix, &DVectorView::from_slice(x, x.len()), 0.0);
}

type Stiffness<'a> = Box<dyn FnMut(&[f64], &mut [f64]) -> Result<(), Infallible> + 'a>;
type InverseMass<'a> = Box<dyn FnMut(&[f64], &mut [f64]) + 'a>;

/// The problem of two dense matrices.
fn problem<'a>(
    k: &'a DMatrix<f64>,
    inverse: &'a DMatrix<f64>,
) -> EigenProblem<Stiffness<'a>, InverseMass<'a>> {
    let stiffness = |x: &[f64], y: &mut [f64]| {
        product(k, x, y);
        Ok(())
    };
    let inverse_mass = |f: &[f64], x: &mut [f64]| product(inverse, f, x);
    EigenProblem { size: k.nrows(), stiffness: Box::new(stiffness), inverse_mass: Box::new(inverse_mass) }
}

/// The eigenpair of two dense matrices, settled within 1e-10.
fn pair(k: &DMatrix<f64>, inverse: &DMatrix<f64>) -> (Estimate, DVector<f64>) {
    let (estimate, vector) = problem(k, inverse).largest_eigenpair(1e-10, 10_000).unwrap();
    assert!(estimate.has_settled(1e-10), "{estimate:?}");
    (estimate, DVector::from_vec(vector))
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
        let (estimate, x) = pair(&k, &inverse);
        let expected = reference(&k, &inverse);
        let scale = expected.abs();
        assert!((estimate.value - expected).abs() <= 1e-9 * scale, "{n}: {estimate:?} {expected}");
        assert!(estimate.magnitude >= scale * (1.0 - 1e-12), "{n}: {estimate:?}");
        let force = &k * &x;
        assert!((x.dot(&force) - estimate.value).abs() <= 1e-9 * scale, "{n}: not of unit length");
        // K x = ω² M x.
        assert!((&inverse * force - &x * estimate.value).amax() < 1e-6 * scale, "{n}");
    }
}

/// M⁻¹ of rank n − 20, as in a system projected to the directions that constraints leave free.
#[test]
fn forbidden_directions_do_not_count() {
    let n = 60;
    let masses: Vec<f64> = (0..n).map(|i| if i < 20 { 0.0 } else { 1.0 + 0.1 * i as f64 }).collect();
    let inverse = with_eigenvalues(&masses);
    let stiffnesses: Vec<f64> = (0..n).map(|i| if i % 7 == 0 { -3.0 } else { i as f64 }).collect();
    let k = DMatrix::from_diagonal(&DVector::from_vec(stiffnesses));
    // K M⁻¹ has the eigenvalues of C K C with the symmetric root C of M⁻¹.
    let eigen = inverse.clone().symmetric_eigen();
    let roots = eigen.eigenvalues.map(|value| value.max(0.0).sqrt());
    let root = &eigen.eigenvectors * DMatrix::from_diagonal(&roots) * eigen.eigenvectors.transpose();
    let expected = (&root * &k * &root).symmetric_eigenvalues().max();
    let (estimate, x) = pair(&k, &inverse);
    assert!((estimate.value / expected - 1.0).abs() < 1e-9, "{estimate:?} {expected}");
    assert!((&inverse * (&k * &x) - &x * estimate.value).amax() < 1e-6 * expected);
}

/// The largest is wanted even if others are larger in magnitude, and if it is negative.
#[test]
fn the_largest_is_not_that_of_largest_magnitude() {
    for shift in [0.0, -20.0] {
        let values: Vec<f64> = (0..80).map(|k| shift + if k == 0 { 3.0 } else { -f64::from(k) }).collect();
        let k = with_eigenvalues(&values);
        let (estimate, _) = pair(&k, &DMatrix::identity(80, 80));
        assert!((estimate.value - (3.0 + shift)).abs() < 1e-8, "{estimate:?}");
    }
}

/// Long after the largest eigenvalue has converged, copies of it do no harm.
#[test]
fn copies_of_converged_eigenvalues_do_no_harm() {
    for last in [0.0, -1e6] {
        let mut values: Vec<f64> = (0..120).map(|k| f64::from(k) / 120.0).collect();
        (values[0], values[119]) = (last, 7.0);
        let k = with_eigenvalues(&values);
        let identity = DMatrix::identity(120, 120);
        let (estimate, vector) = problem(&k, &identity).largest_eigenpair(0.0, 600).unwrap();
        let x = DVector::from_vec(vector);
        let rounding = 1e-12 * estimate.magnitude;
        assert!((estimate.value - 7.0).abs() < rounding, "{estimate:?}");
        assert!((&k * &x - &x * 7.0).amax() < rounding, "{estimate:?}");
        assert!((x.norm() - 1.0).abs() < 1e-14, "{}", x.norm());
    }
}

/// With M⁻¹ of rank r the iteration is complete after r products, and the next vector is rounding.
#[test]
fn products_end_with_the_rank() {
    let n = 30;
    let stiffnesses = DVector::from_fn(n as usize, |i, _| 1.0 + i as f64);
    let (k, root) =
        (DMatrix::from_diagonal(&stiffnesses), DMatrix::from_diagonal(&stiffnesses.map(f64::sqrt)));
    for rank in [1, 2, 10] {
        let masses: Vec<f64> = (0..n).map(|i| if i < rank { 2.0 + f64::from(i) } else { 0.0 }).collect();
        let inverse = with_eigenvalues(&masses);
        let estimate = problem(&k, &inverse).largest_eigenvalue(0.0, 100).unwrap();
        assert_eq!(estimate.products, rank as usize);
        let expected = (&root * &inverse * &root).symmetric_eigenvalues().max();
        assert!((estimate.value / expected - 1.0).abs() < 1e-9, "{estimate:?} {expected}");
    }
}

#[test]
fn residuals_of_rounding_have_settled() {
    let with = |residual| Estimate { value: 2.0, residual, magnitude: 2.0, products: 1 };
    assert!(with(8.0 * f64::EPSILON).has_settled(0.0) && !with(9.0 * f64::EPSILON).has_settled(0.0));
    assert!(with(2e-6).has_settled(1e-6) && !with(2.1e-6).has_settled(1e-6));
}

/// The first vector has a length, the second one has none.
#[test]
fn negative_masses_are_told_whenever_they_are_met() {
    let n = 10;
    let of_last = |last: f64, others: f64| {
        DMatrix::from_diagonal(&DVector::from_fn(n, |i, _| if i >= n - 3 { last } else { others }))
    };
    let (k, inverse) = (of_last(100.0, 1.0), of_last(-0.1, 1.0));
    assert_eq!(problem(&k, &inverse).largest_eigenvalue(1e-10, 100).unwrap_err(), Failure::NotPositive);
}

#[test]
fn no_stiffness_has_the_eigenvalue_zero() {
    let none = |_: &[f64], y: &mut [f64]| {
        y.fill(0.0);
        Ok::<(), Infallible>(())
    };
    for size in [0, 50] {
        let mut problem = EigenProblem { size, stiffness: none, inverse_mass: no_mass };
        let (estimate, vector) = problem.largest_eigenpair(1e-10, 10).unwrap();
        assert_eq!((estimate.value, estimate.products, vector.len()), (0.0, size.min(1), size));
        assert!(estimate.has_settled(0.0));
    }
}

#[test]
fn bad_matrices_are_errors() {
    let k = with_eigenvalues(&(0..60).map(f64::from).collect::<Vec<_>>());
    let of = |inverse: fn(f64) -> f64, products| {
        let inverse_mass = |f: &[f64], x: &mut [f64]| x.iter_mut().zip(f).for_each(|(x, f)| *x = inverse(*f));
        let stiffness = |x: &[f64], y: &mut [f64]| {
            product(&k, x, y);
            Ok::<(), Infallible>(())
        };
        EigenProblem { size: 60, stiffness, inverse_mass }.largest_eigenpair(1e-10, products)
    };
    assert!(!of(|f| f, 3).unwrap().0.has_settled(1e-10));
    assert_eq!(of(|f| -f, 100).unwrap_err(), Failure::NotPositive);
    assert_eq!(of(|_| 0.0, 100).unwrap_err(), Failure::NothingMoves);
    assert_eq!(of(|_| f64::NAN, 100).unwrap_err(), Failure::NotFinite);
}

/// The largest eigenvalue of an operator, with M⁻¹ = 1.
fn ordinary<E>(
    size: usize,
    tolerance: f64,
    most: usize,
    stiffness: impl FnMut(&[f64], &mut [f64]) -> Result<(), E>,
) -> Result<Estimate, Failure<E>> {
    EigenProblem { size, stiffness, inverse_mass: no_mass }.largest_eigenvalue(tolerance, most)
}

#[test]
fn known_spectra() {
    // −1, 2, −1: 2 − 2 cos (nπ / (n + 1)), with neighbors close to it.
    for (size, most) in [(1, 10), (2, 10), (50, 200), (400, 2000)] {
        let product = |x: &[f64], y: &mut [f64]| {
            for i in 0..size {
                let left = if i > 0 { x[i - 1] } else { 0.0 };
                let right = if i + 1 < size { x[i + 1] } else { 0.0 };
                y[i] = 2.0 * x[i] - left - right;
            }
            Ok::<(), ()>(())
        };
        let exact = 2.0 + 2.0 * (std::f64::consts::PI / (size + 1) as f64).cos();
        let found = ordinary(size, 1e-7, most, product).unwrap();
        assert!((found.value - exact).abs() <= 1e-12 * exact, "{size}: {found:?} {exact}");
        assert!(found.residual <= 1e-7 * exact, "{size}: {found:?}");
    }
}

#[test]
fn one_eigenvalue_and_none() {
    let twice = |x: &[f64], y: &mut [f64]| {
        y.iter_mut().zip(x).for_each(|(y, x)| *y = 2.0 * x);
        Ok::<(), ()>(())
    };
    let found = ordinary(30, 1e-10, 100, twice).unwrap();
    assert!((found.value - 2.0).abs() < 1e-15 && found.products <= 2, "{found:?}");
    assert_eq!(ordinary(0, 1e-10, 100, twice).unwrap().value, 0.0);
    let zero = |_: &[f64], y: &mut [f64]| {
        y.fill(0.0);
        Ok::<(), ()>(())
    };
    assert_eq!(ordinary(30, 1e-10, 100, zero).unwrap().value, 0.0);
}

#[test]
fn failures_come_through() {
    let fails = |_: &[f64], _: &mut [f64]| Err(7);
    assert_eq!(ordinary(3, 1e-6, 9, fails), Err(Failure::Product(7)));
    let infinite = |_: &[f64], y: &mut [f64]| {
        y.fill(f64::INFINITY);
        Ok::<(), ()>(())
    };
    assert_eq!(ordinary(3, 1e-6, 9, infinite), Err(Failure::NotFinite));
}

/// Couplings far below rounding, or none: pivots become zero where other parts have the same largest eigenvalue.
#[test]
fn parts_with_the_same_eigenvalue_have_a_vector() {
    for diagonal in
        [&[2.0, 1.0, 2.0][..], &[1.0, 2.0, 2.0], &[2.0, 2.0, 1.0, 2.0], &[0.0, 0.0], &[-1.0, -2.0, -1.0]]
    {
        for coupling in [0.0, 1e-200, 1e-30] {
            let mut matrix = Tridiagonal::default();
            diagonal.iter().for_each(|&alpha| matrix.push(alpha, coupling).unwrap());
            let (value, last, magnitude) = matrix.largest();
            let expected = diagonal.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            assert!((value - expected).abs() <= 1e-15 && last <= coupling && magnitude.is_finite());
            let vector = matrix.vector;
            let norm = vector.iter().map(|s| s * s).sum::<f64>();
            assert!((norm - 1.0).abs() < 1e-15, "{diagonal:?} {coupling}: {vector:?}");
            for (s, alpha) in vector.iter().zip(diagonal) {
                assert!(((alpha - value) * s).abs() < 1e-15, "{diagonal:?} {coupling}: {vector:?}");
            }
        }
    }
}
