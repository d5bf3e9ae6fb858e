//! A block-diagonal inverse: rigid and pseudo-rigid bodies, obstacles.

use super::{Defect, ascends};
use crate::block::{self, Block};

/// Dense square blocks along the diagonal, each column-major.
#[derive(Clone, Copy, Debug)]
pub struct BlockDiagonal<'a> {
    starts: &'a [i32],
    rows: &'a [i32],
    pub(super) values: &'a [f64],
    pub(super) size: usize,
}

impl<'a> BlockDiagonal<'a> {
    /// Blocks b = 0, 1, …: `starts[b]` the first of its values, `rows[b]` its first row, both with an end
    /// behind the last block.
    ///
    /// # Errors
    /// If the arrays do not describe square blocks that fill the diagonal.
    #[inline]
    pub fn new(starts: &'a [i32], rows: &'a [i32], values: &'a [f64]) -> Result<Self, Defect> {
        let size = rows.last().and_then(|&end| usize::try_from(end).ok()).ok_or(Defect::Size)?;
        ensure!(starts.len() == rows.len(), Defect::Size);
        ensure!(ascends(starts, values.len()), Defect::Starts);
        ensure!(ascends(rows, size), Defect::Row);
        let square = |(s, r): (&[i32], &[i32])| {
            i64::from(s[1]) - i64::from(s[0]) == (i64::from(r[1]) - i64::from(r[0])).pow(2)
        };
        ensure!(starts.windows(2).zip(rows.windows(2)).all(square), Defect::Block);
        Ok(Self { starts, rows, values, size })
    }

    /// The values, if all blocks have one.
    pub(super) fn diagonal(&self) -> Option<&[f64]> {
        let is_diagonal = self.rows.len() == self.values.len() + 1
            && (0..).zip(self.rows.iter().zip(self.starts)).all(|(k, (&row, &start))| row == k && start == k);
        is_diagonal.then_some(self.values)
    }

    /// J⁻¹ and I/m of a rigid body, or whatever two 3×3 blocks there are; `None` if there are others.
    #[inline]
    pub fn of_rigid(&self) -> Option<[&'a Block; 2]> {
        let mut blocks = self.blocks_of_three()?;
        match [blocks.next(), blocks.next(), blocks.next()] {
            [Some(turning), Some(moving), None] => Some([turning, moving]),
            _ => None,
        }
    }

    /// J⁻¹ and I/m of a pseudo-rigid body, A⁻¹ = diag (J⁻¹, J⁻¹, J⁻¹, I/m), 3×3; `None` unless it is that exactly.
    #[inline]
    pub fn of_pseudo_rigid(&self) -> Option<[&'a Block; 2]> {
        let mut blocks = self.blocks_of_three()?;
        let [first, second, third] = [blocks.next()?, blocks.next()?, blocks.next()?];
        let moving = blocks.next()?;
        let isotropic = block::symmetric([moving[0], 0.0, 0.0, moving[0], 0.0, moving[0]]);
        let is_that = first == second && first == third && *moving == isotropic && blocks.next().is_none();
        is_that.then_some([first, moving])
    }

    /// The blocks, if all are 3×3.
    #[inline]
    fn blocks_of_three(&self) -> Option<impl Iterator<Item = &'a Block>> {
        let are_three = (0..).step_by(3).zip(self.rows).all(|(first, &row)| row == first);
        are_three.then(|| self.values.chunks_exact(9).filter_map(|block| block.try_into().ok()))
    }

    #[inline(always)]
    pub(super) fn each_in_column(&self, column: usize, mut visit: impl FnMut(usize, f64)) {
        // Most matrices of this kind are diagonal ones, or few blocks.
        let own = if self.rows.get(column).is_some_and(|&row| row as usize == column) {
            column
        } else {
            self.rows.partition_point(|&row| row as usize <= column) - 1
        };
        let (first, end) = (self.rows[own] as usize, self.rows[own + 1] as usize);
        let values = &self.values[self.starts[own] as usize + (end - first) * (column - first)..];
        (first..end).zip(values).for_each(|(row, value)| visit(row, *value));
    }
}
