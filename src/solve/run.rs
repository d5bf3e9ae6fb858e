//! The course of a solution: sweeps, steps, and when to change from one to the other.

mod costs;
mod few;
mod patch;
mod steps;
pub(crate) mod sweeps;

use std::time::Instant;

use crate::math::{Vector, difference};
use crate::memory::{self, collect};
use crate::team::Team;

use super::acceleration::Momentum;
use super::body_rows::BodyRowsSource;
use super::body_space::BodySpace;
use super::coloring::MANY;
use super::conflict::{self, Multiplier};
use super::frames::{Axes, NormalFirst, NormalThird};
use super::gauss_seidel::Sweeps;
use super::infeasibility;
use super::interior::{Interior, Start};
use super::laws::allowed_in_row;
use super::newton::Newton;
use super::options::{Method, Options, Report, Status};
use super::parts::{PartSums, fill};
use super::problem::{Law, Normal, Problem3};
use super::residual::{Norms, Residual, Sums, velocity};
use super::velocities;
use super::workspace::Memory;
use costs::Products;
pub use costs::sweep_cost;
use few::{Begun, Given, Kept};
use patch::Patch;
use steps::Trial;
use sweeps::Rate;

/// Sweeps after steps have failed, doubled each time, and their maximum.
const MORE_SWEEPS: usize = 20;
const MOST_SWEEPS: usize = 2000;

/// Sweeps begin again from the forces of the last step if the least residual is less than this times the least of the sweeps.
const CLOSER: f64 = 0.5;

/// The starts of interior points, in one round after the other, with widths relative to the residual. Where one start ends short of
/// the solution, another seldom does, while a round of long trials of Newton's method, without a start, often leads to it.
const STARTS: [Option<Start>; 5] = [
    Some(Start { width: 10.0, share: 0.8, is_bold: false }),
    None,
    Some(Start { width: 100.0, share: 0.6, is_bold: false }),
    Some(Start { width: 10.0, share: 0.95, is_bold: true }),
    Some(Start { width: 1000.0, share: 0.7, is_bold: true }),
];

/// Where nothing is foreseen, steps begin this times as far inside.
const FURTHER: f64 = 3.0;

/// In heaps there are two starts for each of these, so many times as far inside, which foresee at most `SHARE_IN_HEAP`. The second one often
/// leads to the solution where the first one fails.
const WIDTHS_IN_HEAP: [f64; 2] = [3.0, 9.0];
const SHARE_IN_HEAP: f64 = 0.6;

/// A residual of up to this times the tolerance is close to it.
const CLOSE_TO_TOLERANCE: f64 = 3.0;

/// While the residual is at most this, a failure does not end Newton's steps at once.
const NEAR: f64 = 1e-6;

/// While the residual is more than this, as in walls after some sweeps, Newton's method seldom ends.
const LARGE: f64 = 0.1;

/// In problems with at most this number of rows a few failures cost less than interior steps.
const FEW: usize = 64;

/// Problems with at most this number of rows begin with a few steps, and nothing is sought in the space of bodies for them; the same if at
/// least half of all blocks are there.
pub const VERY_FEW: usize = 12;
const VERY_FEW_IF_DENSE: usize = 20;

/// The maximum of rounds in which the residual does not decrease by a tenth.
const MOST_IDLE: usize = 4;

/// The courses that a solution may take, and the sweeps with which another one begins, times its number.
const MOST_COURSES: usize = 3;
const COLD_SWEEPS: usize = 500;

/// Sweeps until forces that grow without end do so steadily, and sweeps over which their growth is measured.
const CALMING_SWEEPS: usize = 200;
const DRIFT_SWEEPS: usize = 20;

/// The maximum of residuals in a history, and for each row: histories of many small islands would be larger than all else.
const MOST_NOTES: usize = 1000;
const NOTES: usize = 64;

/// The workspace of a solution, kept for the next one.
#[derive(Debug, Default)]
pub struct Room {
    memory: Memory,
    newton: Newton,
    interior: Interior,
    body_space: BodySpace,
    sweeps: Sweeps,
    patch: Patch,
    /// The current forces, the center of the proximal term, the closest forces that the laws allow, and the best of these.
    now: Vec<Vector>,
    center: Vec<Vector>,
    allowed: Vec<Vector>,
    best: Vec<Vector>,
    /// The velocities that were computed last.
    velocities: Vec<Vector>,
    /// The parts of a residual.
    sums: PartSums<Sums>,
    /// The matrix of steps in small problems.
    matrix: Vec<[f64; 4]>,
    /// The residuals of the last solution.
    pub history: Vec<f64>,
    /// The multipliers of proofs that there is no solution. Each solution appends the multipliers of its rows, as one group.
    pub conflict: Vec<Multiplier>,
}

