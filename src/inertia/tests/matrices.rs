//! Sparse matrices that the tests share, and their dense counterparts.

use nalgebra::DMatrix;
use proptest::prelude::*;
use testing::Random;
use testing::matrices::compressed;

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
        let first = |j| if structure == Structure::PositiveDefinite { j } else { 0 };
        let (starts, rows, values) =
            compressed(full, |i, j| i >= first(j) && (i == j || full[(i, j)] != 0.0));
        Self { structure, starts, rows, values }
    }

    pub fn factor(&self, factor: &mut Factored, work: &mut Workspace) -> Result<FactorStatus, FactorError> {
        factor.update(self.structure, &self.starts, &self.rows, &self.values, work)
    }
}

/// A sparse matrix of this structure, from a seed.
pub fn random_matrix(structure: Structure, size: usize, neighbors: usize, seed: u64) -> DMatrix<f64> {
    Random::new(seed).sparse(size, neighbors, structure == Structure::PositiveDefinite)
}

pub fn structures() -> impl Strategy<Value = Structure> {
    prop_oneof![Just(Structure::PositiveDefinite), Just(Structure::General)]
}

/// Some matrix with its structure; `node` is what the number of rows is a multiple of.
pub fn matrix(node: usize) -> impl Strategy<Value = (Structure, DMatrix<f64>)> {
    (structures(), 1..25_usize, 0..6_usize, any::<u64>()).prop_map(
        move |(structure, size, neighbours, seed)| {
            (structure, random_matrix(structure, node * size, neighbours, seed))
        },
    )
}

pub fn values(count: usize, seed: u64) -> Vec<f64> {
    (0..count as u64).map(|k| ((k * 7919 + seed) % 1009) as f64 / 1009.0 - 0.5).collect()
}
