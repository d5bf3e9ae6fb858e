//! The four element shapes: shape functions, their derivatives, and the domain of the local coordinates.

use crate::math::Vector;

/// The largest number of nodes of an element.
pub const MAX_NODES: usize = 8;

/// The positions of the nodes of an element; zero after its last node.
pub type Corners = [Vector; MAX_NODES];

/// The shape of an element, by its number of nodes. Local coordinates are ξ = (x, y, z).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// The same size as a node index: elements are copied by loads of four bytes or more, which would stall after a narrower store.
#[repr(u32)]
pub enum ElementShape {
    /// Four nodes: the origin and the points at distance 1 on the axes.
    Tetrahedron = 4,
    /// Five nodes: the corners of the base (±1, ±1, 0), starting with (1, 1, 0) and (−1, 1, 0), and the apex
    /// (0, 0, 1).
    Pyramid = 5,
    /// Six nodes: (0, 0), (1, 0) and (0, 1) at z = −1, then the same at z = 1.
    Wedge = 6,
    /// Eight nodes: (−1, −1), (1, −1), (1, 1), (−1, 1) at z = −1, then the same at z = 1.
    Hexahedron = 8,
}

/// The signs of the local coordinates of the nodes of a hexahedron.
const HEXAHEDRON_SIGNS: [Vector; 8] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
];

/// The signs of x and y at the base nodes of a pyramid.
const PYRAMID_SIGNS: [[f64; 2]; 4] = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];

impl ElementShape {
    /// The shape with `count` nodes.
    pub fn of_nodes(count: usize) -> Option<Self> {
        let all = [Self::Tetrahedron, Self::Pyramid, Self::Wedge, Self::Hexahedron];
        all.into_iter().find(|shape| shape.nodes() == count)
    }

    /// The number of nodes.
    pub fn nodes(self) -> usize {
        self as usize
    }

    /// The shape functions N_a at `xi`; zero after the last node.
    pub fn functions(self, xi: &Vector) -> [f64; MAX_NODES] {
        let [x, y, z] = *xi;
        let mut n = [0.0; MAX_NODES];
        match self {
            Self::Tetrahedron => n[..4].copy_from_slice(&[1.0 - x - y - z, x, y, z]),
            Self::Pyramid => {
                let r = if z == 1.0 { 0.0 } else { x * y * z / (1.0 - z) };
                for (n, [sx, sy]) in n.iter_mut().zip(PYRAMID_SIGNS) {
                    *n = 0.25 * ((1.0 + sx * x) * (1.0 + sy * y) - z + sx * sy * r);
                }
                n[4] = z;
            }
            Self::Wedge => {
                let triangle = [1.0 - x - y, x, y];
                for (a, t) in triangle.into_iter().enumerate() {
                    n[a] = 0.5 * t * (1.0 - z);
                    n[a + 3] = 0.5 * t * (1.0 + z);
                }
            }
            Self::Hexahedron => {
                for (n, [sx, sy, sz]) in n.iter_mut().zip(HEXAHEDRON_SIGNS) {
                    *n = 0.125 * (1.0 + sx * x) * (1.0 + sy * y) * (1.0 + sz * z);
                }
            }
        }
        n
    }

