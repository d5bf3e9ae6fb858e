//! The solver that users call.

use crate::math::Vector;
use crate::memory;
use crate::rows::fault::Error;

use super::anisotropic::{Scaled, is_anisotropic};
use super::body_rows::{BodyRows, BodyRowsSource};
use super::conflict::Multiplier;
use super::determinacy::SolutionSet;
use super::islands::Islands;
use super::options::{Method, Options, Progress, Report, Status};
use super::problem::{Law, Problem, Problem3};
use super::rows_of_three::{BodiesOfTriples, Padded, PaddedProblem};
use super::run::{Source, Task};

/// The tolerance for velocities of which canonical forces are made: an error of forces is larger than the residual by the condition
/// of W on its range. 1e-12 leaves four digits for forces to 1e-8.
const SHARP: f64 = 1e-12;

/// A solver with its workspace. A problem with the pattern of the last one is solved without allocation, unless it has no solution or
/// canonical forces are asked for.
///
/// ```
/// use ldy::solve::{BlockRows, Law, Normal, Options, Problem, Solver, Status};
///
/// // One contact: W is the unit matrix, the body comes down and slides.
/// let w = BlockRows::new(&[0, 1], &[0], &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], None)?;
/// let problem = Problem { w, b: &[2.0, 0.0, -3.0], normal: Normal::Third };
/// let mut forces = [0.0; 3];
/// let report = Solver::new().solve(&problem, &[Law::contact(0.5)], &Options::default(), &mut forces)?;
/// assert_eq!(report.status, Status::Converged);
/// assert!((forces[2] - 3.0).abs() < 1e-7 && (forces[0] + 1.5).abs() < 1e-7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Solver {
    triples: Triples,
    /// The rows of three of a problem with rows of other heights.
    padded: Padded,
}

/// The solver of problems with rows of three.
#[derive(Debug, Default)]
struct Triples {
    islands: Islands,
    scaled: Scaled,
}

impl Solver {
    /// Make a solver with an empty workspace.
    pub fn new() -> Self {
        Self::default()
    }

    /// Solve a problem and replace the initial guess of the forces by the best forces found.
    ///
    /// `laws`: one for each row, or two for a row of more than three scalar rows: the law of the first three, and the law of the
    /// others. A contact has three scalar rows, or two: a tangent and the normal, in the order that `problem.normal` says. Bounds and
    /// biases have a value for each scalar row; further values are not read.
    /// `forces`: a value for each scalar row.
    ///
    /// A stop without convergence is a result: see [`Report::status`].
    ///
    /// # Errors
    /// If an array has the wrong length, a value is not finite, a law is invalid, or memory is exhausted. The forces are unchanged
    /// then.
    pub fn solve(
        &mut self,
        problem: &Problem,
        laws: &[Law],
        options: &Options,
        forces: &mut [f64],
    ) -> Result<Report, Error> {
        self.solve_with_bodies(problem, None, laws, options, forces, None)
    }

    /// Do the same as [`Solver::solve`] and call `progress` with the progress; the solution stops if it returns false.
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub fn solve_with_progress(
        &mut self,
        problem: &Problem,
        laws: &[Law],
        options: &Options,
        forces: &mut [f64],
        progress: &mut Progress,
    ) -> Result<Report, Error> {
        self.solve_with_bodies(problem, None, laws, options, forces, Some(progress))
    }

    /// Do the same as [`Solver::solve_with_progress`], if there is a progress function, with W known as Z Zᵀ, too: some steps are quicker
    /// then. A system knows Z, see [`System::body_rows`](crate::system::System::body_rows).
    ///
    /// # Errors
    /// As [`Solver::solve`], and if W and Z Zᵀ differ by more than rounding.
    pub fn solve_with_factor(
        &mut self,
        problem: &Problem,
        z: &BodyRows,
        laws: &[Law],
        options: &Options,
        forces: &mut [f64],
        progress: Option<&mut Progress>,
    ) -> Result<Report, Error> {
        z.check(&problem.w)?;
        self.solve_with_bodies(problem, Some(z), laws, options, forces, progress)
    }

    /// Do the same as [`Solver::solve_with_progress`], if there is a function that watches, with W known as a sum over bodies, too:
    /// some steps are quicker then. Z has a row for each row of three scalar rows, and two for a row of more.
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub(crate) fn solve_with_bodies(
        &mut self,
        problem: &Problem,
        bodies: Option<&dyn BodyRowsSource>,
        laws: &[Law],
        options: &Options,
        forces: &mut [f64],
        progress: Option<&mut Progress>,
    ) -> Result<Report, Error> {
        problem.check(laws, Some(forces))?;
        options.check()?;
        if !options.canonical {
            return self.solve_checked(problem, bodies, laws, options, forces, progress);
        }
        let mut best = memory::copied(forces)?;
        let sharp = Options { tolerance: options.tolerance.min(SHARP), ..*options };
        let mut report = self.solve_checked(problem, bodies, laws, &sharp, &mut best, progress)?;
        let is_end = matches!(report.status, Status::Stopped | Status::Infeasible);
        if !is_end && report.residual.by(options.measure) <= options.tolerance {
            SolutionSet::of_solution(problem, laws, &best)?.canonical(&mut best)?;
            // A look at the forces: rounding may have moved them out of their cones.
            let look = Options { tolerance: f64::INFINITY, method: Method::GaussSeidel, ..*options };
            let found = Self::new().solve_checked(problem, None, laws, &look, &mut best, None)?;
            (report.status, report.residual) = (Status::Converged, found.residual);
        }
        forces.copy_from_slice(&best);
        Ok(report)
    }

