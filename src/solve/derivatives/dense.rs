//! The equations of few rows as a dense matrix: no order of elimination is sought, and nothing is shared.

use crate::math::orthogonal::Orthogonal;
use crate::math::{Block, Vector, elimination};
use crate::memory::{self, refill};
use crate::rows::pattern::range;
use crate::solve::block_lu::{Square, back, split, square, times};

use super::pattern::Pattern;

/// The most rows for which a dense elimination takes less time than sparse factors and two solutions with them.
pub const MOST_ROWS: usize = 16;

/// The factors of a matrix, or its decomposition if it is singular.
#[derive(Debug, Default)]
pub struct DenseMatrix {
    /// The columns of the matrix, and then its factors.
    columns: Vec<[f64; 4]>,
    pivots: Vec<u32>,
    /// U and L⁻¹ P of a single block, which take a fraction of the time of an elimination.
    one: [Square<3>; 2],
    orthogonal: Orthogonal,
    is_decomposed: bool,
}

impl DenseMatrix {
    /// Set the columns of the matrix with these blocks, one for each entry of the pattern.
    fn fill(&mut self, pattern: &Pattern, blocks: &[Block]) -> memory::Result {
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
        Ok(())
    }

    /// Factor the matrix with these blocks, and replace b by the solution. Returns false if the matrix is singular.
    pub fn factorize(
        &mut self,
        pattern: &Pattern,
        blocks: &[Block],
        b: &mut [Vector],
    ) -> memory::Result<bool> {
        self.is_decomposed = false;
        if let ([block], [b]) = (blocks, &mut *b) {
            let [u, turned] = &mut self.one;
            *u = square(block);
            let is_regular = split(u, turned);
            *b = back(u, times(turned, b));
            return Ok(is_regular);
        }
        self.fill(pattern, blocks)?;
        let b = b.as_flattened_mut();
        let last = b.len() * elimination::width(b.len());
        self.columns[last..].as_flattened_mut()[..b.len()].copy_from_slice(b);
        refill(&mut self.pivots, b.len(), 0)?;
        Ok(elimination::solve(&mut self.columns, &mut self.pivots, b))
    }

    /// Decompose the matrix with these blocks, where what is less than `small` counts as zero. Returns false if numbers overflow.
    pub fn decompose(&mut self, pattern: &Pattern, blocks: &[Block], small: f64) -> memory::Result<bool> {
        self.is_decomposed = true;
        self.fill(pattern, blocks)?;
        self.orthogonal.factorize(3 * pattern.rows.len(), &self.columns, small)
    }

    /// Replace b by the solution, the shortest one with the least error if the matrix is decomposed.
    pub fn solve(&mut self, b: &mut [Vector]) {
        let Self { columns, pivots, one: [u, turned], orthogonal, is_decomposed } = self;
        match b {
            _ if *is_decomposed => orthogonal.solve(b.as_flattened_mut()),
            [b] => *b = back(u, times(turned, b)),
            _ => elimination::solve_again(columns, pivots, b.as_flattened_mut()),
        }
    }
}
