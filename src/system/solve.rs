//! Forces of a system's constraints by [`crate::solve`].
#![forbid(unsafe_code)]

use crate::solve::{Law, Options, Report, Solver, Watch};

use super::body_rows::BodiesOfSystem;
use super::error::Result;
use super::model::System;

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
        self.solve_with(solver, laws, options, forces, None)
    }

    /// Do the same as [`System::solve`] and call `watch` with the progress; the solution stops if it returns false.
    ///
    /// # Errors
    /// The errors of [`System::solve`].
    pub fn solve_watched(
        &self,
        solver: &mut Solver,
        laws: &[Law],
        options: &Options,
        forces: &mut [f64],
        watch: &mut Watch,
    ) -> Result<Report> {
        self.solve_with(solver, laws, options, forces, Some(watch))
    }

    fn solve_with(
        &self,
        solver: &mut Solver,
        laws: &[Law],
        options: &Options,
        forces: &mut [f64],
        watch: Option<&mut Watch>,
    ) -> Result<Report> {
        let problem = self.rows()?.problem();
        let bodies = BodiesOfSystem { system: self };
        let made = solver.solve_with_bodies(&problem, Some(&bodies), laws, options, forces, watch);
        made.map_err(|error| self.of_row(error))
    }
}
