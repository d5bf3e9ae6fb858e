//! The beginning of problems with few rows: few sweeps, then a few steps, since a step costs as much as some sweeps there. All is on
//! the stack. Most of these problems end here, and anything that is prepared for the others would take longer.

mod steps;
mod unknowns;

use std::time::Instant;

use crate::math::simd::at_best;
use crate::math::{Block, UNIT, Vector};
use crate::memory::{self, push};
use crate::solve::frames::Axes;
use crate::solve::gauss_seidel::{Force, Prepared, relax_any};
use crate::solve::laws::{Local, allowed_in_row};
use crate::solve::local::{ACCURACY, RollingContact};
use crate::solve::options::{Report, Status};
use crate::solve::problem::Problem3;
use crate::solve::residual::{Norms, Sums, Velocities, weights};
use crate::solve::workspace::{diagonal, local, prepare_rolling};

use super::costs::{dense_step_cost, sweep_cost};
use super::sweeps::left_at_rate;
use super::{Observer, Outcome, Task, VERY_FEW, VERY_FEW_IF_DENSE, counts, limit};

/// The trials; there is one more in problems of at most `SMALLEST` rows, where other methods take longer to begin. The sweeps before the
/// first one cost this share of a step, and before the next one `MORE` times as much.
const TRIALS: usize = 2;
const SMALLEST: usize = 4;
const SHARE: f64 = 0.25;
const MORE: f64 = 2.0;
const LEAST_SWEEPS: usize = 2;

/// The α of a trial over that of the trial before: a few problems need shorter steps.
const MORE_ALPHA: f64 = 10.0;

/// Sweeps go on while those that seem to be left cost at most as much as this number of steps.
const AHEAD: f64 = 0.5;

/// The outcome so far, and the best forces; at first those to begin with.
#[derive(Default)]
pub(super) struct Begun {
    pub outcome: Outcome,
    pub forces: [Vector; VERY_FEW_IF_DENSE],
}

/// The workspace in a room. Residuals are added to the history.
pub(super) struct Kept<'a> {
    pub rolling: &'a mut Vec<RollingContact>,
    pub matrix: &'a mut Vec<[f64; 4]>,
    pub history: &'a mut Vec<f64>,
}

/// The input of a solution.
pub(super) struct Given<'a, 'w> {
    pub task: &'a Task<'a>,
    pub begun: &'a mut Begun,
    pub kept: Kept<'a>,
    pub observer: &'a mut Observer<'w>,
    pub deadline: Option<Instant>,
}

/// A problem with at most N rows.
struct Few<'a, 'w, const N: usize> {
    given: Given<'a, 'w>,
    rows: usize,
    /// Whether a sweep is exact: there is one row, or a contact with its moments.
    is_single: bool,
    q: [Vector; N],
    weights: [f64; N],
    roots: [f64; N],
    /// 1 / √d.
    inverses: [f64; N],
    locals: [Local; N],
    now: [Force; N],
    /// The closest forces that the laws allow, and their velocities, of the last look.
    allowed: [Vector; N],
    velocities: [Vector; N],
    /// Whether W does not connect second tangents with anything, as in a plane.
    is_flat: bool,
    /// The cost of a sweep, and of a step if factors are full.
    sweep_cost: f64,
    step_cost: f64,
    is_stopped: bool,
}

/// Begin the solution of a problem with one to `VERY_FEW_IF_DENSE` rows. Returns the status if it has ended.
///
/// # Errors
/// If memory is exhausted.
pub(super) fn begin<A: Axes>(given: Given) -> memory::Result<Option<Status>> {
    match given.task.problem.rows() {
        1 => solve::<A, 1>(given),
        rows if rows <= SMALLEST => solve::<A, SMALLEST>(given),
        rows if rows <= VERY_FEW => solve::<A, VERY_FEW>(given),
        _ => solve::<A, VERY_FEW_IF_DENSE>(given),
    }
}

