//! Forces of the rows of a system; the numbers are those of [`crate::solve`].
#![forbid(unsafe_code)]

use crate::solve::{AnyProblem, Law, Normal, Options, Problem, Report, Solver, Watch};

use super::error::Result;
use super::mixed::AnyRows;
use super::model::System;
use super::rows::Rows;

impl<'a> Rows<'a> {
    /// What is to be solved with these rows, the third component normal.
    pub fn problem(&self) -> Problem<'a> {
        let Self { starts, columns, values, b, .. } = *self;
        Problem { starts, columns, values, b, normal: Normal::Third }
    }
}

impl<'a> AnyRows<'a> {
    /// What is to be solved with these rows, the third component of contacts normal.
    pub fn problem(&self) -> AnyProblem<'a> {
        AnyProblem { w: self.matrix(), b: self.b, normal: Normal::Third }
    }
}

impl System {
    /// Solve C(U, R) = 0 with the rows of the last update, the third component of contacts normal; `forces` are where to begin, one
    /// for each scalar, and become the best that are met. `laws` has one for each row, two for one of more than three scalars: see
    /// [`Solver::solve_any`].
    ///
    /// # Errors
    /// If no update has been made since the last change, there are not as many laws or forces as rows, a law is none, a force to
    /// begin with is not finite, or memory is exhausted. The forces are as they were then.
    pub fn solve(
        &self,
        solver: &mut Solver,
        laws: &[Law],
        options: &Options,
        forces: &mut [f64],
    ) -> Result<Report> {
        self.solve_watched(solver, laws, options, forces, &mut |_| true)
    }

    /// As [`System::solve`]; `watch` is told how far it is, and may end it.
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
        let made = solver.solve_any(&problem, laws, options, forces, watch);
        made.map_err(|error| self.of_row(error))
    }
}