/// A checked problem with one coefficient of friction for each contact.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub problem: &'a Problem3<'a>,
    pub source: Source<'a>,
    pub laws: &'a [Law],
    pub options: &'a Options,
}

/// W as a sum over bodies, if it is known, and the factors of its rows; without factors they are 1.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    pub bodies: Option<&'a dyn BodyRowsSource>,
    pub scales: &'a [Vector],
}

/// The forces whose velocities are computed.
#[derive(Clone, Copy, Debug)]
enum Which {
    Current,
    /// The closest ones that the laws allow.
    Allowed,
}

/// A function that gets the report and the sums of the best residual so far, and returns whether the solution goes on.
pub type Observer<'a> = dyn FnMut(&Report, &Sums) -> bool + 'a;

/// The result of a solution, and what its residuals are made of.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    pub report: Report,
    pub first: Sums,
    pub best: Sums,
    pub norms: Norms,
}

impl Room {
    /// Solve a problem. The forces are those to begin with, and the best ones afterwards. Reports do not have the time: many islands are
    /// solved in less time than a look at the clock takes.
    ///
    /// # Errors
    /// If memory is exhausted. The forces are unchanged then.
    pub fn solve(
        &mut self,
        task: &Task,
        forces: &mut [Vector],
        observer: &mut Observer,
    ) -> memory::Result<Outcome> {
        let &Task { problem, source, laws, options } = task;
        let deadline = options.time_limit.and_then(|most| Instant::now().checked_add(most));
        let has_moments = laws.iter().any(Law::is_of_moments);
        let rows = problem.rows();
        // Steps in the space of bodies do not know moments.
        let is_in_contacts = has_moments || is_very_few(problem);
        let source = if is_in_contacts { Source { bodies: None, ..source } } else { source };
        self.history.clear();
        let is_few = rows > 0 && is_very_few(problem) && options.method == Method::Automatic;
        let mut begun = Begun::default();
        if is_few {
            begun.forces[..rows].copy_from_slice(forces);
            if let Some(status) = self.begin_few(task, &mut begun, observer, deadline)? {
                forces.copy_from_slice(&begun.forces[..rows]);
                begun.outcome.report.status = status;
                return Ok(begun.outcome);
            }
        }
        let Outcome { report, first, best, .. } = begun.outcome;
        let team = Team::if_it_pays(rows >= MANY);
        self.make_room(problem, if is_few { &begun.forces[..rows] } else { forces })?;
        let mut run = Run {
            problem,
            source,
            laws,
            options,
            room: self,
            norms: Norms::default(),
            deadline,
            team,
            products: None,
            fewer: 0,
            body_products: Products::MoreThan(0),
            is_newton_in_bodies: false,
            cost_of_newton: 0.0,
            spent: report.steps as f64 * costs::dense_step_cost(problem),
            report,
            first,
            best,
            observer,
            is_stopped: false,
            momentum: Momentum::default(),
            rate: Rate::default(),
            alpha_of_joints: f64::INFINITY,
            is_flat: false,
            has_joints: laws.iter().any(Law::is_joint),
            has_interior: laws.iter().all(|law| law.kind.has_interior()),
        };
        let end = match problem.normal {
            Normal::First => run.run::<NormalFirst>()?,
            Normal::Third => run.run::<NormalThird>()?,
        };
        let report = Report { status: end, work: run.work(), ..run.report };
        let outcome = Outcome { report, first: run.first, best: run.best, norms: run.norms };
        forces.copy_from_slice(&self.best);
        Ok(outcome)
    }

    /// Make room for sweeps and steps that begin with these forces.
    fn make_room(&mut self, problem: &Problem3, guess: &[Vector]) -> memory::Result {
        let rows = problem.rows();
        self.sweeps.prepare(problem)?;
        for list in [&mut self.now, &mut self.center, &mut self.allowed, &mut self.best, &mut self.velocities]
        {
            collect(list, rows, guess.iter().copied())?;
        }
        self.sums.prepare(rows)?;
        self.history.try_reserve(most_notes(rows))?;
        Ok(())
    }

