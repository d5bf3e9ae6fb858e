//! H of a point of a finite-element body, kept by nodes: the block of node a is N_a Q, with one 3×3 factor Q
//! for all.

use super::element::MAX_NODES;
use super::location::Location;
use crate::block::{Block, Vector, times, transposed, transposed_product};

/// How the motion of a finite-element body is described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Total Lagrangian.
    TotalLagrangian,
    /// Co-rotational.
    Corotational,
    /// Co-rotational with a modal base.
    CorotationalModal,
    /// Co-rotational with a reduced-order base.
    CorotationalReduced,
}

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

impl Form {
    /// H of this form for W, with an explicit scheme or not; `velocities_only` if the update makes V and B
    /// alone.
    ///
    /// V and B never take this operator: their velocities are those of the mesh nodes, and their operator is
    /// plain.
    pub fn operator_kind(self, explicit: bool, velocities_only: bool) -> OperatorKind {
        match self {
            Self::Corotational if !explicit && !velocities_only => OperatorKind::Rotated,
            Self::TotalLagrangian | Self::Corotational => OperatorKind::Plain,
            Self::CorotationalModal | Self::CorotationalReduced => OperatorKind::Reduced,
        }
    }
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
