//! Factors and dependent rows of a system's W by [`crate::rows`].
#![forbid(unsafe_code)]

use crate::rows::fault;
use crate::rows::{BlockRows, Bsr3, Cholesky, dependent_rows};

use super::error::{Error, Result, Subject};
use super::model::System;
use super::rows::Rows;

impl<'a> Rows<'a> {
    /// W.
    pub fn matrix(&self) -> BlockRows<'a> {
        BlockRows::trusted(self.starts, self.columns, self.values.as_flattened(), None)
    }

    /// W as 3×3 blocks.
    pub(super) fn blocks(&self) -> Bsr3<'a> {
        Bsr3 { starts: self.starts, columns: self.columns, values: self.values }
    }
}

impl System {
    /// Factor W + diag μ of the last update: see [`Cholesky::factorise`].
    ///
    /// # Errors
    /// The errors of that function, and if there was no successful update since a change of other data than velocities.
    pub fn factorise(&self, factor: &mut Cholesky, mu: &[f64]) -> Result {
        let rows = self.rows_of_operators()?;
        factor.factorise(&rows.w, mu).map_err(|error| self.of_row(error))
    }

    /// Find the scalar rows of W of the last update that depend on others, a value for each scalar row: see [`dependent_rows`].
    ///
    /// # Errors
    /// The errors of that function, and if there was no successful update since a change of other data than velocities.
    pub fn dependent_rows(&self, tolerance: f64) -> Result<Vec<bool>> {
        let rows = self.rows_of_operators()?;
        dependent_rows(&rows.w, tolerance).map_err(|error| self.of_row(error))
    }

    /// The error of a row as an error of its constraint.
    pub(super) fn of_row(&self, fault::Error { row, fault }: fault::Error) -> Error {
        let id = row.and_then(|row| self.constraint_ids().nth(row));
        let subject = id.and_then(|id| self.subject(id).ok()).unwrap_or(Subject::System);
        Error { subject, fault: fault.into() }
    }
}
