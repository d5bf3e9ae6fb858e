//! The exact force of one contact with a least normal force, while all other forces are kept.

use crate::math::{Block, Vector, length};
use crate::solve::frames::Axes;
use crate::solve::laws::LocalLaw;

use super::ContactSolution;
use super::branches::branch;
use super::contact::{ENOUGH, MOST_STEPS, SINGULAR};

/// The diagonal block of W of a contact with a least normal force.
///
/// For a given normal force, the friction is the force in its disk that dissipates most. The contact is open if this makes U_N ≥ 0 with
/// the least force. Otherwise U_N = 0, as in a contact; where that has another solution, with less than the least force, a search finds
/// the normal force: U_N is negative for the least force, and with it grows without bound if the block is positive definite.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExpansionSolution {
    closed: ContactSolution,
    friction: f64,
    least_force: f64,
    /// W_NN, W_NT, W_TN and W_TT, column-major.
    nn: f64,
    right: [f64; 2],
    column: [f64; 2],
    tangents: [f64; 4],
}

impl ExpansionSolution {
    /// Prepare a diagonal block of W.
    pub fn new<A: Axes>(w: &Block, friction: f64, least_force: f64) -> Self {
        let at = |i: usize, j: usize| w[3 * j + i];
        Self {
            closed: ContactSolution::new::<A>(w, friction, 0.0),
            friction,
            least_force,
            nn: at(A::N, A::N),
            right: [at(A::N, A::S), at(A::N, A::T)],
            column: [at(A::S, A::N), at(A::T, A::N)],
            tangents: [at(A::S, A::S), at(A::T, A::S), at(A::S, A::T), at(A::T, A::T)],
        }
    }

    /// The friction that belongs to a normal force, and U_N.
    fn at(&self, [qn, qs, qt]: [f64; 3], normal: f64) -> ([f64; 2], f64) {
        let b = [qs + self.column[0] * normal, qt + self.column[1] * normal];
        let size = length(qs, qt) + length(self.column[0], self.column[1]) * normal;
        let [s, t] = on_disk(&self.tangents, b, self.friction * normal, size);
        ([s, t], qn + self.nn * normal + self.right[0] * s + self.right[1] * t)
    }

    /// The normal force with U_N = 0 that is at least the least force, by bisection.
    fn searched(&self, q: [f64; 3]) -> f64 {
        let (mut low, mut high) = (self.least_force, f64::INFINITY);
        let mut normal = self.least_force + (-q[0] / self.nn).abs();
        for _ in 0..MOST_STEPS {
            if self.at(q, normal).1 < 0.0 {
                low = normal
            } else {
                high = normal
            }
            let next = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * normal };
            if !next.is_finite() || next <= low || next >= high {
                break;
            }
            normal = next;
        }
        normal
    }
}

impl LocalLaw for ExpansionSolution {
    /// If W_NN is not positive, no force can stop the approach, and the function returns the force of an open contact.
    fn force<A: Axes>(&self, q: &Vector, old: &Vector, accuracy: f64) -> Vector {
        let q = [q[A::N], q[A::S], q[A::T]];
        let mut normal = self.least_force;
        let (mut tangent, velocity) = self.at(q, normal);
        let size = q[0].abs() + (self.nn * normal).abs();
        if velocity < -4.0 * f64::EPSILON * size && self.nn > 0.0 {
            (normal, tangent) = self.closed.closed(q, q, [old[A::S], old[A::T]], accuracy);
            branch!(ExpansionClosed);
            if q[0] >= 0.0 || normal < self.least_force {
                branch!(ExpansionSearched);
                normal = self.searched(q);
                tangent = self.at(q, normal).0;
            }
        }
        let mut force = [0.0; 3];
        (force[A::N], force[A::S], force[A::T]) = (normal, tangent[0], tangent[1]);
        force
    }
}

/// The force r with |r| ≤ radius that dissipates most if the velocity is b + W r: r = −(W + s)⁻¹ b with the least s ≥ 0 for which the
/// disk holds it. The root of det (W + s) / |adj (W + s) b| = 1 / radius, which is nearly linear in s, by Newton's method in a bracket. b is a
/// sum of numbers of this `size`.
fn on_disk(w: &[f64; 4], b: [f64; 2], radius: f64, size: f64) -> [f64; 2] {
    let (free, trace, determinant) = (length(b[0], b[1]), w[0] + w[3], w[0] * w[3] - w[1] * w[2]);
    if radius == 0.0 || free == 0.0 {
        return [0.0; 2];
    }
    let adjugate = [w[3] * b[0] - w[2] * b[1], w[0] * b[1] - w[1] * b[0]];
    let at = |s: f64| ([adjugate[0] + s * b[0], adjugate[1] + s * b[1]], determinant + s * (trace + s));
    let mut held = adjugate.map(|a| -a / determinant);
    let is_regular = determinant > SINGULAR * trace * trace;
    let mut is_in_range = is_regular;
    if !is_regular && trace > 0.0 {
        // W has rank one: W / tr² is its pseudo-inverse, and all in its range is along b.
        let times = |x: [f64; 2]| [w[0] * x[0] + w[2] * x[1], w[1] * x[0] + w[3] * x[1]];
        held = times(b).map(|x| -x / (trace * trace));
        let moves = times(held);
        is_in_range = length(b[0] + moves[0], b[1] + moves[1]) <= SINGULAR * size;
    }
    if is_in_range && length(held[0], held[1]) <= radius {
        branch!(DiskHeld);
        return held;
    }
    if is_in_range && !is_regular {
        return b.map(|b| -radius * b / free);
    }
    branch!(DiskLimited);
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let scale = free / radius;
    let mut s = (scale - 0.5 * trace).max(1e-3 * scale);
    for _ in 0..MOST_STEPS {
        let (n, d) = at(s);
        let inverse = length(n[0], n[1]).recip();
        let value = d * inverse - radius.recip();
        if value < 0.0 {
            low = s
        } else {
            high = s
        }
        let slope = (trace + 2.0 * s - d * inverse * ((n[0] * b[0] + n[1] * b[1]) * inverse)) * inverse;
        let mut next = s - value / slope;
        // A NaN fails both comparisons.
        let is_inside = next > low && next < high;
        if !is_inside {
            next = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * s + scale };
        }
        let step = (next - s).abs();
        s = next;
        if step <= 4.0 * f64::EPSILON * s || (is_inside && step <= ENOUGH * s) {
            break;
        }
    }
    let (n, _) = at(s);
    let scale = -radius / length(n[0], n[1]);
    if scale.is_finite() { n.map(|n| scale * n) } else { b.map(|b| -radius * b / free) }
}
