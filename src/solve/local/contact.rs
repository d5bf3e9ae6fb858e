//! The exact force of one contact by the laws of Signorini and Coulomb, while all other forces are kept.

use crate::math::{Block, Vector, length};

use crate::solve::frames::Axes;
use crate::solve::laws::LocalLaw;

use super::branches::branch;

/// A determinant of the tangential part that is less than this times the square of its trace is a rounding error.
pub(super) const SINGULAR: f64 = 1e-13;

/// The maximum of steps to the root of the secular equation; each at least halves the bracket, or doubles the range of the search.
pub(super) const MOST_STEPS: usize = 200;

/// With more friction than this, sweeps need the exact solution, too: friction multiplies the error of the normal force.
const MOST_INEXACT: f64 = 10.0;

/// A relative step whose square is no more than rounding.
pub(super) const ENOUGH: f64 = 1e-8;

/// The diagonal block of W of a contact, factored.
///
/// With R_N eliminated by U_N = 0, the tangential velocity is U_T = b + S R_T, with the Schur complement
/// S = W_TT − W_TN W_NT / W_NN. A contact that slides has U_T = −s R_T with s > 0, hence R_T = −(S + s I)⁻¹ b, and s is
/// the root of |R_T| = friction · R_N. The inverse of the 2×2 matrix gives, with D = det (S + s I) and n = adj (S) b + s b, R_T =
/// −n / D, and the equation is |n| W_NN = friction · (W_NT · n − q_N D).
#[derive(Clone, Copy, Debug, Default)]
pub struct ContactSolution {
    friction: f64,
    cohesion: f64,
    /// W_NN and its inverse; zero if it is not positive.
    normal: [f64; 2],
    /// W_NT.
    right: [f64; 2],
    /// W_TN / W_NN, and W_TN.
    below: [f64; 2],
    column: [f64; 2],
    /// S, column-major, its trace and determinant.
    schur: [f64; 4],
    trace: f64,
    determinant: f64,
}

impl ContactSolution {
    /// Prepare a diagonal block of W.
    pub fn new<A: Axes>(w: &Block, friction: f64, cohesion: f64) -> Self {
        let at = |i: usize, j: usize| w[3 * j + i];
        let nn = at(A::N, A::N);
        let inverse = if nn > 0.0 { nn.recip() } else { 0.0 };
        let right = [at(A::N, A::S), at(A::N, A::T)];
        let column = [at(A::S, A::N), at(A::T, A::N)];
        let below = column.map(|x| x * inverse);
        let mut schur = [
            at(A::S, A::S) - below[0] * right[0],
            at(A::T, A::S) - below[1] * right[0],
            at(A::S, A::T) - below[0] * right[1],
            at(A::T, A::T) - below[1] * right[1],
        ];
        if (schur[0] + schur[3]).abs() <= SINGULAR * (at(A::S, A::S) + at(A::T, A::T)) {
            // Rounding errors: the body moves in one direction alone.
            schur = [0.0; 4];
        }
        Self {
            friction,
            cohesion,
            normal: [nn, inverse],
            right,
            below,
            column,
            schur,
            trace: schur[0] + schur[3],
            determinant: schur[0] * schur[3] - schur[1] * schur[2],
        }
    }
}

impl LocalLaw for ContactSolution {
    /// If W_NN is not positive, no force can stop the approach, and the function returns the force of an open contact.
    #[inline(always)]
    fn force<A: Axes>(&self, q: &Vector, old: &Vector, accuracy: f64) -> Vector {
        let mut force = [0.0; 3];
        let c = self.cohesion;
        let qn = q[A::N] - c * self.normal[0];
        let qt = [q[A::S] - c * self.column[0], q[A::T] - c * self.column[1]];
        if qn < 0.0 && self.normal[1] > 0.0 {
            let full = [q[A::N], q[A::S], q[A::T]];
            let (n, [s, t]) = self.closed([qn, qt[0], qt[1]], full, [old[A::S], old[A::T]], accuracy);
            force[A::N] = n;
            force[A::S] = s;
            force[A::T] = t;
        }
        force[A::N] -= c;
        force
    }
}

impl ContactSolution {
    /// Normal and tangential force of a closed contact, for the velocity with and without the cohesion, normal component first.
    #[inline(always)]
    pub(super) fn closed(
        &self,
        [qn, qs, qt]: [f64; 3],
        q: [f64; 3],
        old: [f64; 2],
        accuracy: f64,
    ) -> (f64, [f64; 2]) {
        if self.friction == 0.0 {
            return (-qn * self.normal[1], [0.0; 2]);
        }
        let b = [qs - self.below[0] * qn, qt - self.below[1] * qn];
        let a = self.adjugate_times(b);
        let tangent = if self.is_singular() {
            branch!(ContactSticksOnALine);
            self.sticking_on_a_line(b, q)
        } else {
            Some(a.map(|a| -a / self.determinant))
        };
        if let Some(tangent) = tangent {
            let normal = -(qn + self.right[0] * tangent[0] + self.right[1] * tangent[1]) * self.normal[1];
            let most = self.friction * normal;
            if normal >= 0.0 && tangent[0] * tangent[0] + tangent[1] * tangent[1] <= most * most {
                branch!(ContactSticks);
                return (normal, tangent);
            }
        }
        self.sliding(qn, a, b, old, accuracy)
    }

    #[inline(always)]
    fn is_singular(&self) -> bool {
        self.determinant <= SINGULAR * self.trace * self.trace
    }

