//! Problems from dense matrices.

use ldy::rows::BlockRows;
use ldy::solve::{Error, Law, Normal, Options, Problem, Report, Solver};
use nalgebra::{DMatrix, DVector};
use testing::blocks::Blocks;

/// All rows with all blocks that are not zero.
pub struct Dense {
    blocks: Blocks,
    pub b: Vec<[f64; 3]>,
    pub w: DMatrix<f64>,
}

impl Dense {
    pub fn new(w: DMatrix<f64>, b: &DVector<f64>) -> Self {
        let is_there = |i: usize, j: usize| i == j || w.view((3 * i, 3 * j), (3, 3)).amax() > 0.0;
        let blocks = Blocks::new(&w, &vec![3; b.len() / 3], is_there);
        Self { blocks, b: b.as_slice().as_chunks().0.to_vec(), w }
    }

    /// W = H Hᵀ and B = H u.
    pub fn of_bodies(h: &DMatrix<f64>, u: &DVector<f64>) -> Self {
        Self::new(h * h.transpose(), &(h * u))
    }

    pub fn problem(&self) -> Problem<'_> {
        let Self { blocks, b, .. } = self;
        let w = BlockRows::new(&blocks.starts, &blocks.columns, blocks.of_three().as_flattened(), None);
        Problem { w: w.unwrap(), b: b.as_flattened(), normal: Normal::Third }
    }

    pub fn solve(&self, laws: &[Law], options: &Options) -> Result<(Report, Vec<[f64; 3]>), Error> {
        let mut forces = vec![[0.0; 3]; self.b.len()];
        let report = Solver::new().solve(&self.problem(), laws, options, forces.as_flattened_mut())?;
        Ok((report, forces))
    }

    /// B + W R.
    pub fn velocities(&self, forces: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let u = DVector::from_column_slice(self.b.as_flattened())
            + &self.w * DVector::from_column_slice(forces.as_flattened());
        u.as_slice().as_chunks().0.to_vec()
    }
}
