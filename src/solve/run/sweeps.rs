//! Sweeps, and when they give way to steps.

use crate::math::powers::ln;
use crate::memory;
use crate::solve::acceleration;
use crate::solve::frames::Axes;
use crate::solve::options::{Method, Status};

use super::{LARGE, Room, Run};

/// Sweeps before the rate of changes has a meaning; the same after momentum has begun; sweeps between two computations of the
/// residual.
const LEAST_SWEEPS: usize = 6;
pub(crate) const MOVING_SWEEPS: usize = 16;
pub(crate) const BETWEEN: usize = 16;

/// Sweeps over which their rate is measured; the same with momentum, where changes oscillate.
pub(crate) const RATE: usize = 4;
pub(crate) const MOVING_RATE: usize = 8;

/// Estimates of the sweeps that are left count up to this times the sweeps so far: in large heaps of spheres twenty steps cost
/// thousands of sweeps. While the residual is still large, as in walls, sweeps are slow: then estimates count more.
const MOST_AHEAD: f64 = 4.0;
const MOST_AHEAD_IF_LARGE: f64 = 16.0;

/// With momentum a tenth of an estimate counts, after at most eight doublings: heaps whose residual decreases slowly are often
/// solved sooner than that.
const COUNTED: f64 = 0.1;
const DOUBLINGS: usize = 8;

/// The share of an estimate that counts in a heap, and the sweeps so far times which it counts at most. Interior steps solve heaps nearly as
/// well after few sweeps. In large heaps, where steps take longer, and in planes, sweeps go on for longer, and where the tolerance is
/// loose, they are usually enough.
const IN_HEAP: [f64; 2] = [0.8, 16.0];
const IN_LARGE_HEAP: [f64; 2] = [0.2, 4.0];
const IF_LOOSE: [f64; 2] = [0.1, 0.75];

/// With more rows than this, the expected number of steps grows with the root of the rows.
const LARGE_HEAP: f64 = 2000.0;

/// A guess from which this number of sweeps did not lead to a tolerance of more than `TIGHT` gives way to no forces before the first
/// steps: how many sweeps a heap takes depends more on where they begin than on the heap.
const MANY_SWEEPS: usize = 1000;
const TIGHT: f64 = 2e-5;

/// Sweeps over a large heap before the first patch, and between two patches; between them the sweeps take at least as long as a patch.
const SWEEPS_BEFORE_PATCH: usize = 300;
const SWEEPS_BETWEEN_PATCHES: usize = 100;

/// A tolerance of more than this is loose.
const LOOSE: f64 = 2e-4;

/// The sweeps that are left and count, and those that count in a heap.
pub(super) struct Left {
    pub sweeps: f64,
    pub in_heap: f64,
}

/// The changes of the last sweeps, the sweep before which their rate has no meaning, and the least residual of these sweeps.
pub(crate) struct Rate {
    pub(crate) changes: [f64; MOVING_RATE],
    pub(crate) steady: usize,
    pub least: f64,
}

impl Default for Rate {
    fn default() -> Self {
        Self { changes: [f64::INFINITY; MOVING_RATE], steady: LEAST_SWEEPS, least: f64::INFINITY }
    }
}

/// The sweeps after which an estimate of the residual is the tolerance, if each sweep multiplies it by this rate. The logarithms have the
/// same bits on all processors, so that the number of sweeps is the same.
pub(super) fn left_at_rate(tolerance: f64, estimate: f64, rate: f64) -> f64 {
    if rate > 0.0 && rate < 1.0 { ln(tolerance / estimate) / ln(rate) } else { f64::INFINITY }
}

impl Run<'_, '_> {
    /// Sweep until steps are expected to be quicker, in heaps also from no forces.
    pub(super) fn first_sweeps<A: Axes>(&mut self) -> memory::Result<Option<Status>> {
        let method = self.options.method;
        let has_guess = self.room.now.iter().any(|force| *force != [0.0; 3]);
        self.room.sweeps.begin(&self.room.now);
        if method == Method::Newton {
            return Ok(None);
        }
        let end = self.sweeps::<A>(usize::MAX, method == Method::Automatic)?;
        let count = self.report.sweeps;
        let is_long = count >= MANY_SWEEPS && self.options.tolerance > TIGHT && !self.has_few_bodies();
        if end.is_some() || !has_guess || !is_long {
            return Ok(end);
        }
        self.sweeps_from_no_forces::<A>(count)
    }

    pub(super) fn sweeps_from_no_forces<A: Axes>(&mut self, count: usize) -> memory::Result<Option<Status>> {
        self.room.now.fill([0.0; 3]);
        self.begin_again();
        self.sweeps::<A>(count, false)
    }

    /// Sweeps begin again from the current forces, with the share of momentum that they had.
    pub(super) fn begin_again(&mut self) {
        self.room.sweeps.begin(&self.room.now);
        self.room.sweeps.rest();
        self.momentum.restart();
        self.rate = Rate { steady: self.report.sweeps + LEAST_SWEEPS, ..Rate::default() };
    }

