//! Data of a problem that are computed before sweeps and steps.

use std::ops::RangeFrom;

use crate::math::{Block, Vector};
use crate::memory::{self, collect, push};

use super::frames::Axes;
use super::gauss_seidel::Prepared;
use super::laws::Local;
use super::local::{ACCURACY, RollingContact};
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

/// The index of the diagonal block of a row.
pub fn diagonal(problem: &Problem3, row: usize) -> usize {
    let range = problem.range(row);
    range.start + problem.columns[range].partition_point(|&column| column < row as i32)
}

/// A block of W; zero where it has none.
fn block_of(problem: &Problem3, row: usize, column: usize) -> Block {
    problem.row(row).find(|&(other, _)| other == column).map_or([0.0; 9], |(_, w)| *w)
}

/// Prepare the local problems of contacts with moments; `roots` are √d of each row.
pub fn prepare_rolling<A: Axes>(
    problem: &Problem3,
    laws: &[Law],
    roots: &[f64],
    rolling: &mut Vec<RollingContact>,
) -> memory::Result {
    rolling.clear();
    for row in 0..laws.len() {
        if let Some(contact) = rolling_contact::<A>(problem, laws, roots, row) {
            push(rolling, contact)?;
        }
    }
    Ok(())
}

/// The local problem of a row, if it is a contact with moments.
fn rolling_contact<A: Axes>(
    problem: &Problem3,
    laws: &[Law],
    roots: &[f64],
    row: usize,
) -> Option<RollingContact> {
    let own = Coefficients::of(laws, row)?;
    let block = |k: usize, j: usize| block_of(problem, row + k, row + j);
    let blocks = std::array::from_fn(|k| std::array::from_fn(|j| block(k, j)));
    Some(RollingContact::new::<A>(&blocks, &own, [roots[row], roots[row + 1]]))
}

/// The local problem of a row with this diagonal block. `pairs` are the numbers of contacts with moments.
pub fn local<A: Axes>(w: &Block, laws: &[Law], row: usize, pairs: &mut RangeFrom<u32>) -> Local {
    match Coefficients::of(laws, row) {
        Some(_) => Local::Pair(pairs.next().unwrap_or(0)),
        None => Local::new::<A>(w, &laws[row]),
    }
}

impl Memory {
    /// What a sweep needs of it.
    pub fn prepared(&self) -> Prepared<'_> {
        Prepared {
            q: &self.q,
            weights: &self.weights,
            locals: &self.locals,
            rolling: &self.rolling,
            accuracy: ACCURACY,
        }
    }

    /// Make the local problems of the rows that another problem has those of its blocks.
    #[cfg(feature = "mpi")]
    pub fn replace_locals<A: Axes>(&mut self, problem: &Problem3, laws: &[Law]) {
        let Self { locals, rolling, roots, .. } = self;
        for row in (0..laws.len()).filter(|&row| !problem.range(row).is_empty()) {
            match &mut locals[row] {
                Local::Pair(pair) => {
                    let contact = rolling_contact::<A>(problem, laws, roots, row);
                    rolling[*pair as usize] = contact.unwrap_or(rolling[*pair as usize]);
                }
                Local::Moments(_) => {}
                local => *local = Local::new::<A>(&block_of(problem, row, row), &laws[row]),
            }
        }
    }

    /// Compute all data of a problem.
    pub fn prepare<A: Axes>(&mut self, problem: &Problem3, laws: &[Law]) -> memory::Result<()> {
        let rows = problem.rows();
        let Self { q, weights: d, roots, diagonal, locals, rolling } = self;
        collect(diagonal, rows, (0..rows).map(|row| self::diagonal(problem, row) as u32))?;
        let blocks = || diagonal.iter().map(|&at| problem.values[at as usize]);
        collect(
            q,
            rows,
            problem.b.iter().zip(laws).map(|(b, law)| std::array::from_fn(|i| b[i] + law.bias[i])),
        )?;
        collect(d, rows, weights(problem, |row| &problem.values[diagonal[row] as usize]))?;
        collect(roots, rows, d.iter().map(|d| d.sqrt()))?;
        prepare_rolling::<A>(problem, laws, roots, rolling)?;
        let mut pairs = 0..;
        collect(locals, rows, blocks().enumerate().map(|(row, w)| local::<A>(&w, laws, row, &mut pairs)))
    }
}