    /// The tangential force that sticks a contact whose S has rank one or zero: then S / tr² is the pseudo-inverse. None if the
    /// part of b in the other direction exceeds its rounding error. `q` has the numbers that b is made of, before they cancel.
    fn sticking_on_a_line(&self, b: [f64; 2], [qn, qs, qt]: [f64; 3]) -> Option<[f64; 2]> {
        let s = &self.schur;
        let times = |x: [f64; 2]| [s[0] * x[0] + s[2] * x[1], s[1] * x[0] + s[3] * x[1]];
        let square = self.trace * self.trace;
        let tangent = if square > 0.0 { times(b).map(|x| -x / square) } else { [0.0; 2] };
        let own = times(tangent);
        let (c, size_of) = (self.cohesion, |x: [f64; 2]| length(x[0], x[1]));
        let own_size = size_of([qs, qt]) + c * size_of(self.column);
        let size = own_size + size_of(self.below) * (qn.abs() + c * self.normal[0]);
        (length(b[0] + own[0], b[1] + own[1]) <= SINGULAR * size).then_some(tangent)
    }

    /// adj (S) b.
    #[inline(always)]
    fn adjugate_times(&self, b: [f64; 2]) -> [f64; 2] {
        let s = &self.schur;
        [s[3] * b[0] - s[2] * b[1], s[0] * b[1] - s[1] * b[0]]
    }

    /// n and D.
    #[inline(always)]
    fn at(&self, s: f64, a: [f64; 2], b: [f64; 2]) -> ([f64; 2], f64) {
        ([a[0] + s * b[0], a[1] + s * b[1]], self.determinant + s * (self.trace + s))
    }

    /// The s that belongs to a tangential force: −R_T · U_T / |R_T|².
    #[inline(always)]
    fn slip(&self, b: [f64; 2], [x, y]: [f64; 2]) -> f64 {
        let s = &self.schur;
        let u = [b[0] + s[0] * x + s[2] * y, b[1] + s[1] * x + s[3] * y];
        -(x * u[0] + y * u[1]) / (x * x + y * y)
    }

    /// The forces of a contact that slides along b: R_T is against b, and R_N (W_NN − friction · W_NT · b / |b|) = −q_N.
    fn sliding_along(&self, qn: f64, b: [f64; 2], free: f64) -> (f64, [f64; 2]) {
        let towards = b.map(|b| b / free);
        let along = self.right[0] * towards[0] + self.right[1] * towards[1];
        let own = self.normal[0] - self.friction * along;
        let normal = if own > 0.0 { -qn / own } else { -qn * self.normal[1] };
        let normal = if normal.is_finite() { normal } else { 0.0 };
        (normal, towards.map(|t| -self.friction * normal * t))
    }

    /// Newton's method for the root of (W_NT · n − q_N D) / |n| = W_NN / friction, which is nearly linear in s, within a
    /// bracket. At the lower end the left side is too small; with s it grows without bound, since q_N < 0.
    fn sliding(&self, qn: f64, a: [f64; 2], b: [f64; 2], old: [f64; 2], accuracy: f64) -> (f64, [f64; 2]) {
        let goal = self.normal[0] / self.friction;
        let free = length(b[0], b[1]);
        let (mut low, mut high) = (0.0, f64::INFINITY);
        // If the last force was nearly right, it gives s; otherwise begin with the solution without W_NT.
        let slip = self.slip(b, old);
        let scale = free * goal / -qn;
        // A contact that is hardly pressed slides along b, the limit of large s; so does a planar contact, whose b is along S b.
        if scale * scale == f64::INFINITY || (b[1] == 0.0 && self.schur[1] == 0.0 && free > 0.0) {
            branch!(ContactSlidesAlong);
            return self.sliding_along(qn, b, free);
        }
        branch!(ContactSlides);
        // At zero itself n may be a rounding error, and a last force whose square underflows has no slip.
        let usual = scale + self.trace;
        let least = 1e-3 * usual;
        let (mut s, enough) = match slip > least && slip < 1e6 * usual {
            true if self.friction <= MOST_INEXACT => (slip, accuracy.max(ENOUGH)),
            true => (slip, ENOUGH),
            // Sweeps would not come closer if they began here again.
            false => ((scale - 0.5 * self.trace).max(least), ENOUGH),
        };
        for _ in 0..MOST_STEPS {
            let (n, d) = self.at(s, a, b);
            let size = length(n[0], n[1]);
            if size == 0.0 {
                break;
            }
            let inverse = size.recip();
            let top = (self.right[0] * n[0] + self.right[1] * n[1] - qn * d) * inverse;
            let value = top - goal;
            if value < 0.0 {
                low = s;
            } else {
                high = s;
            }
            let slope = (self.right[0] * b[0] + self.right[1] * b[1]
                - qn * (self.trace + 2.0 * s)
                - top * ((n[0] * b[0] + n[1] * b[1]) * inverse))
                * inverse;
            let mut next = s - value / slope;
            // A NaN fails all comparisons.
            let inside = next > low && next < high;
            // The error is about the square of the step. Rounding may lead a short step out of the bracket.
            let step = (next - s).abs();
            let is_near = step <= ENOUGH * s || (inside && step <= enough * s);
            if !inside && !is_near {
                next = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * s + scale };
            }
            let is_last = is_near || (next - s).abs() <= 4.0 * f64::EPSILON * s;
            s = next;
            if is_last {
                break;
            }
        }
        let (n, d) = self.at(s, a, b);
        let size = length(n[0], n[1]);
        let push = (self.right[0] * n[0] + self.right[1] * n[1]) / d;
        let normal = if d > 0.0 { (-qn + push) * self.normal[1] } else { -qn * self.normal[1] };
        let normal = normal.max(0.0);
        let scale = if size > 0.0 { -self.friction * normal / size } else { 0.0 };
        (normal, [n[0] * scale, n[1] * scale])
    }
}
