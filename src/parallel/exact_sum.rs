//! Sums of floating-point numbers that do not depend on the order or on the number of processes: the numbers are added as integers
//! without rounding, and the sum is rounded once (the small superaccumulator of Neal, Fast exact summation using small and large
//! superaccumulators, 2015).
#![forbid(unsafe_code)]

/// Digits of 32 bits: 2¹⁰²⁴ / 2⁻¹⁰⁷⁴ is less than 2³²·⁶⁶, and a sum has further bits.
const DIGITS: usize = 68;

/// Additions before digits may overflow: each adds less than 2³² to a digit of 63 bits.
const MANY: u32 = 1 << 29;

/// A sum: Σ digit_k · 2^(32 k − 1074). Digits may have any sign.
#[derive(Clone, Copy, Debug)]
pub struct ExactSum {
    digits: [i64; DIGITS],
    /// Numbers that are infinite or no numbers.
    special: i64,
    /// Additions since digits were carried.
    additions: u32,
}

impl Default for ExactSum {
    fn default() -> Self {
        Self { digits: [0; DIGITS], special: 0, additions: 0 }
    }
}

/// Integers of a sum in a message.
pub const WORDS: usize = DIGITS + 1;

impl ExactSum {
    /// Add a number.
    #[inline]
    pub fn add(&mut self, value: f64) {
        let bits = value.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as usize;
        let fraction = bits & ((1 << 52) - 1);
        if exponent == 0x7ff {
            self.special += 1;
            return;
        }
        let (mantissa, shift) =
            if exponent == 0 { (fraction, 0) } else { (fraction | 1 << 52, exponent - 1) };
        let sign = 1 - 2 * (bits >> 63) as i64;
        let (digit, within) = (shift / 32, shift % 32);
        let wide = u128::from(mantissa) << within;
        let low = 0xffff_ffff_u128;
        self.digits[digit] += sign * (wide & low) as i64;
        self.digits[digit + 1] += sign * (wide >> 32 & low) as i64;
        self.digits[digit + 2] += sign * (wide >> 64) as i64;
        self.additions += 1;
        if self.additions == MANY {
            self.carry();
        }
    }

    /// Make all digits but the last one less than 2³² and not negative.
    fn carry(&mut self) {
        let mut carried = 0;
        for digit in &mut self.digits[..DIGITS - 1] {
            let sum = *digit + carried;
            *digit = sum & 0xffff_ffff;
            carried = sum >> 32;
        }
        self.digits[DIGITS - 1] += carried;
        self.additions = 0;
    }

    /// Add another sum.
    #[cfg(test)]
    pub fn add_sum(&mut self, other: &Self) {
        let mut other = *other;
        self.carry();
        other.carry();
        self.digits.iter_mut().zip(other.digits).for_each(|(sum, digit)| *sum += digit);
        self.special += other.special;
        self.additions = 2;
    }

    /// The integers for a sum over processes, which adds them one by one: up to 2³⁰ processes overflow no digit.
    pub fn write(&self, words: &mut [i64; WORDS]) {
        let mut own = *self;
        own.carry();
        words[..DIGITS].copy_from_slice(&own.digits);
        words[DIGITS] = own.special;
    }

    /// The sum of these integers.
    pub fn read(words: &[i64; WORDS]) -> Self {
        let mut sum = Self::default();
        sum.digits.copy_from_slice(&words[..DIGITS]);
        sum.special = words[DIGITS];
        sum.carry();
        sum
    }

    /// The sum, rounded to the nearest number, ties to even; NaN if a number was not finite.
    pub fn value(&self) -> f64 {
        if self.special != 0 {
            return f64::NAN;
        }
        let mut sum = *self;
        sum.carry();
        let is_negative = sum.digits[DIGITS - 1] < 0;
        if is_negative {
            sum.digits.iter_mut().for_each(|digit| *digit = -*digit);
            sum.carry();
        }
        let magnitude = rounded(&sum.digits);
        if is_negative { -magnitude } else { magnitude }
    }
}

