//! Mass and stiffness of a mesh, assembled from its elements.

use std::collections::BTreeMap;

use super::grid::Grid;
use super::{DENSITY, POISSON, STEP, YOUNG, hexahedron};

/// Lumped mass, and the lower triangle of the stiffness in compressed columns: rows ascending, diagonal first.
pub struct Matrices {
    /// Mass of each dof.
    pub mass: Vec<f64>,
    /// First entry of each column, and the end.
    pub starts: Vec<i32>,
    /// Row of each entry.
    pub rows: Vec<i32>,
    /// Value of each entry.
    pub stiffness: Vec<f64>,
}

impl Matrices {
    /// The matrices of a mesh.
    pub fn new(grid: &Grid) -> Self {
        let nodes = grid.nodes();
        let mut mass = vec![0.0; 3 * nodes.len()];
        let mut columns = vec![BTreeMap::new(); 3 * nodes.len()];
        for element in grid.elements() {
            let places = element.map(|node| nodes[node]);
            for (node, share) in element.into_iter().zip(hexahedron::lumped_mass(&places, DENSITY)) {
                mass[3 * node..3 * node + 3].iter_mut().for_each(|mass| *mass += share);
            }
            let stiffness = hexahedron::stiffness(&places, YOUNG, POISSON);
            let dof = |k: usize| 3 * element[k / 3] + k % 3;
            for (i, row) in stiffness.iter().enumerate() {
                for (j, value) in row.iter().enumerate().filter(|(j, _)| dof(i) >= dof(*j)) {
                    *columns[dof(j)].entry(dof(i) as i32).or_insert(0.0) += value;
                }
            }
        }
        let (mut starts, mut rows, mut stiffness) = (vec![0], vec![], vec![]);
        for column in columns {
            rows.extend(column.keys());
            stiffness.extend(column.values());
            starts.push(rows.len() as i32);
        }
        Self { mass, starts, rows, stiffness }
    }

    /// Values of A = M + `stiffening` h²/4 K, the matrix of a linearly implicit step, at the entries of the stiffness.
    pub fn implicit(&self, stiffening: f64) -> Vec<f64> {
        let factor = 0.25 * STEP * STEP * stiffening;
        let mut values: Vec<f64> = self.stiffness.iter().map(|k| factor * k).collect();
        self.starts.iter().zip(&self.mass).for_each(|(&start, mass)| values[start as usize] += mass);
        values
    }
}
