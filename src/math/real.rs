//! One number, or several in SIMD lanes, with the same operations.

use std::ops::{Add, Div, Mul, Sub};

/// One number, or several in SIMD lanes. Each operation is an operation of IEEE arithmetic in each lane, so results for several numbers
/// are bit-identical to the results for each alone.
pub trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Add<f64, Output = Self>
    + Mul<f64, Output = Self>
{
    /// The magnitude.
    fn abs(self) -> Self;

    /// The square root.
    fn sqrt(self) -> Self;

    /// 1 / self.
    fn reciprocal(self) -> Self;

    /// The larger of two numbers, neither NaN.
    fn max(self, other: Self) -> Self;

    /// `yes` in lanes where self ≤ bound, else `no`.
    fn select_le(self, bound: Self, yes: Self, no: Self) -> Self;

    /// Whether self < bound in all lanes.
    fn all_below(self, bound: Self) -> bool;

    /// Whether all lanes are finite.
    fn all_finite(self) -> bool;

    /// The powers of two that scale the largest magnitude of `values` in each lane to [1, 4), and their reciprocals. `None` if a value is
    /// not finite or, with several lanes, if values are near the ends of the range.
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
        /// All bits but the sign. They order finite numbers by magnitude, and non-finite ones after all finite ones.
        const MAGNITUDE: u64 = u64::MAX >> 1;
        const MANTISSA_BITS: u32 = f64::MANTISSA_DIGITS - 1;

        let largest = values.iter().fold(0, |largest, value| (value.to_bits() & MAGNITUDE).max(largest));
        if largest >= f64::INFINITY.to_bits() {
            return None;
        }
        // The biased exponents of both factors must belong to normal numbers. If all values are subnormal, the largest is scaled to
        // [ε, 1). A multiplication by either factor is exact, unless the product underflows or overflows.
        let exponent = (largest >> MANTISSA_BITS).clamp(1, 2045);
        Some((
            Self::from_bits((2046 - exponent) << MANTISSA_BITS),
            Self::from_bits(exponent << MANTISSA_BITS),
        ))
    }
}
