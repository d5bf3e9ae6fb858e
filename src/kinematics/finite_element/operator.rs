//! H of a point of a finite-element body, kept by nodes: the block of node a is N_a Q, with one 3×3 factor Q
//! for all.

use super::element::MAX_NODES;
use super::location::Location;
use crate::block::{Block, Vector, times, transposed, transposed_product};

/// What H of a form is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperatorKind {
    /// Eᵀ N.
    Plain,
    /// Eᵀ N R with the rotation R of the body.
    Rotated,
    /// Eᵀ N R Φ with the reduced base Φ.
    Reduced,
}

/// H = Σ N_a Q at node a, theory (45): 3 × 3n for a mesh of n nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodalOperator {
    length: usize,
    nodes: [u32; MAX_NODES],
    weights: [f64; MAX_NODES],
    factor: Block,
}

impl NodalOperator {
    /// The operator of a located point with the axes `frame` E as columns: Q = Eᵀ, or EᵀR with a rotation.
    pub fn new(location: &Location, frame: &Block, rotation: Option<&Block>) -> Self {
        let factor = rotation.map_or_else(|| transposed(frame), |r| transposed_product(frame, r));
        let mut operator = Self { length: 0, nodes: [0; MAX_NODES], weights: [0.0; MAX_NODES], factor };
        let weights = location.element.shape().functions(&location.xi);
        for (&node, weight) in location.element.nodes().iter().zip(weights) {
            operator.add_weight(node, weight);
        }
        operator
    }

    /// The nodes, ascending.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes[..self.length]
    }

    /// N_a of the nodes.
    pub fn weights(&self) -> &[f64] {
        &self.weights[..self.length]
    }

    /// Q.
    pub fn factor(&self) -> &Block {
        &self.factor
    }

    /// |H| |v| of a nodal velocity, absolute values entry by entry.
    ///
    /// # Panics
    /// If `velocity` ends before the operator's last node.
    pub fn times_magnitude(&self, velocity: &[f64]) -> Vector {
        let mut sum = [0.0; 3];
        for (&node, weight) in self.nodes().iter().zip(self.weights()) {
            let v = &velocity[3 * node as usize..][..3];
            sum.iter_mut().zip(v).for_each(|(sum, v)| *sum += (weight * v).abs());
        }
        times(&self.factor.map(f64::abs), &sum)
    }

    /// H v of a nodal velocity, three values a node.
    ///
    /// # Panics
    /// If `velocity` ends before the operator's last node.
    pub fn times(&self, velocity: &[f64]) -> Vector {
        let mut sum = [0.0; 3];
        for (&node, weight) in self.nodes().iter().zip(self.weights()) {
            let at = 3 * node as usize;
            sum.iter_mut().zip(&velocity[at..at + 3]).for_each(|(sum, v)| *sum += weight * v);
        }
        times(&self.factor, &sum)
    }

    /// Add `sign` H to a dense matrix: 3 × 3n, column-major.
    ///
    /// # Panics
    /// If `h` ends before the operator's last node.
    pub fn add_dense(&self, sign: f64, h: &mut [f64]) {
        for (&node, weight) in self.nodes().iter().zip(self.weights()) {
            let at = 9 * node as usize;
            h[at..at + 9].iter_mut().zip(self.factor).for_each(|(h, q)| *h += sign * weight * q);
        }
    }

    /// Number of values of H in compressed sparse columns.
    pub fn sparse_length(&self) -> usize {
        9 * self.length
    }

    /// Write H in compressed sparse columns: `starts` of the 3n columns and their end, then rows 0, 1, 2 and
    /// values in each column of the operator's nodes; other columns are empty.
    ///
    /// # Panics
    /// If `rows` and `values` do not have [`Self::sparse_length`] entries each, or `starts` is too
    /// short for the operator's last node.
    pub fn write_sparse(&self, starts: &mut [i32], rows: &mut [i32], values: &mut [f64]) {
        assert_eq!((rows.len(), values.len()), (self.sparse_length(), self.sparse_length()));
        let (mut column, mut end) = (0, 0);
        for (k, (&node, weight)) in self.nodes().iter().zip(self.weights()).enumerate() {
            let at = 3 * node as usize;
            starts[column..=at].fill(end);
            starts[at + 1] = end + 3;
            starts[at + 2] = end + 6;
            (column, end) = (at + 3, end + 9);
            rows[9 * k..9 * k + 9].copy_from_slice(&[0, 1, 2, 0, 1, 2, 0, 1, 2]);
            values[9 * k..9 * k + 9].iter_mut().zip(self.factor).for_each(|(v, q)| *v = weight * q);
        }
        starts[column..].fill(end);
    }

    /// Add `weight` at `node`, keeping nodes in ascending order, each once.
    fn add_weight(&mut self, node: u32, weight: f64) {
        // Few nodes, and mostly in order already: nothing is quicker than to look from the end.
        let at = self.nodes().iter().rposition(|&own| own <= node).map_or(0, |before| before + 1);
        if at > 0 && self.nodes[at - 1] == node {
            self.weights[at - 1] += weight;
            return;
        }
        for k in (at..self.length).rev() {
            (self.nodes[k + 1], self.weights[k + 1]) = (self.nodes[k], self.weights[k]);
        }
        (self.nodes[at], self.weights[at]) = (node, weight);
        self.length += 1;
    }
}

/// A point of a co-rotational body with a reduced or modal base.
#[derive(Clone, Copy, Debug)]
pub struct Reduced<'a> {
    /// Where the point lies in the mesh.
    pub location: Location,
    /// R, the rotation of the body, column-major.
    pub rotation: &'a Block,
    /// Φ, 3n × d, column-major.
    pub base: &'a [f64],
    /// 3n, three rows a node.
    pub rows: usize,
}

impl Reduced<'_> {
    /// Add `sign` H, H = Eᵀ N R Φ in the frame E, to `h`: 3 × d, column-major.
    pub fn add_operator(&self, sign: f64, frame: &Block, h: &mut [f64]) {
        let modes = self.base.chunks_exact(self.rows);
        assert_eq!(h.len(), 3 * modes.len());
        let nodal = self.nodal(frame);
        for (h, mode) in h.chunks_exact_mut(3).zip(modes) {
            h.iter_mut().zip(nodal.times(mode)).for_each(|(h, value)| *h += sign * value);
        }
    }

    /// H u.
    pub fn local_velocity(&self, frame: &Block, u: &[f64]) -> Vector {
        let nodal = self.nodal(frame);
        let mut velocity = [0.0; 3];
        for (mode, u) in self.base.chunks_exact(self.rows).zip(u) {
            velocity.iter_mut().zip(nodal.times(mode)).for_each(|(sum, value)| *sum += u * value);
        }
        velocity
    }

    fn nodal(&self, frame: &Block) -> NodalOperator {
        NodalOperator::new(&self.location, frame, Some(self.rotation))
    }
}