    fn begin_few(
        &mut self,
        task: &Task,
        begun: &mut Begun,
        observer: &mut Observer,
        deadline: Option<Instant>,
    ) -> memory::Result<Option<Status>> {
        let Self { memory: Memory { rolling, .. }, matrix, history, .. } = self;
        let kept = Kept { rolling, matrix, history };
        let given = Given { task, begun, kept, observer, deadline };
        match task.problem.normal {
            Normal::First => few::begin::<NormalFirst>(given),
            Normal::Third => few::begin::<NormalThird>(given),
        }
    }
}

/// Whether a problem begins with a few steps.
fn is_very_few(problem: &Problem3) -> bool {
    let rows = problem.rows();
    rows <= VERY_FEW || rows <= VERY_FEW_IF_DENSE && 2 * problem.columns.len() >= rows * rows
}

/// The maximum of residuals in the history of a problem.
fn most_notes(rows: usize) -> usize {
    MOST_NOTES.min(NOTES * rows)
}

/// A solution under way.
struct Run<'a, 'w> {
    problem: &'a Problem3<'a>,
    source: Source<'a>,
    laws: &'a [Law],
    options: &'a Options,
    room: &'a mut Room,
    norms: Norms,
    deadline: Option<Instant>,
    team: Team,
    /// The products of blocks in a step of Newton's method, if known; if not, they are more than `fewer`.
    products: Option<u64>,
    fewer: u64,
    body_products: Products,
    /// The space and the cost of a step of Newton's method.
    is_newton_in_bodies: bool,
    cost_of_newton: f64,
    /// The cost of all steps so far.
    spent: f64,
    report: Report,
    /// The sums of the residuals of the initial guess and of the best forces.
    first: Sums,
    best: Sums,
    observer: &'a mut Observer<'w>,
    /// Whether the progress function has ended the solution.
    is_stopped: bool,
    momentum: Momentum,
    rate: Rate,
    /// The largest α of joints.
    alpha_of_joints: f64,
    /// Whether all bodies of a problem of more than `FEW` rows move in one plane.
    is_flat: bool,
    has_joints: bool,
    has_interior: bool,
}

impl Run<'_, '_> {
    /// Alternate sweeps and steps; returns the status.
    fn run<A: Axes>(&mut self) -> memory::Result<Status> {
        let memory = &mut self.room.memory;
        memory.prepare::<A>(self.problem, self.laws)?;
        self.norms = Norms::new(self.laws, &memory.q, &memory.weights);
        self.is_flat = self.problem.rows() > FEW && few::is_flat::<A>(self.problem);
        let end = self.rounds::<A>()?;
        let is_proved = match end {
            Status::Converged | Status::TimeLimit | Status::Infeasible | Status::Stopped => false,
            Status::SweepLimit | Status::WorkLimit => self.is_violation_a_proof::<A>(),
            Status::Stalled => self.is_violation_a_proof::<A>() || self.is_drift_a_proof::<A>(),
        };
        if !is_proved {
            return Ok(end);
        }
        let Self { problem, laws, room: Room { memory, center, now, allowed, conflict, .. }, norms, .. } =
            self;
        infeasibility::trim::<A>(problem, laws, memory, norms, center, [now, allowed]);
        conflict::append(conflict, laws, center)?;
        Ok(Status::Infeasible)
    }

