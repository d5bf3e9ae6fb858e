//! Symmetric blocks in exact arithmetic: every number is an integer times a power of two.

use num_bigint::{BigInt, BigUint, Sign};

use crate::math::Block;

/// `values` as integers in units of the returned power of two.
fn integers<const N: usize>(values: &[f64; N]) -> ([BigInt; N], i32) {
    let parts = values.map(parts);
    let nonzero = parts.iter().filter(|(mantissa, _)| *mantissa != 0);
    let unit = nonzero.map(|(_, exponent)| *exponent).min().unwrap_or(0);
    let integer = |(mantissa, exponent): (i64, i32)| match mantissa {
        0 => BigInt::ZERO,
        _ => BigInt::from(mantissa) << (exponent - unit),
    };
    (parts.map(integer), unit)
}

/// Mantissa and exponent: `value` = mantissa · 2^exponent.
fn parts(value: f64) -> (i64, i32) {
    assert!(value.is_finite());
    let bits = value.to_bits();
    let (biased, fraction) = (((bits >> 52) & 0x7ff) as i32, (bits & ((1 << 52) - 1)) as i64);
    let magnitude = if biased == 0 { fraction } else { fraction | 1 << 52 };
    (if value < 0.0 { -magnitude } else { magnitude }, biased.max(1) - 1075)
}

/// Entry (i, j) of the adjugate of the symmetric `b`.
fn cofactor<const N: usize>(b: &[BigInt; N], i: usize, j: usize) -> BigInt {
    let at = |i: usize, j: usize| &b[3 * (j % 3) + i % 3];
    at(i + 1, j + 1) * at(i + 2, j + 2) - at(i + 1, j + 2) * at(i + 2, j + 1)
}

fn determinant<const N: usize>(b: &[BigInt; N]) -> BigInt {
    (0..3).map(|i| &b[i] * cofactor(b, i, 0)).sum()
}

/// Whether `x` is greater than every eigenvalue of the symmetric `b`: whether x I − b is positive definite, decided
/// by its leading minors (Sylvester).
pub fn is_above_spectrum(b: &Block, x: f64) -> bool {
    let mut all = [x; 10];
    all[..9].copy_from_slice(b);
    let (mut all, _) = integers(&all);
    let x = all[9].clone();
    for (k, entry) in all[..9].iter_mut().enumerate() {
        *entry = if k % 4 == 0 { &x - &*entry } else { -&*entry };
    }
    [all[0].clone(), cofactor(&all, 2, 2), determinant(&all)].iter().all(|minor| minor.sign() == Sign::Plus)
}

/// The error of `x` as the inverse of the symmetric `b`, relative to the inverse, and the condition number of `b`
/// (norm: the largest sum of magnitudes in a row).
pub fn error_of_inverse(b: &Block, x: &Block) -> (f64, f64) {
    let ((b, unit_of_b), (x, unit_of_x)) = (integers(b), integers(x));
    let adjugate: [BigInt; 9] = std::array::from_fn(|k| cofactor(&b, k % 3, k / 3));
    let determinant = determinant(&b);
    // (x − b⁻¹) det b = x det b − adj b.
    let unit = unit_of_b + unit_of_x;
    let (up, down) = (unit.max(0), (-unit).max(0));
    let difference = std::array::from_fn(|k| ((&x[k] * &determinant) << up) - (&adjugate[k] << down));
    let condition = quotient(norm(&b) * norm(&adjugate), determinant.magnitude().clone());
    (quotient(norm(&difference), norm(&adjugate) << down), condition)
}

fn norm(b: &[BigInt; 9]) -> BigUint {
    let sum = |i: usize| (0..3).map(|j| b[3 * j + i].magnitude()).sum::<BigUint>();
    (0..3).map(sum).max().unwrap()
}

/// Numerator / denominator, to the accuracy of f64.
fn quotient(numerator: BigUint, denominator: BigUint) -> f64 {
    if numerator == BigUint::ZERO {
        return 0.0;
    }
    // 64 bits of the quotient at least.
    let shift = 64 + denominator.bits() as i64 - numerator.bits() as i64;
    let bits = (numerator << shift.max(0)) / (denominator << (-shift).max(0));
    u128::try_from(bits).unwrap() as f64 * f64::powi(2.0, -shift as i32)
}
