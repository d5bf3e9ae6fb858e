//! Exponential function, logarithm and powers with the same bits on all processors, which the functions of the standard library do
//! not promise.

/// ln 2 as a sum; products of the first part with integers up to 2²⁰ are exact.
const LN_2: [f64; 2] = [f64::from_bits(0x3fe6_2e42_fee0_0000), 1.908_214_929_270_587_7e-10];

/// Terms of the series of exp up to |x| = ln 2 / 2, and of artanh up to 3 − 2 √2; the next ones are less than rounding.
const TERMS: i32 = 14;
const TERMS_OF_LN: i32 = 11;

/// eˣ, relative error less than 1e-15.
pub fn exp(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    let x = x.clamp(-800.0, 800.0);
    let power = (x / core::f64::consts::LN_2).round();
    let rest = x - power * LN_2[0] - power * LN_2[1];
    let sum = (1..=TERMS).rev().fold(1.0, |sum, k| 1.0 + sum * rest / f64::from(k));
    scaled(sum, power as i32)
}

/// ln x for a normal positive number, absolute error less than 1e-15 (1 + |ln x|).
pub fn ln(x: f64) -> f64 {
    let bits = x.to_bits();
    let mut power = f64::from((bits >> 52) as i32 - 1023);
    let mut rest = f64::from_bits(bits & 0x000f_ffff_ffff_ffff | 0x3ff0_0000_0000_0000);
    if rest > core::f64::consts::SQRT_2 {
        rest *= 0.5;
        power += 1.0;
    }
    let t = (rest - 1.0) / (rest + 1.0);
    let square = t * t;
    let sum = (0..TERMS_OF_LN).rev().fold(0.0, |sum, k| sum * square + f64::from(2 * k + 1).recip());
    power * LN_2[0] + (2.0 * t * sum + power * LN_2[1])
}

/// xⁿ for x ≥ 0; 0 if x is not a normal number.
pub fn power(x: f64, n: f64) -> f64 {
    if x < f64::MIN_POSITIVE { 0.0 } else { exp(n * ln(x)) }
}

/// x · 2ⁿ, in two steps so that no factor overflows.
fn scaled(x: f64, n: i32) -> f64 {
    let factor = |n: i32| f64::from_bits(((n + 1023) as u64) << 52);
    x * factor(n / 2) * factor(n - n / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_near(a: f64, b: f64, most: f64) -> bool {
        (a - b).abs() <= most * b.abs()
    }

    #[test]
    fn values_are_those_of_the_standard_library() {
        for k in -7000..=7000 {
            let x = 0.1 * f64::from(k);
            assert!(is_near(exp(x), x.exp(), 1e-15), "exp {x}: {} {}", exp(x), x.exp());
        }
        assert_eq!([exp(0.0), exp(-1e9), exp(1e9)], [1.0, 0.0, f64::INFINITY]);
        assert!(exp(f64::NAN).is_nan());
        for k in 1..5000 {
            let x = 1e-3 * f64::from(k) * 2.0_f64.powi(k % 41 - 20);
            assert!((ln(x) - x.ln()).abs() <= 1e-15 * (1.0 + x.ln().abs()), "ln {x}");
            for n in [0.5, 1.0, 1.5, 3.0] {
                assert!(is_near(power(x, n), x.powf(n), 1e-14), "{x}^{n}");
            }
        }
        assert_eq!([power(0.0, 1.5), power(1.0, 2.5), ln(1.0)], [0.0, 1.0, 0.0]);
    }
}
