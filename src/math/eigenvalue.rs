//! The largest eigenvalue of a symmetric 3×3 block.

use super::Block;
use super::cubic::separated_root;
use super::real::Real;

/// Off-diagonal entries count as rounding noise if the sum of their magnitudes is at most this times the largest diagonal entry. The
/// error made by neglecting them is this sum.
const NEGLIGIBLE: f64 = f64::EPSILON;

/// The largest eigenvalue of the symmetric block `b`, in closed form; `None` if `b` is not finite.
///
/// The function reads only the upper triangle. The error is a few ε times the largest magnitude of an eigenvalue, for close
/// eigenvalues and for any scale. An eigenvalue that exceeds the range of numbers is infinite in the result.
///
/// With q = tr b / 3, D = b − q I, 6 p² = ‖D‖² and r = det D / (2 p³), the eigenvalues are q + p t for the roots t of
/// t³ − 3t − 2r. The one of the sign of r is always well separated from the others. For r ≥ 0 it is the largest. For
/// r < 0 it is the smallest. The two others are half their sum ± half their distance, and the distance follows from the discriminant.
/// The coefficients of the cubic, or the separated root, also give the discriminant, but only half of its digits are right if the two
/// roots are close. The Gram determinant of I, D and D² (Parlett, The (matrix) discriminant as a determinant, Linear Algebra and its
/// Applications 355, 2002), which equals 18 ‖D² − r p D − 2 p² I‖², loses no digits: each entry of that matrix is known within a few ε p²,
/// and so is its norm. The distance is √2 times the norm, divided by p (t² − 1).
#[inline(always)]
pub fn largest_eigenvalue(b: &Block) -> Option<f64> {
    largest_eigenvalues([b[0], b[4], b[8], b[7], b[6], b[3]])
}

/// The largest eigenvalues of one block or of several in SIMD lanes, given by the entries (0, 0), (1, 1), (2, 2), (1, 2), (0, 2),
/// (0, 1). With several blocks the result is `None` also if entries are near the ends of the range of numbers.
#[inline(always)]
pub fn largest_eigenvalues<R: Real>(mut upper: [R; 6]) -> Option<R> {
    let (scale, unit) = R::normalizer(&upper)?;
    for entry in &mut upper {
        *entry = scale * *entry;
    }
    Some(unit * largest_of_scaled(upper))
}

/// [`largest_eigenvalues`] for entries of moderate size.
#[inline(always)]
fn largest_of_scaled<R: Real>([a, b, c, x, y, z]: [R; 6]) -> R {
    let size = a.abs().max(b.abs()).max(c.abs());
    let off_diagonal = x.abs() + y.abs() + z.abs();
    off_diagonal.select_le(size * NEGLIGIBLE, a.max(b).max(c), largest_of_full([a, b, c, x, y, z]))
}

/// Added to p² to avoid a division by zero. Only diagonal blocks have a smaller p²: if entries are of moderate size and off-diagonal
/// entries are not negligible, p² exceeds 1e-33, and the addition changes none of its bits.
const NOT_ZERO: f64 = 1e-100;

/// [`largest_of_scaled`] for blocks that are not diagonal; any number for diagonal blocks.
#[inline(always)]
fn largest_of_full<R: Real>([a, b, c, x, y, z]: [R; 6]) -> R {
    const THIRD: f64 = 1.0 / 3.0;
    let q = (a + b + c) * THIRD;
    // Computed from differences, D is accurate and has no trace even if the eigenvalues hardly differ.
    let d = [((a - b) + (a - c)) * THIRD, ((b - a) + (b - c)) * THIRD, ((c - a) + (c - b)) * THIRD];
    let [x2, y2, z2] = [x * x, y * y, z * z];
    let p2 = ((d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * 0.5 + (x2 + y2 + z2)) * THIRD + NOT_ZERO;
    let p = p2.sqrt();
    // The adjugate of D, which is D² − 3 p² I.
    let adjugate = [d[1] * d[2] - x2, d[0] * d[2] - y2, d[0] * d[1] - z2];
    let [yz, xz, xy] = [y * z - d[0] * x, x * z - d[1] * y, x * y - d[2] * z];
    let rp = (d[0] * adjugate[0] + (y * xz + z * xy)) * 0.5 / p2;
    let r = rp / p;
    let t = separated_root(r.abs());
    let on = [(adjugate[0] + p2) - rp * d[0], (adjugate[1] + p2) - rp * d[1], (adjugate[2] + p2) - rp * d[2]];
    let off = [yz - rp * x, xz - rp * y, xy - rp * z];
    let square = (on[0] * on[0] + on[1] * on[1] + on[2] * on[2]) * 0.5
        + (off[0] * off[0] + off[1] * off[1] + off[2] * off[2]);
    // If t is the smallest root: half the sum of the two others plus half their distance.
    let others = q + ((p * t) * 0.5 + square.sqrt() / (p * (t * t + -1.0)));
    (r * 0.0).select_le(r, q + p * t, others)
}
