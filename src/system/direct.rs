//! Factors and dependences of the rows of a system; the numbers are those of [`crate::rows`].
#![forbid(unsafe_code)]

use crate::rows::fault;
use crate::rows::{AnyBlockRows, BlockRows, Cholesky, dependent_rows};

use super::error::{Error, Result, Subject};
use super::mixed::AnyRows;
use super::model::System;
use super::rows::Rows;

impl<'a> Rows<'a> {
    /// W alone.
    pub fn blocks(&self) -> BlockRows<'a> {
        BlockRows { starts: self.starts, columns: self.columns, values: self.values }
    }
}

impl<'a> AnyRows<'a> {
    /// W alone.
    pub fn matrix(&self) -> AnyBlockRows<'a> {
        let Self { starts, columns, values, extents, .. } = *self;
        AnyBlockRows { starts, columns, values, extents }
    }
}

impl System {
    /// Factor W + diag μ of the last update: see [`Cholesky::factorise`].
    ///
    /// # Errors
    /// As there, and if there was no successful update since anything but velocities changed.
    pub fn factorise(&self, factor: &mut Cholesky, mu: &[f64]) -> Result {
        let rows = self.rows_of_operators()?;
        factor.factorise(rows.matrix(), mu).map_err(|error| self.of_row(error))
    }

    /// Which scalar rows of W of the last update depend on others, a value for each: see [`dependent_rows`].
    ///
    /// # Errors
    /// As there, and if there was no successful update since anything but velocities changed.
    pub fn dependent_rows(&self, tolerance: f64) -> Result<Vec<bool>> {
        let rows = self.rows_of_operators()?;
        dependent_rows(rows.matrix(), tolerance).map_err(|error| self.of_row(error))
    }

    /// An error of a row as one of its constraint.
    pub(super) fn of_row(&self, fault::Error { row, fault }: fault::Error) -> Error {
        let id = row.and_then(|row| self.constraint_ids().nth(row));
        let subject = id.and_then(|id| self.subject(id).ok()).unwrap_or(Subject::System);
        Error { subject, fault: fault.into() }
    }
}
