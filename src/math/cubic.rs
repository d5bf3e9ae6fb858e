//! The separated root of the cubic t³ − 3t − 2r.

use super::real::Real;

/// Coefficients, lowest power first, of the polynomial of degree 8 that approximates the root best on [0, 1]. Its error is at most
/// 2.8e-9.
const START: [f64; 9] = [
    1.7320508103309,
    0.3333328510036,
    -0.0962111297849,
    0.0492263511276,
    -0.0302836443367,
    0.0189129162555,
    -0.0100311162757,
    0.0036348227740,
    -0.0006318638565,
];

/// The largest root of t³ − 3t − 2r, which is 2 cos (⅓ arccos r), for r in [0, 1] or a few ε outside.
///
/// The root is in [√3, 2], the other two are at least √3 away, and the slope is at least 6. One step of Newton's method squares the
/// error of the polynomial (times at most 0.87), which makes it far smaller than rounding.
#[inline(always)]
pub(super) fn separated_root<R: Real>(r: R) -> R {
    let c = &START;
    let (r2, r4) = (r * r, (r * r) * (r * r));
    let low = (r * c[1] + c[0]) + (r * c[3] + c[2]) * r2;
    let high = (r * c[5] + c[4]) + (r * c[7] + c[6]) * r2;
    let t = low + (high + r4 * c[8]) * r4;
    let t2 = t * t;
    t - ((t2 + -3.0) * t - r * 2.0) / ((t2 + -1.0) * 3.0)
}
