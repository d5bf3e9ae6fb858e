//! H of a point of a finite-element body, stored by nodes.

use super::element::MAX_NODES;
use super::location::Location;
use crate::kinematics::nodal::Nodal;
use crate::math::{Block, Vector, transposed, transposed_product};

/// The nodes of an element, ascending, each with its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    length: usize,
    all: [(u32, f64); MAX_NODES],
}

impl AsRef<[(u32, f64)]> for Weights {
    fn as_ref(&self) -> &[(u32, f64)] {
        &self.all[..self.length]
    }
}

impl Weights {
    /// Add `weight` at `node`. Nodes stay ascending, each once.
    fn add(&mut self, node: u32, weight: f64) {
        // There are few nodes, mostly in order already: a search from the end is the quickest.
        let at = self.as_ref().iter().rposition(|(own, _)| *own <= node).map_or(0, |before| before + 1);
        if at > 0 && self.all[at - 1].0 == node {
            self.all[at - 1].1 += weight;
            return;
        }
        for k in (at..self.length).rev() {
            self.all[k + 1] = self.all[k];
        }
        self.all[at] = (node, weight);
        self.length += 1;
    }
}

/// H of a point of an element, theory (45): 3 × 3n for a mesh of n nodes.
pub type NodalOperator = Nodal<Weights>;

impl NodalOperator {
    /// The operator of a located point in the frame E: Q = Eᵀ, or EᵀR with a rotation R.
    pub fn new(location: &Location, frame: &Block, rotation: Option<&Block>) -> Self {
        let factor = rotation.map_or_else(|| transposed(frame), |r| transposed_product(frame, r));
        let mut operator = Self { factor, weights: Weights { length: 0, all: [(0, 0.0); MAX_NODES] } };
        let functions = location.element.shape.functions(&location.xi);
        for (&node, weight) in location.element.nodes().iter().zip(functions) {
            operator.weights.add(node, weight);
        }
        operator
    }

    /// The number of values of H in compressed sparse columns.
    pub fn sparse_length(&self) -> usize {
        9 * self.weights.length
    }

    /// Write H in compressed sparse columns. `starts` gets the starts of the 3n columns and the end. Each column of the operator's nodes
    /// has the rows 0, 1, 2; other columns are empty.
    ///
    /// # Panics
    /// If `rows` and `values` do not have [`Self::sparse_length`] entries each, or `starts` is too
    /// short for the operator's last node.
    pub fn write_sparse(&self, starts: &mut [i32], rows: &mut [i32], values: &mut [f64]) {
        assert_eq!((rows.len(), values.len()), (self.sparse_length(), self.sparse_length()));
        let (mut next, mut end) = (0, 0);
        self.each_column(|index, column| {
            starts[next..=index as usize].fill(end as i32);
            rows[end..end + 3].copy_from_slice(&[0, 1, 2]);
            values[end..end + 3].copy_from_slice(&column);
            (next, end) = (index as usize + 1, end + 3);
        });
        starts[next..].fill(end as i32);
    }
}

/// A point of a co-rotational body with a reduced or modal base.
#[derive(Clone, Copy, Debug)]
pub struct Reduced<'a> {
    /// The location of the point in the mesh.
    pub location: Location,
    /// R, the rotation of the body, column-major.
    pub rotation: &'a Block,
    /// Φ, 3n × d, column-major.
    pub base: &'a [f64],
    /// 3n, three rows for each node.
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
