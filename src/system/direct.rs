//! Factors and dependent rows of a system's W by [`crate::rows`].
#![forbid(unsafe_code)]

use crate::rows::fault;
use crate::rows::{Cholesky, dependent_rows};

use super::error::{Error, Result, Subject};
use super::model::System;

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

    /// Convert the error of a row to an error of its constraint.
    pub(super) fn of_row(&self, fault::Error { row, fault }: fault::Error) -> Error {
        let constraint = row.and_then(|row| self.constraints().nth(row));
        let subject = constraint.map_or(Subject::System, |(id, constraint)| constraint.subject(id));
        Error { subject, fault }
    }
}
