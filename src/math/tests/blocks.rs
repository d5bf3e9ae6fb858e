//! Symmetric blocks of all the kinds that closed forms are known to lose digits on.

use proptest::prelude::*;

use super::{block, entries, with_eigenvalues};
use crate::math::Block;

/// A distance between eigenvalues: none, or of any order from far below rounding to 1.
fn distance() -> impl Strategy<Value = f64> {
    prop_oneof![1 => Just(0.0), 4 => (-18.0..0.0_f64).prop_map(|power| 10_f64.powf(power))]
}

/// Eigenvalues with a largest of 1: any, close ones, small ones.
fn eigenvalues() -> impl Strategy<Value = [f64; 3]> {
    let small = || (-12.0..0.0_f64).prop_map(|power| 10_f64.powf(power));
    prop_oneof![
        (small(), small()).prop_map(|(x, y)| [1.0, x, y]),
        (distance(), small()).prop_map(|(gap, x)| [1.0, 1.0 - gap, x]),
        (small(), distance()).prop_map(|(x, gap)| [1.0, x, x * (1.0 - gap)]),
        (distance(), distance()).prop_map(|(one, two)| [1.0, 1.0 - one, 1.0 - two]),
        Just([1.0, 1e-12, 1e-12]),
    ]
    .prop_map(|eigenvalues| eigenvalues.map(|value| value.max(1e-12)))
}

/// Positive definite blocks with condition numbers up to about 1e12, of moderate size.
pub fn positive_definite() -> impl Strategy<Value = Block> {
    (eigenvalues(), entries()).prop_map(|(eigenvalues, seed)| block(&with_eigenvalues(eigenvalues, seed)))
}

/// Blocks with eigenvalues of both signs, and negative definite ones.
pub fn indefinite() -> impl Strategy<Value = Block> {
    let signs = prop::array::uniform3(prop_oneof![Just(1.0), Just(-1.0)]);
    (eigenvalues(), signs, entries()).prop_map(|(values, signs, seed)| {
        let signed = std::array::from_fn(|k| values[k] * signs[k]);
        block(&with_eigenvalues(signed, seed))
    })
}

/// α I + β v vᵀ of small integers: two eigenvalues are equal, without rounding; the two largest for β < 0.
pub fn exactly_double() -> impl Strategy<Value = Block> {
    (1..1_000_000_i32, -1000..1000_i32, prop::array::uniform3(-30..30_i32)).prop_map(|(alpha, beta, v)| {
        std::array::from_fn(|k| {
            let (i, j) = (k % 3, k / 3);
            f64::from(beta * v[i] * v[j] + if i == j { alpha } else { 0 })
        })
    })
}

/// The diagonal of a contact between spheres, nearly: noise of up to some ε in every entry.
pub fn of_spheres() -> impl Strategy<Value = Block> {
    let noise = || prop_oneof![-1e-15..1e-15_f64, -4e-16..4e-16_f64, Just(0.0)];
    (prop::array::uniform3(noise()), prop::array::uniform3(noise()), 0.1..10.0_f64).prop_map(
        |(on, [x, y, z], size)| {
            let b = [3.5 + on[0], z, y, z, 3.5 + on[1], x, y, x, 1.0 + on[2]];
            b.map(|entry| entry * size)
        },
    )
}

/// Off-diagonal entries of every order against the diagonal.
pub fn nearly_diagonal() -> impl Strategy<Value = Block> {
    let off = || (-20.0..-1.0_f64, -1.0..1.0_f64).prop_map(|(power, sign)| sign * 10_f64.powf(power));
    (eigenvalues(), prop::array::uniform3(off()))
        .prop_map(|(d, [x, y, z])| [d[0], z, y, z, d[1], x, y, x, d[2]])
}

/// Symmetric blocks with entries of very different size.
pub fn graded() -> impl Strategy<Value = Block> {
    let entry = || (-150..150_i32, -1.0..1.0_f64).prop_map(|(power, sign)| sign * 10_f64.powi(power));
    (prop::array::uniform3(entry()), prop::array::uniform3(entry()))
        .prop_map(|(d, [x, y, z])| [d[0], z, y, z, d[1], x, y, x, d[2]])
}
