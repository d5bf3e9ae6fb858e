//! The pattern of block-sparse rows: starts of rows and columns of blocks.

use std::ops::Range;

use num_traits::AsPrimitive;

use crate::memory::{self, collect};
use crate::rows::fault::{Error, Fault};

const ILL_STARTS: &str = "starts do not ascend from 0 to the number of blocks";

/// The range from one start to the next.
#[inline(always)]
pub(crate) fn range(starts: &[impl AsPrimitive<usize>], which: usize) -> Range<usize> {
    starts[which].as_()..starts[which + 1].as_()
}

/// A copy of the pattern for which something was computed that depends on the pattern alone.
#[derive(Debug, Default)]
pub(crate) struct KeptPattern {
    starts: Vec<i32>,
    columns: Vec<i32>,
}

impl KeptPattern {
    /// Whether a pattern is the same.
    pub fn is(&self, starts: &[i32], columns: &[i32]) -> bool {
        self.starts == starts && self.columns == columns
    }

    /// Forget the pattern before something is computed for another one: if that fails in the middle, no pattern is the same.
    pub fn forget(&mut self) {
        self.starts.clear();
    }

    /// Keep a pattern for which everything is computed.
    pub fn keep(&mut self, starts: &[i32], columns: &[i32]) -> memory::Result {
        self.forget();
        collect(&mut self.columns, columns.len(), columns.iter().copied())?;
        collect(&mut self.starts, starts.len(), starts.iter().copied())
    }

    /// Its starts.
    pub fn starts(&self) -> &[i32] {
        &self.starts
    }

    /// Its columns.
    pub fn columns(&self) -> &[i32] {
        &self.columns
    }
}

/// Check that starts ascend from 0 to the number of blocks, that the columns of each row ascend inside W, and that each row has its
/// diagonal block.
///
/// # Errors
/// If not; the error names the first such row.
pub fn check(starts: &[i32], columns: &[i32]) -> Result<(), Error> {
    let is_right = i32::try_from(starts.len()).is_ok() && crate::factor::ascends(starts, columns.len());
    ensure!(is_right, Error::of_rows(Fault::Invalid(ILL_STARTS)));
    let rows = starts.len() - 1;
    (0..rows).try_for_each(|row| {
        check_row(rows, row, &columns[range(starts, row)]).map_err(|fault| Error::of_row(row, fault))
    })
}

fn check_row(rows: usize, row: usize, columns: &[i32]) -> Result<(), Fault> {
    let is_inside = |&column: &i32| usize::try_from(column).is_ok_and(|column| column < rows);
    ensure!(columns.iter().all(is_inside), Fault::Invalid("a column lies outside W"));
    ensure!(columns.is_sorted_by(|a, b| a < b), Fault::Invalid("its columns do not ascend"));
    let why = "its diagonal block is missing";
    ensure!(columns.binary_search(&(row as i32)).is_ok(), Fault::Invalid(why));
    Ok(())
}
