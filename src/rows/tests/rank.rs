//! Ranks against singular values.

use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;

use super::random::{Scene, chain, heights};
use crate::rows::{BlockRows, Cholesky, Fault, dependent_rows};

/// Singular values of H above so much of the largest.
fn rank(h: &DMatrix<f64>) -> usize {
    let values = h.singular_values();
    values.iter().filter(|value| **value > 1e-9 * values.max()).count()
}

/// The scalar rows that add nothing to those before them, by the ranks of the first 1, 2, 3, … rows.
fn by_singular_values(h: &DMatrix<f64>) -> Vec<bool> {
    let ranks: Vec<usize> =
        (0..=h.nrows()).map(|rows| if rows == 0 { 0 } else { rank(&h.rows(0, rows).into()) }).collect();
    ranks.windows(2).map(|ranks| ranks[0] == ranks[1]).collect()
}

/// The least sine of the angle between a row and the span of those before it, of rows that do not depend on these.
fn least_sine(h: &DMatrix<f64>, dependent: &[bool]) -> f64 {
    let mut least = 1.0_f64;
    let mut chosen = DMatrix::zeros(h.ncols(), 0);
    for row in (0..h.nrows()).filter(|&row| !dependent[row]) {
        let one = h.row(row).transpose();
        if chosen.ncols() > 0 {
            let q = chosen.clone().qr().q();
            least = least.min((&one - &q * (q.transpose() * &one)).norm() / one.norm());
        }
        let last = chosen.ncols();
        chosen = chosen.insert_column(last, 0.0);
        chosen.set_column(last, &one);
    }
    least
}

/// The rows that do not depend on others.
fn kept(h: &DMatrix<f64>, dependent: &[bool]) -> DMatrix<f64> {
    let rows: Vec<_> =
        (0..h.nrows()).filter(|&row| !dependent[row]).map(|row| h.row(row).into_owned()).collect();
    if rows.is_empty() { DMatrix::zeros(0, h.ncols()) } else { DMatrix::from_rows(&rows) }
}

/// Whether W of these scalar rows has a Cholesky factor, and solves to 1e-3.
fn has_factor(h: &DMatrix<f64>) -> bool {
    let scene = Scene::of_any_operators(h, &vec![1; h.nrows()]);
    let mut factor = Cholesky::new();
    if factor.factorize(&scene.rows(), &[]).is_err() {
        return false;
    }
    let expected = DVector::from_fn(h.nrows(), |row, _| 1.0 / scene.dense[(row, row)].sqrt());
    let mut x = &scene.dense * &expected;
    factor.solve(x.as_mut_slice()).unwrap();
    x.iter().zip(&expected).all(|(x, expected)| (x - expected).abs() < 1e-3 * expected)
}

proptest! {
    /// Entries are whole, so that few rows depend on others but almost. Rows in other units have the same dependences.
    #[test]
    fn rows_depend_on_earlier_ones_as_singular_values_say(
        bodies in 1..4_usize, pairs in prop::collection::vec((0..4_usize, 0..4_usize), 1..10),
        entries in prop::collection::vec(-2..3_i32, 400), units in prop::collection::vec(-4..5_i32, 60),
        any in prop::collection::vec(1..7_usize, 10), are_three in any::<bool>(),
    ) {
        let entries: Vec<f64> = entries.into_iter().map(f64::from).collect();
        let heights = heights(pairs.len(), &any, are_three);
        let mut h = chain(bodies, &pairs, &heights, &entries);
        let expected = by_singular_values(&h);
        // At smaller angles the order is a matter of rounding.
        prop_assume!(least_sine(&h, &expected) > 1e-3);
        for (mut row, unit) in h.row_iter_mut().zip(&units) {
            row *= 10_f64.powi(*unit);
        }
        let dependent = dependent_rows(&Scene::of_any_operators(&h, &heights).rows(), 0.0).unwrap();
        prop_assert_eq!(&dependent, &expected);
        prop_assert!(has_factor(&kept(&h, &dependent)));
    }

    /// Rows of any number that are sums of a few, some of these almost sums of others: the number of rows that do not depend on others
    /// is the rank, and these rows are independent.
    #[test]
    fn ranks_are_those_of_singular_values(
        rows in 2..8_usize, rank_of in 1..6_usize, small in 1e-4..1e-1_f64, entries in prop::collection::vec(-1.0..1.0_f64, 400),
    ) {
        let mut basis = DMatrix::from_column_slice(rank_of, 6, &entries[..6 * rank_of]);
        for k in 1..rank_of {
            // Small angles to the first.
            let row = basis.row(0) + basis.row(k) * small;
            basis.row_mut(k).copy_from(&row);
        }
        let h = DMatrix::from_column_slice(3 * rows, rank_of, &entries[60..][..3 * rows * rank_of]) * basis;
        let values = h.singular_values();
        let rank_of = rank_of.min(3 * rows);
        let mut sorted: Vec<f64> = values.iter().copied().collect();
        sorted.sort_by(|a, b| b.total_cmp(a));
        prop_assume!(sorted[rank_of - 1] > 3e-5 * sorted[0]);
        let dependent = dependent_rows(&Scene::of_operators(&h).rows(), 0.0).unwrap();
        prop_assert_eq!(dependent.iter().filter(|flag| !**flag).count(), rank_of);
        // At angles below the tolerance, rounding decides which of several rows is reported.
        if least_sine(&h, &by_singular_values(&h)) > 2e-5 {
            prop_assert!(kept(&h, &dependent).singular_values().min() > 1e-8 * values.max());
        }
    }
}

