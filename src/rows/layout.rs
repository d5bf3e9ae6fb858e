//! The layout of block-sparse rows: where the scalar rows of a row and the values of a block begin. No other file knows the heights
//! of rows.

use std::ops::Range;

use crate::math::small_symmetric::MOST_ROWS;
use crate::memory::{push, with_capacity};
use crate::rows::fault::{Error, Fault, check_size};
use crate::rows::pattern::{self, range};

/// The places of scalar rows in vectors, and of values in the list of all blocks.
pub trait Layout: Copy {
    /// The range of a row in vectors.
    fn scalars(self, row: usize) -> Range<usize>;
    /// The range of consecutive blocks in the list of values.
    fn values(self, blocks: Range<usize>) -> Range<usize>;
    /// The row that has a scalar row.
    fn row_of(self, scalar: usize) -> usize;
    /// The number of scalar rows of this number of rows, which is all of them.
    fn scalar_count(self, rows: usize) -> usize;

    /// The number of scalar rows of a row.
    #[inline(always)]
    fn height(self, row: usize) -> usize {
        self.scalars(row).len()
    }
}

/// All rows have three scalar rows, all blocks nine values. It takes no memory.
#[derive(Clone, Copy, Debug)]
pub struct Threes;

impl Layout for Threes {
    #[inline(always)]
    fn scalars(self, row: usize) -> Range<usize> {
        3 * row..3 * row + 3
    }

    #[inline(always)]
    fn values(self, blocks: Range<usize>) -> Range<usize> {
        9 * blocks.start..9 * blocks.end
    }

    fn row_of(self, scalar: usize) -> usize {
        scalar / 3
    }

    fn scalar_count(self, rows: usize) -> usize {
        3 * rows
    }

    #[inline(always)]
    fn height(self, _: usize) -> usize {
        3
    }
}

/// Rows of one to six scalar rows each; the arrays are borrowed.
#[derive(Clone, Copy, Debug)]
pub struct RowLayout<'a> {
    scalars: &'a [i32],
    values: &'a [usize],
}

impl<'a> RowLayout<'a> {
    /// Check and borrow the starts of rows in vectors and of blocks in the list of values; each array ends with the end of the last.
    /// [`BlockRows::new`](crate::rows::BlockRows::new) checks that the starts of values are right for its pattern.
    ///
    /// # Errors
    /// If an array does not begin with 0, or a row has not one to six scalar rows.
    pub fn new(scalars: &'a [i32], values: &'a [usize]) -> Result<Self, Error> {
        let why = "starts of scalars or values do not begin with 0";
        let begins = scalars.first() == Some(&0) && values.first() == Some(&0);
        ensure!(begins, Error::of_rows(Fault::Invalid(why)));
        let heights = scalars.windows(2).map(|pair| pair[1].checked_sub(pair[0]).unwrap_or_default());
        for (row, height) in heights.enumerate() {
            check_height(row, usize::try_from(height).unwrap_or_default())?;
        }
        Ok(Self { scalars, values })
    }

    /// Borrow starts that are right by construction.
    pub(crate) fn trusted(scalars: &'a [i32], values: &'a [usize]) -> Self {
        Self { scalars, values }
    }

    /// The start of each row in vectors, and the end.
    pub fn scalar_starts(&self) -> &'a [i32] {
        self.scalars
    }

    /// The start of each block in the list of values, and the end.
    pub fn value_starts(&self) -> &'a [usize] {
        self.values
    }

    /// Whether all rows have three scalar rows.
    pub(crate) fn is_threes(&self) -> bool {
        self.scalars.iter().enumerate().all(|(row, &start)| start as usize == 3 * row)
    }

    /// Check the starts against a pattern that has been checked.
    pub(crate) fn check(self, starts: &[i32], columns: &[i32]) -> Result<(), Error> {
        check_size("starts of scalars", starts.len(), self.scalars.len())?;
        check_size("starts of values", columns.len() + 1, self.values.len())?;
        for row in 0..starts.len() - 1 {
            let is_right = |block: usize| {
                let size = self.height(row) * self.height(columns[block] as usize);
                self.values[block].checked_add(size) == Some(self.values[block + 1])
            };
            let why = "starts of values are not those of its blocks";
            ensure!(range(starts, row).all(is_right), Error::of_row(row, Fault::Invalid(why)));
        }
        Ok(())
    }
}

