//! Eigenvalues of a symmetric 3×3 block.

use super::Block;

/// Sweeps after which the iteration counts as failed; five are enough for any finite block (convergence is
/// quadratic).
const SWEEPS: usize = 32;

/// The largest eigenvalue of the symmetric block `b` by cyclic Jacobi rotations (Golub and Van Loan, Matrix
/// Computations, §8.5); `None` if the iteration fails, which takes a non-finite block.
///
/// Only the upper triangle is read. The error is a few ε times the largest magnitude of an eigenvalue.
pub fn largest_eigenvalue(b: &Block) -> Option<f64> {
    let (mut diagonal, mut off) = ([b[0], b[4], b[8]], [b[7], b[6], b[3]]);
    for _ in 0..SWEEPS {
        if off == [0.0; 3] {
            return diagonal.into_iter().reduce(f64::max);
        }
        for k in 0..3 {
            rotate(&mut diagonal, &mut off, k);
        }
    }
    None
}

/// Annihilate `off[k]`, the entry (p, q) of the plane that leaves axis k alone; `off[k]` is the entry of the two
/// other axes.
fn rotate(diagonal: &mut [f64; 3], off: &mut [f64; 3], k: usize) {
    let (p, q) = ((k + 1) % 3, (k + 2) % 3);
    let entry = off[k];
    // An entry that no longer changes the diagonal is zero to working precision.
    if entry.abs() <= f64::EPSILON * 0.5 * diagonal[p].abs().min(diagonal[q].abs()) {
        off[k] = 0.0;
        return;
    }
    let theta = (diagonal[q] - diagonal[p]) / (2.0 * entry);
    // A theta that overflows means a rotation too small to see; t is then its limit, 1 / (2 theta) = 0.
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    diagonal[p] -= t * entry;
    diagonal[q] += t * entry;
    off[k] = 0.0;
    let (at_p, at_q) = (off[q], off[p]);
    off[q] = c * at_p - s * at_q;
    off[p] = s * at_p + c * at_q;
}
