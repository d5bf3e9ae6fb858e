//! Forces of constraints by [`crate::solve`], factors and dependent rows of W by [`crate::rows`], from the rows of the last update.
#![forbid(unsafe_code)]

use crate::rows::{Cholesky, dependent_rows, fault};
use crate::solve::{Derivatives, Law, Options, Progress, Report, SolutionSet, Solver};

use super::body_rows::BodiesOfSystem;
use super::error::{Error, Result, Subject};
use super::model::System;

impl System {
    /// Solve C(U, R) = 0 with the rows of the last update and the third component of contacts as the normal one, and replace the
    /// initial guess of the forces by the best forces found: see [`Solver::solve`]. [`Solver::conflict`] has the ids of constraints.
    ///
    /// # Errors
    /// The errors of that function, and if there was no successful update since the last change. The forces are unchanged then.
    pub fn solve(
        &self,
        solver: &mut Solver,
        laws: &[Law],
        options: &Options,
        forces: &mut [f64],
    ) -> Result<Report> {
        self.solve_with(solver, laws, options, forces, None)
    }

    /// Do the same as [`System::solve`] and call `progress` with the progress; the solution stops if it returns false.
    ///
    /// # Errors
    /// The errors of [`System::solve`].
    pub fn solve_with_progress(
        &self,
        solver: &mut Solver,
        laws: &[Law],
        options: &Options,
        forces: &mut [f64],
        progress: &mut Progress,
    ) -> Result<Report> {
        self.solve_with(solver, laws, options, forces, Some(progress))
    }

    /// As [`System::solve_with_progress`] if there is a function that watches, else as [`System::solve`].
    pub(super) fn solve_with(
        &self,
        solver: &mut Solver,
        laws: &[Law],
        options: &Options,
        forces: &mut [f64],
        progress: Option<&mut Progress>,
    ) -> Result<Report> {
        let problem = self.results()?.problem();
        let bodies = BodiesOfSystem { system: self };
        let made = solver.solve_with_bodies(&problem, Some(&bodies), laws, options, forces, progress);
        let report = made.map_err(|error| self.of_row(error))?;
        solver.name_conflict(self.results()?.ids);
        Ok(report)
    }

    /// Find the solutions with the velocities of a known one, for the rows of the last update: see [`SolutionSet::new`].
    ///
    /// # Errors
    /// The errors of that function, and if there was no successful update since the last change.
    pub fn solution_set(&self, laws: &[Law], forces: &[f64], tolerance: f64) -> Result<SolutionSet> {
        let problem = self.results()?.problem();
        SolutionSet::new(&problem, laws, forces, tolerance).map_err(|error| self.of_row(error))
    }

    /// Prepare the derivatives of a known solution, for the rows of the last update, with the memory of earlier ones: see
    /// [`Derivatives::compute`].
    ///
    /// # Errors
    /// The errors of that function, and if there was no successful update since the last change.
    pub fn compute_derivatives(
        &self,
        derivatives: &mut Derivatives,
        laws: &[Law],
        forces: &[f64],
        tolerance: f64,
    ) -> Result {
        let problem = self.results()?.problem();
        derivatives.compute(&problem, laws, forces, tolerance).map_err(|error| self.of_row(error))
    }

    /// Check what [`System::solve`] and [`write_problem`](crate::solve::write_problem) read: the rows of the last update, laws, and forces
    /// if they are given.
    ///
    /// # Errors
    /// The errors of [`System::solve`].
    pub fn check_problem(&self, laws: &[Law], forces: Option<&[f64]>) -> Result {
        self.results()?.problem().check(laws, forces).map_err(|error| self.of_row(error))
    }

    /// Factor W + diag μ of the last update: see [`Cholesky::factorize`].
    ///
    /// # Errors
    /// The errors of that function, and if there was no successful update since a change of other data than velocities.
    pub fn factorize(&self, factor: &mut Cholesky, mu: &[f64]) -> Result {
        let rows = self.rows_of_operators()?;
        factor.factorize(&rows.w, mu).map_err(|error| self.of_row(error))
    }

    /// Find the scalar rows of W of the last update that depend on others, a value for each scalar row: see [`dependent_rows`].
    ///
    /// # Errors
    /// The errors of that function, and if there was no successful update since a change of other data than velocities.
    pub fn redundant(&self, tolerance: f64) -> Result<Vec<bool>> {
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
