//! The solver, as its users see it.

use crate::math::Vector;
use crate::rows::fault::Error;

use super::anisotropic::{Scaled, is_anisotropic};
use super::options::{Options, Report, Watch};
use super::problem::{Law, Problem};
use super::rows_of_three::{AnyProblem, Padded};
use super::run::Room;

/// A solver, and the memory of its last problem. A problem of the same pattern is solved without allocating.
#[derive(Debug, Default)]
pub struct Solver {
    triples: Triples,
    /// Of a problem with rows of other than three scalars.
    padded: Padded,
}

/// What solves problems with rows of three.
#[derive(Debug, Default)]
struct Triples {
    room: Room,
    scaled: Scaled,
}

impl Solver {
    /// A solver without memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Solve a problem, beginning with the forces given, and leave the best ones met there.
    ///
    /// A stop without convergence is a result: see [`Report::end`].
    ///
    /// # Errors
    /// If sizes do not fit, a value is not finite, a law is none, or memory is exhausted. The forces are as they were then.
    pub fn solve(
        &mut self,
        problem: &Problem,
        laws: &[Law],
        options: &Options,
        forces: &mut [Vector],
    ) -> Result<Report, Error> {
        self.solve_watched(problem, laws, options, forces, &mut |_| true)
    }

    /// As [`Solver::solve`]; `watch` is told how far it is, and may end it.
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub fn solve_watched(
        &mut self,
        problem: &Problem,
        laws: &[Law],
        options: &Options,
        forces: &mut [Vector],
        watch: &mut Watch,
    ) -> Result<Report, Error> {
        self.triples.solve(problem, laws, options, forces, watch)
    }

    /// As [`Solver::solve_watched`], with rows of one to six scalars and as many forces. Laws: one for each row, or two for one of
    /// more than three scalars, of the first three and of the others; a contact has three. Of bounds and biases as many are read as
    /// there are scalars.
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub fn solve_any(
        &mut self,
        problem: &AnyProblem,
        laws: &[Law],
        options: &Options,
        forces: &mut [f64],
        watch: &mut Watch,
    ) -> Result<Report, Error> {
        problem.check(laws, forces)?;
        let AnyProblem { w, b, normal } = *problem;
        let Self { triples, padded } = self;
        if w.extents.is_none() {
            let (values, b) = (w.values.as_chunks().0, b.as_chunks().0);
            let problem = Problem { starts: w.starts, columns: w.columns, values, b, normal };
            return triples.solve(&problem, laws, options, forces.as_chunks_mut().0, watch);
        }
        padded.fill(problem, laws, forces)?;
        let (problem, laws, best, rows) = padded.parts(normal);
        let row_of = |triple: usize| rows.get(triple).map_or(0, |&row| row as usize);
        let of_rows = |mut report: Report| {
            for residual in [&mut report.residual, &mut report.first] {
                residual.worst = row_of(residual.worst);
            }
            report
        };
        let watch = &mut |report: &Report| watch(&of_rows(*report));
        let made = triples.solve(&problem, laws, options, best, watch).map(of_rows);
        let report = made.map_err(|error| Error { row: error.row.map(row_of), ..error })?;
        padded.read_forces(&w, forces);
        Ok(report)
    }

    /// The residuals of the last solution, in the order in which they were looked at; of many, the first thousand.
    pub fn history(&self) -> &[f64] {
        &self.triples.room.history
    }
}

impl Triples {
    /// As [`Solver::solve_watched`].
    fn solve(
        &mut self,
        problem: &Problem,
        laws: &[Law],
        options: &Options,
        forces: &mut [Vector],
        watch: &mut Watch,
    ) -> Result<Report, Error> {
        problem.check(laws, forces)?;
        options.check()?;
        let Self { room, scaled } = self;
        if !laws.iter().any(is_anisotropic) {
            return Ok(room.solve(problem, laws, options, forces, watch)?);
        }
        scaled.prepare(problem, laws, forces)?;
        let (problem, laws, scaled_forces) = scaled.parts(problem);
        let report = room.solve(&problem, laws, options, scaled_forces, watch)?;
        scaled.read(forces);
        Ok(report)
    }
}