/// Begin the solution of a problem with at most N rows, in a stack frame of its own: one for all sizes would be large and cold.
#[inline(never)]
fn solve<A: Axes, const N: usize>(given: Given) -> memory::Result<Option<Status>> {
    let Task { problem, laws, .. } = *given.task;
    let mut blocks = [&UNIT; N];
    let found = (0..problem.rows()).map(|row| &problem.values[diagonal(problem, row)]);
    blocks.iter_mut().zip(found).for_each(|(to, block)| *to = block);
    let mut d = [1.0; N];
    let found = weights(problem, |row| blocks[row]);
    d.iter_mut().zip(found).for_each(|(d, weight)| *d = weight);
    let roots = d.map(f64::sqrt);
    prepare_rolling::<A>(problem, laws, &roots, given.kept.rolling)?;
    Few::<N>::new::<A>(given, blocks, d, roots).trials::<A>()
}

impl<'a, 'w, const N: usize> Few<'a, 'w, N> {
    #[inline(always)]
    fn new<A: Axes>(given: Given<'a, 'w>, blocks: [&Block; N], d: [f64; N], roots: [f64; N]) -> Self {
        let Task { problem, laws, .. } = *given.task;
        let rows = problem.rows();
        let (mut q, mut locals) = ([[0.0; 3]; N], [Local::Pair(0); N]);
        let mut pairs = 0..;
        for row in 0..rows {
            q[row] = std::array::from_fn(|i| problem.b[row][i] + laws[row].bias[i]);
            locals[row] = local::<A>(blocks[row], laws, row, &mut pairs);
        }
        let forces: [Vector; N] = std::array::from_fn(|row| given.begun.forces[row]);
        given.begun.outcome.norms = Norms::new(laws, &q[..rows], &d[..rows]);
        Self {
            rows,
            is_single: rows == 1 + given.kept.rolling.len(),
            q,
            weights: d,
            roots,
            inverses: roots.map(f64::recip),
            locals,
            now: forces.map(|force| Force::new(&force)),
            allowed: forces,
            velocities: [[0.0; 3]; N],
            is_flat: given.kept.rolling.is_empty() && is_flat::<A>(problem),
            sweep_cost: sweep_cost(problem),
            step_cost: dense_step_cost(problem),
            is_stopped: false,
            given,
        }
    }

    /// Try a few steps, each time after few sweeps.
    fn trials<A: Axes>(&mut self) -> memory::Result<Option<Status>> {
        self.look::<A>()?;
        let (mut sweeps, mut alpha) = (SHARE * self.step_cost / self.sweep_cost, steps::ALPHA);
        for _ in 0..TRIALS + usize::from(self.rows <= SMALLEST) {
            if let Some(end) = self.sweeps::<A>(LEAST_SWEEPS.max(sweeps as usize))? {
                return Ok(Some(end));
            }
            if let Some(end) = self.steps::<A>(alpha)? {
                return Ok(Some(end));
            }
            (0..self.rows).for_each(|row| self.now[row] = Force::new(&self.given.begun.forces[row]));
            sweeps *= MORE;
            alpha *= MORE_ALPHA;
        }
        Ok(None)
    }

    /// Make this number of sweeps, and then those that seem to be left, if they cost less than steps.
    fn sweeps<A: Axes>(&mut self, mut left: usize) -> memory::Result<Option<Status>> {
        let options = self.given.task.options;
        let (mut end, mut before, mut is_extended) = (self.over(), f64::INFINITY, false);
        while end.is_none() && left > 0 {
            let change = self.sweep::<A>();
            left -= 1;
            let estimate = change * self.given.begun.outcome.report.residual.ratio_to_scaled(options.measure);
            let is_last = left == 0 || self.is_single || self.over().is_some();
            if is_last || estimate <= 2.0 * options.tolerance {
                self.look::<A>()?;
            }
            end = self.over();
            if left == 0 && !is_extended {
                let more = left_at_rate(options.tolerance, estimate, change / before);
                if more * self.sweep_cost <= AHEAD * self.step_cost {
                    left = more.max(0.0) as usize + 1;
                }
                is_extended = true;
            }
            before = change;
        }
        Ok(end)
    }