    fn rounds<A: Axes>(&mut self) -> memory::Result<Status> {
        let residual = self.look::<A>();
        if self.report.sweeps == 0 {
            self.report.initial = residual;
        }
        if let Some(end) = self.over() {
            return Ok(end);
        }
        if let Some(end) = self.first_sweeps::<A>()? {
            return Ok(end);
        }
        let method = self.options.method;
        let (mut sweeps, mut idle, mut least) = (MORE_SWEEPS, 0, f64::INFINITY);
        let mut starts = STARTS.into_iter();
        let mut courses = 1;
        loop {
            let spent = self.spent;
            if method != Method::GaussSeidel {
                let start = starts.next().flatten();
                if let Some(end) = self.round_of_steps::<A>(start)? {
                    return Ok(end);
                }
            }
            // The sweeps take as long as the steps took, so that at most half of the time is lost with steps that fail.
            let lost = self.spent - spent;
            let has_other = starts.len() > 0 && lost > 0.0;
            let count = sweeps.max((lost / self.sweep_cost()) as usize);
            let residual = self.best_residual();
            idle = if residual < 0.9 * least || has_other { 0 } else { idle + 1 };
            least = least.min(residual);
            if idle > MOST_IDLE {
                if courses == MOST_COURSES {
                    return Ok(Status::Stalled);
                }
                // Another course, from no forces and with more sweeps before the first steps.
                courses += 1;
                (sweeps, idle) = (MORE_SWEEPS, 0);
                starts = STARTS.into_iter();
                if let Some(end) = self.sweeps_from_no_forces::<A>(courses * COLD_SWEEPS)? {
                    return Ok(end);
                }
                continue;
            }
            // Otherwise sweeps go on from where they were, with their momentum, as if there had been no steps.
            if residual < CLOSER * self.rate.least {
                self.begin_again();
            }
            if let Some(end) = self.sweeps::<A>(count, false)? {
                return Ok(end);
            }
            sweeps = (2 * sweeps).min(MOST_SWEEPS);
        }
    }

    /// Make steps of Newton's method, and, if there is a start, interior steps and again steps of Newton's method.
    fn round_of_steps<A: Axes>(&mut self, start: Option<Start>) -> memory::Result<Option<Status>> {
        if !self.has_interior {
            return self.steps::<A>(Trial::Long);
        }
        let residual = self.best_residual();
        let trial = if start.is_none() || residual < NEAR {
            Trial::Long
        } else if self.problem.rows() <= FEW {
            Trial::Small
        } else {
            Trial::First
        };
        let is_heap = self.is_heap();
        let is_in_vain = match trial {
            // A few steps have failed already.
            Trial::Small => is_very_few(self.problem) && self.options.method == Method::Automatic,
            // In heaps a short trial leads to the solution if this is close, and otherwise seldom.
            Trial::First => is_heap && residual > CLOSE_TO_TOLERANCE * self.options.tolerance,
            _ => false,
        };
        let is_far = start.is_some() && residual > LARGE && !self.has_joints;
        if !is_far
            && !is_in_vain
            && let Some(end) = self.steps::<A>(trial)?
        {
            return Ok(Some(end));
        }
        let Some(start) = start else { return Ok(None) };
        // While the residual is large, structures stand still: nothing is foreseen, and matrices are symmetric.
        let start = match is_far {
            true => Start { width: FURTHER * start.width, share: 0.0, is_bold: true },
            false => start,
        };
        let widths = if is_heap && !is_far { &WIDTHS_IN_HEAP[..] } else { &[1.0] };
        let share = if is_heap { start.share.min(SHARE_IN_HEAP) } else { start.share };
        for width in widths {
            if let Some(end) = self.interior::<A>(Start { width: width * start.width, share, ..start })? {
                return Ok(Some(end));
            }
        }
        // In a heap the sweeps before the next round would take as long as all these steps.
        self.steps::<A>(if is_heap { Trial::Long } else { Trial::First })
    }

    /// Whether bodies lie on each other without joints, and neither in a wall nor in a plane, where contacts slide in two directions only.
    /// The patches of a heap, which are solved without sweeps, are closer to their solutions.
    fn is_heap(&self) -> bool {
        let is_large = self.problem.rows() > FEW && !self.has_few_bodies();
        let is_whole = self.options.method == Method::Automatic;
        is_large && is_whole && !self.is_flat && !self.has_joints
    }

    /// Whether the violation of laws by velocities proves that there is no solution.
    fn is_violation_a_proof<A: Axes>(&mut self) -> bool {
        let Self { problem, room: Room { memory, best, center, .. }, .. } = self;
        for (row, violation) in center.iter_mut().enumerate() {
            *violation = velocity(problem, row, &memory.q[row], |column| best[column]).map(|u| -u);
        }
        self.is_proof::<A>()
    }

