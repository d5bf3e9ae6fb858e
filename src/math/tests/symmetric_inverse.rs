use proptest::prelude::*;

use super::blocks::{indefinite, of_spheres, positive_definite};
use super::exact::error_of_inverse;
use crate::math::{Block, inverse, inverse_symmetric, mirrored};

/// The error is a few ε κ(b) of the norm.
fn check(b: &Block) {
    let x = inverse_symmetric(b).unwrap();
    assert_eq!(x, mirrored(&x));
    let (error, condition) = error_of_inverse(b, &x);
    assert!(error <= 4.0 * f64::EPSILON * condition, "{error:e} at condition {condition:e} for {b:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(testing::cases(4000)))]

    #[test]
    fn of_positive_definite_blocks(b in positive_definite(), power in -150..150_i32) {
        check(&b.map(|entry| entry * 10_f64.powi(power)));
    }

    #[test]
    fn of_spheres_with_noise(b in of_spheres()) {
        check(&b);
    }

    #[test]
    fn of_indefinite_blocks(b in indefinite()) {
        check(&b);
    }

    #[test]
    fn scaling_of_the_axes_changes_no_bit(b in positive_definite(), powers in prop::array::uniform3(-450..450_i32)) {
        let factors = powers.map(|power| f64::powi(2.0, power));
        let scaled: Block = std::array::from_fn(|k| factors[k % 3] * factors[k / 3] * b[k]);
        let expected = inverse_symmetric(&b).unwrap();
        let expected: Block = std::array::from_fn(|k| expected[k] / (factors[k % 3] * factors[k / 3]));
        prop_assert_eq!(inverse_symmetric(&scaled).unwrap(), expected);
    }
}

#[test]
fn of_exact_blocks() {
    assert_eq!(
        inverse_symmetric(&[4.0, 2.0, 0.0, 2.0, 2.0, 0.5, 0.0, 0.5, 1.25]),
        Some([0.5625, -0.625, 0.25, -0.625, 1.25, -0.5, 0.25, -0.5, 1.0])
    );
    // Without a positive pivot to begin with.
    let exchange = [0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0];
    assert_eq!(inverse_symmetric(&exchange), Some([0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.5]));
    let negative = [-4.0, 0.0, 0.0, 0.0, -2.0, 0.0, 0.0, 0.0, -1.0];
    assert_eq!(inverse_symmetric(&negative), Some([-0.25, 0.0, 0.0, 0.0, -0.5, 0.0, 0.0, 0.0, -1.0]));
}

#[test]
fn exists_unless_a_pivot_is_exactly_zero() {
    assert_eq!(inverse_symmetric(&[0.0; 9]), None);
    assert_eq!(inverse_symmetric(&[1.0; 9]), None);
    // Singular but for rounding: by elimination.
    let nearly = [3.0, 7.0, 0.0, 7.0, 49.0 / 3.0 * (1.0 + 4.0 * f64::EPSILON), 0.0, 0.0, 0.0, 1.0];
    let expected = inverse(&nearly).map(|x| mirrored(&x));
    assert!(expected.is_some());
    assert_eq!(inverse_symmetric(&nearly), expected);
}

#[test]
fn at_the_ends_of_the_range() {
    let diagonal = |x: f64| [x, 0.0, 0.0, 0.0, x, 0.0, 0.0, 0.0, x];
    for x in [1e-300, 1e300] {
        check(&diagonal(x));
    }
    let beyond = inverse_symmetric(&diagonal(1e-310)).unwrap();
    assert_eq!(beyond[0], f64::INFINITY);
}