    /// Make a sweep; returns the scaled norm of the change, relative to B.
    fn sweep<A: Axes>(&mut self) -> f64 {
        let Self { given: Given { task, begun, kept, .. }, rows, is_single, q, weights, locals, now, .. } =
            self;
        let accuracy = if *is_single { 0.0 } else { ACCURACY };
        let prepared = Prepared { q, weights, locals, rolling: kept.rolling, accuracy };
        let changed: f64 = (0..*rows).map(|row| relax_any::<A>(now, task.problem, &prepared, row)).sum();
        begun.outcome.report.sweeps += 1;
        changed.sqrt() / begun.outcome.norms.scaled()
    }

    /// Compute the residual of the closest forces that the laws allow, and keep these if they are the best so far. Returns the residual.
    fn look<A: Axes>(&mut self) -> memory::Result<f64> {
        let Task { problem, laws, options, .. } = *self.given.task;
        let (rows, is_first) = (0..self.rows, self.given.kept.history.is_empty());
        let now: [Vector; N] = std::array::from_fn(|row| self.now[row].load());
        rows.clone().for_each(|row| self.allowed[row] = allowed_in_row::<A>(laws, row, &now));
        let (forces, velocities) = (&self.allowed[..self.rows], &mut self.velocities[..self.rows]);
        at_best(Velocities { problem, q: &self.q, forces, velocities });
        let sums = Sums::new::<A>(laws, &self.weights, &self.allowed, &self.velocities, rows);
        let work = self.work();
        let Begun { outcome: Outcome { report, first, best, norms }, forces } = &mut *self.given.begun;
        let residual = sums.over(norms);
        let value = residual.by(options.measure);
        push(self.given.kept.history, value)?;
        if is_first {
            (report.initial, *first) = (residual, sums);
        }
        let counts = counts(value, options.tolerance, norms, &self.weights, &self.allowed);
        if is_first || counts && value < report.residual.by(options.measure) {
            (report.residual, *best) = (residual, sums);
            forces[..N].copy_from_slice(&self.allowed);
        }
        report.work = work;
        self.is_stopped |= !(self.given.observer)(report, best);
        Ok(value)
    }

    fn work(&self) -> u64 {
        let Report { sweeps, steps, .. } = self.given.begun.outcome.report;
        (sweeps as f64 * self.sweep_cost + steps as f64 * self.step_cost) as u64
    }

    /// The status, if the solution is to end now.
    fn over(&self) -> Option<Status> {
        let Given { task, begun, deadline, .. } = &self.given;
        let Report { residual, sweeps, .. } = &begun.outcome.report;
        limit(task.options, residual, self.is_stopped, *sweeps, || self.work(), *deadline)
    }
}

/// Whether W has no entries in the lanes of second tangents but on its diagonal.
pub(super) fn is_flat<A: Axes>(problem: &Problem3) -> bool {
    (0..problem.rows()).all(|row| {
        problem
            .row(row)
            .all(|(column, block)| steps::are_apart::<A>(block) && (column == row || block[4 * A::T] == 0.0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::frames::NormalThird;
    use crate::solve::problem::Normal;

    /// Two rows that are coupled in the plane of the first tangent and the normal; second tangents move alone, or as the additional
    /// entry of a block of W says.
    #[test]
    fn each_entry_that_couples_a_second_tangent_is_seen() {
        let entries: [f64; 9] = [2.0, 0.0, 0.5, 0.0, 1.0, 0.0, 0.5, 0.0, 2.0];
        let beside = std::array::from_fn(|i| if i == 4 { 0.0 } else { 0.25 * entries[i] });
        let flat = [entries, beside, beside, entries];
        let is_flat_with = |values: &[Block]| {
            let (starts, columns, b) = (&[0, 2, 4], &[0, 1, 0, 1], &[[0.0; 3]; 2]);
            is_flat::<NormalThird>(&Problem3 { starts, columns, values, b, normal: Normal::Third })
        };
        assert!(is_flat_with(&flat));
        for block in 0..4 {
            for entry in [1, 3, 4, 5, 7] {
                let mut values = flat;
                values[block][entry] += 0.1;
                let is_own = entry == 4 && block % 3 == 0;
                assert_eq!(is_flat_with(&values), is_own, "entry {entry} of block {block}");
            }
        }
    }
}