/// Round digits that have been carried and are not negative.
fn rounded(digits: &[i64; DIGITS]) -> f64 {
    let Some(top) = digits.iter().rposition(|&digit| digit != 0) else { return 0.0 };
    let length = 32 * top + (64 - digits[top].leading_zeros() as usize);
    if length <= 53 {
        // At most two digits: the number is exact.
        let bits = (digits[1] as u64) << 32 | digits[0] as u64;
        return bits as f64 * f64::from_bits(1);
    }
    // The mantissa has the highest 53 bits; the bit after them and all further ones decide the rounding.
    let low = length - 53;
    let bit = |at: usize| digits[at / 32] >> (at % 32) & 1;
    let mantissa = (low..length).rev().fold(0_u64, |sum, at| sum << 1 | bit(at) as u64);
    let half = bit(low - 1) == 1;
    let is_more = (0..(low - 1) / 32).any(|digit| digits[digit] != 0)
        || (32 * ((low - 1) / 32)..low - 1).any(|at| bit(at) == 1);
    let up = half && (is_more || mantissa & 1 == 1);
    let mantissa = mantissa + u64::from(up);
    // mantissa · 2^(low − 1074), with the exponent of a number of 53 bits.
    let (mantissa, low) = if mantissa == 1 << 53 { (1 << 52, low + 1) } else { (mantissa, low) };
    if low + 1 >= 0x7ff {
        return f64::INFINITY;
    }
    f64::from_bits((low as u64 + 1) << 52 | mantissa & ((1 << 52) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use proptest::prelude::*;

    fn sum_of(values: impl IntoIterator<Item = f64>) -> ExactSum {
        let mut sum = ExactSum::default();
        values.into_iter().for_each(|value| sum.add(value));
        sum
    }

    /// Each process has the most additions that digits bear; the integers of all are added before they are carried.
    #[test]
    fn sums_of_a_billion_processes_overflow_nothing() {
        for digit in [1, -1, i64::from(MANY - 1) * ((1 << 32) - 1), -i64::from(MANY - 1) * ((1 << 32) - 1)] {
            let (mut sum, mut words) = (ExactSum::default(), [0; WORDS]);
            (sum.digits[33], sum.additions) = (digit, MANY - 1);
            sum.write(&mut words);
            let all = words.map(|word| word.checked_mul(1 << 30).unwrap());
            let scale = 2.0_f64.powi(33 * 32 - 1074 + 30);
            assert_eq!(ExactSum::read(&all).value(), digit as f64 * scale);
        }
    }

    /// The number times 2¹⁰⁷⁴.
    fn integer(value: f64) -> BigInt {
        let bits = value.to_bits();
        let (exponent, fraction) = (bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
        let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
        let magnitude = BigInt::from(mantissa) << exponent.saturating_sub(1);
        if value < 0.0 { -magnitude } else { magnitude }
    }

    #[test]
    fn sums_are_rounded_once() {
        assert_eq!(sum_of([1e308, 1.0, -1e308]).value(), 1.0);
        assert_eq!(sum_of([1.0, 2.0_f64.powi(-53), 2.0_f64.powi(-106)]).value(), 1.0 + f64::EPSILON);
        assert_eq!(sum_of([1.0, 2.0_f64.powi(-53)]).value(), 1.0);
        assert_eq!(sum_of([f64::MAX, f64::MAX, -f64::MAX]).value(), f64::MAX);
        assert_eq!(sum_of([f64::MAX, f64::MAX]).value(), f64::INFINITY);
        assert_eq!(sum_of([-f64::MAX, -f64::MAX]).value(), f64::NEG_INFINITY);
        assert_eq!(sum_of([5e-324, -1e-323]).value(), -5e-324);
        assert_eq!(sum_of([]).value(), 0.0);
        assert!(sum_of([1.0, f64::NAN]).value().is_nan() && sum_of([f64::INFINITY]).value().is_nan());
    }

    proptest! {
        #[test]
        fn sums_are_the_closest_numbers_in_any_order(
            bits in prop::collection::vec(any::<u64>(), 0..40),
            at in 0..40_usize,
        ) {
            let values: Vec<f64> = bits.into_iter().map(f64::from_bits).filter(|value| value.is_finite()).collect();
            let value = sum_of(values.iter().copied()).value();
            let (one, other) = values.split_at(at.min(values.len()));
            let mut parts = sum_of(other.iter().rev().copied());
            parts.add_sum(&sum_of(one.iter().copied()));
            prop_assert_eq!(parts.value().to_bits(), value.to_bits());
            let mut words = [0; WORDS];
            parts.write(&mut words);
            prop_assert_eq!(ExactSum::read(&words).value().to_bits(), value.to_bits());
            if value.is_finite() {
                let exact: BigInt = values.iter().copied().map(integer).sum();
                let distance = |value: f64| (integer(value) - &exact).magnitude().clone();
                for neighbor in [value.next_up(), value.next_down()] {
                    prop_assert!(!neighbor.is_finite() || distance(value) <= distance(neighbor));
                }
            }
        }
    }
}
