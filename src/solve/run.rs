//! The course of a solution: sweeps, steps, and when to change from one to the other.

use std::time::Instant;

use crate::math::{Vector, difference};
use crate::memory::{self, collect};
use crate::team::Team;

use super::acceleration::{self, Momentum};
use super::block_lu::MOST_PRODUCTS;
use super::coloring::MANY;
use super::frames::{Axes, NormalFirst, NormalThird};
use super::gauss_seidel::Sweeps;
use super::infeasibility;
use super::interior::{Interior, Program};
use super::law;
use super::newton::{Equations, Newton};
use super::options::{End, Method, Options, Report, Watch};
use super::problem::{Law, Normal, Problem3};
use super::residual::{Norms, Residual, residual, velocity};
use super::workspace::Memory;

/// Sweeps before Newton's method is considered; the same after momentum has begun; sweeps between two computations of the residual.
const LEAST_SWEEPS: usize = 6;
const MOVING_SWEEPS: usize = 16;
const BETWEEN: usize = 16;

/// Sweeps over which their rate is measured; the same with momentum, where changes oscillate.
const RATE: usize = 4;
const MOVING_RATE: usize = 8;

/// Sweeps after Newton's method has failed, doubled each time, and their maximum.
const MORE_SWEEPS: usize = 20;
const MOST_SWEEPS: usize = 2000;

/// The expected number of steps of Newton's method, and the factor by which more sweeps are needed than their rate predicts, since
/// the rate becomes worse.
const STEPS: f64 = 12.0;
const LATER: f64 = 1.5;

/// The cost of a product of blocks, and of the search that finds it, in units of about a nanosecond.
const PRODUCT: f64 = 12.0;
const SEARCH: f64 = 4.0;

/// The maximum of steps towards one center, and of failures in one round.
const MOST_STEPS: usize = 12;
const MOST_FAILURES: usize = 4;

/// The proximal term is multiplied by `LESS` after at most `FEW_STEPS` steps, and divided by it after a failure.
const FEW_STEPS: usize = 4;
const LESS: f64 = 0.1;

/// The largest α of joints. They are linear equations and need only enough of it to be regular where joints are redundant: so a
/// long chain, whose W has small eigenvalues, does not wait until α is as small.
const ALPHA_OF_JOINTS: f64 = 1e-10;

/// The equations of a center are solved until their error is this times the error of the equations without the proximal term.
const INNER: f64 = 0.1;

/// The starts of interior points, in one round after the other: the width relative to the residual, and the foreseen share of the
/// change of sliding velocities. Where one start ends short of the solution, another seldom does.
const STARTS: [(f64, f64); 4] = [(10.0, 0.8), (100.0, 0.6), (10.0, 0.9), (1000.0, 0.7)];

/// The maximum of interior steps, the maximum of steps in which the residual does not decrease by a fifth, and the shortest step
/// after which another is worthwhile.
const MOST_INTERIOR_STEPS: usize = 100;
const MOST_IDLE_INSIDE: usize = 25;
const LEAST_STEP: f64 = 1e-5;

/// While the residual is at most this, a failure does not end Newton's steps at once.
const NEAR: f64 = 1e-6;

/// Newton's steps are tried again between interior steps when the residual has decreased by this factor.
const AHEAD_OF_NEWTON: f64 = 0.03;

/// The maximum of rounds in which the residual does not decrease by a tenth.
const MOST_IDLE: usize = 6;

/// Sweeps until forces that grow without end do so steadily, and sweeps over which their growth is measured.
const CALMING_SWEEPS: usize = 200;
const DRIFT_SWEEPS: usize = 20;

/// The maximum of residuals in a history.
const MOST_NOTES: usize = 1000;

/// The length of a trial of Newton's method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trial {
    /// Until it has failed several times.
    Long,
    /// Until it has failed once.
    First,
    /// Until it has failed once in a few steps.
    Short,
}

/// The workspace of a solution, kept for the next one.
#[derive(Debug, Default)]
pub struct Room {
    memory: Memory,
    newton: Newton,
    interior: Interior,
    sweeps: Sweeps,
    /// The current forces, the center of the proximal term, the closest forces that the laws allow, and the best of these.
    now: Vec<Vector>,
    center: Vec<Vector>,
    allowed: Vec<Vector>,
    best: Vec<Vector>,
    /// The residuals of the last solution.
    pub history: Vec<f64>,
}

