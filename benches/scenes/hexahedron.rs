//! Mass and stiffness of a linear hexahedron, by 2×2×2 Gauss points.

use super::Vector;

/// Dofs: three at each of eight nodes.
pub const DOFS: usize = 24;

/// Local coordinates of the nodes.
const NODES: [Vector; 8] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
];

/// Shape functions, their derivatives in space, and the volume that belongs to one Gauss point.
struct GaussPoint {
    shapes: [f64; 8],
    gradients: [Vector; 8],
    volume: f64,
}

/// Stiffness of a St Venant–Kirchhoff material at rest, that is of linear isotropic elasticity: symmetric 24 × 24.
pub fn stiffness(nodes: &[Vector; 8], young: f64, poisson: f64) -> Vec<[f64; DOFS]> {
    let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    let mu = young / (2.0 * (1.0 + poisson));
    let mut k = vec![[0.0; DOFS]; DOFS];
    for point in gauss_points(nodes) {
        for (a, ga) in point.gradients.iter().enumerate() {
            for (b, gb) in point.gradients.iter().enumerate() {
                let dot: f64 = (0..3).map(|d| ga[d] * gb[d]).sum();
                for i in 0..3 {
                    for j in 0..3 {
                        let shear = if i == j { dot } else { 0.0 };
                        k[3 * a + i][3 * b + j] +=
                            point.volume * (lambda * ga[i] * gb[j] + mu * (ga[j] * gb[i] + shear));
                    }
                }
            }
        }
    }
    k
}

/// Lumped mass of each node: row sums of the consistent mass.
pub fn lumped_mass(nodes: &[Vector; 8], density: f64) -> [f64; 8] {
    let mut mass = [0.0; 8];
    for point in gauss_points(nodes) {
        mass.iter_mut().zip(point.shapes).for_each(|(mass, n)| *mass += density * n * point.volume);
    }
    mass
}

fn gauss_points(nodes: &[Vector; 8]) -> impl Iterator<Item = GaussPoint> {
    let place = 1.0 / f64::sqrt(3.0);
    NODES.iter().map(move |corner| gauss_point(nodes, &corner.map(|sign| sign * place)))
}

fn gauss_point(nodes: &[Vector; 8], xi: &Vector) -> GaussPoint {
    let factor = |node: &Vector, d: usize| 1.0 + node[d] * xi[d];
    let shapes = NODES.map(|node| 0.125 * factor(&node, 0) * factor(&node, 1) * factor(&node, 2));
    let local = NODES.map(|node| {
        let along = |d: usize| 0.125 * node[d] * factor(&node, (d + 1) % 3) * factor(&node, (d + 2) % 3);
        [along(0), along(1), along(2)]
    });
    // Rows of the Jacobian: derivatives of x, y, z.
    let jacobian: [Vector; 3] = std::array::from_fn(|i| {
        std::array::from_fn(|d| nodes.iter().zip(&local).map(|(node, local)| node[i] * local[d]).sum())
    });
    // Row i of the cofactors, divided by the determinant, turns local derivatives into the one along axis i.
    let cofactors = [
        cross(&jacobian[1], &jacobian[2]),
        cross(&jacobian[2], &jacobian[0]),
        cross(&jacobian[0], &jacobian[1]),
    ];
    let volume: f64 = (0..3).map(|d| jacobian[0][d] * cofactors[0][d]).sum();
    let gradients = local.map(|local| {
        std::array::from_fn(|i| (0..3).map(|d| cofactors[i][d] * local[d]).sum::<f64>() / volume)
    });
    GaussPoint { shapes, gradients, volume }
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