impl Layout for RowLayout<'_> {
    #[inline(always)]
    fn scalars(self, row: usize) -> Range<usize> {
        range(self.scalars, row)
    }

    #[inline(always)]
    fn values(self, blocks: Range<usize>) -> Range<usize> {
        self.values[blocks.start]..self.values[blocks.end]
    }

    fn row_of(self, scalar: usize) -> usize {
        self.scalars.partition_point(|&start| start as usize <= scalar) - 1
    }

    fn scalar_count(self, rows: usize) -> usize {
        self.scalars[rows] as usize
    }
}

/// A layout that is found at run time; `None` is [`Threes`].
impl Layout for Option<RowLayout<'_>> {
    #[inline(always)]
    fn scalars(self, row: usize) -> Range<usize> {
        self.map_or_else(|| Threes.scalars(row), |layout| layout.scalars(row))
    }

    #[inline(always)]
    fn values(self, blocks: Range<usize>) -> Range<usize> {
        match self {
            None => Threes.values(blocks),
            Some(layout) => layout.values(blocks),
        }
    }

    fn row_of(self, scalar: usize) -> usize {
        self.map_or_else(|| Threes.row_of(scalar), |layout| layout.row_of(scalar))
    }

    fn scalar_count(self, rows: usize) -> usize {
        self.map_or_else(|| Threes.scalar_count(rows), |layout| layout.scalar_count(rows))
    }
}

/// A layout that owns its arrays, made of the heights of rows.
///
/// ```
/// use ldy::rows::{BlockRows, RowLayoutBuf};
///
/// let (starts, columns) = ([0, 1, 2], [0, 1]);
/// let layout = RowLayoutBuf::new(&[1, 2], &starts, &columns)?;
/// let w = BlockRows::new(&starts, &columns, &[4.0, 2.0, 1.0, 1.0, 2.0], Some(layout.borrow()))?;
/// assert_eq!(w.scalars(1), 1..3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RowLayoutBuf {
    scalars: Vec<i32>,
    values: Vec<usize>,
}

impl RowLayoutBuf {
    /// Make the layout of a pattern whose rows have these heights.
    ///
    /// # Errors
    /// If the pattern is ill-formed, a height is missing or not one to six, there are more scalar rows than an `i32` can count, or
    /// memory is exhausted.
    pub fn new(heights: &[usize], starts: &[i32], columns: &[i32]) -> Result<Self, Error> {
        pattern::check(starts, columns)?;
        check_size("heights", starts.len() - 1, heights.len())?;
        let (mut scalars, mut values) = (with_capacity(starts.len())?, with_capacity(columns.len() + 1)?);
        let (mut scalar, mut value) = (0_i32, 0);
        scalars.push(scalar);
        values.push(value);
        for (row, &height) in heights.iter().enumerate() {
            check_height(row, height)?;
            let why = Fault::TooLarge("more scalar rows");
            scalar = scalar.checked_add(height as i32).ok_or(Error::of_row(row, why))?;
            push(&mut scalars, scalar)?;
            for &column in &columns[range(starts, row)] {
                value += height * heights[column as usize];
                push(&mut values, value)?;
            }
        }
        Ok(Self { scalars, values })
    }

    /// The layout for [`BlockRows::new`](crate::rows::BlockRows::new).
    pub fn borrow(&self) -> RowLayout<'_> {
        RowLayout { scalars: &self.scalars, values: &self.values }
    }
}

fn check_height(row: usize, height: usize) -> Result<(), Error> {
    let why = "it has not one to six scalars";
    ensure!((1..=MOST_ROWS).contains(&height), Error::of_row(row, Fault::Invalid(why)));
    Ok(())
}
