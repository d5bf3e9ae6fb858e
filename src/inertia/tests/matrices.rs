//! Sparse matrices that the tests share, and their dense counterparts.

use nalgebra::DMatrix;
use proptest::prelude::*;

use crate::inertia::{FactorError, FactorStatus, Factored, Structure, Workspace};

/// Compressed sparse columns as a host gives them.
#[derive(Clone, Debug)]
pub struct Columns {
    pub structure: Structure,
    pub starts: Vec<i32>,
    pub rows: Vec<i32>,
    pub values: Vec<f64>,
}

impl Columns {
    /// The entries of `full` that differ from zero; of a positive definite matrix the lower triangle.
    pub fn of(structure: Structure, full: &DMatrix<f64>) -> Self {
        let (mut starts, mut rows, mut values) = (vec![0], vec![], vec![]);
        for j in 0..full.ncols() {
            let first = if structure == Structure::PositiveDefinite { j } else { 0 };
            for i in (first..full.nrows()).filter(|&i| full[(i, j)] != 0.0 || i == j) {
                rows.push(i as i32);
                values.push(full[(i, j)]);
            }
            starts.push(rows.len() as i32);
        }
        Self { structure, starts, rows, values }
    }

    pub fn factor(&self, factor: &mut Factored, work: &mut Workspace) -> Result<FactorStatus, FactorError> {
        factor.update(self.structure, &self.starts, &self.rows, &self.values, work)
    }
}

/// A sparse matrix of `size` rows, well conditioned, with about `neighbors` entries a row; from a seed, so
/// that large ones are made quickly.
pub fn random_matrix(structure: Structure, size: usize, neighbors: usize, seed: u64) -> DMatrix<f64> {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    let mut random = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize
    };
    let mut full = DMatrix::zeros(size, size);
    for j in 0..size {
        for _ in 0..neighbors {
            // Mostly near the diagonal, as in a mesh.
            let i = if random() % 4 == 0 { random() % size } else { (j + random() % 7) % size };
            let value = (random() % 2001) as f64 / 1000.0 - 1.0;
            full[(i, j)] = value;
            if structure == Structure::PositiveDefinite {
                full[(j, i)] = value;
            }
        }
    }
    for i in 0..size {
        full[(i, i)] = 0.0;
        let sum: f64 = full.row(i).iter().chain(full.column(i).iter()).map(|x| x.abs()).sum();
        full[(i, i)] = 0.5 + 0.6 * sum;
    }
    full
}

pub fn structures() -> impl Strategy<Value = Structure> {
    prop_oneof![Just(Structure::PositiveDefinite), Just(Structure::General)]
}

/// Some matrix with its structure; `node` is what the number of rows is a multiple of.
pub fn matrix(node: usize) -> impl Strategy<Value = (Structure, DMatrix<f64>)> {
    (structures(), 1..25_usize, 0..6_usize, any::<u64>()).prop_map(
        move |(structure, size, neighbors, seed)| {
            (structure, random_matrix(structure, node * size, neighbors, seed))
        },
    )
}

pub fn values(count: usize, seed: u64) -> Vec<f64> {
    (0..count as u64).map(|k| ((k * 7919 + seed) % 1009) as f64 / 1009.0 - 0.5).collect()
}
