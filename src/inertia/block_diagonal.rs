//! A block-diagonal inverse: rigid and pseudo-rigid bodies, obstacles.

use super::{Defect, ascends};

/// Dense square blocks along the diagonal, each column-major.
#[derive(Clone, Copy, Debug)]
pub struct BlockDiagonal<'a> {
    starts: &'a [i32],
    /// The first row of each block, and the end.
    pub(crate) rows: &'a [i32],
    /// The blocks.
    pub(crate) values: &'a [f64],
    pub(super) size: usize,
}

impl<'a> BlockDiagonal<'a> {
    /// Describe blocks b = 0, 1, …: `starts[b]` is the index of the first value, `rows[b]` the first row. Both arrays end with the end
    /// of the last block.
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

    /// The values, if each block has one value.
    pub(super) fn diagonal(&self) -> Option<&[f64]> {
        let is_diagonal = self.rows.len() == self.values.len() + 1
            && (0..).zip(self.rows.iter().zip(self.starts)).all(|(k, (&row, &start))| row == k && start == k);
        is_diagonal.then_some(self.values)
    }

    #[inline(always)]
    pub(super) fn each_in_column(&self, column: usize, mut visit: impl FnMut(usize, f64)) {
        // Most matrices of this kind are diagonal or have few blocks.
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
