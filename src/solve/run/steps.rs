//! Steps of Newton's method and interior steps, until they end or fail.

use crate::math::Vector;
use crate::memory;
use crate::solve::block_lu::MOST_PRODUCTS;
use crate::solve::body_space::BodySpace;
use crate::solve::frames::Axes;
use crate::solve::interior::{ContactSpace, Interior, Program, Space, Start};
use crate::solve::newton::{Equations, Newton};
use crate::solve::options::Status;
use crate::solve::residual::velocity;
use crate::solve::workspace::Memory;
use crate::team::Team;

use super::costs::{MOST_BODY_PRODUCTS, Products};
use super::{Room, Run, Which};

/// The maximum of steps towards one center in small problems.
const SMALL_STEPS: usize = 8;

/// Steps to a center are few up to this number.
const FEW_STEPS: usize = 4;

/// The factor of α after few steps of short trials, and its reciprocal after a failure.
const LESS: f64 = 0.1;

/// In long trials a step is shortened if the error of a center is more than this times the error before it.
const GROWTH: f64 = 2.0;

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
/// residual of interior steps may stop at a value from which Newton's steps lead to the solution. In heaps, where trials seldom
/// succeed earlier, it has to be less than `SMALL_IN_HEAP` times the root of the tolerance, too.
const AHEAD: f64 = 0.1;
const FAR_AHEAD: f64 = 0.03;
const BETWEEN_TRIALS: usize = 5;
const SMALL: f64 = 0.05;
const SMALL_IN_HEAP: f64 = 2.0;

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

/// How a trial goes on.
struct Pace {
    /// The maximum of steps towards one center, and of those whose errors do not fall.
    most_steps: usize,
    most_slow: usize,
    most_failures: usize,
    /// The factors of α after few and after many steps to a center, and after a failure.
    less: f64,
    less_slowly: f64,
    more: f64,
    /// Whether steps that make the error grow are shortened.
    is_careful: bool,
}

impl Trial {
    /// Long trials are for problems in which others have failed: α changes slowly, so that few centers are out of reach. In heaps of
    /// many rows the first change comes so soon that careful steps take long, and most short trials fail in any case.
    fn pace(self) -> Pace {
        let short = Pace {
            most_steps: 12,
            most_slow: 12,
            most_failures: 1,
            less: LESS,
            less_slowly: 1.0,
            more: LESS.recip(),
            is_careful: false,
        };
        match self {
            Self::Long => Pace {
                most_steps: 25,
                most_slow: 25,
                most_failures: 8,
                less: 0.2,
                less_slowly: 0.5,
                more: 3.0,
                is_careful: true,
            },
            Self::Small => Pace { most_slow: SMALL_STEPS, most_failures: 4, ..short },
            Self::First => short,
            Self::Short | Self::Quick => Pace { most_slow: FEW_STEPS, ..short },
        }
    }
}

/// The threads, the problem, the space, the state and the forces of interior steps.
struct Inside<'a> {
    team: &'a mut Team,
    program: Program<'a>,
    space: Space<'a>,
    interior: &'a mut Interior,
    now: &'a mut [Vector],
}

/// The threads, the equations, the workspace and the forces of steps towards a proximal point.
struct Toward<'a> {
    team: &'a mut Team,
    equations: Equations<'a>,
    newton: &'a mut Newton,
    /// The space of bodies, if steps are made there.
    bodies: Option<&'a mut BodySpace>,
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
        let mut may_fail = self.has_joints;
        let pace = trial.pace();
        while failures < pace.most_failures && start.is_finite() {
            let reached = match self.approach::<A>(trial, alpha, start) {
                Ok(reached) => reached,
                Err(end) => return Ok(Some(end)),
            };
            match reached {
                Some((steps, distance)) if distance < 2.0 * start => {
                    match steps {
                        1 if trial == Trial::Quick => alpha = (alpha * LESS * LESS).min(CLOSE * distance),
                        1 => alpha *= pace.less * pace.less,
                        ..=FEW_STEPS => alpha *= pace.less,
                        _ => alpha *= pace.less_slowly,
                    }
                    failures = if distance > 0.95 * start { failures + 1 } else { 0 };
                    start = distance;
                }
                _ => {
                    self.room.now.copy_from_slice(&self.room.center);
                    self.compute_velocities(Which::Current);
                    self.alpha_of_joints = f64::INFINITY;
                    if !std::mem::take(&mut may_fail) {
                        alpha *= pace.more;
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
        let Pace { most_steps, most_slow, is_careful, .. } = trial.pace();
        self.room.center.copy_from_slice(&self.room.now);
        let (mut before, mut error) = (f64::INFINITY, start);
        for step in 1..=most_steps {
            if !self.step::<A>(alpha) {
                break;
            }
            self.look::<A>();
            if let Some(end) = self.over() {
                return Err(end);
            }
            let [mut distance, mut to_center] = self.distances::<A>(alpha);
            if is_careful && to_center > GROWTH * error && self.shorten::<A>(alpha) {
                self.look::<A>();
                if let Some(end) = self.over() {
                    return Err(end);
                }
                [distance, to_center] = self.distances::<A>(alpha);
            }
            error = to_center;
            if to_center <= INNER * start.min(distance) {
                return Ok(Some((step, distance)));
            }
            let is_lost = trial != Trial::Long && step >= TRIED_STEPS && distance > LOST * start;
            if (is_lost || step >= most_slow) && distance > FALLING * before {
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
        let is_heap = self.is_heap();
        let small = if is_heap { SMALL.min(SMALL_IN_HEAP * self.options.tolerance.sqrt()) } else { SMALL };
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
            untried += 1;
            if idle > MOST_IDLE_INSIDE || long.is_none_or(|long| long < LEAST_STEP) {
                break;
            }
            let is_due = trial == Trial::Short && untried >= BETWEEN_TRIALS && value < small;
            if is_due || value < ahead * last {
                (last, untried) = (value, 0);
                if let Some(end) = self.steps::<A>(trial)? {
                    return Ok(Some(end));
                }
            }
        }
        // Where interior steps end in a heap, Newton's steps often go on, although other forces have smaller residuals.
        if is_heap
            && untried > 0
            && let Some(end) = self.steps::<A>(trial)?
        {
            return Ok(Some(end));
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
        self.report.steps += 1;
        self.spent += self.cost_of_newton;
        let Toward { team, equations, newton, bodies, now } = self.toward(alpha);
        newton.step::<A>(team, &equations, bodies, now)
    }

    /// Shorten the last step, see [`Newton::shorten`]. `distances` were computed last.
    fn shorten<A: Axes>(&mut self, alpha: f64) -> bool {
        let Toward { team, equations, newton, now, .. } = self.toward(alpha);
        newton.shorten::<A>(team, &equations, now)
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
        let Toward { team, equations, newton, now, .. } = self.toward(alpha);
        let norms = newton.norms::<A>(team, &equations, now);
        norms.map(|norm| norm / self.norms.scaled())
    }

    /// What steps towards the proximal point need.
    fn toward(&mut self, alpha: f64) -> Toward<'_> {
        let Room { memory: Memory { roots, .. }, newton, body_space, now, center, velocities, .. } =
            &mut *self.room;
        let (problem, laws, alpha_of_joints) = (self.problem, self.laws, alpha.min(self.alpha_of_joints));
        let equations = Equations { problem, laws, roots, alpha, alpha_of_joints, center, velocities };
        let bodies = self.is_newton_in_bodies.then_some(body_space);
        Toward { team: &mut self.team, equations, newton, bodies, now }
    }
}
