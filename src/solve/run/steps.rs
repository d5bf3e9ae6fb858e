//! Steps of Newton's method and interior steps, until they end or fail.

use crate::math::Vector;
use crate::memory;
use crate::solve::block_lu::MOST_PRODUCTS;
use crate::solve::frames::Axes;
use crate::solve::interior::{ContactSpace, Interior, Program, Space, Start};
use crate::solve::newton::Equations;
use crate::solve::options::Status;
use crate::solve::problem::Law;
use crate::solve::residual::velocity;
use crate::solve::workspace::Memory;
use crate::team::Team;

use super::costs::{MOST_BODY_PRODUCTS, Products};
use super::{Room, Run, Which};

/// The maximum of steps towards one center, the same for small problems, and the maximum of failures in one round.
const MOST_STEPS: usize = 12;
const SMALL_STEPS: usize = 8;
const MOST_FAILURES: usize = 4;

/// The proximal term is multiplied by `LESS` after at most `FEW_STEPS` steps, twice after a single step, and divided by it after a
/// failure.
const FEW_STEPS: usize = 4;
const LESS: f64 = 0.1;

/// The largest α of joints. They are linear equations and need only enough of it to be regular where joints are redundant: so a
/// long chain, whose W has small eigenvalues, does not wait until α is as small.
pub(super) const ALPHA_OF_JOINTS: f64 = 1e-10;

/// The steps towards a center end if after `TRIED_STEPS` of them the error is `LOST` times the error at the start: few such steps
/// reach the center. They go on while each step multiplies the error by at most `FALLING`.
const TRIED_STEPS: usize = 3;
const LOST: f64 = 30.0;
const FALLING: f64 = 0.3;

/// After interior steps in which nothing is foreseen, and a single step to a center, α is at most this times the error.
const CLOSE: f64 = 1e-3;

/// The equations of a center are solved until their error is this times the error of the equations without the proximal term.
const INNER: f64 = 0.1;

/// The maximum of interior steps, the maximum of steps in which the residual does not decrease by a fifth, and the shortest step
/// after which another is worthwhile.
const MOST_INTERIOR_STEPS: usize = 100;
const MOST_IDLE_INSIDE: usize = 25;
const LEAST_STEP: f64 = 1e-5;

/// Newton's steps are tried between interior steps when the residual has decreased by this factor since the last trial; the same
/// where nothing is foreseen and a step of Newton's method costs twice as much. Otherwise they are also tried after
/// `BETWEEN_TRIALS` interior steps if the residual is less than `SMALL`: where contacts change between sticking and sliding, the
/// residual of interior steps may stop at a value from which Newton's steps lead to the solution.
const AHEAD: f64 = 0.1;
const FAR_AHEAD: f64 = 0.03;
const BETWEEN_TRIALS: usize = 5;
const SMALL: f64 = 0.05;

/// The length of a trial of Newton's method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trial {
    /// Until it has failed several times.
    Long,
    /// The same with fewer steps towards each center, for small problems.
    Small,
    /// Until it has failed once.
    First,
    /// Until it has failed once in a few steps.
    Short,
    /// The same, with α that falls faster.
    Quick,
}

/// The threads, the problem, the space, the state and the forces of interior steps.
struct Inside<'a> {
    team: &'a mut Team,
    program: Program<'a>,
    space: Space<'a>,
    interior: &'a mut Interior,
    now: &'a mut [Vector],
}