    /// Solve a checked problem.
    fn solve_checked(
        &mut self,
        problem: &Problem,
        bodies: Option<&dyn BodyRowsSource>,
        laws: &[Law],
        options: &Options,
        forces: &mut [f64],
        progress: Option<&mut Progress>,
    ) -> Result<Report, Error> {
        let Problem { w, b, normal } = *problem;
        let Self { triples, padded } = self;
        if let Some(w) = w.as_threes() {
            let problem = Problem3::new(w, b.as_chunks().0, normal);
            return Ok(triples.solve(&problem, bodies, laws, options, forces.as_chunks_mut().0, progress)?);
        }
        padded.fill(problem, laws, forces)?;
        let PaddedProblem { problem, laws, forces: best, rows, lanes } = padded.parts(normal);
        let bodies = bodies.map(|bodies| BodiesOfTriples { bodies, lanes });
        let bodies = bodies.as_ref().map(|bodies| bodies as &dyn BodyRowsSource);
        let row_of = |triple: usize| rows.get(triple).map_or(0, |&row| row as usize);
        let of_rows = |mut report: Report| {
            for residual in [&mut report.residual, &mut report.initial] {
                residual.worst = row_of(residual.worst);
            }
            report
        };
        let mut progress = progress.map(|progress| |report: &Report| progress(&of_rows(*report)));
        let progress = progress.as_mut().map(|progress| progress as &mut Progress);
        let report = of_rows(triples.solve(&problem, bodies, laws, options, best, progress)?);
        padded.read_forces(&w, forces);
        padded.read_conflict(&w, triples.islands.conflict_mut());
        Ok(report)
    }

    /// The rows of the last solution whose laws contradict each other, with the multipliers of the proof, in the order of groups,
    /// rows and components. There are some if the status is [`Status::Infeasible`], and none otherwise.
    ///
    /// ```
    /// use ldy::solve::{BlockRows, Demand, Law, Normal, Options, Problem, Solver, Status};
    ///
    /// // A particle between two walls that approach with the speeds 1 and 2.
    /// let mut values = [[0.0; 9]; 4];
    /// [1.0, -1.0, -1.0, 1.0].into_iter().zip(&mut values).for_each(|(entry, block)| block[8] = entry);
    /// let w = BlockRows::new(&[0, 2, 4], &[0, 1, 0, 1], values.as_flattened(), None)?;
    /// let problem = Problem { w, b: &[0.0, 0.0, -1.0, 0.0, 0.0, -2.0], normal: Normal::Third };
    /// let mut solver = Solver::new();
    /// let report = solver.solve(&problem, &[Law::contact(0.0); 2], &Options::default(), &mut [0.0; 6])?;
    /// assert_eq!(report.status, Status::Infeasible);
    /// for (row, multiplier) in solver.conflict().iter().enumerate() {
    ///     assert_eq!((multiplier.constraint, multiplier.component), (row as u64, 2));
    ///     assert!(multiplier.demand == Demand::Contact && (multiplier.value - 1.0).abs() < 1e-6);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn conflict(&self) -> &[Multiplier] {
        self.triples.islands.conflict()
    }

    /// Replace the numbers of rows in the conflict by ids.
    pub(crate) fn name_conflict(&mut self, ids: &[u64]) {
        for multiplier in self.triples.islands.conflict_mut() {
            multiplier.constraint = ids[multiplier.constraint as usize];
        }
    }

    /// The residuals of the last solution, in the order of their computation: a thousand at most, and 64 for each row at
    /// most. If the rows form several islands, the history belongs to the largest one.
    pub fn history(&self) -> &[f64] {
        self.triples.islands.history()
    }
}

impl Triples {
    /// Solve a checked problem.
    fn solve(
        &mut self,
        problem: &Problem3,
        bodies: Option<&dyn BodyRowsSource>,
        laws: &[Law],
        options: &Options,
        forces: &mut [Vector],
        progress: Option<&mut Progress>,
    ) -> memory::Result<Report> {
        let Self { islands, scaled } = self;
        if !laws.iter().any(is_anisotropic) {
            let source = Source { bodies, scales: &[] };
            return islands.solve(&Task { problem, source, laws, options }, forces, progress);
        }
        scaled.prepare(problem, laws, forces)?;
        let (problem, laws, scaled_forces, scales) = scaled.parts(problem);
        let source = Source { bodies, scales };
        let report =
            islands.solve(&Task { problem: &problem, source, laws, options }, scaled_forces, progress)?;
        scaled.read(forces);
        Ok(report)
    }
}
