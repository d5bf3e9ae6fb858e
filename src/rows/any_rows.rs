//! Block-sparse rows of W of one to six scalars each, whoever has made them: what solvers, factors and ranks are given.

use std::ops::Range;

use crate::math::{is_finite, small_symmetric};
use crate::rows::block_rows::BlockRows;
use crate::rows::fault::{Error, Fault};

const ILL_STARTS: &str = "starts do not ascend from 0 to the number of blocks";

/// Block-sparse rows, of as many scalars as the constraint of each has. Where W is symmetric, of two blocks that are transposes of
/// each other the one right of the diagonal is read.
#[derive(Clone, Copy, Debug)]
pub struct AnyBlockRows<'a> {
    /// Row k has the blocks `starts[k]..starts[k + 1]`; one value more than rows.
    pub starts: &'a [i32],
    /// Column of each block, ascending in a row, the diagonal among them.
    pub columns: &'a [i32],
    /// The blocks, m × n and column-major, one behind the other.
    pub values: &'a [f64],
    /// Where rows and blocks begin; `None`: all rows have three scalars.
    pub extents: Option<Extents<'a>>,
}

/// Where what belongs to a row or a block begins, and the end.
#[derive(Clone, Copy, Debug)]
pub struct Extents<'a> {
    /// Of each row: in vectors.
    pub scalars: &'a [i32],
    /// Of each block: in the values.
    pub values: &'a [usize],
}

impl<'a> From<&BlockRows<'a>> for AnyBlockRows<'a> {
    fn from(rows: &BlockRows<'a>) -> Self {
        let BlockRows { starts, columns, values } = *rows;
        Self { starts, columns, values: values.as_flattened(), extents: None }
    }
}

impl<'a> AnyBlockRows<'a> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of scalars of all rows.
    pub fn scalar_count(&self) -> usize {
        match self.extents {
            None => 3 * self.len(),
            Some(extents) => extents.scalars.last().map_or(0, |&end| end as usize),
        }
    }

    /// Where the scalars of a row are in vectors.
    #[inline(always)]
    pub fn scalars(&self, row: usize) -> Range<usize> {
        match self.extents {
            None => 3 * row..3 * row + 3,
            Some(extents) => extents.scalars[row] as usize..extents.scalars[row + 1] as usize,
        }
    }

    /// The row of a scalar.
    pub fn row_of(&self, scalar: usize) -> usize {
        match self.extents {
            None => scalar / 3,
            Some(extents) => extents.scalars.partition_point(|&start| start as usize <= scalar) - 1,
        }
    }

    /// Where the blocks of a row are.
    #[inline(always)]
    pub(crate) fn range(&self, row: usize) -> Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// A block.
    #[inline(always)]
    pub(crate) fn block(&self, block: usize) -> &'a [f64] {
        &self.values[match self.extents {
            None => 9 * block..9 * block + 9,
            Some(extents) => extents.values[block]..extents.values[block + 1],
        }]
    }

    /// The blocks of a row with their columns.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = (usize, &'a [f64])> + use<'a> {
        let rows = *self;
        self.range(row).map(move |block| (rows.columns[block] as usize, rows.block(block)))
    }

    /// Those from the diagonal on.
    pub(crate) fn upper(&self, row: usize) -> impl Iterator<Item = (usize, &'a [f64])> + use<'a> {
        self.row(row).skip_while(move |(column, _)| *column < row)
    }

    /// The entries of a row of scalars, the `i`-th of a row, with their columns, which ascend.
    pub(crate) fn entries(&self, row: usize, i: usize) -> impl Iterator<Item = (usize, f64)> + use<'a> {
        let (rows, height) = (*self, self.scalars(row).len());
        self.row(row).flat_map(move |(column, block)| {
            rows.scalars(column).zip(block[i..].iter().step_by(height).copied())
        })
    }

    /// Whether the pattern is one, its columns ascend and have the diagonal among them.
    ///
    /// # Errors
    /// If not; the first row in which it is not.
    pub(crate) fn check_columns(&self) -> Result<(), Error> {
        ensure!(i32::try_from(self.len()).is_ok(), Error::of_rows(Fault::Invalid(ILL_STARTS)));
        self.check_starts()?;
        self.each_row(Self::check_columns_of)
    }

    /// The same, and whether each row has one to six scalars and each block as many values as belong to it.
    ///
    /// # Errors
    /// If not; the first row in which it is not.
    pub fn check_pattern(&self) -> Result<(), Error> {
        self.check_columns()?;
        let (rows, blocks) = (self.len(), self.columns.len());
        let Some(Extents { scalars, values: places }) = self.extents else {
            return check_size("values", 9 * blocks, self.values.len());
        };
        check_size("starts of scalars", rows + 1, scalars.len())?;
        check_size("starts of values", blocks + 1, places.len())?;
        let why = "starts of scalars or values do not begin with 0";
        ensure!(scalars[0] == 0 && places[0] == 0, Error::of_rows(Fault::Invalid(why)));
        let height = |row: usize| scalars[row + 1].checked_sub(scalars[row]);
        self.each_row(|_, row| match height(row) {
            Some(count) if (1..=small_symmetric::MOST_ROWS as i32).contains(&count) => Ok(()),
            _ => Err(Fault::Invalid("it has not one to six scalars")),
        })?;
        self.each_row(|_, row| {
            let own = self.scalars(row).len();
            let is_right = |block: usize| {
                let size = own * self.scalars(self.columns[block] as usize).len();
                places[block].checked_add(size) == Some(places[block + 1])
            };
            ensure!(
                self.range(row).all(is_right),
                Fault::Invalid("starts of values are not those of its blocks")
            );
            Ok(())
        })?;
        check_size("values", places[blocks], self.values.len())
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
        let ascends = ldy_factor::ascends(self.starts, self.columns.len());
        if ascends { Ok(()) } else { Err(Error::of_rows(Fault::Invalid(ILL_STARTS))) }
    }

    /// Whether the columns of a row ascend and have the diagonal among them.
    pub(crate) fn check_columns_of(&self, row: usize) -> Result<(), Fault> {
        let columns = &self.columns[self.range(row)];
        let inside = |&column: &i32| usize::try_from(column).is_ok_and(|column| column < self.len());
        ensure!(columns.iter().all(inside), Fault::Invalid("a column lies outside W"));
        ensure!(columns.is_sorted_by(|a, b| a < b), Fault::Invalid("its columns do not ascend"));
        let why = "its diagonal block is missing";
        ensure!(columns.binary_search(&(row as i32)).is_ok(), Fault::Invalid(why));
        Ok(())
    }

    /// Whether the blocks of a row are finite.
    pub(crate) fn check_values_of(&self, row: usize) -> Result<(), Fault> {
        let own = self.range(row);
        let own = match self.extents {
            None => 9 * own.start..9 * own.end,
            Some(extents) => extents.values[own.start]..extents.values[own.end],
        };
        if is_finite(&self.values[own]) { Ok(()) } else { Err(Fault::NotFinite("a block of W")) }
    }
}

/// Whether there are as many values as needed.
pub fn check_size(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found { Ok(()) } else { Err(Error::of_rows(Fault::Size { what, expected, found })) }
}
