//! Operators H that are kept by nodes, one 3×3 factor for all.

use crate::math::{Block, Vector, times, transposed_times};

/// H = Σ N_a Q: the columns 3a, 3a + 1, 3a + 2 of node a are N_a Q, with one factor Q for all nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nodal<Weights = Vec<(u32, f64)>> {
    /// Q, column-major.
    pub factor: Block,
    /// The nodes a, ascending, each with N_a.
    pub weights: Weights,
}

impl<Weights: AsRef<[(u32, f64)]>> Nodal<Weights> {
    /// The nodes a, ascending, each with N_a.
    pub fn weights(&self) -> &[(u32, f64)] {
        self.weights.as_ref()
    }

    /// Visit the columns of the nodes, ascending, each with its index.
    #[inline(always)]
    pub fn each_column(&self, mut visit: impl FnMut(u32, Vector)) {
        for (node, weight) in self.weights() {
            for (index, q) in (3 * node..).zip(self.factor.as_chunks().0) {
                let q: &Vector = q;
                visit(index, q.map(|q| weight * q));
            }
        }
    }

    /// H u, three values a node.
    ///
    /// # Panics
    /// If `u` ends before the last node.
    pub fn times(&self, u: &[f64]) -> Vector {
        let mut sum = [0.0; 3];
        for (node, weight) in self.weights() {
            let u = &u[3 * *node as usize..][..3];
            sum.iter_mut().zip(u).for_each(|(sum, u)| *sum += weight * u);
        }
        times(&self.factor, &sum)
    }

    /// Add `sign` H to a dense matrix: 3 × 3n, column-major.
    ///
    /// # Panics
    /// If `h` ends before the last node.
    pub fn add_to(&self, sign: f64, h: &mut [f64]) {
        for (node, weight) in self.weights() {
            let h = &mut h[9 * *node as usize..][..9];
            h.iter_mut().zip(self.factor).for_each(|(h, q)| *h += sign * weight * q);
        }
    }

    /// Add Hᵀ x to `force`.
    pub fn add_transposed_times(&self, x: &Vector, force: &mut [f64]) {
        let x = transposed_times(&self.factor, x);
        for (node, weight) in self.weights() {
            let force = &mut force[3 * *node as usize..][..3];
            force.iter_mut().zip(x).for_each(|(f, x)| *f += weight * x);
        }
    }
}
