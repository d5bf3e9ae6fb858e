use proptest::prelude::*;

use super::blocks::{exactly_double, graded, indefinite, nearly_diagonal, of_spheres, positive_definite};
use super::exact::is_above_spectrum;
use super::{block, entries, with_eigenvalues};
use crate::math::{Block, largest_eigenvalue};

/// What rounding may cost, relative to the largest magnitude of an entry.
const TOLERANCE: f64 = 8.0 * f64::EPSILON;

fn check(b: &Block) {
    let found = largest_eigenvalue(b).unwrap();
    let tolerance = TOLERANCE * b.iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
    assert!(is_above_spectrum(b, found + tolerance), "{found:e} is too small for {b:?}");
    assert!(!is_above_spectrum(b, found - tolerance), "{found:e} is too large for {b:?}");
}

proptest! {
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(testing::cases(4000)))]

    #[test]
    fn of_positive_definite_blocks(b in positive_definite()) {
        check(&b);
    }

    #[test]
    fn of_indefinite_blocks(b in indefinite()) {
        check(&b);
    }

    #[test]
    fn where_two_are_equal(b in exactly_double()) {
        check(&b);
    }

    #[test]
    fn of_spheres_with_noise(b in of_spheres()) {
        check(&b);
    }

    #[test]
    fn of_nearly_diagonal_blocks(b in nearly_diagonal()) {
        check(&b);
    }

    #[test]
    fn of_graded_blocks(b in graded()) {
        check(&b);
    }

    #[test]
    fn scaling_changes_no_bit(b in positive_definite(), power in -400..400_i32) {
        let factor = f64::powi(2.0, power);
        prop_assert_eq!(
            largest_eigenvalue(&b.map(|entry| entry * factor)),
            largest_eigenvalue(&b).map(|value| value * factor)
        );
    }

    #[test]
    fn rho_is_within_its_tolerance(b in positive_definite(), power in -150..150_i32) {
        let b = b.map(|entry| entry * 10_f64.powi(power));
        let rho = 1.0 / largest_eigenvalue(&b).unwrap();
        // 1 / (rho (1 ± 1e-14)) encloses the eigenvalue.
        prop_assert!(is_above_spectrum(&b, 1.0 / (rho * (1.0 - 1e-14))));
        prop_assert!(!is_above_spectrum(&b, 1.0 / (rho * (1.0 + 1e-14))));
    }
}

#[test]
fn eigenvalues_of_exact_blocks() {
    assert_eq!(largest_eigenvalue(&[3.0, 0.0, 0.0, 0.0, -7.0, 0.0, 0.0, 0.0, 5.0]), Some(5.0));
    assert_eq!(largest_eigenvalue(&[-3.0, 0.0, 0.0, 0.0, -7.0, 0.0, 0.0, 0.0, -5.0]), Some(-3.0));
    assert_eq!(largest_eigenvalue(&[0.0; 9]), Some(0.0));
    let ones = largest_eigenvalue(&[1.0; 9]).unwrap();
    assert!((ones - 3.0).abs() < 1e-15);
    assert_eq!(largest_eigenvalue(&[f64::NAN; 9]), None);
}

#[test]
fn of_blocks_of_integers() {
    for b in [
        [1.0; 9],
        [-1.0; 9],
        [0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0],
        [0.0, -1.0, -1.0, -1.0, 0.0, -1.0, -1.0, -1.0, 0.0],
        [0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [5.0, 3.0, 0.0, 3.0, 5.0, 0.0, 0.0, 0.0, 8.0],
        [2.0, 1.0, 0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 2.0],
    ] {
        check(&b);
    }
}

#[test]
fn at_the_ends_of_the_range() {
    let (tiny, huge) = (f64::from_bits(1), f64::MAX);
    let diagonal = |x: f64| [x, 0.0, 0.0, 0.0, x, 0.0, 0.0, 0.0, x];
    for x in [tiny, 3.0 * tiny, f64::MIN_POSITIVE, 0.5 * huge, huge, -huge] {
        assert_eq!(largest_eigenvalue(&diagonal(x)), Some(x));
    }
    // Twice and three times the entries.
    assert_eq!(largest_eigenvalue(&[tiny; 9]), Some(3.0 * tiny));
    check(&[huge / 4.0; 9]);
    assert_eq!(largest_eigenvalue(&[huge; 9]), Some(f64::INFINITY));
    check(&[f64::MIN_POSITIVE; 9]);
}

#[test]
fn of_blocks_that_are_not_finite() {
    for position in [0, 3, 4, 6, 7, 8] {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut b = [2.0, 1.0, 0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 2.0];
            b[position] = value;
            assert_eq!(largest_eigenvalue(&b), None);
        }
    }
}
