//! Numbers that go through the same operations side by side: one, or several.

use std::ops::{Add, Div, Mul, Sub};

/// Numbers side by side. Each operation is one of IEEE arithmetic on each of them, so what is computed of several has the
/// bits of what is computed of each alone.
pub trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Add<f64, Output = Self>
    + Mul<f64, Output = Self>
{
    /// Magnitudes.
    fn abs(self) -> Self;

    /// Square roots.
    fn sqrt(self) -> Self;

    /// 1 / self.
    fn reciprocal(self) -> Self;

    /// The larger of two numbers, neither NaN.
    fn max(self, other: Self) -> Self;

    /// `yes` where self ≤ bound, else `no`.
    fn select_le(self, bound: Self, yes: Self, no: Self) -> Self;

    /// Whether self < bound everywhere.
    fn all_below(self, bound: Self) -> bool;

    /// Whether every number is finite.
    fn all_finite(self) -> bool;

    /// Powers of two that bring the largest magnitudes of `values` into [1, 4), and their reciprocals; `None` if it is not
    /// that simple: if a value is not finite, or, of several side by side, if some are near the ends of the range.
    fn normalizer(values: &[Self; 6]) -> Option<(Self, Self)>;
}

impl Real for f64 {
    #[inline(always)]
    fn abs(self) -> Self {
        f64::abs(self)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }

    #[inline(always)]
    fn reciprocal(self) -> Self {
        1.0 / self
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.max(other)
    }

    #[inline(always)]
    fn select_le(self, bound: Self, yes: Self, no: Self) -> Self {
        if self <= bound { yes } else { no }
    }

    #[inline(always)]
    fn all_below(self, bound: Self) -> bool {
        self < bound
    }

    #[inline(always)]
    fn all_finite(self) -> bool {
        self.is_finite()
    }

    #[inline(always)]
    fn normalizer(values: &[Self; 6]) -> Option<(Self, Self)> {
        /// All bits but the sign: they order finite numbers by magnitude, and the non-finite ones above all.
        const MAGNITUDE: u64 = u64::MAX >> 1;
        const MANTISSA_BITS: u32 = f64::MANTISSA_DIGITS - 1;

        let largest = values.iter().fold(0, |largest, value| (value.to_bits() & MAGNITUDE).max(largest));
        if largest >= f64::INFINITY.to_bits() {
            return None;
        }
        // Biased exponents: of both factors they must be those of normal numbers. Of subnormal numbers alone the largest comes
        // into [ε, 1). Multiplying by either factor is exact, unless the product underflows or overflows.
        let exponent = (largest >> MANTISSA_BITS).clamp(1, 2045);
        Some((
            Self::from_bits((2046 - exponent) << MANTISSA_BITS),
            Self::from_bits(exponent << MANTISSA_BITS),
        ))
    }
}
