//! K̃ as a block-sparse matrix, with a dense block for each pair of bodies with a common constraint.

use super::{Error, Stiffness, zeros};
use crate::memory::{collected, with_capacity};

/// K̃ in blocks. Body i has the blocks `rows[i] .. rows[i + 1]`, ordered by `columns`. Block b couples the bodies i and
/// j = `columns[b]`. It is dense, dofs of i × dofs of j, column-major, and begins at `values[starts[b]]`. The matrix has both
/// halves, which are transposes of each other to the bit.
#[derive(Clone, Debug)]
pub struct StiffnessBlocks {
    /// The first block of each body, then the number of blocks: bodies + 1 values.
    pub rows: Vec<usize>,
    /// The second body of each block.
    pub columns: Vec<usize>,
    /// The index of the first value of each block.
    pub starts: Vec<usize>,
    /// The values.
    pub values: Vec<f64>,
    /// The first dof of each body, then the number of dofs: bodies + 1 values.
    pub offsets: Vec<usize>,
}

impl StiffnessBlocks {
    /// Assemble K̃.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn assemble(stiffness: &Stiffness) -> Result<Self, Error> {
        let mut blocks = Self::pattern(stiffness)?;
        let (mut x, mut y) = (zeros(stiffness.dofs())?, zeros(stiffness.dofs())?);
        for element in &stiffness.elements {
            for j in element.bodies() {
                for column in blocks.dofs(j) {
                    x[column] = 1.0;
                    element.add_product(&stiffness.bodies, &stiffness.offsets, &x, &mut y);
                    x[column] = 0.0;
                    for i in element.bodies() {
                        let dofs = blocks.dofs(i);
                        let part = &mut y[dofs];
                        blocks.add_column(i, j, column, part);
                        part.fill(0.0);
                    }
                }
            }
        }
        blocks.mirror();
        Ok(blocks)
    }

    /// Compute y = K̃ x.
    ///
    /// # Panics
    /// If the length of x or y is not the number of dofs.
    pub fn product(&self, x: &[f64], y: &mut [f64]) {
        let bodies = self.rows.len() - 1;
        assert!(x.len() == self.offsets[bodies] && y.len() == x.len());
        y.fill(0.0);
        for i in 0..bodies {
            let y = &mut y[self.offsets[i]..self.offsets[i + 1]];
            for block in self.rows[i]..self.rows[i + 1] {
                let x = &x[self.dofs(self.columns[block])];
                let values = &self.values[self.starts[block]..];
                for (x, column) in x.iter().zip(values.chunks_exact(y.len())) {
                    y.iter_mut().zip(column).for_each(|(y, value)| *y += value * x);
                }
            }
        }
    }

    fn dofs(&self, body: usize) -> std::ops::Range<usize> {
        self.offsets[body]..self.offsets[body + 1]
    }

    /// Make zero blocks for all pairs.
    fn pattern(stiffness: &Stiffness) -> Result<Self, Error> {
        let mut pairs = Vec::new();
        for element in &stiffness.elements {
            for i in element.bodies() {
                pairs.try_reserve(2)?;
                pairs.extend(element.bodies().map(|j| (i, j)));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let bodies = stiffness.bodies.len();
        let offsets = collected(bodies + 1, stiffness.offsets.iter().copied())?;
        let first_of = |body: usize| pairs.partition_point(|pair| pair.0 < body);
        let rows = collected(bodies + 1, (0..=bodies).map(first_of))?;
        let columns = collected(pairs.len(), pairs.iter().map(|pair| pair.1))?;
        let mut starts = with_capacity(pairs.len())?;
        let size = |body: usize| offsets[body + 1] - offsets[body];
        let mut length = 0;
        for (i, j) in &pairs {
            starts.push(length);
            length += size(*i) * size(*j);
        }
        Ok(Self { rows, columns, starts, values: zeros(length)?, offsets })
    }

    /// The index of the block of bodies i and j, which must have one.
    fn block(&self, i: usize, j: usize) -> usize {
        let row = self.rows[i]..self.rows[i + 1];
        row.start + self.columns[row].partition_point(|column| *column < j)
    }

    fn add_column(&mut self, i: usize, j: usize, column: usize, part: &[f64]) {
        let start = self.starts[self.block(i, j)] + part.len() * (column - self.offsets[j]);
        self.values[start..].iter_mut().zip(part).for_each(|(value, part)| *value += part);
    }

    /// Copy the lower half to the upper, since the halves differ by rounding.
    fn mirror(&mut self) {
        for i in 0..self.rows.len() - 1 {
            for below in self.rows[i]..self.rows[i + 1] {
                let j = self.columns[below];
                if j > i {
                    break;
                }
                let above = self.starts[self.block(j, i)];
                let below = self.starts[below];
                let (m, n) = (self.dofs(i).len(), self.dofs(j).len());
                for column in 0..n {
                    for row in (if i == j { column } else { 0 })..m {
                        self.values[above + n * row + column] = self.values[below + m * column + row];
                    }
                }
            }
        }
    }
}
