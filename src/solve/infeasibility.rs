//! Proofs that a problem has no solution.
//!
//! For all allowed forces, laws keep velocities in a cone: U_N ≥ 0 at contacts, U_i = 0 at components without bounds, U_i ≥ 0 where
//! there is a lower bound only. For d in the dual of that cone every solution has 0 ≤ d · U = d · q + Wᵀd · R. Hence there is no
//! solution if d · q < 0 while no allowed R makes Wᵀd · R positive (Farkas's lemma). Numbers are not exact: with P the projection
//! on the directions in which allowed forces grow, every solution has |R| ≥ −(d · q + …) / |P Wᵀd|, and a solution with huge forces
//! does not count. The necessary condition does not consider sliding: some infeasible problems have no such proof.

use crate::math::{Vector, largest};

use super::frames::Axes;
use super::laws::{LawKind, of_kind};
use super::problem::{Law, Problem3};
use super::residual::{HUGE, Norms};
use super::rolling::{Coefficients, SpatialVector};
use super::workspace::Memory;

/// Squares below this may be the remains of larger squares after underflow.
const LOST: f64 = 1e-290;

/// Bound of the relative rounding of a sum of some hundred products.
const ROUNDING: f64 = 256.0 * f64::EPSILON;

/// Components of a proof that are smaller than this times the largest one are left out if the others are a proof.
const SHARES: [f64; 4] = [0.1, 1e-3, 1e-6, 1e-9];

/// Whether the part of `d` in the dual cone, which replaces `d`, proves that there is no solution. `turned` is a workspace for Wᵀd.
pub fn proves<A: Axes>(
    problem: &Problem3,
    laws: &[Law],
    memory: &Memory,
    norms: &Norms,
    d: &mut [Vector],
    turned: &mut [Vector],
) -> bool {
    let Memory { q, weights, .. } = memory;
    // The size of d does not matter, but squares of small numbers underflow.
    let size = largest(d.as_flattened());
    if size == 0.0 {
        return false;
    }
    d.as_flattened_mut().iter_mut().for_each(|d| *d /= size);
    let (mut gain, mut rounding) = (0.0, 0.0);
    turned.fill([0.0; 3]);
    for (row, law) in laws.iter().enumerate() {
        d[row] = of_kind!(&law.kind, kind => kind.dual::<A>(&d[row]));
        for i in 0..3 {
            gain -= d[row][i] * q[row][i];
            rounding += ROUNDING * (d[row][i] * q[row][i]).abs();
        }
        for (column, w) in problem.row(row) {
            for j in 0..3 {
                for i in 0..3 {
                    turned[column][j] += w[3 * j + i] * d[row][i];
                }
            }
        }
    }
    let (mut growing, mut grows_at_all) = (0.0, false);
    for (row, law) in laws.iter().enumerate() {
        if let Some(own) = Coefficients::of(laws, row) {
            gain += own.cohesion * turned[row][A::N];
            let grows = reach_of_pair::<A>(&own, [weights[row], weights[row + 1]], &turned[row..]);
            grows_at_all |= grows.as_flattened().iter().any(|&x| x != 0.0);
            growing += grows.as_flattened().iter().map(|x| x * x).sum::<f64>();
        } else if !law.is_of_moments() {
            let (most, grows) = of_kind!(&law.kind, kind => kind.reach::<A>(&turned[row]));
            gain -= most;
            grows_at_all |= grows.iter().any(|&x| x != 0.0);
            growing += (0..3).map(|i| grows[i] * grows[i]).sum::<f64>() / weights[row];
        }
        for (_, w) in problem.row(row) {
            let size = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
            rounding += ROUNDING * size(w) * size(&d[row]) / weights[row].sqrt() * norms.scaled();
        }
    }
    // Squares that underflow do not show that forces cannot grow.
    if grows_at_all && growing < LOST {
        return false;
    }
    let gain = gain - rounding;
    gain > 0.0 && gain >= HUGE * f64::sqrt(growing) * norms.scaled()
}

/// Leave out the small components of a proof, in scaled units, if the others are a proof, too. `part` and `turned` are workspaces.
pub fn trim<A: Axes>(
    problem: &Problem3,
    laws: &[Law],
    memory: &Memory,
    norms: &Norms,
    d: &mut [Vector],
    [part, turned]: [&mut [Vector]; 2],
) {
    let scaled = |(d, root): (&Vector, &f64)| root * largest(d);
    let most = d.iter().zip(&memory.roots).map(scaled).fold(0.0, f64::max);
    for share in SHARES {
        for ((part, d), root) in part.iter_mut().zip(&*d).zip(&memory.roots) {
            *part = d.map(|d| if root * d.abs() >= share * most { d } else { 0.0 });
        }
        if proves::<A>(problem, laws, memory, norms, part, turned) {
            return d.copy_from_slice(part);
        }
    }
}

/// The scaled part of a along which the force and the moments of a contact can grow.
fn reach_of_pair<A: Axes>(own: &Coefficients, weights: [f64; 2], a: &[Vector]) -> SpatialVector {
    let roots = weights.map(f64::sqrt);
    own.scaled(roots).on_cone::<A>(&std::array::from_fn(|k| a[k].map(|x| x / roots[k])))
}