impl Room {
    /// Solve a checked problem with one coefficient of friction for each contact.
    ///
    /// # Errors
    /// If memory is exhausted. The forces are unchanged then.
    pub fn solve(
        &mut self,
        problem: &Problem3,
        laws: &[Law],
        options: &Options,
        forces: &mut [Vector],
        watch: &mut Watch,
    ) -> memory::Result<Report> {
        let begin = Instant::now();
        let rows = problem.rows();
        let team = Team::if_it_pays(rows >= MANY);
        self.sweeps.prepare(problem)?;
        for list in [&mut self.now, &mut self.center, &mut self.allowed, &mut self.best] {
            collect(list, rows, forces.iter().copied())?;
        }
        collect(&mut self.history, MOST_NOTES, std::iter::empty())?;
        let mut run = Run {
            problem,
            laws,
            options,
            room: self,
            norms: Norms::default(),
            begin,
            team,
            products: None,
            fewer: 0,
            report: Report::default(),
            watch,
            is_stopped: false,
            momentum: Momentum::default(),
            alpha_of_joints: f64::INFINITY,
        };
        let end = match problem.normal {
            Normal::First => run.run::<NormalFirst>()?,
            Normal::Third => run.run::<NormalThird>()?,
        };
        let report = Report { end, work: run.work(), time: begin.elapsed(), ..run.report };
        forces.copy_from_slice(&self.best);
        Ok(report)
    }
}

/// A solution under way.
struct Run<'a, 'w> {
    problem: &'a Problem3<'a>,
    laws: &'a [Law],
    options: &'a Options,
    room: &'a mut Room,
    norms: Norms,
    begin: Instant,
    team: Team,
    /// The products of blocks in a step of Newton's method, if known; if not, they are more than `fewer`.
    products: Option<u64>,
    fewer: u64,
    report: Report,
    watch: &'a mut Watch<'w>,
    /// Whether the watch function has ended the solution.
    is_stopped: bool,
    momentum: Momentum,
    /// The largest α of joints.
    alpha_of_joints: f64,
}

impl Run<'_, '_> {
    /// Alternate sweeps and steps; returns the status.
    fn run<A: Axes>(&mut self) -> memory::Result<End> {
        let memory = &mut self.room.memory;
        memory.prepare::<A>(self.problem, self.laws)?;
        self.norms = Norms::new(&memory.q, &memory.weights);
        let end = self.rounds::<A>()?;
        let is_proved = match end {
            End::Converged | End::Time | End::Infeasible | End::Stopped => false,
            End::Sweeps | End::Work => self.is_violation_a_proof::<A>(),
            End::Stalled => self.is_violation_a_proof::<A>() || self.is_drift_a_proof::<A>(),
        };
        Ok(if is_proved { End::Infeasible } else { end })
    }

