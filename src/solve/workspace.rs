//! Data of a problem that are computed before sweeps and steps.

use crate::math::{Block, Vector};
use crate::memory::{self, collect, push};

use super::frames::Axes;
use super::laws::Local;
use super::local::RollingContact;
use super::problem::{Law, Problem3};
use super::residual::weights;
use super::rolling::Coefficients;

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
    /// The local problems of the diagonal blocks, and those of contacts with moments.
    pub locals: Vec<Local>,
    pub rolling: Vec<RollingContact>,
}

/// A block of W; zero where it has none.
fn block_of(problem: &Problem3, row: usize, column: usize) -> Block {
    problem.row(row).find(|&(other, _)| other == column).map_or([0.0; 9], |(_, w)| *w)
}

impl Memory {
    /// Compute all data of a problem.
    pub fn prepare<A: Axes>(&mut self, problem: &Problem3, laws: &[Law]) -> memory::Result<()> {
        let rows = problem.rows();
        let Self { q, weights: d, roots, diagonal, locals, rolling } = self;
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
        rolling.clear();
        for row in 0..rows {
            if let Some(own) = Coefficients::of(laws, row) {
                let block = |k: usize, j: usize| block_of(problem, row + k, row + j);
                let blocks = std::array::from_fn(|k| std::array::from_fn(|j| block(k, j)));
                push(rolling, RollingContact::new::<A>(&blocks, &own, [roots[row], roots[row + 1]]))?;
            }
        }
        let mut pairs = 0..;
        let local = |(row, w): (usize, Block)| match Coefficients::of(laws, row) {
            Some(_) => Local::Pair(pairs.next().unwrap_or(0)),
            None => Local::new::<A>(&w, &laws[row]),
        };
        collect(locals, rows, blocks().enumerate().map(local))
    }
}
