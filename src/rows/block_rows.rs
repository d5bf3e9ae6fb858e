//! Block-sparse rows of W of three scalars each, whoever has made them.

use std::ops::Range;

use crate::math::Block;

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
}