    /// Whether the direction in which forces grow from sweep to sweep proves that there is no solution.
    fn is_drift_a_proof<A: Axes>(&mut self) -> bool {
        self.momentum.end();
        let Room { memory: Memory { weights, .. }, now, sweeps, .. } = &mut *self.room;
        if self.norms.are_huge(weights, now, 0.0) {
            // Their growth would be lost in rounding.
            now.fill([0.0; 3]);
        }
        sweeps.begin(now);
        (0..CALMING_SWEEPS).for_each(|_| _ = self.sweep::<A>());
        self.room.sweeps.read(&mut self.room.center);
        (0..DRIFT_SWEEPS).for_each(|_| _ = self.sweep::<A>());
        self.room.sweeps.read(&mut self.room.now);
        for (before, after) in self.room.center.iter_mut().zip(&self.room.now) {
            *before = difference(after, before);
        }
        self.is_proof::<A>()
    }

    fn is_proof<A: Axes>(&mut self) -> bool {
        let Self { problem, laws, room: Room { memory, center, allowed, .. }, norms, .. } = self;
        infeasibility::proves::<A>(problem, laws, memory, norms, center, allowed)
    }

    /// Compute the velocities of some forces, through the bodies if they have many rows.
    fn compute_velocities(&mut self, which: Which) {
        let is_through_bodies = self.has_few_bodies();
        let Room { memory: Memory { q, roots, .. }, body_space, now, allowed, velocities, .. } =
            &mut *self.room;
        let forces = match which {
            Which::Current => now,
            Which::Allowed => allowed,
        };
        let input = velocities::Input { problem: self.problem, q, roots, forces };
        let bodies = is_through_bodies.then_some(body_space);
        velocities::compute(&mut self.team, &input, bodies, velocities);
    }

    /// Compute the residual of the closest forces that the laws allow, and keep these if they are the best so far.
    fn look<A: Axes>(&mut self) -> Residual {
        let laws = self.laws;
        let Room { now, allowed, .. } = &mut *self.room;
        fill(&mut self.team, allowed, |row| allowed_in_row::<A>(laws, row, now));
        self.compute_velocities(Which::Allowed);
        let Room { memory: Memory { weights, .. }, allowed, velocities, best, history, sums, .. } =
            &mut *self.room;
        let of_part = |part| Sums::new::<A>(laws, weights, allowed, velocities, part);
        let sums = sums.of(&mut self.team, laws.len(), of_part).fold(Sums::default(), |mut all, part| {
            all.add(&part);
            all
        });
        let residual = sums.over(&self.norms);
        let value = residual.by(self.options.measure);
        let is_first = history.is_empty();
        if is_first {
            self.first = sums;
        }
        if history.len() < most_notes(self.problem.rows()) {
            history.push(value);
        }
        let tolerance = self.options.tolerance;
        let counts = counts(value, tolerance, &self.norms, weights, allowed);
        // The returned forces obey bounds and cones in any case.
        if is_first || counts && value < self.report.residual.by(self.options.measure) {
            self.report.residual = residual;
            self.best = sums;
            best.copy_from_slice(allowed);
        }
        self.report.work = self.work();
        self.is_stopped |= !(self.observer)(&self.report, &self.best);
        residual
    }

    fn best_residual(&self) -> f64 {
        self.report.residual.by(self.options.measure)
    }

    /// The status, if the solution is to end now.
    fn over(&self) -> Option<Status> {
        let Report { residual, sweeps, .. } = &self.report;
        limit(self.options, residual, self.is_stopped, *sweeps, || self.work(), self.deadline)
    }
}

/// The status of a solution that is to end now.
fn limit(
    options: &Options,
    residual: &Residual,
    is_stopped: bool,
    sweeps: usize,
    work: impl Fn() -> u64,
    deadline: Option<Instant>,
) -> Option<Status> {
    if residual.by(options.measure) <= options.tolerance {
        Some(Status::Converged)
    } else if is_stopped {
        Some(Status::Stopped)
    } else if sweeps >= options.max_sweeps {
        Some(Status::SweepLimit)
    } else if options.max_work.is_some_and(|most| work() >= most) {
        Some(Status::WorkLimit)
    } else if deadline.is_some_and(|end| Instant::now() >= end) {
        Some(Status::TimeLimit)
    } else {
        None
    }
}

/// Whether forces with this residual may be a solution. Where W R is mostly rounding, it may seem to be the solution of a problem that
/// has none.
fn counts(residual: f64, tolerance: f64, norms: &Norms, weights: &[f64], forces: &[Vector]) -> bool {
    residual > tolerance || !norms.are_huge(weights, forces, tolerance)
}
