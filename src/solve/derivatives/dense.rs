//! The equations of few rows as a dense matrix: no order of elimination is sought, and nothing is shared.

use crate::math::orthogonal::Orthogonal;
use crate::math::{Block, Vector, elimination};
use crate::memory::{self, collect, refill};
use crate::rows::pattern::range;

use super::pattern::Pattern;

/// The most rows for which a dense elimination takes less time than sparse factors and two solutions with them.
pub const MOST_ROWS: usize = 8;

/// The columns of a matrix, its factors, and its decomposition if it is singular.
#[derive(Debug, Default)]
pub struct DenseMatrix {
    columns: Vec<[f64; 4]>,
    factors: Vec<[f64; 4]>,
    pivots: Vec<u32>,
    orthogonal: Orthogonal,
    is_decomposed: bool,
}

impl DenseMatrix {
    /// Set the blocks, one for each entry of the pattern.
    pub fn fill(&mut self, pattern: &Pattern, blocks: &[Block]) -> memory::Result {
        let size = 3 * pattern.rows.len();
        let width = elimination::width(size);
        refill(&mut self.columns, (size + 1) * width, [0.0; 4])?;
        let columns = self.columns.as_flattened_mut();
        for row in 0..pattern.rows.len() {
            for k in range(&pattern.starts, row) {
                let first = 3 * pattern.columns[k] as usize;
                for (j, column) in blocks[k].as_chunks::<3>().0.iter().enumerate() {
                    columns[4 * width * (first + j) + 3 * row..][..3].copy_from_slice(column);
                }
            }
        }
        refill(&mut self.pivots, size, 0)
    }

    /// Factor the matrix, and replace b by the solution. Returns false if the matrix is singular.
    pub fn factorize(&mut self, b: &mut [Vector]) -> memory::Result<bool> {
        let Self { columns, factors, pivots, is_decomposed, .. } = self;
        *is_decomposed = false;
        let b = b.as_flattened_mut();
        collect(factors, columns.len(), columns.iter().copied())?;
        let last = b.len() * elimination::width(b.len());
        factors[last..].as_flattened_mut()[..b.len()].copy_from_slice(b);
        Ok(elimination::solve(factors, pivots, b))
    }

    /// Decompose the matrix, where what is less than `small` counts as zero. Returns false if numbers overflow.
    pub fn decompose(&mut self, pattern: &Pattern, small: f64) -> memory::Result<bool> {
        self.is_decomposed = true;
        self.orthogonal.factorize(3 * pattern.rows.len(), &self.columns, small)
    }

    /// Replace b by the solution, the shortest one with the least error if the matrix is decomposed.
    pub fn solve(&mut self, b: &mut [Vector]) {
        match self.is_decomposed {
            true => self.orthogonal.solve(b.as_flattened_mut()),
            false => elimination::solve_again(&mut self.factors, &self.pivots, b.as_flattened_mut()),
        }
    }
}
