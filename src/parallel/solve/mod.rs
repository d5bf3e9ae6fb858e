//! Forces of constraints across processes: Gauss–Seidel with momentum. The order of neighbors, the sums that guide momentum, and the
//! norms and residuals belong to all processes together, so that forces have the same bits for any number of processes and any partition.
//!
//! `course` is the course of a solution, `threes` the problem in rows of three, `order` the order of rows and the messages of each color,
//! `schedule` the order within a process, `splitting` the shares of bodies in the fast mode, `sums` the sums over all rows, `input` the laws
//! and forces of the halo.
#![forbid(unsafe_code)]

mod course;
mod input;
mod order;
mod schedule;
mod splitting;
mod sums;
mod threes;

use crate::ffi::errors::{Code, Result, fail, invalid};
use crate::solve::{Method, Options, Report};

use super::mpi::agreement::Call;
use super::system::ParallelSystem;
use course::Buffers;
use order::Sequence;
use threes::Threes;

/// How processes work together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// In an order of all rows: forces have the same bits for any partition.
    SameBits,
    /// Gauss–Seidel within a process, each with a part of the mass of bodies that several processes change.
    Fast,
}

/// The workspace of solutions, kept for the next one.
#[derive(Debug, Default)]
pub struct Workspace {
    order: Sequence,
    threes: Threes,
    room: Buffers,
}

impl Workspace {
    /// The number of colors of the last solution.
    pub(super) fn color_count(&self) -> usize {
        self.order.colors.len()
    }

    /// The pattern of W has changed.
    pub(super) fn forget_order(&mut self) {
        self.order = Sequence::default();
    }
}

fn check_options(options: &Options) -> Result {
    let is_tolerance = options.tolerance >= 0.0;
    ensure!(is_tolerance, invalid!("the tolerance is negative or not a number"));
    let unknown = [
        (options.method == Method::Newton, "Newton's method"),
        (options.canonical, "canonical forces"),
        (options.max_work.is_some(), "a limit of work"),
    ];
    match unknown.iter().find(|(is_asked, _)| *is_asked) {
        Some((_, what)) => Err(fail!(Code::NotImplemented, "options: no {what} across processes")),
        None => Ok(()),
    }
}

/// A number of the options that all processes must share.
fn digest(options: &Options, mode: Mode) -> u64 {
    let limit = options.time_limit.map_or(0, |limit| limit.as_nanos() as u64);
    let numbers =
        [options.tolerance.to_bits(), options.measure as u64, options.max_sweeps as u64, limit, mode as u64];
    numbers
        .iter()
        .fold(0, |digest: u64, number| (digest.rotate_left(5) ^ number).wrapping_mul(0x517c_c1b7_2722_0a95))
}

impl ParallelSystem {
    /// Find forces that obey the laws kept with the constraints, from the rows of the last update. `forces` has a value for each own
    /// scalar row: the initial guess, and then the best forces found. Collective.
    ///
    /// # Errors
    /// The same on all processes: if there was no successful update since the last change, an own constraint has no law, the options
    /// differ or ask for more than Gauss–Seidel, a value is not finite, or memory is exhausted. The forces are unchanged then.
    pub fn solve(&mut self, options: &Options, mode: Mode, forces: &mut [f64]) -> Result<Report> {
        let checked = check_options(options)
            .and_then(|()| self.check_lengths(&[forces.len()]))
            .and_then(|()| self.check_problem(forces));
        let is_new = !self.solver.order.is_of(mode);
        if self.group.begin(Call::Solve, digest(options, mode), is_new, &checked)? {
            self.make_order(mode)?;
        }
        let mut room = std::mem::take(&mut self.solver);
        let solved = self.solve_in(&mut room, options, mode, forces);
        self.solver = room;
        solved
    }

    /// The residuals of the last solution, in the order of their computation.
    pub fn history(&self) -> &[f64] {
        &self.solver.room.history
    }
}
