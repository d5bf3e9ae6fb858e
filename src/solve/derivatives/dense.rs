//! The equations of few rows as a dense matrix: no order of elimination is sought, and nothing is shared.

use crate::math::{Block, Vector, elimination};
use crate::memory::{self, collect, refill};
use crate::rows::pattern::range;

use super::pattern::Pattern;

/// The most rows for which a dense elimination takes less time than sparse factors and two solutions with them.
pub const MOST_ROWS: usize = 8;

/// A matrix, and memory for its elimination.
#[derive(Debug, Default)]
pub struct DenseMatrix {
    rows: Vec<[f64; 4]>,
    work: Vec<[f64; 4]>,
}

impl DenseMatrix {
    /// Set the blocks, one for each entry of the pattern.
    pub fn fill(&mut self, pattern: &Pattern, blocks: &[Block]) -> memory::Result {
        let count = pattern.rows.len();
        let width = elimination::width(3 * count);
        refill(&mut self.rows, 3 * count * width, [0.0; 4])?;
        for (row, of_row) in self.rows.chunks_exact_mut(3 * width).enumerate() {
            for k in range(&pattern.starts, row) {
                let (first, block) = (3 * pattern.columns[k] as usize, &blocks[k]);
                for (i, of_lane) in of_row.as_flattened_mut().chunks_exact_mut(4 * width).enumerate() {
                    (0..3).for_each(|j| of_lane[first + j] = block[3 * j + i]);
                }
            }
        }
        collect(&mut self.work, self.rows.len(), self.rows.iter().copied())
    }

    /// Replace b by the solution. Returns false if the matrix is singular.
    pub fn solve(&mut self, b: &mut [Vector]) -> bool {
        let b = b.as_flattened_mut();
        let width = elimination::width(b.len());
        self.work.copy_from_slice(&self.rows);
        for (row, value) in self.work.chunks_exact_mut(width).zip(&*b) {
            row.as_flattened_mut()[b.len()] = *value;
        }
        elimination::solve(&mut self.work, b)
    }
}
