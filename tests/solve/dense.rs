//! Problems from dense matrices.

use ldy::solve::{BlockRows, Error, Law, Normal, Options, Problem, Report, Solver};
use nalgebra::{DMatrix, DVector};

/// All rows with all blocks that are not zero.
pub struct Dense {
    starts: Vec<i32>,
    columns: Vec<i32>,
    values: Vec<[f64; 9]>,
    pub b: Vec<[f64; 3]>,
    pub w: DMatrix<f64>,
}

impl Dense {
    pub fn new(w: DMatrix<f64>, b: &DVector<f64>) -> Self {
        let rows = b.len() / 3;
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..rows {
            for j in 0..rows {
                let block: [f64; 9] = std::array::from_fn(|k| w[(3 * i + k % 3, 3 * j + k / 3)]);
                if i == j || block != [0.0; 9] {
                    columns.push(j as i32);
                    values.push(block);
                }
            }
            starts.push(columns.len() as i32);
        }
        Self { starts, columns, values, b: b.as_slice().as_chunks().0.to_vec(), w }
    }

    /// W = H Hᵀ and B = H u.
    pub fn of_bodies(h: &DMatrix<f64>, u: &DVector<f64>) -> Self {
        Self::new(h * h.transpose(), &(h * u))
    }

    pub fn problem(&self) -> Problem<'_> {
        let Self { starts, columns, values, b, .. } = self;
        let w = BlockRows::new(starts, columns, values.as_flattened(), None).expect("well-formed rows");
        Problem { w, b: b.as_flattened(), normal: Normal::Third }
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

/// Numbers that look random and are the same in every run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1))
    }

    /// Between −1 and 1.
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub fn matrix(&mut self, rows: usize, columns: usize) -> DMatrix<f64> {
        DMatrix::from_fn(rows, columns, |_, _| self.number())
    }
}
