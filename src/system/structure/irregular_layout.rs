//! Heights of rows, and where the values of rows and blocks begin. They are kept while some row is irregular: it has other than
//! three scalars, or its constraint acts on more than two bodies. Without irregular rows all vectors are empty, a row has three
//! scalars, a block nine values.
//!
//! A block has 72 bytes, so a start for each block would be a ninth of the memory of W. The start is computed instead: the start of
//! the values of the row, plus the height of the row times the scalars of its earlier columns. These are three for each column in
//! most rows; in others they are added up from the last of the [`IrregularLayout::sums`].
#![forbid(unsafe_code)]

use std::mem;
use std::ops::Range;

use crate::memory::{push, refill, resize};
use crate::system::constraint::Constraint;
use crate::system::error::{Error, Fault, Result};
use crate::system::rows::range_of;

use super::remove_rows::shift;

/// The code of a row of three scalars on at most two bodies.
pub(super) const REGULAR: u8 = 3;

/// Bits of a code: the height.
const HEIGHT: u8 = 7;

/// Part of the code of a row whose constraint acts on more than two bodies.
const WIDE: u8 = 8;

/// Part of the code of a row that has a column of other than three scalars, itself or another one.
const UNEVEN: u8 = 16;

/// Sums of heights are kept for one in this number of blocks.
const BLOCKS_OF_A_SUM: usize = 32;

/// See above.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct IrregularLayout {
    /// The height of each row, with [`WIDE`] added if its constraint acts on more than two bodies, and [`UNEVEN`] if it has a
    /// column of other than three scalars.
    pub codes: Vec<u8>,
    /// Where the scalars of each row begin in vectors, and the end.
    pub scalars: Vec<i32>,
    /// Where the diagonal block of each row begins among the others, and the end.
    pub squares: Vec<usize>,
    /// Where the values of each row begin, and the end.
    pub row_values: Vec<usize>,
    /// The scalars of the columns of a [`UNEVEN`] row before block k × [`BLOCKS_OF_A_SUM`], for each k; elsewhere 0.
    sums: Vec<u32>,
}

/// The code of a constraint's row.
#[inline(always)]
pub(super) fn code(constraint: &Constraint) -> u8 {
    if constraint.is_regular() {
        return REGULAR;
    }
    constraint.rows() as u8 | if constraint.others().is_empty() { 0 } else { WIDE }
}

impl IrregularLayout {
    /// Whether some row is irregular.
    #[inline(always)]
    pub fn is_there(&self) -> bool {
        !self.codes.is_empty()
    }

    /// Clear all vectors.
    pub fn clear(&mut self) {
        let Self { codes, scalars, squares, row_values, sums } = self;
        codes.clear();
        scalars.clear();
        sums.clear();
        [squares, row_values].into_iter().for_each(Vec::clear);
    }

    /// Clear all vectors if all rows are regular. Values stay where they are.
    pub fn clear_if_regular(&mut self) {
        if self.codes.iter().all(|&code| code == REGULAR) {
            self.clear();
        }
    }

    /// Number of scalars of a row.
    #[inline(always)]
    pub fn height(&self, row: usize) -> usize {
        self.codes.get(row).map_or(3, |&code| (code & HEIGHT).into())
    }

    /// Number of slots that a row takes on each of its bodies.
    #[inline(always)]
    pub fn groups(&self, row: usize) -> usize {
        groups(self.height(row))
    }

    /// Whether a row has three scalars and its constraint at most two bodies.
    #[inline(always)]
    pub fn is_regular(&self, row: usize) -> bool {
        self.codes.get(row).is_none_or(|&code| code & !UNEVEN == REGULAR)
    }

    /// How many of some columns of a regular row, from the first one on, have three scalars.
    #[inline(always)]
    pub fn even_columns(&self, row: usize, columns: &[i32]) -> usize {
        if self.codes.get(row).is_none_or(|&code| code == REGULAR) {
            return columns.len();
        }
        let mut count = 0;
        while columns.get(count).is_some_and(|&column| self.height(column as usize) == 3) {
            count += 1;
        }
        count
    }

    /// Set the code of a row, which is one of `rows` that are known or the next.
    ///
    /// # Errors
    /// If memory is exhausted.
    #[inline(always)]
    pub fn set(&mut self, row: usize, code: u8, rows: usize) -> Result {
        if code == REGULAR && !self.is_there() {
            return Ok(());
        }
        if !self.is_there() {
            resize(&mut self.codes, rows, REGULAR)?;
        }
        match self.codes.get_mut(row) {
            Some(old) => *old = code,
            None => push(&mut self.codes, code)?,
        }
        Ok(())
    }

    /// List where scalars and diagonal blocks of rows begin after their codes have been set, and if there has been no layout, where
    /// the values of the known rows do, which have the blocks from `starts` on, of nine values each.
    ///
    /// # Errors
    /// If memory is exhausted, or there are more than `most` scalars.
    pub fn list_rows(&mut self, starts: &[i32], most: i32) -> Result {
        if !self.is_there() {
            return Ok(());
        }
        if self.scalars.is_empty() {
            self.row_values.try_reserve(self.codes.len() + 1)?;
            self.row_values.extend(starts.iter().map(|&start| 9 * start as usize));
            push(&mut self.scalars, 0)?;
            push(&mut self.squares, 0)?;
        }
        let new = self.codes.len() + 1 - self.scalars.len();
        self.scalars.try_reserve(new)?;
        self.squares.try_reserve(new)?;
        let why = "the constraints have more rows";
        ensure!(self.extend(most).is_some(), Error::of_system(Fault::TooLarge(why)));
        Ok(())
    }

