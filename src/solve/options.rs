//! How to solve, and what came out.

use std::time::Duration;

use crate::rows::fault::{Error, Fault};

use super::residual::{Measure, Residual};

/// How to solve.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The residual that is small enough.
    pub tolerance: f64,
    /// By what it is measured.
    pub measure: Measure,
    /// The method.
    pub method: Method,
    /// Most sweeps over all constraints.
    pub sweeps: usize,
    /// Most work, in units of [`Report::work`]: a limit of time that depends on no clock, so that results are the same everywhere. It
    /// is looked at between sweeps and steps. `None`: there is no limit.
    pub work: Option<u64>,
    /// Most time; it is looked at between sweeps and steps. `None`: there is no limit, and results depend on no clock.
    pub time: Option<Duration>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            measure: Measure::Both,
            method: Method::Automatic,
            sweeps: 100_000,
            work: None,
            time: None,
        }
    }
}

impl Options {
    pub(super) fn check(&self) -> Result<(), Error> {
        let why = "the tolerance is negative or not a number";
        if self.tolerance >= 0.0 { Ok(()) } else { Err(Error::of_rows(Fault::Invalid(why))) }
    }
}

/// Which method is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Method {
    /// Gauss–Seidel until Newton's method is expected to be the quicker one, and in turns where it fails.
    #[default]
    Automatic,
    /// Gauss–Seidel alone.
    GaussSeidel,
    /// Newton's method from the start, Gauss–Seidel where it fails.
    Newton,
}

/// Why a solver ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum End {
    /// The residual is within the tolerance.
    Converged,
    /// As many sweeps have been made, or as much work done, as were allowed.
    #[default]
    Sweeps,
    /// The time is over.
    Time,
    /// The residual decreases no more: rounding keeps it, or there is no solution.
    Stalled,
    /// It has been proved that there is no solution, or none without forces that are huge beside B: see `docs/solvers.md`.
    Infeasible,
    /// Who watched it has said so.
    Stopped,
}

/// Told how far a solution is each time that its residual is looked at; it goes on where this returns true.
pub type Watch<'a> = dyn FnMut(&Report) -> bool + 'a;

/// What came out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Report {
    /// Why it ended.
    pub end: End,
    /// Of the forces that are returned, the best that were met.
    pub residual: Residual,
    /// Of the forces given.
    pub first: Residual,
    /// Sweeps of Gauss–Seidel.
    pub sweeps: usize,
    /// Steps of Newton's method.
    pub steps: usize,
    /// Work, counted from sizes and patterns: about a nanosecond of a processor of 2025 each.
    pub work: u64,
    /// Elapsed.
    pub time: Duration,
}
