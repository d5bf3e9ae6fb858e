//! Block-sparse rows of a symmetric W.

use std::ops::Range;

use crate::block::{Block, is_finite};
use crate::row_error::{Error, Fault};

/// Block-sparse rows. W is symmetric; of two blocks that are transposes of each other the one right of the diagonal is read.
#[derive(Clone, Copy, Debug)]
pub struct BlockRows<'a> {
    /// Row k has the blocks `starts[k]..starts[k + 1]`; one value more than rows.
    pub starts: &'a [i32],
    /// Column of each block, ascending in a row, the diagonal among them.
    pub columns: &'a [i32],
    /// The blocks, column-major.
    pub values: &'a [Block],
}

impl<'a> BlockRows<'a> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn range(&self, row: usize) -> Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// The blocks of a row with their columns.
    pub(super) fn row(&self, row: usize) -> impl Iterator<Item = (usize, &'a Block)> + use<'a> {
        let range = self.range(row);
        let columns = self.columns[range.clone()].iter().map(|&column| column as usize);
        columns.zip(&self.values[range])
    }

    /// Those from the diagonal on.
    pub(super) fn upper(&self, row: usize) -> impl Iterator<Item = (usize, &'a Block)> + use<'a> {
        self.row(row).skip_while(move |(column, _)| *column < row)
    }

    /// Whether the pattern is one, its columns ascend and have the diagonal among them.
    ///
    /// # Errors
    /// If not; the first row in which it is not.
    pub fn check_pattern(&self) -> Result<(), Error> {
        let rows = self.len();
        let has_sizes = self.values.len() == self.columns.len() && i32::try_from(rows).is_ok();
        if !has_sizes || !ldy_factor::ascends(self.starts, self.columns.len()) {
            let what = "starts do not ascend from 0 to the number of blocks";
            return Err(Error::of_rows(Fault::Invalid(what)));
        }
        for row in 0..rows {
            let columns = &self.columns[self.range(row)];
            let inside = |&column: &i32| usize::try_from(column).is_ok_and(|column| column < rows);
            let what = if !columns.iter().all(inside) {
                "a column lies outside W"
            } else if !columns.is_sorted_by(|a, b| a < b) {
                "its columns do not ascend"
            } else if columns.binary_search(&(row as i32)).is_err() {
                "its diagonal block is missing"
            } else {
                continue;
            };
            return Err(Error { row: Some(row), fault: Fault::Invalid(what) });
        }
        Ok(())
    }

    /// Whether all blocks are finite.
    ///
    /// # Errors
    /// If not; the first row in which they are not.
    pub(super) fn check_values(&self) -> Result<(), Error> {
        match (0..self.len()).find(|&row| !is_finite(self.values[self.range(row)].as_flattened())) {
            Some(row) => Err(Error { row: Some(row), fault: Fault::NotFinite("a block of W") }),
            None => Ok(()),
        }
    }
}
