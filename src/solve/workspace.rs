//! Data of a problem that are computed before sweeps and steps.

use crate::math::{Block, Vector};
use crate::memory::{self, collect};

use super::frames::Axes;
use super::local::Local;
use super::problem::{Law, Problem3};
use super::residual::weights;

/// The data that do not change from sweep to sweep.
#[derive(Debug, Default)]
pub struct Memory {
    /// B with the biases.
    pub q: Vec<Vector>,
    /// d = tr W_αα / 3 of each constraint, and its root.
    pub weights: Vec<f64>,
    pub roots: Vec<f64>,
    /// Index of the diagonal block of each row.
    diagonal: Vec<u32>,
    /// The local problems of the diagonal blocks.
    pub locals: Vec<Local>,
}

impl Memory {
    /// Compute all data of a problem.
    pub fn prepare<A: Axes>(&mut self, problem: &Problem3, laws: &[Law]) -> memory::Result<()> {
        let rows = problem.rows();
        let Self { q, weights: d, roots, diagonal, locals } = self;
        let places = (0..rows).map(|row| {
            let range = problem.range(row);
            let columns = &problem.columns[range.clone()];
            (range.start + columns.partition_point(|&column| column < row as i32)) as u32
        });
        collect(diagonal, rows, places)?;
        let blocks = || diagonal.iter().map(|&at| problem.values[at as usize]);
        collect(
            q,
            rows,
            problem.b.iter().zip(laws).map(|(b, law)| std::array::from_fn(|i| b[i] + law.bias[i])),
        )?;
        collect(d, rows, weights(blocks()))?;
        collect(roots, rows, d.iter().map(|d| d.sqrt()))?;
        collect(locals, rows, blocks().zip(laws).map(|(w, law): (Block, &Law)| Local::new::<A>(&w, law)))
    }
}