    fn rounds<A: Axes>(&mut self) -> memory::Result<End> {
        let unknown = Residual { natural: f64::INFINITY, scaled: f64::INFINITY, worst: 0 };
        self.report.residual = unknown;
        self.report.first = self.look::<A>();
        if let Some(end) = self.over() {
            return Ok(end);
        }
        let method = self.options.method;
        if method != Method::Newton
            && let Some(end) = self.first_sweeps::<A>()?
        {
            return Ok(end);
        }
        let (mut sweeps, mut idle, mut least) = (MORE_SWEEPS, 0, f64::INFINITY);
        let mut starts = STARTS.into_iter();
        loop {
            let steps = self.report.steps;
            if method != Method::GaussSeidel {
                let start = starts.next();
                let is_near = self.best_residual() < NEAR;
                let trial = if start.is_some() && !is_near { Trial::First } else { Trial::Long };
                if let Some(end) = self.steps::<A>(trial)? {
                    return Ok(end);
                }
                if let Some((width, share)) = start {
                    if let Some(end) = self.interior::<A>(width, share)? {
                        return Ok(end);
                    }
                    if let Some(end) = self.steps::<A>(Trial::First)? {
                        return Ok(end);
                    }
                }
            }
            // The sweeps take as long as the steps took, so that at most half of the time is lost with steps that fail. While other
            // starts of interior points are left, fewer sweeps are made.
            let products = self.products.unwrap_or(0);
            let lost = (self.report.steps - steps) as f64 * self.step_cost(products);
            let has_other = starts.len() > 0 && self.products.is_some();
            let count = if has_other { sweeps } else { sweeps.max((lost / self.sweep_cost()) as usize) };
            let residual = self.best_residual();
            idle = if residual < 0.9 * least || has_other { 0 } else { idle + 1 };
            least = least.min(residual);
            if idle > MOST_IDLE && !has_other {
                return Ok(End::Stalled);
            }
            if let Some(end) = self.more_sweeps::<A>(count) {
                return Ok(end);
            }
            sweeps = (2 * sweeps).min(MOST_SWEEPS);
        }
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
        self.room.sweeps.begin(&self.room.now);
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

    /// Compute the residual of the closest forces that the laws allow, and keep these if they are the best so far.
    fn look<A: Axes>(&mut self) -> Residual {
        let Room { memory: Memory { q, weights, .. }, now, allowed, best, history, .. } = &mut *self.room;
        for ((allowed, force), law) in allowed.iter_mut().zip(now).zip(self.laws) {
            *allowed = law::allowed::<A>(&law.kind, force);
        }
        let residual = residual::<A>(self.problem, self.laws, q, weights, &self.norms, allowed);
        let value = residual.by(self.options.measure);
        if history.is_empty() {
            // The returned forces obey bounds and cones in any case.
            best.copy_from_slice(allowed);
        }
        if history.len() < MOST_NOTES {
            history.push(value);
        }
        if value < self.report.residual.by(self.options.measure) {
            self.report.residual = residual;
            best.copy_from_slice(allowed);
        }
        self.report.work = self.work();
        self.report.time = self.begin.elapsed();
        self.is_stopped |= !(self.watch)(&self.report);
        residual
    }

    fn best_residual(&self) -> f64 {
        self.report.residual.by(self.options.measure)
    }

    /// The status, if the solution is to end now.
    fn over(&self) -> Option<End> {
        if self.best_residual() <= self.options.tolerance {
            Some(End::Converged)
        } else if self.is_stopped {
            Some(End::Stopped)
        } else if self.report.sweeps >= self.options.sweeps {
            Some(End::Sweeps)
        } else if self.options.work.is_some_and(|most| self.work() >= most) {
            Some(End::Work)
        } else if self.options.time.is_some_and(|most| self.begin.elapsed() >= most) {
            Some(End::Time)
        } else {
            None
        }
    }

    /// Make sweeps until the solution ends or Newton's method is expected to be quicker.
    fn first_sweeps<A: Axes>(&mut self) -> memory::Result<Option<End>> {
        self.room.sweeps.begin(&self.room.now);
        let mut changes = [f64::INFINITY; MOVING_RATE];
        let mut ratio = self.ratio();
        // Before this sweep the rate has no meaning.
        let mut steady = LEAST_SWEEPS;
        loop {
            if let Some(end) = self.over() {
                return Ok(Some(end));
            }
            let number = self.report.sweeps;
            let change = self.sweep::<A>();
            let span = if self.momentum.share() > 0.0 { MOVING_RATE } else { RATE };
            let before = changes[(number + MOVING_RATE - span) % MOVING_RATE];
            changes[number % MOVING_RATE] = change;
            // The scaled residual is about as large as the change.
            let estimate = change * ratio;
            let is_near = estimate <= 2.0 * self.options.tolerance;
            if is_near || !estimate.is_finite() || number % BETWEEN == BETWEEN - 1 {
                self.look_after_sweeps::<A>();
                ratio = self.ratio();
                if let Some(end) = self.over() {
                    return Ok(Some(end));
                }
            }
            let rate = acceleration::root(change / before, span);
            if number < steady {
                continue;
            }
            if self.momentum.begins(number, rate) {
                self.room.sweeps.rest();
                steady = number + MOVING_SWEEPS;
            } else if self.options.method == Method::Automatic {
                let left = if rate < 1.0 {
                    (self.options.tolerance / estimate).ln() / rate.ln()
                } else {
                    f64::INFINITY
                };
                // Estimates may be wrong: sweeps take no more time than the expected cost of steps.
                if self.newton_is_quicker(left.max(number as f64 / LATER))? {
                    self.look_after_sweeps::<A>();
                    return Ok(self.over());
                }
            }
        }
    }

    /// The ratio of the chosen residual to the scaled one, at least 1.
    fn ratio(&self) -> f64 {
        let residual = &self.report.residual;
        let ratio = residual.by(self.options.measure) / residual.scaled;
        if ratio.is_finite() { ratio.max(1.0) } else { 1.0 }
    }

    /// Make `count` sweeps, or fewer if the solution ends.
    fn more_sweeps<A: Axes>(&mut self, count: usize) -> Option<End> {
        self.room.sweeps.begin(&self.room.now);
        self.room.sweeps.rest();
        for number in 1..=count {
            let change = self.sweep::<A>();
            if change <= 2.0 * self.options.tolerance || number % BETWEEN == 0 || number == count {
                self.look_after_sweeps::<A>();
            }
            if let Some(end) = self.over() {
                return Some(end);
            }
        }
        None
    }

    /// Whether Newton's method is expected to be quicker than `sweeps` sweeps, limited by the iteration limit.
    fn newton_is_quicker(&mut self, sweeps: f64) -> memory::Result<bool> {
        let allowed = self.options.sweeps.saturating_sub(self.report.sweeps) as f64;
        let step = (LATER * sweeps).min(allowed) * self.sweep_cost() / STEPS;
        let most = (step - self.step_cost(0)) / PRODUCT;
        if most < 0.0 {
            return Ok(false);
        }
        let most = most.min(MOST_PRODUCTS as f64).ceil() as u64;
        // The search goes beyond `most`, so that it need not be repeated soon; it takes at most half of the time of the sweeps so
        // far.
        let affordable = 0.5 * self.report.sweeps as f64 * self.sweep_cost() / SEARCH;
        let next = (4 * most).min(affordable as u64).min(MOST_PRODUCTS);
        if self.products.is_none() && next < 2 * self.fewer {
            return Ok(false);
        }
        let products = self.products(most, next)?;
        Ok(products.is_some_and(|products| step > self.step_cost(products)))
    }

    /// The cost of a sweep, in units of about a nanosecond; it is counted and not measured, so that the choice is the same
    /// everywhere.
    fn sweep_cost(&self) -> f64 {
        2.2 * self.problem.columns.len() as f64 + 60.0 * self.problem.rows() as f64
    }

    /// The cost of a step whose factorization takes `products`, with its part in the analysis of the pattern.
    fn step_cost(&self, products: u64) -> f64 {
        let (rows, blocks) = (self.problem.rows() as f64, self.problem.columns.len() as f64);
        PRODUCT * products as f64 + 25.0 * blocks + 150.0 * rows
    }

    /// The work so far, in the same units.
    fn work(&self) -> u64 {
        let Report { sweeps, steps, .. } = self.report;
        let searched = self.products.unwrap_or(self.fewer) as f64 * SEARCH;
        let step = self.step_cost(self.products.unwrap_or(0));
        (sweeps as f64 * self.sweep_cost() + steps as f64 * step + searched) as u64
    }

    /// The products in a step, if they are at most `most`. If this is not known, the search goes up to `next`.
    fn products(&mut self, most: u64, next: u64) -> memory::Result<Option<u64>> {
        if self.products.is_none() && self.fewer < most {
            self.fewer = next;
            self.products = self.room.newton.prepare(self.problem, next)?;
        }
        Ok(self.products.filter(|&products| products <= most))
    }

    /// Make a sweep; returns the scaled norm of the change, relative to B.
    fn sweep<A: Axes>(&mut self) -> f64 {
        let Self { room: Room { sweeps, memory, .. }, team, problem, laws, momentum, .. } = self;
        if momentum.share() > 0.0 {
            sweeps.push::<A>(team, laws, momentum.share());
        }
        let changed = sweeps.sweep::<A>(team, problem, memory);
        momentum.after(changed);
        self.report.sweeps += 1;
        changed.sqrt() / self.norms.scaled()
    }

    /// Compute the residual of the forces after a sweep.
    fn look_after_sweeps<A: Axes>(&mut self) {
        self.room.sweeps.read(&mut self.room.now);
        self.look::<A>();
    }

    /// Compute proximal points, each by a few steps of Newton's method, until there is no progress.
    fn steps<A: Axes>(&mut self, trial: Trial) -> memory::Result<Option<End>> {
        if self.products(MOST_PRODUCTS, MOST_PRODUCTS)?.is_none() {
            return Ok(None);
        }
        let mut start = self.distance::<A>(0.0);
        let mut alpha = start.sqrt().min(1.0);
        let mut failures = 0;
        // If this leads nowhere, joints get the whole α.
        self.alpha_of_joints = ALPHA_OF_JOINTS;
        let mut may_fail = self.laws.iter().any(Law::is_joint);
        let (most_failures, most_steps) = match trial {
            Trial::Long => (MOST_FAILURES, MOST_STEPS),
            Trial::First => (1, MOST_STEPS),
            Trial::Short => (1, FEW_STEPS),
        };
        while failures < most_failures && start.is_finite() {
            self.room.center.copy_from_slice(&self.room.now);
            let mut reached = None;
            for step in 1..=most_steps {
                if !self.step::<A>(alpha) {
                    break;
                }
                self.look::<A>();
                if let Some(end) = self.over() {
                    return Ok(Some(end));
                }
                let distance = self.distance::<A>(0.0);
                if self.distance::<A>(alpha) <= INNER * start.min(distance) {
                    reached = Some((step, distance));
                    break;
                }
            }
            match reached {
                Some((steps, distance)) if distance < 2.0 * start => {
                    if steps <= FEW_STEPS {
                        alpha *= LESS;
                    }
                    failures += usize::from(distance > 0.95 * start);
                    start = distance;
                }
                _ => {
                    self.room.now.copy_from_slice(&self.room.center);
                    self.alpha_of_joints = f64::INFINITY;
                    if !std::mem::take(&mut may_fail) {
                        alpha /= LESS;
                        failures += 1;
                    }
                }
            }
        }
        Ok(None)
    }

    /// Make interior steps; each time that the residual has decreased by `AHEAD_OF_NEWTON`, try a few steps of Newton's method.
    fn interior<A: Axes>(&mut self, width: f64, share: f64) -> memory::Result<Option<End>> {
        if self.products(MOST_PRODUCTS, MOST_PRODUCTS)?.is_none() {
            return Ok(None);
        }
        let start = self.report.residual.scaled;
        let size = self.norms.scaled();
        let (problem, laws) = (self.problem, self.laws);
        {
            let Room { memory: Memory { q, roots, .. }, interior, now, .. } = &mut *self.room;
            interior.begin::<A>(&Program { problem, laws, q, roots, size }, now, width * start, share)?;
        }
        let (mut least, mut idle) = (f64::INFINITY, 0);
        let mut next = AHEAD_OF_NEWTON * self.best_residual();
        for _ in 0..MOST_INTERIOR_STEPS {
            let Room { memory: Memory { q, roots, .. }, newton, interior, now, .. } = &mut *self.room;
            let program = Program { problem, laws, q, roots, size };
            let long = interior.step::<A>(&program, newton.lu(), now);
            self.report.steps += 1;
            let value = self.look::<A>().by(self.options.measure);
            if let Some(end) = self.over() {
                return Ok(Some(end));
            }
            idle = if value < 0.8 * least { 0 } else { idle + 1 };
            least = least.min(value);
            if idle > MOST_IDLE_INSIDE || long.is_none_or(|long| long < LEAST_STEP) {
                break;
            }
            if value < next {
                next = AHEAD_OF_NEWTON * value;
                if let Some(end) = self.steps::<A>(Trial::Short)? {
                    return Ok(Some(end));
                }
            }
        }
        self.room.now.copy_from_slice(&self.room.best);
        Ok(None)
    }

    /// Make a step towards the proximal point; returns false if there is none.
    fn step<A: Axes>(&mut self, alpha: f64) -> bool {
        let Room { memory: Memory { q, roots, .. }, newton, now, center, .. } = &mut *self.room;
        let (problem, laws, alpha_of_joints) = (self.problem, self.laws, alpha.min(self.alpha_of_joints));
        self.report.steps += 1;
        newton.step::<A>(&Equations { problem, laws, q, roots, alpha, alpha_of_joints, center }, now)
    }

    /// ‖F‖ relative to B, with the proximal term of this α.
    fn distance<A: Axes>(&self, alpha: f64) -> f64 {
        let Room { memory: Memory { q, roots, .. }, now, center, .. } = &*self.room;
        let (problem, laws, alpha_of_joints) = (self.problem, self.laws, alpha.min(self.alpha_of_joints));
        Equations { problem, laws, q, roots, alpha, alpha_of_joints, center }.norm::<A>(now)
            / self.norms.scaled()
    }
}