    /// The derivatives ∂N_a/∂(x, y, z) at `xi`; zero after the last node.
    ///
    /// For the pyramid, the derivative of r = xyz/(1−z) in z is xy here, as in the legacy module; the true one is xy/(1−z)². Newton's
    /// method then ends with the same digits as in the legacy module, but needs more steps if the base is no parallelogram.
    pub fn derivatives(self, xi: &Vector) -> [Vector; MAX_NODES] {
        let [x, y, z] = *xi;
        let mut d = [[0.0; 3]; MAX_NODES];
        match self {
            Self::Tetrahedron => {
                d[..4].copy_from_slice(&[
                    [-1.0, -1.0, -1.0],
                    [1.0, 0.0, 0.0],
                    [0.0, 1.0, 0.0],
                    [0.0, 0.0, 1.0],
                ]);
            }
            Self::Pyramid => {
                let [rx, ry, rz] =
                    if z == 1.0 { [0.0; 3] } else { [y * z / (1.0 - z), x * z / (1.0 - z), x * y] };
                for (d, [sx, sy]) in d.iter_mut().zip(PYRAMID_SIGNS) {
                    *d = [
                        0.25 * (sx * (1.0 + sy * y) + sx * sy * rx),
                        0.25 * (sy * (1.0 + sx * x) + sx * sy * ry),
                        0.25 * (sx * sy * rz - 1.0),
                    ];
                }
                d[4] = [0.0, 0.0, 1.0];
            }
            Self::Wedge => {
                let triangle = [1.0 - x - y, x, y];
                let slopes = [[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]];
                for (a, (t, [tx, ty])) in triangle.into_iter().zip(slopes).enumerate() {
                    d[a] = [0.5 * tx * (1.0 - z), 0.5 * ty * (1.0 - z), -0.5 * t];
                    d[a + 3] = [0.5 * tx * (1.0 + z), 0.5 * ty * (1.0 + z), 0.5 * t];
                }
            }
            Self::Hexahedron => {
                for (d, [sx, sy, sz]) in d.iter_mut().zip(HEXAHEDRON_SIGNS) {
                    let (fx, fy, fz) = (1.0 + sx * x, 1.0 + sy * y, 1.0 + sz * z);
                    *d = [0.125 * sx * fy * fz, 0.125 * sy * fx * fz, 0.125 * sz * fx * fy];
                }
            }
        }
        d
    }

    /// `xi` with each coordinate clamped to the bounding box of the domain of the local coordinates.
    pub fn clamped(self, xi: &Vector) -> Vector {
        let (low, high) = match self {
            Self::Tetrahedron => ([0.0; 3], [1.0; 3]),
            Self::Pyramid => ([-1.0, -1.0, 0.0], [1.0; 3]),
            Self::Wedge => ([0.0, 0.0, -1.0], [1.0; 3]),
            Self::Hexahedron => ([-1.0; 3], [1.0; 3]),
        };
        [0, 1, 2].map(|k| xi[k].clamp(low[k], high[k]))
    }
}

/// An element: its shape and the indices of its nodes in the mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// Its shape.
    pub shape: ElementShape,
    nodes: [u32; MAX_NODES],
}

impl Element {
    /// The element with the given nodes of a mesh of `mesh_nodes` nodes; `None` if no shape has this number of nodes, or if the mesh has
    /// no such node.
    pub fn new(nodes: &[i32], mesh_nodes: usize) -> Option<Self> {
        let shape = ElementShape::of_nodes(nodes.len())?;
        let mut own = [0; MAX_NODES];
        for (own, &node) in own.iter_mut().zip(nodes) {
            *own = u32::try_from(node).ok().filter(|&node| (node as usize) < mesh_nodes)?;
        }
        Some(Self { shape, nodes: own })
    }

    /// The indices of its nodes in the mesh.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes[..self.shape.nodes()]
    }

    /// The positions of its nodes, given the positions of all nodes of the mesh.
    ///
    /// # Panics
    /// If `mesh` has fewer nodes than the argument `mesh_nodes` of [`Element::new`].
    pub fn corners(&self, mesh: &[Vector]) -> Corners {
        let mut corners = [[0.0; 3]; MAX_NODES];
        for (corner, &node) in corners.iter_mut().zip(self.nodes()) {
            *corner = mesh[node as usize];
        }
        corners
    }

    /// Whether the two elements have a node in common; an element shares all its nodes with itself.
    pub fn shares_node(&self, other: &Self) -> bool {
        self.nodes().iter().any(|node| other.nodes().contains(node))
    }
}

/// Σ N_a x_a: the point with the shape functions `n` among the corners.
pub fn interpolate(n: &[f64; MAX_NODES], corners: &Corners) -> Vector {
    let mut point = [0.0; 3];
    for (n, corner) in n.iter().zip(corners) {
        point.iter_mut().zip(corner).for_each(|(point, corner)| *point += n * corner);
    }
    point
}
