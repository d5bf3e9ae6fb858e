//! Options and report of a solution.

use std::time::Duration;

use crate::rows::fault::{Error, Fault};

use super::residual::{Measure, Residual};

/// The options of a solution.
///
/// ```
/// use ldy::solve::{Options, Method};
///
/// // A step of a simulation: at most 100 sweeps, whatever the residual is then.
/// let options = Options { tolerance: 1e-4, max_sweeps: 100, method: Method::GaussSeidel, ..Options::default() };
/// assert!(options.max_work.is_none());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The tolerance: the solution has converged if its residual is at most this.
    pub tolerance: f64,
    /// The measure of the residual.
    pub measure: Measure,
    /// The method.
    pub method: Method,
    /// The iteration limit: the largest number of sweeps over the constraints of an island, a group that no block of W connects
    /// with others.
    pub max_sweeps: usize,
    /// The largest amount of work, in units of [`Report::work`]. This limit of time depends on no clock, so that results are the
    /// same everywhere. It is divided among islands, and checked between sweeps and steps. `None`: there is no limit.
    pub max_work: Option<u64>,
    /// The largest elapsed time, checked between sweeps and steps. `None`: there is no limit, and results depend on no clock.
    pub time_limit: Option<Duration>,
    /// Whether to return canonical forces: among all solutions with the velocities of the one that was found, those with the least sum
    /// of d R², d as in [`Residual::scaled`]. They do not depend on the initial guess or on the order of rows. The solution is found
    /// to 1e-12 for this, or as far as limits and rounding allow; if its residual is above the tolerance, its forces remain. W must be
    /// symmetric. Memory is allocated, see [`SolutionSet::new`](super::SolutionSet::new).
    pub canonical: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            measure: Measure::Both,
            method: Method::Automatic,
            max_sweeps: 100_000,
            max_work: None,
            time_limit: None,
            canonical: false,
        }
    }
}

impl Options {
    /// Options for steps in real time: at most 100 sweeps of Gauss–Seidel, tolerance 1e-3. The work of a step is bounded, and the
    /// same in each run. Begin with the forces of the last step; the best forces are returned, usually before they have converged.
    pub fn real_time() -> Self {
        Self { tolerance: 1e-3, method: Method::GaussSeidel, max_sweeps: 100, ..Self::default() }
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        let why = "the tolerance is negative or not a number";
        if self.tolerance >= 0.0 { Ok(()) } else { Err(Error::of_rows(Fault::Invalid(why))) }
    }
}

/// The method of a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Method {
    /// Gauss–Seidel until Newton's method is expected to be quicker; both in turns where Newton's method fails.
    #[default]
    Automatic,
    /// Gauss–Seidel alone.
    GaussSeidel,
    /// Newton's method from the start, Gauss–Seidel where it fails.
    Newton,
}

/// The status of a solution: why it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Status {
    /// The residual is within the tolerance.
    Converged,
    /// The iteration limit was reached.
    #[default]
    SweepLimit,
    /// The limit of time was reached.
    TimeLimit,
    /// The residual no longer decreases, because of rounding or because there is no solution.
    Stalled,
    /// The problem is proved infeasible: it has no solution, or none without forces that are huge compared with B, see
    /// `docs/solvers/methods.md`.
    Infeasible,
    /// The progress function returned false.
    Stopped,
    /// The limit of work was reached.
    WorkLimit,
}

/// A function that gets the progress each time that the residual is computed, and returns whether the solution goes on. With it,
/// one thread solves all islands.
pub type Progress<'a> = dyn FnMut(&Report) -> bool + 'a;

/// The result of a solution.
#[derive(Clone, Copy, Debug, Default)]
pub struct Report {
    /// The status.
    pub status: Status,
    /// The residual of the returned forces, the best that were found.
    pub residual: Residual,
    /// The residual of the initial guess.
    pub initial: Residual,
    /// Sweeps of Gauss–Seidel, on the island with the most.
    pub sweeps: usize,
    /// Steps of Newton's method, on the island with the most.
    pub steps: usize,
    /// Work, counted from sizes and patterns: one unit is about a nanosecond of a processor of 2025.
    pub work: u64,
    /// Elapsed time.
    pub time: Duration,
}
