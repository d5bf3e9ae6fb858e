//! The solver, as its users see it.

use std::mem;
use std::time::Instant;

use crate::block::Vector;
use crate::memory::renew;
use crate::row_error::Error;
use crate::threads::Team;

use super::axes::{Axes, NormalFirst, NormalThird};
use super::memory::Memory;
use super::momentum::Momentum;
use super::newton::Newton;
use super::options::{Options, Report, Watch};
use super::order::MANY;
use super::padded::{AnyProblem, Padded};
use super::problem::{Law, Normal, Problem};
use super::residual::Norms;
use super::run::{MOST_NOTES, Run};
use super::scaled::{Scaled, is_anisotropic};
use super::sweeps::Sweeps;

/// A solver, and the memory of its last problem. A problem of the same pattern is solved without allocating.
#[derive(Debug, Default)]
pub struct Solver {
    memory: Memory,
    newton: Newton,
    sweeps: Sweeps,
    /// Forces as they change, the centre of the proximal term, the closest forces that the laws allow, the best of these.
    forces: Vec<Vector>,
    center: Vec<Vector>,
    allowed: Vec<Vector>,
    best: Vec<Vector>,
    history: Vec<f64>,
    /// Of a problem with rows of other than three scalars.
    padded: Padded,
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
        problem.check(laws, forces)?;
        options.check()?;
        if !laws.iter().any(is_anisotropic) {
            return self.run_along_axes(problem, laws, options, forces, watch);
        }
        // Out of the solver, which is used meanwhile; it comes back whatever happens.
        let mut scaled = mem::take(&mut self.scaled);
        let made = self.solve_scaled(&mut scaled, problem, laws, options, forces, watch);
        self.scaled = scaled;
        made
    }

    fn solve_scaled(
        &mut self,
        scaled: &mut Scaled,
        problem: &Problem,
        laws: &[Law],
        options: &Options,
        forces: &mut [Vector],
        watch: &mut Watch,
    ) -> Result<Report, Error> {
        scaled.prepare(problem, laws, forces)?;
        let (problem, laws, scaled_forces) = scaled.parts(problem);
        let report = self.run_along_axes(&problem, laws, options, scaled_forces, watch)?;
        scaled.read(forces);
        Ok(report)
    }

    /// As [`Solver::solve_watched`], with rows of one to six scalars and as many forces. Laws: one for each row, or two for one of more than
    /// three scalars, of the first three and of the others; a contact has three. Of bounds and biases as many are read as there are
    /// scalars.
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
        let AnyProblem { w, b, normal } = problem;
        if w.extents.is_none() {
            let (values, b) = (w.values.as_chunks().0, b.as_chunks().0);
            let problem = Problem { starts: w.starts, columns: w.columns, values, b, normal: *normal };
            return self.solve_watched(&problem, laws, options, forces.as_chunks_mut().0, watch);
        }
        let mut padded = mem::take(&mut self.padded);
        let made = self.solve_padded(&mut padded, problem, laws, options, forces, watch);
        self.padded = padded;
        made
    }

    fn solve_padded(
        &mut self,
        padded: &mut Padded,
        problem: &AnyProblem,
        laws: &[Law],
        options: &Options,
        forces: &mut [f64],
        watch: &mut Watch,
    ) -> Result<Report, Error> {
        padded.fill(problem, laws, forces)?;
        let mut best = mem::take(&mut padded.forces);
        let row_of = |triple: usize| padded.rows.get(triple).map_or(0, |&row| row as usize);
        let of_rows = |mut report: Report| {
            for residual in [&mut report.residual, &mut report.first] {
                residual.worst = row_of(residual.worst);
            }
            report
        };
        let watch = &mut |report: &Report| watch(&of_rows(*report));
        let made =
            self.solve_watched(&padded.problem(problem.normal), &padded.laws, options, &mut best, watch);
        let made = made.map(of_rows);
        let made = made.map_err(|error| Error { row: error.row.map(row_of), ..error });
        padded.forces = best;
        if made.is_ok() {
            padded.read_forces(&problem.w, forces);
        }
        made
    }

    /// The residuals of the last solution, in the order in which they were looked at; of many, the first thousand.
    pub fn history(&self) -> &[f64] {
        &self.history
    }

    fn run_along_axes(
        &mut self,
        problem: &Problem,
        laws: &[Law],
        options: &Options,
        forces: &mut [Vector],
        watch: &mut Watch,
    ) -> Result<Report, Error> {
        match problem.normal {
            Normal::First => self.run::<NormalFirst>(problem, laws, options, forces, watch),
            Normal::Third => self.run::<NormalThird>(problem, laws, options, forces, watch),
        }
    }

    fn run<A: Axes>(
        &mut self,
        problem: &Problem,
        laws: &[Law],
        options: &Options,
        forces: &mut [Vector],
        watch: &mut Watch,
    ) -> Result<Report, Error> {
        let begin = Instant::now();
        let rows = problem.rows();
        let Self { memory, newton, sweeps, forces: now, center, allowed, best, history, .. } = self;
        let team = Team::if_it_pays(rows >= MANY);
        memory.prepare::<A>(problem, laws)?;
        sweeps.prepare(problem)?;
        for list in [&mut *now, center, allowed, best] {
            renew(list, rows, forces.iter().copied())?;
        }
        renew(history, MOST_NOTES, std::iter::empty())?;
        let norms = Norms::new(&memory.q, &memory.weights);
        let report = Report::default();
        let products = None;
        let fewer = 0;
        let mut run = Run {
            problem,
            laws,
            options,
            memory,
            norms,
            begin,
            newton,
            sweeps,
            team,
            products,
            fewer,
            now,
            center,
            allowed,
            best,
            history,
            report,
            watch,
            is_stopped: false,
            momentum: Momentum::default(),
            alpha_of_joints: f64::INFINITY,
        };
        let end = run.run::<A>()?;
        let report = Report { end, time: begin.elapsed(), ..run.report };
        forces.copy_from_slice(&self.best);
        Ok(report)
    }
}
