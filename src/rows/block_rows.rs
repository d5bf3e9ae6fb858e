//! Block-sparse rows of W: the one type that solvers, factors, ranks, products and files take.

use std::ops::Range;

use crate::math::{Block, is_finite};
use crate::rows::fault::{Error, Fault, check_size};
use crate::rows::layout::{Layout, RowLayout};
use crate::rows::pattern::{self, range};

/// Block-sparse rows of one to six scalar rows each. Each is well-formed: [`BlockRows::new`] has checked its pattern and sizes.
///
/// Where W is symmetric, the functions that say so read one block of two that are transposes of each other: the one right of the
/// diagonal.
///
/// ```
/// use ldy::rows::{BlockRows, RowLayout};
///
/// // Two rows, of one and of two scalar rows, which no block couples.
/// let (scalars, values) = ([0, 1, 3], [0, 1, 5]);
/// let layout = RowLayout::new(&scalars, &values)?;
/// let w = BlockRows::new(&[0, 1, 2], &[0, 1], &[4.0, 2.0, 1.0, 1.0, 2.0], Some(layout))?;
/// assert_eq!((w.len(), w.scalar_count(), w.height(1)), (2, 3, 2));
/// assert_eq!(w.block(1), [2.0, 1.0, 1.0, 2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BlockRows<'a> {
    starts: &'a [i32],
    columns: &'a [i32],
    values: &'a [f64],
    layout: Option<RowLayout<'a>>,
}

impl<'a> BlockRows<'a> {
    /// Check and borrow block-sparse rows.
    ///
    /// `starts`: row k has the blocks `starts[k]..starts[k + 1]`; one value more than rows. `columns`: the column of each block,
    /// ascending in a row; the diagonal block is present. `values`: the m × n values of one block after the other, column by column.
    /// `layout`: `None` if all rows have three scalar rows. A layout in which all have three gives the same rows as `None`.
    ///
    /// # Errors
    /// If the pattern is ill-formed or an array has the wrong length; the error names the first such row.
    pub fn new(
        starts: &'a [i32],
        columns: &'a [i32],
        values: &'a [f64],
        layout: Option<RowLayout<'a>>,
    ) -> Result<Self, Error> {
        pattern::check(starts, columns)?;
        layout.map_or(Ok(()), |layout| layout.check(starts, columns))?;
        check_size("values", layout.values(0..columns.len()).end, values.len())?;
        Ok(Self::trusted(starts, columns, values, layout))
    }

    /// Borrow rows that are well-formed by construction.
    pub(crate) fn trusted(
        starts: &'a [i32],
        columns: &'a [i32],
        values: &'a [f64],
        layout: Option<RowLayout<'a>>,
    ) -> Self {
        Self { starts, columns, values, layout: layout.filter(|layout| !layout.is_threes()) }
    }

    /// The first block of each row, and the number of all.
    pub fn starts(&self) -> &'a [i32] {
        self.starts
    }

    /// The column of each block.
    pub fn columns(&self) -> &'a [i32] {
        self.columns
    }

    /// The values of all blocks.
    pub fn values(&self) -> &'a [f64] {
        self.values
    }

    /// The layout; `None` if all rows have three scalar rows.
    pub fn layout(&self) -> Option<RowLayout<'a>> {
        self.layout
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of scalar rows: the length of vectors.
    pub fn scalar_count(&self) -> usize {
        self.layout.scalar_count(self.len())
    }

    /// The number of scalar rows of a row.
    #[inline(always)]
    pub fn height(&self, row: usize) -> usize {
        self.layout.height(row)
    }

    /// The range of a row in vectors.
    #[inline(always)]
    pub fn scalars(&self, row: usize) -> Range<usize> {
        self.layout.scalars(row)
    }

    /// The row that has a scalar row.
    pub fn row_of(&self, scalar: usize) -> usize {
        self.layout.row_of(scalar)
    }

    /// The range of a row's blocks.
    #[inline(always)]
    pub fn blocks(&self, row: usize) -> Range<usize> {
        range(self.starts, row)
    }

    /// The values of a block.
    #[inline(always)]
    pub fn block(&self, block: usize) -> &'a [f64] {
        &self.values[self.layout.values(block..block + 1)]
    }

    /// The blocks of a row with their columns.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, &'a [f64])> + use<'a> {
        let rows = *self;
        self.blocks(row).map(move |block| (rows.columns[block] as usize, rows.block(block)))
    }

    /// The blocks of a row from the diagonal on, with their columns.
    pub(crate) fn upper(&self, row: usize) -> impl Iterator<Item = (usize, &'a [f64])> + use<'a> {
        self.row(row).skip_while(move |(column, _)| *column < row)
    }

    /// The entries of the `i`-th scalar row of a row with their columns, which ascend.
    pub(crate) fn entries(&self, row: usize, i: usize) -> impl Iterator<Item = (usize, f64)> + use<'a> {
        let (rows, height) = (*self, self.height(row));
        self.row(row).flat_map(move |(column, block)| {
            rows.scalars(column).zip(block[i..].iter().step_by(height).copied())
        })
    }

    /// The same rows as 3×3 blocks, if all rows have three scalar rows.
    pub fn as_threes(&self) -> Option<Bsr3<'a>> {
        let Self { starts, columns, values, layout } = *self;
        layout.is_none().then_some(Bsr3 { starts, columns, values: values.as_chunks().0 })
    }

    /// Check that all blocks are finite.
    ///
    /// # Errors
    /// If not; the error names the first such row.
    pub(crate) fn check_values(&self) -> Result<(), Error> {
        (0..self.len()).try_for_each(|row| {
            let is_right = is_finite(&self.values[self.layout.values(self.blocks(row))]);
            ensure!(is_right, Error::of_row(row, NOT_FINITE));
            Ok(())
        })
    }

    /// Write W as compressed rows of scalars, columns ascending. There is a start for each scalar row and an end, and a column and a
    /// value for each value of W.
    pub fn copy_csr(&self, starts: &mut [i32], columns: &mut [i32], values: &mut [f64]) {
        let (mut end, mut next) = (0, starts.iter_mut());
        for row in 0..self.len() {
            for i in 0..self.height(row) {
                if let Some(start) = next.next() {
                    *start = end as i32;
                }
                let places = columns[end..].iter_mut().zip(&mut values[end..]);
                for ((to_column, to), (column, value)) in places.zip(self.entries(row, i)) {
                    (*to_column, *to) = (column as i32, value);
                    end += 1;
                }
            }
        }
        if let Some(start) = next.next() {
            *start = end as i32;
        }
    }
}

/// The fault of a block with an infinite value or NaN.
pub(crate) const NOT_FINITE: Fault = Fault::NotFinite("a block of W");

/// Block-sparse rows of 3×3 blocks: [`BlockRows`] in the form that the kernels for three scalar rows take.
#[derive(Clone, Copy, Debug)]
pub struct Bsr3<'a> {
    /// Row k has the blocks `starts[k]..starts[k + 1]`; one value more than rows.
    pub starts: &'a [i32],
    /// The column of each block, ascending in a row, with the diagonal.
    pub columns: &'a [i32],
    /// The blocks, column-major.
    pub values: &'a [Block],
}

impl<'a> Bsr3<'a> {
    /// The range of a row's blocks.
    #[inline(always)]
    pub(crate) fn range(&self, row: usize) -> Range<usize> {
        range(self.starts, row)
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
