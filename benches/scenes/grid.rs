//! A box divided into equal hexahedra.

use super::Vector;

/// A box of `cells`³ hexahedra.
#[derive(Clone, Copy)]
pub struct Grid {
    /// The corner with the least coordinates.
    pub low: Vector,
    /// Lengths of the edges.
    pub edges: Vector,
    /// Hexahedra along each edge.
    pub cells: usize,
}

impl Grid {
    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        (self.cells + 1).pow(3)
    }

    /// Places of the nodes, x running fastest.
    pub fn nodes(&self) -> Vec<Vector> {
        triples(self.cells + 1).map(|ijk| std::array::from_fn(|d| self.plane(d, ijk[d]))).collect()
    }

    /// Where along an axis the nodes are.
    pub fn planes(&self, axis: usize) -> impl Iterator<Item = f64> + '_ {
        (0..=self.cells).map(move |k| self.plane(axis, k))
    }

    fn plane(&self, axis: usize, k: usize) -> f64 {
        self.low[axis] + self.edges[axis] * k as f64 / self.cells as f64
    }

    /// Nodes of the elements, x running fastest: the corners of the lower face counter-clockwise, then of the upper.
    pub fn elements(&self) -> Vec<[usize; 8]> {
        const CORNERS: [[usize; 3]; 8] =
            [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];
        let side = self.cells + 1;
        let nodes = |[i, j, k]: [usize; 3]| CORNERS.map(|[x, y, z]| i + x + side * (j + y + side * (k + z)));
        triples(self.cells).map(nodes).collect()
    }

    /// An element that holds a point of the box.
    pub fn element_at(&self, point: &Vector) -> usize {
        let cell = |d: usize| {
            let place = (point[d] - self.low[d]) / self.edges[d] * self.cells as f64;
            // A point on a node that rounding moved beyond its element belongs to it all the same.
            ((place + 1e-6).max(0.0) as usize).min(self.cells - 1)
        };
        cell(0) + self.cells * (cell(1) + self.cells * cell(2))
    }
}

/// All i, j, k below `end`, i running fastest.
fn triples(end: usize) -> impl Iterator<Item = [usize; 3]> {
    (0..end * end * end).map(move |n| [n % end, n / end % end, n / end / end])
}
