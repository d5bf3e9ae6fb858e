//! Forces of a system's constraints by [`crate::solve`].
#![forbid(unsafe_code)]

use crate::solve::{Law, Normal, Options, Problem, Report, Solver, Watch};

use super::error::Result;
use super::mixed::AnyRows;
use super::model::System;
use super::rows::Rows;

impl<'a> Rows<'a> {
    /// The problem of these rows, with the third component of contacts as the normal one.
    pub fn problem(&self) -> Problem<'a> {
        Problem { w: self.matrix(), b: self.b.as_flattened(), normal: Normal::Third }
    }
}

impl<'a> AnyRows<'a> {
    /// The problem of these rows, with the third component of contacts as the normal one.
    pub fn problem(&self) -> Problem<'a> {
        Problem { w: self.w, b: self.b, normal: Normal::Third }
    }
}

impl System {
    /// Solve C(U, R) = 0 with the rows of the last update and the third component of contacts as the normal one, and replace the
    /// initial guess of the forces by the best forces found: see [`Solver::solve`].
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
        self.solve_watched(solver, laws, options, forces, &mut |_| true)
    }

    /// Do the same as [`System::solve`] and call `watch` with the progress; the solution stops if it returns false.
    ///
    /// # Errors
    /// As [`System::solve`].
    pub fn solve_watched(
        &self,
        solver: &mut Solver,
        laws: &[Law],
        options: &Options,
        forces: &mut [f64],
        watch: &mut Watch,
    ) -> Result<Report> {
        let problem = self.any_rows()?.problem();
        let made = solver.solve_watched(&problem, laws, options, forces, watch);
        made.map_err(|error| self.of_row(error))
    }
}
