//! A dense inverse, for finite elements of reduced order.

use super::Defect;

/// A dense n × n matrix, column-major.
#[derive(Clone, Copy, Debug)]
pub struct Dense<'a> {
    /// Number of rows.
    pub size: usize,
    /// The n² values.
    pub values: &'a [f64],
}

impl<'a> Dense<'a> {
    /// The matrix of `size` rows and columns with the given values.
    ///
    /// # Errors
    /// If there are not `size`² values.
    pub fn new(size: usize, values: &'a [f64]) -> Result<Self, Defect> {
        ensure!(size.checked_mul(size) == Some(values.len()), Defect::Size);
        Ok(Self { size, values })
    }

    #[inline(always)]
    pub(super) fn each_in_column(&self, column: usize, mut visit: impl FnMut(usize, f64)) {
        let values = &self.values[self.size * column..][..self.size];
        values.iter().enumerate().for_each(|(row, value)| visit(row, *value));
    }
}
