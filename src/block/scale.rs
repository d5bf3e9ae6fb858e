//! Powers of two that bring numbers near 1.

/// All bits but the sign: they order finite numbers by magnitude, and the non-finite ones above all.
const MAGNITUDE: u64 = u64::MAX >> 1;

const MANTISSA_BITS: u32 = f64::MANTISSA_DIGITS - 1;

/// A power of two that brings the largest magnitude of `values` into [1, 4), and its reciprocal; `None` if a value
/// is not finite.
///
/// Of subnormal numbers alone the largest comes into [ε, 1). Multiplying by either factor is exact, unless the
/// product underflows or overflows.
#[inline(always)]
pub(super) fn normaliser(values: &[f64; 6]) -> Option<(f64, f64)> {
    let largest = values.iter().fold(0, |largest, value| (value.to_bits() & MAGNITUDE).max(largest));
    if largest >= f64::INFINITY.to_bits() {
        return None;
    }
    // Biased exponents: of both factors they must be those of normal numbers.
    let exponent = (largest >> MANTISSA_BITS).clamp(1, 2045);
    Some((f64::from_bits((2046 - exponent) << MANTISSA_BITS), f64::from_bits(exponent << MANTISSA_BITS)))
}
