//! Block-sparse rows of W, whoever has made them.

use std::ops::Range;

use crate::block::{Block, is_finite};
use crate::row_error::{Error, Fault};

const ILL_STARTS: &str = "starts do not ascend from 0 to the number of blocks";

/// Block-sparse rows. Where W is symmetric, of two blocks that are transposes of each other the one right of the diagonal is read.
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

    /// Where the blocks of a row are.
    #[inline(always)]
    pub(crate) fn range(&self, row: usize) -> Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// The blocks of a row with their columns.
    #[inline(always)]
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = (usize, &'a Block)> + use<'a> {
        let range = self.range(row);
        let (columns, values) = (&self.columns[range.clone()], &self.values[range]);
        columns.iter().zip(values).map(
            #[inline(always)]
            |(&column, block)| (column as usize, block),
        )
    }

    /// Those from the diagonal on.
    pub(crate) fn upper(&self, row: usize) -> impl Iterator<Item = (usize, &'a Block)> + use<'a> {
        self.row(row).skip_while(move |(column, _)| *column < row)
    }

    /// Whether the pattern is one, its columns ascend and have the diagonal among them.
    ///
    /// # Errors
    /// If not; the first row in which it is not.
    pub fn check_pattern(&self) -> Result<(), Error> {
        if self.values.len() != self.columns.len() || i32::try_from(self.len()).is_err() {
            return Err(Error::of_rows(Fault::Invalid(ILL_STARTS)));
        }
        self.check_starts()?;
        self.each_row(Self::check_columns)
    }

    /// Whether all blocks are finite.
    ///
    /// # Errors
    /// If not; the first row in which they are not.
    pub(crate) fn check_values(&self) -> Result<(), Error> {
        self.each_row(Self::check_values_of)
    }

    fn each_row(&self, check: impl Fn(&Self, usize) -> Result<(), Fault>) -> Result<(), Error> {
        (0..self.len()).try_for_each(|row| check(self, row).map_err(|fault| Error { row: Some(row), fault }))
    }

    /// Whether starts are those of all blocks.
    pub(crate) fn check_starts(&self) -> Result<(), Error> {
        match ldy_factor::ascends(self.starts, self.columns.len()) {
            true => Ok(()),
            false => Err(Error::of_rows(Fault::Invalid(ILL_STARTS))),
        }
    }

    /// Whether the columns of a row ascend and have the diagonal among them.
    pub(crate) fn check_columns(&self, row: usize) -> Result<(), Fault> {
        let columns = &self.columns[self.range(row)];
        let inside = |&column: &i32| usize::try_from(column).is_ok_and(|column| column < self.len());
        if !columns.iter().all(inside) {
            return Err(Fault::Invalid("a column lies outside W"));
        }
        if !columns.is_sorted_by(|a, b| a < b) {
            return Err(Fault::Invalid("its columns do not ascend"));
        }
        if columns.binary_search(&(row as i32)).is_err() {
            return Err(Fault::Invalid("its diagonal block is missing"));
        }
        Ok(())
    }

    /// Whether the blocks of a row are finite.
    pub(crate) fn check_values_of(&self, row: usize) -> Result<(), Fault> {
        match is_finite(self.values[self.range(row)].as_flattened()) {
            true => Ok(()),
            false => Err(Fault::NotFinite("a block of W")),
        }
    }
}