#[test]
fn what_is_no_matrix_or_no_tolerance_is_refused() {
    let reported = |block: [f64; 9], tolerance: f64| {
        dependent_rows(&BlockRows::new(&[0, 1], &[0], &block, None).unwrap(), tolerance)
    };
    let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    assert_eq!(reported(unit, 0.0).unwrap(), [false; 3]);
    assert_eq!(reported([0.0; 9], 0.5).unwrap(), [true; 3]);
    assert_eq!(reported([1.0, 0.0, 0.0, 0.0, 1e-30, 0.0, 0.0, 0.0, 4.0], 0.0).unwrap(), [false, true, false]);
    for tolerance in [-1.0, 1.0, f64::NAN] {
        assert!(matches!(reported(unit, tolerance).unwrap_err().fault, Fault::Invalid(_)));
    }
    let negative = [1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0];
    let indefinite = [1.0, 2.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    for block in [negative, indefinite] {
        let error = reported(block, 0.0).unwrap_err();
        assert_eq!((error.row, error.fault), (Some(0), Fault::NotPositive));
    }
    assert_eq!(reported([f64::INFINITY; 9], 0.0).unwrap_err().fault, Fault::NotFinite("a block of W"));
    assert!(dependent_rows(&BlockRows::new(&[0], &[], &[], None).unwrap(), 0.0).unwrap().is_empty());
}

/// The sine that counts is the caller's.
#[test]
fn the_tolerance_is_a_squared_sine() {
    let (sine, cosine) = 1e-3_f64.sin_cos();
    let mut h = DMatrix::zeros(3, 6);
    h[(0, 0)] = 1.0;
    (h[(1, 0)], h[(1, 1)]) = (cosine, sine);
    h[(2, 2)] = 1.0;
    let scene = Scene::of_operators(&h);
    let reported = |tolerance| dependent_rows(&scene.rows(), tolerance).unwrap();
    assert_eq!(reported(0.9 * sine * sine), [false; 3]);
    assert_eq!(reported(1.1 * sine * sine), [false, true, false]);
}

/// Rows e₁, e₁ cos a + e₂ sin a: the squared sine of the default tolerance is 1e-10.
#[test]
fn the_default_tolerance_is_the_documented_one() {
    let reported = |square: f64| {
        let sine = square.sqrt();
        let h = DMatrix::from_row_slice(
            2,
            6,
            &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, sine.asin().cos(), sine, 0.0, 0.0, 0.0, 0.0],
        );
        dependent_rows(&Scene::of_any_operators(&h, &[1, 1]).rows(), 0.0).unwrap()
    };
    assert_eq!((reported(1.01e-10), reported(0.99e-10)), (vec![false; 2], vec![false, true]));
}

/// Rows e₁, e₁ − s e₂, e₂: the last has the share s in the dependence of all three.
#[test]
fn a_share_below_the_documented_one_is_none() {
    let reported = |share: f64| {
        let h = DMatrix::from_row_slice(
            3,
            6,
            &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, -share, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        );
        dependent_rows(&Scene::of_any_operators(&h, &[1, 1, 1]).rows(), 0.0).unwrap()
    };
    assert_eq!((reported(1.1e-5), reported(0.9e-5)), (vec![false, false, true], vec![false, true, false]));
}