impl Run<'_, '_> {
    /// Compute proximal points, each by a few steps of Newton's method, until there is no progress.
    pub(super) fn steps<A: Axes>(&mut self, trial: Trial) -> memory::Result<Option<Status>> {
        if !self.choose_space_of_newton()? {
            return Ok(None);
        }
        let [mut start, _] = self.distances::<A>(0.0);
        let mut alpha = start.sqrt().min(1.0);
        let mut failures = 0;
        // If this leads nowhere, joints get the whole α.
        self.alpha_of_joints = ALPHA_OF_JOINTS;
        let mut may_fail = self.laws.iter().any(Law::is_joint);
        let most_failures = match trial {
            Trial::Long | Trial::Small => MOST_FAILURES,
            Trial::First | Trial::Short | Trial::Quick => 1,
        };
        while failures < most_failures && start.is_finite() {
            let reached = match self.approach::<A>(trial, alpha, start) {
                Ok(reached) => reached,
                Err(end) => return Ok(Some(end)),
            };
            match reached {
                Some((steps, distance)) if distance < 2.0 * start => {
                    match steps {
                        1 if trial == Trial::Quick => alpha = (alpha * LESS * LESS).min(CLOSE * distance),
                        1 => alpha *= LESS * LESS,
                        ..=FEW_STEPS => alpha *= LESS,
                        _ => {}
                    }
                    failures = if distance > 0.95 * start { failures + 1 } else { 0 };
                    start = distance;
                }
                _ => {
                    self.room.now.copy_from_slice(&self.room.center);
                    self.compute_velocities(Which::Current);
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

    /// Make the current forces the center, and go towards its proximal point until it is reached or the steps lead nowhere. Returns
    /// the number of steps and the error without the proximal term if the point is reached; `start` is that error before.
    ///
    /// # Errors
    /// The status, if the solution ends.
    fn approach<A: Axes>(
        &mut self,
        trial: Trial,
        alpha: f64,
        start: f64,
    ) -> Result<Option<(usize, f64)>, Status> {
        let most_steps = match trial {
            Trial::Long | Trial::First => MOST_STEPS,
            Trial::Small => SMALL_STEPS,
            Trial::Short | Trial::Quick => FEW_STEPS,
        };
        self.room.center.copy_from_slice(&self.room.now);
        let mut before = f64::INFINITY;
        for step in 1..=MOST_STEPS {
            if !self.step::<A>(alpha) {
                break;
            }
            self.look::<A>();
            if let Some(end) = self.over() {
                return Err(end);
            }
            let [distance, to_center] = self.distances::<A>(alpha);
            if to_center <= INNER * start.min(distance) {
                return Ok(Some((step, distance)));
            }
            let is_lost = trial != Trial::Long && step >= TRIED_STEPS && distance > LOST * start;
            if (is_lost || step >= most_steps) && distance > FALLING * before {
                break;
            }
            before = distance;
        }
        Ok(None)
    }

    /// Make interior steps, and between them try a few steps of Newton's method.
    pub(super) fn interior<A: Axes>(&mut self, start: Start) -> memory::Result<Option<Status>> {
        let is_in_bodies = self.body_products(MOST_BODY_PRODUCTS)?.is_some();
        if !is_in_bodies && self.products(MOST_PRODUCTS, MOST_PRODUCTS)?.is_none() {
            return Ok(None);
        }
        let start = Start { width: start.width * self.report.residual.scaled, ..start };
        {
            let Inside { team, program, mut space, interior, now } = self.inside(is_in_bodies);
            interior.begin::<A>(team, &program, &mut space, now, &start)?;
        }
        let (trial, ahead) = match start.share == 0.0 {
            true => (Trial::Quick, FAR_AHEAD),
            false => (Trial::Short, AHEAD),
        };
        let (mut least, mut idle) = (f64::INFINITY, 0);
        let (mut last, mut untried) = (self.best_residual(), 0);
        for _ in 0..MOST_INTERIOR_STEPS {
            let long = {
                let Inside { team, program, mut space, interior, now } = self.inside(is_in_bodies);
                interior.step::<A>(team, &program, &mut space, now)
            };
            self.report.steps += 1;
            self.spent += match self.body_products {
                Products::Known(products) => self.body_step_cost(products),
                _ => self.step_cost(self.products.unwrap_or(0)),
            };
            let value = self.look::<A>().by(self.options.measure);
            if let Some(end) = self.over() {
                return Ok(Some(end));
            }
            idle = if value < 0.8 * least { 0 } else { idle + 1 };
            least = least.min(value);
            if idle > MOST_IDLE_INSIDE || long.is_none_or(|long| long < LEAST_STEP) {
                break;
            }
            untried += 1;
            let is_due = trial == Trial::Short && untried >= BETWEEN_TRIALS && value < SMALL;
            if is_due || value < ahead * last {
                (last, untried) = (value, 0);
                if let Some(end) = self.steps::<A>(trial)? {
                    return Ok(Some(end));
                }
            }
        }
        self.room.now.copy_from_slice(&self.room.best);
        Ok(None)
    }

    /// What interior steps need, in the space of bodies or of contacts.
    fn inside(&mut self, is_in_bodies: bool) -> Inside<'_> {
        let Room { memory: Memory { q, roots, .. }, newton, interior, body_space, now, .. } = &mut *self.room;
        let (problem, laws, size) = (self.problem, self.laws, self.norms.scaled());
        let space = match is_in_bodies {
            true => Space::Bodies(body_space),
            false => Space::Contacts(ContactSpace { lu: newton.lu() }),
        };
        let team = &mut self.team;
        Inside { team, program: Program { problem, laws, q, roots, size }, space, interior, now }
    }

    /// Make a step towards the proximal point; returns false if there is none. `distances` were computed last, so that the
    /// velocities belong to the current forces.
    pub(super) fn step<A: Axes>(&mut self, alpha: f64) -> bool {
        debug_assert!(self.has_few_bodies() || self.is_velocity_current(self.problem.rows() - 1));
        let Room { memory: Memory { roots, .. }, newton, body_space, now, center, velocities, .. } =
            &mut *self.room;
        let (problem, laws, alpha_of_joints) = (self.problem, self.laws, alpha.min(self.alpha_of_joints));
        self.report.steps += 1;
        self.spent += self.cost_of_newton;
        let equations = Equations { problem, laws, roots, alpha, alpha_of_joints, center, velocities };
        newton.step::<A>(&mut self.team, &equations, self.is_newton_in_bodies.then_some(body_space), now)
    }

    /// Whether the velocity of a row, computed with W, belongs to the current forces.
    fn is_velocity_current(&self, row: usize) -> bool {
        let Room { memory: Memory { q, .. }, now, velocities, .. } = &*self.room;
        let u = velocity(self.problem, row, &q[row], |column| now[column]);
        u.map(f64::to_bits) == velocities[row].map(f64::to_bits)
    }

    /// ‖F‖ relative to B, without and with the proximal term of this α. The velocities belong to the current forces then.
    pub(super) fn distances<A: Axes>(&mut self, alpha: f64) -> [f64; 2] {
        self.compute_velocities(Which::Current);
        let Room { memory: Memory { roots, .. }, newton, now, center, velocities, .. } = &mut *self.room;
        let (problem, laws, alpha_of_joints) = (self.problem, self.laws, alpha.min(self.alpha_of_joints));
        let equations = Equations { problem, laws, roots, alpha, alpha_of_joints, center, velocities };
        newton.norms::<A>(&mut self.team, &equations, now).map(|norm| norm / self.norms.scaled())
    }
}