    /// List the rows again from `first` on, after others have been removed.
    pub fn list_again_from(&mut self, first: usize) {
        if self.is_there() {
            self.scalars.truncate(first + 1);
            self.squares.truncate(first + 1);
            // There are fewer than before.
            let _ = self.extend(i32::MAX);
        }
    }

    /// List rows that have codes alone; `None` if there are more than `most` scalars.
    fn extend(&mut self, most: i32) -> Option<()> {
        let first = self.scalars.len() - 1;
        let (mut scalar, mut square) = (self.scalars[first], self.squares[first]);
        self.scalars.resize(self.codes.len() + 1, 0);
        self.squares.resize(self.codes.len() + 1, 0);
        let ends = self.scalars[first + 1..].iter_mut().zip(&mut self.squares[first + 1..]);
        for (&code, (end, end_of_square)) in self.codes[first..].iter().zip(ends) {
            let height = code & HEIGHT;
            scalar = scalar.checked_add(height.into()).filter(|&scalar| scalar <= most)?;
            square += usize::from(height).pow(2);
            (*end, *end_of_square) = (scalar, square);
        }
        Some(())
    }

    /// Where the scalars of a row are in vectors.
    #[inline(always)]
    pub fn scalars_of(&self, row: usize) -> Range<usize> {
        range_of(&self.scalars, row, 3)
    }

    /// Where the diagonal block of a row is among the others.
    #[inline(always)]
    pub fn square_of(&self, row: usize) -> Range<usize> {
        range_of(&self.squares, row, 9)
    }

    /// Where the values of consecutive rows are; `starts` says where the blocks of each row begin.
    #[inline(always)]
    pub fn values_of_rows(&self, rows: Range<usize>, starts: &[i32]) -> Range<usize> {
        if self.is_there() {
            self.row_values[rows.start]..self.row_values[rows.end]
        } else {
            9 * starts[rows.start] as usize..9 * starts[rows.end] as usize
        }
    }

    /// Where the values of a block begin: `place` is the number of the block, and `before` has the columns of its row and all
    /// before, up to the block. The blocks of the row begin at `start`.
    #[inline(always)]
    pub fn values_from(&self, row: usize, start: usize, before: &[i32]) -> usize {
        let place = before.len();
        match self.codes.get(row) {
            None => 9 * place,
            Some(&code) => {
                let height = usize::from(code & HEIGHT);
                let scalars =
                    if code & UNEVEN == 0 { 3 * (place - start) } else { self.sum_before(start, before) };
                self.row_values[row] + height * scalars
            }
        }
    }

    /// Number of scalars of the columns from `start` on, in a row that may be [`UNEVEN`].
    fn sum_before(&self, start: usize, before: &[i32]) -> usize {
        let which = before.len() / BLOCKS_OF_A_SUM;
        let (first, sum) = match which * BLOCKS_OF_A_SUM {
            first if first > start => (first, self.sums[which] as usize),
            _ => (start, 0),
        };
        sum + self.sum(&before[first..])
    }

    /// Number of scalars of some columns.
    #[inline(always)]
    pub fn sum(&self, columns: &[i32]) -> usize {
        columns.iter().map(|&column| self.height(column as usize)).sum()
    }

    /// Number of scalars of some columns of a row.
    #[inline(always)]
    pub fn scalars_in(&self, row: usize, columns: &[i32]) -> usize {
        if self.codes.get(row).is_none_or(|code| code & UNEVEN == 0) {
            3 * columns.len()
        } else {
            self.sum(columns)
        }
    }

    /// Note whether a row has a column of other than three scalars.
    #[inline(always)]
    pub fn set_mixed(&mut self, row: usize, is_mixed: bool) {
        if let Some(code) = self.codes.get_mut(row) {
            *code = *code & !UNEVEN | if is_mixed { UNEVEN } else { 0 };
        }
    }

    /// Move the starts of values of some rows to the front by `up` rows, and subtract `by` from them.
    pub fn shift_values(&mut self, rows: Range<usize>, up: usize, by: usize) {
        if self.is_there() {
            shift(&mut self.row_values, rows, up, by);
        }
    }

    /// Whether a row has a column of other than three scalars, as was noted last.
    #[inline(always)]
    pub fn is_mixed(&self, row: usize) -> bool {
        self.codes.get(row).is_some_and(|code| code & UNEVEN != 0)
    }

    /// Add up heights for [`IrregularLayout::values_from`], after all columns are there.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn list_sums(&mut self, starts: &[i32], columns: &[i32]) -> Result {
        if !self.is_there() {
            return Ok(());
        }
        let mut sums = mem::take(&mut self.sums);
        refill(&mut sums, columns.len() / BLOCKS_OF_A_SUM + 1, 0)?;
        for row in (0..self.codes.len()).filter(|&row| self.is_mixed(row)) {
            let [start, end] = [row, row + 1].map(|row| starts[row] as usize);
            let (mut next, mut sum) = (start, 0);
            while let which = next / BLOCKS_OF_A_SUM + 1
                && which * BLOCKS_OF_A_SUM < end
            {
                let own = &columns[next..which * BLOCKS_OF_A_SUM];
                sum += self.sum(own);
                sums[which] = sum as u32;
                next += own.len();
            }
        }
        self.sums = sums;
        Ok(())
    }
}

/// Number of slots that a row of this height takes on each of its bodies.
#[inline(always)]
pub(super) fn groups(height: usize) -> usize {
    height.div_ceil(3)
}