    /// Make `most` sweeps, or fewer if the solution ends, or, where they `may_end`, if steps are expected to be quicker.
    pub(super) fn sweeps<A: Axes>(&mut self, most: usize, may_end: bool) -> memory::Result<Option<Status>> {
        let mut ratio = self.ratio();
        let has_patches = self.options.method == Method::Automatic && self.problem.rows() as f64 > LARGE_HEAP;
        let mut next_patch = self.report.sweeps.max(SWEEPS_BEFORE_PATCH);
        for left in (0..most).rev() {
            if let Some(end) = self.over() {
                return Ok(Some(end));
            }
            let number = self.report.sweeps;
            let change = self.sweep::<A>();
            let span = if self.momentum.share() > 0.0 { MOVING_RATE } else { RATE };
            let changes = &mut self.rate.changes;
            let before = changes[(number + MOVING_RATE - span) % MOVING_RATE];
            changes[number % MOVING_RATE] = change;
            // The scaled residual is about as large as the change.
            let estimate = change * ratio;
            let is_near = estimate <= 2.0 * self.options.tolerance;
            let is_last = left == 0 || self.over().is_some();
            if is_near || !estimate.is_finite() || number % BETWEEN == BETWEEN - 1 || is_last {
                self.look_after_sweeps::<A>();
                ratio = self.ratio();
                if let Some(end) = self.over() {
                    return Ok(Some(end));
                }
                if has_patches && !is_last && self.report.sweeps >= next_patch {
                    let work = self.solve_patch::<A>()?;
                    let pause = SWEEPS_BETWEEN_PATCHES.max(work.unwrap_or(0.0) as usize);
                    next_patch = self.report.sweeps + pause;
                    continue;
                }
            }
            let rate = acceleration::root(change / before, span);
            if number < self.rate.steady {
                continue;
            }
            if self.momentum.begins(number, rate) {
                self.room.sweeps.rest();
                self.rate.steady = number + MOVING_SWEEPS;
            } else if may_end && self.steps_are_quicker(rate, estimate)? {
                self.look_after_sweeps::<A>();
                break;
            }
        }
        Ok(self.over())
    }

    /// Whether steps are expected to be quicker than more sweeps. Estimates may be wrong: sweeps take no more time than the
    /// expected cost of steps.
    fn steps_are_quicker(&mut self, rate: f64, estimate: f64) -> memory::Result<bool> {
        let number = self.report.sweeps as f64;
        let is_large = estimate > LARGE;
        let left = if self.momentum.share() > 0.0 {
            self.sweeps_left() * if is_large { 1.0 } else { COUNTED }
        } else {
            left_at_rate(self.options.tolerance, estimate, rate)
        };
        let counted = |share: f64, most: f64| (share * left).clamp(share * number, most * number);
        let most = if is_large { MOST_AHEAD_IF_LARGE } else { MOST_AHEAD };
        let growth = self.problem.rows() as f64 / LARGE_HEAP;
        let [share, most_in_heap] = if self.options.tolerance > LOOSE {
            IF_LOOSE
        } else if growth <= 1.0 && self.is_heap() {
            IN_HEAP
        } else {
            IN_LARGE_HEAP
        };
        let in_heap = counted(share, most_in_heap) / growth.max(1.0).sqrt();
        let left = Left { sweeps: counted(1.0, most), in_heap };
        Ok(self.bodies_are_quicker(&left)? || self.newton_is_quicker(&left)?)
    }

    /// The sweeps that are left if each doubling of their number divides the residual by as much as the last one.
    fn sweeps_left(&self) -> f64 {
        let Room { history, .. } = &*self.room;
        let before =
            history[..history.len().div_ceil(2)].iter().fold(f64::INFINITY, |least, &x| least.min(x));
        let best = self.best_residual();
        let (number, mut factor, mut residual) = (self.report.sweeps as f64, 1.0, best);
        for _ in 0..DOUBLINGS {
            if residual <= self.options.tolerance {
                break;
            }
            residual *= best / before;
            factor *= 2.0;
        }
        (factor - 1.0) * number
    }

    fn ratio(&self) -> f64 {
        self.report.residual.ratio_to_scaled(self.options.measure)
    }

    /// Make a sweep; returns the scaled norm of the change, relative to B.
    pub(super) fn sweep<A: Axes>(&mut self) -> f64 {
        let Self { room: Room { sweeps, memory, .. }, team, problem, laws, momentum, .. } = self;
        if momentum.share() > 0.0 {
            sweeps.push::<A>(team, laws, &memory.weights, momentum.share());
        }
        let changed = sweeps.sweep::<A>(team, problem, memory);
        momentum.after(changed);
        self.report.sweeps += 1;
        changed.sqrt() / self.norms.scaled()
    }

    /// Compute the residual of the forces after a sweep.
    fn look_after_sweeps<A: Axes>(&mut self) {
        self.room.sweeps.read(&mut self.room.now);
        let residual = self.look::<A>().by(self.options.measure);
        self.rate.least = self.rate.least.min(residual);
    }
}
