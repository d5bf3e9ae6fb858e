//! A block-diagonal inverse: rigid and pseudo-rigid bodies, obstacles.

use super::{Defect, add_column, ascends};
use crate::block::Block;

/// Dense square blocks along the diagonal, each column-major.
#[derive(Clone, Copy, Debug)]
pub struct BlockDiagonal<'a> {
    starts: &'a [i32],
    rows: &'a [i32],
    values: &'a [f64],
    size: usize,
}

impl<'a> BlockDiagonal<'a> {
    /// Blocks b = 0, 1, …: `starts[b]` the first of its values, `rows[b]` its first row, both with an end
    /// behind the last block.
    ///
    /// # Errors
    /// If the arrays do not describe square blocks that fill the diagonal.
    pub fn new(starts: &'a [i32], rows: &'a [i32], values: &'a [f64]) -> Result<Self, Defect> {
        let size = rows.last().and_then(|&end| usize::try_from(end).ok()).ok_or(Defect::Size)?;
        if starts.len() != rows.len() {
            return Err(Defect::Size);
        }
        if !ascends(starts, values.len()) {
            return Err(Defect::Starts);
        }
        if !ascends(rows, size) {
            return Err(Defect::Row);
        }
        let square = |(s, r): (&[i32], &[i32])| {
            i64::from(s[1]) - i64::from(s[0]) == (i64::from(r[1]) - i64::from(r[0])).pow(2)
        };
        if !starts.windows(2).zip(rows.windows(2)).all(square) {
            return Err(Defect::Block);
        }
        Ok(Self { starts, rows, values, size })
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// The blocks, if all are 3×3.
    #[inline]
    pub fn blocks_of_three(&self) -> Option<impl Iterator<Item = &'a Block>> {
        let are_three = (0..).step_by(3).zip(self.rows).all(|(first, &row)| row == first);
        are_three.then(|| self.values.chunks_exact(9).filter_map(|block| block.try_into().ok()))
    }

    pub(super) fn add_product<const WIDTH: usize>(&self, h: &[f64], y: &mut [f64]) {
        for (start, rows) in self.starts.iter().zip(self.rows.windows(2)) {
            let (first, end) = (rows[0] as usize, rows[1] as usize);
            let block = &self.values[*start as usize..];
            for j in first..end {
                for i in first..end {
                    add_column::<WIDTH>(y, i, block[(end - first) * (j - first) + i - first], h, j);
                }
            }
        }
    }
}
